// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@Suite struct ValueTextTests {
  @Test(
    arguments: [
      ("1.20", 12, 1), ("0", 0, 0), ("-0.050", -5, 2), ("100", 100, 0), ("+7.5", 75, 1),
      ("9223372036854775807", Int64.max, 0), ("-9223372036854775808", Int64.min, 0),
    ] as [(String, Int64, UInt8)])
  func `decimals are exact and lose their trailing zeros`(text: String, m: Int64, s: UInt8) {
    #expect(ValueText.decimal(text) == .decimal(mantissa: m, scale: s))
  }

  @Test(arguments: ["", ".", "1.", ".5", "1e5", "9223372036854775808", "1,5", "--1", "0x1", " 1"])
  func `what is no decimal is refused`(text: String) {
    #expect(ValueText.decimal(text) == nil)
  }

  @Test func `decimals print back`() {
    #expect(ValueText.decimalText(-5, 2) == "-0.05")
    #expect(ValueText.decimalText(12, 1) == "1.2")
    #expect(ValueText.decimalText(.min, 18) == "-9.223372036854775808")
  }

  @Test func `each type reads what it prints`() {
    let samples: [(ColumnType, String)] = [
      (.text, "a b"), (.int, "-12"), (.num, "2.15"), (.bool, "true"), (.date, "2024-02-29"),
      (.time, "2026-05-04T08:11:02Z"), (.time, "2026-05-04T08:11:02.007Z"),
      (.options(["a", "b"]), "b"), (.url, "https://example.org/x"), (.person, "den"),
    ]
    for (type, text) in samples {
      let value = ValueText.value(of: text, type)
      #expect(value.map(ValueText.print) == text, "\(type)")
    }
  }

  @Test(arguments: [
    (ColumnType.int, "lots"), (.date, "2023-02-29"), (.date, "2023-2-9"), (.time, "yesterday"),
    (.time, "2026-05-04T24:00:00Z"), (.bool, "maybe"), (.options(["a"]), "b"), (.url, "a b"),
    (.int, "+1"), (.int, "1.0"),
  ])
  func `values of another type are refused with an example`(type: ColumnType, text: String) {
    let column = Column(name: "c", type: type)
    let error = #expect(throws: Problem.self) { try ValueText.parse(text, as: column) }
    #expect(error?.kind == .invalidValue)
    #expect(error?.detail != nil)
  }

  @Test func `moments of any offset are the same instant`() {
    let noon = CivilTime.moment("2026-05-04T12:00:00Z")
    #expect(CivilTime.moment("2026-05-04T14:00:00+02:00") == noon)
    #expect(CivilTime.moment("2026-05-04 07:30-04:30") == noon)
    #expect(CivilTime.moment("2026-05-04T12:00:00.0009Z") == noon)
    #expect(CivilTime.moment("1969-12-31T23:59:59Z") == -1000)
  }

  @Test func `days count both ways over four centuries`() {
    for day in stride(from: Int64(-100_000), through: 200_000, by: 137) {
      #expect(CivilTime.day(CivilTime.text(ofDay: day)) == day)
    }
  }

  @Test func `column specs read what they print`() throws {
    for spec in ["text!", "int", "num", "enum(admin|guest)=guest", "date=2026-01-01", "counter"] {
      #expect(Column(key: "c", stored: spec).spec == spec)
    }
    #expect(try Column(parsing: "price:num").type == .num)
    #expect(try Column(parsing: "store").type == .text)
  }

  @Test(arguments: ["a:itn", "text:int", "a/b:int", ":int", "n:counter=1", "x:enum()", "q:int=z"])
  func `bad column specs are refused`(spec: String) {
    #expect(throws: Problem.self) { try Column(parsing: spec) }
  }

  @Test func `the schema of a list survives its fields in any order`() throws {
    let schema = ListSchema(columns: [
      try Column(parsing: "symbol:text!"), try Column(parsing: "price:num"),
      try Column(parsing: "added:date"),
    ])
    #expect(ListSchema(fields: schema.fields.reversed()) == schema)
    #expect(schema.title == "symbol")
    #expect(schema.valueColumns.map(\.name) == ["price", "added"])
    #expect(try schema.field(named: "symbol", list: "s").1 == .text)
  }

  @Test func `an unknown column is refused with the nearest name`() throws {
    let schema = ListSchema(columns: [try Column(parsing: "price:num")])
    #expect(schema.unknown(column: "pric", list: "groceries").suggest == "price")
  }
}
