// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@Suite struct JSONTests {
  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `strings are escaped so that a terminal is safe`() {
    var json = JSONWriter()
    json.string("a\"b\\c\u{1b}[2J\n\u{9b}\u{202E}\u{2066}é☃\u{7f}")
    #expect(
      Self.text(json.bytes)
        == #""a\"b\\c\u001b[2J\n\u009b\u202e\u2066é☃\u007f""#)
  }

  @Test func `printable text spells out what could steer a terminal`() {
    #expect(PrintSafety.printable("a\tb\u{1b}c\u{85}d\u{200F}") == "a\\tb\\x1bc\\x85d\\u{200f}")
    #expect(PrintSafety.printable("naïve ☃ 日本") == "naïve ☃ 日本")
  }

  @Test func `a page has the keys of the contract in their order`() {
    let id = ItemID(nonce: 0xA90C_0000_0000_0001, index: 0)
    let list = ListRef(
      id: ItemID(nonce: 0x5E1F_0000_0000_0000, index: 0), handle: "g4n", name: "groceries",
      revision: 812)
    let page = ItemsPage(
      list: list,
      columns: [Column(name: "qty", type: .int), Column(name: "price", type: .num)],
      rows: [
        ItemRow(
          id: id, handle: "k7m", text: Text("milk"),
          cells: [.int(2), .decimal(mantissa: 12, scale: 1)], at: 1_777_882_262_000, by: "kitchen")
      ], cursor: "c-55120")
    #expect(
      Self.text(Reply.items(page).json())
        == #"{"v":1,"kind":"items","list":{"id":"5e1f00000000000000000000","handle":"g4n","#
        + #""name":"groceries","rev":"r-812"},"cursor":"c-55120","items":["#
        + #"{"id":"a90c00000000000100000000","handle":"k7m","state":"open","text":"milk","#
        + #""parent":null,"cols":{"qty":2,"price":"1.2"},"children":0,"#
        + #""at":"2026-05-04T08:11:02Z","by":"kitchen"}]}"# + "\n")
  }

  @Test func `a problem has type, title, detail, suggestion and exit`() {
    let problem = Problem(
      .unknownColumn, "no column pric", detail: "groceries has qty, price", suggest: "price")
    #expect(
      Self.text(problem.json)
        == #"{"v":1,"type":"/problems/unknown-column","title":"no column pric","#
        + #""detail":"groceries has qty, price","suggest":"price","exit":2}"#)
  }

  @Test func `every problem has an exit code and a status of its class`() {
    for kind in Problem.Kind.allCases {
      #expect((1...10).contains(kind.exit))
      #expect((400...599).contains(kind.status))
    }
  }

  @Test func `an event of a change tells who and when`() {
    var json = JSONWriter()
    Event(
      kind: .set, cursor: "c-55121", list: "stocks", item: ItemID(nonce: 1, index: 2),
      handle: "m2k", by: "den", transaction: "t-77f", at: 1_777_903_402_000,
      detail: .set(
        column: "price", old: .decimal(mantissa: 1014, scale: 1), new: .text("102.10"))
    ).write(to: &json)
    #expect(
      Self.text(json.bytes)
        == #"{"ev":"set","cursor":"c-55121","list":"stocks","id":"000000000000000100000002","#
        + #""handle":"m2k","col":"price","old":"101.4","new":"102.10","by":"den","client":null,"#
        + #""mine":false,"txn":"t-77f","at":"2026-05-04T14:03:22Z"}"#)
  }
}
