// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import ListService

@Suite struct UndoTests {
  private func groceries() throws -> Desk {
    var desk = Desk()
    try desk.run(
      .newList(
        NewList(
          name: "groceries",
          columns: [
            try Column(parsing: "name:text!"), try Column(parsing: "qty:int"),
            try Column(parsing: "store:text=corner"),
            try Column(parsing: "stock:counter"),
          ])))
    try desk.run(.add(AddItems(items: ["milk", "eggs", "tea"].map { NewItem(text: $0) })))
    return desk
  }

  private func set(_ item: String, _ column: String, _ input: CellInput) -> ItemOp {
    .edit(EditItems(items: [.word(item)], cells: [CellWrite(column: column, input: input)]))
  }

  private func cells(_ desk: Desk, _ row: Int) throws -> [Value?] {
    try desk.reader.page(ItemsQuery(show: .all)).rows[row].cells
  }

  @Test func `every kind of command goes back and comes again`() throws {
    let commands: [ItemOp] = [
      .add(AddItems(items: [NewItem(text: "jam"), NewItem(text: "nuts")])),
      set("milk", "qty", .text("7")), set("milk", "store", .text("market")),
      set("eggs", "stock", .increment("4")),
      .edit(EditItems(items: [.word("tea")], text: "green tea", note: "loose")),
      .tick(TickItems(items: [.word("milk"), .word("eggs")])),
      .move(MoveItems(items: [.word("tea")], place: .top)),
      .move(MoveItems(items: [.word("milk"), .word("eggs")], place: .under(.word("tea")))),
      .remove(nil, [.word("eggs"), .word("tea")]), .newList(NewList(name: "other")),
    ]
    func state(_ desk: Desk) throws -> [String] {
      var out: [String] = []
      for list in desk.replica.children(of: .root) {
        let name = desk.resolver.title(of: list)
        let query = ItemsQuery(list: ListSelector(path: [name]), show: .all, shape: .tree)
        out +=
          try desk.reader.page(query).rows.map {
            // A note that was cleared shows as no note, a counter that was counted back as none.
            let note = desk.replica.value(of: $0.id, .note) ?? .null
            return "\(name) \($0.text.string) \($0.depth) \($0.isDone) \(note) "
              + $0.cells.map { "\($0 == .int(0) ? .null : $0 ?? .null)" }.joined(separator: ",")
          } + [name]
      }
      return out
    }
    for command in commands {
      var desk = try groceries()
      try desk.run(set("milk", "qty", .text("2")))
      let before = try state(desk)
      try desk.run(command)
      let after = try state(desk)
      #expect(before != after, "\(command)")
      for _ in 0..<3 {
        #expect(try desk.undo().stays.isEmpty)
        #expect(try state(desk) == before, "\(command)")
        #expect(try desk.undo(isRedo: true).stays.isEmpty)
        #expect(try state(desk) == after, "\(command)")
      }
    }
  }

  @Test func `several commands go back one by one, to the start`() throws {
    var desk = try groceries()
    for number in 1...4 { try desk.run(set("milk", "qty", .text("\(number)"))) }
    for number in [3, 2, 1] {
      #expect(try desk.undo().stays.isEmpty)
      #expect(try cells(desk, 0)[0] == .int(Int64(number)))
    }
    #expect(try desk.undo().stays.isEmpty)
    #expect(try desk.undo().stays.isEmpty)
    #expect(try desk.texts("groceries").isEmpty)
    #expect(try desk.undo().stays.isEmpty)
    #expect(desk.replica.children(of: .root).isEmpty)
    #expect(desk.undoLog.newest("", isUndo: false, isForced: true) == nil)
  }

  @Test func `what another device changed since stays, and is named; force does it`() throws {
    var (mine, theirs) = (try groceries(), Desk(2))
    try mine.run(.tick(TickItems(items: [.word("milk"), .word("eggs")])))
    theirs.pull(mine)
    try theirs.run(.tick(TickItems(items: [.word("milk")], isDone: false)))
    mine.pull(theirs)
    let plan = try mine.undo()
    #expect(plan.stays.count == 1)
    #expect(plan.stays.map(mine.reader.stay).map(\.by) == ["den"])
    #expect(plan.stays.map(mine.reader.stay).map(\.text.string) == ["milk"])
    #expect(try mine.reader.page(ItemsQuery(show: .all)).rows.allSatisfy { !$0.isDone })
    // What stayed no longer stands in the way of older commands.
    #expect(mine.undoLog.newest("", isUndo: false, isForced: false)?.step.cells.count == 1)
    #expect(mine.undoLog.newest("", isUndo: false, isForced: true)?.hasStayed == true)
  }

  @Test func `an added item that others wrote in stays, the rest goes`() throws {
    var (mine, theirs) = (try groceries(), Desk(2))
    theirs.pull(mine)
    try theirs.run(
      .edit(
        EditItems(
          items: [.word("eggs")], cells: [CellWrite(column: "stock", input: .increment("1"))])))
    try theirs.run(.add(AddItems(items: [NewItem(text: "leaf")], place: .under(.word("tea")))))
    mine.pull(theirs)
    #expect(try mine.undo().stays.count == 2)
    #expect(try mine.texts("groceries") == ["eggs", "tea"])
    let forced = try mine.undo(isForced: true)
    #expect(forced.stays.isEmpty)
    #expect(try mine.texts("groceries").isEmpty)
  }

  @Test func `a counter goes back by the own amount, whatever others counted`() throws {
    var (mine, theirs) = (try groceries(), Desk(2))
    try mine.run(set("milk", "stock", .increment("5")))
    theirs.pull(mine)
    try theirs.run(set("milk", "stock", .increment("2")))
    mine.pull(theirs)
    #expect(try mine.undo().stays.isEmpty)
    #expect(try cells(mine, 0)[2] == .int(2))
  }

  @Test func `another device's command is never the last one here`() throws {
    var (mine, theirs) = (try groceries(), Desk(2))
    theirs.pull(mine)
    try theirs.run(.remove(nil, [.word("milk")]))
    mine.pull(theirs)
    #expect(theirs.undoLog.entries.count == 1)
    #expect(try mine.undo().stays.isEmpty)
    #expect(mine.replica.deadItems.count == 3)
  }

  @Test func `a move whose old list is gone stays`() throws {
    var desk = try groceries()
    try desk.run(.newList(NewList(name: "later")))
    let here = ListSelector(path: ["groceries"])
    try desk.run(
      .move(
        MoveItems(
          list: here, items: [.word("milk")], place: .bottom, to: ListSelector(path: ["later"]))))
    let list = try desk.resolver.list(here)
    try desk.write([.setAlive(list, false)])
    let plan = try desk.undo()
    #expect(plan.edits.isEmpty && plan.stays.map(\.reason) == [.placeGone])
    #expect(try desk.texts("later") == ["milk"])
  }

  @Test func `what was set aside stays, and the rest of the step goes back`() throws {
    var desk = try groceries()
    let gone = ItemID(nonce: 77, index: 0)
    let milk = try desk.resolver.list(ListSelector(path: ["groceries"]))
    let cells: [UndoCell] = [
      .counted(gone, .named("stock"), by: 2), .set(gone, .note, old: nil, new: .text("x")),
      .placed(gone, old: nil, new: Spot(parent: milk, key: PositionKey(bytes: []))),
      .life(gone, alive: false),
    ]
    let dot = Dot(session: SessionID(high: 9, low: 9), seq: 1)
    desk.note(UndoStep(dots: [dot], seen: desk.replica.vector, cells: cells))
    let plan = try desk.undo()
    #expect(plan.edits.isEmpty && plan.stays.map(\.reason) == [.gone, .gone, .gone, .gone])
    // The next one takes back what came before.
    #expect(try desk.undo().stays.isEmpty)
    #expect(try !desk.undo().edits.isEmpty)
  }

  @Test func `an import is one step`() throws {
    var desk = try groceries()
    let rows = (0..<500).map { "row \($0)" }.joined(separator: "\n")
    _ = try desk.importing(
      ImportRequest(list: ListSelector(path: ["big"]), format: .lines, bytes: Array(rows.utf8)))
    #expect(try desk.texts("big").count == 500)
    let plan = try desk.undo()
    // The list goes, and with it all that is in it.
    #expect(plan.edits.count == 1)
    #expect(desk.replica.children(of: .root).count == 1)
    #expect(try desk.undo(isRedo: true).stays.isEmpty)
    #expect(try desk.texts("big").count == 500)
  }

  @Test func `many moved items go back in one change`() throws {
    var desk = try groceries()
    try desk.run(.add(AddItems(items: (0..<300).map { NewItem(text: "row \($0)") })))
    let before = try desk.texts("groceries")
    try desk.run(.newList(NewList(name: "later")))
    let items = try desk.reader.page(
      ItemsQuery(list: ListSelector(path: ["groceries"]), show: .all))
    try desk.run(
      .move(
        MoveItems(
          items: items.rows.map { .id($0.id) }, place: .bottom,
          to: ListSelector(path: ["later"]))))
    let tip = try #require(desk.replica.vector.tips.first)
    #expect(try desk.undo().stays.isEmpty)
    #expect(try desk.texts("groceries") == before)
    #expect(try #require(desk.replica.vector.tips.first).seq == tip.seq + 1)
  }

  // MARK: The log

  private func entry(_ number: UInt64, _ source: String, isUndo: Bool = false) -> UndoLog.Entry {
    let dot = Dot(session: SessionID(high: 1, low: 1), seq: number)
    return UndoLog.Entry(
      number: number, source: source, name: EventFeed.transaction(dot), at: 0, isUndo: isUndo,
      step: UndoStep(
        dots: [dot], seen: VersionVector(),
        cells: [.counted(ItemID(nonce: number, index: 0), .named("n"), by: 1)]))
  }

  @Test func `a terminal takes back its own commands, others the last of the machine`() {
    var log = UndoLog()
    for (number, source) in [(1, "tty-1"), (2, "tty-2"), (3, ""), (4, "tty-2")] {
      #expect(log.add(entry(UInt64(number), source)).isEmpty)
    }
    func newest(_ source: String) -> UInt64? {
      log.newest(source, isUndo: false, isForced: false)?.number
    }
    #expect(newest("tty-1") == 1)
    #expect(newest("tty-2") == 4)
    #expect(newest("tty-9") == 4)
    #expect(newest("") == 4)
    log.setUnderWay(4, true)
    #expect(newest("tty-2") == 2)
    #expect(newest("") == 3)
  }

  @Test func `the log is bounded, the oldest go`() {
    var log = UndoLog()
    var gone: [UInt64] = []
    for number in 1...UInt64(UndoLog.stepsMax) + 3 {
      gone += log.add(entry(number, "")).map(\.number)
    }
    #expect(gone == [1, 2, 3])
    #expect(log.entries.count == UndoLog.stepsMax)
    #expect(log.named("t-00000000-5")?.number == 5)
    #expect(log.nextNumber() == UInt64(UndoLog.stepsMax) + 4)
  }
}
