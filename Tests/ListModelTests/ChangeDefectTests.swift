// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

/// What makes a change invalid on every replica, rule by rule.
@Suite struct ChangeDefectTests {
  private let nonce: UInt64 = 7
  private let item = ItemID(nonce: 5, index: 1)
  private let reserved = ItemID(nonce: 0, index: 9)
  private let key = PositionGenerator.between(nil, nil, tag: WriterTag(1)) { _ in nil }
  private let noKey = PositionKey(bytes: [0x80])

  private func defect(_ ops: [Op]) -> ChangeDefect? { change(ops).defect }

  private func change(_ ops: [Op]) -> Change {
    Change(
      session: SessionID(high: 1, low: 1), seq: 1,
      head: SessionHead(device: DeviceID(1, 1, 1, 1), salt: 1, predecessor: nil), prev: .zero,
      h: 1 << 20, seen: [], nonce: nonce, group: nil, ops: ops)
  }

  private func create(
    _ count: UInt32 = 2, from first: UInt32 = 0, under parent: ItemID = .root,
    columns: [FieldColumn] = []
  ) -> Op {
    .create(firstIndex: first, count: count, parent: parent, firstKey: key, columns: columns)
  }

  private func column(_ name: String, _ count: Int = 2) -> FieldColumn {
    FieldColumn(field: .named(name), values: Array(repeating: .int(1), count: count))
  }

  @Test func `a change with one write to each cell has no defect`() {
    #expect(
      defect([
        create(2, columns: [column("a"), column("b")]), .life(item: item, alive: false, h: nil),
        .life(item: ItemID(nonce: nonce, index: 1), alive: false, h: 9),
        .place(item: item, parent: .recovered, key: key, h: nil),
        .blockPlace(
          items: [ItemID(nonce: 5, index: 2), ItemID(nonce: 5, index: 3)], parent: item,
          firstKey: key, h: nil),
        .set(item: item, field: .text, value: .null, h: nil),
        .set(item: ItemID(nonce: nonce, index: 0), field: .text, value: .null, h: nil),
        .add(item: item, field: .named("n"), delta: 1), .unknown(kind: 99, payload: []),
      ]) == nil)
  }

  @Test func `reserved nonces and clocks beyond their range are none`() {
    for nonce in [0, UInt64.max] {
      var one = change([])
      one.nonce = nonce
      #expect(one.defect == .nonce)
    }
    for h in [0, Limits.clockEnd] {
      var one = change([])
      one.h = h
      #expect(one.defect == .clock)
      #expect(defect([.life(item: item, alive: true, h: h)]) == .clock)
    }
  }

  @Test func `counts stay below their limits`() {
    let unknown = Op.unknown(kind: 99, payload: [])
    #expect(defect(Array(repeating: unknown, count: Limits.opsPerChangeMax)) == nil)
    #expect(defect(Array(repeating: unknown, count: Limits.opsPerChangeMax + 1)) == .limit)
    let seen = SeenEntry(dot: Dot(session: SessionID(high: 2, low: 2), seq: 1), hashPrefix: 0)
    var one = change([])
    one.seen = Array(repeating: seen, count: Limits.seenEntriesMax + 1)
    #expect(one.defect == .limit)
    #expect(defect([create(0)]) == .limit)
    #expect(defect([create(2, from: .max - 2)]) == .limit)
    #expect(defect([create(2, columns: [column("a", 3)])]) == .limit)
    #expect(defect([create(UInt32(Limits.cellsPerChangeMax + 1))]) == .limit)
    #expect(defect([.blockPlace(items: [], parent: .root, firstKey: key, h: nil)]) == .limit)
    let many = (0...UInt32(Limits.opsPerChangeMax)).map { ItemID(nonce: 5, index: $0) }
    #expect(defect([.blockPlace(items: many, parent: .root, firstKey: key, h: nil)]) == .limit)
  }

  @Test func `reserved items are neither written nor parents`() {
    #expect(defect([create(2, under: .recovered)]) == .reservedItem)
    for (item, parent) in [(ItemID.root, item), (.recovered, item), (item, reserved)] {
      #expect(defect([.place(item: item, parent: parent, key: key, h: nil)]) == .reservedItem)
      let block = [item, ItemID(nonce: 5, index: 8)]
      #expect(
        defect([.blockPlace(items: block, parent: parent, firstKey: key, h: nil)])
          == .reservedItem)
    }
    #expect(defect([.set(item: .root, field: .text, value: .null, h: nil)]) == .reservedItem)
    #expect(defect([.life(item: .recovered, alive: false, h: nil)]) == .reservedItem)
    #expect(defect([.add(item: reserved, field: .text, delta: 1)]) == .reservedItem)
  }

  @Test func `keys are valid, and so are all of a run`() throws {
    let create = Op.create(
      firstIndex: 0, count: 1, parent: .root, firstKey: noKey, columns: [])
    #expect(defect([create]) == .position)
    #expect(defect([.place(item: item, parent: .root, key: noKey, h: nil)]) == .position)
    let level = PositionLevel(tag: WriterTag(1), integer: PositionCodec.integers.upperBound - 1)
    let last = PositionKey(bytes: PositionCodec.encode(PositionPath(root: 0, levels: [level])))
    #expect(defect([.place(item: item, parent: .root, key: last, h: nil)]) == nil)
    let block = [item, ItemID(nonce: 5, index: 2)]
    #expect(
      defect([.blockPlace(items: block, parent: .root, firstKey: last, h: nil)]) == .position)
  }

  @Test func `no cell is written twice, by whatever ops`() {
    let made = ItemID(nonce: nonce, index: 1)
    let place = Op.place(item: item, parent: .root, key: key, h: nil)
    let block = Op.blockPlace(
      items: [ItemID(nonce: 5, index: 2), item], parent: .root, firstKey: key, h: nil)
    let set = Op.set(item: item, field: .named("a"), value: .null, h: nil)
    let twice: [[Op]] = [
      [place, place], [place, block], [block, place], [set, set],
      [set, .add(item: item, field: .named("a"), delta: 1)],
      [.life(item: item, alive: true, h: nil), .life(item: item, alive: false, h: nil)],
      [create(), create(1, from: 1)],
      [create(), .place(item: made, parent: item, key: key, h: nil)],
      [
        create(2, columns: [column("a")]),
        .set(item: made, field: .named("a"), value: .null, h: nil),
      ],
      [.place(item: made, parent: item, key: key, h: nil), create()],
      [
        .set(item: made, field: .named("a"), value: .null, h: nil),
        create(2, columns: [column("a")]),
      ],
      [create(2, columns: [column("a"), column("a")])],
      [create(2, columns: (0..<20).map { column("\($0 % 19)") })],
    ]
    for ops in twice { #expect(defect(ops) == .cellWrittenTwice, "\(ops)") }
    #expect(defect([create(2, columns: (0..<20).map { column("\($0)") })]) == nil)
  }

  @Test func `a change that is invalid leaves the replica as it was`() {
    var replica = Replica()
    var events: [ReplicaEvent] = []
    let outcome = replica.fold(
      change([create(0)]), hash: ChangeHash(1, 1, 1, 1), events: &events)
    #expect(outcome == .invalid(.limit))
    #expect(replica.vector == VersionVector() && replica.itemCount == 0 && events == [])
  }
}
