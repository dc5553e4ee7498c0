// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Export to a header and chunks. A chunk that is not cold is a range of local ordinals, so an edit
/// makes one chunk dirty, and a replica that is read back has its items in the same chunks.
extension Replica {
  /// Cold chunks, which come first, and the others.
  public var chunkCount: Int {
    cold.chunkCount + (items.count - 2 + chunkCapacity - 1) / chunkCapacity
  }

  /// Chunks with cells written since the last `markClean`, and those that are new, ascending.
  ///
  /// An item that is only named, as a parent, makes no cell, but it has its place in a chunk.
  public var dirtyChunks: [Int] {
    dirty.numbers.filter { $0 < cleanChunks } + Array(min(cleanChunks, chunkCount)..<chunkCount)
  }

  /// Forgets which chunks were dirty; called once they are on disk.
  public mutating func markClean() {
    dirty.removeAll()
    cleanChunks = chunkCount
  }

  /// - Complexity: O(sessions + changes that deleted + what their authors saw in between).
  public func header() -> ReplicaHeader {
    var contexts = ContextWriter(sessions)
    let rows = sessions.rows.indices.map { ordinal in
      let row = sessions.rows[ordinal]
      return ReplicaHeader.Session(
        id: row.id, head: row.head, tipSeq: UInt64(row.tip), tipHash: row.tipHash, tipH: row.tipH,
        floor: UInt64(row.floor), floorHash: row.floorHash, floorH: row.floorH,
        context: contexts.numbers[ordinal], branch: image(of: row.branch),
        trail: image(of: row.trail))
    }
    var deletes = deleteContexts.mapValues(\.seen)
    for dot in deletes.keys {
      _ = deletes[dot]?.raise(session: dot.session, to: dot.seq, mark: 0)
    }
    let deleted = Self.exported(deletes, &contexts)
    let open = Self.exported(
      early.filter { !sessions.holds($0.value) }, max: ReplicaHeader.earlyMax, &contexts)
    let waiting = exportedWaiting(&contexts)
    return ReplicaHeader(
      sessions: rows, arrival: Array(sessions.arrival), contexts: contexts.contexts,
      deleteContexts: deleted, early: open, waiting: waiting, chunkCount: UInt64(chunkCount),
      coldCount: UInt64(cold.chunkCount))
  }

  private func image(of branch: SessionTable.Branch?) -> ReplicaHeader.Branch? {
    branch.map {
      ReplicaHeader.Branch(
        origin: $0.origin, base: UInt64($0.base), hashes: Array($0.hashes))
    }
  }

  private func image(of trail: Trail) -> ReplicaHeader.Trail {
    ReplicaHeader.Trail(
      base: UInt64(trail.base), hashes: Array(trail.hashes),
      adds: trail.adds.map {
        ReplicaHeader.Add(
          seq: UInt64($0.seq), item: $0.item, field: $0.field, delta: $0.delta)
      },
      seen: trail.seen.map {
        ReplicaHeader.Seen(
          seq: UInt64($0.seq), session: $0.session, last: UInt64($0.last), mark: $0.mark)
      })
  }

  /// - Parameter number: 0 ..< `chunkCount`.
  /// - Complexity: O(items and cells of the chunk + fields of the space).
  public func chunk(at number: Int) -> ItemChunk {
    if number < cold.chunkCount { return cold.chunk(number) }
    let first = 2 + (number - cold.chunkCount) * chunkCapacity
    return chunk(of: UInt32(first)..<UInt32(min(first + chunkCapacity, items.count)))
  }

  /// The cells of some items, in that order.
  func chunk(of members: some Collection<UInt32>) -> ItemChunk {
    var writer = ChunkWriter()
    return chunk(of: members, &writer)
  }

  func chunk(
    of members: some Collection<UInt32>, _ writer: inout ChunkWriter
  ) -> ItemChunk {
    var out = ItemChunk()
    for item in members {
      out.ids.append(items.id(item))
      out.create.append(writer.local(items[item].create, self))
      out.place.append(writer.local(items[item].place, self))
      out.life.append(writer.local(items[item].life, self))
      out.dead.append(items[item].isDead)
      let isPlaced = items[item].place != 0
      out.parents.append(isPlaced ? items.id(items[item].parent) : .root)
      out.keys.append(isPlaced ? items.key(item) : PositionKey(bytes: []))
    }
    let names = fields.names.enumerated().sorted { $0.element < $1.element }
    for (number, name) in names {
      var cells = ItemChunk.FieldCells(name: name, rows: [], stamps: [], values: [])
      for (at, item) in members.enumerated() {
        let row = fields.stamp(UInt32(number), item)
        guard row != 0, let value = fields.value(UInt32(number), item) else { continue }
        cells.rows.append(UInt32(at))
        cells.stamps.append(writer.local(row, self))
        cells.values.append(value)
      }
      if !cells.rows.isEmpty { out.fields.append(cells) }
    }
    if !counters.cells.isEmpty {
      out.counters = exported(counters, members, names.map(\.offset), &writer)
      out.floorCounters = exported(floorTable.counters, members, names.map(\.offset), &writer)
    }
    if hasFloor { appendFloorCells(members, names.map(\.offset), &out, &writer) }
    out.sessions = writer.sessions
    out.stamps = writer.rows
    return out
  }

  private func exported(
    _ counters: CounterStore, _ members: some Collection<UInt32>, _ names: [Int],
    _ writer: inout ChunkWriter
  ) -> [ItemChunk.CounterCell] {
    var out: [ItemChunk.CounterCell] = []
    if counters.cells.isEmpty { return out }
    for (at, item) in members.enumerated() {
      for number in names {
        let key = CounterStore.Key(item: item, field: UInt32(number))
        for cell in counters.cells[key] ?? [] {
          out.append(
            ItemChunk.CounterCell(
              row: UInt32(at), field: fields.names[number],
              session: writer.session(cell.session, self), total: cell.total,
              seq: UInt64(cell.seq)))
        }
      }
    }
    return out
  }

  private func appendFloorCells(
    _ members: some Collection<UInt32>, _ names: [Int], _ out: inout ItemChunk,
    _ writer: inout ChunkWriter
  ) {
    for (at, item) in members.enumerated() {
      let entries = floorTable.entries(of: item)
      if entries.isEmpty { continue }
      let order =
        (0..<FloorTable.Cell.firstField) + names.map { FloorTable.Cell.firstField + UInt32($0) }
      for name in order {
        guard let entry = entries.first(where: { $0.name == name }) else { continue }
        out.floorCells.append(
          ItemChunk.FloorCell(
            row: UInt32(at), name: cellName(name), stamp: writer.local(entry.row, self),
            value: entry.value))
      }
    }
  }
}

/// Numbers sessions and stamps inside one chunk by first use.
struct ChunkWriter {
  var sessions: [SessionID] = []
  var rows: [ItemChunk.StampRow] = []
  private var sessionNumbers: [UInt32: UInt32] = [:]
  private var rowNumbers: [UInt32: UInt32] = [:]
  private var last: (row: UInt32, number: UInt32) = (0, 0)

  mutating func session(_ ordinal: UInt32, _ replica: borrowing Replica) -> UInt32 {
    if let known = sessionNumbers[ordinal] { return known }
    let made = UInt32(sessions.count)
    sessions.append(replica.sessions[ordinal].id)
    sessionNumbers[ordinal] = made
    return made
  }

  mutating func local(_ row: UInt32, _ replica: borrowing Replica) -> UInt32 {
    if row == 0 || row == last.row { return row == 0 ? 0 : last.number }
    if let known = rowNumbers[row] { return known }
    rows.append(
      ItemChunk.StampRow(
        session: session(replica.stamps.session(row), replica),
        seq: UInt64(replica.stamps.seq(row)), h: replica.stamps.h(row),
        op: UInt32(replica.stamps.ops[Int(row)])))
    let made = UInt32(rows.count)
    rowNumbers[row] = made
    last = (row, made)
    return made
  }
}
