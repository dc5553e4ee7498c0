// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Testing
import Workbench

@testable import ListModel

@Suite struct PositionRekeyingTests {
  /// A list of `a`, some items with keys that are as long as they may be, and `z`.
  private struct FullPlace {
    var writer = Writer(1)
    let list: ItemID
    var order: [ItemID]

    init(_ count: Int = 40) throws {
      list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
      let a = try writer.write([.create([row("a")], parent: list, at: .bottom)])
      let rows = (1...count).map { row("\($0)") }
      let middle = try writer.write([.create(rows, parent: list, at: .bottom)])
      let z = try writer.write([.create([row("z")], parent: list, at: .bottom)])
      let (list, short) = (list, PositionLevel(tag: WriterTag(9), integer: 0))
      try writer.write(
        [
          .place(a[0], Spot(parent: list, key: Self.key(PositionPath(root: -99, levels: [short])))),
          .place(z[0], Spot(parent: list, key: Self.key(PositionPath(root: 99, levels: [short])))),
        ]
          + middle.enumerated().map { at, item in
            .place(item, Spot(parent: list, key: .nearlyFull(Int64(at) * Limits.stride)))
          })
      order = a + middle + z
    }

    private static func key(_ path: PositionPath) -> PositionKey {
      PositionKey(bytes: PositionCodec.encode(path))
    }
  }

  private static func isRekeying(_ change: Change) -> Bool {
    change.ops.contains { if case .place = $0 { true } else { false } }
  }

  @Test func `an item goes into a full place, order and ids stay`() throws {
    var place = try FullPlace()
    #expect(PositionKey.nearlyFull(39 * Limits.stride).bytes.count > Limits.positionBytesMax - 8)
    let before = place.writer.held.count
    let made = try place.writer.write(
      [.create([row("new")], parent: place.list, at: .after(place.order[20]))])
    place.order.insert(made[0], at: 21)
    #expect(place.writer.replica.children(of: place.list) == place.order)
    let written = place.writer.held[before...].map(\.0)
    #expect(written.count == 2 && Self.isRekeying(written[0]) && !Self.isRekeying(written[1]))
    #expect(written[0].ops.count == 40 && written.allSatisfy { $0.defect == nil })
    for item in place.order {
      let key = try #require(place.writer.replica.position(of: item))
      #expect(!key.isLong)
    }
    // Another replica that folds it all shows the same, in whatever portions it comes.
    var other = Writer(2)
    other.pull(place.writer)
    #expect(other.replica.children(of: place.list) == place.order)
  }

  @Test func `a block and a move find room as well, dead neighbours keep their places`() throws {
    var place = try FullPlace()
    try place.writer.write([.setAlive(place.order[10], false)])
    let block = [place.order[40], place.order[39]]
    try place.writer.write([.move(block, parent: place.list, at: .before(place.order[11]))])
    try place.writer.write([.setAlive(place.order[10], true)])
    let expected = Array(place.order[...10]) + block + place.order[11...38] + [place.order[41]]
    #expect(place.writer.replica.children(of: place.list) == expected)
  }

  @Test func `a move that nobody had seen wins over shorter keys`() throws {
    var place = try FullPlace()
    var other = Writer(2)
    other.pull(place.writer)
    try other.write([.move([place.order[15]], parent: place.list, at: .top)])
    try place.writer.write(
      [.create([row("new")], parent: place.list, at: .after(place.order[20]))])
    #expect(place.writer.replica.position(of: place.order[15])?.isLong == false)
    place.writer.pull(other)
    other.pull(place.writer)
    #expect(place.writer.replica.children(of: place.list).first == place.order[15])
    #expect(
      place.writer.replica.children(of: place.list) == other.replica.children(of: place.list))
  }

  @Test func `two who make room at once end with the same order and every item once`() throws {
    var one = try FullPlace()
    var two = Writer(2)
    two.pull(one.writer)
    try one.writer.write([.create([row("mine")], parent: one.list, at: .after(one.order[20]))])
    try two.write([.create([row("theirs")], parent: one.list, at: .after(one.order[5]))])
    one.writer.pull(two)
    two.pull(one.writer)
    let children = one.writer.replica.children(of: one.list)
    #expect(children == two.replica.children(of: one.list))
    #expect(children.count == 44 && Set(children).count == 44)
  }

  @Test func `more items than one change moves get room in several, and stay in order`() throws {
    var place = try FullPlace(1_000)
    let before = place.writer.held.count
    let made = try place.writer.write(
      [.create([row("new")], parent: place.list, at: .after(place.order[500]))])
    place.order.insert(made[0], at: 501)
    let written = place.writer.held[before...].map(\.0)
    #expect(written.count == 3 && written.prefix(2).allSatisfy(Self.isRekeying))
    #expect(place.writer.replica.children(of: place.list) == place.order)
    let isShort = place.order.allSatisfy { place.writer.replica.position(of: $0)?.isLong == false }
    #expect(isShort)
  }

  @Test func `what else a transaction does goes before the room that its next edit needs`() throws {
    var place = try FullPlace()
    let before = place.writer.held.count
    let made = try place.writer.write([
      .set(place.order[3], .done, .bool(true)),
      .create([row("new")], parent: place.list, at: .before(place.order[9])),
    ])
    place.order.insert(made[0], at: 9)
    let written = place.writer.held[before...].map(\.0)
    #expect(written.map(Self.isRekeying) == [false, true, false])
    #expect(place.writer.replica.children(of: place.list) == place.order)
    #expect(place.writer.replica.value(of: place.order[3], .done) == .bool(true))
  }

  @Test func `items come under their old ids into a full place as well`() throws {
    var place = try FullPlace()
    let old = ItemID(nonce: 900, index: 4)
    try place.writer.write([
      .recreate(
        first: old, [row("x"), row("y")], parent: place.list, at: .after(place.order[20]))
    ])
    place.order.insert(contentsOf: [old, ItemID(nonce: 900, index: 5)], at: 21)
    #expect(place.writer.replica.children(of: place.list) == place.order)
  }

  @Test func `a place at the end of the clock gets no shorter key, and the edit says whose it is`()
    throws
  {
    var place = try FullPlace()
    let item = place.order[15]
    let spot = try #require(place.writer.replica.spot(of: item))
    let liar = Change(
      session: SessionID(high: 9, low: 9), seq: 1,
      head: SessionHead(device: DeviceID(9, 9, 9, 9), salt: 9, predecessor: nil), prev: .zero,
      h: 1, seen: [], nonce: 77, group: nil,
      ops: [.place(item: item, parent: spot.parent, key: spot.key, h: Limits.clockEnd - 1)])
    place.writer.take(liar, ChangeHash(9, 9, 9, 9))
    let before = place.writer.replica.vector
    #expect(throws: EditError.clockEnd(item)) {
      try place.writer.write(
        [.create([row("new")], parent: place.list, at: .after(place.order[20]))])
    }
    #expect(place.writer.replica.vector == before)
  }

  @Test
  func `a place that is full too far to both sides takes nothing more, others of the list do`()
    throws
  {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let count = 2 * PositionRekeying.reachMax + 10
    let full = Change(
      session: SessionID(high: 9, low: 9), seq: 1,
      head: SessionHead(device: DeviceID(9, 9, 9, 9), salt: 9, predecessor: nil), prev: .zero,
      h: 1 << 20, seen: [], nonce: 77, group: nil,
      ops: [
        .create(
          firstIndex: 0, count: UInt32(count), parent: list,
          firstKey: .nearlyFull(-Limits.stride * Int64(count / 2)), columns: [])
      ])
    writer.take(full, ChangeHash(9, 9, 9, 9))
    let middle = ItemID(nonce: 77, index: UInt32(count / 2))
    #expect(throws: EditError.limit) {
      try writer.write([.create([row("new")], parent: list, at: .after(middle))])
    }
    let top = try writer.write([.create([row("new")], parent: list, at: .top)])
    #expect(writer.replica.child(of: list, at: 0) == top[0])
    #expect(writer.replica.childCount(of: list) == count + 1)
  }

  @Test func `fresh keys are given up where they would be long or fit nowhere`() throws {
    let (short, tag) = (PositionKey.nearlyFull(0), WriterTag(7))
    let a = PositionGenerator.between(nil, nil, tag: tag) { _ in nil }
    let b = PositionGenerator.between(a, nil, tag: tag) { _ in nil }
    let run = try #require(PositionRekeying.run(of: 3, between: a, b, tag: WriterTag(8)))
    #expect(a < run.key(at: 0) && run.key(at: 2) < b)
    // Between equal ones, which an undo can make, and between two that are as long as they may be.
    #expect(PositionRekeying.run(of: 3, between: a, a, tag: tag) == nil)
    #expect(
      PositionRekeying.run(of: 3, between: short, .nearlyFull(Limits.stride), tag: tag) == nil)
  }
}
