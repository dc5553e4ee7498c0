// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import ListService

@Suite struct ClientIdTests {
  private let nonce: UInt64 = 0xFEED_0000_0000_0001

  private func id(_ index: UInt32, _ nonce: UInt64? = nil) -> ItemID {
    ItemID(nonce: nonce ?? self.nonce, index: index)
  }

  private func add(_ rows: (String, ItemID?)..., onlyNew: Bool = false) -> ItemOp {
    .add(
      AddItems(
        list: ListSelector(path: ["gro"]), items: rows.map { NewItem(text: $0.0, id: $0.1) },
        onlyNew: onlyNew))
  }

  private func desk() throws -> Desk {
    var desk = Desk()
    try desk.run(.newList(NewList(name: "gro", columns: [try Column(parsing: "n:counter")])))
    return desk
  }

  private func refusal(_ desk: Desk, _ ops: ItemOp...) -> Problem.Kind? {
    do throws(Problem) {
      _ = try TransactionPlanner(desk.resolver, freshNonce: 1).plan(Transaction(ops))
      return nil
    } catch { return error.kind }
  }

  @Test func `every row has the id that was chosen for it, and a repeat makes nothing`() throws {
    var desk = try desk()
    let rows = add(("milk", id(0)), ("eggs", id(1)), ("tea", id(2)))
    for _ in 0..<2 {
      try desk.run(rows)
      #expect(try desk.reader.page(ItemsQuery()).rows.map(\.id) == [id(0), id(1), id(2)])
      #expect(try desk.texts("gro") == ["milk", "eggs", "tea"])
    }
    try desk.run(.remove(ListSelector(path: ["gro"]), [.id(id(1))]))
    try desk.run(rows)
    #expect(try desk.texts("gro") == ["milk", "tea"])
  }

  @Test func `rows behind a first one with an id are not made again by a repeat`() throws {
    var desk = try desk()
    for _ in 0..<2 { try desk.run(add(("milk", id(0)), ("eggs", nil))) }
    #expect(try desk.texts("gro") == ["milk", "eggs"])
  }

  @Test func `several operations of one transaction share the nonce`() throws {
    var desk = try desk()
    try desk.run(.newList(NewList(name: "other")))
    let ops = [
      add(("milk", id(0))),
      .add(
        AddItems(
          list: ListSelector(path: ["other"]),
          items: [NewItem(text: "eggs", id: id(1)), NewItem(text: "tea", id: id(2))])),
    ]
    for _ in 0..<2 { try desk.run(ops[0], ops[1]) }
    #expect(try desk.texts("gro") == ["milk"])
    #expect(try desk.texts("other") == ["eggs", "tea"])
  }

  @Test func `a counter that begins with a number keeps the chosen id`() throws {
    var desk = try desk()
    let cells = [CellWrite(column: "n", input: .increment("3"))]
    try desk.run(
      .add(
        AddItems(
          list: ListSelector(path: ["gro"]), items: [NewItem(text: "x", cells: cells, id: id(0))])))
    #expect(try desk.reader.page(ItemsQuery()).rows.map(\.cells) == [[.int(3)]])
    #expect(try desk.reader.page(ItemsQuery()).rows.map(\.id) == [id(0)])
  }

  @Test func `ids that cannot all be given are refused`() throws {
    let desk = try desk()
    let other: UInt64 = 77
    #expect(refusal(desk, add(("a", id(0)), ("b", id(0)))) == .invalidValue)
    #expect(refusal(desk, add(("a", id(0)), ("b", id(0, other)))) == .invalidValue)
    #expect(refusal(desk, add(("a", id(0)), ("b", id(2)))) == .invalidValue)
    #expect(refusal(desk, add(("a", id(1)), ("b", id(0)))) == .invalidValue)
    #expect(refusal(desk, add(("a", id(0))), add(("b", id(0, other)))) == .invalidValue)
    #expect(refusal(desk, add(("a", nil)), add(("b", id(0)))) == .invalidValue)
    // The second one would come in a change of its own, and so get another id.
    #expect(refusal(desk, add(("a", nil)), add(("b", id(1)))) == .invalidValue)
  }

  @Test func `ids of which some are taken are refused, and nothing is made`() throws {
    var desk = try desk()
    try desk.run(add(("milk", id(0)), ("eggs", id(1))))
    #expect(refusal(desk, add(("milk", id(0)), ("eggs", id(1)), ("tea", id(2)))) == .conflict)
    #expect(refusal(desk, add(("tea", id(2)))) == .conflict)
    #expect(refusal(desk, add(("milk", id(0)), ("eggs", nil), ("tea", nil))) == .conflict)
  }

  @Test func `more rows with ids than one change holds are refused, without ids they are made`()
    throws
  {
    var desk = try desk()
    let text = String(repeating: "x", count: 1_000)
    let items = (0..<60).map { NewItem(text: text, id: id(UInt32($0))) }
    let list = ListSelector(path: ["gro"])
    #expect(refusal(desk, .add(AddItems(list: list, items: items))) == .invalidValue)
    #expect(refusal(desk, .add(AddItems(list: list, items: Array(items.prefix(30))))) == nil)
    try desk.run(.add(AddItems(list: list, items: items.map { NewItem(text: $0.text) })))
    #expect(try desk.texts("gro").count == 60)
  }

  @Test func `where rows may be left out each is looked at by itself`() throws {
    var desk = try desk()
    let rows = add(("milk", id(0)), ("eggs", nil), onlyNew: true)
    for _ in 0..<2 { try desk.run(rows) }
    #expect(try desk.texts("gro") == ["milk", "eggs"])
  }
}
