// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// The columns of one `ItemChunk`.
enum ChunkColumns {
  static func write(_ chunk: ItemChunk, to out: inout ByteWriter) {
    out.varint(chunk.sessions.count)
    for session in chunk.sessions { out.bytes16(session) }
    writeStamps(chunk.stamps, to: &out)
    out.varint(chunk.ids.count)
    writeIDs(chunk.ids, to: &out)
    var last: Int64 = 0
    for stamp in chunk.create {
      out.zigzag(Int64(stamp) - last)
      last = Int64(stamp)
    }
    for at in chunk.ids.indices { out.zigzag(Int64(chunk.place[at]) - Int64(chunk.create[at])) }
    for stamp in chunk.life { out.varint(stamp) }
    for at in chunk.ids.indices where chunk.life[at] != 0 { out.flag(chunk.dead[at]) }
    writeRuns(chunk.parents, to: &out, ==)
    writeKeys(chunk.keys, to: &out)
    out.varint(chunk.fields.count)
    for cells in chunk.fields { write(cells, chunk.create, to: &out) }
    write(chunk.counters, to: &out)
    FloorColumns.write(chunk.floorCells, to: &out)
    write(chunk.floorCounters, to: &out)
    DeleteColumns.write(chunk, to: &out)
  }

  static func read(_ reader: inout ByteReader) throws(DecodeError) -> ItemChunk {
    var chunk = ItemChunk()
    for _ in 0..<(try reader.count(max: ImageCodec.sessionsMax, each: 16)) {
      chunk.sessions.append(try reader.bytes16(SessionID.self))
    }
    chunk.stamps = try readStamps(&reader, sessions: chunk.sessions.count)
    let count = try reader.varint(max: ItemChunk.itemCountMax)
    chunk.ids = try readIDs(&reader, count)
    let stampMax = Int64(chunk.stamps.count)
    var last: Int64 = 0
    for _ in 0..<count {
      last = try stamp(last, try reader.zigzag(), stampMax, reader.offset)
      chunk.create.append(UInt32(last))
    }
    for at in 0..<count {
      let base = Int64(chunk.create[at])
      chunk.place.append(UInt32(try stamp(base, try reader.zigzag(), stampMax, reader.offset)))
    }
    for _ in 0..<count { chunk.life.append(UInt32(try reader.varint(max: Int(stampMax)))) }
    for at in 0..<count { chunk.dead.append(chunk.life[at] != 0 ? try reader.flag() : false) }
    chunk.parents = try readParents(&reader, count)
    chunk.keys = try readKeys(&reader, count)
    for _ in 0..<(try reader.count(max: ImageCodec.blockBytesMax, each: 2)) {
      chunk.fields.append(try readField(&reader, chunk.create, stampMax))
    }
    chunk.counters = try readCounters(&reader, chunk)
    chunk.floorCells = try FloorColumns.read(&reader, rows: count, stampMax: stampMax)
    chunk.floorCounters = try readCounters(&reader, chunk)
    try DeleteColumns.read(&reader, to: &chunk)
    return chunk
  }

  private static func write(_ counters: [ItemChunk.CounterCell], to out: inout ByteWriter) {
    out.varint(counters.count)
    for cell in counters {
      out.varint(cell.row)
      write(cell.field, to: &out)
      out.varint(cell.session)
      out.zigzag(cell.total)
      out.varint(cell.seq)
    }
  }

  private static func readCounters(
    _ reader: inout ByteReader, _ chunk: ItemChunk
  ) throws(DecodeError) -> [ItemChunk.CounterCell] {
    var out: [ItemChunk.CounterCell] = []
    for _ in 0..<(try reader.count(max: ImageCodec.blockBytesMax, each: 5)) {
      let row = UInt32(try reader.varint(max: max(chunk.ids.count - 1, 0)))
      let field = try readName(&reader)
      let session = UInt32(try reader.varint(max: max(chunk.sessions.count - 1, 0)))
      out.append(
        ItemChunk.CounterCell(
          row: row, field: field, session: session, total: try reader.zigzag(),
          seq: try reader.varint()))
    }
    return out
  }

  /// `base + difference`, an index of 0...max.
  private static func stamp(
    _ base: Int64, _ difference: Int64, _ max: Int64, _ at: Int
  ) throws(DecodeError) -> Int64 {
    let (sum, over) = base.addingReportingOverflow(difference)
    guard !over, sum >= 0, sum <= max else { throw .badReference(at: at) }
    return sum
  }

  // MARK: Stamps and ids

  private static func writeStamps(_ stamps: [ItemChunk.StampRow], to out: inout ByteWriter) {
    out.varint(stamps.count)
    for row in stamps { out.varint(row.session) }
    var seq: UInt64 = 0
    for row in stamps {
      out.zigzag(Int64(bitPattern: row.seq &- seq))
      seq = row.seq
    }
    var h: UInt64 = 0
    for row in stamps {
      out.zigzag(Int64(bitPattern: row.h &- h))
      h = row.h
    }
    for row in stamps { out.varint(row.op) }
  }

  private static func readStamps(
    _ reader: inout ByteReader, sessions: Int
  ) throws(DecodeError) -> [ItemChunk.StampRow] {
    let count = try reader.count(max: ImageCodec.blockBytesMax, each: 4)
    var session: [UInt32] = []
    var seqs: [UInt64] = []
    var clocks: [UInt64] = []
    for _ in 0..<count {
      let at = reader.offset
      let index = try reader.varint(max: ImageCodec.sessionsMax)
      guard index < sessions else { throw .badReference(at: at) }
      session.append(UInt32(index))
    }
    var seq: UInt64 = 0
    for _ in 0..<count {
      seq = seq &+ UInt64(bitPattern: try reader.zigzag())
      seqs.append(seq)
    }
    var h: UInt64 = 0
    for _ in 0..<count {
      h = h &+ UInt64(bitPattern: try reader.zigzag())
      clocks.append(h)
    }
    var out: [ItemChunk.StampRow] = []
    for at in 0..<count {
      out.append(
        ItemChunk.StampRow(
          session: session[at], seq: seqs[at], h: clocks[at],
          op: UInt32(try reader.varint(max: Int(UInt16.max)))))
    }
    return out
  }

  /// Runs of one nonce and ascending indexes; none goes on behind the last index there is.
  private static func writeIDs(_ ids: [ItemID], to out: inout ByteWriter) {
    writeRuns(ids, to: &out) { id, next in
      next.nonce == id.nonce && id.index < .max && next.index == id.index + 1
    }
  }

  /// The length and the first of each run in which `continues` holds between neighbours.
  private static func writeRuns(
    _ ids: [ItemID], to out: inout ByteWriter, _ continues: (ItemID, ItemID) -> Bool
  ) {
    var at = 0
    while at < ids.count {
      var end = at + 1
      while end < ids.count, continues(ids[end - 1], ids[end]) { end += 1 }
      out.varint(end - at)
      out.itemID(ids[at])
      at = end
    }
  }

  private static func readIDs(
    _ reader: inout ByteReader, _ count: Int
  ) throws(DecodeError) -> [ItemID] {
    var out: [ItemID] = []
    while out.count < count {
      let at = reader.offset
      let run = try reader.varint(max: count - out.count)
      let first = try reader.itemID()
      guard run > 0, UInt64(first.index) + UInt64(run) <= UInt64(UInt32.max) + 1 else {
        throw .badReference(at: at)
      }
      for step in 0..<UInt32(run) {
        out.append(ItemID(nonce: first.nonce, index: first.index &+ step))
      }
    }
    return out
  }

  private static func readParents(
    _ reader: inout ByteReader, _ count: Int
  ) throws(DecodeError) -> [ItemID] {
    var out: [ItemID] = []
    while out.count < count {
      let at = reader.offset
      let run = try reader.varint(max: count - out.count)
      guard run > 0 else { throw .notCanonical(at: at) }
      out.append(contentsOf: repeatElement(try reader.itemID(), count: run))
    }
    return out
  }

  /// Front coding: bytes shared with the key before, then the rest.
  private static func writeKeys(_ keys: [PositionKey], to out: inout ByteWriter) {
    var last: [UInt8] = []
    for key in keys {
      var shared = 0
      while shared < min(last.count, key.bytes.count), last[shared] == key.bytes[shared] {
        shared += 1
      }
      out.varint(shared)
      out.block(key.bytes[shared...])
      last = key.bytes
    }
  }

  private static func readKeys(
    _ reader: inout ByteReader, _ count: Int
  ) throws(DecodeError) -> [PositionKey] {
    var out: [PositionKey] = []
    var last: [UInt8] = []
    for _ in 0..<count {
      let shared = try reader.varint(max: last.count)
      last = Array(last[..<shared]) + (try reader.block(max: Limits.positionBytesMax - shared))
      out.append(PositionKey(bytes: last))
    }
    return out
  }

  // MARK: Fields

  private static func write(
    _ cells: ItemChunk.FieldCells, _ create: [UInt32], to out: inout ByteWriter
  ) {
    write(cells.name, to: &out)
    out.varint(cells.rows.count)
    var last: Int64 = -1
    for row in cells.rows {
      out.varint(UInt64(Int64(row) - last - 1))
      last = Int64(row)
    }
    for (at, stamp) in cells.stamps.enumerated() {
      out.zigzag(Int64(stamp) - Int64(create[Int(cells.rows[at])]))
    }
    for value in cells.values { out.byte(ValueCodec.tag(value)) }
    for value in cells.values { ValueCodec.write(plain: value, to: &out) }
  }

  private static func readField(
    _ reader: inout ByteReader, _ create: [UInt32], _ stampMax: Int64
  ) throws(DecodeError) -> ItemChunk.FieldCells {
    let name = try readName(&reader)
    let count = try reader.varint(max: create.count)
    var rows: [UInt32] = []
    var next = 0
    for _ in 0..<count {
      let at = reader.offset
      let row = next + (try reader.varint(max: create.count))
      guard row < create.count else { throw .badReference(at: at) }
      rows.append(UInt32(row))
      next = row + 1
    }
    var stamps: [UInt32] = []
    for row in rows {
      let base = Int64(create[Int(row)])
      stamps.append(UInt32(try stamp(base, try reader.zigzag(), stampMax, reader.offset)))
    }
    let tags = Array(try reader.take(count))
    var values: [Value] = []
    values.reserveCapacity(count)
    for tag in tags { values.append(try ValueCodec.read(plain: tag, &reader)) }
    return ItemChunk.FieldCells(name: name, rows: rows, stamps: stamps, values: values)
  }

  static func write(_ name: FieldName, to out: inout ByteWriter) {
    switch name {
    case .text: out.varint(0)
    case .named(let text): out.block(text.utf8)
    }
  }

  static func readName(_ reader: inout ByteReader) throws(DecodeError) -> FieldName {
    let text = try reader.text(max: Limits.fieldNameBytesMax)
    return text.utf8.isEmpty ? .text : .named(text)
  }
}
