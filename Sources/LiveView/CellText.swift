// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI

/// Text as a character-cell terminal can be trusted to draw it.
///
/// Terminals disagree about the width of clusters made of several scalars (joined emoji, variation
/// selectors), and one wrong guess shifts a whole row. So a cluster is drawn as its first scalar with
/// at most `marksMax` combining marks; control and direction-changing characters are spelled out.
package enum CellText {
  package static let marksMax = 4

  /// Printable text with the width that `columns` says.
  /// - Complexity: O(bytes).
  package static func drawable(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    var out = String.UnicodeScalarView()
    for character in PrintSafety.printable(text) {
      var marks = 0
      for (number, scalar) in character.unicodeScalars.enumerated() {
        if number == 0 {
          out.append(TextWidth.columns(String(scalar)) > 0 ? scalar : "\u{FFFD}")
        } else if scalar.properties.generalCategory == .nonspacingMark, marks < marksMax,
          !isVariation(scalar)
        {
          marks += 1
          out.append(scalar)
        }
      }
    }
    return String(out)
  }

  private static func isVariation(_ scalar: Unicode.Scalar) -> Bool {
    (0xFE00...0xFE0F).contains(scalar.value)
  }

  /// Columns of the drawable form.
  package static func columns(_ text: String) -> Int { TextWidth.columns(drawable(text)) }

  /// The drawable form, cut to `limit` columns.
  package static func fitting(_ text: String, _ limit: Int, mark: String = "…") -> String {
    let drawn = drawable(text)
    return limit <= 0 ? "" : TextWidth.fitting(drawn, limit, mark: limit > 1 ? mark : "")
  }

  /// The drawable form in exactly `width` columns.
  package static func padded(_ text: String, _ width: Int, toRight: Bool = false) -> String {
    let cut = fitting(text, width)
    let room = String(repeating: " ", count: max(0, width - TextWidth.columns(cut)))
    return toRight ? room + cut : cut + room
  }
}
