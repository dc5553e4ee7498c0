// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import ListService

@Suite struct ListVerbTests {
  private let list = ListSelector(path: ["stock"])

  private func stock() throws -> Desk {
    var desk = Desk()
    try desk.run(
      .newList(
        NewList(
          name: "stock",
          columns: [
            try Column(parsing: "name:text!"), try Column(parsing: "qty:text"),
            try Column(parsing: "n:counter"),
          ])))
    for (name, qty) in [("milk", "2"), ("eggs", "lots"), ("tea", "1.5")] {
      try desk.run(
        .add(
          AddItems(items: [
            NewItem(text: name, cells: [CellWrite(column: "qty", input: .text(qty))])
          ])))
    }
    return desk
  }

  private func columns(_ desk: Desk) throws -> [String] {
    desk.resolver.schema(under: try desk.resolver.list(list)).columns.map {
      "\($0.name):\($0.spec)"
    }
  }

  private func cells(_ desk: Desk, _ row: Int) throws -> [Value?] {
    try desk.reader.page(ItemsQuery(list: list)).rows[row].cells
  }

  private func problem(_ body: () throws -> Void) -> Problem.Kind? {
    do {
      try body()
      return nil
    } catch { return (error as? Problem)?.kind }
  }

  @Test func `a dry run tells what would be made and claims no place or id for it`() throws {
    let desk = try stock()
    let add = try desk.trying(
      .add(AddItems(list: list, items: [NewItem(text: "oat"), NewItem(text: "rye")])))
    #expect(add.touched.map(\.text.string) == ["oat", "rye"])
    #expect(add.touched.allSatisfy { $0.id == nil && $0.handle.isEmpty && $0.verb == .add })
    #expect(add.list?.name == "stock")
    let made = try desk.trying(.newList(NewList(name: "zzz")))
    #expect(made.touched.map(\.text.string) == ["zzz"])
    #expect(made.touched.first?.verb == .new)
    let move = try desk.trying(
      .move(MoveItems(list: list, items: [.word("milk")], place: .position(3))))
    #expect(move.touched.map(\.text.string) == ["milk"])
    #expect(move.touched.first?.position == nil)
  }

  @Test func `items of several levels are one step, told in their order`() throws {
    var desk = try stock()
    let items = [("oat", 0), ("soy", 1), ("rye", 0), ("milk", 0), ("skim", 1)].map {
      NewItem(
        text: $0.0, cells: [CellWrite(column: "n", input: .increment("2"))], depth: $0.1)
    }
    #expect(
      try desk.trying(.add(AddItems(list: list, items: items))).touched.map(\.text.string)
        == ["oat", "soy", "rye", "milk", "skim"])
    let result = try desk.run(
      .add(AddItems(list: list, items: items, place: .top, onlyNew: true)))
    #expect(result.touched.map(\.text.string) == ["oat", "soy", "rye", "skim"])
    #expect(result.unchanged.map(\.text.string) == ["milk"])
    #expect(try desk.texts("stock") == ["oat", "rye", "milk", "eggs", "tea"])
    let milk = try desk.resolver.item(.word("milk"), in: list)
    #expect(desk.replica.children(of: milk).map(desk.resolver.title) == ["skim"])
    let soy = try desk.resolver.item(.word("soy"), in: list)
    #expect(desk.replica.counterTotal(of: soy, .named("n")) == 2)
    _ = try desk.undo()
    #expect(try desk.texts("stock") == ["milk", "eggs", "tea"])
    let many = (0..<4000).map { NewItem(text: "a rather long text \($0)", depth: $0 % 2) }
    #expect(problem { try desk.run(.add(AddItems(list: list, items: many))) } == .tooLarge)
  }

  @Test func `clear removes what is done and has nothing open under it`() throws {
    var desk = try stock()
    try desk.run(.add(AddItems(items: [NewItem(text: "oat")], place: .under(.word("milk")))))
    try desk.run(
      .add(AddItems(items: [NewItem(text: "green", isDone: true)], place: .under(.word("tea")))))
    try desk.run(.tick(TickItems(list: list, items: ["milk", "eggs", "tea"].map { .word($0) })))
    let result = try desk.run(.clear(list))
    // Under tea all is done and goes with it; under milk something is open.
    #expect(result.touched.map(\.text.string) == ["eggs", "tea"])
    #expect(try desk.texts("stock") == ["milk"])
    #expect(try desk.run(.clear(nil)).touched.isEmpty)
    #expect(try desk.undo().stays.isEmpty)
    #expect(try desk.texts("stock") == ["milk", "eggs", "tea"])
  }

  @Test func `a list is renamed and dropped, and both go back`() throws {
    var desk = try stock()
    try desk.run(.newList(NewList(name: "other")))
    #expect(problem { try desk.run(.rename(list, to: "other")) } == .nameTaken)
    #expect(problem { try desk.run(.rename(list, to: "a/b")) } == .invalidName)
    try desk.run(.rename(list, to: "pantry"))
    #expect(try desk.texts("pantry").count == 3)
    #expect(try desk.run(.rename(ListSelector(path: ["pantry"]), to: "pantry")).touched.isEmpty)
    #expect(try desk.undo().stays.isEmpty)
    #expect(problem { try desk.run(.drop(list, name: "stok")) } == .declined)
    #expect(try desk.run(.drop(list, name: "stock")).touched.first?.hiddenCount == 3)
    #expect(desk.replica.children(of: .root).count == 1)
    try desk.run(.restore(nil, [.word("stock")]))
    #expect(try desk.texts("stock") == ["milk", "eggs", "tea"])
  }

  @Test func `a renamed column keeps its values, also those written meanwhile`() throws {
    var (mine, theirs) = (try stock(), Desk(2))
    theirs.pull(mine)
    try mine.run(.columns(list, .rename("qty", to: "amount")))
    try theirs.run(
      .edit(
        EditItems(items: [.word("milk")], cells: [CellWrite(column: "qty", input: .text("9"))])))
    mine.pull(theirs)
    theirs.pull(mine)
    for desk in [mine, theirs] {
      #expect(try columns(desk) == ["name:text!", "amount:text", "n:counter"])
      #expect(try cells(desk, 0)[0] == .text("9"))
    }
    #expect(
      problem {
        try mine.run(
          .edit(
            EditItems(
              items: [.word("milk")], cells: [CellWrite(column: "qty", input: .text("1"))])))
      } == .unknownColumn)
    // Events and details speak of the column by its name of now.
    let plan = try TransactionPlanner(mine.resolver, freshNonce: 5).plan(
      Transaction([
        .edit(
          EditItems(items: [.word("milk")], cells: [CellWrite(column: "amount", input: .text("3"))])
        )
      ]))
    #expect(
      try mine.write(plan.edits).events.first?.detail
        == .set(column: "amount", old: .text("9"), new: .text("3")))
    #expect(try mine.reader.detail(list, .word("milk")).fields.map(\.name).contains("amount"))
    // A new column of the old name does not see the old values.
    try mine.run(.columns(list, .add([try Column(parsing: "qty:int")])))
    #expect(try cells(mine, 0) == [.text("3"), nil, nil])
    #expect(problem { try mine.run(.columns(list, .rename("qty", to: "amount"))) } == .nameTaken)
  }

  @Test func `the title stays the title whatever is done to columns`() throws {
    var desk = Desk()
    try desk.run(.newList(NewList(name: "stock", columns: [try Column(parsing: "n:int")])))
    try desk.run(.add(AddItems(items: [NewItem(text: "milk")])))
    try desk.run(.columns(list, .add([try Column(parsing: "shop:text")])))
    let page = try desk.reader.page(ItemsQuery(list: list))
    #expect(page.title == "item" && page.columns.map(\.name) == ["n", "shop"])
    var other = try stock()
    #expect(problem { try other.run(.columns(list, .drop("name"))) } == .conflict)
    #expect(
      problem {
        try other.run(.columns(list, .retype("name", to: try Column(parsing: "name:int"))))
      } == .conflict)
    try other.run(.columns(list, .order(["qty", "name"])))
    #expect(try columns(other).first == "qty:text")
    #expect(try other.reader.page(ItemsQuery(list: list)).title == "name")
    try other.run(.columns(list, .rename("name", to: "what")))
    #expect(try other.reader.page(ItemsQuery(list: list)).title == "what")
    #expect(try other.texts("stock") == ["milk", "eggs", "tea"])
  }

  @Test func `a dropped column comes back with its values by undo`() throws {
    var desk = try stock()
    try desk.run(.columns(list, .drop("qty")))
    #expect(try columns(desk) == ["name:text!", "n:counter"])
    #expect(try desk.undo().stays.isEmpty)
    #expect(try columns(desk) == ["name:text!", "qty:text", "n:counter"])
    #expect(try cells(desk, 0)[0] == .text("2"))
    #expect(problem { try desk.run(.columns(list, .drop("no"))) } == .unknownColumn)
  }

  @Test func `a new type converts what fits and names the rest`() throws {
    var desk = try stock()
    let change = ItemOp.columns(list, .retype("qty", to: try Column(parsing: "qty:num!")))
    let plan = try TransactionPlanner(desk.resolver, freshNonce: 1).plan(Transaction([change]))
    #expect(plan.rejects.count == 1)
    let result = try desk.run(change)
    #expect(result.rejects.map(\.item.text.string) == ["eggs"])
    #expect(try columns(desk)[1] == "qty:num!")
    let values = try (0..<3).map { try cells(desk, $0)[0] }
    #expect(
      values == [.int(2), .text("lots"), .decimal(mantissa: 15, scale: 1)]
        || values == [
          .decimal(mantissa: 2, scale: 0), .text("lots"), .decimal(mantissa: 15, scale: 1),
        ])
    #expect(
      problem {
        try desk.run(.columns(list, .retype("n", to: try Column(parsing: "n:int"))))
      } == .conflict)
    #expect(try desk.undo().stays.isEmpty)
    #expect(try cells(desk, 2)[0] == .text("1.5"))
    #expect(try columns(desk)[1] == "qty:text")
  }

  @Test func `find looks in all lists, at text, note and columns`() throws {
    var desk = try stock()
    try desk.run(.newList(NewList(name: "trips")))
    let trips = ListSelector(path: ["trips"])
    try desk.run(.add(AddItems(list: trips, items: [NewItem(text: "Rome", note: "take tea")])))
    try desk.run(
      .add(AddItems(list: trips, items: [NewItem(text: "Tea house")], place: .under(.word("Rome"))))
    )
    let found = desk.reader.find(FindQuery(words: ["TEA"]))
    #expect(found.rows.map(\.row.text.string) == ["tea", "Rome", "Tea house"])
    #expect(found.rows.last?.path == ["Rome"] && found.rows.last?.list.name == "trips")
    #expect(desk.reader.find(FindQuery(words: ["lots"])).rows.map(\.row.text.string) == ["eggs"])
    #expect(desk.reader.find(FindQuery(words: ["tea"], limit: 1)).count == 3)
    try desk.run(.tick(TickItems(list: list, items: [.word("tea")])))
    #expect(desk.reader.find(FindQuery(words: ["tea"])).count == 2)
    #expect(desk.reader.find(FindQuery(words: ["tea"], show: .done)).count == 1)
  }

  @Test func `a list that is used or preset is meant where none is named`() throws {
    var desk = try stock()
    try desk.run(.newList(NewList(name: "trips")))
    let trips = try desk.resolver.list(ListSelector(path: ["trips"]))
    func resolver(_ used: ItemID?, _ preset: String?) -> Resolver {
      Resolver(replica: desk.replica, handles: desk.handles, shown: nil, used: used, preset: preset)
    }
    #expect(problem { _ = try resolver(nil, nil).list(nil) } == .noList)
    #expect(try resolver(trips, "stock").list(nil) == trips)
    #expect(try resolver(nil, "@trips").list(nil) == trips)
    try desk.run(.drop(ListSelector(path: ["trips"]), name: nil))
    #expect(try resolver(trips, "stock").list(nil) != trips)
  }
}
