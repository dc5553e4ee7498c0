// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI

/// A line of new items where no shell takes it apart; it means what it would mean behind `hedge add`.
package enum TypedLine {
  /// The items of a line: a comma at the end of a word starts the next one, `name=value` is a column,
  /// double quotes keep blanks and commas together.
  /// - Complexity: O(length of the line).
  package static func items(_ line: String) -> [NewItem] {
    CommandReader.items(CommandReader.withClocks(words(line)))
  }

  private static func words(_ line: String) -> [Arguments.Word] {
    var out: [Arguments.Word] = []
    var word = ""
    var isQuoted = false
    // A word that begins with a quote is text, whatever it looks like.
    var isLiteral = false
    func end() {
      if !word.isEmpty { out.append(Arguments.Word(text: word, isLiteral: isLiteral)) }
      (word, isLiteral) = ("", false)
    }
    for character in line {
      switch character {
      case "\"":
        if word.isEmpty, !isQuoted { isLiteral = true }
        isQuoted.toggle()
      case " ", "\t":
        if isQuoted { word.append(character) } else { end() }
      default: word.append(character)
      }
    }
    end()
    return out
  }
}
