// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Workbench

/// What people do, and what they are told.
extension World {
  mutating func editSomewhere() {
    guard !isCalm else { return }
    let mean = options.editInterval.nanoseconds
    var next = now + Delay(nanoseconds: 1 + peopleRandom.next() % (2 * mean))
    // In a lull people look in now and then.
    if now < quietUntil { next = now + .seconds(UInt64(600 + peopleRandom.below(7_200))) }
    schedule.add(.edit, at: next)
    let number = drawnEdits
    drawnEdits += 1
    guard !options.skippedEdits.contains(where: { $0.contains(number) }) else { return }
    // Each edit has randomness of its own: leaving one out does not change what the others want.
    let seed = options.seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    var random = SplitMix64(seed: seed, stream: "edit")
    let node = random.below(nodes.count)
    guard nodes[node].asleepUntil <= now, let engine = nodes[node].engine else { return }
    var workload = Workload(
      seed: random.next(), hasGroups: options.has(.groups), level: engine.settings.foldLevel)
    let edits = workload.transaction(on: engine.replica.thawed)
    guard !edits.isEmpty else { return }
    lastToken += 1
    feed(.edit(EditRequest(token: lastToken, edits: edits)), to: node)
  }

  mutating func edited(_ result: EditResult, at node: Int) {
    switch result {
    case .done(let receipt):
      ops += 1
      for dot in receipt.dots where !isKept(dot, by: node) {
        failures.append("node \(node) acknowledges an edit that is not on its disk")
      }
      promised += receipt.dots.map { Promise(node: node, dot: $0) }
    case .refused(.plan): break
    case .refused(.noSpace) where node == outsider: break
    case .refused where options.hasCopies: break
    case .refused(.notMember) where options.hasRemovals: break
    case .refused(.storage) where options.has(.diskErrors),
      .refused(.notOnDisk) where options.has(.diskErrors):
      break
    case .refused(let refusal): failures.append("node \(node): an edit is refused: \(refusal)")
    }
  }

  /// What viewers are told.
  mutating func changed(_ origin: Origin, at node: Int) {
    if case .snapshot = origin {
      nodes[node].hasJoinedSnapshot = true
      nodes[node].everJoinedSnapshot = true
    }
  }

  // MARK: Announcements

  /// Somebody announces itself: those who can hear it do, most of them twice.
  mutating func advertise(_ tag: DiscoveryTag?, by node: Int) {
    nodes[node].tag = tag
    guard options.has(.discovery), tag != nil else { return }
    announce(node)
  }

  /// Tells all others in reach of `node`.
  mutating func announce(_ node: Int) {
    guard let tag = nodes[node].tag else { return }
    for other in nodes.indices
    where other != node && network.carries(from: node, to: other) {
      schedule.add(
        .announced(at: other, nodes[node].endpoint, tag),
        at: now + network.latency() + .milliseconds(30))
    }
  }
}
