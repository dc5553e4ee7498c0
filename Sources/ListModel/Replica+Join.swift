// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Joining another replica's header and chunks: a checkpoint at start, a snapshot from a peer.
extension Replica {
  /// Reads a checkpoint.
  ///
  /// Items keep their chunks, so `dirtyChunks` is empty afterwards.
  /// - Complexity: O(cells).
  public init(header: ReplicaHeader, chunks: [ItemChunk]) throws(ImageDefect) {
    self.init()
    var events: [ReplicaEvent] = []
    try join(header, chunks, isSilent: true, &events)
    markClean()
  }

  /// Joins a snapshot: per cell the greater stamp of both, and both version vectors
  /// (`core.md` 7.4). The receiver's own unshared changes keep their stamps and flow as usual.
  ///
  /// All or nothing: after an error the replica is as it was.
  /// - Parameter events: As for `fold`; a value that both sides wrote apart is in the journal.
  /// - Complexity: O(cells of the snapshot · log n), and one copy of the replica.
  public mutating func join(
    _ header: ReplicaHeader, _ chunks: [ItemChunk], events: inout [ReplicaEvent]
  ) throws(ImageDefect) {
    var joined = self
    try joined.join(header, chunks, isSilent: false, &events)
    self = joined
  }

  private mutating func join(
    _ header: ReplicaHeader, _ chunks: [ItemChunk], isSilent: Bool, _ events: inout [ReplicaEvent]
  ) throws(ImageDefect) {
    let before = vectorSeqs()
    let map = try adoptSessions(header)
    waitingOps = max(waitingOps, Int(truncatingIfNeeded: min(header.waitingOps, 1 << 40)))
    var held = SeenContext()
    for (index, session) in header.sessions.enumerated() {
      _ = held.raise(session: map[index], to: UInt32(session.tipSeq))
    }
    var contexts: [ItemID: SeenContext] = [:]
    var last: (seqs: [UInt64], context: SeenContext) = ([], SeenContext())
    for delete in header.deleteContexts {
      // Deletes of one change follow each other and share what their author had seen.
      if delete.seen != last.seqs { last = (delete.seen, try context(delete.seen, map)) }
      contexts[delete.item] = last.context
    }
    let scope = JoinScope(mine: before, theirs: held, contexts: contexts, isSilent: isSilent)
    for chunk in chunks { try join(chunk, scope, &events) }
    recoveredCache = nil
  }

  /// What both sides hold, and how the join tells.
  struct JoinScope {
    let mine: SeenContext
    let theirs: SeenContext
    let contexts: [ItemID: SeenContext]
    let isSilent: Bool
  }

  private func vectorSeqs() -> SeenContext {
    var out = SeenContext()
    for (ordinal, row) in sessions.rows.enumerated() where row.tip > 0 {
      _ = out.raise(session: UInt32(ordinal), to: row.tip)
    }
    return out
  }

  private func context(_ seqs: [UInt64], _ map: [UInt32]) throws(ImageDefect) -> SeenContext {
    guard seqs.count <= map.count else { throw .shape }
    var out = SeenContext()
    for (index, seq) in seqs.enumerated() where seq > 0 {
      guard seq <= UInt64(UInt32.max) else { throw .value }
      _ = out.raise(session: map[index], to: UInt32(seq))
    }
    return out
  }

  /// Brings the sessions of `header` in; returns their ordinals here by index there.
  private mutating func adoptSessions(_ header: ReplicaHeader) throws(ImageDefect) -> [UInt32] {
    let map = header.sessions.map { sessions.ordinalMaking($0.id) }
    for index in header.arrival {
      guard Int(index) < header.sessions.count, let head = header.sessions[Int(index)].head
      else { throw .shape }
      let ordinal = map[Int(index)]
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
    }
    for (index, session) in header.sessions.enumerated() {
      guard session.tipSeq < UInt64(UInt32.max), session.floor <= session.tipSeq,
        session.tipH < Limits.clockEnd, session.tipSeq == 0 || session.head != nil
      else { throw .value }
      let ordinal = map[index]
      let seen = try context(session.context, map)
      let floor = max(sessions[ordinal].floor, UInt32(session.floor))
      if UInt64(sessions[ordinal].tip) < session.tipSeq {
        sessions[ordinal].tip = UInt32(session.tipSeq)
        sessions[ordinal].tipHash = session.tipHash
        sessions[ordinal].tipH = session.tipH
        sessions[ordinal].context = seen
        sessions[ordinal].isEarly = true
      }
      sessions[ordinal].floor = floor
    }
    return map
  }

  private mutating func join(
    _ chunk: ItemChunk, _ join: JoinScope, _ events: inout [ReplicaEvent]
  ) throws(ImageDefect) {
    let count = chunk.ids.count
    guard count <= ItemChunk.itemCountMax, chunk.create.count == count,
      chunk.place.count == count, chunk.life.count == count, chunk.dead.count == count,
      chunk.parents.count == count, chunk.keys.count == count
    else { throw .shape }
    let rows = try adoptStamps(chunk)
    items.reserve(count)
    var ordinals: [UInt32] = []
    ordinals.reserveCapacity(count)
    for id in chunk.ids {
      guard !id.isReserved else { throw .value }
      ordinals.append(items.ordinalMaking(id))
    }
    // Fields of items that come whole are part of their creation, not events of their own.
    let isFresh = ordinals.map { items[$0].create == 0 }
    for at in 0..<count { try joinBuiltIn(chunk, at, ordinals[at], rows, join, &events) }
    for cells in chunk.fields {
      guard cells.rows.count == cells.stamps.count, cells.rows.count == cells.values.count
      else { throw .shape }
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
    for cell in chunk.counters {
      guard Int(cell.row) < count, Int(cell.session) < chunk.sessions.count,
        cell.seq <= UInt64(UInt32.max)
      else { throw .shape }
      let key = CounterStore.Key(
        item: ordinals[Int(cell.row)], field: fields.ordinalMaking(cell.field))
      let session = sessions.ordinalMaking(chunk.sessions[Int(cell.session)])
      joinCounter(
        key, CounterStore.Cell(session: session, total: cell.total, seq: UInt32(cell.seq)),
        join, &events)
    }
  }

  private mutating func adoptStamps(_ chunk: ItemChunk) throws(ImageDefect) -> [UInt32] {
    let map = chunk.sessions.map { sessions.ordinalMaking($0) }
    var rows: [UInt32] = [0]
    rows.reserveCapacity(chunk.stamps.count + 1)
    for stamp in chunk.stamps {
      guard Int(stamp.session) < map.count, stamp.seq > 0, stamp.seq <= UInt64(UInt32.max),
        stamp.h > 0, stamp.h < Limits.clockEnd, stamp.op <= UInt32(UInt16.max)
      else { throw .value }
      guard sessions[map[Int(stamp.session)]].head != nil else { throw .session }
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
      var scope = scope(life, join)
      if let seen = join.contexts[chunk.ids[at]] { scope.deleteContext = seen }
      writeLife(item, !chunk.dead[at], scope, &events)
    }
    guard place != 0 else { return }
    let key = chunk.keys[at]
    guard (try? PositionRun(first: key)) != nil,
      !chunk.parents[at].isReserved || chunk.parents[at] == .root
        || chunk.parents[at] == .recovered
    else { throw .value }
    let parent = items.ordinalMaking(chunk.parents[at])
    if items[item].place == 0 && join.isSilent {
      replace(item, parent: parent, key: key, stamp: place)
    } else if isFresh && items[item].place == 0 {
      replace(item, parent: parent, key: key, stamp: place)
      markDirty(item)
      if let list = listOrdinal(item) { touch(list: list) }
      let kind: ReplicaEvent.Kind? =
        switch status(item) {
        case .visible: .added(parent: chunk.parents[at])
        case .recovered: .recovered
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

extension Array {
  fileprivate subscript(checked index: UInt32) -> Element? {
    Int(index) < count ? self[Int(index)] : nil
  }
}
