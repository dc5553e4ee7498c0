// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The log floor: changes at or below it have left the log, and what cells held there is kept for
/// those that show a later write (`core.md` 6.1).
extension Replica {
  /// The floor of a session: the last change of it that has left the log; `nil` if none has.
  public func floor(of session: SessionID) -> Tip? {
    guard let ordinal = sessions.ordinal(of: session), sessions[ordinal].floor > 0 else {
      return nil
    }
    let row = sessions[ordinal]
    return Tip(session: session, seq: UInt64(row.floor), hash: row.floorHash)
  }

  /// The floors of all sessions of which something has left the log, predecessors first.
  public var floorTips: [Tip] {
    sessions.arrival.compactMap { floor(of: sessions[$0].id) }
  }

  /// How many cells keep what they held at the floor.
  public var floorCellCount: Int { floorTable.count }

  /// Changes above the floor that every holder in `holders` has: these may leave the log.
  /// Predecessors first; a session only when what it continues has left as far.
  /// - Complexity: O(sessions · holders).
  public func leavable(heldBy holders: [Coverage]) -> [SessionRange] {
    var out: [SessionRange] = []
    var reached = ContiguousArray(repeating: UInt32(0), count: sessions.rows.count)
    for ordinal in sessions.arrival {
      let row = sessions[ordinal]
      reached[Int(ordinal)] = row.floor
      if let predecessor = row.predecessor, let tip = row.head?.predecessor,
        UInt64(reached[Int(predecessor)]) < tip.seq
      {
        continue
      }
      let held = holders.reduce(row.tip) { min($0, $1[Int(ordinal)]) }
      let start = max(row.floor, row.branch?.base ?? 0)
      guard held > start else { continue }
      reached[Int(ordinal)] = held
      out.append(SessionRange(session: row.id, first: UInt64(start) + 1, last: UInt64(held)))
    }
    return out
  }

  /// Whether what `line` continues has left the log.
  public func hasPredecessorLeft(_ line: SessionID) -> Bool {
    guard let ordinal = sessions.ordinal(of: line),
      let predecessor = sessions[ordinal].predecessor, let tip = sessions[ordinal].head?.predecessor
    else { return true }
    return UInt64(sessions[predecessor].floor) >= tip.seq
  }

  /// What the log has that a holder of `coverage` lacks; predecessors first.
  /// - Complexity: O(sessions).
  public func logged(beyond coverage: Coverage) -> [SessionRange] {
    sessions.arrival.compactMap { ordinal in
      let row = sessions[ordinal]
      let held = max(row.floor, coverage[Int(ordinal)])
      return row.tip > held
        ? SessionRange(session: row.id, first: UInt64(held) + 1, last: UInt64(row.tip)) : nil
    }
  }

  /// Moves the floor past one change, the next of its session above it; the caller takes it out of
  /// the log in the transaction that writes the next checkpoint.
  ///
  /// - Returns: Whether it did: not for a change that is not the next one, that is not held, or
  ///   that has ops which wait for an upgrade.
  /// - Complexity: O(cells written).
  public mutating func passFloor(_ change: Change, hash: ChangeHash) -> Bool {
    guard let named = sessions.ordinal(of: change.session), change.seq <= UInt64(UInt32.max),
      let session = sessions.line(named, UInt32(change.seq), matches: { $0 == hash.a })
    else { return false }
    let start = max(sessions[session].floor, sessions[session].branch?.base ?? 0)
    guard change.seq == UInt64(start) + 1, !change.hasUnknownOps else { return false }
    lowerFloor = nil
    hasFloor = true
    let seq = UInt32(change.seq)
    sessions[session].floor = seq
    sessions[session].floorHash = hash
    sessions[session].floorH = change.h
    for (index, op) in change.ops.enumerated() {
      pass(op, index, of: change, LocalDot(session: session, seq: seq))
    }
    forgetDelete(LocalDot(session: session, seq: seq))
    return true
  }

  // MARK: While folding

  /// A write is about to replace what `cell` shows: what stood at the floor is kept.
  mutating func overwriting(_ name: UInt32, _ item: UInt32, _ old: UInt32, _ scope: Scope) {
    guard hasFloor, old != 0, !scope.isJoin else { return }
    let cell = FloorTable.Cell(item: item, name: name)
    if isBelowFloor(old) { setHeld(cell, (old, shownValue(cell))) }
    if lowerFloor?.isBelow(localDot(old)) == true {
      let value = shownValue(cell)
      lowerFloor!.table.put(cell, (old, value))  // just seen to be there
    }
  }

  /// A session is about to add to a counter: its total at the floor is kept.
  mutating func adding(_ key: CounterStore.Key, _ scope: Scope) {
    guard hasFloor, let old = counters.cell(key, session: scope.session) else { return }
    let dot = LocalDot(session: old.session, seq: old.seq)
    if isBelowFloor(dot) { floorTable.counters.put(key, session: old.session, old) }
    if lowerFloor?.isBelow(dot) == true {
      lowerFloor!.table.counters.put(key, session: old.session, old)  // just seen to be there
    }
  }

  /// Sets what a cell held at the floor, with what the author of a delete had seen.
  mutating func setHeld(
    _ cell: FloorTable.Cell, _ write: (row: UInt32, value: CellValue)?
  ) {
    if write?.value == .life(alive: false), let row = write?.row { retainDelete(localDot(row)) }
    let old = floorTable.put(cell, write)
    if old != nil || write != nil { markDirty(cell.item) }
    guard cell.name == FloorTable.Cell.life, let old, old.value == .life(alive: false) else {
      return
    }
    releaseDelete(localDot(old.row))
  }

  // MARK: Asking

  func isBelowFloor(_ dot: LocalDot) -> Bool { dot.seq <= sessions[dot.session].floor }
  func isBelowFloor(_ row: UInt32) -> Bool { isBelowFloor(localDot(row)) }

  /// Stamp row of what a cell shows; 0 = never written.
  func shownRow(_ cell: FloorTable.Cell) -> UInt32 {
    switch cell.name {
    case FloorTable.Cell.create: items[cell.item].create
    case FloorTable.Cell.place: items[cell.item].place
    case FloorTable.Cell.life: items[cell.item].life
    default: fields.stamp(cell.name - FloorTable.Cell.firstField, cell.item)
    }
  }

  /// What a cell shows.
  func shownValue(_ cell: FloorTable.Cell) -> CellValue {
    switch cell.name {
    case FloorTable.Cell.create: FloorTable.created
    case FloorTable.Cell.place: heldPlace(cell.item)
    case FloorTable.Cell.life: .life(alive: !items[cell.item].isDead)
    default:
      .value(fields.value(cell.name - FloorTable.Cell.firstField, cell.item) ?? .null)
    }
  }

  /// What a cell held at the floor, for tests and for taking changes back: `nil` where it shows what
  /// it held, or held nothing.
  public func heldAtFloor(_ item: ItemID, _ cell: CellName) -> (written: Written, value: CellValue)?
  {
    guard let ordinal = items.ordinal(of: item), let name = cellNumber(cell),
      let entry = floorTable[FloorTable.Cell(item: ordinal, name: name)],
      let written = written(entry.row)
    else { return nil }
    return (written, entry.value)
  }

  /// What `session` had added to a counter at the floor, where it added more since.
  public func addedAtFloor(
    _ item: ItemID, _ field: FieldName, by session: SessionID
  ) -> (total: Int64, seq: UInt64)? {
    guard let ordinal = items.ordinal(of: item), let name = fields.ordinal(of: field),
      let author = sessions.ordinal(of: session),
      let cell = floorTable.counters.cell(
        CounterStore.Key(item: ordinal, field: name), session: author)
    else { return nil }
    return (cell.total, UInt64(cell.seq))
  }

  func cellNumber(_ cell: CellName) -> UInt32? {
    switch cell {
    case .create: FloorTable.Cell.create
    case .place: FloorTable.Cell.place
    case .life: FloorTable.Cell.life
    case .field(let field): fields.ordinal(of: field).map { FloorTable.Cell.firstField + $0 }
    }
  }

  func cellName(_ number: UInt32) -> CellName {
    switch number {
    case FloorTable.Cell.create: .create
    case FloorTable.Cell.place: .place
    case FloorTable.Cell.life: .life
    default: .field(fields.names[Int(number - FloorTable.Cell.firstField)])
    }
  }
}

extension Change {
  /// Whether it has ops of kinds that this version does not know: it stays in the log until they
  /// are folded.
  public var hasUnknownOps: Bool {
    ops.contains { if case .unknown = $0 { true } else { false } }
  }
}
