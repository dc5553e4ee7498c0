// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Export to a header and chunks. A chunk is a range of local ordinals, so an edit makes one chunk
/// dirty, and a replica that is read back has its items in the same chunks.
extension Replica {
  public var chunkCount: Int {
    (items.count - 2 + ItemChunk.itemCountMax - 1) / ItemChunk.itemCountMax
  }

  /// Chunks with cells written since the last `markClean`, ascending.
  public var dirtyChunks: [Int] { dirty.numbers }

  /// Forgets which chunks were dirty; called once they are on disk.
  public mutating func markClean() { dirty.removeAll() }

  /// - Complexity: O(sessions² + deleted items · sessions).
  public func header() -> ReplicaHeader {
    let rows = sessions.rows.map { row in
      ReplicaHeader.Session(
        id: row.id, head: row.head, tipSeq: UInt64(row.tip), tipHash: row.tipHash, tipH: row.tipH,
        floor: UInt64(row.floor), context: row.context.seqs.map(UInt64.init))
    }
    var contexts: [ReplicaHeader.DeleteContext] = []
    var exported: [LocalDot: [UInt64]] = [:]
    for item in 2..<UInt32(max(items.count, 2)) where items[item].isDead {
      let dot = localDot(items[item].life)
      if exported[dot] == nil, var seen = deleteContexts[dot]?.seen {
        _ = seen.raise(session: dot.session, to: dot.seq)
        exported[dot] = seen.seqs.map(UInt64.init)
      }
      guard let seen = exported[dot] else { continue }
      contexts.append(ReplicaHeader.DeleteContext(item: items.id(item), seen: seen))
    }
    return ReplicaHeader(
      sessions: rows, arrival: Array(sessions.arrival), deleteContexts: contexts,
      waitingOps: UInt64(waitingOps), chunkCount: UInt64(chunkCount))
  }

  /// - Parameter number: 0 ..< `chunkCount`.
  /// - Complexity: O(items and cells of the chunk + fields of the space).
  public func chunk(at number: Int) -> ItemChunk {
    let first = 2 + number * ItemChunk.itemCountMax
    let range = UInt32(first)..<UInt32(min(first + ItemChunk.itemCountMax, items.count))
    var out = ItemChunk()
    var writer = ChunkWriter()
    for item in range {
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
      for item in range {
        let row = fields.stamp(UInt32(number), item)
        guard row != 0, let value = fields.value(UInt32(number), item) else { continue }
        cells.rows.append(item - range.lowerBound)
        cells.stamps.append(writer.local(row, self))
        cells.values.append(value)
      }
      if !cells.rows.isEmpty { out.fields.append(cells) }
    }
    if !counters.cells.isEmpty { appendCounters(range, names.map(\.offset), &out, &writer) }
    out.sessions = writer.sessions
    out.stamps = writer.rows
    return out
  }

  private func appendCounters(
    _ range: Range<UInt32>, _ names: [Int], _ out: inout ItemChunk, _ writer: inout ChunkWriter
  ) {
    for item in range {
      for number in names {
        let key = CounterStore.Key(item: item, field: UInt32(number))
        for cell in counters.cells[key] ?? [] {
          out.counters.append(
            ItemChunk.CounterCell(
              row: item - range.lowerBound, field: fields.names[number],
              session: writer.session(cell.session, self), total: cell.total,
              seq: UInt64(cell.seq)))
        }
      }
    }
  }
}

/// Numbers sessions and stamps inside one chunk by first use.
private struct ChunkWriter {
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
