// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// Which items of a list to show, and how.
public struct ItemsQuery: Hashable, Sendable {
  /// Which items by state.
  public enum Show: String, CaseIterable, Sendable {
    case open, all, done
  }
  /// Only the children of the list, or all below it.
  public enum Shape: String, CaseIterable, Sendable {
    case flat, tree
  }

  public var list: ListSelector?
  /// All of these are in the text; case does not count.
  public var words: [String]
  public var show: Show
  public var filters: [Filter]
  /// Sorts the view; the shared order stays. Empty: the shared order.
  public var sort: [SortKey]
  /// Only these columns, in this order; empty: all.
  public var columns: [String]
  public var shape: Shape
  /// Rows at most; `nil` for all.
  public var limit: Int?
  /// Start behind this item.
  public var after: ItemSelector?

  public init(
    list: ListSelector? = nil, words: [String] = [], show: Show = .open, filters: [Filter] = [],
    sort: [SortKey] = [], columns: [String] = [], shape: Shape = .flat, limit: Int? = nil,
    after: ItemSelector? = nil
  ) {
    (self.list, self.words, self.show, self.filters) = (list, words, show, filters)
    (self.sort, self.columns, self.shape) = (sort, columns, shape)
    (self.limit, self.after) = (limit, after)
  }
}

/// A column to sort a view by.
public struct SortKey: Hashable, Sendable {
  /// `text` or the title's name is the text of the items.
  public var column: String
  public var isDescending: Bool
  public init(column: String, isDescending: Bool = false) {
    (self.column, self.isDescending) = (column, isDescending)
  }

  /// Reads `price`, `-price` (descending).
  public init(parsing text: String) {
    let isDescending = text.utf8.first == 0x2D
    self.init(column: isDescending ? String(text.dropFirst()) : text, isDescending: isDescending)
  }

  public var spelling: String { (isDescending ? "-" : "") + column }
}

/// A condition on one column: `price>100`, `store=corner`, `text~milk`.
public struct Filter: Hashable, Sendable {
  public enum Test: String, CaseIterable, Sendable {
    // Longer spellings first: they are tried in this order.
    case atMost = "<=", atLeast = ">=", notEqual = "!=", equal = "=", less = "<", greater = ">"
    case contains = "~"
  }

  /// `text` or the title's name is the text of the item, `state` is `open` or `done`.
  public var column: String
  public var test: Test
  public var operand: String
  public init(column: String, test: Test, operand: String) {
    (self.column, self.test, self.operand) = (column, test, operand)
  }

  /// Reads a condition; the first operator in the text counts.
  /// - Throws: `usage` without an operator or a column.
  public init(parsing text: String) throws(Problem) {
    var index = text.startIndex
    while index < text.endIndex {
      let rest = text[index...]
      if let test = Test.allCases.first(where: { rest.hasPrefix($0.rawValue) }) {
        let column = String(text[..<index])
        guard !column.isEmpty else { break }
        self.init(
          column: column, test: test, operand: String(rest.dropFirst(test.rawValue.count)))
        return
      }
      index = text.index(after: index)
    }
    throw Problem(
      .usage, "\"\(text)\" is no condition",
      detail: "write COLUMN, one of = != < <= > >= ~, and a value: 'price>100'")
  }

  public var spelling: String { column + test.rawValue + operand }

  /// Whether a cell fulfils the condition; a cell without a value fulfils only `!=` and `=` nothing.
  ///
  /// Numbers, dates and moments compare as such, all other values as text.
  /// - Throws: `invalidValue` if the operand is no value of the column's type.
  public func accepts(_ value: Value?, _ type: ColumnType) throws(Problem) -> Bool {
    let value = value ?? .null
    if test == .contains {
      let text = ValueText.print(value).lowercased()
      return Self.contains(text, operand.lowercased())
    }
    if operand.isEmpty || value == .null {
      let isSame = operand.isEmpty && value == .null
      return test == .equal ? isSame : test == .notEqual && !isSame
    }
    let order = ValueOrder.compare(value, try wanted(type))
    switch test {
    case .equal: return order == 0
    case .notEqual: return order != 0
    case .less: return order < 0
    case .atMost: return order <= 0
    case .greater: return order > 0
    case .atLeast: return order >= 0
    case .contains: return false
    }
  }

  /// Refuses an operand that no cell of such a column can be compared with.
  /// - Throws: `invalidValue` that names the operand and the type.
  public func check(_ type: ColumnType) throws(Problem) {
    if test != .contains, !operand.isEmpty { _ = try wanted(type) }
  }

  private func wanted(_ type: ColumnType) throws(Problem) -> Value {
    switch type {
    case .text, .person, .url, .options: return .text(operand)
    default:
      guard let parsed = ValueText.value(of: operand, type == .int ? .num : type) else {
        throw Problem(
          .invalidValue, "\(column) cannot be compared with \"\(operand)\"",
          detail: "\(column) is \(ValueText.describe(type))")
      }
      return parsed
    }
  }

  static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (Array(text.utf8), Array(part.utf8))
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { start in
      text[start..<(start + part.count)].elementsEqual(part)
    }
  }
}

/// The order of values in a sorted view.
public enum ValueOrder {
  /// Negative, zero or positive. Kinds: cleared last, numbers by size, others by bytes.
  public static func compare(_ a: Value, _ b: Value) -> Int {
    switch (a, b) {
    case (.null, .null): return 0
    case (.null, _): return 1
    case (_, .null): return -1
    case (.date(let x), .date(let y)): return x < y ? -1 : x > y ? 1 : 0
    case (.time(let x), .time(let y)): return x < y ? -1 : x > y ? 1 : 0
    case (.bool(let x), .bool(let y)): return x == y ? 0 : y ? -1 : 1
    default:
      if let x = decimal(a), let y = decimal(b) { return compare(x, y) }
      return compareText(ValueText.print(a), ValueText.print(b))
    }
  }

  /// Compares texts without case first, then by bytes.
  public static func compareText(_ a: String, _ b: String) -> Int {
    let (x, y) = (Array(a.lowercased().utf8), Array(b.lowercased().utf8))
    if x.lexicographicallyPrecedes(y) { return -1 }
    if y.lexicographicallyPrecedes(x) { return 1 }
    if a.utf8.lexicographicallyPrecedes(b.utf8) { return -1 }
    return b.utf8.lexicographicallyPrecedes(a.utf8) ? 1 : 0
  }

  private static func decimal(_ value: Value) -> (Int64, UInt8)? {
    switch value {
    case .int(let number): (number, 0)
    case .decimal(let mantissa, let scale): (mantissa, scale)
    default: nil
    }
  }

  private static func compare(_ a: (Int64, UInt8), _ b: (Int64, UInt8)) -> Int {
    // Whole parts first, then the rest at one scale of 18 places, which fits 64 bits.
    let (x, y) = (parts(a), parts(b))
    if x.whole != y.whole { return x.whole < y.whole ? -1 : 1 }
    return x.rest < y.rest ? -1 : x.rest > y.rest ? 1 : 0
  }

  private static func parts(_ number: (Int64, UInt8)) -> (whole: Int64, rest: Int64) {
    var unit: Int64 = 1
    for _ in 0..<min(number.1, 18) { unit *= 10 }
    var padding: Int64 = 1
    for _ in min(number.1, 18)..<18 { padding *= 10 }
    return (number.0 / unit, number.0 % unit * padding)
  }
}
