// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CNcursesShim
package import LiveView

/// The terminal of this process through ncursesw: draws screens, reports keys.
///
/// One at a time, used by one thread. The terminal is as it was before once `close` is called.
package struct CursesTerminal: ~Copyable {
  /// Takes the terminal over.
  /// - Returns: `nil` where standard input or output is no terminal, or `TERM` is unknown.
  package init?(hasColor: Bool) {
    guard hn_open(hasColor ? 1 : 0) == 0 else { return nil }
  }

  deinit { hn_close() }

  /// Lines and columns as they are now.
  package var size: (height: Int, width: Int) {
    var height: Int32 = 0
    var width: Int32 = 0
    unsafe hn_size(&height, &width)
    return (Int(height), Int(width))
  }

  /// Shows a screen; only what differs from the last one is sent.
  package func show(_ screen: Screen) {
    hn_clear()
    for (line, spans) in screen.lines.enumerated() {
      for span in spans {
        unsafe span.text.withCString {
          unsafe hn_put(Int32(line), Int32(span.column), $0, Int32(span.style.rawValue))
        }
      }
    }
    if let cursor = screen.cursor {
      hn_cursor(Int32(cursor.line), Int32(cursor.column))
    } else {
      hn_cursor(-1, 0)
    }
    hn_show()
  }

  /// What the terminal reports.
  package enum Report: Hashable, Sendable {
    case key(Key)
    case resized
  }

  /// The next key or change of size, without waiting; `nil` when there is none.
  package func next() -> Report? {
    var scalar: UInt32 = 0
    let kind = unsafe hn_key(&scalar)
    let character = Unicode.Scalar(scalar).map { Character($0) } ?? " "
    switch Int(kind) {
    case HN_NONE: return nil
    case HN_RESIZED: return .resized
    case HN_CHARACTER: return .key(.character(character))
    case HN_CONTROL: return .key(.control(character))
    default: return Self.keys[Int(kind)].map { .key($0) } ?? next()
    }
  }

  private static let keys: [Int: Key] = [
    HN_ENTER: .enter, HN_ESCAPE: .escape, HN_TAB: .tab, HN_BACK_TAB: .backTab,
    HN_BACKSPACE: .backspace, HN_DELETE: .delete, HN_UP: .up, HN_DOWN: .down, HN_LEFT: .left,
    HN_RIGHT: .right, HN_HOME: .home, HN_END: .end, HN_PAGE_UP: .pageUp,
    HN_PAGE_DOWN: .pageDown, HN_ALT_UP: .altUp, HN_ALT_DOWN: .altDown, HN_ALT_LEFT: .altLeft,
    HN_ALT_RIGHT: .altRight,
  ]
}
