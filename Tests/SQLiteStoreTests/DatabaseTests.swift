// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import ListModel
import Testing

@testable import SQLiteStore

@Suite struct DatabaseTests {
  private let scratch: Scratch
  private var path: String { scratch.database }

  init() throws { scratch = try Scratch() }

  @Test func `a batch is there after reopening`() throws {
    let all = batch {
      $0.changes = (1...5).map { row($0) }
      $0.facts = [("clock", [1, 2])]
      $0.rosterRecords = [[7], [8]]
      $0.peers = [([1], [9])]
      $0.spent = [[3]]
      $0.journal = [[5]]
      $0.events = [EventRow(cursor: 4, bytes: [6])]
      $0.local = [LocalRow(kind: "static", key: [1], value: [])]
    }
    try Database(path: path).commit([all])
    let again = try Database(path: path)
    let contents = try again.contents()
    #expect(contents.tail == all.changes)
    #expect(contents.facts["clock"] == [1, 2])
    #expect(contents.rosterRecords == [[7], [8]])
    #expect(contents.peers == [[9]])
    #expect(contents.spent == [[3]])
    #expect(try again.journal(limit: 9).map(\.entry) == [[5]])
    #expect(try again.events() == all.events)
    #expect(try again.local("static").map(\.key) == [[1]])
  }

  @Test func `the newest changes come first, page by page`() throws {
    let database = try Database(path: path)
    try database.commit([batch { $0.changes = (1...5).map { row($0) } }])
    let first = try database.newestChanges(before: .max, limit: 2)
    #expect(first.map(\.row.seq) == [5, 4])
    let second = try database.newestChanges(before: try #require(first.last).arrival, limit: 9)
    #expect(second.map(\.row.seq) == [3, 2, 1])
    #expect(second.last?.row == row(1))
    let none = try database.newestChanges(before: try #require(second.last).arrival, limit: 9)
    #expect(none.isEmpty)
  }

  @Test func `the journal keeps its numbers, is bounded, and begins anew in another space`() throws
  {
    let database = try Database(path: path)
    let many = StoreBatch.journalKeptMax + 3
    try database.commit([batch { $0.journal = (0..<many).map { _ in [1] } }])
    let kept = try database.journal(limit: .max)
    #expect(kept.count == StoreBatch.journalKeptMax)
    #expect(kept.first?.number == 4 && kept.last?.number == Int64(many))
    try database.commit([
      batch {
        $0.clearsSpace = true
        $0.local = [LocalRow(kind: "space.new", key: [1], value: [1])]
      }
    ])
    try database.commit([batch { $0.journal = [[2]] }])
    #expect(try database.journal(limit: 9).map(\.number) == [1])
    #expect(try database.local("space.new").count == 1)
  }

  @Test func `a stretch of a session ends behind the change that fills it`() throws {
    let database = try Database(path: path)
    try database.commit([batch { $0.changes = (1...5).map { row($0) } + [row(3, session: 2)] }])
    let session = SessionID(high: 1, low: 0)
    func seqs(_ first: UInt64, _ last: UInt64, _ bytesMax: Int) throws -> [UInt64] {
      try database.changes(of: session, from: first, through: last, bytesMax: bytesMax).map(\.seq)
    }
    #expect(try seqs(2, 4, 10_000) == [2, 3, 4])
    #expect(try seqs(2, 4, 150) == [2, 3])
    #expect(try seqs(2, 4, 1) == [2], "one at least")
    #expect(try seqs(6, 9, 10_000) == [])
  }

  @Test func `the tail begins behind the checkpoint`() throws {
    let database = try Database(path: path)
    try database.commit([batch { $0.changes = [row(1), row(2)] }])
    try database.commit([
      batch { $0.checkpoint = checkpoint(1, [(0, [10]), (1, [11])], count: 2) }
    ])
    try database.commit([batch { $0.changes = [row(3)] }])
    var contents = try database.contents()
    #expect(contents.header == [1])
    #expect(contents.chunks == [[10], [11]])
    #expect(contents.tail.map(\.seq) == [3])
    try database.commit([
      batch {
        $0.checkpoint = checkpoint(2, [(0, [12])], count: 1)
        $0.floor = [Tip(session: SessionID(high: 1, low: 0), seq: 2, hash: .zero)]
      }
    ])
    contents = try database.contents()
    #expect(contents.header == [2])
    #expect(contents.chunks == [[12]])
    #expect(contents.tail == [])
    #expect(try database.sizes().changes == 1)
  }

  @Test func `changes in the batch of a checkpoint are in the tail`() throws {
    // The engine may have made the checkpoint before it folded them.
    let database = try Database(path: path)
    try database.commit([batch { $0.changes = [row(1)] }])
    try database.commit([
      batch {
        $0.checkpoint = checkpoint(1, [(0, [10])], count: 1)
        $0.changes = [row(2)]
      }
    ])
    #expect(try database.contents().tail.map(\.seq) == [2])
  }

  @Test func `a checkpoint that does not stand for the log leaves all of it in the tail`() throws {
    let database = try Database(path: path)
    try database.commit([batch { $0.changes = (1...3).map { row($0) } }])
    try database.commit([
      batch {
        $0.checkpoint = CheckpointRows(
          header: [1], chunks: [(0, [10])], chunkCount: 1, standsForLog: false)
        $0.changes = [row(4)]
      }
    ])
    #expect(try database.contents().tail.map(\.seq) == [1, 2, 3, 4])
    #expect(try database.wholeLog().map(\.seq) == [1, 2, 3, 4])
  }

  @Test func `changes are in the tail though the log before them is gone`() throws {
    let database = try Database(path: path)
    let session = SessionID(high: 1, low: 0)
    try database.commit([batch { $0.changes = (1...3).map { row($0) } }])
    try database.commit([
      batch {
        $0.checkpoint = checkpoint(1, [(0, [10])], count: 1)
        $0.floor = [Tip(session: session, seq: 3, hash: .zero)]
      }
    ])
    try database.commit([batch { $0.changes = [row(4)] }])
    #expect(try database.contents().tail.map(\.seq) == [4])
  }

  @Test func `only named chunks are rewritten`() throws {
    let database = try Database(path: path)
    try database.commit([
      batch { $0.checkpoint = checkpoint(1, [(0, [1]), (1, [2]), (2, [3])], count: 3) }
    ])
    try database.commit([batch { $0.checkpoint = checkpoint(2, [(1, [9])], count: 3) }])
    #expect(try database.contents().chunks == [[1], [9], [3]])
  }

  @Test func `what lies beyond a cutoff goes from the log into quarantine`() throws {
    let scratch = try Scratch()
    do {
      let database = try Database(path: scratch.database)
      try database.commit([
        batch {
          $0.changes = (1...4).map { row($0) } + [row(1, session: 2)]
          $0.cuts = [(SessionID(high: 1, low: 0), 3), (SessionID(high: 2, low: 0), 1)]
        }
      ])
    }
    let database = try Database(path: scratch.database)
    #expect(try database.contents().tail == [row(1), row(2)])
    let kept = try database.local(StoreBatch.quarantineKind)
    let expected = [row(3), row(4), row(1, session: 2)]
    #expect(kept.count == 3)
    for change in expected {
      #expect(kept.contains { $0.key == change.hash.bytes && $0.value == change.bytes })
    }
    // They may come again: a cutoff can be raised.
    try database.commit([batch { $0.changes = [row(3)] }])
    #expect(try database.contents().tail.last == row(3))
    try database.commit([batch { $0.clearsSpace = true }])
    #expect(try database.local(StoreBatch.quarantineKind).isEmpty)
  }

  @Test func `both branches of a fork are kept`() throws {
    let database = try Database(path: path)
    let branches = [row(1, branch: 1), row(1, branch: 2)]
    try database.commit([batch { $0.changes = branches }])
    #expect(
      try database.changes(
        of: branches[0].session, from: 1, through: 1, bytesMax: .max) == branches)
  }

  @Test func `a change that comes again keeps its place and what was checked`() throws {
    let database = try Database(path: path)
    let first = [row(1, isVerified: false), row(2)]
    try database.commit([batch { $0.changes = first }])
    try database.commit([batch { $0.changes = [row(2, isVerified: false), row(1)] }])
    let tail = try database.contents().tail
    #expect(tail.map(\.seq) == [1, 2])
    #expect(tail.map(\.isVerified) == [true, true])
  }

  @Test func `the whole range of seq is stored`() throws {
    let database = try Database(path: path)
    try database.commit([batch { $0.changes = [row(.max - 1), row(1 << 63)] }])
    #expect(try database.contents().tail.map(\.seq) == [.max - 1, 1 << 63])
  }

  @Test func `joining another space leaves only what belongs to the machine`() throws {
    let database = try Database(path: path)
    try database.commit([
      batch {
        $0.changes = [row(1)]
        $0.facts = [("clock", [1]), ("identity.token", [2])]
        $0.rosterRecords = [[1]]
        $0.peers = [([1], [1])]
        $0.checkpoint = checkpoint(1, [(0, [1])], count: 1)
        $0.journal = [[1]]
        $0.events = [EventRow(cursor: 1, bytes: [])]
        $0.local = [LocalRow(kind: "static", key: [1], value: [2])]
      }
    ])
    try database.commit([
      batch {
        $0.clearsSpace = true
        $0.rosterRecords = [[9]]
      }
    ])
    let contents = try database.contents()
    #expect(contents.tail.isEmpty && contents.header == nil && contents.chunks.isEmpty)
    #expect(contents.facts == ["identity.token": [2]])
    #expect(contents.rosterRecords == [[9]])
    #expect(contents.peers.isEmpty)
    #expect(try database.journal(limit: 9).isEmpty)
    #expect(try database.local("static").map(\.value) == [[2]])
  }

  @Test func `a local row is replaced and removed`() throws {
    let database = try Database(path: path)
    func set(_ value: [UInt8]?) throws {
      try database.commit([batch { $0.local = [LocalRow(kind: "k", key: [0, 1], value: value)] }])
    }
    try set([1])
    try set([2])
    #expect(try database.local("k").map(\.value) == [[2]])
    #expect(try database.local("other").isEmpty)
    try set(nil)
    #expect(try database.local("k").isEmpty)
  }

  @Test func `events are kept by cursor until a batch forgets them`() throws {
    let database = try Database(path: path)
    try database.commit([batch { $0.events = (1...5).map { EventRow(cursor: $0, bytes: []) } }])
    #expect(try database.events().map(\.cursor) == [1, 2, 3, 4, 5])
    try database.commit([
      batch {
        $0.events = [EventRow(cursor: 1_000_000, bytes: [])]
        $0.eventsFloor = 3
      }
    ])
    #expect(try database.events().map(\.cursor) == [4, 5, 1_000_000])
  }

  @Test func `no other connection comes in`() throws {
    let database = try Database(path: path)
    try database.commit([batch { $0.changes = [row(1)] }])
    for isReadOnly in [false, true] {
      #expect {
        try Database(path: path, isReadOnly: isReadOnly)
      } throws: {
        ($0 as? StoreError)?.code == .locked(pid: nil)
      }
    }
  }

  @Test func `a reader sees what a killed agent left in the log and changes nothing`() throws {
    let database = try Database(path: path)
    try database.commit([batch { $0.changes = [row(1)] }])
    // What a kill leaves behind: both files as they are.
    let copy = try Scratch()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.database + suffix)
    }
    let before = try copy.bytes()
    do {
      let reader = try Database(path: copy.database, isReadOnly: true)
      #expect(try reader.contents().tail.map(\.seq) == [1])
      #expect(throws: StoreError.self) { try reader.commit([batch { $0.facts = [("a", [1])] }]) }
    }
    let after = try copy.bytes()
    #expect(after.filter { before[$0.key] != nil } == before)
  }

  @Test func `the log moves into the file when asked and at the end`() throws {
    let wal = path + "-wal"
    do {
      let database = try Database(path: path)
      try database.commit([batch { $0.changes = (1...100).map { row($0) } }])
      #expect(database.logPages > 0)
      try database.checkpointLog()
      #expect(database.logPages == 0)
      try database.commit([batch { $0.changes = [row(101)] }])
      #expect(FileManager.default.fileExists(atPath: wal))
    }
    #expect(!FileManager.default.fileExists(atPath: wal))
    #expect(try Database(path: path).contents().tail.count == 101)
  }

  @Test func `files are private`() throws {
    let database = try Database(path: path)
    try database.commit([batch { $0.changes = [row(1)] }])
    for name in try FileManager.default.contentsOfDirectory(atPath: scratch.path) {
      let facts = try FileManager.default.attributesOfItem(atPath: scratch.path + "/" + name)
      #expect(facts[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }
}
