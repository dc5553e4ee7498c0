// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@Suite struct SelectorTests {
  @Test func `lists are named with space and path`() throws {
    #expect(try ListSelector(parsing: "@gro") == ListSelector(path: ["gro"]))
    #expect(try ListSelector(parsing: "@party/drinks").path == ["party", "drinks"])
    #expect(
      try ListSelector(parsing: "home:orders") == ListSelector(space: "home", path: ["orders"]))
    #expect(try ListSelector(parsing: "@lab:orders") == ListSelector(path: ["lab:orders"]))
    for bad in ["@", "", "@a//b", "@a/"] {
      #expect(throws: Problem.self) { try ListSelector(parsing: bad) }
    }
  }

  @Test func `items are numbers, ranges, ids or words`() throws {
    #expect(try ItemSelector(parsing: "2") == .number(2))
    #expect(try ItemSelector(parsing: "2-5") == .range(2, 5))
    #expect(try ItemSelector(parsing: "k7m") == .word("k7m"))
    #expect(try ItemSelector(parsing: "oat milk") == .word("oat milk"))
    let id = ItemID(nonce: 7, index: 0)
    #expect(try ItemSelector(parsing: id.hex) == .id(id))
    #expect(throws: Problem.self) { try ItemSelector(parsing: "5-2") }
  }

  @Test(arguments: [
    ("qty=2", "qty", CellInput.text("2")), ("qty=", "qty", .clear), ("n+=1", "n", .increment("1")),
    ("n-=2", "n", .increment("-2")), ("GICS Sector=Energy", "GICS Sector", .text("Energy")),
    ("a=b=c", "a", .text("b=c")), ("größe=3", "größe", .text("3")),
  ])
  func `words with = are columns`(word: String, column: String, input: CellInput) {
    #expect(CellWrite(parsing: word) == CellWrite(column: column, input: input))
  }

  @Test(arguments: ["milk", "=3", "1+1=2", "http://a/?b=c", "(a)=b"])
  func `other words are text`(word: String) {
    #expect(CellWrite(parsing: word) == nil)
  }

  @Test func `conditions compare by the column's type`() throws {
    let over = try Filter(parsing: "price>9.5")
    #expect(try over.accepts(.decimal(mantissa: 10, scale: 0), .num))
    #expect(try !over.accepts(.decimal(mantissa: 95, scale: 1), .num))
    #expect(try !over.accepts(nil, .num))
    #expect(try Filter(parsing: "qty>=2").accepts(.int(2), .int))
    #expect(try Filter(parsing: "text~MIL").accepts(.text("oat milk"), .text))
    #expect(try Filter(parsing: "store=").accepts(.null, .text))
    #expect(try Filter(parsing: "store!=x").accepts(nil, .text))
    #expect(throws: Problem.self) { try over.accepts(.int(1), .date) }
    #expect(throws: Problem.self) { try Filter(parsing: "price") }
  }
}
