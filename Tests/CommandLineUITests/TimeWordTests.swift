// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import CommandLineUI

@Suite struct TimeWordTests {
  /// A Monday, two hours east of UTC.
  private let calendar = LocalCalendar(today: 20_787) { day, second in
    (day * 86_400 + Int64(second) - 7_200) * 1_000
  }

  @Test(arguments: [
    ("today", "2026-11-30"), ("Tomorrow", "2026-12-01"), ("yesterday", "2026-11-29"),
    ("fri", "2026-12-04"), ("Friday", "2026-12-04"), ("monday", "2026-12-07"),
    ("sun", "2026-12-06"), ("2026-12-24", "2026-12-24"),
  ])
  func `words for days are dates, and midnight where they were typed`(word: String, date: String) {
    let meaning = TimeWords.meaning(of: word, calendar)
    #expect(meaning?.date == date)
    let day = CivilTime.day(date)!  // valid
    #expect(meaning?.time == CivilTime.rfc3339((day * 86_400 - 7_200) * 1_000))
  }

  @Test(arguments: [
    ("2026-12-24 18:00", "2026-12-24T16:00:00Z"), ("2026-12-24T18:00:30", "2026-12-24T16:00:30Z"),
    ("tomorrow 9:05", "2026-12-01T07:05:00Z"), ("18:00", "2026-11-30T16:00:00Z"),
    ("fri 00:30", "2026-12-03T22:30:00Z"),
  ])
  func `a clock is the one on the wall there, and no date`(word: String, time: String) {
    let meaning = TimeWords.meaning(of: word, calendar)
    #expect(meaning?.time == time && meaning?.date == nil)
  }

  @Test(arguments: [
    "milk", "", "24:00", "9:5", "2026-13-01", "2026-12-24 18", "tomorrow morning", "to",
    "2026-12-24T18:00:00Z", "today today", "tue 18:00 sharp",
  ])
  func `other text has no meaning in time`(text: String) {
    #expect(TimeWords.meaning(of: text, calendar) == nil)
  }

  @Test func `an operation carries word and meaning, and the column takes what it holds`() throws {
    let op = try #require(try ParseTests.op("add", "@rota", "bins", "due=tomorrow", "qty=2"))
    guard case .add(let add) = TimeWords.explained(op, calendar) else {
      Issue.record("not an add")
      return
    }
    let cells = add.items[0].cells
    #expect(
      cells[0].input == .timed("tomorrow", date: "2026-12-01", time: "2026-11-30T22:00:00Z"))
    #expect(cells[1].input == .text("2"))
    let day = try CellInput.text("2026-12-01").effect(on: Column(name: "due", type: .date))
    #expect(try cells[0].input.effect(on: Column(name: "due", type: .date)) == day)
    let moment = try CellInput.text("2026-11-30T22:00:00Z").effect(
      on: Column(name: "due", type: .time))
    #expect(try cells[0].input.effect(on: Column(name: "due", type: .time)) == moment)
    #expect(try cells[0].input.effect(on: Column(name: "due")) == .set(.text("tomorrow")))
    #expect(throws: Problem.self) {
      try CellInput.timed("18:00", date: nil, time: "2026-11-30T16:00:00Z").effect(
        on: Column(name: "due", type: .date))
    }
  }

  @Test func `a query is asked again with moments, then with dates`() throws {
    guard
      case .request(.items(let query)) = try ParseTests.command(
        "ls", "@rota", "--where", "due<=today", "--where", "qty>1")
    else {
      Issue.record("not a query")
      return
    }
    #expect(
      TimeWords.explained(query, calendar).map { $0.filters.map(\.operand) } == [
        ["2026-11-29T22:00:00Z", "1"], ["2026-11-30", "1"],
      ])
    #expect(TimeWords.explained(ItemsQuery(), calendar).isEmpty)
  }

  @Test func `a clock behind the day of a column belongs to it`() throws {
    #expect(
      try ParseTests.op("add", "@r", "bins", "at=tomorrow", "18:00,", "tea", "9:00")
        == ParseTests.op("add", "@r", "bins", "at=tomorrow 18:00,", "tea 9:00"))
    #expect(
      try ParseTests.op("set", "@r", "bins", "at=2026-12-24", "18:00")
        == ParseTests.op("set", "@r", "bins", "at=2026-12-24 18:00"))
    #expect(
      try ParseTests.op("edit", "@r", "bins", "who=Ada", "18:00")
        == ParseTests.op("edit", "@r", "bins", "18:00", "who=Ada"))
  }
}
