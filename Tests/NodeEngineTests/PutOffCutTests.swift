// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import Testing
import WireCodec

@testable import NodeEngine

/// Taking back what a removed member wrote, where the log does not answer, answers late, or other things
/// happen meanwhile; and removals that come to nothing.
@Suite struct PutOffCutTests {
  /// anna has removed cleo; bert, whose memory is short, holds a row that she has not got, and has
  /// not heard of it.
  private static func home() throws -> (Neighbourhood, list: ItemID, cleo: SessionID) {
    var (hood, list) = Neighbourhood.household()
    hood.create(2, ["early"], in: list)
    hood.advance(milliseconds: 40_000)
    hood.split([0], [1, 2])
    hood.advance(milliseconds: 60_000)
    hood.create(2, ["late"], in: list)
    hood.advance(milliseconds: 20_000)
    hood.give(0, .amend(token: 900, .remove(hood.nodes[2].engine.device)))
    hood.settle()
    hood.nodes[1].settings.recentBytesMax = 0
    hood.give(1, .checkpoint)
    hood.settle()
    try hood.restart(1)
    return (hood, list, try #require(hood.nodes[2].disk.own?.session))
  }

  private static func meet(_ hood: inout Neighbourhood) {
    hood.split([0, 1], [2])
    hood.advance(milliseconds: 60_000)
  }

  @Test(arguments: [true, false])
  func `what cannot be read is taken back when it can, and a snapshot waits until then`(
    isGone: Bool
  ) throws {
    var (hood, list, cleo) = try Self.home()
    let rows = try #require(hood.nodes[1].disk.log[cleo])
    // The rows are gone, or have changed places.
    hood.nodes[1].disk.log[cleo] =
      isGone
      ? []
      : zip(rows, rows.reversed()).map { row, other in
        LoggedChange(
          dot: row.dot, hash: other.hash, bytes: other.bytes, isVerified: other.isVerified)
      }
    Self.meet(&hood)
    #expect(hood.texts(1, in: list) == ["early", "late"])
    #expect(hood.nodes[1].engine.isCutting)
    #expect(hood.nodes[1].disk.quarantine.isEmpty)
    hood.nodes[1].disk.log[cleo] = rows
    hood.advance(milliseconds: 120_000)
    #expect(hood.texts(1, in: list) == ["early"])
    #expect(hood.nodes[1].disk.quarantine.count == 1)
    #expect(!hood.nodes[1].engine.isCutting)
    #expect(!hood.alarms(1).contains(.storage))
  }

  @Test func `a log that cannot be read for good is tried every hour, and people hear of it`()
    throws
  {
    var (hood, _, cleo) = try Self.home()
    hood.nodes[1].disk.log[cleo] = []
    Self.meet(&hood)
    hood.advance(milliseconds: 1_900_000)
    #expect(!hood.alarms(1).contains(.storage))
    hood.advance(milliseconds: 300_000)
    let first = hood.alarms(1).count { $0 == .storage }
    #expect(first == 1)
    hood.advance(milliseconds: 7_200_000)
    #expect(hood.alarms(1).count { $0 == .storage } == 3)
  }

  @Test func `a fork that is found while the log is read has it read anew`() throws {
    var (hood, list, cleo) = try Self.home()
    let own = hood.forged(by: 1, ["one", "two"], in: list)
    let first = Tip(session: own[0].change.session, seq: 1, hash: own[0].hash)
    let other = hood.forged(by: 1, behind: first, ["three"], in: list)
    hood.nodes[1].holdsReads = true
    Self.meet(&hood)
    #expect(hood.nodes[1].engine.cutWork != nil)
    hood.inject(Neighbourhood.run(own), from: 0, to: 1)
    hood.inject(Neighbourhood.branch(other), from: 0, to: 1)
    // The reads for the fork are answered first.
    for _ in 0..<9 where !hood.nodes[1].engine.replica.isForked(first.session) {
      let (token, changes) = hood.nodes[1].heldReads.removeLast()
      hood.give(1, .logRead(token, changes))
      hood.settle()
    }
    #expect(hood.nodes[1].engine.cutWork != nil)
    hood.releaseReads(1)
    hood.advance(milliseconds: 20_000)
    #expect(!hood.texts(1, in: list).contains("late"))
    #expect(hood.texts(1, in: list).count == 4)
    #expect(hood.nodes[1].disk.quarantine.map(\.dot.session) == [cleo])
  }

  @Test
  func `a removal that its remover may not make any more when it is to be signed is not made`() {
    var hood = Neighbourhood()
    for name in ["anna", "bert", "cleo"] { hood.add(name) }
    hood.pair(0, 1)
    hood.pair(0, 2)
    hood.advance(milliseconds: 20_000)
    hood.nodes[1].holdsDisk = true
    hood.give(1, .amend(token: 900, .remove(hood.nodes[2].engine.device)))
    hood.settle()
    hood.give(0, .amend(token: 1, .role(hood.nodes[1].engine.device, .member)))
    hood.settle()
    hood.release(1)
    #expect(hood.nodes[1].seen.contains(.amended(token: 900, isDone: false)))
    #expect(hood.nodes[0].engine.roster?.view.removals.isEmpty == true)
  }

  @Test func `a farewell that no admin signed ends the link that it came on, and nothing else`() {
    var hood = Neighbourhood()
    for name in ["anna", "bert"] { hood.add(name) }
    hood.pair(0, 1)
    hood.advance(milliseconds: 20_000)
    let link = hood.link(0, to: 1)
    let byte = [UInt8](repeating: 3, count: 64)
    hood.inject(.farewell(signer: Array(byte.prefix(32)), signature: byte), from: 1, to: 0)
    #expect(hood.link(0, to: 1) != link)
    #expect(hood.nodes[0].engine.removedBy == nil)
  }

  /// A removal that reaches a device as records of the roster, not as a farewell.
  @Test func `a device that gets the record of its own removal leaves`() throws {
    var hood = Neighbourhood()
    for name in ["anna", "bert"] { hood.add(name) }
    hood.pair(0, 1)
    hood.advance(milliseconds: 20_000)
    let bert = hood.nodes[1].engine.device
    let roster = try #require(hood.nodes[0].engine.roster)
    let crypto = hood.nodes[0].crypto
    let record = MembershipRecord(
      signing: .remove(
        bert, cutoffs: [], discoveryKey: [UInt8](repeating: 5, count: 32),
        notice: RemovalNotice.sign(bert, space: roster.space, crypto: crypto)),
      parents: roster.heads, crypto: crypto)
    hood.inject(.roster(records: [record.bytes], isLast: true), from: 0, to: 1)
    #expect(hood.nodes[1].engine.removedBy == hood.nodes[0].engine.device)
    #expect(hood.link(1, to: 0) == nil)
  }
}
