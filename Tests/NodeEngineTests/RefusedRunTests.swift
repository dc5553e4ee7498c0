// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import Testing
import WireCodec

@testable import NodeEngine

/// Runs of changes that are not as their author signed them, or not as any author may write.
@Suite struct RefusedRunTests {
  /// anna, bert and cleo with one list, in which bert has written.
  private static func home() -> (Neighbourhood, list: ItemID) {
    var (hood, list) = Neighbourhood.household()
    hood.create(1, ["b1"], in: list)
    hood.create(1, ["b2"], in: list)
    hood.advance(milliseconds: 40_000)
    return (hood, list)
  }

  /// The change with one bit of its signature flipped.
  private static func unsigned(_ change: SignedChange, _ hood: Neighbourhood) throws -> SignedChange
  {
    var bytes = change.bytes
    bytes[bytes.count - 1] ^= 1
    return try SignedChange(decoding: bytes, crypto: hood.nodes[0].crypto)
  }

  private static func tip(_ hood: Neighbourhood, _ node: Int) throws -> Tip {
    try #require(hood.nodes[node].engine.ownTip)
  }

  // MARK: Signatures

  @Test func `a run that its author did not sign ends the link, and people hear who sent it`()
    throws
  {
    var (hood, list) = Self.home()
    let forged = hood.forged(by: 1, ["new"], in: list)
    hood.inject(Neighbourhood.run([try Self.unsigned(forged[0], hood)]), from: 2, to: 0)
    #expect(
      hood.alarms(0) == [
        .invalidChange(author: hood.nodes[1].engine.device, from: hood.nodes[2].engine.device)
      ])
    #expect(hood.link(0, to: 2) == nil && hood.link(0, to: 1) != nil)
    #expect(hood.texts(0, in: list) == ["b1", "b2"])
  }

  @Test func `a run of somebody who is no member ends the link`() {
    var (hood, list) = Self.home()
    let stranger = hood.add("stranger")
    let forged = hood.forged(by: stranger, ["new"], in: list)
    hood.inject(Neighbourhood.run(forged), from: 1, to: 0)
    #expect(hood.isWarnedOfInvalid(0))
    #expect(hood.texts(0, in: list) == ["b1", "b2"])
  }

  @Test func `bytes that are no run end the link without an alarm`() {
    var (hood, _) = Self.home()
    hood.sent = []
    hood.inject(.run([0]), from: 1, to: 0)
    #expect(hood.sent?.contains { $0.frame == .bye(code: CloseReason.malformed.rawValue) } == true)
    #expect(hood.alarms(0) == [])
  }

  @Test func `a change whose clock runs backwards is signed in vain`() throws {
    var (hood, list) = Self.home()
    let forged = hood.forged(by: 1, behind: try Self.tip(hood, 1), ["back"], in: list) { $0.h = 5 }
    hood.inject(Neighbourhood.run(forged), from: 1, to: 0)
    #expect(hood.isWarnedOfInvalid(0))
    #expect(hood.texts(0, in: list) == ["b1", "b2"])
  }

  @Test func `what waited for its past is judged when that has come`() throws {
    var (hood, list) = Self.home()
    let tip = try Self.tip(hood, 1)
    let good = hood.forged(by: 1, behind: tip, ["b3"], in: list)
    let last = Tip(session: tip.session, seq: tip.seq + 1, hash: good[0].hash)
    let bad = hood.forged(by: 1, behind: last, ["back"], in: list) { $0.h = 5 }
    let more = hood.forged(by: 1, continuing: last, ["new"], in: list)
    hood.tamper = { _, node, bytes in
      if node == 0, (try? Frame(decoding: bytes)) == .ask { bytes = [200] }
    }
    let link = hood.link(0, to: 1)
    hood.inject(Neighbourhood.run(bad), from: 1, to: 0)
    hood.inject(Neighbourhood.run(more), from: 1, to: 0)
    #expect(hood.alarms(0) == [])
    hood.inject(Neighbourhood.run(good), from: 1, to: 0)
    #expect(hood.isWarnedOfInvalid(0))
    #expect(hood.link(0, to: 1) != link)
    #expect(hood.texts(0, in: list) == ["b1", "b2", "b3"])
  }

  @Test func `a branch of a session that is not known is taken as any run`() {
    var (hood, list) = Self.home()
    hood.inject(Neighbourhood.branch(hood.forged(by: 1, ["new"], in: list)), from: 1, to: 0)
    #expect(hood.texts(0, in: list).contains("new"))
  }

  // MARK: Cut short

  /// anna has removed bert, of whom she has two rows; cleo hears a run of four.
  @Test(arguments: [true, false])
  func `a run that a removal cuts short counts only if its author signed where it ends now`(
    isSigned: Bool
  ) throws {
    var (hood, list) = Self.home()
    let tip = try Self.tip(hood, 1)
    // Rows that anna has, and cleo has not: she was told nothing.
    hood.split([0, 1], [2])
    hood.advance(milliseconds: 5_000)
    let three = hood.forged(by: 1, behind: tip, ["b3", "b4", "b5"], in: list)
    hood.inject(Neighbourhood.run([three[0]]), from: 1, to: 0)
    #expect(hood.texts(0, in: list) == ["b1", "b2", "b3"])
    hood.give(0, .amend(token: 900, .remove(hood.nodes[1].engine.device)))
    hood.settle()
    hood.tamper = { _, node, bytes in
      if node == 0, case .run? = try? Frame(decoding: bytes) { bytes = [200] }
    }
    hood.split([0, 2], [1])
    hood.advance(milliseconds: 5_000)
    #expect(hood.texts(2, in: list) == ["b1", "b2"])
    hood.tamper = nil
    var run = three
    if !isSigned {
      // The chain holds, the last one is signed, the first one is not.
      run[0] = try Self.unsigned(three[0], hood)
      let next = Tip(session: tip.session, seq: tip.seq + 1, hash: run[0].hash)
      run = [run[0]] + hood.forged(by: 1, behind: next, ["b4", "b5"], in: list)
    }
    hood.inject(Neighbourhood.run(run), from: 0, to: 2)
    #expect(hood.texts(2, in: list) == (isSigned ? ["b1", "b2", "b3"] : ["b1", "b2"]))
    #expect(!hood.isWarnedOfInvalid(2))
  }

  // MARK: Sent on

  @Test func `what no run can end at goes to others together with what follows`() throws {
    var (hood, list) = Self.home()
    let tip = try Self.tip(hood, 1)
    let first = try Self.unsigned(hood.forged(by: 1, behind: tip, ["b3"], in: list)[0], hood)
    let next = Tip(session: tip.session, seq: tip.seq + 1, hash: first.hash)
    let second = hood.forged(by: 1, behind: next, ["b4"], in: list)
    hood.inject(Neighbourhood.run([first] + second), from: 1, to: 0)
    hood.advance(milliseconds: 2_000)
    for node in [0, 2] { #expect(hood.texts(node, in: list).sorted() == ["b1", "b2", "b3", "b4"]) }
    // Of the two only the first can be read any more: it goes as columns, and the log is not asked again
    // and again.
    hood.nodes[0].settings.recentBytesMax = 0
    hood.give(0, .checkpoint)
    hood.settle()
    try hood.restart(0)
    hood.nodes[0].disk.log[tip.session]?.removeAll { $0.dot.seq == tip.seq + 2 }
    let guest = hood.add("guest")
    for node in 1...2 { hood.give(node, .pause) }
    hood.pair(0, guest)
    hood.advance(milliseconds: 20_000)
    #expect(hood.texts(guest, in: list).sorted() == ["b1", "b2", "b3", "b4"])
  }

  @Test func `what no run can end at where its line parts goes to a newcomer as columns`() throws {
    var (hood, list) = Self.home()
    let tip = try Self.tip(hood, 1)
    let first = try Self.unsigned(hood.forged(by: 1, behind: tip, ["b3"], in: list)[0], hood)
    let point = Tip(session: tip.session, seq: tip.seq + 1, hash: first.hash)
    let second = hood.forged(by: 1, behind: point, ["b4"], in: list)
    hood.inject(Neighbourhood.run([first] + second), from: 1, to: 0)
    hood.inject(
      Neighbourhood.branch(hood.forged(by: 1, behind: point, ["c4"], in: list)), from: 1, to: 0)
    #expect(hood.nodes[0].engine.replica.isForked(tip.session))
    for node in 1...2 { hood.give(node, .pause) }
    let guest = hood.add("guest")
    hood.pair(0, guest)
    hood.advance(milliseconds: 20_000)
    #expect(hood.texts(guest, in: list).sorted() == ["b1", "b2", "b3", "b4", "c4"])
  }
}
