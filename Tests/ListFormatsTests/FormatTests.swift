// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

@testable import ListFormats

@Suite struct CSVTests {
  private func fields(_ text: String) throws -> [[String]] {
    try CSV.rows(Array(text.utf8)).map { $0.fields.map(\.string) }
  }

  @Test(arguments: [
    ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
    ("a,b\r\n1,2", [["a", "b"], ["1", "2"]]),
    ("a\n\"x, \"\"y\"\"\nz\"\n", [["a"], ["x, \"y\"\nz"]]),
    ("\u{FEFF}a,b\n,\n", [["a", "b"], ["", ""]]),
    ("a\n\n\"\"\nb\n", [["a"], [""], ["b"]]),
    ("a,b\n37°36'37.8\"N,5\"\n", [["a", "b"], ["37°36'37.8\"N", "5\""]]),
  ]) func `rows are read as RFC 4180 says`(_ text: String, _ expected: [[String]]) throws {
    #expect(try fields(text) == expected)
  }

  @Test(arguments: [
    ("a,b;c\n", ","), ("a;b\n1,5;2\n", ";"), ("a\tb;c\n", "\t"), ("\"a;b\"\n", ","),
    ("\"a,b\";c\n", ";"), ("a\nb;c\n", ","), ("", ","),
  ]) func `the first line tells the separator`(_ text: String, _ expected: String) throws {
    let separator = CSV.separator(of: Array(text.utf8))
    #expect(separator == expected.utf8.first)
    #expect(
      try CSV.rows(Array("a;\"b;c\"\n1,5;2\n".utf8), separator: UInt8(ascii: ";"))
        .map { $0.fields.map(\.string) } == [["a", "b;c"], ["1,5", "2"]])
    var single: [UInt8] = []
    CSV.append([Text("a;b")], to: &single)
    #expect(CSV.separator(of: single) == UInt8(ascii: ","))
  }

  @Test func `malformed rows name their line`() {
    func error(_ text: String) -> FormatError? {
      do {
        _ = try CSV.rows(Array(text.utf8))
        return nil
      } catch { return error }
    }
    #expect(error("a,b\n1\n") == .ragged(line: 2, found: 1, expected: 2))
    #expect(error("a\n\"x\n\n") == .unterminatedQuote(line: 2))
    #expect(error("a\n\"x\"y\n") == .strayQuote(line: 2))
    #expect(error("a\nx\u{0}\n") == .nul(line: 2))
    #expect(throws: FormatError.notUTF8(line: 2)) { try CSV.rows([97, 10, 0xFF, 10]) }
  }

  @Test func `what is written is read back`() throws {
    let rows = [["a", "b c"], ["1,2", "\"q\""], [" x", "line\nend"], ["", ""]]
    var bytes: [UInt8] = []
    for row in rows { CSV.append(row.map { Text($0) }, to: &bytes) }
    #expect(try CSV.rows(bytes).map { $0.fields.map(\.string) } == rows)
    var single: [UInt8] = []
    CSV.append([Text("")], to: &single)
    #expect(try CSV.rows(single).count == 1)
  }
}

@Suite struct PlainLinesTests {
  @Test func `bullets, boxes and numbers are dropped`() throws {
    let text = "- milk\n* [x] eggs\n  12. tea  \n\n[ ] oat milk\r\n-5 degrees\n"
    let lines = try PlainLines.lines(Array(text.utf8))
    #expect(lines.map(\.text.string) == ["milk", "eggs", "tea", "oat milk", "-5 degrees"])
    #expect(lines.map(\.isDone) == [nil, true, nil, false, nil])
    #expect(lines.map(\.number) == [1, 2, 3, 5, 6])
  }

  @Test func `a mark further in makes a child, blanks before a bare line do not`() throws {
    func depths(_ text: String) throws -> [Int] {
      try PlainLines.lines(Array(text.utf8)).map(\.depth)
    }
    #expect(
      try depths("- [ ] one\n  - [x] sub\n    1. deep\n  - next\n- two\n") == [0, 1, 2, 1, 0])
    #expect(try depths("Trip\n  - Rome\n\t- passport\nother\n") == [0, 1, 2, 0])
    #expect(try depths("  - a\n  - b\n - c\n") == [0, 0, 0])
    #expect(try depths("a\n  b\n    c\n") == [0, 0, 0])
    let stairs = (0..<100).map { String(repeating: " ", count: $0) + "- x\n" }.joined()
    #expect(try depths(stairs).max() == PlainLines.depthMax)
  }

  @Test func `a line that was written is read back`() throws {
    var bytes: [UInt8] = []
    PlainLines.append(Text("- milk"), isDone: true, to: &bytes)
    PlainLines.append(Text("oat"), isDone: false, depth: 1, to: &bytes)
    let lines = try PlainLines.lines(bytes)
    #expect(lines.map(\.text) == [Text("- milk"), Text("oat")])
    #expect(lines.map(\.isDone) == [true, false])
    #expect(lines.map(\.depth) == [0, 1])
  }
}

@Suite struct JSONReaderTests {
  @Test func `escapes and surrogates are read`() throws {
    let value = try JSONReader.read(Array(#"{"a":["\u00e9\ud83d\ude00\n",1.5e3,true,null]}"#.utf8))
    #expect(
      value["a"]
        == .array([.string(Text("é😀\n")), .number(Text("1.5e3")), .bool(true), .null]))
  }

  @Test(arguments: [
    "", "{", "[1,", "{\"a\"}", "\"\\ud800\"", "[1] x", "nul", "{\"a\":1,}", "\"\u{1}\"", "+1", "-",
  ]) func `malformed text is refused`(_ text: String) {
    #expect(throws: FormatError.self) { try JSONReader.read(Array(text.utf8)) }
  }

  @Test func `depth is bounded`() {
    #expect(throws: FormatError.self) {
      try JSONReader.read([UInt8](repeating: UInt8(ascii: "["), count: 10_000))
    }
  }
}
