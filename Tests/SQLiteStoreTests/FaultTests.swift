// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CFaultDisk
import CSQLite
import Foundation
import ListModel
import Testing

@testable import SQLiteStore

/// A file layer of its own that fails on demand (`CFaultDisk`).
@safe private final class FaultDisk {
  let name: String
  private nonisolated(unsafe) let disk: OpaquePointer
  private nonisolated(unsafe) let text: UnsafeMutablePointer<CChar>

  init() throws {
    name = "fault-\(UUID().uuidString)"
    unsafe text = try #require(strdup(name))
    unsafe disk = try #require(fault_disk_new(text))
  }

  deinit {
    unsafe fault_disk_free(disk)
    unsafe free(text)
  }

  var operations: Int32 { unsafe fault_disk_operations(disk) }
  func arm(_ number: Int32, _ code: Int32, stays: Bool = false) {
    unsafe fault_disk_arm(disk, number, code, stays ? 1 : 0)
  }
  func disarm() { arm(0, 0) }
  func cut() { unsafe fault_disk_cut(disk) }
  func restore(_ seed: UInt64) { unsafe fault_disk_restore(disk, seed) }

  func open(_ path: String) throws(StoreError) -> Database {
    try Database(path: path, isReadOnly: false, vfs: name, steps: Migrations.steps)
  }
}

/// Goal: an acknowledged batch is there whatever the disk does; a refused one is there as a whole or
/// not at all, and can be tried again. Method: SQLite on a layer that fails at each operation in
/// turn, and that forgets what was not synced when the power goes.
@Suite struct FaultTests {
  private let scratch: Scratch
  private let disk: FaultDisk
  private var path: String { scratch.database }

  init() throws {
    scratch = try Scratch()
    disk = try FaultDisk()
  }

  /// A batch that touches several tables, so that a torn one shows.
  private func load(_ seq: UInt64) -> StoreBatch {
    batch {
      $0.changes = [row(seq)]
      $0.facts = [("clock", [UInt8(truncatingIfNeeded: seq)])]
      $0.journal = [[UInt8](repeating: UInt8(truncatingIfNeeded: seq), count: 3000)]
    }
  }

  /// The number of whole batches in `database`; fails the test if one is torn.
  private func whole(_ database: Database) throws -> UInt64 {
    let contents = try database.contents()
    let seqs = contents.tail.map(\.seq)
    let count = UInt64(seqs.count)
    #expect(seqs == Array(0..<count).map { $0 + 1 })
    #expect(contents.facts["clock"] == (count == 0 ? nil : [UInt8(truncatingIfNeeded: count)]))
    let entries = try database.journal(limit: .max).map(\.entry.first)
    #expect(entries == seqs.map { UInt8(truncatingIfNeeded: $0) })
    return count
  }

  @Test(arguments: [SQLITE_FULL, SQLITE_IOERR | 4 << 8, SQLITE_IOERR | 3 << 8])
  func `a batch that failed anywhere is not there and can be tried again`(
    _ code: Int32
  ) throws {
    let database = try disk.open(path)
    var seq: UInt64 = 1
    try database.commit([load(seq)])
    var number: Int32 = 1
    while true {
      disk.arm(number, code)
      do {
        try database.commit([load(seq + 1)])
        disk.disarm()
        break
      } catch {
        disk.disarm()
        #expect(error.code == (code == SQLITE_FULL ? .full : .io), "operation \(number)")
        #expect(try whole(database) == seq)
        try database.commit([load(seq + 1)])
      }
      seq += 1
      #expect(try whole(database) == seq)
      number += 1
    }
    #expect(number > 3, "the faults hit nothing")
  }

  @Test func `a full disk refuses writes, serves reads and goes on when there is space`() throws {
    let database = try disk.open(path)
    try database.commit([load(1)])
    disk.arm(1, SQLITE_FULL, stays: true)
    for _ in 0..<5 {
      #expect {
        try database.commit([load(2)])
      } throws: {
        ($0 as? StoreError)?.code == .full
      }
      #expect(try whole(database) == 1)
    }
    disk.disarm()
    try database.commit([load(2)])
    #expect(try whole(database) == 2)
  }

  @Test func `a failed checkpoint loses nothing`() throws {
    for number in 1...6 as ClosedRange<Int32> {
      let scratch = try Scratch()
      let database = try disk.open(scratch.database)
      for seq in 1...10 as ClosedRange<UInt64> { try database.commit([load(seq)]) }
      disk.arm(number, SQLITE_IOERR | 4 << 8)
      try? database.checkpointLog()  // the point of this test
      disk.disarm()
      try database.commit([load(11)])
      try database.checkpointLog()
      #expect(try whole(database) == 11)
    }
  }

  @Test func `what was acknowledged survives a power cut at any operation`() throws {
    for seed in 0..<60 as Range<UInt64> {
      let scratch = try Scratch()
      var acknowledged: UInt64 = 0
      do {
        let database = try disk.open(scratch.database)
        disk.arm(Int32(seed % 29) + 1, SQLITE_IOERR | 4 << 8, stays: true)
        for seq in 1...8 as ClosedRange<UInt64> {
          do { try database.commit([load(seq)]) } catch { break }
          acknowledged = seq
          if seq == 4 { try? database.checkpointLog() }  // may fail: the disk is dying
        }
        disk.cut()
      }
      disk.restore(seed)
      let held = try whole(try disk.open(scratch.database))
      #expect(held == acknowledged || held == acknowledged + 1, "seed \(seed)")
    }
  }

  @Test func `a first start that loses power can be made again`() throws {
    for number in 1...40 as ClosedRange<Int32> {
      let scratch = try Scratch()
      disk.arm(number, SQLITE_IOERR | 4 << 8, stays: true)
      _ = try? disk.open(scratch.database)  // the point of this test
      disk.cut()
      disk.restore(UInt64(number))
      let database = try disk.open(scratch.database)
      try database.commit([load(1)])
      #expect(try whole(database) == 1, "operation \(number)")
    }
  }

  @Test func `a damaged page is told from a missing permission`() throws {
    do {
      let database = try Database(path: path)
      for seq in 1...200 as ClosedRange<UInt64> { try database.commit([load(seq)]) }
    }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for at in 4096..<(bytes.count) where at % 7 == 0 { bytes[at] ^= 0x55 }
    try bytes.write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect {
      _ = try Database(path: path).contents()
    } throws: {
      ($0 as? StoreError)?.code == .corrupt
    }
  }
}
