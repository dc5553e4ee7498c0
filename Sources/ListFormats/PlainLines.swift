// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// One item per line, with the bullets, boxes and numbers that people put before them.
///
/// A bullet, box or number that stands further in than the line above it makes a child of that line;
/// blanks in front of a bare line mean nothing.
package enum PlainLines {
  /// One line that was an item.
  package struct Line: Hashable, Sendable {
    package let number: Int
    package let text: Text
    /// `nil` where the line has no box.
    package let isDone: Bool?
    /// Levels below those that are furthest out, at most `depthMax`.
    package let depth: Int
  }

  /// So many levels are told apart; what is further in stands beside its parent.
  package static let depthMax = 64

  /// Reads items off `bytes`: leading blanks, `- `, `* `, `[ ] `, `[x] ` and `1. ` are dropped, empty
  /// lines are skipped.
  package static func lines(_ bytes: [UInt8]) throws(FormatError) -> [Line] {
    var out: [Line] = []
    var number = 0
    // How far in each line above the next one stands that it may be a child of.
    var indents: [Int] = []
    for raw in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      var rest = raw
      if rest.last == UInt8(ascii: "\r") { rest = rest.dropLast() }
      while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
      let indent = width(rest.prefix(while: isBlank))
      let (isDone, isMarked) = strip(&rest)
      if rest.isEmpty { continue }
      if rest.contains(0) { throw .nul(line: number) }
      guard let text = Text(utf8: Array(rest)) else { throw .notUTF8(line: number) }
      guard rest.count <= Limits.valueBytesMax else {
        throw .fieldTooLong(line: number, limit: Limits.valueBytesMax)
      }
      while let last = indents.last, !isMarked || last >= indent { indents.removeLast() }
      while indents.count > depthMax { indents.removeLast() }
      out.append(Line(number: number, text: text, isDone: isDone, depth: indents.count))
      indents.append(isMarked ? indent : 0)
    }
    return out
  }

  /// Appends one line that `lines` reads back, and Markdown as well: a bullet and a box, and the text
  /// with its line ends as spaces.
  package static func append(
    _ text: Text, isDone: Bool, depth: Int = 0, to out: inout [UInt8]
  ) {
    out.append(contentsOf: Array(repeating: 32, count: 2 * depth))
    out.append(contentsOf: (isDone ? "- [x] " : "- [ ] ").utf8)
    out.append(contentsOf: text.utf8.map { $0 == 10 || $0 == 13 ? 32 : $0 })
    out.append(10)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

  /// How far in a line stands: a tab goes to the next multiple of four.
  private static func width(_ blanks: ArraySlice<UInt8>) -> Int {
    blanks.reduce(0) { $1 == 9 ? ($0 / 4 + 1) * 4 : $0 + 1 }
  }

  /// Drops one bullet or number, and one box; returns what the box said, and whether there was any.
  private static func strip(
    _ rest: inout ArraySlice<UInt8>
  ) -> (isDone: Bool?, isMarked: Bool) {
    skipBlanks(&rest)
    let before = rest.count
    let digits = rest.prefix { (48...57).contains($0) }
    if rest.starts(with: Array("- ".utf8)) || rest.starts(with: Array("* ".utf8)) {
      rest = rest.dropFirst(2)
    } else if !digits.isEmpty, rest.dropFirst(digits.count).starts(with: Array(". ".utf8)) {
      rest = rest.dropFirst(digits.count + 2)
    }
    skipBlanks(&rest)
    var isDone: Bool?
    for (box, done) in [("[ ]", false), ("[x]", true), ("[X]", true)]
    where rest.starts(with: Array(box.utf8)) {
      isDone = done
      rest = rest.dropFirst(3)
      break
    }
    let isMarked = rest.count < before
    skipBlanks(&rest)
    return (isDone, isMarked)
  }

  private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
    while let first = rest.first, isBlank(first) { rest = rest.dropFirst() }
  }
}
