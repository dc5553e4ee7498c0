// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec
import Workbench

/// What breaks, and how it is mended.
extension World {
  private enum Fault {
    case crash, tornTurn, partition, oneWay, cutLink, clockJump, checkpoint, networkChange
    case diskFull, lie, sleep, upgrade, copy, removal
  }

  mutating func injectFault() {
    guard !isCalm else { return }
    let mean = options.faultInterval.nanoseconds
    let next = now + Delay(nanoseconds: 1 + faultClock.next() % (2 * mean))
    schedule.add(.fault, at: max(next, quietUntil))
    let number = drawnFaults
    drawnFaults += 1
    guard !options.skippedFaults.contains(where: { $0.contains(number) }) else { return }
    // Each fault has randomness of its own: leaving one out does not change what the others do.
    let seed = options.seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    var random = SplitMix64(seed: seed, stream: "fault")
    let node = random.below(nodes.count)
    switch random.pick(kinds) {
    case .crash: crash(node, isKilled: random.chance(50))
    case .tornTurn: nodes[node].effectsLeft = random.below(40)
    case .partition: partition(&random)
    case .oneWay: blockOneWay(node, &random)
    case .cutLink: cutLink(&random)
    case .clockJump: jumpClock(of: node, &random)
    case .checkpoint: feed(.checkpoint, to: node)
    case .networkChange: feed(.networkChanged, to: node)
    case .diskFull: fillDisk(of: node, &random)
    case .lie: lie(to: node, &random)
    case .sleep: sleep(node, &random)
    case .upgrade: nodes[node].level = .current
    case .copy: injectCopy(&random)
    case .removal: injectRemoval(by: node, &random)
    }
  }

  private var kinds: [Fault] {
    var kinds: [Fault] = [.cutLink, .networkChange]
    if options.has(.crashes) { kinds += [.crash, .crash, .crash] }
    if options.has(.tornTurns) { kinds += [.tornTurn, .tornTurn, .tornTurn] }
    if options.has(.partitions) { kinds += [.partition, .partition] }
    if options.has(.oneWay) { kinds += [.oneWay, .oneWay] }
    if options.has(.badClocks) { kinds += [.clockJump] }
    if options.has(.checkpoints) { kinds += [.checkpoint, .checkpoint] }
    if options.has(.diskErrors) { kinds += [.diskFull] }
    if options.has(.lies) { kinds += [.lie, .lie, .lie] }
    if options.has(.sleeps) { kinds += [.sleep] }
    if options.has(.oldVersions) { kinds += [.upgrade] }
    if options.hasRemovals { kinds += [.removal, .removal] }
    if options.hasCopies { kinds += [.copy, .copy, .copy, .copy] }
    return kinds
  }

  mutating func crash(_ node: Int, isKilled: Bool) {
    guard nodes[node].engine != nil else { return }
    stop(node, isKilled: isKilled)
    let pause = Delay.milliseconds(UInt64(diskRandom.pick([1, 500, 5_000, 20_000])))
    schedule.add(.start(node: node), at: now + pause)
  }

  /// The machine stops at once and stays off.
  mutating func stop(_ node: Int, isKilled: Bool) {
    guard nodes[node].engine != nil else { return }
    faults += 1
    digest.add(UInt64(0xDEAD))
    nodes[node].engine = nil
    nodes[node].wakeAt = nil
    nodes[node].effectsLeft = nil
    nodes[node].hasJoinedSnapshot = false
    nodes[node].tag = nil
    nodes[node].disk.crash(keepingPending: diskRandom.chance(50))
    // A killed process: its peers are told. A machine without power: they are not.
    for number in connections.indices {
      for direction in Direction.allCases {
        guard let end = connections[number].receiver(direction), end.node == node, end.isOpen
        else { continue }
        connections[number].close(direction)
        if isKilled {
          schedule.add(
            .arrived(connection: number, direction.opposite, .end), at: now + network.latency())
        }
      }
    }
  }

  private mutating func partition(_ random: inout SplitMix64) {
    faults += 1
    network.split(into: nodes.indices.map { _ in random.below(2) })
    healLater(&random)
  }

  private mutating func blockOneWay(_ node: Int, _ random: inout SplitMix64) {
    faults += 1
    for other in nodes.indices where random.chance(50) { network.block(from: node, to: other) }
    healLater(&random)
  }

  private mutating func healLater(_ random: inout SplitMix64) {
    schedule.add(
      .heal, at: now + .milliseconds(UInt64(random.pick([300, 4_000, 60_000, 3_600_000]))))
  }

  private mutating func cutLink(_ random: inout SplitMix64) {
    let open = connections.indices.filter {
      connections[$0].dialer.isOpen && connections[$0].acceptor?.isOpen == true
    }
    if !open.isEmpty { breakConnection(random.pick(open)) }
  }

  private mutating func jumpClock(of node: Int, _ random: inout SplitMix64) {
    faults += 1
    let year: Int64 = 31_557_600_000
    nodes[node].wallOffset = random.pick([
      0, -3_600_000, 3_600_000, 20 * 60_000, -50 * year, 10 * year, 50 * year,
    ])
  }

  private mutating func fillDisk(of node: Int, _ random: inout SplitMix64) {
    faults += 1
    nodes[node].diskFullUntil = now + .milliseconds(UInt64(random.pick([500, 3_000, 20_000])))
  }

  private mutating func sleep(_ node: Int, _ random: inout SplitMix64) {
    guard nodes[node].asleepUntil <= now else { return }
    faults += 1
    let pause = random.pick([2_000, 20_000, 50_000, 600_000] as [UInt64])
    nodes[node].asleepUntil = now + .milliseconds(pause)
  }

  /// Names a wrong address, a stale one, a made-up tag, or takes a right one back.
  private mutating func lie(to node: Int, _ random: inout SplitMix64) {
    faults += 1
    let other = random.below(nodes.count)
    let nowhere = nodes[other].endpoint.with(port: UInt16(1 + random.below(3)))
    let noise = DiscoveryTag(
      nonce: (0..<8).map { _ in UInt8(random.below(256)) },
      tag: (0..<8).map { _ in UInt8(random.below(256)) }, isInviting: random.chance(50))
    let stolen = nodes[random.below(nodes.count)].tag
    switch random.below(5) {
    case 0: if let noise { feed(.discovered(nowhere, noise), to: node) }
    case 1: if let stolen { feed(.discovered(nowhere, stolen), to: node) }
    case 2: if let stolen { feed(.discovered(nodes[other].endpoint, stolen), to: node) }
    case 3: if let stolen { feed(.discovered(nodes[node].endpoint, stolen), to: node) }
    default: feed(.discoveryLost(nodes[other].endpoint), to: node)
    }
  }

  /// Nothing goes on for hours or days but what goes on by itself.
  mutating func lull() {
    faults += 1
    var random = SplitMix64(seed: options.seed, stream: "lull")
    let parts = nodes.indices.map { _ in random.below(3) }
    network.split(into: parts)
    quietUntil = now + .seconds(UInt64(random.pick([3_600, 20_000, 90_000])))
    advance(to: quietUntil)
    healNetwork(among: Array(nodes.indices))
  }

  // MARK: Mending

  /// Whatever is wrong with `nodes` comes right; they reach each other.
  mutating func mend(nodes mended: [Int]) {
    advance(to: mended.map { nodes[$0].asleepUntil }.max() ?? now)
    for node in mended {
      nodes[node].effectsLeft = nil
      nodes[node].diskFullUntil = now
      nodes[node].level = .current
      // What was started from a bad read, or as an old version, is started once more.
      let isOdd = nodes[node].isIncomplete || nodes[node].engine?.settings.foldLevel != .current
      if nodes[node].engine != nil, isOdd { crash(node, isKilled: true) }
      start(node)
    }
    healNetwork(among: mended)
  }

  /// Most machines, cut off from the others, must come to agree among themselves.
  mutating func settleCore() {
    guard failures.isEmpty, !options.hasRemovals, !options.has(.sparse), !options.has(.lateJoiner),
      nodes.count > 3
    else { return }
    let rest = SplitMix64(seed: options.seed, stream: "core").first(below: nodes.count)
    let core = nodes.indices.filter { $0 != rest }
    for node in core {
      network.block(from: rest, to: node)
      network.block(from: node, to: rest)
    }
    mend(nodes: core)
    settle(core)
    guard failures.isEmpty, !isSettled(core) else { return }
    failures.append("nodes \(core) do not agree without node \(rest)")
  }

  mutating func settle(_ nodes: [Int]) {
    let end = now + options.livenessTime
    while now < end && failures.isEmpty && !(isSettled(nodes) && knowRemovals(nodes)) {
      advance(to: now + .seconds(1))
    }
  }
}

extension SplitMix64 {
  fileprivate func first(below end: Int) -> Int {
    var copy = self
    return copy.below(end)
  }
}
