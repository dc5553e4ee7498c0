// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec
import Workbench

/// Copied machines (reliability R1): backups put back, copied folders, images of running machines.
extension World {
  /// What was copied of a machine at some moment.
  struct MachineImage: Sendable {
    let node: Int
    let engine: Engine?
    let disk: SimulatedDisk
    let reads: [(token: ReadToken, request: LogRequest)]
  }

  /// Machines at once, copies counted.
  static let nodesMax = 8

  /// Copies a machine, or lets an earlier copy come to life.
  mutating func injectCopy(_ random: inout SplitMix64) {
    guard let image = images.last, random.chance(65) else {
      let node = random.below(nodes.count)
      images.append(
        MachineImage(
          node: node, engine: nodes[node].engine, disk: nodes[node].disk,
          reads: nodes[node].reads))
      return
    }
    images.removeLast()
    faults += 1
    switch random.below(6) {
    case 0: putBack(image)
    case 1, 2: resume(image)
    case 3 where nodes.count < Self.nodesMax, 4 where nodes.count < Self.nodesMax:
      startSecond(image, isRunning: true)
    default:
      if nodes.count < Self.nodesMax {
        startSecond(image, isRunning: false)
      } else {
        putBack(image)
      }
    }
  }

  /// An old backup takes the place of the disk; what was written since is gone from it.
  private mutating func putBack(_ image: MachineImage) {
    turnOff(image.node)
    replaceDisk(image)
    start(image.node)
    feed(.identityLost, to: image.node)
  }

  /// A virtual machine goes back to an earlier image, process and all, and runs on.
  private mutating func resume(_ image: MachineImage) {
    guard image.engine != nil else { return putBack(image) }
    turnOff(image.node)
    replaceDisk(image)
    revive(image.node, image)
  }

  /// A second machine with the same key: a copied folder, or the image of a running process.
  private mutating func startSecond(_ image: MachineImage, isRunning: Bool) {
    let number = nodes.count
    guard let endpoint = Endpoint(address: [198, 18, 0, UInt8(number + 1)], port: 7_000) else {
      preconditionFailure("four bytes are an address")
    }
    var node = SimulatedNode(crypto: nodes[image.node].crypto, endpoint: endpoint)
    node.disk = image.disk
    node.disk.crash(keepingPending: false)
    node.wallOffset = nodes[image.node].wallOffset
    nodes.append(node)
    network.add()
    if isRunning && image.engine != nil {
      revive(number, image)
    } else {
      start(number)
      feed(.identityLost, to: number)
    }
  }

  /// Edits that only the lost disk held are lost with it; all that anybody else holds is not.
  private mutating func replaceDisk(_ image: MachineImage) {
    nodes[image.node].disk = image.disk
    nodes[image.node].disk.crash(keepingPending: false)
  }

  private mutating func revive(_ node: Int, _ image: MachineImage) {
    guard var engine = image.engine else { return }
    nodes[node].life += 1
    let seed = options.seed &* 0x1_0000 &+ UInt64(node) &* 0x100 &+ UInt64(nodes[node].life)
    engine.becameCopy(
      Entropy(SeededEntropy(SplitMix64(seed: seed &+ 77, stream: "copy"))))
    nodes[node].engine = engine
    nodes[node].diskFreeAt = now
    // The batch that was under way when the image was taken did not reach the disk.
    if let token = image.disk.pending?.token { feed(.persistFailed(token), to: node) }
    nodes[node].reads = []
    for read in image.reads { readLog(read.request, read.token, node) }
    for link in connectedLinks(of: image) { feed(.linkDown(link), to: node) }
    feed(.networkChanged, to: node)
  }

  /// The connections that the image thinks it has; none of them outlives it.
  private func connectedLinks(of image: MachineImage) -> [LinkID] {
    var out: [LinkID] = []
    for connection in connections {
      if connection.dialer.node == image.node { out.append(connection.dialer.link) }
      if let acceptor = connection.acceptor, acceptor.node == image.node {
        out.append(acceptor.link)
      }
    }
    return out
  }

  /// Switches a machine off, without a word to anybody.
  private mutating func turnOff(_ node: Int) {
    nodes[node].engine = nil
    nodes[node].wakeAt = nil
    nodes[node].disk.crash(keepingPending: false)
    for number in connections.indices {
      for direction in Direction.allCases {
        guard let end = connections[number].receiver(direction), end.node == node, end.isOpen
        else { continue }
        connections[number].close(direction)
      }
    }
  }

  // MARK: The end

  /// Branches that the first node holds.
  var branches: Int {
    guard let replica = nodes[0].engine?.replica, replica.hasForks else { return 0 }
    return replica.header().sessions.count { $0.branch != nil }
  }

  /// Whether that disk has a change of this name, be it on a branch by now.
  func isKept(_ dot: Dot, by node: Int) -> Bool {
    if nodes[node].disk.holds(dot) { return true }
    return options.hasCopies && nodes[node].disk.kept.contains { copied[$0]?.dot == dot }
  }

  /// Notes what is about to be stored anywhere.
  mutating func noteCopied(_ changes: [LoggedChange], by crypto: ToyCrypto) {
    for logged in changes where copied[logged.hash] == nil {
      guard let signed = try? SignedChange(decoding: logged.bytes, crypto: crypto) else {
        failures.append("a change on its way to a disk cannot be read")
        return
      }
      copied[signed.hash] = signed.change
    }
  }

  /// Every change that any disk was ever given is held by all, told by its hash and whether it has left
  /// the log or not, but what only lost disks had; every add of these counts once, no write of them is
  /// missing, and no two of them created one item.
  mutating func checkCopies() {
    let kept = nodes.reduce(into: Set<ChangeHash>()) { $0.formUnion($1.disk.kept) }
    for (number, node) in nodes.enumerated() {
      guard let replica = node.engine?.replica else { continue }
      let lost = kept.sorted().filter { hash in
        copied[hash].map { !replica.holds(tip(of: $0, hash)) } ?? true
      }
      if !lost.isEmpty { failures.append("node \(number) lacks \(lost.count) changes") }
    }
    guard let replica = nodes[0].engine?.replica else { return }
    // A snapshot may have brought what was on a disk that is lost by now.
    let held = copied.keys.sorted().compactMap { hash in
      copied[hash].flatMap { replica.holds(tip(of: $0, hash)) ? $0 : nil }
    }
    let warm = replica.thawed
    checkSums(held, warm)
    checkWrites(held, warm)
  }

  private func tip(of change: Change, _ hash: ChangeHash) -> Tip {
    Tip(session: change.session, seq: change.seq, hash: hash)
  }

  private mutating func checkSums(_ changes: [Change], _ replica: Replica) {
    var sums: [ItemID: [FieldName: Int64]] = [:]
    var created: [ItemID: Int] = [:]
    for change in changes {
      for op in change.ops {
        switch op {
        case .add(let item, let field, let delta):
          sums[item, default: [:]][field, default: 0] += delta
        case .create(let first, let count, _, _, _):
          for index in first..<first + count {
            created[ItemID(nonce: change.nonce, index: index), default: 0] += 1
          }
        default: break
        }
      }
    }
    for (item, count) in created {
      if count > 1 { failures.append("two changes created \(item)") }
      if !replica.exists(item) { failures.append("\(item) was lost") }
    }
    for (item, fields) in sums {
      for (field, sum) in fields where replica.counterTotal(of: item, field) != sum {
        failures.append(
          "a counter shows \(replica.counterTotal(of: item, field) ?? 0) in place of \(sum)")
      }
    }
    failures.sort()
  }

  /// No cell shows less than the greatest write to it.
  private mutating func checkWrites(_ changes: [Change], _ replica: Replica) {
    for change in changes {
      guard let head = replica.head(of: change.session) else { continue }
      for (index, op) in change.ops.enumerated() {
        let stamp = Stamp(
          h: op.ownH ?? change.h, device: head.device, salt: head.salt, seq: change.seq,
          op: UInt32(index))
        let shown: Stamp?
        switch op {
        case .set(let item, let field, _, _): shown = replica.stamp(of: item, field)
        case .place(let item, _, _, _): shown = replica.placeStamp(of: item)
        default: continue
        }
        if shown.map({ $0 < stamp }) ?? true {
          failures.append("a write of \(change.dot) was lost")
        }
      }
    }
  }
}
