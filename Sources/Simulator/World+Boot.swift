// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import WireCodec
import Workbench

/// Leaves bytes as they are.
struct PlainPacker: Packer {
  func pack(_ bytes: [UInt8]) -> [UInt8] { bytes }

  func unpack(_ bytes: [UInt8], size: Int) throws(DecodeError) -> [UInt8] {
    guard bytes.count == size else { throw .badPacking }
    return bytes
  }
}

/// How machines come up.
extension World {
  /// Sets the machines up; all but a late joiner are members of one space already.
  mutating func foundSpace() {
    for node in 0..<options.nodeCount {
      let crypto = ToyCrypto(seed: options.seed &* 64 &+ UInt64(node))
      guard let endpoint = Endpoint(address: [198, 18, 0, UInt8(node + 1)], port: 7_000) else {
        preconditionFailure("four bytes are an address")
      }
      nodes.append(SimulatedNode(crypto: crypto, endpoint: endpoint))
    }
    let founder = nodes[0].crypto
    let genesis = MembershipRecord(
      signing: .genesis(
        name: Text("node 0"), recoveryKey: [UInt8](repeating: 7, count: 32),
        discoveryKey: [UInt8](repeating: 9, count: 32), salt: options.seed),
      parents: [], crypto: founder)
    var records = [genesis]
    let memberCount = nodes.count - (options.has(.lateJoiner) ? 1 : 0)
    for node in 1..<memberCount {
      let body = MembershipRecord.Body.add(
        publicKey: nodes[node].crypto.publicKey, name: Text("node \(node)"), role: .admin)
      records.append(
        MembershipRecord(signing: body, parents: records.suffix(1).map(\.hash), crypto: founder))
    }
    for node in 0..<memberCount { nodes[node].disk.install(records.map(\.bytes)) }
    guard options.has(.oldVersions) else { return }
    var random = SplitMix64(seed: options.seed, stream: "versions")
    // To these machines counters, or blocks, are a thing of the future.
    let missing: UInt64 = random.chance(50) ? 6 : 3
    let old = FoldLevel(kinds: (1...6).filter { $0 != missing })
    for node in nodes.indices where random.chance(50) { nodes[node].level = old }
  }

  /// Notes what was promised and is nowhere but in checkpoints that their machines could not read, and
  /// what follows it, in its session and in those that continue that: no rule brings it back
  /// (reliability D4).
  private mutating func excuseLost() {
    let logged = nodes.map { Set($0.disk.changes.map(\.dot)) }
    var continued: [SessionID: SessionID] = [:]
    for node in nodes {
      for change in node.disk.changes where change.dot.seq == 1 {
        let signed = try? SignedChange(decoding: change.bytes, crypto: node.crypto)
        continued[change.dot.session] = signed?.change.head?.predecessor?.session
      }
    }
    var lost = Set(excused.map(\.session))
    for promise in promised {
      if let before = continued[promise.dot.session], lost.contains(before) {
        lost.insert(promise.dot.session)
      }
      let isThere = nodes.indices.contains { node in
        let isReadable = !nodes[node].hasVoidCheckpoint && nodes[node].disk.holds(promise.dot)
        return isReadable
          || (logged[node].contains(promise.dot) && !lost.contains(promise.dot.session))
      }
      if isThere { continue }
      lost.insert(promise.dot.session)
      excused.insert(promise.dot)
    }
  }

  /// Starts a machine from what its disk holds.
  mutating func start(_ node: Int) {
    guard nodes[node].engine == nil else { return }
    nodes[node].life += 1
    var restored = Restored()
    let disk = nodes[node].disk
    let unreadable = restored.read(
      read(node), level: nodes[node].level, crypto: nodes[node].crypto, packer: PlainPacker()
    ) { disk.changes }
    nodes[node].isIncomplete = restored.isIncomplete
    nodes[node].hasVoidCheckpoint = restored.hasVoidCheckpoint
    if restored.hasVoidCheckpoint { excuseLost() }
    // Every other time its agent could put a copy aside.
    if nodes[node].life.isMultiple(of: 2) { restored.keepsCheckpoint = false }
    if restored.isIncomplete {
      nodes[node].everIncomplete = true
      if !options.has(.bitFlips) { failures.append("node \(node) cannot read: \(unreadable)") }
    }
    do {
      restored.roster = try disk.roster(crypto: nodes[node].crypto)
    } catch {
      failures.append("node \(node) cannot read its roster: \(error)")
    }
    restored.clock = disk.clock
    restored.own = disk.own
    restored.ages = disk.ages
    restored.notice = disk.notice
    restored.peers = disk.peers.values.sorted { $0.device < $1.device }
    var settings = options.has(.tiny) ? EngineSettings.tiny : EngineSettings()
    if options.has(.shortHistory) { settings.historyDays = 0 }
    if let days = options.days {
      (settings.historyDays, settings.silentDays) = (days.historyDays, days.silentDays)
      settings.floorInterval = .seconds(1)
      settings.statementInterval = .seconds(5)
    }
    if options.has(.earlyCold), node.isMultiple(of: 2) {
      (settings.coldItemsMin, settings.warmItemsPerColdMax) = (1, .max)
    }
    settings.listenPort = nodes[node].endpoint.port
    settings.foldLevel = nodes[node].level
    let seed = options.seed &* 0x1_0000 &+ UInt64(node) &* 0x100 &+ UInt64(nodes[node].life)
    nodes[node].engine = Engine(
      settings: settings, crypto: nodes[node].crypto, packer: PlainPacker(),
      entropy: Entropy(SeededEntropy(SplitMix64(seed: seed, stream: "entropy"))),
      restored: restored, wall: wall(of: node))
    nodes[node].diskFreeAt = now
    nodes[node].reads = []
    if !options.has(.discovery) { feed(.fixedEndpoints(neighbours(of: node)), to: node) }
    feed(.resume, to: node)
    guard options.has(.discovery) else { return }
    for other in nodes.indices where other != node && network.carries(from: other, to: node) {
      guard let tag = nodes[other].tag else { continue }
      schedule.add(
        .announced(at: node, nodes[other].endpoint, tag), at: now + network.latency())
    }
  }

  /// The addresses that a node was told of: all others, or two on a ring.
  private func neighbours(of node: Int) -> [Endpoint] {
    let others = nodes.indices.filter { other in
      guard other != node else { return false }
      let distance = (other - node + nodes.count) % nodes.count
      return !options.has(.sparse) || distance == 1 || distance == nodes.count - 1
    }
    return others.map { nodes[$0].endpoint }
  }
}

extension SimulatedDisk {
  /// The roster of the records; `nil` if there are none.
  func roster(crypto: ToyCrypto) throws -> MembershipGraph? {
    var roster: MembershipGraph?
    for bytes in rosterRecords {
      let record = try MembershipRecord(decoding: bytes, crypto: crypto)
      if roster == nil {
        roster = try MembershipGraph(genesis: record, crypto: crypto)
      } else {
        _ = try roster?.take(record, crypto: crypto)
      }
    }
    return roster
  }
}
