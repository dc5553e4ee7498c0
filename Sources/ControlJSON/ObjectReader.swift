// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListFormats
import ListModel

/// Takes the members of a JSON object one by one; what is left over at the end is unknown.
struct ObjectReader {
  private var members: [(key: String, value: JSONValue)]
  /// Where the object stands in the body, for messages: `ops[2]`.
  private let place: String
  private var asked: [String] = []

  init(_ value: JSONValue, at place: String) throws(Problem) {
    guard case .object(let members) = value else {
      throw Problem(.malformed, "\(place) is not an object")
    }
    self.place = place
    self.members = []
    for (key, value) in members {
      let name = key.string
      guard !self.members.contains(where: { sameBytes($0.key, name) }) else {
        throw Problem(.malformed, "\(place) has the field \(name) twice")
      }
      self.members.append((name, value))
    }
  }

  /// Takes a member out; `nil` if it is absent.
  mutating func take(_ name: String) -> JSONValue? {
    asked.append(name)
    guard let index = members.firstIndex(where: { sameBytes($0.key, name) }) else { return nil }
    return members.remove(at: index).value
  }

  /// Takes a string; `nil` if absent or `null`.
  mutating func text(_ name: String) throws(Problem) -> String? {
    switch take(name) {
    case nil, .null: return nil
    case .string(let text): return text.string
    default: throw wrong(name, "a string")
    }
  }

  /// Takes a string that must be there.
  mutating func needText(_ name: String) throws(Problem) -> String {
    guard let text = try text(name) else {
      throw Problem(.missingValue, "\(place) needs the field \(name)")
    }
    return text
  }

  /// Takes `true` or `false`; `false` if absent.
  mutating func flag(_ name: String) throws(Problem) -> Bool {
    switch take(name) {
    case nil, .null: return false
    case .bool(let flag): return flag
    default: throw wrong(name, "true or false")
    }
  }

  /// Takes a whole number of 0...1,000,000,000; `nil` if absent.
  mutating func count(_ name: String) throws(Problem) -> Int? {
    switch take(name) {
    case nil, .null: return nil
    case .number(let literal):
      guard let number = Int(literal.string), (0...1_000_000_000).contains(number) else {
        throw wrong(name, "a whole number")
      }
      return number
    default: throw wrong(name, "a whole number")
    }
  }

  /// Takes an array; `nil` if absent.
  mutating func array(_ name: String) throws(Problem) -> [JSONValue]? {
    switch take(name) {
    case nil, .null: return nil
    case .array(let values): return values
    default: throw wrong(name, "an array")
    }
  }

  /// Takes an array of strings; empty if absent.
  mutating func texts(_ name: String) throws(Problem) -> [String] {
    var out: [String] = []
    for value in try array(name) ?? [] {
      guard case .string(let text) = value else { throw wrong(name, "an array of strings") }
      out.append(text.string)
    }
    return out
  }

  /// Takes an object of columns and their new values; empty if absent.
  mutating func cells(_ name: String) throws(Problem) -> [CellWrite] {
    guard let value = take(name), value != .null else { return [] }
    guard case .object(let members) = value else { throw wrong(name, "an object") }
    var cells: [CellWrite] = []
    for (key, value) in members {
      cells.append(CellWrite(column: key.string, input: try Self.input(value, key.string)))
    }
    return cells
  }

  private static func input(_ value: JSONValue, _ column: String) throws(Problem) -> CellInput {
    switch value {
    case .null: return .clear
    case .bool(let flag): return .bool(flag)
    case .number(let literal): return .number(literal.string)
    case .string(let text): return .text(text.string)
    case .object(let members):
      if members.count == 1, sameBytes(members[0].key.string, "inc") {
        switch members[0].value {
        case .number(let amount), .string(let amount): return .increment(amount.string)
        default: break
        }
      }
      if let timed = timed(members) { return timed }
      throw Problem(
        .invalidValue, "\(column) is not a value",
        detail: "an object can only be {\"inc\": 1} or a text with its date and time")
    case .array:
      throw Problem(.invalidValue, "\(column) is an array, not a value")
    }
  }

  /// A text with its meanings; `nil` for an object of another shape.
  private static func timed(_ members: [(key: Text, value: JSONValue)]) -> CellInput? {
    var (text, date, time) = (String?.none, String?.none, String?.none)
    for (key, value) in members {
      guard case .string(let held) = value else { return nil }
      switch key.string {
      case "text": text = held.string
      case "date": date = held.string
      case "time": time = held.string
      default: return nil
      }
    }
    return text.map { .timed($0, date: date, time: time) }
  }

  /// Refuses what nobody asked for, with the nearest known name.
  func finish() throws(Problem) {
    guard let first = members.first else { return }
    throw Problem(
      .unknownField, "\(place) has an unknown field \(first.key)",
      detail: "known: \(asked.joined(separator: ", "))",
      suggest: Suggestion.nearest(to: first.key, among: asked))
  }

  private func wrong(_ name: String, _ wanted: String) -> Problem {
    Problem(.malformed, "\(name) in \(place) is not \(wanted)")
  }
}
