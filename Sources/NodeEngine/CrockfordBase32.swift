// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Base 32 in Crockford's alphabet: no I, L, O, U, so that people can read it out.
package enum CrockfordBase32 {
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// The letter for a digit; only the low five bits count.
  package static func letter(_ digit: UInt8) -> UInt8 { alphabet[Int(digit & 31)] }

  /// Reads one letter as people type it: any case, I and L as 1, O as 0. `nil` for all others.
  package static func digit(_ letter: UInt8) -> UInt8? {
    let upper = (97...122).contains(letter) ? letter - 32 : letter
    switch upper {
    case 73, 76: return 1
    case 79: return 0
    default: return alphabet.firstIndex(of: upper).map { UInt8($0) }
    }
  }
}
