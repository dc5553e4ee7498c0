// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// The bytes of checkpoints and snapshots: a header and chunks of items as columns
/// (`docs/WIRE.md`, "Images").
///
/// Columns are written as differences to what they usually follow, so that equal neighbours become
/// runs of small numbers, and each block is packed where that makes it smaller.
package enum ImageCodec {
  package static let format: UInt8 = 1
  /// What one block may unpack to.
  package static let blockBytesMax = 256 * 1024 * 1024
  package static let sessionsMax = 1 << 20

  package static func encode(
    _ header: ReplicaHeader, crypto: some CryptoSuite, packer: some Packer
  ) -> [UInt8] {
    seal(columns(of: header), crypto: crypto, packer: packer)
  }

  package static func encode(
    _ chunk: ItemChunk, crypto: some CryptoSuite, packer: some Packer
  ) -> [UInt8] {
    seal(columns(of: chunk), crypto: crypto, packer: packer)
  }

  /// Reads what `encode` made of a header; bounded, never traps.
  package static func decodeHeader(
    _ bytes: [UInt8], crypto: some CryptoSuite, packer: some Packer
  ) throws(DecodeError) -> ReplicaHeader {
    var reader = ByteReader(try open(bytes, crypto: crypto, packer: packer))
    let header = try HeaderColumns.read(&reader)
    try reader.finish()
    return header
  }

  /// Reads what `encode` made of a chunk; bounded, never traps.
  package static func decodeChunk(
    _ bytes: [UInt8], crypto: some CryptoSuite, packer: some Packer
  ) throws(DecodeError) -> ItemChunk {
    var reader = ByteReader(try open(bytes, crypto: crypto, packer: packer))
    let chunk = try ChunkColumns.read(&reader)
    try reader.finish()
    return chunk
  }

  /// What the block of a header holds once it is unpacked.
  package static func columns(of header: ReplicaHeader) -> [UInt8] {
    var out = ByteWriter(reserving: 4096)
    HeaderColumns.write(header, to: &out)
    return out.bytes
  }

  /// What the block of a chunk holds once it is unpacked.
  package static func columns(of chunk: ItemChunk) -> [UInt8] {
    var out = ByteWriter(reserving: 64 * 1024)
    ChunkColumns.write(chunk, to: &out)
    return out.bytes
  }

  // MARK: Blocks

  /// Puts columns into a block: format, size, packed or not, hash of the plain bytes, bytes.
  package static func seal(
    _ plain: [UInt8], crypto: some CryptoSuite, packer: some Packer
  ) -> [UInt8] {
    let packed = packer.pack(plain)
    let isPacked = packed.count < plain.count
    var out = ByteWriter(reserving: min(packed.count, plain.count) + 48)
    out.byte(format)
    out.varint(plain.count)
    out.flag(isPacked)
    out.raw(crypto.sha256(plain))
    out.raw(isPacked ? packed : plain)
    return out.bytes
  }

  private static func open(
    _ bytes: [UInt8], crypto: some CryptoSuite, packer: some Packer
  ) throws(DecodeError) -> [UInt8] {
    var reader = ByteReader(bytes)
    let format = try reader.byte()
    guard format == Self.format else { throw .unknownTag(UInt64(format), at: 0) }
    let size = try reader.varint(max: blockBytesMax)
    let isPacked = try reader.flag()
    let hash = Array(try reader.take(32))
    let rest = Array(try reader.take(reader.left))
    let plain = isPacked ? try packer.unpack(rest, size: size) : rest
    guard plain.count == size, crypto.sha256(plain) == hash else { throw .badPacking }
    return plain
  }
}

private enum HeaderColumns {
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
      write(seqs: session.context, to: &out)
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
    var contexts: [[UInt64]: Int] = [:]
    var distinct: [[UInt64]] = []
    func reference(_ seen: [UInt64]) -> Int {
      if let known = contexts[seen] { return known }
      contexts[seen] = distinct.count
      distinct.append(seen)
      return distinct.count - 1
    }
    let deletes = header.deleteContexts.map { ($0.session, $0.seq, reference($0.seen)) }
    let early = header.early.map { ($0.session, $0.seq, reference($0.seen)) }
    out.varint(distinct.count)
    for seqs in distinct { write(seqs: seqs, to: &out) }
    for list in [deletes, early] {
      out.varint(list.count)
      for (session, seq, reference) in list {
        out.varint(session)
        out.varint(seq)
        out.varint(reference)
      }
    }
    out.varint(header.waiting.count)
    for change in header.waiting {
      out.varint(change.session)
      out.varint(change.seq)
      out.varint(change.ops.count)
      for op in change.ops { out.varint(op) }
      write(seqs: change.seen, to: &out)
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
    var distinct: [[UInt64]] = []
    for _ in 0..<(try reader.count(max: ImageCodec.blockBytesMax)) {
      distinct.append(try readSeqs(&reader))
    }
    var deletes: [ReplicaHeader.DeleteContext] = []
    for _ in 0..<(try reader.count(max: ImageCodec.blockBytesMax, each: 3)) {
      let (session, seq, seen) = try readReference(&reader, distinct)
      deletes.append(ReplicaHeader.DeleteContext(session: session, seq: seq, seen: seen))
    }
    var early: [ReplicaHeader.EarlyChange] = []
    for _ in 0..<(try reader.count(max: ReplicaHeader.earlyMax, each: 3)) {
      let (session, seq, seen) = try readReference(&reader, distinct)
      early.append(ReplicaHeader.EarlyChange(session: session, seq: seq, seen: seen))
    }
    var waiting: [ReplicaHeader.WaitingChange] = []
    for _ in 0..<(try reader.count(max: ImageCodec.blockBytesMax, each: 6)) {
      waiting.append(try readWaiting(&reader))
    }
    return ReplicaHeader(
      sessions: sessions, arrival: arrival, deleteContexts: deletes, early: early,
      waiting: waiting, chunkCount: try reader.varint(), coldCount: try reader.varint())
  }

  private static func readReference(
    _ reader: inout ByteReader, _ contexts: [[UInt64]]
  ) throws(DecodeError) -> (session: UInt32, seq: UInt64, seen: [UInt64]) {
    let session = UInt32(try reader.varint(max: ImageCodec.sessionsMax))
    let seq = try reader.varint()
    let at = reader.offset
    let reference = try reader.varint(max: ImageCodec.blockBytesMax)
    guard reference < contexts.count else { throw .badReference(at: at) }
    return (session, seq, contexts[reference])
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
      session: session, seq: seq, ops: ops, seen: try readSeqs(&reader),
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
      floorH: floor > 0 ? try reader.varint() : 0, context: try readSeqs(&reader),
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

  /// A seq and, unless it is 0, the first bytes of that change's hash.
  private static func write(seqs: [UInt64], to out: inout ByteWriter) {
    out.varint(seqs.count)
    for packed in seqs {
      out.varint(packed >> 32)
      if packed >> 32 != 0 { out.bigEndian(UInt32(truncatingIfNeeded: packed)) }
    }
  }

  private static func readSeqs(_ reader: inout ByteReader) throws(DecodeError) -> [UInt64] {
    let count = try reader.count(max: ImageCodec.sessionsMax)
    var out: [UInt64] = []
    out.reserveCapacity(count)
    for _ in 0..<count {
      let seq = UInt64(try reader.varint(max: Int(UInt32.max)))
      let mark = seq == 0 ? 0 : try reader.bigEndian(UInt32.self)
      out.append(seq << 32 | UInt64(mark))
    }
    return out
  }
}
