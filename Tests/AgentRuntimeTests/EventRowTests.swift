// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing
import WireCodec

@testable import AgentRuntime

@Suite struct EventRowTests {
  private static let one = ItemID(nonce: 5, index: 1)
  private static let two = ItemID(nonce: 6, index: 0)
  private static let details: [(Event.Kind, Event.Detail)] = [
    (.done, .none), (.remove, .none), (.list, .list(change: "rename")),
    (.move, .move(parent: nil, after: two)), (.move, .move(parent: one, after: nil)),
    (.set, .set(column: "price", old: nil, new: .decimal(mantissa: 105, scale: 2))),
    (.set, .set(column: "größe", old: .null, new: .ref(two))),
    (.set, .set(column: "n", old: .int(-4), new: .opaque(tag: 99, [1, 2]))),
    (
      .add,
      .item(
        text: Text("milk"), isDone: true,
        cells: [("qty", .int(2)), ("due", .date(20_000)), ("who", .text("a\u{301}"))],
        parent: one, after: nil)
    ),
  ]

  @Test(arguments: details.indices) func `a row reads back as it was written`(_ at: Int) throws {
    var event = Event(
      kind: Self.details[at].0, cursor: "", list: "groceries", item: Self.one, handle: "k7m",
      text: at.isMultiple(of: 2) ? nil : Text("oat milk"), by: "study", isMine: at > 3,
      client: at > 5 ? "script" : nil, transaction: "t-1", at: -5, detail: Self.details[at].1)
    event.scope = [Self.one, Self.two]
    let bytes = EventRowCodec.encode(event)
    #expect(try EventRowCodec.decode(bytes) == event)
    for end in bytes.indices {
      #expect(throws: DecodeError.self) { try EventRowCodec.decode(Array(bytes[..<end])) }
    }
    #expect(throws: DecodeError.self) { try EventRowCodec.decode(bytes + [0]) }
  }

  @Test func `any single damaged byte is refused or read, never a trap`() {
    var event = Event(kind: .set, cursor: "", list: "l", item: Self.one)
    event.detail = .set(column: "c", old: .int(1), new: .text("x"))
    let bytes = EventRowCodec.encode(event)
    var refused = 0
    for at in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[at] ^= 1 << bit
        if (try? EventRowCodec.decode(damaged)) == nil { refused += 1 }
      }
    }
    #expect(refused > bytes.count)
  }
}
