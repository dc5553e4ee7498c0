// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@Suite struct HandleTests {
  static func ids(_ count: Int) -> [ItemID] {
    (0..<count).map { ItemID(nonce: 0x1234_5678_9ABC_DEF0, index: UInt32($0)) }
  }

  @Test func `a handle is a consonant and then consonants or digits`() {
    for id in Self.ids(500) {
      let text = Handle.text(of: Handle.key(of: id), count: Handle.length)
      #expect(text.utf8.count == 12)
      #expect("bcdfghjkmnpqrstvwxz".contains(text.first!))
      #expect(!text.contains { "aeiouly".contains($0) })
    }
  }

  @Test func `the order of keys is the order of their texts`() {
    let keys = Self.ids(500).map(Handle.key).sorted()
    let texts = keys.map { Handle.text(of: $0, count: Handle.length) }
    #expect(texts == texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  @Test func `every item of a large space is found by its shortest handle alone`() {
    var index = HandleIndex()
    let ids = Self.ids(20_000)
    for id in ids { index.insert(id) }
    for id in ids {
      let handle = index.handle(of: id)
      #expect(index.items(withPrefix: handle) == [id])
      #expect(index.items(withPrefix: handle.uppercased()) == [id])
    }
  }

  @Test func `a handle is as short as uniqueness allows`() {
    var index = HandleIndex()
    let ids = Self.ids(5_000)
    for id in ids { index.insert(id) }
    for id in ids where index.handle(of: id).utf8.count > 3 {
      #expect(index.items(withPrefix: String(index.handle(of: id).dropLast())).count > 1)
    }
  }

  @Test func `words and numbers are not shaped like handles`() {
    for word in ["milk", "12", "123", "ab", "k7", "k7mmmmmmmmmmm", "tea", ""] {
      #expect(Handle.keys(withPrefix: word) == nil, "\(word)")
    }
    #expect(Handle.keys(withPrefix: "k7m") != nil)
  }

  @Test func `device ids are shown as sixteen base32 characters of the first eighty bits`() {
    let device = DeviceID(0x0123_4567_89AB_CDEF, 0xFEDC_0000_0000_0000, 1, 2)
    // 80 bits 0123456789ABCDEFFEDC, five bits a character, computed by hand.
    #expect(device.groups == "04HM-ASW9-NF6Y-ZZPW")
    #expect(DeviceID(.max, .max, 0, 0).groups == "ZZZZ-ZZZZ-ZZZZ-ZZZZ")
  }
}
