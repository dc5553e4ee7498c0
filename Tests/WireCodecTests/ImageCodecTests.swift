// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Simulator
import Testing
import ZstdPacking

@testable import WireCodec

@Suite struct ImageCodecTests {
  private let crypto = ToyCrypto(seed: 1)
  private let packer = ZstdPacker()

  /// A packer that makes everything longer.
  private struct Growing: Packer {
    func pack(_ bytes: [UInt8]) -> [UInt8] { bytes + [0] }
    func unpack(_ bytes: [UInt8], size: Int) throws(DecodeError) -> [UInt8] { throw .badPacking }
  }

  /// A replica with rows, a deleted item, a counter, a moved item and values of several types.
  private func filled() throws -> Replica {
    var replica = Replica()
    let head = SessionHead(device: crypto.deviceID, salt: 3, predecessor: nil)
    let session = crypto.sessionID(head)
    var seq: UInt64 = 0
    var last = ChangeHash.zero
    var events: [ReplicaEvent] = []
    func write(_ edits: [Edit]) throws -> [ItemID] {
      var left = edits
      var created: [ItemID] = []
      while !left.isEmpty {
        let h = (1_800_000_000_000 + seq) << 16
        let plan = try replica.plan(
          left, writer: crypto.writerTag(session), h: h, nonce: 100 + seq)
        seq += 1
        let change = Change(
          session: session, seq: seq, head: seq == 1 ? head : nil, prev: last, h: h, seen: [],
          nonce: 99 + seq, group: nil, ops: plan.ops)
        last = crypto.hash32(ChangeCodec.encode(change))
        #expect(replica.fold(change, hash: last, events: &events) == .folded)
        created += plan.created
        left = plan.remaining
      }
      return created
    }
    let list = try write([
      .create([NewRow([(.text, .text("l"))])], parent: .root, at: .bottom)
    ])[0]
    let rows = try write([
      .create(
        (0..<2300).map {
          NewRow([(.text, .text("row \($0)")), (.named("qty"), .int(Int64($0 % 7)))])
        },
        parent: list, at: .bottom)
    ])
    _ = try write([
      .setAlive(rows[3], false), .increment(rows[4], .named("n"), by: -9),
      .set(rows[5], .named("d"), .decimal(mantissa: 125, scale: 2)),
    ])
    _ = try write([.move([rows[9], rows[10]], parent: list, at: .top)])
    return replica
  }

  @Test func `header and chunks come back`() throws {
    let replica = try filled()
    let header = replica.header()
    let bytes = ImageCodec.encode(header, crypto: crypto, packer: packer)
    #expect(try ImageCodec.decodeHeader(bytes, crypto: crypto, packer: packer) == header)
    var total = 0
    for number in 0..<replica.chunkCount {
      let chunk = replica.chunk(at: number)
      let bytes = ImageCodec.encode(chunk, crypto: crypto, packer: packer)
      total += bytes.count
      #expect(try ImageCodec.decodeChunk(bytes, crypto: crypto, packer: packer) == chunk)
    }
    #expect(total < 2300 * 16, "\(total) bytes")
  }

  @Test func `cold items are counted in the bytes that they are packed into`() throws {
    var replica = Replica()
    let (item, hash) = (ItemID(nonce: 5, index: 0), ChangeHash(1, 1, 1, 1))
    let key = PositionGenerator.between(nil, nil, tag: WriterTag(1)) { _ in nil }
    let texts = (0..<300).map { Value.text("row \($0)") as Value? }
    let change = Change(
      session: SessionID(high: 1, low: 1), seq: 1,
      head: SessionHead(device: DeviceID(1, 1, 1, 1), salt: 1, predecessor: nil), prev: .zero,
      h: 1 << 20, seen: [], nonce: 5, group: nil,
      ops: [
        .create(
          firstIndex: 0, count: 300, parent: .root, firstKey: key,
          columns: [FieldColumn(field: .text, values: texts)])
      ] + (0..<300).map { .life(item: ItemID(nonce: 5, index: $0), alive: false, h: nil) })
    var events: [ReplicaEvent] = []
    #expect(replica.fold(change, hash: hash, events: &events) == .folded)
    let hasMoved = replica.passFloor(change, hash: hash)
    #expect(hasMoved)
    #expect(replica.freeze(atLeast: 1) == 300)
    let plain = (0..<replica.chunkCount).map(replica.chunk(at:)).filter { !$0.ids.isEmpty }
    // As they came there is only the index; chunks that lie there are packed when that begins.
    #expect(replica.coldByteCount == 300 * 8)
    let packing = ColdPacking(packer)
    replica.pack(with: packing)
    let packed = plain.reduce(0) { $0 + packing.pack($1).count }
    #expect(replica.coldByteCount == 300 * 8 + packed && packed < 300 * 12)
    #expect((0..<replica.chunkCount).map(replica.chunk(at:)).filter { !$0.ids.isEmpty } == plain)
    replica.thaw([item])
    #expect(replica.value(of: item, .text) == .text("row 0") && replica.coldItemCount == 0)
  }

  @Test func `a flipped byte is noticed or means nothing`() throws {
    let chunk = try filled().chunk(at: 2)
    let bytes = ImageCodec.encode(chunk, crypto: crypto, packer: packer)
    var refused = 0
    for at in bytes.indices {
      var other = bytes
      other[at] ^= 0x10
      // A few bits of a zstd frame carry nothing; the hash vouches for the content.
      guard let read = try? ImageCodec.decodeChunk(other, crypto: crypto, packer: packer) else {
        refused += 1
        continue
      }
      #expect(read == chunk)
    }
    #expect(refused > bytes.count - 8)
  }

  @Test func `a session number beyond the limit is refused, however the entries reach it`() throws {
    var header = try filled().header()
    let last = UInt32(ImageCodec.sessionsMax - 1)
    for (sessions, isGood) in [([last], true), ([last, last + 1], false)] {
      let entries = sessions.map { ReplicaHeader.Context.Entry(session: $0, seen: 1 << 32) }
      header.contexts = [ReplicaHeader.Context(base: 0, entries: entries)]
      let bytes = ImageCodec.encode(header, crypto: crypto, packer: packer)
      let read = try? ImageCodec.decodeHeader(bytes, crypto: crypto, packer: packer)
      #expect(read == (isGood ? header : nil))
    }
  }

  @Test func `a chunk of cold items comes back, packed if that makes it smaller`() throws {
    let chunk = try filled().chunk(at: 0)
    let plain = ImageCodec.columns(of: chunk)
    let packed = ColdPacking(packer).pack(chunk)
    let kept = ColdPacking(Growing()).pack(chunk)
    #expect(packed.count < plain.count / 2)
    #expect(kept == [0] + plain)
    // Bytes that are kept as they are need no packer.
    for bytes in [packed, kept] { #expect(ColdPacking(packer).unpack(bytes) == chunk) }
    for bytes in [[], [0], [0x80], Array(packed.dropLast()), Array(kept.dropLast()), [5, 1, 2, 3]] {
      #expect(ColdPacking(packer).unpack(bytes) == nil)
    }
  }

  @Test func `ids behind the last index of a nonce are no run with it`() throws {
    var chunk = try filled().chunk(at: 0)
    for (row, index) in [UInt32.max - 1, .max, 0, 1].enumerated() {
      chunk.ids[row] = ItemID(nonce: 49, index: index)
    }
    var writer = ByteWriter()
    ChunkColumns.write(chunk, to: &writer)
    var reader = ByteReader(writer.bytes)
    #expect(try ChunkColumns.read(&reader) == chunk)
  }

  @Test func `no columns trap, whatever a liar puts in them`() throws {
    var writer = ByteWriter()
    ChunkColumns.write(try filled().chunk(at: 0), to: &writer)
    let plain = writer.bytes
    let header = try filled().header()
    var state: UInt64 = 7
    var accepted = 0
    for _ in 0..<1000 {
      var other = plain
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        other[Int(state >> 33) % other.count] = UInt8(truncatingIfNeeded: state >> 24)
      }
      if state >> 60 == 0 { other.removeLast(Int(state >> 40) % other.count) }
      var reader = ByteReader(other)
      guard let chunk = try? ChunkColumns.read(&reader) else { continue }
      accepted += 1
      // What decodes may still be refused by the replica, but must not trap there either.
      if accepted % 20 == 0 { _ = try? Replica(header: header, chunks: [chunk]) }
    }
    #expect(accepted > 0)
  }
}
