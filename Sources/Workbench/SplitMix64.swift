// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A small seeded generator (Steele, Lea, Flood 2014): equal seeds give equal sequences everywhere.
///
/// For tests and the simulator only; it is not fit for secrets.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64
  /// Choices that come first, and how many of them were used.
  private var choices: [UInt8] = []
  private var used = 0

  /// Any seed is fine.
  package init(seed: UInt64) { state = seed }

  /// An independent sequence for each name: what one part of a test draws does not shift another.
  package init(seed: UInt64, stream: String) {
    state = seed
    for byte in stream.utf8 { state = next() ^ UInt64(byte) }
  }

  /// A generator whose small choices are these bytes, one each, while they last: a fuzzer that changes
  /// one byte changes one choice.
  package init(choices: [UInt8]) {
    self.init(seed: UInt64(choices.count))
    self.choices = choices
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// 0 ..< `end`; `end` at least 1. Slightly uneven for huge `end`, the same on every platform.
  package mutating func below(_ end: Int) -> Int {
    guard used < choices.count, end <= 256 else { return Int(next() % UInt64(end)) }
    used += 1
    return Int(choices[used - 1]) % end
  }

  /// True `percent` times in a hundred.
  package mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// One of `choices`, which must not be empty.
  package mutating func pick<Choices: RandomAccessCollection>(
    _ choices: Choices
  ) -> Choices.Element where Choices.Index == Int {
    choices[choices.startIndex + below(choices.count)]
  }
}
