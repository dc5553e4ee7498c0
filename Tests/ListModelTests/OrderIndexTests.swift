// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Testing
import Workbench

@testable import ListModel

@Suite struct OrderIndexTests {
  /// One list, and what it must show: members in order, each with whether it is dead.
  private struct Listed {
    var items = ItemTable()
    var order = OrderIndex()
    var members: [UInt32] = []
    let parent: UInt32

    init() { parent = items.ordinalMaking(ItemID(nonce: 1, index: 0)) }

    mutating func insert(_ number: Int, isDead: Bool) {
      let item = items.ordinalMaking(ItemID(nonce: 2, index: UInt32(number)))
      items.setKey(item, PositionKey(bytes: [UInt8(number >> 8), UInt8(number & 255)]))
      items[item].isDead = isDead
      order.insert(item, under: parent, shown: !isDead, items)
      members.append(item)
    }

    mutating func sort() { members.sort { items.precedes($0, $1) } }

    mutating func remove(at place: Int) {
      let item = members.remove(at: place)
      order.remove(item, shown: !items[item].isDead)
    }

    func check() {
      order.check(items)
      let shown = members.filter { !items[$0].isDead }
      #expect(order.shownCount(parent) == shown.count)
      #expect(shown.indices.allSatisfy { order.shownChild(parent, at: $0, items) == shown[$0] })
      #expect(order.shownChild(parent, at: shown.count, items) == nil)
      #expect(order.shownChild(parent, at: -1, items) == nil)
      #expect(order.first(parent) == members.first && order.last(parent) == members.last)
      var before = 0
      for (at, member) in members.enumerated() {
        #expect(order.shownIndex(member, items) == before)
        #expect(order.neighbour(of: member, step: -1) == (at == 0 ? nil : members[at - 1]))
        let next = at + 1 < members.count ? members[at + 1] : nil
        #expect(order.neighbour(of: member, step: 1) == next)
        #expect(order.firstBeyond(items.key(member), parent, items) == next)
        if !items[member].isDead { before += 1 }
      }
    }
  }

  @Test func `every question has the answer of a plain array, in a list of many chunks`() {
    var random = SplitMix64(seed: 3, stream: "order")
    var numbers = Array(0..<1_400)
    for at in numbers.indices { numbers.swapAt(at, random.below(numbers.count)) }
    var list = Listed()
    for number in numbers { list.insert(number, isDead: random.chance(30)) }
    list.sort()
    list.check()
    // A whole chunk goes, and others get holes.
    for _ in 0..<700 { list.remove(at: 300) }
    for _ in 0..<200 { list.remove(at: random.below(list.members.count)) }
    list.check()
    while !list.members.isEmpty { list.remove(at: 0) }
    list.check()
  }

  @Test
  func `an item in no list has no neighbours and no number, a parent without one no children`() {
    var list = Listed()
    list.insert(5, isDead: false)
    let stranger = list.items.ordinalMaking(ItemID(nonce: 3, index: 3))
    #expect(!list.order.contains(stranger))
    #expect(list.order.neighbour(of: stranger, step: 1) == nil)
    #expect(list.order.shownIndex(stranger, list.items) == nil)
    #expect(list.order.firstBeyond(PositionKey(bytes: []), stranger, list.items) == nil)
    #expect(list.order.first(stranger) == nil && list.order.shownCount(stranger) == 0)
    // Nothing comes of telling it that such an item shows, or goes.
    list.order.setShown(stranger, true)
    list.order.remove(stranger, shown: true)
    list.check()
  }
}
