// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import ListService

@Suite struct LogTests {
  private func desk() throws -> Desk {
    var desk = Desk()
    try desk.run(.newList(NewList(name: "gro", columns: [try Column(parsing: "qty:int")])))
    try desk.run(.add(AddItems(items: [NewItem(text: "milk"), NewItem(text: "eggs")])))
    try desk.run(
      .edit(
        EditItems(items: [.word("milk")], cells: [CellWrite(column: "qty", input: .text("2"))])))
    try desk.run(.move(MoveItems(items: [.word("eggs")], place: .top)))
    try desk.run(.tick(TickItems(items: [.word("milk")])))
    try desk.run(.newList(NewList(name: "other")))
    try desk.run(.remove(ListSelector(path: ["gro"]), [.word("eggs")]))
    return desk
  }

  private func rows(
    _ desk: Desk, _ item: ItemID? = nil, isList: Bool = false, device: DeviceID? = nil,
    since: Int64? = nil
  ) -> [LogRow] {
    let scope = LogReader.Scope(item: item, isList: isList, device: device, since: since)
    let reader = LogReader(desk.reader, scope)
    return desk.changes.compactMap(reader.row)
  }

  @Test func `every change is told with author, list and what was done`() throws {
    let desk = try desk()
    let verbs = rows(desk).map { $0.items.map(\.touched.verb.rawValue).joined(separator: ",") }
    #expect(verbs == ["new", "add,add", "set", "mv", "done", "new", "rm"])
    let set = try #require(rows(desk).first { $0.items.first?.column != nil })
    #expect(set.items[0].column == "qty" && set.items[0].value == "2")
    #expect(set.by == "study" && set.listName == "gro" && set.itemCount == 1)
  }

  @Test func `a log is narrowed to a list, an item, a device and a time`() throws {
    var mine = try desk()
    var theirs = Desk(2)
    theirs.pull(mine)
    try theirs.run(
      .tick(TickItems(list: ListSelector(path: ["gro"]), items: [.word("milk")], isDone: false)))
    mine.pull(theirs)
    let list = try mine.resolver.list(ListSelector(path: ["gro"]))
    #expect(rows(mine, list, isList: true).count == 7)
    let eggs = try #require(mine.replica.deadItems.first)
    #expect(rows(mine, eggs).map { $0.items[0].touched.verb } == [.add, .move, .remove])
    #expect(rows(mine, device: theirs.device).map(\.by) == ["den"])
    let last = try #require(rows(mine).last)
    #expect(rows(mine, since: last.at).count == 1)
  }

  @Test func `times are read as distances, dates and moments`() throws {
    let now: Int64 = 1_800_000_000_000
    #expect(try LogQuery.moment("90s", now: now) == now - 90_000)
    #expect(try LogQuery.moment("2h", now: now) == now - 7_200_000)
    #expect(try LogQuery.moment("3d", now: now) == now - 3 * 86_400_000)
    #expect(try LogQuery.moment("1970-01-02", now: now) == 86_400_000)
    for text in ["", "h", "2 hours", "yesterday", "-3d", "99999999999999999999d"] {
      #expect(throws: Problem.self) { try LogQuery.moment(text, now: now) }
    }
  }
}
