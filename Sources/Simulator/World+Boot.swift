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

/// A seed in the place of the kernel's randomness.
struct SeededEntropy: EntropySource {
  var generator: SplitMix64

  mutating func next() -> UInt64 { generator.next() }
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
    let memberCount = nodes.count - (options.hasLateJoiner ? 1 : 0)
    for node in 1..<memberCount {
      let body = MembershipRecord.Body.add(
        publicKey: nodes[node].crypto.publicKey, name: Text("node \(node)"), role: .admin)
      records.append(
        MembershipRecord(signing: body, parents: records.suffix(1).map(\.hash), crypto: founder))
    }
    for node in 0..<memberCount { nodes[node].disk.install(records.map(\.bytes)) }
  }

  /// Starts a machine from what its disk holds.
  mutating func start(_ node: Int) {
    guard nodes[node].engine == nil else { return }
    nodes[node].life += 1
    let restored: Restored
    do {
      restored = try nodes[node].disk.restored(crypto: nodes[node].crypto)
    } catch {
      failures.append("node \(node) cannot read its disk: \(error)")
      return
    }
    var settings = options.isTiny ? EngineSettings.tiny : EngineSettings()
    if options.hasShortHistory { settings.historyDays = 0 }
    settings.listenPort = nodes[node].endpoint.port
    let seed = options.seed &* 0x1_0000 &+ UInt64(node) &* 0x100 &+ UInt64(nodes[node].life)
    nodes[node].engine = Engine(
      settings: settings, crypto: nodes[node].crypto, packer: PlainPacker(),
      entropy: Entropy(SeededEntropy(generator: SplitMix64(seed: seed, stream: "entropy"))),
      restored: restored, wall: wall(of: node))
    nodes[node].diskFreeAt = now
    feed(.fixedEndpoints(neighbours(of: node)), to: node)
    feed(.resume, to: node)
  }

  /// The addresses that a node was told of: all others, or two on a ring.
  private func neighbours(of node: Int) -> [Endpoint] {
    let others = nodes.indices.filter { other in
      guard other != node else { return false }
      let distance = (other - node + nodes.count) % nodes.count
      return !options.isSparse || distance == 1 || distance == nodes.count - 1
    }
    return others.map { nodes[$0].endpoint }
  }
}

extension SimulatedDisk {
  /// What an engine starts from: checkpoint, log behind it, roster, clock. Throws if any of it cannot
  /// be read, which no crash may bring about.
  func restored(crypto: ToyCrypto) throws -> Restored {
    var restored = Restored()
    if let header = checkpointHeader {
      let chunks = try checkpointChunks.map {
        try ImageCodec.decodeChunk($0, crypto: crypto, packer: PlainPacker())
      }
      restored.replica = try Replica(
        header: try ImageCodec.decodeHeader(header, crypto: crypto, packer: PlainPacker()),
        chunks: chunks)
    }
    var events: [ReplicaEvent] = []
    for logged in changes {
      let signed = try SignedChange(decoding: logged.bytes, crypto: crypto)
      switch restored.replica.fold(signed.change, hash: signed.hash, events: &events) {
      case .folded, .alreadyCovered: break
      case let outcome: throw DiskError.logDoesNotFold(logged.dot, outcome)
      }
    }
    for bytes in rosterRecords {
      let record = try MembershipRecord(decoding: bytes, crypto: crypto)
      if restored.roster == nil {
        restored.roster = try MembershipGraph(genesis: record, crypto: crypto)
      } else {
        _ = try restored.roster?.take(record, crypto: crypto)
      }
    }
    restored.clock = clock
    restored.own = own
    restored.peers = peers.values.sorted { $0.device < $1.device }
    return restored
  }
}

/// Why a disk could not be read.
enum DiskError: Error {
  case logDoesNotFold(Dot, FoldOutcome)
}
