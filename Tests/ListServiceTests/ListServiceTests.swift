// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import ListService

@Suite struct TransactionPlannerTests {
  private func groceries() throws -> Desk {
    var desk = Desk()
    try desk.run(
      .newList(
        NewList(
          name: "groceries",
          columns: [
            try Column(parsing: "qty:int"), try Column(parsing: "price:num"),
            try Column(parsing: "stock:counter"),
          ])))
    try desk.run(
      .add(
        AddItems(items: [
          NewItem(text: "milk", cells: [CellWrite(column: "qty", input: .text("2"))]),
          NewItem(text: "eggs"), NewItem(text: "tea"),
        ])))
    return desk
  }

  private func problem(_ body: () throws -> Void) -> Problem.Kind? {
    do {
      try body()
      return nil
    } catch { return (error as? Problem)?.kind }
  }

  @Test func `several items are added in order, with typed columns`() throws {
    let desk = try groceries()
    #expect(try desk.texts("groceries") == ["milk", "eggs", "tea"])
    let page = try desk.reader.page(ItemsQuery())
    #expect(page.columns.map(\.name) == ["qty", "price", "stock"])
    #expect(page.rows[0].cells == [.int(2), nil, nil])
  }

  @Test func `items are found by number, handle, text and prefix`() throws {
    var desk = try groceries()
    #expect(problem { try desk.run(.tick(TickItems(items: [.number(1)]))) } == .noView)
    desk.shown = try desk.reader.page(ItemsQuery()).rows.map(\.id)
    let handle = desk.handles.handle(of: desk.shown![1])
    try desk.run(.tick(TickItems(items: [.number(1), .word(handle), .word("te")])))
    #expect(try desk.reader.page(ItemsQuery()).rows.isEmpty)
    #expect(try desk.reader.page(ItemsQuery(show: .done)).rows.count == 3)
    #expect(problem { try desk.run(.tick(TickItems(items: [.number(9)]))) } == .unknownItem)
  }

  @Test func `a nested item is found by its text where the list has none of its own`() throws {
    var desk = try groceries()
    let nested = AddItems(
      items: [NewItem(text: "plums"), NewItem(text: "tea")], place: .under(.word("eggs")))
    try desk.run(.add(nested))
    let list = try desk.resolver.list(nil)
    let plums = try desk.resolver.item(.word("plum"), in: nil)
    #expect(desk.replica.parent(of: plums) != list)
    #expect(desk.replica.parent(of: try desk.resolver.item(.word("tea"), in: nil)) == list)
  }

  @Test func `a list is found by name, by handle and by id, and the name goes first`() throws {
    var desk = try groceries()
    let list = try desk.resolver.list(nil)
    for name in ["groceries", "gro", desk.handles.handle(of: list), list.hex] {
      #expect(try desk.resolver.list(ListSelector(path: [name])) == list, "\(name)")
    }
    #expect(problem { _ = try desk.resolver.list(ListSelector(path: [ItemID.root.hex])) } != nil)
    try desk.run(.newList(NewList(name: list.hex)))
    #expect(try desk.resolver.list(ListSelector(path: [list.hex])) != list)
  }

  @Test func `a wrong column or value changes nothing`() throws {
    var desk = try groceries()
    let before = desk.replica.vector
    let cases: [(CellWrite, Problem.Kind)] = [
      (CellWrite(column: "pric", input: .text("1")), .unknownColumn),
      (CellWrite(column: "qty", input: .text("lots")), .invalidValue),
      (CellWrite(column: "stock", input: .text("3")), .invalidValue),
    ]
    for (cell, kind) in cases {
      #expect(
        problem {
          try desk.run(.add(AddItems(items: [NewItem(text: "jam", cells: [cell])])))
        } == kind)
      #expect(
        problem {
          try desk.run(.edit(EditItems(items: [.word("milk")], cells: [cell])))
        } == kind)
    }
    for text in ["", "  ", "a\u{0}b", String(repeating: "x", count: 20_000)] {
      #expect(problem { try desk.run(.add(AddItems(items: [NewItem(text: text)]))) } != nil)
    }
    #expect(desk.replica.vector == before)
  }

  @Test func `counters count up, also on a new item`() throws {
    var desk = try groceries()
    try desk.run(
      .add(
        AddItems(items: [
          NewItem(text: "jam", cells: [CellWrite(column: "stock", input: .increment("4"))])
        ])))
    try desk.run(
      .edit(
        EditItems(
          items: [.word("jam")], cells: [CellWrite(column: "stock", input: .increment("-1"))])))
    let row = try #require(try desk.reader.page(ItemsQuery()).rows.last)
    #expect(row.cells[2] == .int(3))
  }

  @Test func `numbers add up as decimals`() throws {
    var desk = try groceries()
    for amount in ["1.20", "0.05"] {
      try desk.run(
        .edit(
          EditItems(
            items: [.word("milk")], cells: [CellWrite(column: "price", input: .increment(amount))]))
      )
    }
    #expect(
      try desk.reader.page(ItemsQuery()).rows[0].cells[1] == .decimal(mantissa: 125, scale: 2))
  }

  @Test func `moves go where they are told`() throws {
    var desk = try groceries()
    try desk.run(.move(MoveItems(items: [.word("tea")], place: .position(1))))
    #expect(try desk.texts("groceries") == ["tea", "milk", "eggs"])
    try desk.run(.move(MoveItems(items: [.word("tea")], place: .down(1))))
    #expect(try desk.texts("groceries") == ["milk", "tea", "eggs"])
    try desk.run(
      .move(MoveItems(items: [.word("eggs"), .word("milk")], place: .before(.word("tea")))))
    #expect(try desk.texts("groceries") == ["eggs", "milk", "tea"])
    try desk.run(.move(MoveItems(items: [.word("milk")], place: .under(.word("tea")))))
    #expect(try desk.texts("groceries") == ["eggs", "tea"])
    #expect(
      problem {
        try desk.run(
          .move(
            MoveItems(
              list: ListSelector(path: ["groceries"]), items: [.word("tea")],
              place: .under(.word("tea")))))
      } == .conflict)
    try desk.run(
      .move(
        MoveItems(
          list: ListSelector(path: ["groceries", "tea"]), items: [.word("milk")], place: .out)))
    #expect(try desk.texts("groceries") == ["eggs", "tea", "milk"])
  }

  @Test func `what is done already is success`() throws {
    var desk = try groceries()
    try desk.run(.tick(TickItems(items: [.word("milk")])))
    let again = try desk.run(.tick(TickItems(items: [.word("milk")])))
    #expect(again.touched.isEmpty && again.unchanged.count == 1)
  }

  @Test func `a view is filtered and sorted without moving anything`() throws {
    var desk = try groceries()
    try desk.run(
      .edit(EditItems(items: [.word("tea")], cells: [CellWrite(column: "qty", input: .text("9"))])))
    let query = ItemsQuery(
      filters: [try Filter(parsing: "qty>1")], sort: [SortKey(parsing: "-qty")])
    #expect(try desk.reader.page(query).rows.map(\.text.string) == ["tea", "milk"])
    #expect(try desk.texts("groceries") == ["milk", "eggs", "tea"])
  }

  @Test func `what has no value comes last in both directions`() throws {
    let desk = try groceries()
    func sorted(_ key: String) throws -> [String] {
      try desk.reader.page(ItemsQuery(sort: [SortKey(parsing: key)], limit: 1)).rows.map(
        \.text.string)
    }
    #expect(try sorted("qty") == ["milk"])
    #expect(try sorted("-qty") == ["milk"])
  }

  @Test func `a condition that its column cannot have is refused even where no cell has a value`()
    throws
  {
    let desk = try groceries()
    for text in ["qty>x", "price=x", "stock<x"] {
      let query = ItemsQuery(filters: [try Filter(parsing: text)])
      let problem = #expect(throws: Problem.self) { try desk.reader.page(query) }
      #expect(problem?.kind == .invalidValue)
      #expect(problem?.title.contains("\"x\"") ?? false)
      #expect(problem?.detail?.contains("number") ?? false)
    }
    #expect(try desk.reader.page(ItemsQuery(filters: [Filter(parsing: "price=")])).rows.count == 3)
    #expect(try desk.reader.page(ItemsQuery(filters: [Filter(parsing: "qty~x")])).rows.isEmpty)
  }

  @Test func `the heading of the text sorts and filters where no column is called so`() throws {
    let desk = try groceries()
    let query = ItemsQuery(
      filters: [try Filter(parsing: "item!=eggs")], sort: [SortKey(parsing: "-item")])
    #expect(try desk.reader.page(query).rows.map(\.text.string) == ["tea", "milk"])
  }

  @Test func `what is open under a ticked item is counted, and shown with what is above it`() throws
  {
    var desk = try groceries()
    for (text, parent) in [("oat", "milk"), ("soy", "milk"), ("deep", "soy"), ("green", "tea")] {
      try desk.run(.add(AddItems(items: [NewItem(text: text)], place: .under(.word(parent)))))
    }
    let done = ["milk", "soy", "tea", "green"].map { ItemSelector.word($0) }
    try desk.run(.tick(TickItems(items: done)))
    func shown(_ query: ItemsQuery) throws -> [String] {
      try desk.reader.page(query).rows.map { ($0.isContext ? "+" : "") + $0.text.string }
    }
    let page = try desk.reader.page(ItemsQuery())
    let row = try #require(desk.reader.lists().first)
    #expect((page.openCount, page.doneCount) == (3, 4))
    #expect((row.itemCount - row.doneCount, row.doneCount) == (3, 4))
    #expect(try shown(ItemsQuery()) == ["+milk", "eggs"])
    #expect(try shown(ItemsQuery(shape: .tree)) == ["+milk", "oat", "+soy", "deep", "eggs"])
    #expect(try shown(ItemsQuery(words: ["deep"], shape: .tree)) == ["+milk", "+soy", "deep"])
    try desk.run(.tick(TickItems(items: ["milk", "soy"].map { .word($0) }, isDone: false)))
    #expect(try shown(ItemsQuery(words: ["deep"], shape: .tree)) == ["+milk", "+soy", "deep"])
    try desk.run(.tick(TickItems(items: ["milk", "soy"].map { .word($0) })))
    #expect(try shown(ItemsQuery(shape: .tree, limit: 1)) == ["+milk", "oat"])
    #expect(try shown(ItemsQuery(show: .done)) == ["milk", "tea"])
  }

  @Test func `of two items with one text the open one is ticked, the ticked one opened`() throws {
    var desk = try groceries()
    try desk.run(.add(AddItems(items: [NewItem(text: "milk", isDone: true)])))
    let ids = desk.replica.children(of: try desk.resolver.list(nil))
    let first = try desk.run(.tick(TickItems(items: [.word("milk")], isDone: false)))
    #expect(first.touched.map(\.id) == [ids[3]])
    #expect(problem { try desk.run(.tick(TickItems(items: [.word("milk")]))) } == .ambiguous)
    try desk.run(.tick(TickItems(items: [.id(ids[3])])))
    let second = try desk.run(.tick(TickItems(items: [.word("milk")])))
    #expect(second.touched.map(\.id) == [ids[0]])
    #expect(problem { try desk.run(.remove(nil, [.word("milk")])) } == .ambiguous)
  }

  @Test func `a move beyond the end, or to another list, is told`() throws {
    var desk = try groceries()
    func move(_ place: PlaceSelector, to list: String? = nil) throws -> TransactionResult {
      let from = ListSelector(path: ["groceries"])
      let to = list.map { ListSelector(path: [$0]) }
      return try desk.run(
        .move(MoveItems(list: from, items: [.word("milk")], place: place, to: to)))
    }
    #expect(try move(.position(3)).notes.isEmpty)
    #expect(try move(.position(77)).notes == ["there is no place 77: it ends at 3"])
    let made = try desk.run(.newList(NewList(name: "two", columns: [Column(name: "words")])))
    #expect(made.notes == ["columns of two: words (text)"])
    let rota = [Column(name: "who", type: .person), Column(name: "job")]
    #expect(
      try desk.run(.newList(NewList(name: "rota", columns: rota))).notes == [
        "columns of rota: who (person), job (text)",
        "job, the first text column, is the text of its items",
      ])
    let moved = try move(.bottom, to: "two")
    #expect(moved.hasChangedList && moved.list?.name == "two")
  }

  @Test func `what is done is counted where only open items are found`() throws {
    var desk = try groceries()
    try desk.run(.tick(TickItems(items: [.word("milk")])))
    let found = desk.reader.find(FindQuery(words: ["milk"], show: .open, limit: 9))
    #expect((found.count, found.doneCount) == (0, 1))
  }

  @Test func `an edit is told with old and new value`() throws {
    var desk = try groceries()
    let plan = try TransactionPlanner(desk.resolver, freshNonce: 5).plan(
      Transaction([
        .edit(
          EditItems(items: [.word("milk")], cells: [CellWrite(column: "qty", input: .text("3"))]))
      ]))
    let cursor = desk.feed.cursor
    let events = try desk.write(plan.edits).events
    #expect(events.count == 1)
    #expect(events[0].detail == .set(column: "qty", old: .int(2), new: .int(3)))
    #expect(desk.feed.events(since: cursor) == events)
    #expect(desk.feed.events(since: "c-3") == nil)
  }
}

@Suite struct ImportPlannerTests {
  private let csv = Array(
    "Symbol,Security,Price,Added\nMMM,\"3M, Inc\",101.5,1957-03-04\nAOS,Smith,7,2017-07-26\n".utf8)

  @Test func `a table makes a list with typed columns`() throws {
    var desk = Desk()
    let request = ImportRequest(list: ListSelector(path: ["sp"]), format: .csv, bytes: csv)
    let report = try desk.importing(request)
    #expect(report.createdCount == 2)
    let page = try desk.reader.page(ItemsQuery())
    #expect(page.title == "Symbol")
    #expect(page.columns.map(\.type) == [.text, .num, .date])
    #expect(page.rows.map(\.text.string) == ["MMM", "AOS"])
    #expect(page.rows[0].cells[0] == .text("3M, Inc"))
  }

  @Test func `a second import by key changes only what differs`() throws {
    var desk = Desk()
    var request = ImportRequest(list: ListSelector(path: ["sp"]), format: .csv, bytes: csv)
    _ = try desk.importing(request)
    request.key = "Symbol"
    var report = try desk.importing(request)
    #expect((report.createdCount, report.updatedCount, report.unchangedCount) == (0, 0, 2))
    request.bytes = Array("Symbol,Price\nMMM,102\nNEW,1\n".utf8)
    request.removesMissing = true
    report = try desk.importing(request)
    #expect((report.createdCount, report.updatedCount, report.removedCount) == (1, 1, 1))
    #expect(try desk.texts("sp") == ["MMM", "NEW"])
  }

  private func imported(_ desk: inout Desk, _ text: String) throws -> ImportReport {
    try desk.importing(
      ImportRequest(list: ListSelector(path: ["t"]), format: .csv, bytes: Array(text.utf8)))
  }

  @Test func `semicolons and tabs are found, and told`() throws {
    for (separator, word) in [(";", "semicolons"), ("\t", "tabs")] {
      var desk = Desk()
      let text = "name,qty\nmilk,2\n".split(separator: ",").joined(separator: separator)
      let report = try imported(&desk, text)
      #expect(report.newColumns.map(\.name) == ["name", "qty"])
      #expect(report.notes == ["read with \(word) between fields: the header has no comma"])
    }
  }

  @Test func `a column that would be written otherwise stays text, and says how to convert it`()
    throws
  {
    var desk = Desk()
    let report = try imported(&desk, "name,price,plain\nmilk,1.20,1.5\neggs,2.50,2\n")
    #expect(report.newColumns.map(\.type) == [.text, .text, .num])
    #expect(
      report.notes == [
        "price stays text, as \"1.20\" would be written 1.2;"
          + " to convert it: hedge cols @t retype price num"
      ])
  }

  @Test func `decimal commas are told, for such a column stays text`() throws {
    var desk = Desk()
    let report = try imported(&desk, "name;price\nmilk;1,20\neggs;3\n")
    #expect(report.newColumns.map(\.type) == [.text, .text])
    #expect(
      report.notes.last
        == "price stays text, as numbers have a point here, not \"1,20\"; "
        + "write points before the import to have numbers")
    var other = Desk()
    #expect(try imported(&other, "name;place\nmilk;a,b\n").notes.count == 1)
  }

  @Test func `a box is ticked as people tick it`() throws {
    var desk = Desk()
    let boxes = ["x", "X", "✓", "yes", "1", "true", "", "no", "0", "false", "-"]
    _ = try imported(&desk, "text,done\n" + boxes.map { "row,\($0)\n" }.joined())
    let rows = try desk.reader.page(ItemsQuery(show: .all)).rows
    #expect(rows.map(\.isDone) == boxes.indices.map { $0 < 6 })
  }

  @Test func `an import that doubles rows says so`() throws {
    var desk = Desk()
    let text = "name,qty\nmilk,2\neggs,3\n"
    #expect(try imported(&desk, text).notes.isEmpty)
    let notes = ["2 rows have texts that were there already; --key name updates rows instead"]
    #expect(try imported(&desk, text).notes == notes)
    #expect(try imported(&desk, "name\ntea\n").notes.isEmpty)
  }

  @Test func `bad rows are skipped with their line`() throws {
    var desk = Desk()
    try desk.run(.newList(NewList(name: "w", columns: [try Column(parsing: "bars:int")])))
    let report = try desk.importing(
      ImportRequest(
        list: ListSelector(path: ["w"]), format: .csv,
        bytes: Array("text,bars\nok,1\nbad,lots\n,3\n".utf8)))
    #expect(report.createdCount == 1)
    #expect(report.skips.map(\.line) == [3, 4])
  }

  @Test func `lines keep their order and boxes`() throws {
    var desk = Desk()
    let report = try desk.importing(
      ImportRequest(
        list: ListSelector(path: ["todo"]), format: .lines, bytes: Array("- a\n[x] b\n".utf8)))
    #expect(report.createdCount == 2)
    #expect(try desk.texts("todo") == ["a", "b"])
    #expect(try desk.reader.page(ItemsQuery(show: .done)).rows.count == 1)
  }

  @Test func `malformed files change nothing`() throws {
    var desk = Desk()
    for (format, text) in [(FileFormat.csv, "a,b\n1\n"), (.csv, ""), (.json, "{}"), (.json, "[")] {
      #expect(throws: Problem.self) {
        try desk.importing(
          ImportRequest(list: ListSelector(path: ["x"]), format: format, bytes: Array(text.utf8)))
      }
    }
    #expect(desk.replica.itemCount == 0)
  }
}
