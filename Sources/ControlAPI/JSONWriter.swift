// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// Appends one JSON document, member by member in the order of the calls.
///
/// Commas are its business; nesting is the caller's (`begin…` and `end…` must pair). Strings are
/// escaped so that the document is safe to print: control, DEL, C1 and bidi characters become
/// `\uNNNN`. Nothing is buffered twice: `bytes` is the document so far.
public struct JSONWriter: Sendable {
  /// The document so far.
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// - Parameter capacity: Bytes to reserve; 0 where nothing is known.
  public init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Writes `{`; every begin has its end.
  public mutating func beginObject() { open(0x7B) }
  /// Writes `}`.
  public mutating func endObject() { close(0x7D) }
  /// Writes `[`.
  public mutating func beginArray() { open(0x5B) }
  /// Writes `]`.
  public mutating func endArray() { close(0x5D) }

  /// Starts a member; its value is the next call.
  public mutating func key(_ name: String) {
    separate()
    quote(Array(name.utf8))
    bytes.append(0x3A)
    needsComma = false
  }

  /// Writes a string with all that JSON and terminals need escaped.
  public mutating func string(_ value: String) {
    separate()
    quote(Array(value.utf8))
  }

  /// Writes a string with all that JSON and terminals need escaped.
  public mutating func string(_ value: Text) {
    separate()
    quote(value.utf8)
  }

  /// Writes a whole number.
  public mutating func int(_ value: some BinaryInteger) { raw(String(value)) }
  /// Writes `true` or `false`.
  public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
  /// Writes `null`.
  public mutating func null() { raw("null") }

  /// Appends a value that is JSON already: a number literal, or a document of this writer.
  public mutating func raw(_ json: String) {
    separate()
    bytes.append(contentsOf: json.utf8)
  }

  /// Appends a whole document as the next value.
  public mutating func raw(_ json: [UInt8]) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// Appends a member; `nil` is written as `null`.
  public mutating func member(_ name: String, _ value: String?) {
    key(name)
    if let value { string(value) } else { null() }
  }

  /// Appends a member.
  public mutating func member(_ name: String, _ value: Text) {
    key(name)
    string(value)
  }

  /// Appends a member; `nil` is written as `null`.
  public mutating func member(_ name: String, int value: Int64?) {
    key(name)
    if let value { int(value) } else { null() }
  }

  /// Appends a member.
  public mutating func member(_ name: String, count value: Int) {
    key(name)
    int(value)
  }

  /// Appends a member.
  public mutating func member(_ name: String, bool value: Bool) {
    key(name)
    bool(value)
  }

  /// Appends a member.
  public mutating func member(_ name: String, value: Value) {
    key(name)
    self.value(value)
  }

  /// Appends an array of strings as a member.
  public mutating func member(_ name: String, strings values: [String]) {
    key(name)
    beginArray()
    for value in values { string(value) }
    endArray()
  }

  /// Appends a moment as RFC 3339 UTC; `nil` is written as `null`.
  /// - Parameter milliseconds: Since 1970.
  public mutating func member(_ name: String, time milliseconds: Int64?) {
    key(name)
    if let milliseconds { string(CivilTime.rfc3339(milliseconds)) } else { null() }
  }

  /// Appends a line feed: between the documents of a stream.
  public mutating func endLine() {
    bytes.append(0x0A)
    needsComma = false
  }

  /// Gives the bytes away and starts anew, keeping nothing.
  public mutating func take() -> [UInt8] {
    defer { self = JSONWriter() }
    return bytes
  }

  private mutating func open(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    needsComma = false
  }

  private mutating func close(_ byte: UInt8) {
    bytes.append(byte)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(0x2C) }
    needsComma = true
  }

  private mutating func quote(_ utf8: [UInt8]) {
    bytes.append(0x22)
    var start = 0
    var index = 0
    while index < utf8.count {
      let byte = utf8[index]
      if byte == 0x22 || byte == 0x5C {
        bytes.append(contentsOf: utf8[start..<index])
        bytes.append(0x5C)
        bytes.append(byte)
        index += 1
        start = index
      } else if let (scalar, length) = PrintSafety.unsafeScalar(in: utf8, at: index) {
        bytes.append(contentsOf: utf8[start..<index])
        escape(scalar)
        index += length
        start = index
      } else {
        index += 1
      }
    }
    bytes.append(contentsOf: utf8[start...])
    bytes.append(0x22)
  }

  private mutating func escape(_ scalar: UInt32) {
    switch scalar {
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    default:
      bytes.append(contentsOf: "\\u".utf8)
      for shift in [12, 8, 4, 0] as [UInt32] {
        bytes.append(Hex.digit(UInt8(truncatingIfNeeded: scalar >> shift & 15)))
      }
    }
  }
}
