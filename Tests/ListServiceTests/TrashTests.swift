// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import ListService

@Suite struct TrashTests {
  private func trips() throws -> Desk {
    var desk = Desk()
    try desk.run(.newList(NewList(name: "trips")))
    try desk.run(.add(AddItems(items: ["Rome", "Oslo", "Bern"].map { NewItem(text: $0) })))
    try desk.run(
      .add(
        AddItems(
          items: [NewItem(text: "passport"), NewItem(text: "tickets")], place: .under(.word("Rome"))
        )))
    return desk
  }

  private func trash(_ desk: Desk, _ list: String? = nil) throws -> [TrashRow] {
    try desk.reader.trash(TrashQuery(list: list.map { ListSelector(path: [$0]) })).rows
  }

  @Test func `whoever removed it, it comes back where it was with all under it`() throws {
    var (mine, theirs) = (try trips(), Desk(2))
    theirs.pull(mine)
    try theirs.run(.remove(nil, [.word("Rome")]))
    mine.pull(theirs)
    let row = try #require(try trash(mine).first)
    #expect(row.text == Text("Rome") && row.by == "den" && row.list == "trips")
    #expect(row.hiddenCount == 2 && !row.isRecovered)
    try mine.run(.restore(nil, [.word("Rome")]))
    #expect(try mine.texts("trips") == ["Rome", "Oslo", "Bern"])
    #expect(mine.replica.aliveDescendantCount(of: try mine.resolver.list(nil)) == 5)
    #expect(try trash(mine).isEmpty)
    let again = try mine.run(.restore(nil, [.word(row.handle)]))
    #expect(again.touched.isEmpty && again.unchanged.count == 1)
  }

  @Test(arguments: [false, true])
  func `who takes a restore back has in Recovered again what was there`(isList: Bool) throws {
    var (mine, theirs) = (try trips(), Desk(2))
    theirs.pull(mine)
    let target: ItemSelector = isList ? .id(try mine.resolver.list(nil)) : .word("Rome")
    try mine.run(.remove(nil, [target]))
    for text in ["hat", "map"] {
      try theirs.run(.add(AddItems(items: [NewItem(text: text)], place: .under(.word("Rome")))))
    }
    mine.pull(theirs)
    let before = try trash(mine)
    #expect(before.filter(\.isRecovered).count == 2)
    try mine.run(.restore(nil, [.word("hat")]))
    #expect(try trash(mine).isEmpty)
    for _ in 0..<2 {
      #expect(try mine.undo().stays.isEmpty)
      let rows = try trash(mine)
      #expect(Set(rows.filter(\.isRecovered).map(\.text.string)) == ["hat", "map"])
      #expect(rows.count == before.count)
      #expect(try mine.undo(isRedo: true).stays.isEmpty)
      #expect(try trash(mine).isEmpty)
      #expect(mine.replica.recoveredItems.isEmpty)
    }
    // Where the undo leaves what it was put under alone, nothing goes to Recovered.
    theirs.pull(mine)
    try theirs.run(.add(AddItems(items: [NewItem(text: "key")], place: .under(.word("Rome")))))
    mine.pull(theirs)
    #expect(try !mine.undo().stays.isEmpty)
    #expect(try trash(mine).isEmpty)
  }

  @Test func `a child added under what was removed meanwhile is in the trash and comes out`() throws
  {
    for isList in [false, true] {
      var (mine, theirs) = (try trips(), Desk(2))
      theirs.pull(mine)
      let target: ItemSelector = isList ? .id(try mine.resolver.list(nil)) : .word("Rome")
      try mine.run(.remove(nil, [target]))
      let place: PlaceSelector? = isList ? nil : .under(.word("Rome"))
      try theirs.run(.add(AddItems(items: [NewItem(text: "hat")], place: place)))
      mine.pull(theirs)
      theirs.pull(mine)
      for desk in [mine, theirs] {
        let rows = try trash(desk)
        #expect(rows.filter(\.isRecovered).map(\.text.string) == ["hat"])
        #expect(rows.count == 2)
      }
      let restored = try mine.run(.restore(nil, [.word("hat")]))
      #expect(restored.touched.count == 2)
      #expect(try trash(mine).isEmpty)
      #expect(mine.replica.recoveredItems.isEmpty)
      theirs.pull(mine)
      #expect(try trash(theirs).isEmpty)
    }
  }

  @Test func `mv takes an item out of Recovered`() throws {
    var (mine, theirs) = (try trips(), Desk(2))
    theirs.pull(mine)
    try mine.run(.remove(nil, [.word("Rome")]))
    try theirs.run(.add(AddItems(items: [NewItem(text: "hat")], place: .under(.word("Rome")))))
    mine.pull(theirs)
    let hat = try #require(mine.replica.recoveredItems.first)
    #expect(throws: Problem.self) {
      try mine.run(.move(MoveItems(items: [.id(hat)], place: .position(1))))
    }
    try mine.run(
      .move(MoveItems(items: [.id(hat)], place: .top, to: ListSelector(path: ["trips"]))))
    #expect(try mine.texts("trips") == ["hat", "Oslo", "Bern"])
    #expect(try mine.undo().stays.isEmpty)
    #expect(mine.replica.recoveredItems == [hat])
  }

  @Test func `items of a cut cycle need a place that somebody names`() throws {
    var (mine, theirs) = (try trips(), Desk(2))
    theirs.pull(mine)
    try mine.run(.move(MoveItems(items: [.word("Oslo")], place: .under(.word("Bern")))))
    try theirs.run(.move(MoveItems(items: [.word("Bern")], place: .under(.word("Oslo")))))
    mine.pull(theirs)
    let victim = try #require(mine.replica.recoveredItems.first)
    let problem = #expect(throws: Problem.self) { try mine.run(.restore(nil, [.id(victim)])) }
    #expect(problem?.kind == .conflict)
    try mine.run(
      .move(MoveItems(items: [.id(victim)], place: .bottom, to: ListSelector(path: ["trips"]))))
    #expect(mine.replica.recoveredItems.isEmpty)
    #expect(try mine.texts("trips").count == 2)
  }

  @Test func `a removed list comes back by its name; what was removed inside it is found there`()
    throws
  {
    var desk = try trips()
    try desk.run(.remove(nil, [.word("Bern")]))
    try desk.run(.remove(nil, [.id(try desk.resolver.list(nil))]))
    #expect(try trash(desk).map(\.text.string) == ["trips"])
    #expect(try trash(desk, "trips").map(\.text.string) == ["Bern"])
    try desk.run(.restore(nil, [.word("Bern")]))
    #expect(try desk.texts("trips") == ["Rome", "Oslo", "Bern"])
    #expect(throws: Problem.self) { try desk.run(.restore(nil, [.word("Paris")])) }
  }

  // MARK: Merge decisions

  private func clash() throws -> (Desk, Desk) {
    var (mine, theirs) = (try trips(), Desk(2))
    theirs.pull(mine)
    try mine.run(.edit(EditItems(items: [.word("Oslo")], text: "Oslo in May")))
    try theirs.run(.edit(EditItems(items: [.word("Oslo")], text: "Oslo in June")))
    let list = ListSelector(path: ["trips"])
    try mine.run(.move(MoveItems(list: list, items: [.word("Bern")], place: .top)))
    try theirs.run(.move(MoveItems(list: list, items: [.word("Bern")], place: .position(2))))
    let vector = mine
    mine.pull(theirs)
    theirs.pull(vector)
    return (mine, theirs)
  }

  @Test func `decisions are the same on both sides and the other value can be taken`() throws {
    var (mine, theirs) = try clash()
    #expect(mine.journal == theirs.journal || mine.journal.count == theirs.journal.count)
    let rows = mine.journal.enumerated().map { mine.conflicts.row(Int64($0) + 1, $1) }
    #expect(rows.map(\.column).sorted() == ["place", "text"])
    let text = try #require(rows.first { $0.column == "text" })
    #expect(text.kept.value == .text("Oslo in June") && text.kept.by == "den")
    #expect(text.dropped.value == .text("Oslo in May") && text.dropped.by == "study")
    #expect(text.list == "trips" && !text.isTaken)
    for entry in mine.journal {
      let plan = try mine.conflicts.plan(entry)
      mine.note(try mine.write(plan.edits).step)
      #expect(mine.conflicts.row(1, entry).isTaken)
      #expect(try mine.conflicts.plan(entry).edits.isEmpty)
    }
    #expect(try mine.texts("trips") == ["Bern", "Rome", "Oslo in May"])
    #expect(try mine.undo().stays.isEmpty)
    #expect(try mine.undo().stays.isEmpty)
    #expect(try mine.texts("trips") == ["Rome", "Bern", "Oslo in June"])
    theirs.pull(mine)
    #expect(try theirs.texts("trips") == ["Rome", "Bern", "Oslo in June"])
  }

  @Test func `a place that is gone cannot be taken`() throws {
    var (mine, theirs) = (try trips(), Desk(2))
    theirs.pull(mine)
    try mine.run(.move(MoveItems(items: [.word("Bern")], place: .under(.word("Rome")))))
    try theirs.run(.move(MoveItems(items: [.word("Bern")], place: .top)))
    mine.pull(theirs)
    let entry = try #require(mine.journal.first)
    try mine.run(.remove(nil, [.word("Rome")]))
    #expect(throws: Problem.self) { try mine.conflicts.plan(entry) }
    #expect(ConflictReader.number("c-12") == 12)
    #expect(ConflictReader.number("12") == nil && ConflictReader.number("c-x") == nil)
  }
}
