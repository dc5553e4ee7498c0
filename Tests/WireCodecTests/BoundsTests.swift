// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Simulator
import Testing

@testable import WireCodec

/// What is too long, too short or of an unknown form is refused by the name of the rule it breaks.
@Suite struct BoundsTests {
  private let crypto = ToyCrypto(seed: 1)
  private let space = SpaceID(1, 2, 3, 4)

  @Test func `a change, a signed change and a frame have a greatest length`() {
    let limit = Limits.changeBytesMax
    #expect(throws: DecodeError.overLimit(at: 0, limit: UInt64(limit))) {
      try ChangeCodec.decode([UInt8](repeating: 1, count: limit + 1))
    }
    let signedMax = SignedChange.bytesMax
    #expect(throws: DecodeError.overLimit(at: 0, limit: UInt64(signedMax))) {
      try SignedChange(decoding: [UInt8](repeating: 1, count: signedMax + 1), crypto: crypto)
    }
    let frameMax = FrameLimits.frameBytesMax
    #expect(throws: DecodeError.overLimit(at: 0, limit: UInt64(frameMax))) {
      try Frame(decoding: [UInt8](repeating: 1, count: frameMax + 1))
    }
  }

  @Test func `an acknowledgement without a signature or of another form is refused`() {
    let tip = Tip(session: SessionID(high: 1, low: 2), seq: 3, hash: ChangeHash(4, 5, 6, 7))
    let held = Acknowledgement(
      number: 9, rosterHeads: [], tips: [tip], space: space, crypto: crypto)
    #expect(held.isSigned(by: crypto.publicKey, space: space, crypto: crypto))
    let short = Array(held.bytes.prefix(Acknowledgement.signatureBytes))
    #expect(throws: DecodeError.truncated(at: 64)) { try Acknowledgement(decoding: short) }
    var other = held.bytes
    other[0] = 77
    #expect(throws: DecodeError.unknownTag(77, at: 0)) { try Acknowledgement(decoding: other) }
  }

  @Test func `a day beyond 32 bits is refused`() throws {
    var out = ByteWriter(reserving: 16)
    out.zigzag(Int64(Int32.max) + 1)
    var reader = ByteReader(out.bytes)
    #expect(throws: DecodeError.overLimit(at: 0, limit: UInt64(Int32.max))) {
      try ValueCodec.read(plain: 8, &reader)
    }
  }

  @Test func `an address in a frame has 4 or 16 bytes`() throws {
    let endpoint = try #require(Endpoint(address: [198, 18, 0, 1], port: 80))
    let bytes = Frame.addresses([(DeviceID(1, 2, 3, 4), endpoint)]).bytes
    let length = 1 + 1 + 32
    #expect(bytes[length] == 4)
    var other = bytes
    other[length] = 5
    other.insert(7, at: length + 1)
    #expect(throws: DecodeError.notCanonical(at: length)) { try Frame(decoding: other) }
    #expect(Endpoint(address: [1, 2, 3, 4, 5], port: 1) == nil)
  }

  @Test func `loopback and link-local addresses are told apart from others`() throws {
    func endpoint(_ address: [UInt8]) throws -> Endpoint {
      try #require(Endpoint(address: address, port: 1))
    }
    let zeros = [UInt8](repeating: 0, count: 13)
    let four = try endpoint([127, 9, 9, 9])
    let loopback = try endpoint(zeros + [0, 0, 1])
    let linkLocal = try endpoint([0xFE, 0xBF] + zeros + [1])
    let global = try endpoint([0xFE, 0xC0] + zeros + [1])
    let plain = try endpoint([198, 18, 0, 1])
    #expect(four.isLoopback && loopback.isLoopback)
    #expect(!linkLocal.isLoopback && !global.isLoopback && !plain.isLoopback)
    #expect(linkLocal.isLinkLocal)
    #expect(!global.isLinkLocal && !loopback.isLinkLocal && !plain.isLinkLocal)
    #expect(four < plain && !(plain < four))
    #expect(plain < plain.with(port: 2) && !(plain < plain))
  }
}
