// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import ListModel
import Testing

@testable import SQLiteStore

@Suite struct DiskStoreTests {
  private func open(_ path: String) throws -> DiskStore {
    DiskStore(try Database(path: path), executor: DiskExecutor())
  }

  @Test func `the disk thread answers and ends`() async throws {
    let scratch = try Scratch()
    do {
      let disk = try open(scratch.database)
      let result = await disk.commit(batch { $0.changes = [row(1)] })
      guard case .success = result else {
        Issue.record("\(result)")
        return
      }
      disk.executor.stop()
    }
    #expect(try Database(path: scratch.database).contents().tail == [row(1)])
  }

  @Test func `batches are written in the order in which they were given`() async throws {
    let scratch = try Scratch()
    do {
      let disk = try open(scratch.database)
      await withTaskGroup { group in
        for session in 1...4 as ClosedRange<UInt64> {
          group.addTask {
            for seq in 1...25 as ClosedRange<UInt64> {
              _ = await disk.commit(batch { $0.changes = [row(seq, session: session)] })
            }
          }
        }
      }
      disk.executor.stop()
    }
    let tail = try Database(path: scratch.database).contents().tail
    #expect(tail.count == 100)
    for session in 1...4 as ClosedRange<UInt64> {
      let seqs = tail.filter { $0.session == SessionID(high: session, low: 0) }.map(\.seq)
      #expect(seqs == Array(1...25))
    }
  }

  @Test func `a quiet moment moves the log into the file when it is worth it`() async throws {
    let scratch = try Scratch()
    let disk = try open(scratch.database)
    _ = await disk.commit(batch { $0.changes = [row(1)] })
    _ = await disk.tidy()
    #expect(await disk.logPages > 0, "a few pages stay")
    let large = [UInt8](repeating: 1, count: Database.logPagesWorthMoving * 4096)
    _ = await disk.commit(batch { $0.facts = [("large", large)] })
    _ = await disk.tidy()
    #expect(await disk.logPages == 0)
    disk.executor.stop()
  }

  @Test func `the log does not grow without end under load`() async throws {
    let scratch = try Scratch()
    let disk = try open(scratch.database)
    let large = [UInt8](repeating: 1, count: Database.logPagesMax * 4096)
    _ = await disk.commit(batch { $0.facts = [("large", large)] })
    #expect(await disk.logPages == 0)
    disk.executor.stop()
  }

  @Test func `a failure comes back as a value`() async throws {
    let scratch = try Scratch()
    _ = try Database(path: scratch.database)
    let reader = try Database(path: scratch.database, isReadOnly: true)
    let disk = DiskStore(reader, executor: DiskExecutor())
    guard case .failure(let error) = await disk.commit(batch { $0.facts = [("a", [1])] }) else {
      Issue.record("written through a reader")
      return
    }
    #expect(error.code == .readOnly)
    disk.executor.stop()
  }
}
