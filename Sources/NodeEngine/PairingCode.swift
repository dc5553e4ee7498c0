// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The one-time code of an invite: 95 random bits and a check character, as four groups of five.
///
/// `K7Q2M-9XWTA-4RB8C-ZN3HE`. The check is a sum over GF(32) with a different weight for each place,
/// so any one wrong letter and any two swapped ones are noticed while typing.
package struct PairingCode: Hashable, Sendable {
  static let secretLetters = 19
  /// Twenty digits of five bits, the last one checks the others.
  private let digits: [UInt8]

  /// Draws a fresh code; the generator must be the kernel's, or seeded in a simulation.
  package init(using random: inout some RandomNumberGenerator) {
    let secret = (0..<Self.secretLetters).map { _ in UInt8.random(in: 0...31, using: &random) }
    digits = secret + [Self.check(secret)]
  }

  /// Reads a code as people type it: any case, I, L and O for 1, 1 and 0, spaces and hyphens
  /// anywhere. `nil` if it has another length, a strange letter or a wrong check.
  package init?(_ text: String) {
    var digits: [UInt8] = []
    for letter in text.utf8 where letter != 0x2D && letter != 0x20 && letter != 0x0A {
      guard digits.count <= Self.secretLetters, let digit = CrockfordBase32.digit(letter)
      else { return nil }
      digits.append(digit)
    }
    guard digits.count == Self.secretLetters + 1,
      Self.check(Array(digits.dropLast())) == digits[Self.secretLetters]
    else { return nil }
    self.digits = digits
  }

  /// The 24 characters for people.
  package var text: String {
    var out: [UInt8] = []
    for (place, digit) in digits.enumerated() {
      if place > 0 && place % 5 == 0 { out.append(0x2D) }
      out.append(CrockfordBase32.letter(digit))
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// What the proofs are keyed with: the 19 secret digits, a byte each.
  package var secret: [UInt8] { Array(digits.dropLast()) }

  private static func check(_ digits: [UInt8]) -> UInt8 {
    // Horner over GF(32): place i has the weight x^(19 - i), and x has the order 31.
    var sum: UInt8 = 0
    for digit in digits { sum = doubled(sum ^ digit) }
    return sum
  }

  /// Multiplies by x modulo x⁵ + x² + 1.
  private static func doubled(_ digit: UInt8) -> UInt8 {
    let shifted = digit << 1
    return shifted & 32 == 0 ? shifted : (shifted ^ 0b100101)
  }
}
