// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// Values of columns as text: reading what people and programs give, printing what is stored.
public enum ValueText {
  /// Reads `text` as a value of the column's type.
  ///
  /// Numbers are exact: `num` keeps up to 18 digits behind the point and loses none silently.
  /// A counter's text is its increment. Empty text is `null`, refused where a value is required.
  /// - Throws: `invalidValue`, `missingValue`.
  public static func parse(_ text: String, as column: Column) throws(Problem) -> Value {
    if text.isEmpty, column.type != .text {
      guard !column.isRequired else { throw missing(column) }
      return .null
    }
    if text.isEmpty && column.isRequired { throw missing(column) }
    guard text.utf8.count <= Limits.valueBytesMax, !text.utf8.contains(0) else {
      throw Problem(
        .invalidValue, "\(column.name) is not storable",
        detail: "a value has at most 16 KiB and no NUL character")
    }
    if let value = value(of: text, column.type) { return value }
    var suggest: String?
    if case .options(let words) = column.type {
      suggest = Suggestion.nearest(to: text, among: words)
    }
    throw Problem(
      .invalidValue, "\(column.name) \"\(shortened(text))\" is not \(describe(column.type))",
      detail: "for example \(column.name)=\(example(column.type))", suggest: suggest)
  }

  /// Reads `text` as a value of a type; `nil` if it is none. Never `null`.
  public static func value(of text: String, _ type: ColumnType) -> Value? {
    switch type {
    case .text, .person: return .text(text)
    case .int, .counter: return integer(text).map(Value.int)
    case .num: return decimal(text)
    case .bool: return bool(text)
    case .date:
      return CivilTime.day(text).flatMap { Int32(exactly: $0) }.map(Value.date)
    case .time: return CivilTime.moment(text).map(Value.time)
    case .options(let words):
      return words.contains { sameBytes($0, text) } ? .text(text) : nil
    case .url: return isURL(text) ? .text(text) : nil
    }
  }

  /// The text of a value as people and TSV see it; empty for `null`. Unsafe characters are still in it.
  public static func print(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .bool(let flag): flag ? "true" : "false"
    case .int(let number): String(number)
    case .decimal(let mantissa, let scale): decimalText(mantissa, scale)
    case .time(let milliseconds): CivilTime.rfc3339(milliseconds)
    case .text(let text): text.string
    case .bytes(let bytes): Hex.encode(bytes)
    case .date(let day): CivilTime.text(ofDay: Int64(day))
    case .ref(let id): id.hex
    case .opaque: "(newer value)"
    }
  }

  /// Exact decimal text: `mantissa` × 10^-`scale`.
  public static func decimalText(_ mantissa: Int64, _ scale: UInt8) -> String {
    let digits = String(mantissa.magnitude)
    let places = Int(scale)
    let sign = mantissa < 0 ? "-" : ""
    guard places > 0 else { return sign + digits }
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
    return sign + padded.dropLast(places) + "." + padded.suffix(places)
  }

  /// Reads `-12.50` as mantissa and scale without trailing zeros; `nil` beyond 18 places or 64 bits.
  public static func decimal(_ text: String) -> Value? {
    var mantissa: Int64 = 0
    var scale = 0
    var digitCount = 0
    var seenPoint = false
    var bytes = text.utf8[...]
    let isNegative = bytes.first == 0x2D
    if isNegative || bytes.first == 0x2B { bytes.removeFirst() }
    for byte in bytes {
      if byte == 0x2E, !seenPoint, digitCount > 0 {
        seenPoint = true
        continue
      }
      guard (0x30...0x39).contains(byte) else { return nil }
      digitCount += 1
      if seenPoint { scale += 1 }
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte - 0x30)
      let (sum, more) = product.addingReportingOverflow(isNegative ? -digit : digit)
      if overflow || more { return nil }
      mantissa = sum
    }
    guard digitCount > 0, bytes.last != 0x2E else { return nil }
    while scale > 0, mantissa % 10 == 0 { (mantissa, scale) = (mantissa / 10, scale - 1) }
    guard scale <= 18 else { return nil }
    return .decimal(mantissa: mantissa, scale: UInt8(scale))
  }

  /// What a type is called in a sentence.
  public static func describe(_ type: ColumnType) -> String {
    switch type {
    case .text, .person: "text"
    case .int, .counter: "a whole number (int)"
    case .num: "a number (num)"
    case .bool: "true or false"
    case .date: "a date YYYY-MM-DD"
    case .time: "a moment (RFC 3339)"
    case .options(let words): "one of \(words.joined(separator: ", "))"
    case .url: "a URL"
    }
  }

  private static func example(_ type: ColumnType) -> String {
    switch type {
    case .text, .person: "word"
    case .int, .counter: "3"
    case .num: "1.25"
    case .bool: "true"
    case .date: "2026-05-04"
    case .time: "2026-05-04T08:00:00Z"
    case .options(let words): words.first ?? ""
    case .url: "https://example.org/"
    }
  }

  private static func missing(_ column: Column) -> Problem {
    Problem(
      .missingValue, "\(column.name) needs a value",
      detail: "\(column.name) is \(describe(column.type)) and required")
  }

  static func integer(_ text: String) -> Int64? {
    guard let first = text.utf8.first, first != 0x2B else { return nil }
    return Int64(text)
  }

  private static func bool(_ text: String) -> Value? {
    switch text.lowercased() {
    case "true", "yes", "1", "on": .bool(true)
    case "false", "no", "0", "off": .bool(false)
    default: nil
    }
  }

  private static func isURL(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: 0x3A) else { return false }
    let scheme = text.utf8[..<colon]
    let isScheme = scheme.allSatisfy { byte in
      (0x61...0x7A).contains(byte | 0x20) || (0x2B...0x39).contains(byte)
    }
    let isLetterFirst = scheme.first.map { (0x61...0x7A).contains($0 | 0x20) } ?? false
    let rest = text.utf8[text.utf8.index(after: colon)...]
    return isScheme && isLetterFirst && !rest.isEmpty && !rest.contains { $0 <= 0x20 }
  }

  static func shortened(_ text: String) -> String {
    text.count <= 40 ? text : text.prefix(39) + "…"
  }
}

extension JSONWriter {
  /// Appends a value: integers and booleans as such, decimals as exact strings, dates and moments as
  /// RFC 3339 strings, a cleared value as `null`.
  public mutating func value(_ value: Value) {
    switch value {
    case .null: null()
    case .bool(let flag): bool(flag)
    case .int(let number): int(number)
    case .text(let text): string(text)
    case .decimal, .time, .bytes, .date, .ref, .opaque: string(ValueText.print(value))
    }
  }
}
