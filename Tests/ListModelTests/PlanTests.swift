// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

/// What one change takes of a transaction, what waits for the next, and what is refused.
@Suite struct PlanTests {
  private let big = NewRow([(.text, .text(String(repeating: "x", count: Limits.valueBytesMax)))])

  private func listed(_ texts: [String]) throws -> (Writer, ItemID, [ItemID]) {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let items = try writer.write([.create(texts.map(row), parent: list, at: .bottom)])
    return (writer, list, items)
  }

  private func fill(_ item: ItemID, _ other: ItemID) -> [Edit] {
    [item, other].map { .set($0, .note, big.cells[0].value) }
  }

  @Test func `edits of nothing are done at once and take no change`() throws {
    let (writer, list, items) = try listed(["a"])
    let edits: [Edit] = [
      .create([], parent: list, at: .bottom), .move([], parent: list, at: .top),
      .recreate(first: ItemID(nonce: 9, index: 0), [], parent: list, at: .top),
      .set(items[0], .done, .bool(true)),
    ]
    let plan = try writer.replica.plan(edits, writer: writer.tag, h: 1 << 60, nonce: 99)
    #expect(plan.ops.count == 1 && plan.rest.isEmpty)
    // They choose no nonce either: what follows them would be numbered from 0 under it.
    #expect(edits[2].ownNonce == nil)
  }

  @Test func `what a full change cannot take goes into the next one, whole`() throws {
    var (writer, list, items) = try listed((0..<1_000).map(String.init))
    let before = writer.held.count
    try writer.write(fill(items[0], items[1]) + [.create([big], parent: list, at: .top)])
    #expect(writer.held.count == before + 2)
    let edits = fill(items[0], items[1]) + [.create([big], parent: list, at: .top)]
    let plan = try writer.replica.plan(edits, writer: writer.tag, h: 1 << 60, nonce: 99)
    #expect(plan.remaining == [.create([big], parent: list, at: .top)])
    #expect(plan.remaining != [.create([row("x")], parent: list, at: .top)])
    try writer.write(fill(items[0], items[1]) + [.move(items.reversed(), parent: list, at: .top)])
    #expect(writer.held.count == before + 4)
    #expect(writer.replica.children(of: list).prefix(1_000) == items.reversed()[...])
    try writer.write([
      .set(items[0], .done, .bool(true)),
      .recreate(first: ItemID(nonce: 900, index: 4), [big, big, big], parent: list, at: .bottom),
    ])
    #expect(writer.held.count == before + 7)
    let made = (4..<7).map { ItemID(nonce: 900, index: $0) }
    #expect(writer.replica.children(of: list).suffix(3) == made[...])
  }

  @Test func `a block that is too long for one change stays one block`() throws {
    var writer = Writer(1)
    let lists = try writer.write([.create([row("a"), row("b")], parent: .root, at: .bottom)])
    let items = try writer.write([
      .create((0..<3_000).map { _ in NewRow([]) }, parent: lists[0], at: .bottom)
    ])
    let other = try writer.write([.create([row("x"), row("y")], parent: lists[1], at: .bottom)])
    let before = writer.held.count
    try writer.write([.move(items, parent: lists[1], at: .after(other[0]))])
    #expect(writer.held.count == before + 2)
    #expect(writer.replica.children(of: lists[1]) == [other[0]] + items + [other[1]])
    // And the first of them goes back by a rank that counts none of those that come.
    try writer.write([.move([items[0]], parent: lists[0], at: .rank(0))])
    #expect(writer.replica.children(of: lists[0]) == [items[0]])
  }

  @Test func `what an earlier edit of the change moves waits for the next`() throws {
    var (writer, list, items) = try listed(["a", "b", "c"])
    let spot = try #require(writer.replica.spot(of: items[0]))
    try writer.write([.move([items[0]], parent: list, at: .bottom)])
    let before = writer.held.count
    try writer.write([.move([items[1]], parent: list, at: .bottom), .place(items[0], spot)])
    #expect(writer.held.count == before + 2)
    #expect(writer.texts(list) == ["a", "c", "b"])
    let made = ItemID(nonce: 99, index: 0)
    let edits: [Edit] = [
      .create([row("d")], parent: list, at: .top),
      .place(items[2], Spot(parent: made, key: spot.key)),
    ]
    let plan = try writer.replica.plan(edits, writer: writer.tag, h: 1 << 60, nonce: 99)
    #expect(plan.ops.count == 1 && plan.remaining == [edits[1]])
    // Going back to Recovered is a place like any other.
    try writer.write([.place(items[2], Spot(parent: .recovered, key: spot.key))])
    #expect(writer.replica.recoveredItems == [items[2]])
  }

  @Test func `who deletes an item of a cut cycle leaves the other one in Recovered`() throws {
    var (one, list, items) = try listed(["a", "b"])
    var two = Writer(2)
    two.pull(one)
    try one.write([.move([items[0]], parent: items[1], at: .bottom)])
    two.wall = WallTime(milliseconds: two.wall.milliseconds + 1_000)
    try two.write([.move([items[1]], parent: items[0], at: .bottom)])
    one.pull(two)
    two.pull(one)
    #expect(one.replica.recoveredItems == [items[1]])
    var moved = one
    try one.write([.setAlive(items[0], false)])
    two.pull(one)
    for writer in [one, two] {
      #expect(writer.replica.recoveredItems == [items[1]])
      #expect(writer.replica.status(of: items[0]) == .hidden)
      writer.replica.checkInvariants()
    }
    // Nothing keeps the same transaction from taking it out of there.
    try moved.write([
      .setAlive(items[0], false), .move([items[1]], parent: list, at: .bottom),
    ])
    #expect(moved.texts(list) == ["b"] && moved.replica.recoveredItems == [])
  }

  @Test func `what cannot be done is refused, and says why`() throws {
    var (writer, list, items) = try listed(["a", "b"])
    let other = try writer.write([.create([row("other")], parent: .root, at: .bottom)])[0]
    let unknown = ItemID(nonce: 4, index: 4)
    let long = Value.bytes(Array(repeating: 0, count: Limits.valueBytesMax + 1))
    let name = FieldName.named(String(repeating: "n", count: Limits.fieldNameBytesMax + 1))
    let refused: [(Edit, EditError)] = [
      (.set(unknown, .text, .null), .noSuchItem(unknown)),
      (.set(.root, .text, .null), .noSuchItem(.root)),
      (.create([row("x")], parent: .recovered, at: .top), .noSuchItem(.recovered)),
      (.create([row("x")], parent: other, at: .after(items[0])), .notAChild(items[0], of: other)),
      (.set(items[0], .text, long), .limit), (.set(items[0], name, .null), .limit),
      (.create([NewRow([(.text, long)])], parent: list, at: .top), .limit),
      (.create([NewRow([(name, .null)])], parent: list, at: .top), .limit),
      (.increment(items[0], .named(""), by: 1), .limit),
      (.move([items[0], items[0]], parent: list, at: .top), .limit),
      (.place(items[0], Spot(parent: list, key: PositionKey(bytes: [0x80]))), .limit),
      (.recreate(first: ItemID(nonce: 0, index: 7), [row("x")], parent: list, at: .top), .limit),
      (
        .recreate(first: ItemID(nonce: 8, index: .max - 1), [row("x")], parent: list, at: .top),
        .limit
      ),
    ]
    let before = writer.replica.vector
    for (edit, error) in refused {
      #expect(throws: error, "\(edit)") { try writer.write([edit]) }
    }
    #expect(writer.replica.vector == before)
  }

  @Test func `a cell at the end of the clock takes no further write`() throws {
    var (writer, _, items) = try listed(["a"])
    let liar = Change(
      session: SessionID(high: 9, low: 9), seq: 1,
      head: SessionHead(device: DeviceID(9, 9, 9, 9), salt: 9, predecessor: nil), prev: .zero,
      h: Limits.clockEnd - 1, seen: [], nonce: 77, group: nil,
      ops: [.set(item: items[0], field: .text, value: .text("mine"), h: nil)])
    writer.take(liar, ChangeHash(9, 9, 9, 9))
    #expect(throws: EditError.clockEnd(items[0])) {
      try writer.write([.set(items[0], .text, .text("yours"))])
    }
    try writer.write([.set(items[0], .note, .text("yours"))])
  }

  @Test func `values of every type are written as they are`() throws {
    var (writer, _, items) = try listed(["a"])
    let values: [Value] = [
      .null, .bool(true), .int(-4), .decimal(mantissa: 15, scale: 1), .time(5), .text("t"),
      .bytes([1, 2]), .date(9), .ref(items[0]), .opaque(tag: 90, [3]),
    ]
    for value in values {
      try writer.write([.set(items[0], .named("v"), value)])
      #expect(writer.replica.value(of: items[0], .named("v")) == value)
    }
  }

  @Test func `what an edit names is what must be in the columns for it`() {
    let (a, b, c) = (
      ItemID(nonce: 5, index: 0), ItemID(nonce: 6, index: 0), ItemID(nonce: 7, index: 3)
    )
    let rows = [row("x"), row("y")]
    #expect(Edit.create(rows, parent: a, at: .before(b)).named == [a, b])
    #expect(
      Edit.recreate(first: c, rows[...], parent: a, at: .after(b)).named
        == [c, ItemID(nonce: 7, index: 4), a, b])
    #expect(Edit.move([b, c], parent: a, at: .rank(1)).named == [b, c, a])
    #expect(Edit.place(a, Spot(parent: b, key: PositionKey(bytes: []))).named == [a, b])
    #expect(Edit.setAlive(a, true).named == [a])
    // Equal edits are one edit.
    let edits = [rows, rows, rows.reversed()].map { Edit.create($0, parent: a, at: .top) }
    #expect(Set(edits).count == 2 && edits[0] == edits[1] && edits[0] != edits[2])
  }
}
