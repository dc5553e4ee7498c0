// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A 64-bit sum over everything that happened in a run, in order (FNV-1a).
///
/// Two processes that run one seed must come to the same digest: an iteration over an unordered
/// collection that reaches a decision or a byte shows here.
package struct TraceDigest: Hashable, Sendable {
  /// The sum so far.
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Nothing happened yet.
  package init() {}

  /// Adds a number.
  package mutating func add(_ word: UInt64) {
    var rest = word
    for _ in 0..<8 {
      value = (value ^ (rest & 0xFF)) &* 0x0000_0100_0000_01B3
      rest >>= 8
    }
  }

  /// Adds bytes, in steps of eight.
  package mutating func add(_ bytes: [UInt8]) {
    var word = UInt64(bytes.count)
    for (at, byte) in bytes.enumerated() {
      word = word << 8 ^ UInt64(byte) ^ word >> 56
      if at % 8 == 7 { add(word) }
    }
    add(word)
  }

  /// Sixteen hex digits.
  package var hex: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
