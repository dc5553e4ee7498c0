// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// Local days, counted by this agent alone, and what it held at the end of each: from this follows
/// the age of a change. No stamp and no other machine's clock has a say in it.
///
/// A day passes when the date moves on between two looks at the wall clock, once however far it
/// moves: a clock that jumps by years, or a machine that was off for as long, ages nothing by more
/// than a day.
package struct AgeBook: Hashable, Sendable {
  /// What was on disk at the end of `day` and had moved since the mark before.
  package struct Mark: Hashable, Sendable {
    package let day: UInt32
    package let tips: [Tip]
    package init(day: UInt32, tips: [Tip]) { (self.day, self.tips) = (day, tips) }
  }

  /// Days that have passed. Never falls.
  package private(set) var day: UInt32 = 0
  /// Days since 1970 by the wall clock when it was last looked at; `nil` before that.
  package private(set) var date: Int64?
  /// Ascending by day.
  package private(set) var marks: [Mark] = []

  /// Nothing was ever looked at.
  package init() {}

  /// Puts a stored book together.
  package init(day: UInt32, date: Int64?, marks: [Mark]) {
    (self.day, self.date, self.marks) = (day, date, marks)
  }

  /// Looks at the wall clock.
  /// - Parameter held: What is on disk now; read only if a day has passed.
  /// - Returns: Whether a day has passed.
  mutating func observe(_ wall: WallTime, held: VersionVector) -> Bool {
    let milliseconds = wall.milliseconds
    let today = milliseconds / 86_400_000 - (milliseconds % 86_400_000 < 0 ? 1 : 0)
    guard let date, today > date else {
      date = today
      return false
    }
    self.date = today
    let moved = held.tips.filter { tip in
      !marks.contains { $0.tips.contains(tip) }
    }
    if !moved.isEmpty { marks.append(Mark(day: day, tips: moved)) }
    day += 1
    return true
  }

  /// What was held `days` or more days ago, at least 1; may name a session more than once.
  func held(daysAgo days: UInt32) -> [Tip] {
    marks.filter { $0.day < day && day - $0.day >= days }.flatMap(\.tips)
  }

  /// Another space: nothing of it was held on any day.
  mutating func forgetMarks() { marks = [] }

  /// Puts marks together that are as old as counts, and drops what `isGone` says.
  mutating func prune(daysMax: UInt32, isGone: (Tip) -> Bool) {
    var old: [Tip] = []
    var last: UInt32 = 0
    var kept: [Mark] = []
    for mark in marks {
      let tips = mark.tips.filter { !isGone($0) }
      if day - mark.day >= daysMax {
        (old, last) = (old + tips, mark.day)
      } else if !tips.isEmpty {
        kept.append(Mark(day: mark.day, tips: tips))
      }
    }
    marks = (old.isEmpty ? [] : [Mark(day: last, tips: VersionVector(tips: old).tips)]) + kept
  }
}
