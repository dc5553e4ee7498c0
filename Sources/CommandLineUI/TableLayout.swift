// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// Rows of cells as aligned text. Cells are printable already.
struct TableLayout {
  struct ColumnStyle {
    let heading: String
    var isRight = false
    /// This column gives way when the line is too long; the others stay whole.
    var isFlexible = false
  }

  private let styles: [ColumnStyle]
  private(set) var rows: [(cells: [String], isDim: Bool)] = []

  init(_ styles: [ColumnStyle]) { self.styles = styles }

  mutating func add(_ cells: [String], isDim: Bool = false) { rows.append((cells, isDim)) }

  /// Appends headings and rows, two blanks between columns, one in front.
  func write(_ display: Display, to out: inout [UInt8]) {
    var widths = styles.map { TextWidth.columns($0.heading) }
    var cellWidths: [[Int]] = []
    cellWidths.reserveCapacity(rows.count)
    for row in rows {
      let columns = row.cells.map(TextWidth.columns)
      for index in widths.indices { widths[index] = max(widths[index], columns[index]) }
      cellWidths.append(columns)
    }
    shrink(&widths, to: display.width)
    line(
      styles.map(\.heading), styles.map { TextWidth.columns($0.heading) }, widths, display,
      paint: display.hasColor ? "\u{1B}[2m" : nil, to: &out)
    for (row, columns) in zip(rows, cellWidths) {
      line(
        row.cells, columns, widths, display,
        paint: display.hasColor && row.isDim ? "\u{1B}[2m" : nil, to: &out)
    }
  }

  private func shrink(_ widths: inout [Int], to limit: Int) {
    guard limit > 0 else { return }
    let total = widths.reduce(1, +) + 2 * (widths.count - 1)
    var excess = total - limit
    // Flexible columns first, then whatever is widest, down to a legible rest.
    for index in styles.indices where styles[index].isFlexible && excess > 0 {
      let cut = min(excess, max(0, widths[index] - 16))
      widths[index] -= cut
      excess -= cut
    }
    while excess > 0, let index = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[index] > 8
    {
      widths[index] -= 1
      excess -= 1
    }
  }

  private func line(
    _ cells: [String], _ columns: [Int], _ widths: [Int], _ display: Display, paint: String?,
    to out: inout [UInt8]
  ) {
    if let paint { out.append(contentsOf: paint.utf8) }
    var pending = 1
    for index in cells.indices {
      var text = cells[index]
      var width = columns[index]
      if width > widths[index] {
        text = TextWidth.fitting(text, widths[index], mark: display.hasUnicode ? "…" : "~")
        width = TextWidth.columns(text)
      }
      let gap = widths[index] - width
      if styles[index].isRight { pending += gap }
      if width > 0 {
        // Blanks at the end of a line are never written.
        out.append(contentsOf: repeatElement(0x20, count: pending))
        out.append(contentsOf: text.utf8)
        pending = 0
      }
      pending += (styles[index].isRight ? 0 : gap) + 2
      if width == 0, styles[index].isRight { pending += 0 }
    }
    if paint != nil { out.append(contentsOf: "\u{1B}[0m".utf8) }
    out.append(0x0A)
  }
}
