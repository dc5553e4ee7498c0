// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Writes that pass the floor: each may be the greatest that its cell held there (`core.md` 6.1).
///
/// They pass one by one when the floor moves, and late when a snapshot has put the floor above a
/// change whose ops waited for an upgrade on either side: no cell that met another has shown them.
extension Replica {
  /// Which of the two floors a write passes while the log of a snapshot is awaited.
  private enum Level { case floor, lower }

  /// The stamp of a write whose change leaves the log; it gets a row only if it stays as what a
  /// cell held.
  private struct PassingWrite {
    let dot: LocalDot
    let h: UInt64
    let op: UInt16
    let level: Level
    var row: UInt32?
  }

  /// Lets the writes of one op pass whichever floor is at or above its change.
  mutating func pass(_ op: Op, _ index: Int, of change: Change, _ dot: LocalDot) {
    var write = PassingWrite(
      dot: dot, h: op.ownH ?? change.h, op: UInt16(index), level: .floor)
    if isBelow(dot, .floor) { pass(op, write, nonce: change.nonce) }
    write = PassingWrite(dot: dot, h: write.h, op: write.op, level: .lower)
    if isBelow(dot, .lower) { pass(op, write, nonce: change.nonce) }
  }

  private mutating func pass(_ op: Op, _ write: PassingWrite, nonce: UInt64) {
    var write = write
    switch op {
    case .create(let firstIndex, let count, let parent, let firstKey, let columns):
      guard let run = try? PositionRun(first: firstKey, count: Int(count)) else { return }
      for at in 0..<Int(count) {
        let id = ItemID(nonce: nonce, index: firstIndex + UInt32(at))
        pass(id, FloorTable.Cell.create, FloorTable.created, &write)
        pass(id, FloorTable.Cell.place, .place(parent: parent, key: run.key(at: at)), &write)
        for column in columns {
          guard let value = column.values[at] else { continue }
          pass(id, column.field, value, &write)
        }
      }
    case .place(let id, let parent, let key, _):
      pass(id, FloorTable.Cell.place, .place(parent: parent, key: key), &write)
    case .blockPlace(let block, let parent, let firstKey, _):
      guard let run = try? PositionRun(first: firstKey, count: block.count) else { return }
      for (at, id) in block.enumerated() {
        pass(id, FloorTable.Cell.place, .place(parent: parent, key: run.key(at: at)), &write)
      }
    case .set(let id, let field, let value, _): pass(id, field, value, &write)
    case .life(let id, let alive, _): pass(id, FloorTable.Cell.life, .life(alive: alive), &write)
    case .add(let id, let field, let delta):
      guard let item = items.ordinal(of: id), let name = fields.ordinal(of: field) else { return }
      pass(CounterStore.Key(item: item, field: name), delta, write)
    case .unknown: break
    }
  }

  private mutating func pass(
    _ id: ItemID, _ field: FieldName, _ value: Value, _ write: inout PassingWrite
  ) {
    guard let name = fields.ordinal(of: field) else { return }
    pass(id, FloorTable.Cell.firstField + name, .value(value), &write)
  }

  /// One write passes the floor: either its cell shows something from below the floor now, or the
  /// write may be the greatest that the cell held there.
  private mutating func pass(
    _ id: ItemID, _ name: UInt32, _ value: CellValue, _ write: inout PassingWrite
  ) {
    guard let item = items.ordinal(of: id) else { return }
    let cell = FloorTable.Cell(item: item, name: name)
    let shown = shownRow(cell)
    if shown == 0 || isBelow(localDot(shown), write.level) {
      hold(nil, in: cell, write.level)
      return
    }
    let row =
      write.row
      ?? stamps.append(
        session: write.dot.session, seq: write.dot.seq, h: write.h, op: write.op)
    write.row = row
    let held = write.level == .floor ? floorTable[cell] : lowerFloor?.table[cell]
    if held.map({ wins(row, over: $0.row, value, $0.value) }) ?? true {
      hold((row, value), in: cell, write.level)
    }
  }

  /// Adds of one session pass in order; what a join knew to be held counts as passed.
  private mutating func pass(
    _ key: CounterStore.Key, _ delta: Int64, _ write: PassingWrite
  ) {
    let (session, seq) = (write.dot.session, write.dot.seq)
    let table = write.level == .floor ? floorTable : lowerFloor?.table
    let before = table?.counters.cell(key, session: session)
    var held: CounterStore.Cell?
    if let shown = counters.cell(key, session: session),
      !isBelow(LocalDot(session: session, seq: shown.seq), write.level)
    {
      if let before, before.seq >= seq { return }
      let total = before?.total ?? 0
      held = CounterStore.Cell(session: session, total: total &+ delta, seq: seq)
    }
    if write.level == .floor {
      floorTable.counters.put(key, session: session, held)
    } else {
      lowerFloor?.table.counters.put(key, session: session, held)
    }
    markDirty(key.item)
  }

  private func isBelow(_ dot: LocalDot, _ level: Level) -> Bool {
    level == .floor ? isBelowFloor(dot) : lowerFloor?.isBelow(dot) ?? false
  }

  private mutating func hold(
    _ write: (row: UInt32, value: CellValue)?, in cell: FloorTable.Cell, _ level: Level
  ) {
    if level == .floor {
      setHeld(cell, write)
    } else {
      lowerFloor?.table.put(cell, write)
    }
  }
}
