// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import ListService

@Suite struct ListExporterTests {
  private func shop() throws -> Desk {
    var desk = Desk()
    try desk.run(
      .newList(
        NewList(
          name: "shop",
          columns: [Column(name: "qty", type: .int), Column(name: "taken", type: .counter)])))
    var kale = NewItem(text: "kale", cells: [CellWrite(column: "qty", input: .text("2"))])
    kale.note = "the curly one"
    try desk.run(.add(AddItems(items: [kale, NewItem(text: "two\nlines")])))
    return desk
  }

  private func export(_ desk: Desk, _ format: FileFormat) throws -> (text: String, loss: String?) {
    let lists = desk.replica.children(of: .root)
    let reply = try ListExporter(desk.reader).export(lists, format)
    return (String(decoding: reply.bytes, as: UTF8.self), reply.lossNote)
  }

  @Test func `CSV keeps notes, and an import has them again`() throws {
    var desk = try shop()
    let (text, loss) = try export(desk, .csv)
    #expect(text.hasPrefix("text,qty,taken,note\nkale,2,,the curly one\n"))
    #expect(loss == nil)
    let report = try desk.importing(
      ImportRequest(
        list: ListSelector(path: ["copy"]), format: .csv, bytes: Array(text.utf8)))
    #expect(report.createdCount == 2)
    let copy = try desk.resolver.list(ListSelector(path: ["copy"]))
    let first = try #require(desk.replica.children(of: copy).first)
    #expect(desk.replica.value(of: first, .note) == .text("the curly one"))
  }

  @Test func `what a format has no room for is named and counted`() throws {
    var desk = try shop()
    try desk.run(.add(AddItems(items: [NewItem(text: "child")], place: .under(.word("kale")))))
    #expect(try export(desk, .csv).loss == "CSV rows leave out child items (1)")
    #expect(
      try export(desk, .lines).loss
        == "lines leave out values of columns (1), notes (1), line ends in texts (1)"
    )
    #expect(try export(desk, .json).loss == nil)
  }

  @Test func `lines keep child items, and an import has the tree again`() throws {
    var desk = Desk()
    try desk.run(.newList(NewList(name: "trips")))
    let lines = [("Rome", 0), ("passport", 1), ("photos", 2), ("tickets", 1), ("Oslo", 0)]
    try desk.run(.add(AddItems(items: lines.map { NewItem(text: $0.0, depth: $0.1) })))
    let (text, loss) = try export(desk, .lines)
    #expect(
      text == """
        - [ ] Rome
          - [ ] passport
            - [ ] photos
          - [ ] tickets
        - [ ] Oslo

        """)
    #expect(loss == nil)
    let report = try desk.importing(
      ImportRequest(
        list: ListSelector(path: ["copy"]), format: .lines, bytes: Array(text.utf8)))
    #expect(report.createdCount == 5)
    let copy = try desk.resolver.list(ListSelector(path: ["copy"]))
    let bytes = try ListExporter(desk.reader).export([copy], .lines).bytes
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test func `a counter that an import cannot set is named`() throws {
    var desk = try shop()
    let report = try desk.importing(
      ImportRequest(
        list: ListSelector(path: ["shop"]), format: .csv, bytes: Array("text,taken\nx,3\n".utf8)))
    #expect(report.notes.contains { $0.hasPrefix("taken is left out") })
  }
}
