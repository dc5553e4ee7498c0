// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// A JSON value as a reader of foreign files sees it; numbers stay text.
package indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Text)
  case string(Text)
  case array([JSONValue])
  /// In order of appearance.
  case object([(key: Text, value: JSONValue)])

  package static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let x), .bool(let y)): x == y
    case (.number(let x), .number(let y)), (.string(let x), .string(let y)): x == y
    case (.array(let x), .array(let y)): x == y
    case (.object(let x), .object(let y)):
      x.elementsEqual(y) { $0.key == $1.key && $0.value == $1.value }
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag)
    case .number(let text), .string(let text): hasher.combine(text)
    case .array(let values): hasher.combine(values)
    case .object(let members): hasher.combine(members.map(\.key))
    }
  }

  /// The first member called `key`.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    let wanted = Text(key)
    return members.first { $0.key == wanted }?.value
  }

  package var text: Text? { if case .string(let text) = self { text } else { nil } }
  package var elements: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
}

/// Reads JSON (RFC 8259) of bounded depth; never traps.
package struct JSONReader {
  package static let depthMax = 64

  private let bytes: [UInt8]
  private var at = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads one document.
  /// - Complexity: O(bytes).
  package static func read(_ bytes: [UInt8]) throws(FormatError) -> JSONValue {
    var reader = JSONReader(bytes)
    let value = try reader.value(depth: 0)
    reader.skipBlanks()
    guard reader.at == bytes.count else { throw reader.error("more than one document") }
    return value
  }

  private func error(_ what: String) -> FormatError { .json(offset: at, what) }

  private mutating func skipBlanks() {
    while at < bytes.count, [32, 9, 10, 13].contains(bytes[at]) { at += 1 }
  }

  private mutating func value(depth: Int) throws(FormatError) -> JSONValue {
    guard depth < Self.depthMax else { throw error("nested too deep") }
    skipBlanks()
    guard at < bytes.count else { throw error("the text ends") }
    switch bytes[at] {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(FormatError) -> JSONValue {
    guard bytes[at...].starts(with: word.utf8) else { throw error("an unknown word") }
    at += word.utf8.count
    return value
  }

  private mutating func number() throws(FormatError) -> JSONValue {
    let start = at
    while at < bytes.count, "+-.0123456789eE".utf8.contains(bytes[at]) { at += 1 }
    let digits = Array(bytes[start..<at])
    guard digits.contains(where: { (48...57).contains($0) }), digits[0] != UInt8(ascii: "+"),
      let text = Text(utf8: digits)
    else { throw error("something that is no value") }
    return .number(text)
  }

  private mutating func array(_ depth: Int) throws(FormatError) -> JSONValue {
    at += 1
    var out: [JSONValue] = []
    skipBlanks()
    if take("]") { return .array(out) }
    while true {
      out.append(try value(depth: depth + 1))
      skipBlanks()
      if take("]") { return .array(out) }
      guard take(",") else { throw error("a missing comma") }
    }
  }

  private mutating func object(_ depth: Int) throws(FormatError) -> JSONValue {
    at += 1
    var out: [(key: Text, value: JSONValue)] = []
    skipBlanks()
    if take("}") { return .object(out) }
    while true {
      skipBlanks()
      guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else { throw error("a missing name") }
      let key = try string()
      skipBlanks()
      guard take(":") else { throw error("a missing colon") }
      out.append((key, try value(depth: depth + 1)))
      skipBlanks()
      if take("}") { return .object(out) }
      guard take(",") else { throw error("a missing comma") }
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func string() throws(FormatError) -> Text {
    at += 1
    var out: [UInt8] = []
    while true {
      guard at < bytes.count else { throw error("a string without an end") }
      let byte = bytes[at]
      at += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = Text(utf8: out) else { throw error("bytes that are not UTF-8") }
        return text
      case UInt8(ascii: "\\"): try escape(into: &out)
      case 0..<32: throw error("a control character in a string")
      default: out.append(byte)
      }
    }
  }

  private mutating func escape(into out: inout [UInt8]) throws(FormatError) {
    guard at < bytes.count else { throw error("a string without an end") }
    let byte = bytes[at]
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(byte)
    case UInt8(ascii: "b"): out.append(8)
    case UInt8(ascii: "f"): out.append(12)
    case UInt8(ascii: "n"): out.append(10)
    case UInt8(ascii: "r"): out.append(13)
    case UInt8(ascii: "t"): out.append(9)
    case UInt8(ascii: "u"):
      var code = try hex4()
      if (0xD800..<0xDC00).contains(code) {
        guard bytes[at...].starts(with: Array("\\u".utf8)) else { throw error("half a character") }
        at += 2
        let low = try hex4()
        guard (0xDC00..<0xE000).contains(low) else { throw error("half a character") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw error("half a character") }
      out.append(contentsOf: Array(String(Character(scalar)).utf8))
    default: throw error("an unknown escape")
    }
  }

  private mutating func hex4() throws(FormatError) -> UInt32 {
    guard at + 4 <= bytes.count else { throw error("a string without an end") }
    var code: UInt32 = 0
    for byte in bytes[at..<at + 4] {
      switch byte {
      case 48...57: code = code << 4 | UInt32(byte - 48)
      case 65...70: code = code << 4 | UInt32(byte - 55)
      case 97...102: code = code << 4 | UInt32(byte - 87)
      default: throw error("an unknown escape")
      }
    }
    at += 4
    return code
  }
}
