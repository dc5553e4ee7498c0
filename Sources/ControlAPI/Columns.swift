// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// The type of a column.
public enum ColumnType: Hashable, Sendable {
  case text, int, num, bool, date, time, url, person, counter
  /// One of these words; 1 or more, without `|`, `(` and `)`.
  case options([String])

  /// `int`, `enum(a|b)`, …: as in the column's field and in JSON.
  public var spelling: String {
    switch self {
    case .text: "text"
    case .int: "int"
    case .num: "num"
    case .bool: "bool"
    case .date: "date"
    case .time: "time"
    case .url: "url"
    case .person: "person"
    case .counter: "counter"
    case .options(let words): "enum(\(words.joined(separator: "|")))"
    }
  }

  /// Reads a spelling; `nil` for an unknown type.
  public init?(spelling: String) {
    let plain: [ColumnType] = [.text, .int, .num, .bool, .date, .time, .url, .person, .counter]
    if let type = plain.first(where: { sameBytes($0.spelling, spelling) }) {
      self = type
      return
    }
    guard spelling.hasPrefix("enum("), spelling.hasSuffix(")") else { return nil }
    let words = spelling.dropFirst(5).dropLast().split(
      separator: "|", omittingEmptySubsequences: false
    ).map(String.init)
    guard !words.isEmpty, !words.contains(where: { $0.isEmpty || $0.contains("(") }) else {
      return nil
    }
    self = .options(words)
  }
}

/// One declared column of a list.
///
/// Stored as the field `col/<key>` of the list's item; its value is the text of `stored`.
public struct Column: Hashable, Sendable {
  public var name: String
  /// What its values are kept under: the name it was declared with, whatever it is called now. `nil`
  /// where that is the name.
  public var key: String?
  public var type: ColumnType
  public var isRequired: Bool
  /// What a new item gets where nothing is given, as text of the column's type.
  public var defaultText: String?

  public init(
    name: String, type: ColumnType = .text, isRequired: Bool = false, defaultText: String? = nil
  ) {
    (self.name, self.type) = (name, type)
    (self.isRequired, self.defaultText) = (isRequired, defaultText)
  }

  /// `text!`, `enum(admin|guest)=guest`: type, `!` if required, `=default`.
  public var spec: String {
    type.spelling + (isRequired ? "!" : "") + (defaultText.map { "=\($0)" } ?? "")
  }

  /// What its values are kept under.
  public var fieldKey: String { key ?? name }
  /// The field that declares this column on its list.
  public var declaration: FieldName { .named("col/" + fieldKey) }
  /// The field of an item that holds this column's value.
  public var field: FieldName { .named(fieldKey) }
  /// The value of the declaring field: the spec, behind `:name:` where the column was renamed.
  public var stored: String { key == nil ? spec : ":\(name):\(spec)" }

  /// Names that fields of the product itself have.
  public static let reservedNames = [
    "text", "done", "note", "columns", "columns.title", "id", "handle", "state", "place", "life",
  ]

  /// Reads the field `col/<key>` with the value `stored`.
  ///
  /// A column of a type that this version does not know is shown as text.
  public init(key: String, stored: String) {
    var (name, spec) = (key, stored[...])
    if stored.utf8.first == 0x3A, let end = stored.dropFirst().firstIndex(of: ":") {
      name = String(stored[stored.index(after: stored.startIndex)..<end])
      spec = stored[stored.index(after: end)...]
    }
    self.init(name: name)
    if let column = try? Column(parsing: "\(name):\(spec)") { self = column }
    self.key = sameBytes(name, key) ? nil : key
  }

  /// Reads `NAME`, `NAME:TYPE`, `NAME:TYPE!`, `NAME:TYPE=DEFAULT` as in `hedge new`.
  ///
  /// - Throws: `invalidName`, `invalidValue` with what is allowed.
  public init(parsing text: String) throws(Problem) {
    guard let colon = text.firstIndex(of: ":") else {
      self.init(name: text)
      try Self.check(name: text)
      return
    }
    let name = String(text[..<colon])
    try Self.check(name: name)
    var rest = String(text[text.index(after: colon)...])
    var defaultText: String?
    if let equals = rest.firstIndex(of: "=") {
      defaultText = String(rest[rest.index(after: equals)...])
      rest = String(rest[..<equals])
    }
    let isRequired = rest.hasSuffix("!")
    if isRequired { rest.removeLast() }
    guard let type = ColumnType(spelling: rest.isEmpty ? "text" : rest) else {
      let types = [
        "text", "int", "num", "bool", "date", "time", "enum(a|b)", "url", "person", "counter",
      ]
      throw Problem(
        .invalidValue, "no column type \(rest)", detail: "types: \(types.joined(separator: ", "))",
        suggest: Suggestion.nearest(to: rest, among: types))
    }
    self.init(name: name, type: type, isRequired: isRequired, defaultText: defaultText)
    if let defaultText {
      if case .counter = type {
        throw Problem(.invalidValue, "a counter column has no default: it starts at 0")
      }
      _ = try ValueText.parse(defaultText, as: self)
    }
  }

  /// Refuses names that no column can have.
  public static func check(name: String) throws(Problem) {
    if let defect = NameRule.defect(of: name) {
      throw Problem(.invalidName, "the column name \"\(name)\" \(defect)")
    }
    // `col/` and the name must fit a field name.
    guard name.utf8.count <= Limits.fieldNameBytesMax - 4 else {
      throw Problem(
        .invalidName, "the column name \"\(name)\" is longer than 60 bytes",
        detail: "shorten it")
    }
    guard !name.utf8.contains(0x3A), !name.utf8.contains(0x3D) else {
      throw Problem(.invalidName, "the column name \"\(name)\" contains : or =")
    }
    guard !reservedNames.contains(where: { sameBytes($0, name) }) else {
      throw Problem(
        .invalidName, "the column name \(name) is taken by hedgerow itself",
        detail: "choose another name")
    }
  }
}

/// The columns of a list, in order, with the rule of the title column.
///
/// The order is the field `columns` of the list's item: keys joined by `/`. Columns that it does
/// not name (added meanwhile on another machine) follow, by the bytes of their keys.
public struct ListSchema: Hashable, Sendable {
  public var columns: [Column]
  /// The key of the title column, empty for none; `nil`: the first column of type text. It is written
  /// when columns are changed, so that the title stays where it is.
  public var titleKey: String?

  /// The field that holds the order of the columns.
  public static let orderField = FieldName.named("columns")

  /// The field that holds `titleKey`.
  public static let titleField = FieldName.named("columns.title")

  public init(columns: [Column] = []) { self.columns = columns }

  /// Reads the fields of a list's item; fields of other kinds are ignored, columns whose value is
  /// not text are dropped columns.
  public init(fields: [(field: FieldName, value: Value)]) {
    var declared: [Column] = []
    var order: [String] = []
    for (field, value) in fields {
      guard case .named(let name) = field, case .text(let text) = value else { continue }
      if field == Self.orderField {
        order = text.string.split(separator: "/").map(String.init)
      } else if field == Self.titleField {
        titleKey = text.string
      } else if name.utf8.starts(with: "col/".utf8) {
        let key = String(decoding: name.utf8.dropFirst(4), as: UTF8.self)
        declared.append(Column(key: key, stored: text.string))
      }
    }
    declared.sort { $0.fieldKey.utf8.lexicographicallyPrecedes($1.fieldKey.utf8) }
    columns = []
    for key in order {
      guard let index = declared.firstIndex(where: { sameBytes($0.fieldKey, key) }) else {
        continue
      }
      columns.append(declared.remove(at: index))
    }
    columns += declared
  }

  /// The fields that declare these columns on a list's item.
  public var fields: [(field: FieldName, value: Value)] {
    guard !columns.isEmpty else { return [] }
    var fields = columns.map { ($0.declaration, Value.text($0.stored)) }
    fields.append((Self.orderField, Value.text(order)))
    if let titleKey { fields.append((Self.titleField, Value.text(titleKey))) }
    return fields
  }

  /// The value of the order field.
  public var order: String { columns.map(\.fieldKey).joined(separator: "/") }

  /// The column whose value is the item's text.
  public var titleColumn: Column? {
    guard let titleKey else { return columns.first { $0.type == .text } }
    return columns.first { sameBytes($0.fieldKey, titleKey) }
  }

  /// The heading of the items' text.
  public var title: String { titleColumn?.name ?? "item" }

  /// The columns that have a value of their own: all but the title column.
  public var valueColumns: [Column] {
    guard let titleColumn else { return columns }
    return columns.filter { !sameBytes($0.fieldKey, titleColumn.fieldKey) }
  }

  /// The column of that name; `nil` if there is none. Case counts.
  public func column(named name: String) -> Column? {
    columns.first { sameBytes($0.name, name) }
  }

  /// The field that a write of column `name` goes to: `.text` for the title column.
  ///
  /// - Throws: `unknownColumn` with the columns there are and a suggestion.
  public func field(named name: String, list: String) throws(Problem) -> (Column, FieldName) {
    guard let column = column(named: name) else { throw unknown(column: name, list: list) }
    return (column, titleColumn == column ? .text : column.field)
  }

  /// The problem of a column that the list does not have.
  public func unknown(column name: String, list: String) -> Problem {
    let names = columns.map(\.name)
    return Problem(
      .unknownColumn, "no column \(name)",
      detail: names.isEmpty
        ? "\(list) has no columns; write text that contains = after --"
        : "\(list) has \(names.joined(separator: ", "))",
      suggest: Suggestion.nearest(to: name, among: names))
  }
}
