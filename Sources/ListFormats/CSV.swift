// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// Why a file could not be read; lines count from 1.
package enum FormatError: Error, Hashable, Sendable {
  case notUTF8(line: Int)
  case nul(line: Int)
  case unterminatedQuote(line: Int)
  /// Text behind a closing quote.
  case strayQuote(line: Int)
  /// A row with another number of fields than the header.
  case ragged(line: Int, found: Int, expected: Int)
  case tooManyRows(limit: Int)
  case fieldTooLong(line: Int, limit: Int)
  case json(offset: Int, String)

  /// One sentence that names the place.
  package var message: String {
    switch self {
    case .notUTF8(let line): "line \(line) is not valid UTF-8; convert the file first"
    case .nul(let line): "line \(line) has a NUL character, which no item can hold"
    case .unterminatedQuote(let line): "the quote that opens in line \(line) is never closed"
    case .strayQuote(let line):
      "line \(line) has text behind a closing quote; double the quotes inside it"
    case .ragged(let line, let found, let expected):
      "line \(line) has \(found) fields where the header has \(expected)"
    case .tooManyRows(let limit): "more than \(limit) rows; split the file"
    case .fieldTooLong(let line, let limit):
      "line \(line) has a field of more than \(limit) bytes"
    case .json(let offset, let what): "not the JSON of an export: \(what) at byte \(offset)"
    }
  }
}

/// Comma-separated values (RFC 4180), written minimally. Beyond the RFC, a quote inside a field that does
/// not begin with one is read as itself: 37°36'37.8"N is how people write it.
package enum CSV {
  package static let rowsMax = 1_000_000

  /// One row and the line that it begins on.
  package struct Row: Hashable, Sendable {
    package let line: Int
    package let fields: [Text]
  }

  /// What stands between the fields of `bytes`: a comma, or else what the first line has of a semicolon
  /// or a tab; quoted parts do not count.
  package static func separator(of bytes: [UInt8]) -> UInt8 {
    var isQuoted = false
    var found = comma
    for byte in bytes {
      if byte == quote { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == comma { return comma }
      if byte == lineFeed || byte == carriageReturn { break }
      if found == comma, byte == semicolon || byte == tab { found = byte }
    }
    return found
  }

  /// Reads all rows, with commas or another separator between fields. Line ends are LF, CRLF or CR; a byte order mark is skipped; empty lines are
  /// skipped; every row must have as many fields as the first.
  /// - Complexity: O(bytes).
  package static func rows(
    _ bytes: [UInt8], separator: UInt8 = UInt8(ascii: ",")
  ) throws(FormatError) -> [Row] {
    var reader = Reader(bytes, separator)
    var out: [Row] = []
    while let row = try reader.row() {
      if row.fields.count == 1 && row.fields[0].utf8.isEmpty && !reader.wasQuoted { continue }
      if let first = out.first, first.fields.count != row.fields.count {
        throw .ragged(
          line: row.line, found: row.fields.count, expected: first.fields.count)
      }
      guard out.count < rowsMax else { throw .tooManyRows(limit: rowsMax) }
      out.append(row)
    }
    return out
  }

  /// Appends one row with an LF; fields with commas, quotes, line ends or outer spaces are quoted.
  package static func append(_ fields: [Text], to out: inout [UInt8]) {
    for (at, field) in fields.enumerated() {
      if at > 0 { out.append(comma) }
      append(field.utf8, alone: fields.count == 1, to: &out)
    }
    out.append(lineFeed)
  }

  private static func append(_ field: [UInt8], alone: Bool, to out: inout [UInt8]) {
    // A single column's heading must not look like several of another separator.
    let isSplit = alone && (field.contains(semicolon) || field.contains(tab))
    let isPlain =
      !isSplit
      && !field.contains { $0 == comma || $0 == quote || $0 == lineFeed || $0 == carriageReturn }
      && field.first != space && field.last != space && !(alone && field.isEmpty)
      && !field.starts(with: byteOrderMark)
    if isPlain {
      out.append(contentsOf: field)
      return
    }
    out.append(quote)
    for byte in field {
      if byte == quote { out.append(quote) }
      out.append(byte)
    }
    out.append(quote)
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let comma = UInt8(ascii: ",")
  private static let semicolon = UInt8(ascii: ";")
  private static let tab = UInt8(ascii: "\t")
  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let space = UInt8(ascii: " ")

  private struct Reader {
    let bytes: [UInt8]
    let separator: UInt8
    var at: Int
    var line = 1
    /// Whether the last field of the last row was quoted.
    var wasQuoted = false

    init(_ bytes: [UInt8], _ separator: UInt8) {
      (self.bytes, self.separator) = (bytes, separator)
      at = bytes.starts(with: byteOrderMark) ? 3 : 0
    }

    mutating func row() throws(FormatError) -> Row? {
      guard at < bytes.count else { return nil }
      let start = line
      var fields: [Text] = []
      while true {
        let field = try field()
        let first = line
        if field.contains(0) { throw .nul(line: first) }
        guard let text = Text(utf8: field) else { throw .notUTF8(line: first) }
        fields.append(text)
        if at < bytes.count && bytes[at] == separator {
          at += 1
          continue
        }
        endLine()
        return Row(line: start, fields: fields)
      }
    }

    private mutating func endLine() {
      guard at < bytes.count else { return }
      if bytes[at] == carriageReturn {
        at += 1
        if at < bytes.count && bytes[at] == lineFeed { at += 1 }
      } else {
        at += 1
      }
      line += 1
    }

    private mutating func field() throws(FormatError) -> [UInt8] {
      if at < bytes.count && bytes[at] == quote { return try quoted() }
      wasQuoted = false
      let start = at
      while at < bytes.count, bytes[at] != separator, bytes[at] != lineFeed,
        bytes[at] != carriageReturn
      {
        at += 1
      }
      return Array(bytes[start..<at])
    }

    private mutating func quoted() throws(FormatError) -> [UInt8] {
      let opened = line
      wasQuoted = true
      at += 1
      var out: [UInt8] = []
      while true {
        guard at < bytes.count else { throw .unterminatedQuote(line: opened) }
        let byte = bytes[at]
        at += 1
        if byte == quote {
          if at < bytes.count && bytes[at] == quote {
            out.append(quote)
            at += 1
            continue
          }
          let isEnd =
            at == bytes.count || bytes[at] == separator || bytes[at] == lineFeed
            || bytes[at] == carriageReturn
          guard isEnd else { throw .strayQuote(line: line) }
          return out
        }
        if byte == lineFeed { line += 1 }
        out.append(byte)
      }
    }
  }
}
