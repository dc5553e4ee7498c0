// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// A value as a client gives it; what it means depends on the column it is written to.
public enum CellInput: Hashable, Sendable {
  /// A word of a command line or a JSON string: read as the column's type.
  case text(String)
  /// A JSON number, its literal kept exactly.
  case number(String)
  case bool(Bool)
  /// `qty=`, JSON `null`.
  case clear
  /// `qty+=1`, `qty-=1`, JSON `{"inc":1}`: the signed amount.
  case increment(String)
  /// `tomorrow`, `2026-12-24 18:00` of a command line, and what that is as a date and as a moment where
  /// it was typed: a column of these types takes that, any other the text.
  case timed(String, date: String?, time: String?)

  /// What the input does to a cell, once the column is known.
  public enum Effect: Hashable, Sendable {
    case set(Value)
    /// The value that is added: `.int`, or `.decimal` for a `num` column.
    case add(Value)
  }

  /// Reads the input for a column.
  ///
  /// A counter takes increments only. Other numeric columns take both; adding to them is read-modify-
  /// write in one transaction, by the agent.
  /// - Throws: `invalidValue`, `missingValue`.
  public func effect(on column: Column) throws(Problem) -> Effect {
    switch self {
    case .increment(let amount):
      switch column.type {
      case .int, .num, .counter: return .add(try ValueText.parse(amount, as: column))
      default:
        throw Problem(
          .invalidValue, "\(column.name) cannot be counted up",
          detail:
            "\(column.name) is \(ValueText.describe(column.type)); += works on int, num, counter")
      }
    case .timed(let text, let date, let time):
      let meant: String? =
        switch column.type {
        case .date: date
        case .time: time
        default: text
        }
      return try CellInput.text(meant ?? text).effect(on: column)
    case .text(let text), .number(let text):
      if column.type == .counter {
        throw Problem(
          .invalidValue, "\(column.name) is a counter and cannot be set",
          detail: "write \(column.name)+=1 or \(column.name)-=1")
      }
      return .set(try ValueText.parse(text, as: column))
    case .bool(let flag):
      return .set(try ValueText.parse(flag ? "true" : "false", as: column))
    case .clear:
      guard column.type != .counter else {
        throw Problem(.invalidValue, "\(column.name) is a counter and cannot be cleared")
      }
      if column.isRequired { return .set(try ValueText.parse("", as: column)) }
      return .set(.null)
    }
  }
}

/// One column of one item, to be written.
public struct CellWrite: Hashable, Sendable {
  public var column: String
  public var input: CellInput
  public init(column: String, input: CellInput) { (self.column, self.input) = (column, input) }

  /// Reads `name=value`, `name=`, `name+=n`, `name-=n`; `nil` for a word of another shape.
  ///
  /// The name starts with a letter or `_` and has letters, digits, `_`, `-`, `.` and spaces.
  public init?(parsing word: String) {
    guard let equals = word.firstIndex(of: "="), equals != word.startIndex else { return nil }
    var name = word[..<equals]
    let value = String(word[word.index(after: equals)...])
    var sign: Character?
    if let last = name.last, last == "+" || last == "-" {
      sign = last
      name.removeLast()
    }
    guard let first = name.unicodeScalars.first, first.properties.isAlphabetic || first == "_",
      name.last != " ",
      name.unicodeScalars.allSatisfy({
        $0.properties.isAlphabetic || $0.properties.numericType != nil
          || "_-. ".unicodeScalars
            .contains($0)
      })
    else { return nil }
    column = String(name)
    switch sign {
    case "+": input = .increment(value)
    case "-": input = .increment(value.hasPrefix("-") ? String(value.dropFirst()) : "-" + value)
    default: input = value.isEmpty ? .clear : .text(value)
    }
  }
}
