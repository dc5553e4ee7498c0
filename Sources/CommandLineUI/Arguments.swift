// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// The words of a command line, flags taken out.
struct Arguments {
  struct Word {
    let text: String
    /// Stood behind `--`: never a list, a column or a dash.
    let isLiteral: Bool
  }

  private(set) var words: [Word] = []
  private var values: [(name: String, value: String)] = []
  /// The flags of the verb.
  private let own: [FlagSpec]
  private let asked = Asked()

  /// Flags that the reader of a verb asked for, whether they were given or not; all copies share it.
  private final class Asked {
    var names: [String] = []
  }

  /// Splits `words` by the flags of a verb and the global ones.
  ///
  /// - Throws: `usage` for an unknown flag, a missing or an unexpected value.
  init(_ arguments: [String], verb: VerbSpec?) throws(Problem) {
    own = verb?.flags ?? []
    // A flag of the verb hides the global one of that name, its short form too.
    let specs =
      own
      + CommandTable.globalFlags.filter { flag in !own.contains { sameBytes($0.name, flag.name) } }
    var index = 0
    var isLiteral = false
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if isLiteral || argument.utf8.first != 0x2D || argument.utf8.count == 1 {
        words.append(Word(text: argument, isLiteral: isLiteral))
      } else if sameBytes(argument, "--") {
        isLiteral = true
      } else if argument.hasPrefix("--") {
        try long(argument, specs, arguments, &index, verb)
      } else {
        try short(argument, specs, arguments, &index, verb)
      }
    }
  }

  private mutating func long(
    _ argument: String, _ specs: [FlagSpec], _ arguments: [String], _ index: inout Int,
    _ verb: VerbSpec?
  ) throws(Problem) {
    let equals = argument.firstIndex(of: "=")
    let name = equals.map { String(argument[..<$0]) } ?? argument
    let given = equals.map { String(argument[argument.index(after: $0)...]) }
    guard let spec = specs.first(where: { sameBytes($0.name, name) }) else {
      throw Self.unknown(name, specs, verb)
    }
    if let given {
      guard spec.value != nil || sameBytes(name, "--json") else {
        throw Problem(.usage, "\(name) takes no value")
      }
      values.append((name, given))
    } else {
      try take(spec, arguments, &index)
    }
  }

  private mutating func short(
    _ argument: String, _ specs: [FlagSpec], _ arguments: [String], _ index: inout Int,
    _ verb: VerbSpec?
  ) throws(Problem) {
    var letters = argument.dropFirst()
    while let letter = letters.first {
      letters = letters.dropFirst()
      let name = "-\(letter)"
      guard let spec = specs.first(where: { $0.short.map { sameBytes($0, name) } ?? false }) else {
        throw Self.unknown(name, specs, verb)
      }
      if spec.value != nil, !letters.isEmpty {
        values.append((spec.name, String(letters)))
        return
      }
      try take(spec, arguments, &index)
    }
  }

  private mutating func take(
    _ spec: FlagSpec, _ arguments: [String], _ index: inout Int
  ) throws(Problem) {
    guard let value = spec.value else {
      values.append((spec.name, ""))
      return
    }
    guard index < arguments.count else {
      throw Problem(.usage, "\(spec.name) needs a value", detail: "\(spec.name) \(value)")
    }
    values.append((spec.name, arguments[index]))
    index += 1
  }

  private static func unknown(
    _ name: String, _ specs: [FlagSpec], _ verb: VerbSpec?
  ) -> Problem {
    Problem(
      .usage, "no flag \(name)",
      detail: verb.map { "see hedge help \($0.name); text that starts with - goes behind --" },
      suggest: Suggestion.nearest(to: name, among: specs.map(\.name)))
  }

  func has(_ name: String) -> Bool { !all(name).isEmpty }
  func value(_ name: String) -> String? { all(name).last }
  func all(_ name: String) -> [String] {
    asked.names.append(name)
    return values.filter { sameBytes($0.name, name) }.map(\.value)
  }

  /// The first flag that was given and nobody asked for: it would do nothing.
  var idle: String? {
    values.first { given in !asked.names.contains { sameBytes($0, given.name) } }?.name
  }

  /// Whether the verb has `--limit`, which other programs call `-n`.
  var takesLimit: Bool { own.contains { sameBytes($0.name, "--limit") } }

  /// Takes the first word out if it names a list.
  mutating func takeList() throws(Problem) -> ListSelector? {
    if let first = words.first, !first.isLiteral, first.text.utf8.first == 0x40 {
      words.removeFirst()
      if let other = value("--list") {
        throw Problem(.usage, "two lists are named, \(first.text) and --list \(other)")
      }
      return try ListSelector(parsing: first.text)
    }
    if let text = value("--list") { return try ListSelector(parsing: text) }
    if let late = words.first(where: { Self.isList($0) }) {
      throw Problem(
        .usage, "put \(late.text) first, in front of the other words",
        detail: "as text it goes behind --")
    }
    return nil
  }

  /// Looks like a list: `@` and something.
  private static func isList(_ word: Word) -> Bool {
    !word.isLiteral && word.text.utf8.first == 0x40 && word.text.utf8.count > 1
  }

  /// Takes out all lists that are named in front; without one, what `--list` says, if it is there.
  mutating func takeLists() throws(Problem) -> [ListSelector] {
    var out: [ListSelector] = []
    repeat {
      guard let list = try takeList() else { break }
      out.append(list)
    } while words.first.map { !$0.isLiteral && $0.text.utf8.first == 0x40 } ?? false
    return out
  }

  /// Takes the first word out; `nil` if there is none.
  mutating func takeWord() -> Word? { words.isEmpty ? nil : words.removeFirst() }

  /// Takes the last word out; `nil` if there is none.
  mutating func takeLast() -> Word? { words.popLast() }

  func count(_ name: String) throws(Problem) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), (1...1_000_000_000).contains(number) else {
      throw Problem(.usage, "\(name) needs a positive number, not \"\(text)\"")
    }
    return number
  }
}
