// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

@testable import WireCodec

@Suite struct LocalRowCodecTests {
  private let item = ItemID(nonce: 7, index: 2)
  private let spot = Spot(parent: .root, key: PositionKey(bytes: [0x80, 0xFF, 1, 2, 3, 4, 0x80]))

  private var step: UndoStep {
    UndoStep(
      dots: [Dot(session: SessionID(high: 1, low: 2), seq: 9)],
      seen: VersionVector(tips: [
        Tip(session: SessionID(high: 3, low: 2), seq: 4, hash: ChangeHash(1, 2, 3, 4))
      ]),
      cells: [
        .created(nonce: 5, first: 0, count: 100_000),
        .placed(item, old: nil, new: spot),
        .placed(ItemID(nonce: 8, index: 0), old: spot, new: Spot(parent: item, key: spot.key)),
        .life(item, alive: false), .set(item, .text, old: .text("a"), new: .text("b")),
        .set(item, .named("price"), old: nil, new: .decimal(mantissa: 15, scale: 1)),
        .set(item, .named("ref"), old: .null, new: .ref(item)),
        .counted(item, .named("n"), by: -3), .unlost(item),
      ])
  }

  private var entries: [JournalEntry] {
    let by = Written(
      device: DeviceID(1, 2, 3, 4), dot: Dot(session: SessionID(high: 1, low: 2), seq: 3),
      h: 1 << 40)
    return [
      JournalEntry(
        item: item, cell: .place, kept: .place(parent: .recovered, key: spot.key), keptBy: by,
        dropped: .place(parent: item, key: spot.key), droppedBy: by),
      JournalEntry(
        item: item, cell: .life, kept: .life(alive: true), keptBy: by, dropped: .life(alive: false),
        droppedBy: by),
      JournalEntry(
        item: item, cell: .field(.text), kept: .value(.text("x")), keptBy: by,
        dropped: .value(.null), droppedBy: by),
      JournalEntry(
        item: item, cell: .create, kept: .place(parent: .root, key: spot.key), keptBy: by,
        dropped: .place(parent: item, key: spot.key), droppedBy: by),
    ]
  }

  @Test func `steps and journal entries come back as they were`() throws {
    #expect(try UndoStepCodec.decode(UndoStepCodec.encode(step)) == step)
    for entry in entries { #expect(try JournalCodec.decode(JournalCodec.encode(entry)) == entry) }
  }

  @Test func `damaged rows throw and never trap`() {
    let bytes = UndoStepCodec.encode(step)
    for length in 0..<bytes.count {
      #expect(throws: DecodeError.self) { try UndoStepCodec.decode(Array(bytes[..<length])) }
    }
    var decoded = 0
    for whole in [bytes] + entries.map(JournalCodec.encode) {
      for at in whole.indices {
        for bit in 0..<8 {
          var other = whole
          other[at] ^= 1 << UInt8(bit)
          if (try? UndoStepCodec.decode(other)) != nil { decoded += 1 }
          if (try? JournalCodec.decode(other)) != nil { decoded += 1 }
        }
      }
    }
    // Most bits are payload, such as letters and numbers.
    #expect(decoded > 0)
  }
}
