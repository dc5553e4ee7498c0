// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Joining another replica's header and chunks: a checkpoint at start, a snapshot from a peer.
extension Replica {
  /// Reads a checkpoint.
  ///
  /// Items keep their chunks, so `dirtyChunks` is empty afterwards.
  /// - Parameters:
  ///   - chunks: All of them, in order; one that is missing makes the image void.
  ///   - chunkCapacity: That of the replica that wrote them.
  /// - Complexity: O(cells).
  public init(
    header: ReplicaHeader, chunks: [ItemChunk], chunkCapacity: Int = ItemChunk.itemCountMax
  ) throws(ImageDefect) {
    var cold = chunks.prefix(Int(clamping: header.coldCount))
    let warm = chunks.dropFirst(cold.count)
    try self.init(header: header, chunks: warm, chunkCapacity: chunkCapacity) {
      () throws(ImageDefect) -> ItemChunk? in cold.popFirst()
    }
  }

  /// The same, with cold chunks that are read one after the other, so that only one of them lies in
  /// memory unpacked.
  /// - Parameters:
  ///   - chunks: Those that are not cold.
  ///   - packing: For the cold ones; `nil` leaves them as they are.
  ///   - cold: The next cold chunk; `nil` behind the last.
  public init(
    header: ReplicaHeader, chunks: some Collection<ItemChunk>, chunkCapacity: Int,
    packing: (any ChunkPacking)? = nil, cold: () throws(ImageDefect) -> ItemChunk?
  ) throws(ImageDefect) {
    self.init(chunkCapacity: chunkCapacity)
    if let packing { pack(with: packing) }
    // Before the cells: they name parents that stand in later chunks.
    for chunk in chunks {
      for id in chunk.ids { _ = items.ordinalMaking(id) }
    }
    var events: [ReplicaEvent] = []
    var (coldCount, coldItems) = (UInt64(0), 0)
    try join(header, chunks, isSilent: true, &events) { () throws(ImageDefect) -> ItemChunk? in
      let chunk = try cold()
      if let chunk { (coldCount, coldItems) = (coldCount + 1, coldItems + chunk.ids.count) }
      return chunk
    }
    guard header.coldCount == coldCount, header.chunkCount == coldCount + UInt64(chunks.count)
    else { throw .shape }
    // Something in the columns names one that is cold.
    guard self.cold.itemCount == coldItems else { throw .value }
    stampsKept = stamps.count
    markClean()
  }

  /// Joins a snapshot: per cell the greater stamp of both, and both version vectors
  /// (`core.md` 7.4). The receiver's own unshared changes keep their stamps and flow as usual.
  ///
  /// The floor rises to the snapshot's vector. If the log here lacks changes that the sender still
  /// has, `awaitedLog` names them; `settleLog` then lowers the floor, `forgoLog` leaves it. Before
  /// that `foldWaiting` must look at what waits on either side.
  ///
  /// All or nothing: after an error the replica is as it was.
  /// - Parameter events: As for `fold`; a value that both sides wrote apart is in the journal.
  /// - Complexity: O(cells of the snapshot · log n), and one copy of the replica.
  public mutating func join(
    _ header: ReplicaHeader, _ chunks: [ItemChunk], events: inout [ReplicaEvent]
  ) throws(ImageDefect) {
    guard header.coldCount <= UInt64(chunks.count) else { throw .shape }
    var joined = self
    var cold = chunks.prefix(Int(header.coldCount))
    let warm = chunks.dropFirst(cold.count)
    try joined.join(header, warm, isSilent: false, &events) {
      () throws(ImageDefect) -> ItemChunk? in cold.popFirst()
    }
    self = joined
  }

  private mutating func join(
    _ header: ReplicaHeader, _ chunks: some Collection<ItemChunk>, isSilent: Bool,
    _ events: inout [ReplicaEvent], cold: () throws(ImageDefect) -> ItemChunk?
  ) throws(ImageDefect) {
    let before = vectorSeqs()
    if !isSilent { forgoLog() }
    let (map, contexts) = try adoptSessions(header, isSilent: isSilent)
    var held = SeenContext()
    for (index, session) in header.sessions.enumerated() {
      _ = held.raise(
        session: map[index], to: UInt32(session.tipSeq), mark: session.tipHash.prefix32)
    }
    try joinWaiting(header, map, contexts, mine: before, theirs: held)
    for delete in header.deleteContexts {
      let dot = try header.dot(delete, map)
      if deleteContexts[dot] == nil {
        deleteContexts[dot] = DeleteContext(
          seen: try contexts.numbered(delete.context), uses: 0)
      }
    }
    try joinEarly(header, map, contexts, mine: before)
    let scope = JoinScope(mine: before, theirs: held, isSilent: isSilent)
    for chunk in try adoptCold(cold, isSilent: isSilent) {
      try joinDeletes(of: chunk)
      try join(chunk, scope, &events)
    }
    for chunk in chunks { try join(chunk, scope, &events) }
    recoveredCache = nil
    subtotals.removeAll()
    if !isSilent { dropPassed() }
    if awaitedLog.isEmpty && passing.isEmpty { settleLog() }
  }

  /// Takes over what the authors of early changes had seen that only the other side held.
  private mutating func joinEarly(
    _ header: ReplicaHeader, _ map: [UInt32], _ contexts: [SeenContext], mine: SeenContext
  ) throws(ImageDefect) {
    guard header.early.count <= ReplicaHeader.earlyMax else { throw .shape }
    for change in header.early {
      let dot = try header.dot(change, map)
      if mine.contains(session: dot.session, seq: dot.seq) { continue }
      early[dot] = try contexts.numbered(change.context)
    }
  }

  /// What both sides hold, and how the join tells.
  struct JoinScope {
    let mine: SeenContext
    let theirs: SeenContext
    let isSilent: Bool

    /// Whether a cell may be by that change: a peer has cells only of what it holds.
    func accepts(_ dot: LocalDot) -> Bool {
      isSilent || theirs.contains(session: dot.session, seq: dot.seq)
    }
  }

  func vectorSeqs() -> SeenContext {
    var out = SeenContext()
    for (ordinal, row) in sessions.rows.enumerated() where row.tip > 0 {
      _ = out.raise(session: UInt32(ordinal), to: row.tip, mark: row.tipHash.prefix32)
    }
    return out
  }

  /// Brings the sessions of `header` in; returns their ordinals here by index there, and what authors
  /// had seen by its number.
  private mutating func adoptSessions(
    _ header: ReplicaHeader, isSilent: Bool
  ) throws(ImageDefect) -> (map: [UInt32], contexts: [SeenContext]) {
    for session in header.sessions { try session.checkLine() }
    let map = header.sessions.map { sessions.ordinalMaking($0.id) }
    guard Set(map).count == map.count else { throw .shape }
    if !isSilent { lowerFloor = startingLowerFloor() }
    for index in header.arrival {
      guard Int(index) < header.sessions.count, let head = header.sessions[Int(index)].head
      else { throw .shape }
      let ordinal = map[Int(index)]
      if header.sessions[Int(index)].branch != nil {
        try adoptBranch(header, Int(index), map)
        continue
      }
      if let known = sessions[ordinal].head {
        guard known == head else { throw .session }
        continue
      }
      if let predecessor = head.predecessor {
        guard let other = sessions.ordinal(of: predecessor.session),
          sessions[other].head?.device == head.device, predecessor.seq < UInt64(UInt32.max)
        else { throw .session }
      }
      sessions.open(ordinal, head: head)
      completeContexts(opened: ordinal)
    }
    let contexts = try Self.contexts(of: header, map)
    for (index, session) in header.sessions.enumerated() {
      let ordinal = map[index]
      // What has changes has arrived, also here.
      guard session.floor <= session.tipSeq, session.tipH < Limits.clockEnd,
        session.floorH < Limits.clockEnd,
        session.tipSeq == 0 || (session.head != nil && sessions[ordinal].head != nil)
      else { throw .value }
      let seen = try contexts.numbered(session.context)
      guard seen.contains(session: ordinal, seq: UInt32(session.tipSeq)) else { throw .value }
      if isSilent {
        sessions[ordinal].floor = UInt32(session.floor)
        sessions[ordinal].floorHash = session.floorHash
        sessions[ordinal].floorH = session.floorH
      }
      if !isSilent { joinFloor(ordinal, session) }
      let trail = try self.trail(session, map)
      if UInt64(sessions[ordinal].tip) < session.tipSeq {
        sessions[ordinal].trail = sessions[ordinal].trail.extended(
          from: sessions[ordinal].tip, by: trail)
        sessions[ordinal].tip = UInt32(session.tipSeq)
        sessions[ordinal].tipHash = session.tipHash
        sessions[ordinal].tipH = session.tipH
        sessions[ordinal].context = seen
        sessions[ordinal].isEarly = true
        try adoptHashes(session, ordinal)
      }
    }
    settleBranches()
    if !isSilent { keepForkedFloors() }
    hasFloor = sessions.rows.contains { $0.floor > 0 }
    return (map, contexts)
  }

  mutating func join(
    _ chunk: ItemChunk, _ join: JoinScope, _ events: inout [ReplicaEvent]
  ) throws(ImageDefect) {
    let count = chunk.ids.count
    guard count <= ItemChunk.itemCountMax, chunk.create.count == count,
      chunk.place.count == count, chunk.life.count == count, chunk.dead.count == count,
      chunk.parents.count == count, chunk.keys.count == count,
      chunk.fields.allSatisfy({
        $0.rows.count == $0.stamps.count && $0.rows.count == $0.values.count
      })
    else { throw .shape }
    let rows = try adoptStamps(chunk, join)
    items.reserve(count)
    thaw(chunk.ids)
    let known = UInt32(items.count)
    var ordinals: [UInt32] = []
    ordinals.reserveCapacity(count)
    for id in chunk.ids {
      guard !id.isReserved else { throw .value }
      ordinals.append(items.ordinalMaking(id))
    }
    // Fields of items that come whole are part of their creation, not events of their own.
    let isFresh = ordinals.map { items[$0].create == 0 }
    let held = try floorCells(of: chunk, ordinals, rows)
    let met = join.isSilent ? [] : meetings(chunk, ordinals, rows, known, held)
    for at in 0..<count { try joinBuiltIn(chunk, at, ordinals[at], rows, join, &events) }
    for cells in chunk.fields {
      let field = fields.ordinalMaking(cells.name)
      for at in cells.rows.indices {
        guard Int(cells.rows[at]) < count, let row = rows[checked: cells.stamps[at]], row != 0
        else { throw .shape }
        let item = ordinals[Int(cells.rows[at])]
        if fields.stamp(field, item) == 0 && (join.isSilent || isFresh[Int(cells.rows[at])]) {
          fields.write(field, item, cells.values[at], stamp: row)
          if !join.isSilent { markDirty(item) }
        } else {
          writeField(item, field, cells.values[at], scope(row, join), &events)
        }
      }
    }
    if join.isSilent {
      for (cell, entry) in held where !isBelowFloor(shownRow(cell)) && isBelowFloor(entry.row) {
        setHeld(cell, (entry.row, entry.value))
      }
    } else {
      for one in met { joinHeld(one, theirs: held.first { $0.cell == one.cell }?.entry) }
    }
    try joinCounters(chunk, ordinals, join, &events)
  }

  /// What the sender's cells held at its floor, checked.
  private mutating func floorCells(
    of chunk: ItemChunk, _ ordinals: [UInt32], _ rows: [UInt32]
  ) throws(ImageDefect) -> [(cell: FloorTable.Cell, entry: FloorTable.Entry)] {
    var out: [(cell: FloorTable.Cell, entry: FloorTable.Entry)] = []
    for held in chunk.floorCells {
      guard Int(held.row) < ordinals.count, let row = rows[checked: held.stamp], row != 0
      else { throw .shape }
      if case .field(let field) = held.name { _ = fields.ordinalMaking(field) }
      guard let name = cellNumber(held.name), held.isSound else { throw .value }
      if case .place(let parent, _) = held.value, !isCold(parent) {
        _ = items.ordinalMaking(parent)
      }
      out.append(
        (
          FloorTable.Cell(item: ordinals[Int(held.row)], name: name),
          FloorTable.Entry(name: name, row: row, value: held.value)
        ))
    }
    return out
  }

  /// The cells of a chunk of which either side may know what they held at a floor.
  private func meetings(
    _ chunk: ItemChunk, _ ordinals: [UInt32], _ rows: [UInt32], _ known: UInt32,
    _ held: [(cell: FloorTable.Cell, entry: FloorTable.Entry)]
  ) -> [MeetingCell] {
    var out: [MeetingCell] = []
    // Of an item that is new here only what the sender names can have been something else.
    let named = Set(held.map(\.cell))
    func meet(_ at: Int, _ name: UInt32, _ stamp: UInt32, _ value: () -> CellValue) {
      guard stamp != 0, let row = rows[checked: stamp],
        ordinals[at] < known || named.contains(FloorTable.Cell(item: ordinals[at], name: name))
      else { return }
      out.append(meeting(ordinals[at], name, row, value()))
    }
    for at in chunk.ids.indices {
      meet(at, FloorTable.Cell.create, chunk.create[at]) { FloorTable.created }
      meet(at, FloorTable.Cell.place, chunk.place[at]) {
        .place(parent: chunk.parents[at], key: chunk.keys[at])
      }
      meet(at, FloorTable.Cell.life, chunk.life[at]) { .life(alive: !chunk.dead[at]) }
    }
    for cells in chunk.fields {
      // A field that no cell here has was never written here, and nothing of it was kept.
      guard let field = fields.ordinal(of: cells.name) else { continue }
      for at in cells.rows.indices where Int(cells.rows[at]) < ordinals.count {
        meet(Int(cells.rows[at]), FloorTable.Cell.firstField + field, cells.stamps[at]) {
          .value(cells.values[at])
        }
      }
    }
    return out
  }

  private mutating func joinCounters(
    _ chunk: ItemChunk, _ ordinals: [UInt32], _ join: JoinScope, _ events: inout [ReplicaEvent]
  ) throws(ImageDefect) {
    var held: [(key: CounterStore.Key, cell: CounterStore.Cell)] = []
    for cell in chunk.floorCounters { held.append(try counter(cell, chunk, ordinals, join)) }
    for written in chunk.counters {
      let (key, cell) = try counter(written, chunk, ordinals, join)
      let mine = counters.cell(key, session: cell.session)
      joinCounter(key, cell, join, &events)
      let before = held.first { $0.key == key && $0.cell.session == cell.session }?.cell
      if !join.isSilent {
        joinAdded(key, mine, cell, held: before)
      } else if let before, before.seq < cell.seq {
        floorTable.counters.put(key, session: cell.session, before)
      }
    }
  }

  private mutating func counter(
    _ cell: ItemChunk.CounterCell, _ chunk: ItemChunk, _ ordinals: [UInt32], _ join: JoinScope
  ) throws(ImageDefect) -> (key: CounterStore.Key, cell: CounterStore.Cell) {
    guard Int(cell.row) < ordinals.count, Int(cell.session) < chunk.sessions.count,
      cell.seq <= UInt64(UInt32.max)
    else { throw .shape }
    let key = CounterStore.Key(
      item: ordinals[Int(cell.row)], field: fields.ordinalMaking(cell.field))
    let session = sessions.ordinalMaking(chunk.sessions[Int(cell.session)])
    guard join.accepts(LocalDot(session: session, seq: UInt32(cell.seq))) else { throw .session }
    return (key, CounterStore.Cell(session: session, total: cell.total, seq: UInt32(cell.seq)))
  }

  private mutating func adoptStamps(
    _ chunk: ItemChunk, _ join: JoinScope
  ) throws(ImageDefect) -> [UInt32] {
    let map = chunk.sessions.map { sessions.ordinalMaking($0) }
    var rows: [UInt32] = [0]
    rows.reserveCapacity(chunk.stamps.count + 1)
    for stamp in chunk.stamps {
      guard Int(stamp.session) < map.count, stamp.seq > 0, stamp.seq <= UInt64(UInt32.max),
        stamp.h > 0, stamp.h < Limits.clockEnd, stamp.op <= UInt32(UInt16.max)
      else { throw .value }
      guard sessions[map[Int(stamp.session)]].head != nil,
        join.accepts(LocalDot(session: map[Int(stamp.session)], seq: UInt32(stamp.seq)))
      else { throw .session }
      rows.append(
        stamps.append(
          session: map[Int(stamp.session)], seq: UInt32(stamp.seq), h: stamp.h,
          op: UInt16(stamp.op)))
    }
    return rows
  }

  private mutating func joinBuiltIn(
    _ chunk: ItemChunk, _ at: Int, _ item: UInt32, _ rows: [UInt32], _ join: JoinScope,
    _ events: inout [ReplicaEvent]
  ) throws(ImageDefect) {
    guard let create = rows[checked: chunk.create[at]], let place = rows[checked: chunk.place[at]],
      let life = rows[checked: chunk.life[at]]
    else { throw .shape }
    let isFresh = create != 0 && items[item].create == 0
    if isFresh || (create != 0 && stamps.order(items[item].create, create, sessions) < 0) {
      items[item].create = create
      if isFresh && items[item].place != 0 { link(item) }
    }
    if life != 0 {
      writeLife(item, !chunk.dead[at], scope(life, join), &events)
    }
    guard place != 0 else { return }
    let key = chunk.keys[at]
    guard (try? PositionRun(first: key)) != nil,
      !chunk.parents[at].isReserved || chunk.parents[at] == .root
        || chunk.parents[at] == .recovered
    else { throw .value }
    let parent = ordinalMaking(chunk.parents[at])
    if items[item].place == 0 && join.isSilent {
      replace(item, parent: parent, key: key, stamp: place)
    } else if isFresh && items[item].place == 0 {
      replace(item, parent: parent, key: key, stamp: place)
      markDirty(item)
      if let list = listOrdinal(item) { touch(list: list) }
      let kind: ReplicaEvent.Kind? =
        switch status(item) {
        case .visible: .added(parent: chunk.parents[at])
        case .recovered: .recovered(from: nil)
        default: nil
        }
      if let kind { emit(kind, item, scope(place, join), &events) }
    } else {
      writePlace(item, parent, key, scope(place, join), &events)
    }
  }

  /// The scope of one cell of a snapshot: its own dot, and everything as seen that the sender held
  /// when it held this cell, unless only one side knows the other's write.
  private func scope(_ row: UInt32, _ join: JoinScope) -> Scope {
    let session = stamps.session(row)
    let seq = stamps.seq(row)
    // A cell that we already covered brings no news, and so no journal entry.
    let context =
      join.isSilent || join.mine.contains(session: session, seq: seq) ? join.mine : join.theirs
    var scope = Scope(
      session: session, seq: seq,
      dot: Dot(session: sessions[session].id, seq: UInt64(seq)),
      device: sessions[session].head?.device ?? .zero, context: context, isEarly: false)
    scope.row = row
    scope.isJoin = true
    return scope
  }

  private mutating func joinCounter(
    _ key: CounterStore.Key, _ cell: CounterStore.Cell, _ join: JoinScope,
    _ events: inout [ReplicaEvent]
  ) {
    let old = counters.total(item: key.item, field: key.field) ?? 0
    guard counters.join(key, cell) else { return }
    markDirty(key.item)
    guard !join.isSilent, isVisible(key.item), let head = sessions[cell.session].head else {
      return
    }
    if let list = listOrdinal(key.item) { touch(list: list) }
    let total = counters.total(item: key.item, field: key.field) ?? 0
    events.append(
      ReplicaEvent(
        dot: Dot(session: sessions[cell.session].id, seq: UInt64(cell.seq)), device: head.device,
        h: 0, item: items.id(key.item),
        kind: .counted(fields.names[Int(key.field)], old: old, new: total)))
  }
}

extension ReplicaHeader {
  /// A change that the sender holds, by the ordinal of its session here.
  fileprivate func dot(
    _ change: SeenBy, _ map: [UInt32]
  ) throws(ImageDefect) -> Replica.LocalDot {
    guard Int(change.session) < map.count, change.seq > 0,
      change.seq <= sessions[Int(change.session)].tipSeq
    else { throw .value }
    return Replica.LocalDot(session: map[Int(change.session)], seq: UInt32(change.seq))
  }
}

extension Array {
  fileprivate subscript(checked index: UInt32) -> Element? {
    Int(index) < count ? self[Int(index)] : nil
  }
}

extension ItemChunk.FloorCell {
  /// Whether the value is one that the cell can hold.
  fileprivate var isSound: Bool {
    switch (name, value) {
    case (.create, _), (.life, .life), (.field, .value): true
    case (.place, .place(let parent, let key)):
      (!parent.isReserved || parent == .root || parent == .recovered)
        && (try? PositionRun(first: key)) != nil
    default: false
    }
  }
}
