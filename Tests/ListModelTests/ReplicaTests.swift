// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

@Suite struct ReplicaTests {
  /// A writer with one list of `texts`, and the ids of list and rows.
  private func listed(_ texts: [String]) throws -> (Writer, ItemID, [ItemID]) {
    var writer = Writer(1)
    let list = try writer.write([.create([row("groceries")], parent: .root, at: .bottom)])[0]
    let items = try writer.write([.create(texts.map(row), parent: list, at: .bottom)])
    return (writer, list, items)
  }

  @Test func `rows of one command stand in the order given`() throws {
    let (writer, list, items) = try listed(["milk", "eggs", "tea"])
    #expect(writer.texts(list) == ["milk", "eggs", "tea"])
    #expect(items.map { writer.replica.index(of: $0) } == [0, 1, 2])
    #expect(writer.replica.child(of: list, at: 1) == items[1])
    writer.replica.checkInvariants()
  }

  @Test func `a thousand rows are split into changes and stay one run`() throws {
    let texts = (0..<5000).map { "row \($0) with some text in it" }
    let (writer, list, _) = try listed(texts)
    #expect(writer.held.count > 2)
    #expect(writer.texts(list) == texts)
    writer.replica.checkInvariants()
  }

  @Test func `a rank counts the list without the moved rows`() throws {
    var (writer, list, items) = try listed(["a", "b", "c", "d"])
    try writer.write([.move([items[0]], parent: list, at: .rank(2))])
    #expect(writer.texts(list) == ["b", "c", "a", "d"])
    try writer.write([.move([items[2], items[3]], parent: list, at: .rank(0))])
    #expect(writer.texts(list) == ["c", "d", "b", "a"])
  }

  @Test func `of two concurrent moves one copy stays and the edit is kept`() throws {
    var (one, list, items) = try listed(["a", "b", "c"])
    var two = Writer(2)
    two.pull(one)
    try one.write([.move([items[1]], parent: list, at: .top)])
    try two.write([
      .move([items[1]], parent: list, at: .bottom), .set(items[1], .text, .text("B")),
    ])
    one.pull(two)
    two.pull(one)
    #expect(one.texts(list) == two.texts(list))
    #expect(one.texts(list).filter { $0 == "B" }.count == 1)
    #expect(one.replica.vector == two.replica.vector)
    let journals = [one, two].map { writer in
      writer.events.filter { if case .overridden = $0.kind { true } else { false } }.count
    }
    #expect(journals == [1, 1])
  }

  @Test func `a delete hides the children and an undelete shows them again`() throws {
    var (writer, list, items) = try listed(["party"])
    let children = try writer.write([.create([row("balloons")], parent: items[0], at: .bottom)])
    try writer.write([.setAlive(items[0], false)])
    #expect(writer.replica.status(of: children[0]) == .hidden)
    #expect(writer.replica.childCount(of: list) == 0)
    try writer.write([.setAlive(items[0], true)])
    #expect(writer.replica.status(of: children[0]) == .visible)
    #expect(writer.texts(list) == ["party"])
  }

  @Test func `a child added during the delete of its parent shows in Recovered`() throws {
    var (one, _, items) = try listed(["party"])
    var two = Writer(2)
    two.pull(one)
    try one.write([.setAlive(items[0], false)])
    let child = try two.write([.create([row("cake")], parent: items[0], at: .bottom)])[0]
    one.pull(two)
    two.pull(one)
    #expect(one.replica.recoveredItems == [child])
    #expect(two.replica.recoveredItems == [child])
  }

  @Test func `the newer of two moves that make a cycle loses`() throws {
    var (one, list, items) = try listed(["a", "b"])
    var two = Writer(2)
    two.pull(one)
    try one.write([.move([items[0]], parent: items[1], at: .bottom)])
    two.wall = WallTime(milliseconds: two.wall.milliseconds + 1000)
    try two.write([.move([items[1]], parent: items[0], at: .bottom)])
    one.pull(two)
    two.pull(one)
    for writer in [one, two] {
      writer.replica.checkInvariants()
      #expect(writer.replica.recoveredItems == [items[1]])
      #expect(writer.replica.parent(of: items[0]) == items[1])
      #expect(writer.replica.childCount(of: list) == 0)
    }
    try one.write([.move([items[1]], parent: list, at: .bottom)])
    #expect(one.replica.recoveredItems == [])
    one.replica.checkInvariants()
  }

  @Test func `both sides' counts add up`() throws {
    var (one, _, items) = try listed(["screws"])
    var two = Writer(2)
    two.pull(one)
    try one.write([.increment(items[0], .named("stock"), by: 5)])
    try two.write([.increment(items[0], .named("stock"), by: -2)])
    one.pull(two)
    two.pull(one)
    #expect(one.replica.counterTotal(of: items[0], .named("stock")) == 3)
    #expect(two.replica.counterTotal(of: items[0], .named("stock")) == 3)
  }

  @Test func `a write beats what its author saw, whatever its clock says`() throws {
    var (one, _, items) = try listed(["a"])
    one.wall = WallTime(milliseconds: 4_000_000_000_000)
    try one.write([.set(items[0], .text, .text("future"))])
    var two = Writer(2)
    two.wall = WallTime(milliseconds: 0)
    two.pull(one)
    try two.write([.set(items[0], .text, .text("now"))])
    one.pull(two)
    #expect(one.replica.value(of: items[0], .text) == .text("now"))
    #expect(two.clock.value >> 16 < 4_000_000_000_000)
  }

  @Test func `rows for several parents share one change`() throws {
    var (writer, list, items) = try listed(["a", "b"])
    let before = writer.held.count
    try writer.write([
      .create([row("a1"), row("a2")], parent: items[0], at: .bottom),
      .create([row("b1")], parent: items[1], at: .top),
      .create([row("c")], parent: list, at: .after(items[0])),
      .setAlive(items[1], false),
    ])
    #expect(writer.held.count == before + 1)
    #expect(writer.texts(items[0]) == ["a1", "a2"])
    #expect(writer.texts(items[1]) == ["b1"])
    #expect(writer.texts(list) == ["a", "c"])
    writer.replica.checkInvariants()
  }

  @Test func `rows and their children come in one change, under a nonce chosen before`() throws {
    let replica = Replica()
    let parent = ItemID(nonce: 77, index: 0)
    let edits: [Edit] = [
      .create([row("list")], parent: .root, at: .bottom),
      .create([row("a"), row("b")], parent: parent, at: .bottom),
      .create([row("a1")], parent: ItemID(nonce: 77, index: 1), at: .bottom),
      .create([row("later")], parent: parent, at: .bottom),
    ]
    let plan = try replica.plan(edits, writer: WriterTag(9), h: 1 << 40, nonce: 77)
    #expect(plan.ops.count == 3)
    #expect(plan.created == (0..<4).map { ItemID(nonce: 77, index: $0) })
    #expect(plan.remaining == [edits[3]])
  }

  @Test func `a second change for one list waits for the first`() throws {
    var (writer, list, items) = try listed(["a", "b", "c"])
    let before = writer.held.count
    try writer.write([
      .move([items[2]], parent: list, at: .top), .move([items[0]], parent: items[1], at: .top),
      .create([row("d")], parent: list, at: .after(items[2])),
    ])
    #expect(writer.held.count == before + 3)
    #expect(writer.texts(list) == ["c", "d", "b"])
  }

  @Test func `a move into itself is refused`() throws {
    var (writer, _, items) = try listed(["a"])
    let child = try writer.write([.create([row("b")], parent: items[0], at: .bottom)])[0]
    #expect(throws: EditError.insideItself(items[0])) {
      try writer.write([.move([items[0]], parent: child, at: .bottom)])
    }
  }

  @Test func `an image read back shows the same and has the same fingerprint`() throws {
    var (one, list, items) = try listed((0..<2500).map { "row \($0)" })
    try one.write([.setAlive(items[7], false), .increment(items[8], .named("n"), by: 4)])
    try one.write([.move([items[9]], parent: list, at: .top)])
    one.restart()
    try one.write([.set(items[10], .done, .bool(true))])
    let chunks = (0..<one.replica.chunkCount).map(one.replica.chunk(at:))
    var copy = try Replica(header: one.replica.header(), chunks: chunks)
    copy.checkInvariants()
    #expect(copy.dirtyChunks == [])
    #expect(copy.vector == one.replica.vector)
    #expect(copy.children(of: list) == one.replica.children(of: list))
    #expect(copy.fingerprint(sha256: toyHash) == one.replica.fingerprint(sha256: toyHash))
    #expect((0..<copy.chunkCount).map(copy.chunk(at:)) == chunks)
  }

  @Test func `a snapshot joins what both sides did apart`() throws {
    var (one, list, items) = try listed(["a", "b"])
    var two = Writer(2)
    two.pull(one)
    try one.write([.set(items[0], .text, .text("one"))])
    try two.write([
      .set(items[0], .text, .text("two")), .create([row("c")], parent: list, at: .top),
    ])
    let chunks = (0..<two.replica.chunkCount).map(two.replica.chunk(at:))
    var joined = one
    try joined.replica.join(two.replica.header(), chunks, events: &joined.events)
    one.pull(two)
    joined.replica.checkInvariants()
    #expect(joined.texts(list) == one.texts(list))
    #expect(joined.replica.vector == one.replica.vector)
    #expect(
      joined.replica.fingerprint(sha256: toyHash) == one.replica.fingerprint(sha256: toyHash))
  }

  private func toyHash(_ bytes: [UInt8]) -> (UInt64, UInt64) {
    var high: UInt64 = 0xCBF2_9CE4_8422_2325
    var low: UInt64 = 0x8422_2325_CBF2_9CE4
    for byte in bytes {
      high = (high ^ UInt64(byte)) &* 0x100_0000_01B3
      low = (low &+ UInt64(byte)) &* 0x9E37_79B9_7F4A_7C15
      low ^= low >> 29
    }
    return (high, low)
  }
}
