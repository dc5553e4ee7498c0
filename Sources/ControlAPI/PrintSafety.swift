// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Which characters may not reach a terminal as they are, because they could steer it or reorder
/// what a reader sees: C0, DEL, C1, and the controls of bidirectional text and line separation.
public enum PrintSafety {
  /// Looks at the scalar that starts at `index` of valid UTF-8.
  ///
  /// - Returns: The scalar and its length in bytes if it must be escaped, else `nil`.
  /// - Complexity: O(1).
  @inlinable
  public static func unsafeScalar(in utf8: [UInt8], at index: Int) -> (scalar: UInt32, length: Int)?
  {
    let first = utf8[index]
    if first < 0x20 || first == 0x7F { return (UInt32(first), 1) }
    if first != 0xC2 && first != 0xD8 && first != 0xE2 { return nil }
    guard index + 1 < utf8.count else { return nil }
    let second = utf8[index + 1]
    if first == 0xC2 { return second < 0xA0 ? (UInt32(second), 2) : nil }
    if first == 0xD8 { return second == 0x9C ? (0x061C, 2) : nil }
    guard index + 2 < utf8.count else { return nil }
    let third = utf8[index + 2]
    if second == 0x80, third == 0x8E || third == 0x8F || (third >= 0xA8 && third <= 0xAE) {
      return (0x2000 + UInt32(third & 0x3F), 3)
    }
    if second == 0x81, third >= 0xA6 && third <= 0xA9 {
      return (0x2040 + UInt32(third & 0x3F), 3)
    }
    return nil
  }

  /// Appends `utf8` with every unsafe scalar spelled out: `\n`, `\t`, `\r`, `\xNN`, `\u{NNNN}`.
  ///
  /// Everything else, a backslash included, stays as it is: this is for eyes and for columns, the
  /// exact text is in JSON.
  /// - Complexity: O(bytes).
  public static func append(_ utf8: [UInt8], to out: inout [UInt8]) {
    var start = 0
    var index = 0
    while index < utf8.count {
      guard let (scalar, length) = unsafeScalar(in: utf8, at: index) else {
        index += 1
        continue
      }
      out.append(contentsOf: utf8[start..<index])
      appendEscape(scalar, to: &out)
      index += length
      start = index
    }
    out.append(contentsOf: utf8[start...])
  }

  /// Returns `text` as `append(_:to:)` prints it.
  public static func printable(_ text: String) -> String {
    var out: [UInt8] = []
    append(Array(text.utf8), to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  private static func appendEscape(_ scalar: UInt32, to out: inout [UInt8]) {
    switch scalar {
    case 0x09: out.append(contentsOf: "\\t".utf8)
    case 0x0A: out.append(contentsOf: "\\n".utf8)
    case 0x0D: out.append(contentsOf: "\\r".utf8)
    default:
      let hex = String(scalar, radix: 16)
      if scalar < 0x100 {
        out.append(contentsOf: (hex.utf8.count < 2 ? "\\x0" : "\\x").utf8)
        out.append(contentsOf: hex.utf8)
      } else {
        out.append(contentsOf: "\\u{\(hex)}".utf8)
      }
    }
  }
}

/// Whether two strings are the same bytes. Swift's `==` would call canonically equal texts the
/// same, and replicas must not.
@inlinable
public func sameBytes(_ a: String, _ b: String) -> Bool { a.utf8.elementsEqual(b.utf8) }
