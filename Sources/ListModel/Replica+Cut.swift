// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Taking changes back that lie beyond the cutoff of a removed device (`core.md` 7.5): afterwards the
/// replica is the fold of what it holds without them.
extension Replica {
  // MARK: Asking

  /// What is held beyond `cutoffs` and above the floor, by line; predecessors first.
  /// - Complexity: O(sessions · cutoffs).
  public func beyond(_ cutoffs: [Cutoff]) -> [SessionRange] {
    sessions.arrival.compactMap { line in
      guard let cutoff = cutoff(of: line, cutoffs) else { return nil }
      let (row, last) = (sessions[line], kept(line, cutoff))
      let start = max(last, row.branch?.base ?? 0)
      return row.tip > start
        ? SessionRange(session: row.id, first: UInt64(start) + 1, last: UInt64(row.tip)) : nil
    }
  }

  /// Floors that lie beyond `cutoffs`: what is below them cannot be taken back any more. Named by
  /// session. None while the log of a snapshot is awaited: the floor may sink yet.
  public func floors(beyond cutoffs: [Cutoff]) -> [Tip] {
    if lowerFloor != nil { return [] }
    return sessions.arrival.compactMap { line in
      let row = sessions[line]
      guard row.floor > 0, let cutoff = cutoff(of: line, cutoffs) else { return nil }
      let session = sessions[sessions.origin(of: line)].id
      return UInt64(row.floor) > cutoff.last(of: session)
        ? Tip(session: session, seq: UInt64(row.floor), hash: row.floorHash) : nil
    }
  }

  /// All that a holder of `vector` has of the changes of `device`, as its cutoff if it is removed now.
  /// - Complexity: O(sessions).
  public func cutoff(for device: DeviceID, heldBy vector: VersionVector) -> Cutoff {
    let coverage = coverage(of: vector)
    let held = sessions.rows.indices.compactMap { at -> Tip? in
      let row = sessions.rows[at]
      guard row.head?.device == device, row.tip > 0 else { return nil }
      let session = sessions[sessions.origin(of: UInt32(at))].id
      let held = UInt64(min(row.tip, coverage[at]))
      // Where less is held than is known here, the vector names it.
      let hash = held == UInt64(row.tip) ? row.tipHash : vector.tip(of: row.id)?.hash
      return held > 0 ? Tip(session: session, seq: held, hash: hash ?? .zero) : nil
    }
    return Cutoff(device: device, tips: held)
  }

  private func cutoff(of line: UInt32, _ cutoffs: [Cutoff]) -> Cutoff? {
    let device = sessions[line].head?.device
    return cutoffs.first { $0.device == device }
  }

  /// The last seq of a line that stays.
  private func kept(_ line: UInt32, _ cutoff: Cutoff) -> UInt32 {
    let row = sessions[line]
    let last = cutoff.last(of: sessions[sessions.origin(of: line)].id)
    return max(UInt32(min(last, UInt64(row.tip))), row.floor)
  }

  // MARK: Reading

  /// Begins to cut back; `nil` where nothing lies beyond `cutoffs`.
  /// - Complexity: O(cells).
  public func cutting(_ cutoffs: [Cutoff]) -> CutReading? {
    var kept = ContiguousArray(repeating: UInt32.max, count: sessions.rows.count)
    var closed: Set<UInt32> = []
    var isCut = false
    for line in sessions.arrival {
      guard let cutoff = cutoff(of: line, cutoffs) else { continue }
      let (last, base) = (self.kept(line, cutoff), sessions[line].branch?.base ?? 0)
      if last <= base {
        // Of a session that forked at its first change the branches hold everything.
        let isOrigin = sessions.branches[line] != nil
        if !isOrigin || cutoff.last(of: sessions[line].id) == 0 { closed.insert(line) }
      }
      guard sessions[line].tip > max(last, base) else { continue }
      kept[Int(line)] = max(last, base)
      isCut = true
    }
    guard isCut else { return nil }
    let concerned = sessions.arrival.filter { line in
      closed.contains { sessions[line].context[$0] > 0 }
    }
    var reading = CutReading(
      kept: kept, closed: closed, implied: ancestors(of: closed), concerned: Set(concerned),
      floors: floorSeqs, branchCount: branchCount,
      layout: layout,
      next: ContiguousArray(
        sessions.rows.map { max($0.floor, $0.branch?.base ?? 0) + 1 }))
    collectCells(&reading)
    return reading
  }

  /// Whether what was read still fits: no floor has moved, no session was split and nothing has
  /// become cold meanwhile.
  public func isCurrent(_ reading: CutReading) -> Bool {
    lowerFloor == nil && branchCount == reading.branchCount && layout == reading.layout
      && floorSeqs.starts(with: reading.floors)
      && floorSeqs.dropFirst(reading.floors.count).allSatisfy { $0 == 0 }
  }

  private var floorSeqs: ContiguousArray<UInt32> { ContiguousArray(sessions.rows.map(\.floor)) }
  private var branchCount: Int { sessions.branches.values.reduce(0) { $0 + $1.count } }

  private func ancestors(of lines: Set<UInt32>) -> [UInt32] {
    var found: Set<UInt32> = []
    for line in lines.sorted() {
      var at = line
      while let before = sessions[at].predecessor, found.insert(before).inserted { at = before }
    }
    return found.sorted()
  }

  /// What is still to be read, predecessors first; empty: `cut` may follow.
  /// - Complexity: O(sessions).
  public func unread(_ reading: CutReading) -> [SessionRange] {
    // Where no cell shows what goes, only the lines that are cut matter.
    let readsAll = !reading.cells.isEmpty
    return sessions.arrival.compactMap { line in
      let row = sessions[line]
      let isKnown = Int(line) < reading.kept.count
      let last = isKnown ? min(reading.kept[Int(line)], row.tip) : row.tip
      let next = Int(line) < reading.next.count ? reading.next[Int(line)] : 1
      let isCut = isKnown && reading.kept[Int(line)] < row.tip
      guard readsAll || isCut || reading.concerned.contains(line), next <= last else { return nil }
      return SessionRange(session: row.id, first: UInt64(next), last: UInt64(last))
    }
  }

  /// Takes the next change of a line that stays.
  /// - Returns: Whether it was the next one.
  public mutating func read(
    _ change: Change, hash: ChangeHash, of line: SessionID, into reading: inout CutReading
  ) -> Bool {
    guard let line = sessions.ordinal(of: line), change.seq <= UInt64(UInt32.max) else {
      return false
    }
    let missing = Int(line) + 1 - reading.next.count
    if missing > 0 { reading.next.append(contentsOf: repeatElement(1, count: missing)) }
    let seq = UInt32(change.seq)
    guard reading.next[Int(line)] == seq else { return false }
    reading.next[Int(line)] += 1
    let isCut = Int(line) < reading.kept.count && reading.kept[Int(line)] != .max
    if isCut || reading.concerned.contains(line) { follow(change, line, &reading) }
    if isCut, seq == reading.kept[Int(line)] {
      reading.tails[line] = CutReading.Tail(hash: hash, h: change.h)
      _ = reading.contexts[line]?.raise(session: line, to: seq, mark: hash.prefix32)
    }
    let dot = LocalDot(session: line, seq: seq)
    var (row, rowOp): (UInt32?, Int) = (nil, -1)
    change.forEachWrite { op, id, cell, value in
      guard let item = items.ordinal(of: id), let name = cellNumber(cell),
        let held = reading.cells[FloorTable.Cell(item: item, name: name)]
      else { return }
      if row == nil || rowOp != op {
        row = stamps.append(
          session: dot.session, seq: dot.seq, h: change.ops[op].ownH ?? change.h, op: UInt16(op))
        rowOp = op
      }
      guard let row, wins(row, over: held.row, value, held.value) else { return }
      reading.cells[FloorTable.Cell(item: item, name: name)] = FloorTable.Entry(
        name: name, row: row, value: value)
    }
    if isCut { add(change, line, &reading) }
    return true
  }

  private func add(_ change: Change, _ line: UInt32, _ reading: inout CutReading) {
    for case .add(let id, let field, let delta) in change.ops {
      guard let item = items.ordinal(of: id), let name = fields.ordinal(of: field) else { continue }
      let key = CounterStore.Key(item: item, field: name)
      let before =
        reading.counters[.init(key: key, line: line)]
        ?? floorTable.counters.cell(key, session: line)
      reading.counters[.init(key: key, line: line)] = CounterStore.Cell(
        session: line, total: (before?.total ?? 0) &+ delta, seq: UInt32(change.seq))
    }
  }

  /// What the author of a line had seen, told again without what closed lines continue.
  private mutating func follow(_ change: Change, _ line: UInt32, _ reading: inout CutReading) {
    var context = reading.contexts[line] ?? startingContext(line, reading)
    if change.seq > 1, change.seq - 1 > UInt64(sessions[line].branch?.base ?? 0) {
      _ = context.raise(session: line, to: UInt32(change.seq) - 1, mark: change.prev.prefix32)
    }
    for entry in change.seen {
      let seen = UInt32(truncatingIfNeeded: min(entry.dot.seq, UInt64(UInt32.max)))
      let other = sessions.ordinalMaking(entry.dot.session)
      raise(&context, other, seen, entry.hashPrefix, reading.closed)
    }
    reading.contexts[line] = context
    let dot = LocalDot(session: line, seq: UInt32(change.seq))
    if deleteContexts[dot] != nil || waiting[dot] != nil { reading.seen[dot] = context }
  }

  private func startingContext(_ line: UInt32, _ reading: CutReading) -> SeenContext {
    let row = sessions[line]
    var context = SeenContext()
    if let branch = row.branch, branch.base > 0, let parent = row.predecessor {
      context = reading.contexts[parent] ?? sessions[parent].context
      _ = context.raise(session: parent, to: branch.base, mark: sessions[parent].tipHash.prefix32)
    } else if let tip = row.head?.predecessor, let predecessor = row.predecessor {
      raise(
        &context, predecessor, UInt32(truncatingIfNeeded: tip.seq), tip.hash.prefix32,
        reading.closed)
    }
    guard row.floor > 0 else { return context }
    // Below the floor nothing is read: what has left every log there counts as seen.
    raiseToFloors(&context, of: row.context)
    return context
  }

  /// Adds what is in `seen` and below the floor.
  func raiseToFloors(_ context: inout SeenContext, of seen: SeenContext) {
    seen.forEach { session, entry in
      let reached = min(UInt32(truncatingIfNeeded: entry >> 32), sessions[session].floor)
      _ = context.raise(session: session, to: reached, mark: 0)
    }
  }

  private func raise(
    _ context: inout SeenContext, _ session: UInt32, _ seq: UInt32, _ mark: UInt32,
    _ closed: Set<UInt32>
  ) {
    var (at, reached, seen) = (session, seq, mark)
    while context.raise(session: at, to: reached, mark: seen), !closed.contains(at),
      let predecessor = sessions[at].predecessor, let tip = sessions[at].head?.predecessor
    {
      (at, reached, seen) = (predecessor, UInt32(truncatingIfNeeded: tip.seq), tip.hash.prefix32)
    }
  }
}

extension Change {
  /// Calls `body` for every cell that the change writes, counters left out, with the index of the op.
  func forEachWrite(_ body: (_ op: Int, ItemID, CellName, CellValue) -> Void) {
    for (index, op) in ops.enumerated() {
      switch op {
      case .create(let firstIndex, let count, let parent, let firstKey, let columns):
        guard let run = try? PositionRun(first: firstKey, count: Int(count)) else { continue }
        for at in 0..<Int(count) {
          let id = ItemID(nonce: nonce, index: firstIndex + UInt32(at))
          body(index, id, .create, FloorTable.created)
          body(index, id, .place, .place(parent: parent, key: run.key(at: at)))
          for column in columns {
            if let value = column.values[at] {
              body(index, id, .field(column.field), .value(value))
            }
          }
        }
      case .place(let id, let parent, let key, _):
        body(index, id, .place, .place(parent: parent, key: key))
      case .blockPlace(let block, let parent, let firstKey, _):
        guard let run = try? PositionRun(first: firstKey, count: block.count) else { continue }
        for (at, id) in block.enumerated() {
          body(index, id, .place, .place(parent: parent, key: run.key(at: at)))
        }
      case .set(let id, let field, let value, _): body(index, id, .field(field), .value(value))
      case .life(let id, let alive, _): body(index, id, .life, .life(alive: alive))
      case .add, .unknown: continue
      }
    }
  }
}
