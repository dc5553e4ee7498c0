// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Floors in a join (`core.md` 7.4). A snapshot stands for its sender's whole vector; the log of it
/// follows. Until that is here the receiver's floor is the sender's vector; then it is the union of
/// both floors. What cells held is known for both from the moment of the join.
extension Replica {
  /// The floor that holds once the log of a snapshot is here.
  struct LowerFloor: Sendable {
    struct Mark: Sendable {
      let seq: UInt32
      let hash: ChangeHash
      let h: UInt64
    }

    /// By session ordinal; beyond the end 0.
    var marks: ContiguousArray<Mark>
    var table = FloorTable()
    /// What the log lacks, predecessors first.
    var missing: [SessionRange] = []

    func isBelow(_ dot: LocalDot) -> Bool {
      Int(dot.session) < marks.count && dot.seq <= marks[Int(dot.session)].seq
    }
  }

  /// The changes between the floors that the sender of the last snapshot still has in its log, and
  /// that are not in the log here; predecessors first. Empty when nothing is awaited.
  public var awaitedLog: [SessionRange] { lowerFloor?.missing ?? [] }

  /// The log of the last snapshot is here: the floor sinks to the union of both floors.
  /// - Complexity: O(items), once a snapshot.
  public mutating func settleLog() {
    guard let lower = lowerFloor else { return }
    for item in floorTable.entries.keys { markDirty(item) }
    for key in floorTable.counters.cells.keys { markDirty(key.item) }
    for (ordinal, mark) in lower.marks.enumerated() {
      sessions[UInt32(ordinal)].floor = mark.seq
      sessions[UInt32(ordinal)].floorHash = mark.hash
      sessions[UInt32(ordinal)].floorH = mark.h
    }
    floorTable = lower.table
    for item in floorTable.entries.keys { markDirty(item) }
    for key in floorTable.counters.cells.keys { markDirty(key.item) }
    lowerFloor = nil
    hasFloor = sessions.rows.contains { $0.floor > 0 }
    recountDeletes()
  }

  /// The log of the last snapshot will not come: the floor stays where the snapshot put it.
  /// - Complexity: O(items), once a snapshot.
  public mutating func forgoLog() {
    guard lowerFloor != nil else { return }
    lowerFloor = nil
    recountDeletes()
  }

  /// Counts anew which deletes are needed.
  private mutating func recountDeletes() {
    for dot in deleteContexts.keys { deleteContexts[dot]?.uses = 0 }
    for item in 2..<UInt32(max(items.count, 2)) where items[item].isDead {
      retainDelete(localDot(items[item].life))
    }
    for entries in floorTable.entries.values {
      for entry in entries
      where entry.name == FloorTable.Cell.life && entry.value == .life(alive: false) {
        retainDelete(localDot(entry.row))
      }
    }
    let useless = deleteContexts.filter { $0.value.uses <= 0 && isBelowFloor($0.key) }
    for dot in useless.keys { deleteContexts[dot] = nil }
  }

  // MARK: Joining

  /// One cell of a chunk with what this replica showed in it before.
  struct MeetingCell {
    let cell: FloorTable.Cell
    /// What either side shows; row 0 where it shows nothing.
    let mine: (row: UInt32, value: CellValue)
    let theirs: (row: UInt32, value: CellValue)
  }

  /// What a cell shows here before a join.
  func meeting(
    _ item: UInt32, _ name: UInt32, _ row: UInt32, _ value: CellValue
  ) -> MeetingCell {
    let cell = FloorTable.Cell(item: item, name: name)
    let mine = shownRow(cell)
    return MeetingCell(
      cell: cell, mine: (mine, mine == 0 ? value : shownValue(cell)), theirs: (row, value))
  }

  /// Puts what `cell` held at both floors, from what either side knows.
  mutating func joinHeld(_ met: MeetingCell, theirs held: FloorTable.Entry?) {
    var known: [(row: UInt32, value: CellValue)] = [met.mine, met.theirs]
    if let held { known.append((held.row, held.value)) }
    if let mine = floorTable[met.cell] { known.append((mine.row, mine.value)) }
    if let mine = lowerFloor?.table[met.cell] { known.append((mine.row, mine.value)) }
    let shown = localDot(shownRow(met.cell))
    setHeld(met.cell, isBelowFloor(shown) ? nil : greatest(known) { isBelowFloor($0) })
    if let marks = lowerFloor?.marks {
      let lower = LowerFloor(marks: marks)
      let lowest = lower.isBelow(shown) ? nil : greatest(known) { lower.isBelow($0) }
      lowerFloor?.table.put(met.cell, lowest)
    }
    markDirty(met.cell.item)
  }

  /// What a cell shows has passed a floor with a join whose chunks did not name the cell: what it held
  /// there is of no use. Only a liar's snapshot leaves out what its vector covers.
  mutating func dropPassed() {
    floorTable.counters.drop { key, held in
      counters.cell(key, session: held.session).map { $0.seq <= sessions[$0.session].floor }
        != false
    }
    for (item, entries) in floorTable.entries {
      for entry in entries {
        let cell = FloorTable.Cell(item: item, name: entry.name)
        if isBelowFloor(shownRow(cell)) { setHeld(cell, nil) }
      }
    }
    if var lower = lowerFloor {
      let marks = LowerFloor(marks: lower.marks)
      for (item, entries) in lower.table.entries {
        for entry in entries {
          let cell = FloorTable.Cell(item: item, name: entry.name)
          if marks.isBelow(localDot(shownRow(cell))) { lower.table.put(cell, nil) }
        }
      }
      lower.table.counters.drop { key, held in
        counters.cell(key, session: held.session).map {
          marks.isBelow(LocalDot(session: $0.session, seq: $0.seq))
        } != false
      }
      lowerFloor = lower
    }
  }

  private func greatest(
    _ known: [(row: UInt32, value: CellValue)], where isBelow: (LocalDot) -> Bool
  ) -> (row: UInt32, value: CellValue)? {
    var best: (row: UInt32, value: CellValue)?
    for write in known where write.row != 0 && isBelow(localDot(write.row)) {
      if let best, !wins(write.row, over: best.row, write.value, best.value) { continue }
      best = write
    }
    return best
  }

  /// The same for what one session added to a counter.
  mutating func joinAdded(
    _ key: CounterStore.Key, _ mine: CounterStore.Cell?, _ theirs: CounterStore.Cell,
    held: CounterStore.Cell?
  ) {
    let session = theirs.session
    let known = [
      mine, theirs, held, floorTable.counters.cell(key, session: session),
      lowerFloor?.table.counters.cell(key, session: session),
    ].compactMap(\.self)
    let shown = max(mine?.seq ?? 0, theirs.seq)
    func greatest(_ isBelow: (LocalDot) -> Bool) -> CounterStore.Cell? {
      if isBelow(LocalDot(session: session, seq: shown)) { return nil }
      return known.filter { isBelow(LocalDot(session: session, seq: $0.seq)) }
        .max { $0.seq < $1.seq }
    }
    floorTable.counters.put(key, session: session, greatest { isBelowFloor($0) })
    if let marks = lowerFloor?.marks {
      let lower = LowerFloor(marks: marks)
      lowerFloor?.table.counters.put(key, session: session, greatest { lower.isBelow($0) })
    }
    markDirty(key.item)
  }

  /// Raises the floors of one session of a snapshot: to its vector for now, to the union of both
  /// floors later.
  mutating func joinFloor(_ ordinal: UInt32, _ theirs: ReplicaHeader.Session) {
    let row = sessions[ordinal]
    var mark = LowerFloor.Mark(seq: row.floor, hash: row.floorHash, h: row.floorH)
    if theirs.floor > UInt64(row.floor) {
      mark = LowerFloor.Mark(
        seq: UInt32(theirs.floor), hash: theirs.floorHash, h: theirs.floorH)
    }
    if theirs.tipSeq > UInt64(row.floor) {
      sessions[ordinal].floor = UInt32(theirs.tipSeq)
      sessions[ordinal].floorHash = theirs.tipHash
      sessions[ordinal].floorH = theirs.tipH
    }
    let first = max(mark.seq, row.tip, row.branch?.base ?? 0) + 1
    if theirs.tipSeq >= UInt64(first) {
      lowerFloor?.missing.append(
        SessionRange(session: row.id, first: UInt64(first), last: theirs.tipSeq))
    }
    lowerFloor?.marks[Int(ordinal)] = mark
  }

  /// The log of a forked session is not awaited: its floor stays where the snapshot puts it.
  mutating func keepForkedFloors() {
    if var lower = lowerFloor {
      for ordinal in lower.marks.indices where isForked(sessions.rows[ordinal].id) {
        let row = sessions.rows[ordinal]
        lower.marks[ordinal] = LowerFloor.Mark(seq: row.floor, hash: row.floorHash, h: row.floorH)
      }
      lower.missing.removeAll { isForked($0.session) }
      lowerFloor = lower
    }
  }

  /// The marks of all sessions as they are, and what cells held at them.
  func startingLowerFloor() -> LowerFloor {
    LowerFloor(
      marks: ContiguousArray(
        sessions.rows.map { LowerFloor.Mark(seq: $0.floor, hash: $0.floorHash, h: $0.floorH) }),
      table: floorTable)
  }
}
