// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The screen: lists to the left where there is room, rows, a line to type in, a line of truth.
extension LiveView {
  /// Narrower terminals show the lists' names in the heading only.
  static let sideWidthMin = 60
  static let sideColumns = 18

  private var left: Int { width >= Self.sideWidthMin ? Self.sideColumns + 2 : 0 }

  /// Lines that rows can take: all but heading, message and status.
  var rowLines: Int { max(1, height - 3) }

  /// Draws the whole screen as it is at a moment.
  package mutating func draw() -> Screen {
    var screen = Screen(height: height, width: width)
    if mode == .help {
      drawHelp(&screen)
      return screen
    }
    keepSelectionOnScreen()
    if left > 0 { drawLists(&screen) }
    drawHeading(&screen)
    drawRows(&screen)
    drawMessage(&screen)
    screen.put(
      CellText.padded(" " + statusText, width), line: height - 1, column: 0, style: .status)
    return screen
  }

  private mutating func keepSelectionOnScreen() {
    firstLine = min(firstLine, max(0, rows.count - rowLines))
    if selectedIndex < firstLine { firstLine = selectedIndex }
    if selectedIndex >= firstLine + rowLines { firstLine = selectedIndex - rowLines + 1 }
  }

  private func drawLists(_ screen: inout Screen) {
    screen.put("Lists", line: 0, column: 1, limit: Self.sideColumns, style: .heading)
    let at = lists.firstIndex { $0.id == listID } ?? 0
    let first = max(0, min(at - rowLines / 2, lists.count - rowLines))
    for (line, list) in lists.dropFirst(first).prefix(rowLines).enumerated() {
      let count = String(list.openCount)
      let name = CellText.padded(list.name, Self.sideColumns - count.count - 2)
      let isShown = list.id == listID
      screen.put(
        (isShown ? ">" : " ") + "\(name) \(count)", line: line + 1, column: 0,
        limit: Self.sideColumns, style: isShown ? .bold : .dim)
    }
    for line in 0..<(height - 1) {
      screen.put(
        hasUnicode ? "│" : "|", line: line, column: Self.sideColumns, limit: 1, style: .dim)
    }
  }

  private func drawHeading(_ screen: inout Screen) {
    guard let list else {
      return screen.put(
        isConnected ? "no list yet: N makes one" : "connecting", line: 0, column: left,
        style: .heading)
    }
    var parts = ["\(list.openCount) open, \(list.doneCount) done"]
    if !words.isEmpty { parts.append("only \"\(words.joined(separator: " "))\"") }
    if isSorted { parts.append("sorted") }
    if !showsDone { parts.append("done hidden") }
    let dot = hasUnicode ? " · " : " | "
    screen.put(
      list.name + dot + parts.joined(separator: dot), line: 0, column: left, style: .heading)
  }

  private func drawRows(_ screen: inout Screen) {
    if rows.isEmpty {
      let text =
        !isLoaded
        ? "loading" : list == nil ? "" : words.isEmpty ? "empty: a adds the first item" : "no match"
      return screen.put(text, line: 1, column: left, style: .dim)
    }
    let room = width - left
    let columns = columnWidths(room)
    for line in 0..<min(rowLines, rows.count - firstLine) {
      drawRow(firstLine + line, line + 1, room, columns, &screen)
    }
  }

  /// A column as it is drawn: its width, and the decimal places that all its numbers get.
  private struct DrawnColumn {
    let column: LiveColumn
    let width: Int
    let places: Int

    func text(of row: LiveRow) -> String {
      CellText.padded(
        ShownNumber.text(row.cells[column.name] ?? "", places: places), width,
        toRight: column.isNumeric)
    }
  }

  private func drawRow(
    _ index: Int, _ line: Int, _ room: Int, _ columns: [DrawnColumn], _ screen: inout Screen
  ) {
    let row = rows[index]
    let isSelected = index == selectedIndex
    let base: Style =
      isSelected ? .selected : marks[row.id] != nil ? .changed : row.isDone ? .dim : .plain
    let tick = row.isDone ? (hasUnicode ? "✓" : "x") : " "
    let indent = String(repeating: "  ", count: min(row.depth, room / 8))
    let textRoom = max(1, room - columns.reduce(0) { $0 + $1.width + 2 } - 1)
    let lead = "\(isSelected ? ">" : " ")[\(tick)] \(indent)"
    var at = left
    let bell = watched.contains(row.id) ? (hasUnicode ? " ♪" : " !") : ""
    screen.put(
      CellText.padded(lead + row.text + bell, textRoom), line: line, column: at, style: base)
    if let mark = marks[row.id] { drawMark(mark, line, at + textRoom, textRoom / 3, &screen) }
    at += textRoom
    for column in columns {
      screen.put(
        "  " + column.text(of: row), line: line, column: at, limit: column.width + 2, style: base)
      at += column.width + 2
    }
  }

  /// Puts who changed a row, and by how much, at the right end of its text.
  private func drawMark(
    _ mark: Mark, _ line: Int, _ end: Int, _ widthMax: Int, _ screen: inout Screen
  ) {
    let text = " \(mark.delta.map { $0 + " " } ?? "")\(mark.by)"
    let width = min(CellText.columns(text), widthMax)
    let isDown = mark.delta.map { $0.hasPrefix("▼") || $0.hasPrefix("-") } ?? false
    screen.put(
      text, line: line, column: end - width, limit: width,
      style: mark.delta == nil ? .changed : isDown ? .down : .up)
  }

  /// Columns that fit beside the text: at most half of the room for all.
  private func columnWidths(_ room: Int) -> [DrawnColumn] {
    var left = room / 2
    var out: [DrawnColumn] = []
    let shown = rows[firstLine..<min(firstLine + rowLines, rows.count)]
    for column in list?.columns ?? [] {
      let texts = shown.map { $0.cells[column.name] ?? "" }
      let places = column.isNumeric ? texts.map(ShownNumber.places).max() ?? 0 : 0
      let widths = texts.map { CellText.columns(ShownNumber.text($0, places: places)) }
      let width = min(widths.max() ?? 0, 20)
      guard width > 0 else { continue }
      guard width + 2 <= left else { break }
      left -= width + 2
      out.append(DrawnColumn(column: column, width: width, places: places))
    }
    return out
  }

  private func drawMessage(_ screen: inout Screen) {
    let line = height - 2
    switch mode {
    case .typing(let prompt):
      var label = prompt.label
      if let theirs = prompt.theirs {
        screen.put(
          "changed by \(theirs.by): \(theirs.text)  (Enter keeps yours, Ctrl-R takes theirs)",
          line: line - 1, column: 0, style: .warning)
      }
      if let refusal = prompt.refusal {
        screen.put(
          CellText.padded(refusal, width), line: line - 1, column: 0, style: .warning)
      }
      if width < 30 { label = "" }
      let start = CellText.columns(label)
      let (text, column) = prompt.editor.window(max(1, width - start - 1))
      screen.put(CellText.padded(label + text, width), line: line, column: 0, style: .bold)
      screen.cursor = (line, min(start + column, width - 1))
    case .confirming(_, let text, let count):
      screen.put(
        CellText.padded("delete \(text) with \(count) items under it? y deletes", width),
        line: line, column: 0, style: .warning)
    default:
      if let message { screen.put(message.text, line: line, column: left, style: .dim) }
    }
  }

  private func drawHelp(_ screen: inout Screen) {
    screen.put("Keys (any key goes back)", line: 0, column: 1, style: .heading)
    for (line, entry) in Self.keyTable.prefix(max(0, height - 1)).enumerated() {
      screen.put(entry.keys, line: line + 1, column: 1, limit: 17, style: .bold)
      screen.put(entry.what, line: line + 1, column: 19)
    }
  }
}
