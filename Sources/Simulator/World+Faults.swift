// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine
import Workbench

/// What breaks, and how it is mended.
extension World {
  private enum Fault {
    case crash, partition, cutLink, clockJump, checkpoint, networkChange
  }

  mutating func injectFault() {
    guard !isCalm else { return }
    var kinds: [Fault] = [.cutLink, .networkChange]
    if options.hasCrashes { kinds += [.crash, .crash, .crash] }
    if options.hasPartitions { kinds += [.partition, .partition] }
    if options.hasBadClocks { kinds += [.clockJump] }
    if options.hasCheckpoints { kinds += [.checkpoint, .checkpoint] }
    let node = faultRandom.below(nodes.count)
    switch faultRandom.pick(kinds) {
    case .crash: crash(node)
    case .partition: partition()
    case .cutLink: cutLink()
    case .clockJump: jumpClock(of: node)
    case .checkpoint: feed(.checkpoint, to: node)
    case .networkChange: feed(.networkChanged, to: node)
    }
    let mean = options.faultInterval.nanoseconds
    schedule.add(.fault, at: now + Delay(nanoseconds: 1 + faultRandom.next() % (2 * mean)))
  }

  private mutating func crash(_ node: Int) {
    guard nodes[node].engine != nil else { return }
    faults += 1
    digest.add(UInt64(0xDEAD))
    nodes[node].engine = nil
    nodes[node].wakeAt = nil
    nodes[node].disk.crash(keepingPending: faultRandom.chance(50))
    // A killed process: its peers are told. A machine without power: they are not.
    let isKilled = faultRandom.chance(50)
    for number in connections.indices {
      for direction in Direction.allCases {
        guard let end = connections[number].receiver(direction), end.node == node, end.isOpen
        else { continue }
        connections[number].close(direction)
        if isKilled { tellEnd(of: number, direction.opposite) }
      }
    }
    let pause = Delay.milliseconds(UInt64(faultRandom.pick([1, 500, 5_000, 20_000])))
    schedule.add(.start(node: node), at: now + pause)
  }

  private mutating func tellEnd(of number: Int, _ direction: Direction) {
    schedule.add(
      .arrived(connection: number, direction, .end), at: now + network.latency())
  }

  private mutating func partition() {
    faults += 1
    network.split(into: nodes.indices.map { _ in faultRandom.below(2) })
    let pause = Delay.milliseconds(UInt64(faultRandom.pick([300, 4_000, 60_000])))
    schedule.add(.heal, at: now + pause)
  }

  private mutating func cutLink() {
    let open = connections.indices.filter {
      connections[$0].dialer.isOpen && connections[$0].acceptor?.isOpen == true
    }
    if !open.isEmpty { breakConnection(faultRandom.pick(open)) }
  }

  private mutating func jumpClock(of node: Int) {
    faults += 1
    let day: Int64 = 86_400_000
    nodes[node].wallOffset = faultRandom.pick([
      0, -3_600_000, 3_600_000, -20_000 * day, 3_650 * day, 30_000 * day,
    ])
  }

  /// Nothing breaks any more, and everything that is broken comes back.
  mutating func mend() {
    isCalm = true
    network.hasFaults = false
    healNetwork()
    for node in nodes.indices where nodes[node].engine == nil { start(node) }
  }
}
