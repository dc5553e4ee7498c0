// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Testing

/// Two images of one process that meet when the changes in which they differ have left the log
/// (decision 29): on one side, or on both.
@Suite struct BelowFloorTests {
  /// Three members that keep no history; the image of the first runs twice.
  private static func twins(
    silentDays: UInt32 = 0
  ) -> (home: Neighbourhood, twin: Int, list: ItemID) {
    var home = Neighbourhood.keeping(days: 0, nodes: 3, silentDays: silentDays)
    let list = home.create(0, ["shared"])[0]
    home.create(0, ["common"], in: list)
    home.count(0, list, 5)
    home.advance(milliseconds: 60_000)
    let twin = home.runTwice(0)
    return (home, twin, list)
  }

  /// The image runs on where it reaches nobody.
  private static func wakeAlone(_ home: inout Neighbourhood, _ twin: Int) {
    home.split([0, 1, 2], [twin])
    home.take(twin, offline: false)
  }

  private static func meet(_ home: inout Neighbourhood) {
    home.split(nil)
    for node in home.nodes.indices { home.take(node, offline: false) }
    for _ in 0..<30 { home.advance(milliseconds: 15_000) }
  }

  private static func expectAll(
    _ home: inout Neighbourhood, _ list: ItemID, _ texts: [String], _ total: Int64
  ) throws {
    for node in home.nodes.indices {
      #expect(home.texts(node, in: list).sorted() == texts.sorted(), "node \(node)")
      #expect(home.total(node, list) == total, "node \(node)")
      #expect(home.vector(node) == home.vector(0), "node \(node)")
      home.nodes[node].engine.replica.checkInvariants()
    }
    #expect(
      home.nodes.indices.contains { node in
        home.alarms(node).contains { if case .fork = $0 { true } else { false } }
      })
    let before = home.vector(0)
    for node in home.nodes.indices {
      try home.restart(node)
      #expect(home.vector(node) == before, "node \(node)")
      #expect(home.total(node, list) == total, "node \(node)")
    }
  }

  @Test func `an image that was alone meets members whose log has gone`() throws {
    var (home, twin, list) = Self.twins()
    for number in 0..<4 { home.create(0, ["x\(number)"], in: list) }
    home.count(0, list, 10)
    home.advance(milliseconds: 300_000)
    #expect(home.logged(1) == 0)
    Self.wakeAlone(&home, twin)
    home.create(twin, ["y"], in: list)
    home.count(twin, list, 100)
    Self.meet(&home)
    try Self.expectAll(&home, list, ["common", "x0", "x1", "x2", "x3", "y"], 115)
  }

  @Test func `the longer line comes as a run, and begins with what both have`() throws {
    // The image waits for the others with its log; they do not know that it waits.
    var (home, twin, list) = Self.twins(silentDays: 60)
    for number in 0..<4 { home.create(0, ["x\(number)"], in: list) }
    home.count(0, list, 10)
    home.advance(milliseconds: 300_000)
    #expect(home.logged(1) == 0)
    Self.wakeAlone(&home, twin)
    for number in 0..<9 { home.create(twin, ["y\(number)"], in: list) }
    home.count(twin, list, 100)
    #expect(home.logged(twin) > 0)
    Self.meet(&home)
    try Self.expectAll(
      &home, list, ["common", "x0", "x1", "x2", "x3"] + (0..<9).map { "y\($0)" }, 115)
    for node in home.nodes.indices {
      let isClean = !home.alarms(node).contains {
        if case .invalidChange = $0 { true } else { false }
      }
      #expect(isClean, "node \(node)")
    }
  }

  @Test(arguments: [1, 9])
  func `two halves meet that have both dropped the log of their line`(count: Int) throws {
    var (home, twin, list) = Self.twins()
    home.take(2, offline: true)
    for number in 0..<4 { home.create(0, ["x\(number)"], in: list) }
    home.count(0, list, 10)
    home.advance(milliseconds: 300_000)
    #expect(home.logged(1) == 0)
    home.take(0, offline: true)
    home.take(1, offline: true)
    home.take(twin, offline: false)
    home.take(2, offline: false)
    for number in 0..<count { home.create(twin, ["y\(number)"], in: list) }
    home.count(twin, list, 100)
    home.advance(milliseconds: 300_000)
    #expect(home.logged(2) == 0)
    #expect(home.texts(2, in: list).count == count + 1)
    Self.meet(&home)
    try Self.expectAll(
      &home, list, ["common", "x0", "x1", "x2", "x3"] + (0..<count).map { "y\($0)" }, 115)
  }

  @Test func `after a fork the log empties as before`() throws {
    var (home, twin, list) = Self.twins()
    home.create(0, ["x"], in: list)
    Self.wakeAlone(&home, twin)
    home.create(twin, ["y"], in: list)
    Self.meet(&home)
    home.create(0, ["later"], in: list)
    home.create(twin, ["later too"], in: list)
    for _ in 0..<30 { home.advance(milliseconds: 15_000) }
    try Self.expectAll(&home, list, ["common", "x", "y", "later", "later too"], 5)
    for node in home.nodes.indices { #expect(home.logged(node) == 0, "node \(node)") }
  }
}
