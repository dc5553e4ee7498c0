// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI

/// One line of text being typed; the cursor moves by characters as people see them.
package struct LineEditor: Hashable, Sendable {
  /// Where typing ends; a text that is longer already keeps all of it.
  package static let lengthMax = 4096

  private var characters: [Character]
  /// Between 0 and the number of characters.
  private(set) var cursor: Int

  package init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  package var text: String { String(characters) }

  /// Takes a key.
  /// - Returns: Whether it meant something here.
  package mutating func take(_ key: Key) -> Bool {
    switch key {
    case .character(let character):
      guard characters.count < Self.lengthMax else { return true }
      // A combining mark joins the character before it.
      let joined = (cursor > 0 ? String(characters[cursor - 1]) : "") + String(character)
      if cursor > 0, joined.count == 1, let whole = joined.first {
        characters[cursor - 1] = whole
      } else {
        characters.insert(character, at: cursor)
        cursor += 1
      }
    case .backspace, .control("h"):
      guard cursor > 0 else { return true }
      cursor -= 1
      characters.remove(at: cursor)
    case .delete, .control("d"):
      if cursor < characters.count { characters.remove(at: cursor) }
    case .left, .control("b"): cursor = max(0, cursor - 1)
    case .right, .control("f"): cursor = min(characters.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = characters.count
    case .control("u"):
      characters.removeFirst(cursor)
      cursor = 0
    case .control("k"): characters.removeLast(characters.count - cursor)
    case .control("w"):
      while cursor > 0, characters[cursor - 1] == " " { _ = take(.backspace) }
      while cursor > 0, characters[cursor - 1] != " " { _ = take(.backspace) }
    default: return false
    }
    return true
  }

  /// The part that fits `width` columns with the cursor in it, and the cursor's column there.
  package func window(_ width: Int) -> (text: String, column: Int) {
    var start = 0
    while start < cursor, columns(start..<cursor) >= width { start += 1 }
    let shown = CellText.fitting(String(characters[start...]), width, mark: "")
    return (shown, columns(start..<cursor))
  }

  private func columns(_ range: Range<Int>) -> Int {
    CellText.columns(String(characters[range]))
  }
}
