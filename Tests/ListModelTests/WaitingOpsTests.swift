// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

/// Ops of a kind that this version does not know wait, and are folded after the upgrade, whatever
/// way they came.
@Suite struct WaitingOpsTests {
  /// To this version counters are a thing of the future.
  private let old = FoldLevel(kinds: [1, 2, 3, 4, 5])
  private let stock = FieldName.named("stock")

  /// Somebody who counts, and a replica of the old version that has folded what it could.
  private func apart() throws -> (writer: Writer, item: ItemID, replica: Replica) {
    var writer = Writer(1)
    let item = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    try writer.write([.increment(item, stock, by: 4), .set(item, .note, .text("seen"))])
    try writer.write([.increment(item, stock, by: 3)])
    var replica = Replica()
    var events: [ReplicaEvent] = []
    for (number, (change, hash)) in writer.held.enumerated() {
      _ = replica.fold(
        change.read(at: old), hash: hash, bytes: [UInt8(number)], events: &events)
    }
    return (writer, item, replica)
  }

  private func upgrade(_ replica: inout Replica, _ writer: Writer) -> [ReplicaEvent] {
    var events: [ReplicaEvent] = []
    _ = replica.foldWaiting(events: &events) { bytes in
      bytes.first.flatMap { Int($0) < writer.held.count ? writer.held[Int($0)].0 : nil }
    }
    return events
  }

  @Test func `known ops of a change are folded at once, unknown ones wait`() throws {
    let (_, item, replica) = try apart()
    #expect(replica.value(of: item, .note) == .text("seen"))
    #expect(replica.counterTotal(of: item, stock) == nil)
    #expect(replica.waitingOps == 2)
  }

  @Test func `an upgrade folds what waited, once`() throws {
    var (writer, item, replica) = try apart()
    let events = upgrade(&replica, writer)
    #expect(replica.counterTotal(of: item, stock) == 7)
    #expect(replica.waitingOps == 0)
    #expect(events.count == 2)
    #expect(upgrade(&replica, writer) == [])
    #expect(replica.counterTotal(of: item, stock) == 7)
  }

  @Test func `what waits goes through checkpoints`() throws {
    let (writer, item, replica) = try apart()
    var again = try Replica(header: replica.header(), chunks: [replica.chunk(at: 0)])
    #expect(again.waitingOps == 2)
    _ = upgrade(&again, writer)
    #expect(again.counterTotal(of: item, stock) == 7)
  }

  @Test func `what waits goes through snapshots, to an old version and to a new one`() throws {
    let (writer, item, replica) = try apart()
    var newcomer = Replica()
    var events: [ReplicaEvent] = []
    try newcomer.join(replica.header(), [replica.chunk(at: 0)], events: &events)
    #expect(newcomer.waitingOps == 2)
    _ = upgrade(&newcomer, writer)
    #expect(newcomer.counterTotal(of: item, stock) == 7)
  }

  @Test func `a snapshot of an old version takes nothing away from a new one`() throws {
    var (writer, item, replica) = try apart()
    var events: [ReplicaEvent] = []
    try writer.replica.join(replica.header(), [replica.chunk(at: 0)], events: &events)
    #expect(writer.replica.waitingOps == 0)
    #expect(writer.replica.counterTotal(of: item, stock) == 7)
    // And the other way round the old version gets what it could not fold.
    try replica.join(writer.replica.header(), [writer.replica.chunk(at: 0)], events: &events)
    #expect(replica.waitingOps == 0)
    #expect(replica.counterTotal(of: item, stock) == 7)
  }

  @Test func `what waits forgets with a removed session what only that told`() throws {
    let level = FoldLevel(kinds: [1, 2, 3, 4])  // to it deletes are a thing of the future
    var (author, other) = (Writer(1), Writer(2))
    let list = try author.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let child = try author.write([.create([row("child")], parent: list, at: .bottom)])[0]
    author.restart()
    try author.write([.create([row("excess")], parent: .root, at: .bottom)])
    other.pull(author)
    try other.write([.setAlive(list, false)])
    func folded(_ numbers: [Int]) -> Replica {
      var (replica, events) = (Replica(), [] as [ReplicaEvent])
      for number in numbers {
        let (change, hash) = other.held[number]
        let outcome = replica.fold(
          change.read(at: level), hash: hash, bytes: [UInt8(number)], events: &events)
        #expect(outcome == .folded)
      }
      return replica
    }
    // Who deleted the list names the second session, which is taken back: that it had seen the child
    // nobody else says.
    var replica = folded([0, 1, 2, 3])
    let (first, hash) = other.held[1]
    let cutoff = Cutoff(
      device: try #require(other.held[0].0.head).device,
      tips: [Tip(session: first.session, seq: 2, hash: hash)])
    var reading = try #require(replica.cutting([cutoff]))
    while let range = replica.unread(reading).first {
      for (change, hash) in other.held
      where change.session == range.session && (range.first...range.last).contains(change.seq) {
        _ = replica.read(change.read(at: level), hash: hash, of: range.session, into: &reading)
      }
    }
    _ = replica.cut(reading)
    var fresh = folded([0, 1, 3])
    #expect(replica.vector == fresh.vector && replica.waitingOps == 1)
    _ = upgrade(&replica, other)
    _ = upgrade(&fresh, other)
    replica.checkInvariants()
    #expect(replica.status(of: list) == fresh.status(of: list))
    #expect(replica.recoveredItems == [child] && fresh.recoveredItems == [child])
  }

  @Test func `what a counter held at the floor is not added to by what waits elsewhere`() throws {
    var (writer, item, replica) = try apart()
    var events: [ReplicaEvent] = []
    for (change, hash) in writer.held.prefix(2) {
      let hasMoved = writer.replica.passFloor(change, hash: hash)
      #expect(hasMoved)
    }
    let held = writer.replica.chunk(at: 0).floorCounters
    #expect(held.map(\.total) == [4])
    // The old version has all of it but the counts, and nothing of it has left its log.
    try writer.replica.join(replica.header(), [replica.chunk(at: 0)], events: &events)
    _ = upgrade(&writer.replica, writer)
    #expect(writer.replica.chunk(at: 0).floorCounters == held)
    #expect(writer.replica.floorTips.map(\.seq) == [2])
    #expect(writer.replica.counterTotal(of: item, stock) == 7)
    writer.replica.checkInvariants()
  }
}
