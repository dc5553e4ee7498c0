// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

@Suite struct UndoStepTests {
  private func step(_ cells: UndoCell...) -> UndoStep {
    UndoStep(dots: [], seen: VersionVector(), cells: cells)
  }

  @Test func `parts of one step keep the first old and the last new value of each cell`() {
    let (a, b) = (ItemID(nonce: 1, index: 0), ItemID(nonce: 2, index: 0))
    var whole = step(
      .set(a, .text, old: .int(1), new: .int(2)), .counted(a, .named("n"), by: 2),
      .life(b, alive: false))
    whole.append(
      step(
        .set(a, .text, old: .int(2), new: .int(3)), .counted(a, .named("n"), by: -2),
        .life(b, alive: true), .created(nonce: 9, first: 0, count: 2),
        .set(ItemID(nonce: 9, index: 1), .text, old: .int(5), new: .int(6))))
    #expect(
      whole.cells == [
        .set(a, .text, old: .int(1), new: .int(3)), .created(nonce: 9, first: 0, count: 2),
      ])
    whole.append(step(.set(a, .text, old: .int(3), new: .int(1))))
    #expect(whole.cells == [.created(nonce: 9, first: 0, count: 2)])
  }

  @Test func `a field and the counter of its name are taken back both`() {
    let a = ItemID(nonce: 1, index: 0)
    var whole = step(.set(a, .named("n"), old: .int(1), new: .int(2)), .life(a, alive: false))
    whole.append(step(.counted(a, .named("n"), by: 2), .life(a, alive: false)))
    whole.append(step(.counted(a, .named("n"), by: 3)))
    #expect(
      whole.cells == [
        .set(a, .named("n"), old: .int(1), new: .int(2)), .life(a, alive: false),
        .counted(a, .named("n"), by: 5),
      ])
  }

  @Test func `an op of a later version is nothing that could be taken back`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let ops: [Op] = [
      .unknown(kind: 60, payload: [1]), .set(item: list, field: .note, value: .int(3), h: nil),
    ]
    #expect(
      writer.replica.undoCells(of: ops, nonce: 9) == [.set(list, .note, old: nil, new: .int(3))])
  }

  @Test func `what comes out of Recovered stands in the step in the order of ids`() throws {
    var (one, two) = (Writer(1), Writer(2))
    let list = try one.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let top = try one.write([.create([row("top")], parent: list, at: .bottom)])[0]
    two.pull(one)
    try one.write([.setAlive(top, false)])
    let lost = try two.write([.create([row("b"), row("a")], parent: top, at: .bottom)])
    try two.write([.move([lost[0]], parent: top, at: .bottom)])
    one.pull(two)
    #expect(one.replica.recoveredItems == lost)
    let ops: [Op] = [.life(item: top, alive: true, h: nil)]
    #expect(
      one.replica.undoCells(of: ops, nonce: 9)
        == [.life(top, alive: true), .unlost(lost[0]), .unlost(lost[1])])
  }

  @Test func `items go back to the very keys they had, also when the keys are taken`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let items = try writer.write([
      .create([row("a"), row("b"), row("c")], parent: list, at: .bottom)
    ])
    let spots = items.compactMap { writer.replica.spot(of: $0) }
    try writer.write([.move([items[0], items[1]], parent: list, at: .bottom)])
    #expect(writer.texts(list) == ["c", "a", "b"])
    try writer.write([.place(items[0], spots[0]), .place(items[1], spots[0])])
    // Equal keys stand in the order of the ids.
    #expect(writer.texts(list) == ["a", "b", "c"])
    #expect(items.prefix(2).allSatisfy { writer.replica.spot(of: $0) == spots[0] })
    // Between two equal keys there is no room; the item lands behind them, and nothing traps.
    try writer.write([.create([row("d")], parent: list, at: .after(items[0]))])
    #expect(Set(writer.texts(list)) == ["a", "b", "c", "d"])
    #expect(writer.texts(list).first == "a")
  }

  @Test func `going back never closes a cycle`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let items = try writer.write([.create([row("a"), row("b")], parent: list, at: .bottom)])
    let (a, b) = (items[0], items[1])
    try writer.write([.move([a], parent: b, at: .bottom)])
    let under = try #require(writer.replica.spot(of: a))
    let first = try #require(writer.replica.spot(of: b))
    try writer.write([.move([a], parent: list, at: .top)])
    #expect(throws: EditError.insideItself(b)) {
      try writer.write([.place(b, Spot(parent: b, key: first.key))])
    }
    // One after the other they are two changes: the second sees what the first did.
    #expect(throws: EditError.self) {
      try writer.write([.place(a, under), .place(b, Spot(parent: a, key: first.key))])
    }
    #expect(writer.replica.recoveredItems.isEmpty)
  }

  @Test func `writers of an item are all of its cells' and counters'`() throws {
    var (a, b) = (Writer(1), Writer(2))
    let list = try a.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    b.pull(a)
    try b.write([.increment(list, .named("n"), by: 3)])
    a.pull(b)
    let devices = Set(a.replica.writers(of: list).map(\.device))
    #expect(devices.count == 2)
    #expect(a.replica.writers(of: ItemID(nonce: 99, index: 0)).isEmpty)
  }
}
