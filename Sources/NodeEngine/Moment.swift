// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A point of the monotonic clock, in nanoseconds since a start that only the shell knows.
///
/// Drives every timer of the engine. People never see it and no byte ever carries it.
package struct Moment: Hashable, Comparable, Sendable {
  package let nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  package static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

  /// The moment `delay` later; stops at the end of the range instead of trapping.
  package static func + (moment: Self, delay: Delay) -> Self {
    let (sum, overflow) = moment.nanoseconds.addingReportingOverflow(delay.nanoseconds)
    return Self(nanoseconds: overflow ? .max : sum)
  }

  /// How much later `self` is than `earlier`; zero if it is not.
  package func since(_ earlier: Self) -> Delay {
    Delay(nanoseconds: self > earlier ? nanoseconds - earlier.nanoseconds : 0)
  }
}

/// A length of monotonic time: 0 ns up to 584 years.
package struct Delay: Hashable, Comparable, Sendable {
  package let nanoseconds: UInt64

  package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// Whole milliseconds, 0...10^12.
  package static func milliseconds(_ count: UInt64) -> Self {
    Self(nanoseconds: count &* 1_000_000)
  }

  /// Whole seconds, 0...10^9.
  package static func seconds(_ count: UInt64) -> Self { Self(nanoseconds: count &* 1_000_000_000) }

  package static let zero = Self(nanoseconds: 0)
  package static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

  /// The part of a second and the seconds, as milliseconds rounded down.
  package var wholeMilliseconds: UInt64 { nanoseconds / 1_000_000 }
}
