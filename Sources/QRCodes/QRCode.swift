// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CQREncode

/// A QR code as a square of dark and light modules, without its quiet zone.
package struct QRCode: Hashable, Sendable {
  /// Modules per side: 21...177.
  package let side: Int
  /// Row by row; `true` is dark.
  package let modules: [Bool]

  /// Encodes 1...2,000 bytes of text with error correction level M; `nil` if it does not fit.
  ///
  /// Wraps `QRcode_encodeString8bit`; capital letters and digits get the denser mode by `encodeString`.
  package init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= 2_000,
      let code = unsafe QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1)
    else { return nil }
    defer { unsafe QRcode_free(code) }
    let side = Int(unsafe code.pointee.width)
    self.side = side
    modules = (0..<side * side).map { unsafe code.pointee.data[$0] & 1 == 1 }
  }

  /// The lines of `halfBlocks`, without newlines.
  package var lines: [String] { halfBlocks.split(separator: "\n").map(String.init) }

  /// The code for a terminal: two rows of modules a line, light ones drawn, with a quiet zone of two
  /// modules, so that cameras read it on a dark background. Lines end with a newline.
  package var halfBlocks: String {
    let quiet = 2
    func isLight(_ row: Int, _ column: Int) -> Bool {
      let (row, column) = (row - quiet, column - quiet)
      guard (0..<side).contains(row), (0..<side).contains(column) else { return true }
      return !modules[row * side + column]
    }
    let total = side + 2 * quiet
    var text = ""
    for row in stride(from: 0, to: total, by: 2) {
      for column in 0..<total {
        // Below an odd last row there is nothing to draw.
        switch (isLight(row, column), row + 1 < total && isLight(row + 1, column)) {
        case (true, true): text += "█"
        case (true, false): text += "▀"
        case (false, true): text += "▄"
        case (false, false): text += " "
        }
      }
      text += "\n"
    }
    return text
  }
}
