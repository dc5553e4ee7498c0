// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

extension Renderer {
  func overviewTable(_ overview: OverviewReply, _ out: inout [UInt8]) {
    if overview.lists.isEmpty {
      Self.line("nothing here yet. A first list:   hedge new groceries", &out)
      Self.line("and something on it:              hedge add milk, eggs, oat milk", &out)
      Self.line("another machine joins with:       hedge invite", &out)
      Self.line("all commands:                     hedge help", &out)
    } else {
      listsTable(overview.lists, &out)
    }
    for warning in overview.status.warnings where warning.code == .removed {
      Self.line("! \(Phrases.text(warning.text))", &out)
    }
    if !overview.status.isRemoved { Self.line(peersPhrase(overview.status.peers), &out) }
  }

  func listsTable(_ rows: [ListRow], _ out: inout [UInt8]) {
    guard !rows.isEmpty else {
      Self.line("no lists yet: hedge new NAME", &out)
      return
    }
    var layout = TableLayout([
      .init(heading: "id"), .init(heading: "list", isFlexible: true),
      .init(heading: "open", isRight: true), .init(heading: "total", isRight: true),
      .init(heading: "last change"), .init(heading: "by"),
    ])
    for row in rows {
      layout.add([
        row.list.handle, Phrases.text(row.list.name), String(row.itemCount - row.doneCount),
        String(row.itemCount), row.at.map(phrases.when) ?? "", Phrases.text(row.by ?? ""),
      ])
    }
    layout.write(display, to: &out)
  }

  func listsPlain(_ rows: [ListRow], _ out: inout [UInt8]) {
    for row in rows {
      Self.tabbed(
        [
          row.list.handle, row.list.name, String(row.itemCount - row.doneCount),
          String(row.itemCount), row.at.map(CivilTime.rfc3339) ?? "", row.by ?? "",
        ], &out)
    }
  }

  func itemsTable(_ page: ItemsPage, _ out: inout [UInt8]) {
    var heading = phrases.bold(Phrases.text(page.list.name)) + phrases.dot
    heading += "\(page.openCount) open"
    if page.doneCount > 0 { heading += ", \(page.doneCount) done" }
    if let note = page.syncNote { heading += phrases.dot + Phrases.text(note) }
    Self.line(heading, &out)
    guard !page.rows.isEmpty else { return }
    var styles: [TableLayout.ColumnStyle] = [
      .init(heading: "#", isRight: true), .init(heading: "id"),
      .init(heading: Phrases.text(page.title), isFlexible: true),
    ]
    styles += page.columns.map {
      .init(heading: Phrases.text($0.name), isRight: $0.type.isNumeric)
    }
    let places = page.columns.indices.map { decimalPlaces(page, column: $0) }
    var layout = TableLayout(styles)
    for row in page.rows {
      var cells = [row.number.map(String.init) ?? "", row.handle, title(of: row, page)]
      for index in page.columns.indices {
        let value = index < row.cells.count ? row.cells[index] : nil
        cells.append(number(value, places[index]))
      }
      layout.add(cells, isDim: row.isDone)
    }
    layout.write(display, to: &out)
  }

  private func title(of row: ItemRow, _ page: ItemsPage) -> String {
    let text = ticked(row) + Phrases.text(row.text)
    let indent = page.isTree ? String(repeating: "  ", count: min(row.depth, 20)) : ""
    guard row.childCount > 0 else { return indent + text }
    let mark = page.isTree ? "" : display.hasUnicode ? "▸ " : "> "
    return "\(indent)\(mark)\(text) (\(row.childCount - row.doneChildCount) of \(row.childCount))"
  }

  /// What stands before the text of a row that is done.
  func ticked(_ row: ItemRow) -> String {
    row.isDone ? (display.hasUnicode ? "✓ " : "x ") : ""
  }

  /// Digits behind the point of a number column: as many as its longest value, so that points align.
  private func decimalPlaces(_ page: ItemsPage, column: Int) -> Int {
    guard page.columns[column].type == .num else { return 0 }
    var places = 0
    for row in page.rows where column < row.cells.count {
      if case .decimal(_, let scale)? = row.cells[column] { places = max(places, Int(scale)) }
    }
    return places > 6 ? 0 : places
  }

  private func number(_ value: Value?, _ places: Int) -> String {
    guard places > 0, case .decimal(_, let scale)? = value, Int(scale) < places else {
      return Phrases.value(value)
    }
    let point = scale == 0 ? "." : ""
    return Phrases.value(value) + point + String(repeating: "0", count: places - Int(scale))
  }

  func itemsPlain(_ page: ItemsPage, _ out: inout [UInt8]) {
    for row in page.rows {
      out.append(contentsOf: row.handle.utf8)
      out.append(contentsOf: (row.isDone ? "\tdone\t" : "\topen\t").utf8)
      if page.isTree { out += Array(repeating: 0x20, count: 2 * row.depth) }
      PrintSafety.append(row.text.utf8, to: &out)
      for index in page.columns.indices {
        out.append(0x09)
        guard index < row.cells.count, let value = row.cells[index] else { continue }
        if case .text(let text) = value {
          PrintSafety.append(text.utf8, to: &out)
        } else {
          PrintSafety.append(Array(ValueText.print(value).utf8), to: &out)
        }
      }
      out.append(0x0A)
    }
  }
}

extension ColumnType {
  /// Whether values stand at the right edge of their column.
  var isNumeric: Bool {
    switch self {
    case .int, .num, .counter: true
    default: false
    }
  }
}
