// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// The oracle itself: what must hold of the rules, whatever implements them.
@Suite struct NaiveReplicaTests {
  static func folded(_ entries: [RandomHistory.Entry], _ order: [Int]) -> NaiveReplica {
    var replica = NaiveReplica()
    for index in order { replica.add(entries[index].change, hash: entries[index].hash) }
    return replica
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `every order of delivery shows the same`(seed: UInt64) {
    let history = RandomHistory(seed: seed, authorCount: 4, steps: 60)
    var random = SplitMix64(seed: seed, stream: "orders")
    let first = Self.folded(history.entries, Array(history.entries.indices))
    for _ in 0..<3 {
      let other = Self.folded(history.entries, history.deliveryOrder(&random))
      #expect(other.statuses() == first.statuses())
      #expect(other.visibleChildren() == first.visibleChildren())
      #expect(other.losses().count == first.losses().count)
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `an item that nobody deleted, and none above it, is visible or recovered`(seed: UInt64) {
    let history = RandomHistory(seed: seed, authorCount: 3 + Int(seed % 3), steps: 90)
    let replica = Self.folded(history.entries, Array(history.entries.indices))
    let deaths = replica.writes.filter { $0.key.cell == .life }
      .flatMap { $0.value }.filter { $0.content == .alive(false) }
    for (item, status) in replica.statuses() where status == .hidden && replica.isAlive(item) {
      // Somebody who deleted something had seen, or made, the write that put the item there.
      let placed = replica.shown(item, .place)?.dot
      #expect(deaths.contains { $0.dot == placed || replica.hasSeen($0.dot, placed ?? $0.dot) })
    }
    #expect(!replica.statuses().values.contains(.unknown))
  }

  @Test func `histories are full of what makes merging hard`() {
    var victims = 0
    var recovered = 0
    var losses = 0
    var buried = 0
    for seed in 1...40 as ClosedRange<UInt64> {
      let history = RandomHistory(seed: seed, authorCount: 4, steps: 90)
      let replica = Self.folded(history.entries, Array(history.entries.indices))
      victims += replica.victims.count
      recovered += replica.statuses().values.count { $0 == .recovered }
      buried += replica.statuses().count { $0.value == .hidden && replica.isAlive($0.key) }
      losses += replica.losses().count
    }
    #expect(victims >= 10)
    #expect(recovered >= 20)
    #expect(buried >= 20)
    #expect(losses >= 100)
  }

  @Test func `every small history shows the same in every order of delivery`() {
    var count = 0
    SmallHistories.forEach(count: 3, acts: [.putAUnderB, .putBUnderA, .deleteA]) { history in
      count += 1
      let views = history.deliveryOrders().map { order in
        Self.folded(history.entries, order).statuses()
      }
      #expect(views.allSatisfy { $0 == views[0] })
    }
    // 19 ways to have heard of each other for three ops, three acts each.
    #expect(count == 19 * 27)
  }
}
