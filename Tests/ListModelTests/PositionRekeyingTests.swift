// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

@Suite struct PositionRekeyingTests {
  /// A list of `a`, 40 items with keys that are as long as they may be, and `z`.
  private struct FullPlace {
    var writer = Writer(1)
    let list: ItemID
    var order: [ItemID]

    init() throws {
      list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
      let a = try writer.write([.create([row("a")], parent: list, at: .bottom)])
      let rows = (1...40).map { row("\($0)") }
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
}
