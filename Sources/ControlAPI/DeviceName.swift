// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

extension Bytes32 where Kind == DeviceKind {
  /// The device id as people compare it: 4 groups of 4 base32 characters, its first 80 bits.
  ///
  /// The alphabet is 0-9 A-Z without I, L, O, U (Crockford).
  public var groups: String {
    let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    var out: [UInt8] = []
    let lower = b >> 48
    for index in 0..<16 {
      if index > 0, index % 4 == 0 { out.append(0x2D) }
      let shift = 75 - index * 5
      let digit =
        shift >= 16
        ? a >> UInt64(shift - 16)
        : a << UInt64(16 - shift) | lower >> UInt64(shift)
      out.append(alphabet[Int(digit & 31)])
    }
    return String(decoding: out, as: UTF8.self)
  }
}

/// What names of lists, devices, columns and spaces may be.
public enum NameRule {
  /// Characters (extended grapheme clusters) at most.
  public static let lengthMax = 64

  /// Returns why `name` is refused, as the end of a sentence, or `nil` if it is fine.
  public static func defect(of name: String) -> String? {
    if name.utf8.allSatisfy({ $0 == 0x20 }) { return "is empty" }
    if name.utf8.first == 0x40 { return "starts with @" }
    if name.utf8.contains(0x2F) { return "contains /" }
    if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      return "contains a control character"
    }
    return name.count > lengthMax ? "is longer than \(lengthMax) characters" : nil
  }

  /// Returns why `name` is refused for a device: letters, digits, space, `-`, `_`, `.`, at most 32.
  public static func deviceDefect(of name: String) -> String? {
    if let defect = defect(of: name) { return defect }
    if name.count > 32 { return "is longer than 32 characters" }
    let isPlain = name.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == " " || $0 == "-"
        || $0 == "_" || $0 == "."
    }
    return isPlain ? nil : "has characters other than letters, digits, space, - _ and ."
  }
}
