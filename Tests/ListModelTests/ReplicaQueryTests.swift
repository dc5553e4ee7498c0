// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// What is answered to questions about what is not there, and about what is large.
@Suite struct ReplicaQueryTests {
  @Test func `of an item that nobody made nothing is known`() {
    let (replica, item, session) = (Replica(), ItemID(nonce: 3, index: 3), SessionID.zero)
    #expect(replica.childCount(of: item) == 0 && replica.children(of: item) == [])
    #expect(replica.child(of: item, at: 0) == nil && replica.deadChildren(of: item) == [])
    #expect(replica.parent(of: item) == nil && replica.position(of: item) == nil)
    #expect(replica.index(of: item) == nil && replica.index(of: .root) == nil)
    #expect(replica.fields(of: item) == [] && replica.lastWritten(of: item) == nil)
    #expect(replica.value(of: item, .text) == nil && replica.written(of: item, .text) == nil)
    #expect(replica.stamp(of: item, .text) == nil && replica.revision(ofList: item) == 0)
    #expect(replica.status(of: item) == .unknown && replica.status(of: .root) == .visible)
    #expect(replica.events(to: replica, of: [item]) == [])
    let tip = Tip(session: session, seq: 4, hash: ChangeHash(1, 1, 1, 1))
    #expect(replica.tip(of: session) == nil && !replica.holds(tip) && !replica.isForked(session))
    #expect(replica.session(ofLine: session) == session)
    #expect(replica.comparableStart(of: session) == 0 && replica.branchStart(session) == nil)
    #expect(replica.hashStart(of: session, at: 1) == nil && replica.continuation(of: tip) == nil)
    #expect(replica.reading(of: session, point: 0) == nil)
    #expect(replica.trailReading(of: session, point: 0) == nil)
    #expect(!replica.contains(tip.dot, replica.coverage(of: VersionVector(tips: [tip]))))
  }

  @Test func `an item that is only named as a parent has no place of its own`() throws {
    let (child, parent) = (ItemID(nonce: 5, index: 0), ItemID(nonce: 6, index: 0))
    let key = PositionGenerator.between(nil, nil, tag: WriterTag(1)) { _ in nil }
    var (replica, events) = (Replica(), [] as [ReplicaEvent])
    let change = Change(
      session: SessionID(high: 1, low: 1), seq: 1,
      head: SessionHead(device: DeviceID(1, 1, 1, 1), salt: 1, predecessor: nil), prev: .zero,
      h: 1 << 20, seen: [], nonce: 5, group: nil,
      ops: [.create(firstIndex: 0, count: 1, parent: parent, firstKey: key, columns: [])])
    #expect(replica.fold(change, hash: ChangeHash(1, 1, 1, 1), events: &events) == .folded)
    #expect(replica.parent(of: parent) == nil && replica.parent(of: child) == parent)
    #expect(replica.status(of: parent) == .unknown && replica.recoveredItems == [child])
  }

  @Test func `rows go between any two of a list of many chunks`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    var order = try writer.write([
      .create((0..<1_300).map { _ in NewRow([]) }, parent: list, at: .bottom)
    ])
    for at in [0, 1, 510, 511, 512, 513, 1_022, 1_023, 1_024, 1_025, order.count - 1] {
      let behind = try writer.write([.create([row("x")], parent: list, at: .after(order[at]))])
      order.insert(behind[0], at: at + 1)
      let before = try writer.write([.create([row("y")], parent: list, at: .before(order[at]))])
      order.insert(before[0], at: at)
    }
    #expect(writer.replica.children(of: list) == order)
    #expect(order.indices.allSatisfy { writer.replica.index(of: order[$0]) == $0 })
    writer.replica.checkInvariants()
  }

  @Test func `between equal keys a row lands behind them, also in a list of many chunks`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let items = try writer.write([
      .create((0..<1_300).map { _ in NewRow([]) }, parent: list, at: .bottom)
    ])
    for (one, two) in [(600, 601), (1_298, 1_299)] {
      let spot = try #require(writer.replica.spot(of: items[one]))
      try writer.write([.place(items[two], spot)])
      let made = try writer.write([.create([row("x")], parent: list, at: .after(items[one]))])
      let at = try #require(writer.replica.index(of: made[0]))
      #expect(writer.replica.children(of: list)[at - 2..<at] == [items[one], items[two]])
    }
    writer.replica.checkInvariants()
  }

  @Test func `texts that are written over leave room, and the others stay`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let items = try writer.write([
      .create([row("a"), row("b"), row("c")], parent: list, at: .bottom)
    ])
    try writer.write([.set(items[1], .note, .bytes([1, 2, 3])), .set(items[2], .note, .ref(list))])
    for number in 0..<200 {
      let text = String(repeating: "\(number % 10)", count: Limits.valueBytesMax)
      try writer.write([.set(items[0], .note, .text(text))])
    }
    let last = String(repeating: "9", count: Limits.valueBytesMax)
    #expect(writer.replica.value(of: items[0], .note) == .text(last))
    #expect(writer.replica.value(of: items[1], .note) == .bytes([1, 2, 3]))
    #expect(writer.replica.value(of: items[2], .note) == .ref(list))
    #expect(writer.texts(list) == ["a", "b", "c"])
  }

  @Test func `an op of a later version keeps its kind whatever version reads it`() {
    var change = Change(
      session: .zero, seq: 1, head: nil, prev: .zero, h: 1, seen: [], nonce: 1, group: nil, ops: [])
    change.ops = [
      .unknown(kind: 60, payload: [1]), .add(item: .root, field: .text, delta: 1),
    ]
    #expect(change.read(at: FoldLevel(kinds: [1, 2])).ops.map(\.kind) == [60, 6])
  }

  @Test func `what cells held at the floor is counted, counters too`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    try writer.write([.increment(list, .named("n"), by: 1)])
    for (change, hash) in writer.held { _ = writer.replica.passFloor(change, hash: hash) }
    #expect(writer.replica.floorCellCount == 0)
    try writer.write([.increment(list, .named("n"), by: 1), .set(list, .text, .null)])
    #expect(writer.replica.floorCellCount == 2)
    let (change, hash) = writer.held[0]
    let hasMoved = writer.replica.passFloor(change, hash: hash)
    #expect(!hasMoved, "not twice")
  }
}
