// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import Testing
import WireCodec

/// The log floor between engines: when changes leave the log, and what becomes of those who come
/// back below it.
@Suite struct FloorTests {
  @Test func `what everybody has leaves the log at once when no history is kept`() throws {
    var hood = Neighbourhood.keeping(days: 0, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    for number in 0..<30 { hood.create(number % 2, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 120_000)
    for node in 0..<2 {
      #expect(hood.logged(node) == 0)
      #expect(hood.texts(node, in: list).count == 30)
      try hood.restart(node)
      #expect(hood.texts(node, in: list).count == 30)
    }
    hood.advance(milliseconds: 60_000)
    hood.create(0, ["last"], in: list)
    hood.advance(milliseconds: 120_000)
    #expect(hood.texts(1, in: list) == hood.texts(0, in: list))
    #expect(hood.logged(1) == 0)
  }

  @Test func `a start looks at the log that the last run left`() throws {
    var hood = Neighbourhood.keeping(days: 0, nodes: 1)
    hood.create(0, ["list"])
    #expect(hood.logged(0) == 1)
    try hood.restart(0)
    hood.advance(milliseconds: 60_000)
    #expect(hood.logged(0) == 0)
  }

  @Test func `a change stays in the log for as many local days as history is kept`() {
    var hood = Neighbourhood.keeping(days: 30, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    hood.pass(days: 10)
    hood.create(1, ["later"], in: list)
    hood.pass(days: 19)
    #expect(hood.logged(0) == 2)
    hood.pass(days: 1)
    #expect(hood.logged(0) == 1)
    hood.pass(days: 9)
    #expect(hood.logged(0) == 1)
    hood.pass(days: 1)
    #expect([hood.logged(0), hood.logged(1)] == [0, 0])
  }

  @Test func `no clock that jumps ages anything by more than a day`() {
    var hood = Neighbourhood.keeping(days: 2, nodes: 2)
    hood.create(0, ["list"])
    let wall = hood.wall
    for years: Int64 in [70, 0, -40, 0] {
      hood.wall = WallTime(milliseconds: wall.milliseconds + years * 31_557_600_000)
      hood.advance(milliseconds: 60_000)
      if years == 70 { #expect(hood.logged(0) == 1) }
    }
    #expect(hood.logged(0) == 0)
  }

  @Test func `a member that is away holds the log until it was silent for long`() throws {
    var hood = Neighbourhood.keeping(days: 0, nodes: 3, silentDays: 60)
    let list = hood.create(0, ["list"])[0]
    hood.advance(milliseconds: 60_000)
    hood.give(2, .pause)
    hood.create(0, ["while away"], in: list)
    hood.pass(days: 59)
    #expect(hood.logged(0) == 1)
    let held = hood.nodes[0].engine.floorHolders()
    #expect(held.map(\.device) == [hood.nodes[2].crypto.deviceID])
    #expect(held.map(\.silentDays) == [59])
    hood.pass(days: 1)
    #expect(hood.logged(0) == 0)
    #expect(hood.nodes[0].engine.floorHolders() == [])
    // It comes back with work of its own: what it did arrives, what it missed comes as columns.
    hood.create(2, ["its own"], in: list)
    hood.give(2, .resume)
    hood.advance(milliseconds: 120_000)
    #expect(hood.snapshotsSent > 0)
    for node in 0..<3 {
      #expect(hood.texts(node, in: list).sorted() == ["its own", "while away"])
      #expect(hood.logged(node) == 0)
    }
  }

  @Test func `who holds the log is told, until it was silent for long`() throws {
    var hood = Neighbourhood.keeping(days: 1, nodes: 3, silentDays: 4)
    let list = hood.create(0, ["list"])[0]
    hood.give(2, .pause)
    hood.create(0, ["row"], in: list)
    let device = hood.nodes[2].engine.device
    hood.pass(days: 2)
    let holders = hood.nodes[0].engine.floorHolders()
    #expect(holders.map(\.device) == [device])
    #expect(holders.map(\.changes) == [1] && holders.map(\.silentDays) == [2])
    hood.pass(days: 3)
    #expect(hood.nodes[0].engine.floorHolders() == [])
    // One that is connected holds what it has not on disk; one that is silent holds nothing.
    hood.nodes[1].holdsDisk = true
    hood.create(0, ["more"], in: list)
    hood.pass(days: 2)
    let connected = hood.nodes[0].engine.floorHolders()
    #expect(connected.map(\.device) == [hood.nodes[1].engine.device])
    #expect(connected.map(\.changes) == [1] && connected.map(\.silentDays) == [0])
  }

  @Test func `two halves that were apart for long join each other, and a third follows`() throws {
    var hood = Neighbourhood.keeping(days: 5, nodes: 4, silentDays: 60)
    let list = hood.create(0, ["list"])[0]
    let item = hood.create(0, ["item"], in: list)[0]
    hood.advance(milliseconds: 60_000)
    hood.split([0, 1], [2, 3])
    for day in 0..<70 {
      hood.create(day % 2, ["left \(day)"], in: list)
      hood.create(2 + day % 2, ["right \(day)"], in: list)
      hood.give(
        0, .edit(EditRequest(token: 0, edits: [.set(item, .text, .text("left \(day)"))])))
      hood.give(
        2, .edit(EditRequest(token: 0, edits: [.set(item, .text, .text("right \(day)"))])))
      hood.pass(days: 1)
    }
    #expect(hood.logged(0) < 40 && hood.logged(2) < 40)
    hood.split(nil)
    hood.advance(milliseconds: 300_000)
    for node in 0..<4 {
      #expect(hood.texts(node, in: list).count == 141)
      #expect(hood.texts(node, in: list) == hood.texts(0, in: list))
      #expect(hood.alarms(node) == [])
      hood.nodes[node].engine.replica.checkInvariants()
    }
    hood.pass(days: 6)
    hood.advance(milliseconds: 60_000)
    for node in 0..<4 {
      #expect(hood.logged(node) == 0)
      try hood.restart(node)
      #expect(hood.texts(node, in: list).count == 141)
    }
  }

  @Test func `the log that the sender still has follows a snapshot`() {
    var hood = Neighbourhood.keeping(days: 30, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    for number in 0..<40 { hood.create(number % 2, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 60_000)
    hood.add("guest", Neighbourhood.settings(30, 60))
    hood.pair(0, 2)
    hood.advance(milliseconds: 60_000)
    #expect(hood.snapshotsSent > 0)
    #expect(hood.logged(2) == 41)
    #expect(hood.nodes[2].engine.replica.floorTips == [])
    #expect(hood.nodes[2].engine.replica.awaitedLog == [])
    // So it serves whoever is behind without a snapshot.
    let sent = hood.snapshotsSent
    hood.give(1, .pause)
    hood.create(0, ["news"], in: list)
    hood.advance(milliseconds: 10_000)
    hood.give(0, .pause)
    hood.give(1, .resume)
    hood.advance(milliseconds: 60_000)
    #expect(hood.texts(1, in: list).last == "news")
    #expect(hood.snapshotsSent == sent)
  }

  @Test func `signed acknowledgements cross a member that links two others`() {
    var hood = Neighbourhood.keeping(days: 0, nodes: 3)
    // Nobody reaches the first and the last; they reach the one between.
    hood.blackHoles = [Neighbourhood.endpoint(0), Neighbourhood.endpoint(2)]
    for node in 0..<3 { hood.cutAll(node) }
    hood.advance(milliseconds: 120_000)
    let list = hood.create(0, ["list"])[0]
    hood.advance(milliseconds: 1_000)
    hood.create(2, ["row"], in: list)
    hood.advance(milliseconds: 120_000)
    #expect(hood.state(0, of: 2) != .inSync)
    #expect(hood.texts(0, in: list) == ["row"])
    for node in 0..<3 { #expect(hood.logged(node) == 0, "node \(node)") }
  }

  @Test func `an acknowledgement that its member did not sign ends the link`() {
    var hood = Neighbourhood.keeping(days: 0, nodes: 3)
    let space = hood.nodes[0].engine.roster!.space
    let forged = Acknowledgement(
      number: .max, rosterHeads: [], tips: [], space: space, crypto: hood.nodes[1].crypto)
    var bytes = forged.bytes
    bytes.replaceSubrange(1..<33, with: hood.nodes[2].crypto.deviceID.bytes)
    hood.tamper = { [bytes] _, node, frame in
      if node == 1, case .ping? = try? Frame(decoding: frame) { frame = Frame.held(bytes).bytes }
    }
    hood.advance(milliseconds: 20_000)
    hood.tamper = nil
    hood.create(0, ["list"])
    hood.advance(milliseconds: 5_000)
    // What the forger said counts for nothing: the floor waits for the real member's word.
    #expect(hood.nodes[0].seen.contains { if case .peersChanged = $0 { true } else { false } })
    hood.advance(milliseconds: 300_000)
    #expect(hood.logged(0) == 0)
  }

  @Test func `a snapshot leaves when all that is in it is on disk`() throws {
    var hood = Neighbourhood.keeping(days: 0, nodes: 2, silentDays: 0)
    let list = hood.create(0, ["list"])[0]
    hood.advance(milliseconds: 60_000)
    hood.give(1, .pause)
    for number in 0..<20 { hood.create(0, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 120_000)
    #expect(hood.logged(0) == 0)
    let sent = hood.snapshotsSent
    hood.nodes[0].holdsDisk = true
    hood.create(0, ["never acknowledged"], in: list)
    hood.give(1, .resume)
    hood.advance(milliseconds: 10_000)
    #expect(hood.snapshotsSent == sent)
    try hood.restart(0)
    hood.advance(milliseconds: 60_000)
    #expect(hood.snapshotsSent > sent)
    #expect(hood.texts(1, in: list).count == 20)
    #expect(hood.texts(1, in: list) == hood.texts(0, in: list))
  }

  @Test func `a change that its author lost goes out behind a snapshot that waits for the disk`()
    throws
  {
    var hood = Neighbourhood.keeping(days: 0, nodes: 3, silentDays: 0)
    let list = hood.create(0, ["list"])[0]
    hood.create(2, ["first"], in: list)
    hood.advance(milliseconds: 60_000)
    hood.split([0], [1, 2])
    hood.advance(milliseconds: 30_000)
    hood.nodes[2].holdsDisk = true
    hood.create(2, ["lost at its author"], in: list)
    #expect(hood.texts(1, in: list).last == "lost at its author")
    hood.split([0, 2], [1])
    try hood.restart(2)
    for number in 0..<20 { hood.create(2, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 120_000)
    #expect(hood.logged(0) == 0)
    hood.nodes[1].settings.recentBytesMax = 0
    try hood.restart(1)
    hood.nodes[1].holdsDisk = true
    hood.split(nil)
    hood.advance(milliseconds: 20_000)
    hood.release(1)
    hood.advance(milliseconds: 60_000)
    #expect(hood.snapshotsSent > 0)
    for node in 0..<3 { #expect(hood.texts(node, in: list).count == 22, "node \(node)") }
  }

  @Test func `a snapshot that is cut anywhere leaves its receiver as it was`() throws {
    for cut in 1...6 {
      var hood = Neighbourhood.keeping(days: 0, nodes: 2, silentDays: 0)
      let list = hood.create(0, ["list"])[0]
      hood.advance(milliseconds: 60_000)
      hood.give(1, .pause)
      let own = hood.create(1, ["own"], in: list)
      for number in 0..<20 { hood.create(0, ["row \(number)"], in: list) }
      hood.advance(milliseconds: 120_000)
      #expect(hood.logged(0) == 0)
      let before = hood.nodes[1].engine.replica.vector
      // The frames from this one on are lost, then the cable is cut.
      hood.partsUntilCut = cut
      hood.give(1, .resume)
      hood.advance(milliseconds: 4_000)
      let isWhole = hood.partsUntilCut >= 0
      #expect(isWhole || hood.nodes[1].engine.replica.vector == before)
      hood.partsUntilCut = .max
      for node in 0..<2 { hood.cutAll(node) }
      hood.advance(milliseconds: 120_000)
      #expect(hood.texts(0, in: list) == hood.texts(1, in: list))
      #expect(hood.texts(0, in: list).count == 21)
      #expect(own.count == 1)
    }
  }
}

extension Neighbourhood {
  static func settings(_ days: UInt32, _ silentDays: UInt32) -> (inout EngineSettings) -> Void {
    {
      $0.historyDays = days
      $0.silentDays = silentDays
      $0.floorInterval = .seconds(2)
      $0.statementInterval = .seconds(20)
      $0.snapshotChangesMin = 16
    }
  }

  /// A space of `nodes` members that keep so many days of history.
  static func keeping(days: UInt32, nodes: Int, silentDays: UInt32 = 60) -> Self {
    var hood = Neighbourhood()
    for number in 0..<nodes { hood.add("n\(number)", settings(days, silentDays)) }
    for number in 1..<nodes { hood.pair(0, number) }
    hood.advance(milliseconds: 30_000)
    return hood
  }

  /// Changes in the log on disk.
  func logged(_ node: Int) -> Int { nodes[node].disk.log.values.reduce(0) { $0 + $1.count } }

  /// Days go by, in each of which everybody looks at the clock.
  mutating func pass(days: Int) {
    for _ in 0..<days {
      wall = WallTime(milliseconds: wall.milliseconds + 86_400_000)
      for node in nodes.indices where nodes[node].isUp { give(node, .deadline) }
      settle()
      advance(milliseconds: 10_000)
    }
  }

  /// Lets nodes of one part reach only each other; `nil` heals.
  mutating func split(_ parts: [Int]?...) {
    self.parts = parts.compactMap(\.self)
    for node in nodes.indices { cutAll(node) }
  }
}
