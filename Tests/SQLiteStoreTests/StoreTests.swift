// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSQLite
import Foundation
import ListModel
import Testing

@testable import SQLiteStore

@Suite struct DatabaseTests {
  private func directory() throws -> String {
    let path = NSTemporaryDirectory() + "hedgerow-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  private func row(_ seq: UInt64, _ session: UInt64 = 1) -> ChangeRow {
    ChangeRow(
      session: SessionID(high: session, low: 0), seq: seq, hash: ChangeHash(seq, 0, 0, session),
      bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: seq), count: 100), isVerified: true)
  }

  @Test func `a batch is there after reopening`() throws {
    let path = try directory() + "/space.db"
    defer { try? FileManager.default.removeItem(atPath: path) }
    var batch = StoreBatch()
    batch.changes = (1...5).map { row($0) }
    batch.facts = [("clock", [1, 2])]
    batch.rosterRecords = [[7], [8]]
    batch.peers = [([1], [9])]
    batch.spent = [[3]]
    batch.journal = [[5]]
    batch.local = [LocalRow(kind: "static", key: [1], value: [])]
    try Database(path: path).commit([batch])
    let again = try Database(path: path)
    let contents = try again.contents()
    #expect(contents.tail == batch.changes)
    #expect(contents.facts["clock"] == [1, 2])
    #expect(contents.rosterRecords == [[7], [8]])
    #expect(contents.peers == [[9]])
    #expect(contents.spent == [[3]])
    #expect(try again.journal(limit: 9).map(\.entry) == [[5]])
    #expect(try again.local("static").map(\.key) == [[1]])
    #expect(
      try again.changes(of: SessionID(high: 1, low: 0), from: 2, through: 4, bytesMax: 150)
        .map(\.seq) == [2, 3])
  }

  @Test func `the tail begins behind the checkpoint`() throws {
    let path = try directory() + "/space.db"
    let database = try Database(path: path)
    var batch = StoreBatch()
    batch.changes = [row(1), row(2)]
    batch.checkpoint = CheckpointRows(
      header: [1], chunks: [(number: 0, bytes: [10]), (number: 1, bytes: [11])], chunkCount: 2)
    try database.commit([batch])
    var next = StoreBatch()
    next.changes = [row(3)]
    try database.commit([next])
    var contents = try database.contents()
    #expect(contents.header == [1])
    #expect(contents.chunks == [[10], [11]])
    #expect(contents.tail.map(\.seq) == [3])
    var last = StoreBatch()
    last.checkpoint = CheckpointRows(header: [2], chunks: [(number: 0, bytes: [12])], chunkCount: 1)
    last.floor = [Tip(session: SessionID(high: 1, low: 0), seq: 2, hash: .zero)]
    try database.commit([last])
    contents = try database.contents()
    #expect(contents.header == [2])
    #expect(contents.chunks == [[12]])
    #expect(contents.tail == [])
    #expect(try database.sizes().changes == 1)
  }

  @Test func `a newer file is refused and not touched`() throws {
    let path = try directory() + "/space.db"
    do {
      let connection = try Connection(path: path, isReadOnly: false)
      try connection.execute("PRAGMA user_version=99; CREATE TABLE t (x)")
    }
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect {
      try Database(path: path)
    } throws: { error in
      (error as? StoreError)?.code == .newer(found: 99, known: Migrations.version)
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `a failed batch leaves nothing behind`() throws {
    let path = try directory() + "/space.db"
    let database = try Database(path: path)
    var good = StoreBatch()
    good.changes = [row(1)]
    try database.commit([good])
    let reader = try Database(path: path, isReadOnly: true)
    var bad = StoreBatch()
    bad.facts = [("a", [1])]
    #expect(throws: StoreError.self) { try reader.commit([bad]) }
    #expect(try database.contents().facts["a"] == nil)
  }

  @Test func `no file but a database is opened`() throws {
    let path = try directory() + "/space.db"
    try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: path))
    #expect {
      try Database(path: path)
    } throws: { ($0 as? StoreError)?.code == .corrupt }
  }
}

@Suite struct OpenedStoreTests {
  private func directories() throws -> (data: String, state: String) {
    let path = NSTemporaryDirectory() + "hedgerow-test-\(UUID().uuidString)"
    return (path + "/data", path + "/state")
  }

  private func open(_ data: String, _ state: String, _ token: UInt8) throws -> DataIdentity {
    try OpenedStore.open(dataDirectory: data, stateDirectory: state, token: [token]).identity
  }

  @Test func `the same data is recognised`() throws {
    let (data, state) = try directories()
    #expect(try open(data, state, 1) == .fresh)
    #expect(try open(data, state, 2) == .same)
    #expect(try open(data, state, 3) == .same)
  }

  @Test func `a restored backup is noticed`() throws {
    let (data, state) = try directories()
    _ = try open(data, state, 1)
    try FileManager.default.copyItem(atPath: data, toPath: data + ".old")
    _ = try open(data, state, 2)
    try FileManager.default.removeItem(atPath: data)
    try FileManager.default.copyItem(atPath: data + ".old", toPath: data)
    guard case .suspect = try open(data, state, 3) else {
      Issue.record("a backup passed as the same data")
      return
    }
    #expect(try open(data, state, 4) == .same)
  }

  @Test func `a copied home is noticed`() throws {
    let (data, state) = try directories()
    _ = try open(data, state, 1)
    try FileManager.default.copyItem(atPath: data, toPath: data + "2")
    try FileManager.default.copyItem(atPath: state, toPath: state + "2")
    guard case .suspect = try open(data + "2", state + "2", 2) else {
      Issue.record("a copy passed as the same data")
      return
    }
  }

  @Test func `a second agent is told who holds the data`() throws {
    let (data, state) = try directories()
    let first = try OpenedStore.open(dataDirectory: data, stateDirectory: state, token: [1])
    #expect {
      try OpenedStore.open(dataDirectory: data, stateDirectory: state, token: [2])
    } throws: { ($0 as? StoreError)?.code == .locked(pid: getpid()) }
    withExtendedLifetime(first) {}
  }

  @Test func `the disk thread answers and ends`() async throws {
    let (data, state) = try directories()
    let opened = try OpenedStore.open(dataDirectory: data, stateDirectory: state, token: [1])
    let path = data + "/other.db"
    let executor = DiskExecutor()
    let disk = DiskStore(try Database(path: path), executor: executor)
    var batch = StoreBatch()
    batch.facts = [("a", [1])]
    let result = await disk.commit(batch)
    guard case .success = result else {
      Issue.record("\(result)")
      return
    }
    executor.stop()
    #expect(try Database(path: path).contents().facts["a"] == [1])
    withExtendedLifetime(opened) {}
  }
}
