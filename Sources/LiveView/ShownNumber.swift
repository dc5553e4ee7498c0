// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Decimals of one column with equally many places, so that their points stand below each other.
enum ShownNumber {
  /// Digits behind the point: 2 for `1.95`, 0 for `12` and for what is no decimal.
  static func places(_ text: String) -> Int {
    guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")), isDecimal(text) else { return 0 }
    return text.utf8.distance(from: point, to: text.utf8.endIndex) - 1
  }

  /// `3.4` as `3.40` with two places; other text as it is.
  static func text(_ text: String, places count: Int) -> String {
    guard count > 0, isDecimal(text) else { return text }
    let has = places(text)
    return text + (has == 0 ? "." : "") + String(repeating: "0", count: max(0, count - has))
  }

  private static func isDecimal(_ text: String) -> Bool {
    let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
    return digits.first.map { (48...57).contains($0) } == true
      && digits.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
      && digits.count { $0 == UInt8(ascii: ".") } <= 1
  }
}
