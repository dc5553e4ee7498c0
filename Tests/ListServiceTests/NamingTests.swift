// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import ListService

/// What a word of a command means, and what is said where it means nothing.
@Suite struct NamingTests {
  private func desk(_ lists: String...) throws -> Desk {
    var desk = Desk()
    for name in lists { try desk.run(.newList(NewList(name: name))) }
    return desk
  }

  private func selector(_ name: String) throws -> ListSelector { try ListSelector(parsing: name) }

  private func refusal(_ body: () throws -> Void) throws -> Problem {
    do {
      try body()
    } catch { return try #require(error as? Problem) }
    Issue.record("accepted")
    return Problem(.failed, "")
  }

  @Test func `what is dropped is named in full, by name or whole handle`() throws {
    var desk = try desk("bad:colour", "good", "late")
    let problem = try refusal { try desk.run(.drop(selector("@bad"), name: nil)) }
    #expect(problem.kind == .unknownList)
    #expect(problem.suggest == "bad:colour")
    #expect(try desk.resolver.list(selector("@bad")) == desk.resolver.list(selector("@bad:colour")))
    let handle = desk.resolver.handles.handle(of: try desk.resolver.list(selector("good")))
    _ = try refusal { try desk.run(.drop(selector("@" + handle.dropLast()), name: nil)) }
    #expect(try desk.run(.drop(selector("@" + handle), name: nil)).touched.count == 1)
    #expect(try desk.run(.drop(selector("@bad:colour"), name: nil)).touched.count == 1)
    #expect(desk.replica.childCount(of: .root) == 1)
  }

  @Test func `an import goes to the list of that name, not to one that begins so`() throws {
    var desk = try desk("freshfood", "other")
    let file = Array("text\nmilk\n".utf8)
    let problem = try refusal {
      _ = try desk.importing(ImportRequest(list: selector("@fresh"), format: .csv, bytes: file))
    }
    #expect(problem.suggest == "freshfood")
    #expect(problem.detail?.contains("hedge new fresh") ?? false)
    let report = try desk.importing(
      ImportRequest(list: selector("@new:one"), format: .csv, bytes: file))
    #expect(report.listName == "new:one")
    #expect(try desk.texts("new:one") == ["milk"])
    let unsaid = try refusal { _ = try desk.importing(ImportRequest(format: .csv, bytes: file)) }
    #expect(unsaid.detail?.contains("a NAME that is not there is made") ?? false)
  }

  @Test func `only the space that there is stands in front of a colon`() throws {
    #expect(try selector("@home:gro") == ListSelector(space: "home", path: ["gro"]))
    #expect(try selector("@x:int") == ListSelector(path: ["x:int"]))
  }

  @Test func `a word with = that is no column is named, with the way to write it as text`() throws {
    var desk = try desk("todo")
    let words = NewItem(text: nil, cells: [CellWrite(column: "E", input: .text("mc2"))])
    let bare = try refusal { try desk.run(.add(AddItems(items: [words]))) }
    #expect(bare.kind == .unknownColumn)
    #expect(bare.title == "no column E")
    #expect(bare.detail?.contains("after --") ?? false)
    try desk.run(.columns(selector("todo"), .add([Column(name: "qty", type: .int)])))
    let columns = try refusal { try desk.run(.add(AddItems(items: [words]))) }
    #expect(columns.detail?.contains("qty") ?? false)
    #expect(columns.detail?.contains("behind --") ?? false)
  }

  @Test func `a text without a list asks for the list and names the text`() throws {
    var desk = try desk("todo", "later")
    let tick = ItemOp.tick(TickItems(items: [.word("nope")]))
    let problem = try refusal { try desk.run(tick) }
    #expect(problem.title == "in which list is \"nope\"?")
    #expect(problem.kind == .noList)
  }

  @Test func `what is left out of a message is counted there`() throws {
    var desk = try desk("todo")
    try desk.run(.add(AddItems(items: (1...11).map { NewItem(text: "milk \($0)") })))
    let many = try refusal { try desk.run(.tick(TickItems(items: [.word("milk")]))) }
    #expect(many.detail?.hasSuffix(" and 5 more") ?? false)
  }

  @Test func `a step on nine items counts nine and names eight`() throws {
    var desk = try desk("todo")
    try desk.run(.add(AddItems(items: (1...9).map { NewItem(text: "milk \($0)") })))
    let entry = try #require(desk.undoLog.newest("", isUndo: false, isForced: false))
    let row = desk.reader.step(entry)
    #expect(row.itemCount == 9)
    #expect(row.alikeCount == 9)
    #expect(row.items.count == 8)
  }
}
