// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The second half of cutting back: everything was read, the cells change.
extension Replica {
  /// Finds the cells that show what goes, with what they held at the floor.
  func collectCells(_ reading: inout CutReading) {
    func collect(_ item: UInt32, _ name: UInt32, _ row: UInt32) {
      guard row != 0, reading.isExcess(localDot(row)) else { return }
      let cell = FloorTable.Cell(item: item, name: name)
      reading.cells[cell] =
        floorTable[cell] ?? FloorTable.Entry(name: name, row: 0, value: FloorTable.created)
    }
    for item in 2..<UInt32(max(items.count, 2)) {
      collect(item, FloorTable.Cell.create, items[item].create)
      collect(item, FloorTable.Cell.place, items[item].place)
      collect(item, FloorTable.Cell.life, items[item].life)
      for field in fields.names.indices {
        let field = UInt32(field)
        collect(item, FloorTable.Cell.firstField + field, fields.stamp(field, item))
      }
    }
  }

  /// Takes back what lies beyond the cutoffs that `reading` was begun with.
  ///
  /// The caller moves those changes out of the log, in the transaction that writes the next
  /// checkpoint. Nobody may add them again while the cutoffs hold.
  /// - Parameter reading: Whole: `unread` is empty and `isCurrent` holds.
  /// - Returns: The items that changed, dead ones too.
  /// - Complexity: O(cells that changed · log n + sessions²).
  public mutating func cut(_ reading: CutReading) -> [ItemID] {
    precondition(isCurrent(reading) && unread(reading).isEmpty, "the log was not read to its end")
    var touched: Set<UInt32> = []
    let cells = reading.cells.keys.sorted { ($0.item, $0.name) < ($1.item, $1.name) }
    for cell in cells {
      // Somebody else may have written it meanwhile.
      guard reading.isExcess(localDot(shownRow(cell))), let best = reading.cells[cell] else {
        continue
      }
      touch(before: cell.item)
      show(cell, best)
      touched.insert(cell.item)
    }
    for key in counters.cells.keys.sorted(by: { ($0.item, $0.field) < ($1.item, $1.field) }) {
      if cutCounter(key, reading) { touched.insert(key.item) }
    }
    cutSessions(reading)
    for item in touched.sorted() {
      markDirty(item)
      touch(before: item)
    }
    recoveredCache = nil
    subtotals.removeAll()
    return touched.map(items.id).sorted()
  }

  private mutating func touch(before item: UInt32) {
    if items[item].parent == ItemTable.root { touch(list: item) }
    if let list = listOrdinal(item) { touch(list: list) }
  }

  /// Puts into a cell the greatest write that stays.
  private mutating func show(_ cell: FloorTable.Cell, _ best: FloorTable.Entry) {
    let (item, row) = (cell.item, best.row)
    switch (cell.name, best.value) {
    case (FloorTable.Cell.create, _):
      if row == 0 { order.remove(item, shown: !items[item].isDead) }
      items[item].create = row
    case (FloorTable.Cell.place, .place(let parent, let key)) where row != 0:
      replace(item, parent: ordinalMaking(parent), key: key, stamp: row)
    case (FloorTable.Cell.place, _): unplace(item)
    case (FloorTable.Cell.life, _):
      if items[item].isDead { releaseDelete(localDot(items[item].life)) }
      let isDead = row != 0 && best.value == .life(alive: false)
      items[item].life = row
      if isDead { retainDelete(localDot(row)) }
      if items[item].isDead != isDead {
        items[item].isDead = isDead
        order.setShown(item, !isDead)
      }
    case (_, .value(let value)) where row != 0:
      fields.write(cell.name - FloorTable.Cell.firstField, item, value, stamp: row)
    default: fields.clear(cell.name - FloorTable.Cell.firstField, item)
    }
    if row != 0 && isBelowFloor(row) { setHeld(cell, nil) }
  }

  private mutating func cutCounter(_ key: CounterStore.Key, _ reading: CutReading) -> Bool {
    var isCut = false
    for cell in counters.cells[key] ?? []
    where reading.isExcess(LocalDot(session: cell.session, seq: cell.seq)) {
      let held = floorTable.counters.cell(key, session: cell.session)
      let rest = reading.counters[.init(key: key, line: cell.session)] ?? held
      counters.put(key, session: cell.session, rest)
      if rest?.seq == held?.seq { floorTable.counters.put(key, session: cell.session, nil) }
      isCut = true
    }
    return isCut
  }

  private mutating func cutSessions(_ reading: CutReading) {
    // What authors had seen, without what only a closed line told.
    func lower(_ context: inout SeenContext, to seen: SeenContext) {
      guard reading.closed.contains(where: { context[$0] > 0 }) else { return }
      for line in reading.implied {
        context.put(line, seen.entry(line))
      }
    }
    for (dot, seen) in reading.seen {
      if deleteContexts[dot] != nil { lower(&deleteContexts[dot]!.seen, to: seen) }  // just seen
      if waiting[dot] != nil { lower(&waiting[dot]!.context, to: seen) }  // just seen
    }
    for line in reading.concerned where !reading.closed.contains(line) {
      if let seen = reading.contexts[line] { lower(&sessions[line].context, to: seen) }
    }
    deleteContexts = deleteContexts.filter { !reading.isExcess($0.key) }
    waiting = waiting.filter { !reading.isExcess($0.key) }
    early = early.filter { !reading.isExcess($0.key) }
    for line in sessions.arrival where reading.kept[checked: line] != .max {
      if !reading.closed.contains(line) { truncate(line, reading) }
    }
    for line in reading.closed.sorted() { sessions.close(line) }
    sessions.linkAll()
    for origin in sessions.branches.keys.sorted() { settleContexts(origin) }
  }

  private mutating func truncate(_ line: UInt32, _ reading: CutReading) {
    let last = reading.kept[Int(line)]
    let row = sessions[line]
    let tail = reading.tails[line] ?? CutReading.Tail(hash: row.floorHash, h: row.floorH)
    sessions[line].tip = last
    sessions[line].tipHash = tail.hash
    sessions[line].tipH = tail.h
    var context = reading.contexts[line] ?? SeenContext()
    if reading.contexts[line] == nil { raiseToFloors(&context, of: row.context) }
    _ = context.raise(session: line, to: last, mark: tail.hash.prefix32)
    sessions[line].context = context
    sessions[line].trail.cut(behind: last)
    if let branch = row.branch {
      sessions[line].branch?.hashes.removeLast(branch.hashes.count - Int(last - branch.base))
    }
  }
}

extension ContiguousArray<UInt32> {
  /// `UInt32.max` beyond the end: such a line is younger than the reading.
  fileprivate subscript(checked line: UInt32) -> UInt32 {
    Int(line) < count ? self[Int(line)] : .max
  }
}
