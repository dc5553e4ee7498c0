// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import Simulator
import Testing
import WireCodec

@testable import NodeEngine

/// Edges of the values that the engine reckons with, and inputs that come at a wrong time.
@Suite struct SmallValueTests {
  /// Numbers as they are given.
  private struct Numbers: EntropySource {
    var words: [UInt64]
    mutating func next() -> UInt64 { words.removeFirst() }
  }

  @Test func `a moment stops at the end of time`() {
    #expect(Moment(nanoseconds: .max - 5) + .seconds(1) == Moment(nanoseconds: .max))
  }

  @Test func `of two words of a peer about one place the later one counts, and the higher place`() {
    let session = SessionID(high: 1, low: 1)
    func tip(_ seq: UInt64, _ line: UInt64) -> Tip {
      Tip(session: session, seq: seq, hash: ChangeHash(line, 0, 0, 0))
    }
    var held = HeldTips()
    held.raise([tip(4, 1), tip(4, 2)])
    #expect(held.tips == [tip(4, 2)])
    held.raise([tip(3, 1)])
    #expect(held.tips == [tip(4, 2)])
  }

  @Test func `days before 1970 pass as others do`() {
    var ages = AgeBook()
    for (milliseconds, isPassed) in [
      (-86_400_001, false), (-86_400_000, true), (-1, false), (0, true), (86_399_999, false),
    ] as [(Int64, Bool)] {
      let passed = ages.observe(WallTime(milliseconds: milliseconds), held: VersionVector())
      #expect(passed == isPassed, "\(milliseconds)")
    }
  }

  @Test func `a nonce is neither nothing nor all ones`() {
    var entropy = Entropy(Numbers(words: [0, .max, 7]))
    #expect(entropy.nonce() == 7)
  }

  @Test func `an O in a code is a zero, in either case`() {
    for letter in "oO0".utf8 { #expect(CrockfordBase32.digit(letter) == 0) }
    for letter in "iIlL1".utf8 { #expect(CrockfordBase32.digit(letter) == 1) }
    for letter in "uU-".utf8 { #expect(CrockfordBase32.digit(letter) == nil) }
  }

  @Test func `what a stranger announces has the lengths of a tag, or is none`() {
    let eight = [UInt8](repeating: 1, count: 8)
    #expect(DiscoveryTag(nonce: eight, tag: eight, isInviting: false) != nil)
    #expect(DiscoveryTag(nonce: [1], tag: eight, isInviting: false) == nil)
    #expect(DiscoveryTag(nonce: eight, tag: [1], isInviting: false) == nil)
    #expect(!constantTimeEqual([1], [1, 2]) && constantTimeEqual([1, 2], [1, 2]))
  }

  @Test func `memory of recent changes gives back what it has let go of`() {
    var recent = RecentChanges()
    let session = SessionID(high: 1, low: 1)
    for seq in 1...5_000 as ClosedRange<UInt64> {
      recent.append(
        LoggedChange(
          dot: Dot(session: session, seq: seq), hash: .zero,
          bytes: [UInt8](repeating: 1, count: 10),
          isVerified: true))
      recent.trim(to: 1_000) { _ in true }
    }
    #expect(recent.first(of: session) == 4_901)
    let held = recent.changes(of: session, from: 4_901, through: 5_000, bytesMax: .max)
    #expect(held.map(\.dot.seq) == Array(4_901...5_000))
  }

  // MARK: Addresses

  private static let peers = [DeviceID(1, 2, 3, 4), DeviceID(2, 2, 3, 4)]

  @Test func `an address without a port is none, and who has no address has no calls to give up`() {
    var policy = DialPolicy(settings: EngineSettings(), device: DeviceID(0, 0, 0, 1))
    policy.members([Self.peers[0]])
    policy.proved(Neighbourhood.endpoint(1).with(port: 0), owner: Self.peers[0])
    #expect(policy.endpoints(of: Self.peers[0]) == [])
    #expect(policy.connected(Self.peers[1]) == [])
  }

  @Test func `the candidate that failed most often makes room for one that is new`() {
    var entropy = SeededEntropy(seed: 3)
    var settings = EngineSettings()
    settings.unknownCandidatesMax = 2
    var policy = DialPolicy(settings: settings, device: DeviceID(0, 0, 0, 1))
    for number in 1...2 { policy.found(Neighbourhood.endpoint(number), .discovered) }
    let now = Moment(nanoseconds: 1)
    var isKept = policy.found(Neighbourhood.endpoint(3), .discovered)
    #expect(!isKept, "nobody has failed yet")
    for number in [1, 2, 2] {
      policy.refused(Neighbourhood.endpoint(number), at: now, using: &entropy)
    }
    isKept = policy.found(Neighbourhood.endpoint(3), .discovered)
    #expect(isKept)
    policy.resumed(at: now)
    var numbers: UInt64 = 0
    let dialled = policy.advance(to: now, numbers: &numbers, using: &entropy).dials.map(\.endpoint)
    #expect(dialled == [1, 3].map { Neighbourhood.endpoint($0) })
  }

  // MARK: Inputs at a wrong time

  private func engine() -> Engine {
    Engine(
      settings: EngineSettings(), crypto: ToyCrypto(seed: 1), packer: NoPacking(),
      entropy: Entropy(SeededEntropy(seed: 1)), restored: Restored(),
      wall: WallTime(milliseconds: 1))
  }

  @Test func `answers of a disk that was not asked are not heard`() {
    var engine = engine()
    var effects: [Effect] = []
    for input in [.persisted(BatchToken(7)), .persistFailed(BatchToken(7))] as [Input] {
      engine.handle(input, at: Moment(nanoseconds: 1), into: &effects)
    }
    engine.handle(.logRead(ReadToken(7), []), at: Moment(nanoseconds: 1), into: &effects)
    #expect(effects.allSatisfy { $0 == .alarm(.storage) })
  }

  @Test func `a second space is not founded, nor one with half a recovery key`() {
    var engine = engine()
    var effects: [Effect] = []
    let now = Moment(nanoseconds: 1)
    engine.handle(.foundSpace(name: Text("a"), recoveryKey: [1, 2]), at: now, into: &effects)
    #expect(engine.roster == nil)
    #expect(engine.leavable() == [] && engine.floorHolders() == [])
    let key = [UInt8](repeating: 9, count: 32)
    engine.handle(.foundSpace(name: Text("a"), recoveryKey: key), at: now, into: &effects)
    let space = engine.roster?.space
    engine.handle(.foundSpace(name: Text("b"), recoveryKey: key), at: now, into: &effects)
    #expect(space != nil && engine.roster?.space == space)
  }

  // MARK: Edits

  @Test func `an edit with a reserved nonce, or too large for a change, writes nothing`() {
    var hood = Neighbourhood()
    hood.add("anna")
    func refusal(_ edits: [Edit], nonce: UInt64?) -> EditRefusal? {
      let token = UInt64(hood.nodes[0].seen.count + 1)
      hood.give(0, .edit(EditRequest(token: token, edits: edits, nonce: nonce)))
      hood.settle()
      for case .edited(token: token, .refused(let why)) in hood.nodes[0].seen { return why }
      return nil
    }
    let row = Edit.create([NewRow([(.text, .text("row"))])], parent: .root, at: .bottom)
    #expect(refusal([row], nonce: 0) == .plan(.limit))
    #expect(refusal([row], nonce: .max) == .plan(.limit))
    let long = Value.text(String(repeating: "x", count: 17_000))
    #expect(
      refusal([.create([NewRow([(.text, long)])], parent: .root, at: .bottom)], nonce: nil) != nil)
    let third = Value.text(String(repeating: "x", count: 15_000))
    let names = ["a", "b", "c", "d"].map { FieldName.named(Text($0)) }
    let wide = Edit.create([NewRow(names.map { ($0, third) })], parent: .root, at: .bottom)
    #expect(refusal([wide], nonce: nil) == .tooLarge)
    #expect(refusal([row, wide], nonce: nil) == .plan(.limit))
    #expect(hood.nodes[0].engine.replica.vector.tips.isEmpty)
    #expect(refusal([row], nonce: 5) == nil)
    #expect(hood.nodes[0].engine.replica.vector.tips.map(\.seq) == [1])
  }

  @Test func `an edit of nothing is done at once, and writes nothing`() {
    var hood = Neighbourhood()
    hood.add("anna")
    let receipt = hood.edit(0, [])
    #expect(receipt == EditReceipt(dots: [], created: []))
    #expect(hood.edit(0, [.move([], parent: .root, at: .bottom)])?.dots == [])
    #expect(hood.nodes[0].disk.written.isEmpty)
  }

  @Test func `the way back of an edit reaches the disk with it, under the name that was asked for`()
    throws
  {
    var hood = Neighbourhood()
    hood.add("anna")
    let item = hood.create(0, ["row"])[0]
    let slot = UndoSlot(kind: "undo", key: [1], head: [2, 3])
    hood.give(
      0,
      .edit(EditRequest(token: 800, edits: [.set(item, .text, .text("new"))], undo: slot)))
    hood.settle()
    let row = try #require(hood.nodes[0].disk.kept.last)
    #expect(row.kind == "undo" && row.key == [1])
    let value = try #require(row.value)
    #expect(Array(value.prefix(2)) == [2, 3])
    #expect(value.count > 2)
  }
}
