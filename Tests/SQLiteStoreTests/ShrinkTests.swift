// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

@testable import SQLiteStore

@Suite struct ShrinkTests {
  @Test func `a file gives back what left the log`() throws {
    let folder = try Scratch()
    let database = try Database(path: folder.database)
    let session = SessionID(high: 1, low: 2)
    var batch = StoreBatch()
    batch.changes = (1...20_000).map {
      ChangeRow(
        session: session, seq: UInt64($0), hash: ChangeHash(UInt64($0), 0, 0, 0),
        bytes: [UInt8](repeating: 7, count: 200), isVerified: true)
    }
    try database.commit([batch])
    let full = try database.sizes()
    #expect(full.changes == 20_000)
    #expect(full.logBytes == 4_000_000)
    var floor = StoreBatch()
    floor.floor = [Tip(session: session, seq: 19_990, hash: .zero)]
    try database.commit([floor])
    #expect(try database.sizes().freeBytes > full.bytes / 2)
    var rounds = 0
    while try database.shrink(), rounds < 100 { rounds += 1 }
    let left = try database.sizes()
    #expect(left.changes == 10)
    #expect(left.bytes < 2 << 20)
    #expect(left.freeBytes < 1 << 20)
  }
}
