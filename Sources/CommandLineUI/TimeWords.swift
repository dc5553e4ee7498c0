// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
import ListModel

/// Which day it is where a command was typed, and what its clock means.
package struct LocalCalendar {
  /// Days since 1970-01-01.
  package let today: Int64
  /// The moment, in milliseconds since 1970, of a local day and a second of it.
  private let momentOf: (Int64, Int) -> Int64?

  /// - Parameter moment: For a day since 1970-01-01 and a second of it, `nil` where the zone of the
  ///   machine has none.
  package init(today: Int64, moment: @escaping (Int64, Int) -> Int64?) {
    (self.today, momentOf) = (today, moment)
  }

  func moment(_ day: Int64, _ second: Int) -> String? {
    momentOf(day, second).map(CivilTime.rfc3339)
  }
}

/// `tomorrow`, `fri`, `2026-12-24 18:00`, `18:00`: what people write for days and moments.
///
/// Only whoever knows the column can tell whether `tomorrow` is a day or a text, so the agent is told
/// both: the word, and what it means on the machine where it was typed.
package enum TimeWords {
  private static let weekdays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  /// The same operation with the meaning of day and time words beside them.
  /// - Complexity: O(cells).
  package static func explained(_ op: ItemOp, _ calendar: LocalCalendar) -> ItemOp {
    switch op {
    case .add(var add):
      for at in add.items.indices { explain(&add.items[at].cells, calendar) }
      return .add(add)
    case .edit(var edit):
      explain(&edit.cells, calendar)
      explain(&edit.conditions, calendar)
      return .edit(edit)
    default: return op
    }
  }

  /// The query with its words for days and times as moments, then as dates; empty without such words.
  package static func explained(_ query: ItemsQuery, _ calendar: LocalCalendar) -> [ItemsQuery] {
    let meanings = query.filters.map { meaning(of: $0.operand, calendar) }
    guard meanings.contains(where: { $0 != nil }) else { return [] }
    var (moments, dates) = (query, query)
    for (at, meaning) in meanings.enumerated() {
      if let time = meaning?.time { moments.filters[at].operand = time }
      if let date = meaning?.date { dates.filters[at].operand = date }
    }
    return [moments, dates]
  }

  private static func explain(_ cells: inout [CellWrite], _ calendar: LocalCalendar) {
    for at in cells.indices {
      guard case .text(let text) = cells[at].input,
        let (date, time) = meaning(of: text, calendar)
      else { continue }
      cells[at].input = .timed(text, date: date, time: time)
    }
  }

  /// What a text means as a date and as a moment; `nil` for one that has nothing to do with time, or
  /// that the agent reads by itself.
  static func meaning(
    of text: String, _ calendar: LocalCalendar
  ) -> (date: String?, time: String?)? {
    var words = text.lowercased().split(separator: " ").map(String.init)
    if words.count == 1, let cut = isoCut(words[0]) { words = cut }
    guard let first = words.first, words.count <= 2 else { return nil }
    if words.count == 1, let second = second(of: first) {
      return (nil, calendar.moment(calendar.today, second))
    }
    guard let day = day(first, calendar.today) else { return nil }
    guard words.count == 2 else {
      return (CivilTime.text(ofDay: day), calendar.moment(day, 0))
    }
    return second(of: words[1]).map { (nil, calendar.moment(day, $0)) }
  }

  /// Whether a clock may follow this value of a column as a word of its own.
  static func isDay(_ text: String) -> Bool { day(text.lowercased(), 0) != nil }

  /// Whether a text is `9:00`, `18:00` or `18:00:30`.
  static func isClock(_ text: String) -> Bool { second(of: text) != nil }

  /// `2026-12-24t18:00` as its two halves.
  private static func isoCut(_ word: String) -> [String]? {
    let halves = word.split(separator: "t", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, CivilTime.day(String(halves[0])) != nil,
      isClock(String(halves[1]))
    else { return nil }
    return halves.map(String.init)
  }

  /// A weekday is the next one after today.
  private static func day(_ word: String, _ today: Int64) -> Int64? {
    switch word {
    case "today": return today
    case "tomorrow": return today + 1
    case "yesterday": return today - 1
    default: break
    }
    if let day = CivilTime.day(word) { return day }
    let known = weekdays.firstIndex { sameBytes($0, word) || sameBytes(String($0.prefix(3)), word) }
    guard let known else { return nil }
    // 1970-01-01 was a Thursday.
    let now = ((today + 3) % 7 + 7) % 7
    let ahead = (Int64(known) - now + 7) % 7
    return today + (ahead == 0 ? 7 : ahead)
  }

  /// The second of the day.
  private static func second(of text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), (1...2).contains(parts[0].utf8.count),
      parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
    else { return nil }
    let numbers = parts.compactMap { Int($0) }
    guard numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
    return numbers[0] * 3600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
  }
}
