// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

/// What a fold or a join tells, in order, and what it keeps to itself.
@Suite struct ReplicaEventTests {
  private static func kinds(_ events: [ReplicaEvent]) -> [ReplicaEvent.Kind] {
    events.map(\.kind)
  }

  @Test func `a new row is one event, whatever fields it has`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    writer.events = []
    try writer.write([
      .create(
        [NewRow([(.text, .text("milk")), (.done, .bool(false))])], parent: list, at: .bottom)
    ])
    #expect(Self.kinds(writer.events) == [.added(parent: list)])
  }

  @Test func `a set of an equal value tells nothing and still beats an older write`() throws {
    var one = Writer(1)
    let list = try one.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    var two = Writer(2)
    two.pull(one)
    try one.write([.set(list, .text, .text("other"))])
    two.wall = WallTime(milliseconds: two.wall.milliseconds + 1_000)
    two.events = []
    try two.write([.set(list, .text, .text("list"))])
    #expect(two.events == [])
    one.pull(two)
    two.pull(one)
    #expect(one.replica.value(of: list, .text) == .text("list"))
    #expect(two.replica.value(of: list, .text) == .text("list"))
  }

  @Test(arguments: [false, true])
  func `what the author of a change had seen is no loss when it comes later, also after a start`(
    startsBetween: Bool
  ) throws {
    var (one, two, three) = (Writer(1), Writer(2), Writer(3))
    let list = try one.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    three.pull(one)
    try one.write([.set(list, .text, .text("first"))])
    two.pull(one)
    try two.write([.set(list, .text, .text("second"))])
    let (late, early) = (try #require(one.held.last), try #require(two.held.last))
    three.take(early.0, early.1)
    if startsBetween {
      let replica = three.replica
      three.replica = try Replica(
        header: replica.header(), chunks: (0..<replica.chunkCount).map(replica.chunk(at:)))
    }
    three.events = []
    three.take(late.0, late.1)
    #expect(three.replica.value(of: list, .text) == .text("second"))
    #expect(three.events == [])
    #expect(three.replica.header().early == [])
  }

  @Test func `a newcomer's snapshot tells each row once`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let items = try writer.write([
      .create([row("a"), row("b"), row("c")], parent: list, at: .bottom)
    ])
    try writer.write([.setAlive(items[1], false), .set(items[0], .done, .bool(true))])
    var newcomer = Replica()
    var events: [ReplicaEvent] = []
    try newcomer.join(
      writer.replica.header(), (0..<writer.replica.chunkCount).map(writer.replica.chunk(at:)),
      events: &events)
    #expect(
      Self.kinds(events) == [
        .added(parent: .root), .added(parent: list), .added(parent: list),
      ])
    #expect(newcomer.dirtyChunks == [0])
  }

  @Test func `deletes of one change share what their author had seen`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let items = try writer.write([.create((0..<5).map { row("\($0)") }, parent: list, at: .top)])
    try writer.write(items.map { .setAlive($0, false) })
    #expect(writer.replica.header().deleteContexts.map(\.seq) == [3])
    try writer.write(items.dropLast().map { .setAlive($0, true) })
    #expect(writer.replica.header().deleteContexts.map(\.seq) == [3])
    try writer.write([.setAlive(items[4], true)])
    // Overwritten, but in the log: what held at the floor may still be this delete.
    #expect(writer.replica.header().deleteContexts.map(\.seq) == [3])
    for (change, hash) in writer.held {
      let hasMoved = writer.replica.passFloor(change, hash: hash)
      #expect(hasMoved)
    }
    #expect(writer.replica.header().deleteContexts == [])
    writer.replica.checkInvariants()
  }
}
