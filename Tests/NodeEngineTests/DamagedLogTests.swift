// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Testing
import WireCodec

/// Rows of the change log that come back from the disk with a wrong bit while the agent runs: they
/// are neither sent, nor folded into the floor, nor taken from a peer.
@Suite struct DamagedLogTests {
  /// Flips one bit of the signature: the change reads as before, its hash does not fit.
  private static func damage(_ log: inout [LoggedChange], at number: Int) {
    let change = log[number]
    var bytes = change.bytes
    bytes[bytes.count - 1] ^= 1
    log[number] = LoggedChange(
      dot: change.dot, hash: change.hash, bytes: bytes, isVerified: change.isVerified)
  }

  /// Damages the third change that a node has written itself.
  private static func damage(_ hood: inout Neighbourhood, _ node: Int) throws -> SessionID {
    let session = try #require(hood.nodes[node].disk.own?.session)
    let log = try #require(hood.nodes[node].disk.log[session])
    try #require(log.count > 3)
    Self.damage(&hood.nodes[node].disk.log[session]!, at: 2)
    return session
  }

  @Test func `a damaged row is not sent, and the peer gets everything all the same`() throws {
    var hood = Neighbourhood.keeping(days: 30, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    for number in 0..<4 { hood.create(0, ["row \(number)"], in: list) }
    let session = try Self.damage(&hood, 0)
    let whole = hood.nodes[1].disk.log[session]?.map(\.bytes)
    // A start reads the log once; nothing of it is in memory any more when the guest asks.
    hood.nodes[0].settings.recentBytesMax = 0
    try hood.restart(0)
    hood.add("guest", Neighbourhood.settings(30, 60))
    hood.give(1, .pause)
    hood.pair(0, 2)
    hood.advance(milliseconds: 120_000)
    #expect(hood.texts(2, in: list) == hood.texts(1, in: list))
    #expect(!hood.alarms(2).contains { if case .invalidChange = $0 { true } else { false } })
    let taken = hood.nodes[2].disk.log[session]?.map(\.bytes) ?? []
    #expect(Set(taken).isSubset(of: Set(whole ?? [])))
  }

  /// Damages the third change of the first node where a start reads it.
  private static func damageRead(_ hood: inout Neighbourhood) throws -> SessionID {
    let session = try #require(hood.nodes[0].disk.own?.session)
    let at = try #require(
      hood.nodes[0].disk.arrival.firstIndex { $0.dot.session == session && $0.dot.seq == 3 })
    damage(&hood.nodes[0].disk.arrival, at: at)
    return session
  }

  /// Damages a row that the other one has, behind which there is work that nobody has.
  private static func damagedApart(_ hood: inout Neighbourhood) throws -> ItemID {
    let list = hood.create(0, ["list"])[0]
    for number in 0..<3 { hood.create(0, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 10_000)
    hood.give(1, .pause)
    for number in 3..<5 { hood.create(0, ["row \(number)"], in: list) }
    let session = try damageRead(&hood)
    Self.damage(&hood.nodes[0].disk.log[session]!, at: 2)
    return list
  }

  @Test(arguments: [false, true])
  func `what continues a damaged row is back as soon as a peer has sent it`(
    isVoid: Bool
  ) throws {
    var hood = Neighbourhood.keeping(days: 30, nodes: 2)
    let list = try Self.damagedApart(&hood)
    hood.give(0, .checkpoint)
    if isVoid {
      for number in hood.nodes[0].disk.chunks.keys { hood.nodes[0].disk.chunks[number]?[50] ^= 1 }
    } else {
      (hood.nodes[0].disk.header, hood.nodes[0].disk.chunks) = (nil, [:])
    }
    try hood.restart(0)
    #expect(hood.texts(0, in: list) == ["row 0"])
    hood.give(1, .resume)
    hood.advance(milliseconds: 60_000)
    let all = (0..<5).map { "row \($0)" }
    #expect(hood.texts(0, in: list) == all)
    #expect(hood.texts(1, in: list) == all)
    // What is written from now on is there after a start without anybody else.
    hood.give(1, .pause)
    hood.create(0, ["row 5"], in: list)
    hood.give(0, .checkpoint)
    try hood.restart(0)
    #expect(hood.texts(0, in: list) == all + ["row 5"])
    // And the log is let go of again.
    hood.give(1, .resume)
    hood.pass(days: 31)
    hood.advance(milliseconds: 60_000)
    let left = hood.nodes[0].disk.log.values.reduce(0) { $0 + $1.count }
    #expect(left == 0)
  }

  @Test func `what nobody has any more keeps what continues it in the log, no more`() throws {
    var hood = Neighbourhood.keeping(days: 30, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    hood.advance(milliseconds: 10_000)
    hood.give(1, .pause)
    for number in 0..<4 { hood.create(0, ["row \(number)"], in: list) }
    let session = try Self.damageRead(&hood)
    try hood.restart(0)
    hood.give(1, .resume)
    hood.create(0, ["later"], in: list)
    hood.pass(days: 31)
    #expect(hood.texts(0, in: list) == ["row 0", "later"])
    #expect(hood.texts(1, in: list) == ["row 0", "later"])
    let left = hood.nodes[0].disk.arrival.filter { $0.dot.session == session }.map(\.dot.seq)
    #expect(left == [3, 4, 5])
    let others = hood.nodes[0].disk.arrival.count { $0.dot.session != session }
    #expect(others == 0)
  }

  @Test func `a row that is missing is made up for, and nobody asks for it for ever`() throws {
    var hood = Neighbourhood.keeping(days: 30, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    for number in 0..<4 { hood.create(0, ["row \(number)"], in: list) }
    let session = try #require(hood.nodes[0].disk.own?.session)
    hood.nodes[0].settings.recentBytesMax = 0
    hood.give(0, .checkpoint)
    try hood.restart(0)
    hood.nodes[0].disk.log[session]?.removeAll { $0.dot.seq == 3 }
    hood.add("guest", Neighbourhood.settings(30, 60))
    hood.give(1, .pause)
    hood.pair(0, 2)
    hood.advance(milliseconds: 60_000)
    #expect(hood.texts(2, in: list) == hood.texts(1, in: list))
    hood.sent = []
    hood.advance(milliseconds: 60_000)
    #expect(hood.sent?.contains { $0.frame == .ask } == false)
  }

  @Test func `a damaged row does not pass the floor`() throws {
    var hood = Neighbourhood.keeping(days: 5, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    for number in 0..<4 { hood.create(0, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 30_000)
    let session = try Self.damage(&hood, 0)
    hood.pass(days: 6)
    let floors = (0..<2).map { hood.nodes[$0].engine.replica.floor(of: session)?.seq }
    #expect(floors == [2, 5])
    #expect(hood.nodes[0].disk.log[session]?.map(\.dot.seq) == [3, 4, 5])
  }

  @Test func `a log that follows a snapshot is taken only as its authors signed it`() {
    var hood = Neighbourhood.keeping(days: 30, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    for number in 0..<40 { hood.create(number % 2, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 60_000)
    hood.tamper = { _, _, frame in
      guard case .snapshotLog(var run)? = try? Frame(decoding: frame) else { return }
      run[run.count - 1] ^= 1
      frame = Frame.snapshotLog(run).bytes
    }
    hood.add("guest", Neighbourhood.settings(30, 60))
    hood.pair(0, 2)
    hood.advance(milliseconds: 30_000)
    #expect(hood.snapshotsSent > 0)
    let known = Set((0..<2).flatMap { hood.nodes[$0].disk.written.map(\.bytes) })
    #expect(hood.nodes[2].disk.written.allSatisfy { known.contains($0.bytes) })
    hood.tamper = nil
    hood.advance(milliseconds: 300_000)
    #expect(hood.texts(2, in: list) == hood.texts(0, in: list))
  }
}
