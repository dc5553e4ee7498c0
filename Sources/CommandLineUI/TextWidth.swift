// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// How many columns of a terminal a text takes.
package enum TextWidth {
  /// Columns of printable text: 0 for combining marks, 2 for wide characters and emoji.
  /// - Complexity: O(bytes), with a short way for ASCII.
  package static func columns(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + columns($1) }
  }

  /// Cuts text to at most `limit` columns, `mark` at the end of what was cut.
  package static func fitting(_ text: String, _ limit: Int, mark: String) -> String {
    guard columns(text) > limit else { return text }
    let room = max(0, limit - columns(mark))
    var used = 0
    var out = ""
    for character in text {
      let width = columns(character)
      guard used + width <= room else { break }
      out.append(character)
      used += width
    }
    return out + mark
  }

  private static func columns(_ character: Character) -> Int {
    // A cluster is as wide as its first scalar, or two with the emoji variation selector.
    guard let first = character.unicodeScalars.first else { return 0 }
    if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
    return columns(first)
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    // The soft hyphen is a format character that terminals draw.
    case .nonspacingMark, .enclosingMark, .format: return scalar.value == 0xAD ? 1 : 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    let isWide =
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
        true
      default: false
      }
    return isWide ? 2 : 1
  }
}
