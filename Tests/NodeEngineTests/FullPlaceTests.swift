// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Testing
import Workbench

/// A place in a list where no key is left: the engine makes room on its own.
@Suite struct FullPlaceTests {
  @Test func `ids of a client, undo and the other node know nothing of the room made`() throws {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    let list = hood.create(a, ["list"])[0]
    let texts = (0..<500).map { "row \($0)" }
    let items = hood.create(a, texts, in: list)
    hood.edit(
      a,
      items.enumerated().map { at, item in
        .place(item, Spot(parent: list, key: .nearlyFull(Int64(at) * Limits.stride)))
      })
    #expect(hood.texts(b, in: list) == texts)
    let row = NewRow([(FieldName.text, Value.text("new"))])
    let made = hood.edit(a, [.create([row], parent: list, at: .after(items[250]))], nonce: 77_777)
    let receipt = try #require(made)
    #expect(receipt.created == [ItemID(nonce: 77_777, index: 0)])
    #expect(receipt.dots.count >= 2)
    #expect(receipt.undo?.cells == [.created(nonce: 77_777, first: 0, count: 1)])
    let expected = texts[...250] + ["new"] + texts[251...]
    for node in [a, b] {
      #expect(hood.texts(node, in: list) == Array(expected))
      #expect(hood.nodes[node].engine.replica.position(of: items[0])?.isLong == false)
      #expect(hood.alarms(node) == [])
    }
    #expect(hood.state(a, of: b) == .inSync)
  }

  @Test func `a client's nonce that items bear already holds nobody up`() throws {
    var hood = Neighbourhood()
    let a = hood.add("anna")
    let list = hood.create(a, ["list"])[0]
    let row = NewRow([(FieldName.text, Value.text("old"))])
    // They came under ids of elsewhere, the first of that nonce not among them.
    let rows = Array(repeating: row, count: 40)
    let old = ItemID(nonce: 77_777, index: 1)
    hood.edit(a, [.recreate(first: old, rows[...], parent: list, at: .bottom)])
    let items = hood.nodes[a].engine.replica.children(of: list)
    #expect(items.count == 40 && items.first == old)
    let ticked = hood.edit(a, [.set(old, .done, .bool(true))], nonce: 77_777)
    #expect(ticked?.dots.count == 1)
    hood.edit(
      a,
      items.enumerated().map { at, item in
        .place(item, Spot(parent: list, key: .nearlyFull(Int64(at) * Limits.stride)))
      })
    let new = NewRow([(FieldName.text, Value.text("new"))])
    let made = hood.edit(a, [.create([new], parent: list, at: .after(items[20]))], nonce: 77_777)
    #expect(made?.created == [ItemID(nonce: 77_777, index: 0)])
    #expect(
      hood.texts(a, in: list)
        == Array(repeating: "old", count: 21) + ["new"] + Array(repeating: "old", count: 19))
  }
}
