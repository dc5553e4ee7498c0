// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Simulator
import Testing
import WireCodec

/// Bytes of frames, and what hostile ones do: nothing but close their link.
@Suite struct FrameTests {
  static let tip = Tip(
    session: SessionID(high: 1, low: 2), seq: 300, hash: ChangeHash(1, 2, 3, 4))

  static var samples: [Frame] {
    let hello = Hello(
      space: SpaceID(9, 8, 7, 6), device: DeviceID(1, 1, 1, 1), bootNonce: 77, listenPort: 7644,
      wall: WallTime(milliseconds: -5), version: Text("1.0"), rosterHeads: [RosterHead(4, 3, 2, 1)],
      tips: [Hello.HeldTip(tip: tip, device: DeviceID(1, 1, 1, 1))])
    let endpoint = Endpoint(address: [198, 18, 0, 1], port: 7644)!
    return [
      .hello(hello), .roster(records: [[1, 2, 3], []], isLast: true), .run([1, 2, 3]),
      .ack([tip]), .ping(nonce: 1, tips: [tip], fingerprint: Fingerprint(high: 1, low: 2)),
      .ping(nonce: 2, tips: nil, fingerprint: nil),
      .pong(nonce: .max, wall: WallTime(milliseconds: -1)), .ask,
      .hashAsk(session: tip.session, seq: 300), .branchAsk(session: tip.session, seq: 1),
      .hashTold(session: tip.session, seq: 1, hash: nil), .branch([1, 2, 3]),
      .hashTold(session: tip.session, seq: 2, hash: tip.hash),
      .snapshot(tips: [tip], blobs: 3, rosterHeads: []), .snapshotPart([7, 7], isLast: false),
      .addresses([(DeviceID(1, 1, 1, 1), endpoint)]), .bye(code: 3),
      .pairProof(name: Text("anna"), proof: [UInt8](repeating: 1, count: 32)),
      .pairAnswer(proof: [UInt8](repeating: 2, count: 32)), .pairRefused,
      .confirmed([tip]), .setback,
    ]
  }

  @Test(arguments: samples) func `a frame is read back as it was written`(_ frame: Frame) throws {
    #expect(try Frame(decoding: frame.bytes) == frame)
  }

  @Test func `frames that are cut or changed anywhere never trap`() {
    var entropy = SeededEntropy(seed: 1)
    for frame in Self.samples {
      let bytes = frame.bytes
      for end in bytes.indices { _ = try? Frame(decoding: Array(bytes[..<end])) }
      for _ in 0..<200 {
        var wrong = bytes
        let place = Int.random(in: wrong.indices, using: &entropy)
        wrong[place] = UInt8.random(in: .min ... .max, using: &entropy)
        _ = try? Frame(decoding: wrong)
      }
    }
  }

  @Test func `unknown kinds from 128 on are skipped, others refused`() throws {
    #expect(try Frame(decoding: [200, 1, 2, 3]) == .unknown(kind: 200))
    #expect(throws: DecodeError.unknownTag(99, at: 0)) { try Frame(decoding: [99]) }
    #expect(throws: DecodeError.truncated(at: 0)) { try Frame(decoding: []) }
  }

  @Test func `a second hello ends the link, and the engine lives on`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    let end = hood.pipes.keys.first { $0.node == a }!
    hood.give(a, .frame(Self.samples[0].bytes, end.link))
    hood.settle()
    #expect(hood.pipes[end] == nil)
    hood.advance(milliseconds: 120_000)
    #expect(hood.state(a, of: b) == .inSync)
  }

  @Test func `noise on a link of a member never traps and changes nothing`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    hood.create(a, ["kept"])
    var entropy = SeededEntropy(seed: 12)
    for round in 0..<300 {
      guard let end = hood.pipes.keys.filter({ $0.node == a }).min(by: { $0.link < $1.link })
      else {
        hood.give(a, .nudge(nil))
        hood.advance(milliseconds: 1000)
        continue
      }
      var bytes = Self.samples[round % Self.samples.count].bytes
      for _ in 0..<(round % 3) {
        let place = Int.random(in: bytes.indices, using: &entropy)
        bytes[place] = UInt8.random(in: .min ... .max, using: &entropy)
      }
      hood.give(a, .frame(bytes, end.link))
      hood.settle()
    }
    hood.advance(milliseconds: 120_000)
    #expect(hood.texts(a) == ["kept"])
    #expect(hood.texts(b) == ["kept"])
  }
}
