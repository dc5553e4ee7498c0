// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Testing

@testable import ListModel

@Suite struct ColdStoreTests {
  private func chunk(_ nonce: UInt64, _ count: UInt32) -> ItemChunk {
    var chunk = ItemChunk()
    chunk.ids = (0..<count).map { ItemID(nonce: nonce, index: $0) }
    return chunk
  }

  @Test func `items are found before and after the index is merged, those that left are not`() {
    var store = ColdStore()
    store.append(chunk(1, 30_000))
    store.append(chunk(2, 20_000))
    store.append(chunk(3, 1))
    #expect(store.take(1).chunks == [chunk(2, 20_000)])
    // One more than are kept apart.
    store.append(chunk(4, 15_536))
    #expect(store.itemCount == 45_537)
    store.append(chunk(5, 2))
    for (nonce, index, number) in [(1, 29_999, 0), (3, 0, 2), (4, 15_535, 3), (5, 1, 4)]
      as [(UInt64, UInt32, Int)]
    {
      #expect(store.number(of: ItemID(nonce: nonce, index: index)) == number)
      #expect(store.number(of: ItemID(nonce: nonce, index: index + 1)) == nil)
    }
    #expect(store.number(of: ItemID(nonce: 2, index: 7)) == nil)
    // Merged once more, without the entries of what left meanwhile.
    let before = store.byteCount
    #expect(before == (30_000 + 20_000 + 1 + 15_536 + 2) * 8)
    store.append(chunk(6, 65_537))
    #expect(store.byteCount == (30_000 + 1 + 15_536 + 2 + 65_537) * 8)
    #expect(store.number(of: ItemID(nonce: 6, index: 65_536)) == 5)
    #expect(store.number(of: ItemID(nonce: 1, index: 0)) == 0)
  }
}
