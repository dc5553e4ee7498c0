// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Simulator

@testable import WireCodec

@Suite struct ChangeCodecTests {
  private let crypto = ToyCrypto(seed: 1)
  private let space = SpaceID(1, 2, 3, 4)

  private func key(_ integers: Int64...) -> PositionKey {
    let levels = integers.dropFirst().map { PositionLevel(tag: WriterTag(7), integer: $0) }
    return PositionKey(
      bytes: PositionCodec.encode(PositionPath(root: integers[0], levels: Array(levels))))
  }

  private func full() -> Change { WireSamples.everyOp }

  @Test func `every op and value comes back`() throws {
    let signed = SignedChange(signing: full(), space: space, crypto: crypto)
    let back = try SignedChange(decoding: signed.bytes, crypto: crypto)
    #expect(back == signed)
    #expect(back.isSigned(by: crypto.publicKey, space: space, crypto: crypto))
    #expect(!back.isSigned(by: crypto.publicKey, space: SpaceID(9, 9, 9, 9), crypto: crypto))
  }

  @Test func `an op of an unknown kind is kept as it is`() throws {
    var change = full()
    change.ops.append(.unknown(kind: 77, payload: [1, 2, 3]))
    #expect(try ChangeCodec.decode(ChangeCodec.encode(change)) == change)
  }

  @Test func `a column of no values comes back`() throws {
    var change = full()
    change.ops = [
      .create(
        firstIndex: 0, count: 2, parent: .root, firstKey: key(0, 32),
        columns: [FieldColumn(field: .text, values: [nil, nil])])
    ]
    #expect(try ChangeCodec.decode(ChangeCodec.encode(change)) == change)
  }

  @Test func `a place whose integer no key can hold is refused`() throws {
    var change = full()
    change.group = nil
    change.ops = [
      .place(item: ItemID(nonce: 77, index: 3), parent: .root, key: key(0, 32), h: nil)
    ]
    let body = ChangeCodec.encode(change)
    let beyond: [UInt8] = [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
    var refused = 0
    for at in body.indices {
      do throws(DecodeError) {
        _ = try ChangeCodec.decode(body[..<at] + beyond + body[(at + 1)...])
      } catch {
        if case .badPosition = error { refused += 1 }
      }
    }
    #expect(refused > 0)
  }

  @Test func `no truncation decodes`() {
    let body = ChangeCodec.encode(full())
    for length in 0..<body.count {
      #expect(throws: DecodeError.self) { try ChangeCodec.decode(Array(body[..<length])) }
    }
  }

  @Test func `whatever a flipped bit decodes to is canonical`() {
    let body = ChangeCodec.encode(full())
    var accepted = 0
    for at in body.indices {
      for bit in 0..<8 {
        var other = body
        other[at] ^= 1 << UInt8(bit)
        guard let change = try? ChangeCodec.decode(other) else { continue }
        // A flip of a kind byte makes an unknown op, whose use of the tables cannot be checked.
        if change.ops.contains(where: { if case .unknown = $0 { true } else { false } }) {
          continue
        }
        accepted += 1
        let isCanonical = ChangeCodec.encode(change) == other
        #expect(isCanonical, "bit \(bit) of byte \(at)")
      }
    }
    #expect(accepted > 0)
  }

  @Test func `few bytes cannot ask for many cells`() {
    var change = full()
    change.group = nil
    change.ops = [
      .create(
        firstIndex: 0, count: 40_000, parent: .root, firstKey: key(0, 32),
        columns: (0..<4).map {
          FieldColumn(field: .named("c\($0)"), values: Array(repeating: .null, count: 40_000))
        })
    ]
    #expect(throws: DecodeError.self) { try ChangeCodec.decode(ChangeCodec.encode(change)) }
    #expect(change.defect == .limit)
  }

  @Test func `a run leaves out what the receiver can rebuild`() throws {
    var changes = [SignedChange(signing: full(), space: space, crypto: crypto)]
    for seq in 2...5 {
      let change = Change(
        session: changes[0].change.session, seq: UInt64(seq), head: nil,
        prev: changes.last!.hash, h: UInt64(99 + seq) << 16, seen: [], nonce: UInt64(seq),
        group: nil, ops: [.life(item: ItemID(nonce: 42, index: 0), alive: seq % 2 == 0, h: nil)])
      changes.append(SignedChange(signing: change, space: space, crypto: crypto))
    }
    let bytes = RunCodec.encode(changes.map(\.bytes))
    #expect(bytes.count < changes.reduce(0) { $0 + $1.bytes.count } - 4 * 46)
    #expect(try RunCodec.decode(bytes, crypto: crypto) == changes)
    for length in 0..<bytes.count {
      #expect(throws: DecodeError.self) {
        try RunCodec.decode(Array(bytes[..<length]), crypto: crypto)
      }
    }
  }

  @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, UInt64.max]) func `varints are shortest`(
    _ value: UInt64
  ) throws {
    var writer = ByteWriter()
    writer.varint(value)
    var reader = ByteReader(writer.bytes)
    #expect(try reader.varint() == value)
    var padded = writer.bytes
    padded[padded.count - 1] |= 0x80
    padded.append(0)
    #expect(throws: DecodeError.self) {
      var reader = ByteReader(padded)
      _ = try reader.varint()
    }
  }
}
