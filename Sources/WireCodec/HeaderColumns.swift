// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// The columns of a header: sessions, what authors had seen, what waits.
enum HeaderColumns {
  static func write(_ header: ReplicaHeader, to out: inout ByteWriter) {
    out.varint(header.sessions.count)
    for session in header.sessions {
      out.bytes16(session.id)
      out.flag(session.head != nil)
      if let head = session.head {
        out.bytes32(head.device)
        out.bigEndian(head.salt)
        out.flag(head.predecessor != nil)
        if let predecessor = head.predecessor { out.tip(predecessor) }
      }
      out.varint(session.tipSeq)
      out.bytes32(session.tipHash)
      out.varint(session.tipH)
      out.varint(session.floor)
      if session.floor > 0 {
        out.bytes32(session.floorHash)
        out.varint(session.floorH)
      }
      out.varint(session.context)
      out.flag(session.branch != nil)
      if let branch = session.branch {
        out.varint(branch.origin)
        out.varint(branch.base)
        out.varint(branch.hashes.count)
        for hash in branch.hashes { out.bigEndian(hash) }
      }
      write(session.trail, to: &out)
    }
    out.varint(header.arrival.count)
    for index in header.arrival { out.varint(index) }
    out.varint(header.contexts.count)
    for context in header.contexts { write(context, to: &out) }
    for list in [header.deleteContexts, header.early] {
      out.varint(list.count)
      for change in list {
        out.varint(change.session)
        out.varint(change.seq)
        out.varint(change.context)
      }
    }
    out.varint(header.waiting.count)
    for change in header.waiting {
      out.varint(change.session)
      out.varint(change.seq)
      out.varint(change.ops.count)
      for op in change.ops { out.varint(op) }
      out.varint(change.context)
      out.block(change.bytes)
    }
    out.varint(header.chunkCount)
    out.varint(header.coldCount)
  }

  static func read(_ reader: inout ByteReader) throws(DecodeError) -> ReplicaHeader {
    var sessions: [ReplicaHeader.Session] = []
    for _ in 0..<(try reader.count(max: ImageCodec.sessionsMax, each: 59)) {
      sessions.append(try readSession(&reader))
    }
    var arrival: [UInt32] = []
    for _ in 0..<(try reader.count(max: sessions.count)) {
      arrival.append(UInt32(try reader.varint(max: sessions.count)))
    }
    var contexts: [ReplicaHeader.Context] = []
    for _ in 0..<(try reader.count(max: ImageCodec.blockBytesMax, each: 2)) {
      contexts.append(try readContext(&reader))
    }
    let deletes = try readSeenBy(&reader, max: ImageCodec.blockBytesMax)
    let early = try readSeenBy(&reader, max: ReplicaHeader.earlyMax)
    var waiting: [ReplicaHeader.WaitingChange] = []
    for _ in 0..<(try reader.count(max: ImageCodec.blockBytesMax, each: 6)) {
      waiting.append(try readWaiting(&reader))
    }
    return ReplicaHeader(
      sessions: sessions, arrival: arrival, contexts: contexts, deleteContexts: deletes,
      early: early, waiting: waiting, chunkCount: try reader.varint(),
      coldCount: try reader.varint())
  }

  private static func readSeenBy(
    _ reader: inout ByteReader, max: Int
  ) throws(DecodeError) -> [ReplicaHeader.SeenBy] {
    var out: [ReplicaHeader.SeenBy] = []
    for _ in 0..<(try reader.count(max: max, each: 3)) {
      out.append(
        ReplicaHeader.SeenBy(
          session: UInt32(try reader.varint(max: ImageCodec.sessionsMax)),
          seq: try reader.varint(), context: try readNumber(&reader)))
    }
    return out
  }

  /// The number of a context; the model knows whether there is one.
  private static func readNumber(_ reader: inout ByteReader) throws(DecodeError) -> UInt32 {
    UInt32(try reader.varint(max: ImageCodec.blockBytesMax))
  }

  private static func readWaiting(
    _ reader: inout ByteReader
  ) throws(DecodeError) -> ReplicaHeader.WaitingChange {
    let session = UInt32(try reader.varint(max: ImageCodec.sessionsMax))
    let seq = try reader.varint()
    var ops: [UInt32] = []
    for _ in 0..<(try reader.count(max: Limits.opsPerChangeMax)) {
      ops.append(UInt32(try reader.varint(max: Limits.opsPerChangeMax)))
    }
    return ReplicaHeader.WaitingChange(
      session: session, seq: seq, ops: ops, context: try readNumber(&reader),
      bytes: try reader.block(max: SignedChange.bytesMax))
  }

  private static func readSession(
    _ reader: inout ByteReader
  ) throws(DecodeError) -> ReplicaHeader.Session {
    let id = try reader.bytes16(SessionID.self)
    var head: SessionHead?
    if try reader.flag() {
      let device = try reader.bytes32(DeviceID.self)
      let salt = try reader.bigEndian(UInt64.self)
      head = SessionHead(
        device: device, salt: salt, predecessor: try reader.flag() ? try reader.tip() : nil)
    }
    let tipSeq = try reader.varint()
    let tipHash = try reader.bytes32(ChangeHash.self)
    let tipH = try reader.varint()
    let floor = try reader.varint()
    return ReplicaHeader.Session(
      id: id, head: head, tipSeq: tipSeq, tipHash: tipHash, tipH: tipH, floor: floor,
      floorHash: floor > 0 ? try reader.bytes32(ChangeHash.self) : .zero,
      floorH: floor > 0 ? try reader.varint() : 0, context: try readNumber(&reader),
      branch: try reader.flag() ? try readBranch(&reader) : nil, trail: try readTrail(&reader))
  }

  private static func write(_ trail: ReplicaHeader.Trail, to out: inout ByteWriter) {
    out.varint(trail.base)
    out.varint(trail.hashes.count)
    for hash in trail.hashes { out.bigEndian(hash) }
    out.varint(trail.adds.count)
    for add in trail.adds {
      out.varint(add.seq)
      out.itemID(add.item)
      ChunkColumns.write(add.field, to: &out)
      out.zigzag(add.delta)
    }
    out.varint(trail.seen.count)
    for entry in trail.seen {
      out.varint(entry.seq)
      out.varint(entry.session)
      out.varint(entry.last)
      out.bigEndian(entry.mark)
    }
  }

  private static func readTrail(
    _ reader: inout ByteReader
  ) throws(DecodeError) -> ReplicaHeader.Trail {
    let base = try reader.varint()
    var hashes: [UInt64] = []
    for _ in 0..<(try reader.count(max: ReplicaHeader.Trail.changesMax, each: 8)) {
      hashes.append(try reader.bigEndian(UInt64.self))
    }
    var adds: [ReplicaHeader.Add] = []
    for _ in 0..<(try reader.count(max: ReplicaHeader.Trail.detailsMax, each: 15)) {
      adds.append(
        ReplicaHeader.Add(
          seq: try reader.varint(), item: try reader.itemID(),
          field: try ChunkColumns.readName(&reader), delta: try reader.zigzag()))
    }
    var seen: [ReplicaHeader.Seen] = []
    for _ in 0..<(try reader.count(max: ReplicaHeader.Trail.detailsMax, each: 7)) {
      seen.append(
        ReplicaHeader.Seen(
          seq: try reader.varint(),
          session: UInt32(try reader.varint(max: ImageCodec.sessionsMax)),
          last: try reader.varint(), mark: try reader.bigEndian(UInt32.self)))
    }
    return ReplicaHeader.Trail(base: base, hashes: hashes, adds: adds, seen: seen)
  }

  private static func readBranch(
    _ reader: inout ByteReader
  ) throws(DecodeError) -> ReplicaHeader.Branch {
    let origin = UInt32(try reader.varint(max: ImageCodec.sessionsMax))
    let base = try reader.varint()
    var hashes: [UInt64] = []
    for _ in 0..<(try reader.count(max: ImageCodec.blockBytesMax, each: 8)) {
      hashes.append(try reader.bigEndian(UInt64.self))
    }
    return ReplicaHeader.Branch(origin: origin, base: base, hashes: hashes)
  }

  private static func write(_ context: ReplicaHeader.Context, to out: inout ByteWriter) {
    out.varint(context.base)
    out.varint(context.entries.count)
    var next: UInt32 = 0
    for entry in context.entries {
      out.varint(entry.session - next)
      out.varint(entry.seen >> 32)
      if entry.seen >> 32 != 0 { out.bigEndian(UInt32(truncatingIfNeeded: entry.seen)) }
      next = entry.session + 1
    }
  }

  private static func readContext(
    _ reader: inout ByteReader
  ) throws(DecodeError) -> ReplicaHeader.Context {
    let base = try readNumber(&reader)
    var entries: [ReplicaHeader.Context.Entry] = []
    var next: UInt32 = 0
    for _ in 0..<(try reader.count(max: ImageCodec.sessionsMax, each: 2)) {
      let at = reader.offset
      let session = next + UInt32(try reader.varint(max: ImageCodec.sessionsMax))
      guard session < ImageCodec.sessionsMax else { throw .badReference(at: at) }
      let seq = UInt64(try reader.varint(max: Int(UInt32.max)))
      let mark = seq == 0 ? 0 : try reader.bigEndian(UInt32.self)
      entries.append(.init(session: session, seen: seq << 32 | UInt64(mark)))
      next = session + 1
    }
    return ReplicaHeader.Context(base: base, entries: entries)
  }
}
