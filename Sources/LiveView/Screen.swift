// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// How a piece of text looks; never the only carrier of a meaning.
package enum Style: UInt8, CaseIterable, Sendable {
  case plain, dim, bold, heading, selected, up, down, changed, warning, status
}

/// Text at a place of the screen.
package struct Span: Hashable, Sendable {
  /// Columns from the left edge.
  package let column: Int
  package let text: String
  package let style: Style
}

/// All that the terminal shows: one array of spans a line, from the top.
package struct Screen: Hashable, Sendable {
  package private(set) var lines: [[Span]]
  package let width: Int
  /// Where the cursor stands while something is typed; hidden otherwise.
  package var cursor: (line: Int, column: Int)?

  init(height: Int, width: Int) {
    lines = Array(repeating: [], count: max(height, 0))
    self.width = width
  }

  /// Puts text at a place, cut at the right edge or at `limit` columns. What was put there before
  /// gives way.
  mutating func put(
    _ text: String, line: Int, column: Int, limit: Int = .max, style: Style = .plain
  ) {
    guard lines.indices.contains(line), column < width, column >= 0 else { return }
    let cut = CellText.fitting(text, min(limit, width - column))
    guard !cut.isEmpty else { return }
    let end = column + CellText.columns(cut)
    lines[line] = lines[line].compactMap { span in
      if span.column >= end || span.column + CellText.columns(span.text) <= column { return span }
      guard span.column < column else { return nil }
      return Span(
        column: span.column,
        text: CellText.fitting(span.text, column - span.column, mark: ""), style: span.style)
    }
    lines[line].append(Span(column: column, text: cut, style: style))
  }

  package static func == (a: Screen, b: Screen) -> Bool {
    a.lines == b.lines && a.width == b.width && a.cursor?.line == b.cursor?.line
      && a.cursor?.column == b.cursor?.column
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(lines) }

  /// The characters alone, for tests and for looking at: one string a line.
  package var text: [String] {
    lines.map { spans in
      var out = ""
      for span in spans.sorted(by: { $0.column < $1.column }) {
        let gap = span.column - CellText.columns(out)
        if gap > 0 { out += String(repeating: " ", count: gap) }
        out += span.text
      }
      return out
    }
  }
}
