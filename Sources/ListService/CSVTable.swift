// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListFormats
import ListModel

/// The rows of a CSV file against the columns of a list.
struct CSVTable {
  /// Where a column of the file goes.
  enum Binding {
    case column(Column, FieldName)
    case done
    case note
  }

  let headings: [String]
  let rows: [CSV.Row]

  init(
    header: CSV.Row, rows: [CSV.Row], _ map: [(heading: String, column: String)]
  ) throws(Problem) {
    var names = header.fields.map(\.string)
    for pair in map {
      guard let at = header.fields.firstIndex(where: { sameBytes($0.string, pair.heading) }) else {
        throw Problem(
          .unknownColumn, "the file has no column \(pair.heading)",
          suggest: Suggestion.nearest(to: pair.heading, among: names))
      }
      names[at] = pair.column
    }
    for (at, name) in names.enumerated() where names[..<at].contains(where: { sameBytes($0, name) })
    {
      throw Problem(.malformed, "two columns of the file are called \(name)")
    }
    headings = names
    self.rows = rows
  }

  /// The column of the file that is the text of the items: `text`, else the first.
  private var titleIndex: Int { headings.firstIndex { sameBytes($0, "text") } ?? 0 }

  /// Columns for a list that has none: the title first, others typed where every value of the file
  /// reads as that type and prints back byte for byte.
  func inferredColumns() -> [Column] {
    var out = [Column(name: columnName(titleIndex))]
    for at in headings.indices where at != titleIndex {
      if isBuiltIn(headings[at]) { continue }
      out.append(Column(name: columnName(at), type: inferredType(at)))
    }
    return out
  }

  private func isBuiltIn(_ name: String) -> Bool {
    sameBytes(name, "done") || sameBytes(name, "note")
  }

  /// A heading as a column name: what no name may have is left out.
  private func columnName(_ at: Int) -> String {
    var name = String(
      headings[at].unicodeScalars.filter {
        $0 != "/" && $0 != ":" && $0 != "=" && $0.properties.generalCategory != .control
      }.map(Character.init))
    while name.hasPrefix("@") { name.removeFirst() }
    while name.utf8.count > Limits.fieldNameBytesMax - 4 { name.removeLast() }
    if name.utf8.allSatisfy({ $0 == 0x20 }) { name = "column \(at + 1)" }
    let isTitle = at == titleIndex
    if !isTitle, Column.reservedNames.contains(where: { sameBytes($0, name) }) { name += "_" }
    return name
  }

  private func inferredType(_ at: Int) -> ColumnType {
    let filled = rows.filter { !$0.fields[at].utf8.isEmpty }
    if filled.isEmpty { return .text }
    for type in [ColumnType.int, .num, .bool, .date, .time] {
      let fits = filled.allSatisfy { row in
        let text = row.fields[at].string
        guard let value = ValueText.value(of: text, type) else { return false }
        return sameBytes(ValueText.print(value), text)
      }
      if fits { return type }
    }
    return .text
  }

  /// One sentence for each column that is text only because its values would be written otherwise.
  func unconverted(_ list: String) -> [String] {
    var out: [String] = []
    for at in headings.indices where at != titleIndex && !isBuiltIn(headings[at]) {
      guard inferredType(at) == .text else { continue }
      let filled = rows.map { $0.fields[at].string }.filter { !$0.isEmpty }
      if let comma = decimalComma(filled) {
        out.append(
          "\(columnName(at)) stays text, as numbers have a point here, not \"\(comma)\"; "
            + "write points before the import to have numbers")
        continue
      }
      guard !filled.isEmpty,
        let type = [ColumnType.int, .num, .date, .time].first(where: { type in
          filled.allSatisfy { ValueText.value(of: $0, type) != nil }
        }),
        let other = filled.first(where: { text in
          ValueText.value(of: text, type).map { !sameBytes(ValueText.print($0), text) } ?? false
        }), let value = ValueText.value(of: other, type)
      else { continue }
      let name = columnName(at)
      out.append(
        "\(name) stays text, as \"\(other)\" would be written \(ValueText.print(value));"
          + " to convert it: hedge cols @\(list) retype \(name) \(type.spelling)")
    }
    return out
  }

  /// A value with a decimal comma where all are numbers but for such commas.
  private func decimalComma(_ texts: [String]) -> String? {
    let pointed = texts.map { text in String(text.map { $0 == "," ? "." : $0 }) }
    guard pointed.allSatisfy({ ValueText.decimal($0) != nil }) else { return nil }
    return texts.first { $0.contains(",") }
  }

  /// The heading of the items' text as the file has it.
  var title: String { headings[titleIndex] }

  /// What people write in a box that is ticked.
  static func isTick(_ text: String) -> Bool {
    if ["x", "\u{2713}", "\u{2714}", "[x]", "y", "done"].contains(where: {
      sameBytes($0, text.lowercased())
    }) {
      return true
    }
    return ValueText.value(of: text, .bool) == .bool(true)
  }

  /// Where each column of the file goes, in the order of the file.
  func bindings(_ schema: ListSchema, _ list: String) throws(Problem) -> [Binding] {
    var out: [Binding] = []
    for at in headings.indices {
      let name = headings[at]
      if sameBytes(name, "done") {
        out.append(.done)
      } else if sameBytes(name, "note") {
        out.append(.note)
      } else if sameBytes(name, "text") || (schema.titleColumn == nil && at == titleIndex) {
        out.append(.column(schema.titleColumn ?? Column(name: "item"), .text))
      } else if let column = schema.column(named: name) ?? schema.column(named: columnName(at)) {
        out.append(.column(column, column == schema.titleColumn ? .text : column.field))
      } else {
        throw schema.unknown(column: name, list: list)
      }
    }
    guard out.contains(where: { if case .column(_, .text) = $0 { true } else { false } }) else {
      throw Problem(
        .missingValue, "no column of the file is the text of the items",
        detail: "name one \(schema.title), or --map HEADING=\(schema.title)")
    }
    return out
  }

  /// The cells of a row.
  func cells(
    _ row: CSV.Row, _ bindings: [Binding], _ schema: ListSchema
  ) throws(Problem) -> [(field: FieldName, value: Value)] {
    var out: [(field: FieldName, value: Value)] = []
    for (at, binding) in bindings.enumerated() {
      let text = row.fields[at].string
      switch binding {
      case .done:
        if Self.isTick(text) { out.append((.done, .bool(true))) }
      case .note:
        if !text.isEmpty { out.append((.note, .text(try TransactionPlanner.checked(text)))) }
      case .column(_, .text): out.append((.text, .text(try TransactionPlanner.checked(text))))
      case .column(let column, let field):
        if text.isEmpty && !column.isRequired { continue }
        guard column.type != .counter else { continue }
        out.append((field, try ValueText.parse(text, as: column)))
      }
    }
    return out
  }

  func key(_ name: String, _ row: CSV.Row) throws(Problem) -> Text {
    guard let at = headings.firstIndex(where: { sameBytes($0, name) }) else {
      throw Problem(
        .unknownColumn, "the file has no column \(name) to serve as key",
        suggest: Suggestion.nearest(to: name, among: headings))
    }
    return row.fields[at]
  }
}
