// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListFormats
import ListModel
import Testing

@testable import ListService

@Suite struct JSONImportTests {
  /// A list of two levels, written in pieces, with a counter, typed values and a moved item.
  private func source() throws -> Desk {
    var desk = Desk()
    try desk.run(
      .newList(
        NewList(
          name: "groceries",
          columns: [Column(name: "qty", type: .int), Column(name: "taken", type: .counter)])))
    try desk.run(.add(AddItems(items: ["milk", "eggs", "oat milk"].map { NewItem(text: $0) })))
    try desk.run(.add(AddItems(items: [NewItem(text: "tea")], place: .top)))
    let list = desk.replica.children(of: .root)[0]
    let items = desk.replica.children(of: list)
    try desk.write([
      .create([NewRow([(.text, .text("child"))])], parent: items[2], at: .bottom),
      .increment(items[1], .named("taken"), by: 3), .set(items[1], .named("qty"), .int(2)),
      .move([items[3]], parent: list, at: .top),
    ])
    try desk.write([.increment(items[1], .named("taken"), by: -1)])
    return desk
  }

  private func export(_ desk: Desk) -> [UInt8] {
    LosslessJSON.write(desk.replica, desk.replica.children(of: .root))
  }

  @discardableResult
  private func bring(_ bytes: [UInt8], to desk: inout Desk) throws -> ImportReport {
    try desk.importing(ImportRequest(format: .json, bytes: bytes))
  }

  private func bare(_ bytes: [UInt8]) throws -> [ExportedItem] { try LosslessJSON.read(bytes) }

  @Test func `a foreign space gets ids, order, values and counts`() throws {
    let bytes = export(try source())
    var other = Desk(7)
    let report = try bring(bytes, to: &other)
    #expect(report.createdCount == 6)
    #expect(report.listName == "groceries")
    #expect(try bare(export(other)) == bare(bytes))
    #expect(try other.texts("groceries") == ["oat milk", "tea", "milk", "eggs"])
  }

  @Test func `export, import, export is the same where the content is`() throws {
    var desk = try source()
    let bytes = export(desk)
    let report = try bring(bytes, to: &desk)
    #expect(report.unchangedCount == 6 && report.createdCount == 0 && report.updatedCount == 0)
    #expect(export(desk) == bytes)
    var other = Desk(7)
    try bring(bytes, to: &other)
    let there = export(other)
    try bring(there, to: &other)
    #expect(export(other) == there)
  }

  @Test func `what was changed, deleted and counted meanwhile comes back, its place stays`() throws
  {
    var desk = try source()
    let bytes = export(desk)
    let list = desk.replica.children(of: .root)[0]
    let items = desk.replica.children(of: list)
    try desk.write([
      .set(items[0], .text, .text("other")), .setAlive(items[1], false),
      .increment(items[2], .named("taken"), by: 5),
    ])
    try desk.write([.move([items[3]], parent: list, at: .top)])
    try bring(bytes, to: &desk)
    #expect(desk.replica.value(of: items[0], .text) == .text("oat milk"))
    #expect(desk.replica.isAlive(items[1]))
    #expect(desk.replica.counterTotal(of: items[2], .named("taken")) == 2)
    #expect(desk.replica.children(of: list).first == items[3])
  }

  @Test func `an item that is missing here goes behind its neighbour of the file`() throws {
    let first = try source()
    let bytes = export(first)
    var other = Desk(7)
    let whole = try LosslessJSON.read(bytes)
    let list = whole[0].id
    // Only the list and its second item are there.
    let second = first.replica.children(of: list)[1]
    for item in whole where item.id == list || item.id == second {
      try other.write([
        .recreate(first: item.id, [NewRow(item.cells)], parent: item.parent, at: .bottom)
      ])
    }
    try bring(bytes, to: &other)
    #expect(other.replica.children(of: list) == first.replica.children(of: list))
  }

  @Test func `under a name that is not there it is a copy, with counts and child items`() throws {
    var desk = try source()
    let bytes = export(desk)
    let request = ImportRequest(
      list: try ListSelector(parsing: "@fresh"), format: .json, bytes: bytes)
    let report = try desk.importing(request)
    #expect(report.createdCount == 5)
    #expect(report.listName == "fresh")
    #expect(try desk.texts("fresh") == desk.texts("groceries"))
    let lists = desk.replica.children(of: .root)
    #expect(lists.count == 2)
    let (old, new) = (desk.replica.children(of: lists[0]), desk.replica.children(of: lists[1]))
    #expect(Set(old).isDisjoint(with: new))
    for (old, new) in zip(old, new) {
      #expect(
        desk.replica.value(of: old, .named("qty")) == desk.replica.value(of: new, .named("qty")))
      #expect(
        desk.replica.counterTotal(of: old, .named("taken"))
          == desk.replica.counterTotal(of: new, .named("taken")))
      #expect(desk.replica.childCount(of: old) == desk.replica.childCount(of: new))
    }
    #expect(desk.resolver.schema(under: lists[1]) == desk.resolver.schema(under: lists[0]))
    // The name is taken now, by another list than the one in the file.
    #expect { try desk.importing(request) } throws: { ($0 as? Problem)?.kind == .nameTaken }
    let own = try desk.importing(
      ImportRequest(list: try ListSelector(parsing: "@groceries"), format: .json, bytes: bytes))
    #expect(own.unchangedCount == 6)
  }

  @Test func `a copy is not made of a file whose items are under each other`() throws {
    var desk = Desk()
    func item(_ id: Int, under parent: String) -> String {
      """
      {"id":"aa000000000000000000000\(id)","parent":"\(parent)",
       "cells":[{"field":"text","type":"text","value":"x"}]}
      """
    }
    let root = String(repeating: "0", count: 24)
    let file = { (items: [String]) in
      Array(
        #"{"format":"\#(LosslessJSON.format)","items":[\#(items.joined(separator: ","))]}"#.utf8)
    }
    func bring(_ items: [String]) throws -> ImportReport {
      try desk.importing(
        ImportRequest(list: ListSelector(path: ["copy"]), format: .json, bytes: file(items)))
    }
    let (top, loop) = (item(1, under: root), "aa0000000000000000000003")
    for bad in [
      [top, item(2, under: loop), item(3, under: "aa0000000000000000000002")],
      [
        top, item(2, under: "aa0000000000000000000001"), item(2, under: "aa0000000000000000000001"),
      ],
    ] {
      #expect { try bring(bad) } throws: { ($0 as? Problem)?.kind == .malformed }
    }
    #expect(try bring([top, item(2, under: "aa0000000000000000000001")]).createdCount == 1)
  }

  @Test func `who lost its parent becomes a list`() throws {
    let desk = try source()
    let list = desk.replica.children(of: .root)[0]
    let bytes = LosslessJSON.write(desk.replica, [desk.replica.children(of: list)[0]])
    var other = Desk(7)
    try bring(bytes, to: &other)
    #expect(other.replica.children(of: .root) == [desk.replica.children(of: list)[0]])
  }
}
