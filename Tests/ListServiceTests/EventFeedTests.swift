// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import ListService

@Suite struct EventFeedTests {
  private func entry(_ number: UInt64) -> EventFeed.Entry {
    EventFeed.Entry(
      number: number, event: Event(kind: .done, cursor: "c-\(number)", list: "l"))
  }

  private func cursors(_ feed: EventFeed, since number: UInt64) -> [String]? {
    feed.events(since: "c-\(number)")?.map(\.cursor)
  }

  @Test func `a cursor of an earlier run goes on over the start of this one`() {
    var feed = EventFeed(start: 7)
    let mark = feed.restore([entry(100), entry(101), entry(102)], wall: 5_000_000_000)
    #expect(mark == EventFeed.Entry(number: 5_000_000_000, event: nil))
    #expect(feed.cursor == "c-5000000000")
    #expect(cursors(feed, since: 100) == ["c-101", "c-102"])
    #expect(cursors(feed, since: 102) == [])
    #expect(cursors(feed, since: 5_000_000_000) == [])
  }

  @Test func `cursors rise whatever the clock says`() {
    var feed = EventFeed(start: 7)
    _ = feed.restore([entry(9_000_000_000)], wall: 5)
    #expect(feed.last == 9_000_000_000 + EventFeed.startStep)
  }

  @Test func `a cursor that never reached the disk is not known`() {
    var feed = EventFeed(start: 7)
    _ = feed.restore([entry(100)], wall: 5_000_000_000)
    for number: UInt64 in [99, 101, 4_999_999_999, 5_000_000_001] {
      #expect(cursors(feed, since: number) == nil, "\(number)")
    }
    for text in ["", "c-", "c-x", "100", "c--1", "c-99999999999999999999"] {
      #expect(feed.events(since: text) == nil, "\(text)")
    }
  }

  @Test func `the mark of a run in which nothing happened is known to the next`() {
    var feed = EventFeed(start: 7)
    let mark = feed.restore([entry(100)], wall: 1_000)
    var next = EventFeed(start: 7)
    _ = next.restore([entry(100), mark], wall: 2_000)
    #expect(cursors(next, since: mark.number) == [])
    #expect(cursors(next, since: 100) == [])
  }

  @Test func `the oldest leave in portions, and their cursors are told as floor`() throws {
    var feed = EventFeed(start: 7)
    let many = (1...UInt64(EventFeed.keptMax)).map(entry)
    _ = feed.restore(many, wall: 1_000_000)
    #expect(feed.trim() == nil)
    var desk = Desk()
    desk.feed = feed
    let rows = (0...EventFeed.keptMax / 4).map { NewRow([(.text, .text("row \($0)"))]) }
    try desk.write([.create(rows, parent: .root, at: .bottom)])
    let trimmed = desk.feed.trim()
    let floor = try #require(trimmed)
    #expect(desk.feed.trim() == nil)
    #expect(cursors(desk.feed, since: floor) == nil)
    // All that is kept but the first, and but the mark of the start.
    #expect(cursors(desk.feed, since: floor + 1)?.count == EventFeed.keptMax - 2)
  }

  @Test func `an event concerns every item above it, and where a move came from`() throws {
    var desk = Desk()
    let lists = try desk.write([
      .create(
        [NewRow([(.text, .text("a"))]), NewRow([(.text, .text("b"))])], parent: .root, at: .top)
    ]).created
    let made = try desk.write([
      .create([NewRow([(.text, .text("x"))])], parent: lists[0], at: .top)
    ])
    #expect(made.events.map(\.scope) == [[lists[0]]])
    let moved = try desk.write([.move(made.created, parent: lists[1], at: .top)]).events
    #expect(moved.map(\.scope) == [[lists[1], lists[0]]])
  }

  @Test func `who listens to a list hears that a cut cycle took an item out of it`() throws {
    var (mine, theirs) = (Desk(1), Desk(2))
    let list = try mine.write([
      .create([NewRow([(.text, .text("trips"))])], parent: .root, at: .top)
    ]).created[0]
    let items = try mine.write([
      .create(["Oslo", "Bern"].map { NewRow([(.text, .text($0))]) }, parent: list, at: .top)
    ]).created
    theirs.pull(mine)
    try mine.write([.move([items[0]], parent: items[1], at: .top)])
    try theirs.write([.move([items[1]], parent: items[0], at: .top)])
    let before = (mine.feed.cursor, theirs.feed.cursor)
    mine.pull(theirs)
    theirs.pull(mine)
    let heard = [mine.feed.events(since: before.0), theirs.feed.events(since: before.1)]
    for events in heard {
      let gone = try #require(events?.filter { $0.kind == .remove })
      #expect(!gone.isEmpty)
      #expect(gone.allSatisfy { $0.scope.contains(list) && $0.list == "trips" }, "\(gone)")
    }
  }
}
