// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// One message on a link; the shell puts a length of four bytes, big endian, before each.
///
/// A kind byte and its payload (`docs/WIRE.md`, "Frames"). Kinds from 128 on may be skipped by who
/// does not know them; an unknown kind below ends the link.
package enum Frame: Equatable, Sendable {
  case hello(Hello)
  /// Membership records, parents first; `isLast` ends one exchange.
  case roster(records: [[UInt8]], isLast: Bool)
  /// Consecutive changes of one session as `RunCodec` writes them; the last signature is good.
  case run([UInt8])
  /// Durable now at the sender, per session; says nothing of sessions it does not name.
  case ack([Tip])
  /// Comes back as `pong`. `tips`: all that is durable, if it moved since the last ping; the
  /// fingerprint is that of the sender's view, if its vector rested since then.
  case ping(nonce: UInt64, tips: [Tip]?, fingerprint: Fingerprint?)
  /// `wall`: the sender's wall clock, for showing its offset; no rule reads it.
  case pong(nonce: UInt64, wall: WallTime)
  /// The sender could not place what it got: send again from what it acknowledged.
  case ask
  /// Which change does the receiver hold there? Sent by who found another one than its own.
  case hashAsk(session: SessionID, seq: UInt64)
  /// The answer; `nil` if the sender holds none there, or cannot tell any more.
  case hashTold(session: SessionID, seq: UInt64, hash: ChangeHash?)
  /// Send the continuation of that session that the receiver holds, from this seq on.
  case branchAsk(session: SessionID, seq: UInt64)
  /// A run whose first change may continue what the receiver holds another continuation of.
  case branch([UInt8])
  /// Opens a snapshot: what it stands for, how many blobs follow (the header, then the chunks), and
  /// the roster under which its sender folded.
  case snapshot(tips: [Tip], blobs: Int, rosterHeads: [RosterHead])
  /// The next bytes of the present blob; `isLast` ends it.
  case snapshotPart([UInt8], isLast: Bool)
  /// A run of the log that the sender of a snapshot still has of what the snapshot stands for.
  case snapshotLog([UInt8])
  /// What a member holds, signed by it: an `Acknowledgement`.
  case held([UInt8])
  /// Where other members were reached.
  case addresses([(device: DeviceID, endpoint: Endpoint)])
  /// Why the sender ends the link.
  case bye(code: UInt8)
  /// The receiver was removed from the space: who removed it, and the signature that says so.
  case farewell(signer: [UInt8], signature: [UInt8])
  /// First frame of a joiner: its name and its proof of the code.
  case pairProof(name: Text, proof: [UInt8])
  /// The inviter's proof; the roster follows in `roster` frames.
  case pairAnswer(proof: [UInt8])
  case pairRefused
  /// What the receiver had acknowledged before this link, of what its hello does not cover.
  case confirmed([Tip])
  /// The sender lacks something of what it had acknowledged, as `confirmed` says.
  case setback
  /// A kind that this version may skip.
  case unknown(kind: UInt8)

  package static func == (a: Self, b: Self) -> Bool { a.bytes == b.bytes }
}

// MARK: Encoding

extension Frame {
  /// The kind byte and the payload; at most `FrameLimits.frameBytesMax` if the parts keep to their
  /// limits.
  package var bytes: [UInt8] {
    var out = ByteWriter(reserving: 128)
    switch self {
    case .hello(let hello):
      out.byte(1)
      hello.write(to: &out)
    case .roster(let records, let isLast):
      out.byte(2)
      out.flag(isLast)
      out.varint(records.count)
      for record in records { out.block(record) }
    case .run(let run):
      out.byte(3)
      out.raw(run)
    case .ack(let tips):
      out.byte(4)
      Self.write(tips, to: &out)
    case .ping(let nonce, let tips, let fingerprint):
      out.byte(5)
      out.bigEndian(nonce)
      out.flag(tips != nil)
      if let tips { Self.write(tips, to: &out) }
      out.flag(fingerprint != nil)
      if let fingerprint {
        out.bigEndian(fingerprint.high)
        out.bigEndian(fingerprint.low)
      }
    case .pong(let nonce, let wall):
      out.byte(6)
      out.bigEndian(nonce)
      out.bigEndian(wall.milliseconds)
    case .ask: out.byte(7)
    case .snapshot(let tips, let blobs, let heads):
      out.byte(8)
      Self.write(tips, to: &out)
      out.varint(blobs)
      out.varint(heads.count)
      for head in heads { out.bytes32(head) }
    case .snapshotPart(let part, let isLast):
      out.byte(9)
      out.flag(isLast)
      out.raw(part)
    case .snapshotLog(let run):
      out.byte(10)
      out.raw(run)
    case .held(let statement):
      out.byte(13)
      out.raw(statement)
    case .addresses(let addresses):
      out.byte(11)
      out.varint(addresses.count)
      for (device, endpoint) in addresses {
        out.bytes32(device)
        out.block(endpoint.address)
        out.bigEndian(endpoint.port)
      }
    case .bye(let code):
      out.byte(12)
      out.byte(code)
    case .farewell(let signer, let signature):
      out.byte(14)
      out.raw(signer)
      out.raw(signature)
    case .hashAsk(let session, let seq):
      out.byte(20)
      out.bytes16(session)
      out.varint(seq)
    case .hashTold(let session, let seq, let hash):
      out.byte(21)
      out.bytes16(session)
      out.varint(seq)
      out.flag(hash != nil)
      if let hash { out.bytes32(hash) }
    case .branchAsk(let session, let seq):
      out.byte(22)
      out.bytes16(session)
      out.varint(seq)
    case .branch(let run):
      out.byte(23)
      out.raw(run)
    case .pairProof(let name, let proof):
      out.byte(32)
      out.block(name.utf8)
      out.raw(proof)
    case .pairAnswer(let proof):
      out.byte(33)
      out.raw(proof)
    case .pairRefused: out.byte(34)
    case .confirmed(let tips):
      out.byte(128)
      Self.write(tips, to: &out)
    case .setback: out.byte(129)
    case .unknown(let kind): out.byte(kind)
    }
    return out.bytes
  }

  private static func write(_ tips: [Tip], to out: inout ByteWriter) {
    out.varint(tips.count)
    for tip in tips { out.tip(tip) }
  }
}

// MARK: Decoding

extension Frame {
  /// Reads one whole frame from a peer.
  package init(decoding bytes: [UInt8]) throws(DecodeError) {
    guard bytes.count <= FrameLimits.frameBytesMax else {
      throw .overLimit(at: 0, limit: UInt64(FrameLimits.frameBytesMax))
    }
    var reader = ByteReader(bytes)
    let kind = try reader.byte()
    switch kind {
    case 1: self = .hello(try Hello(&reader))
    case 2: self = try Self.roster(&reader)
    case 3: self = .run(Array(try reader.take(reader.left)))
    case 4: self = .ack(try Self.tips(&reader))
    case 5:
      let nonce = try reader.bigEndian(UInt64.self)
      let tips = try reader.flag() ? try Self.tips(&reader) : nil
      let fingerprint: Fingerprint? =
        try reader.flag()
        ? Fingerprint(
          high: try reader.bigEndian(UInt64.self), low: try reader.bigEndian(UInt64.self)) : nil
      self = .ping(nonce: nonce, tips: tips, fingerprint: fingerprint)
    case 6:
      self = .pong(
        nonce: try reader.bigEndian(UInt64.self),
        wall: WallTime(milliseconds: Int64(bitPattern: try reader.bigEndian(UInt64.self))))
    case 7: self = .ask
    case 8:
      let tips = try Self.tips(&reader)
      let blobs = try reader.varint(max: FrameLimits.snapshotBlobsMax)
      var heads: [RosterHead] = []
      for _ in 0..<(try reader.count(max: FrameLimits.rosterHeadsMax, each: 32)) {
        heads.append(try reader.bytes32(RosterHead.self))
      }
      self = .snapshot(tips: tips, blobs: blobs, rosterHeads: heads)
    case 9:
      let isLast = try reader.flag()
      self = .snapshotPart(Array(try reader.take(reader.left)), isLast: isLast)
    case 10: self = .snapshotLog(Array(try reader.take(reader.left)))
    case 11: self = try Self.addresses(&reader)
    case 12: self = .bye(code: try reader.byte())
    case 13: self = .held(Array(try reader.take(reader.left)))
    case 14:
      self = .farewell(
        signer: Array(try reader.take(FrameLimits.keyBytes)),
        signature: Array(try reader.take(FrameLimits.signatureBytes)))
    case 20:
      self = .hashAsk(session: try reader.bytes16(SessionID.self), seq: try reader.varint())
    case 21:
      self = .hashTold(
        session: try reader.bytes16(SessionID.self), seq: try reader.varint(),
        hash: try reader.flag() ? try reader.bytes32(ChangeHash.self) : nil)
    case 22:
      self = .branchAsk(session: try reader.bytes16(SessionID.self), seq: try reader.varint())
    case 23: self = .branch(Array(try reader.take(reader.left)))
    case 32:
      self = .pairProof(
        name: try reader.text(max: FrameLimits.nameBytesMax),
        proof: Array(try reader.take(FrameLimits.proofBytes)))
    case 33: self = .pairAnswer(proof: Array(try reader.take(FrameLimits.proofBytes)))
    case 34: self = .pairRefused
    case 128: self = .confirmed(try Self.tips(&reader))
    case 129: self = .setback
    case 130...:
      self = .unknown(kind: kind)
      return
    default: throw .unknownTag(UInt64(kind), at: 0)
    }
    try reader.finish()
  }

  private static func tips(_ reader: inout ByteReader) throws(DecodeError) -> [Tip] {
    var out: [Tip] = []
    for _ in 0..<(try reader.count(max: FrameLimits.tipsMax, each: 56)) {
      out.append(try reader.tip())
    }
    return out
  }

  private static func roster(_ reader: inout ByteReader) throws(DecodeError) -> Frame {
    let isLast = try reader.flag()
    var records: [[UInt8]] = []
    for _ in 0..<(try reader.count(max: FrameLimits.recordsMax)) {
      records.append(try reader.block(max: FrameLimits.payloadBytesMax))
    }
    return .roster(records: records, isLast: isLast)
  }

  private static func addresses(_ reader: inout ByteReader) throws(DecodeError) -> Frame {
    var out: [(device: DeviceID, endpoint: Endpoint)] = []
    for _ in 0..<(try reader.count(max: FrameLimits.addressesMax, each: 39)) {
      let device = try reader.bytes32(DeviceID.self)
      let start = reader.offset
      let address = try reader.block(max: 16)
      guard let endpoint = Endpoint(address: address, port: try reader.bigEndian(UInt16.self))
      else { throw .notCanonical(at: start) }
      out.append((device, endpoint))
    }
    return .addresses(out)
  }
}
