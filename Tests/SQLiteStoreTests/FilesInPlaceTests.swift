// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Testing

@testable import SQLiteStore

/// Files that somebody removes or replaces while an agent has them open.
@Suite struct FilesInPlaceTests {
  private let scratch: Scratch
  private let files = FileManager.default

  init() throws { scratch = try Scratch() }

  private func code(_ body: () throws -> Void) -> StoreError.Code? {
    do { try body() } catch { return (error as? StoreError)?.code }
    return nil
  }

  @Test(arguments: [false, true])
  func `nothing counts as kept once the database is another file`(isReplaced: Bool) throws {
    let database = try Database(path: scratch.database)
    try database.commit([batch { $0.changes = [row(1)] }])
    if isReplaced { try files.copyItem(atPath: scratch.database, toPath: scratch.path + "/old") }
    try files.removeItem(atPath: scratch.database)
    if isReplaced { try files.moveItem(atPath: scratch.path + "/old", toPath: scratch.database) }
    for _ in 0..<2 {
      #expect(code { try database.commit([batch { $0.changes = [row(2)] }]) } == .removed)
    }
    // What is there can still be read, for an export.
    #expect(try database.wholeLog().first?.seq == 1)
  }

  @Test func `without its write-ahead log a commit is in the database file itself`() throws {
    let database = try Database(path: scratch.database)
    try database.commit([batch { $0.changes = [row(1)] }])
    try files.removeItem(atPath: scratch.database + "-wal")
    for seq in 2...4 as ClosedRange<UInt64> {
      try database.commit([batch { $0.changes = [row(seq)] }])
      // As after a kill: only this file is left.
      let copy = scratch.path + "/copy-\(seq)"
      try files.copyItem(atPath: scratch.database, toPath: copy)
      #expect(try Database(path: copy).wholeLog().map(\.seq) == Array(1...seq))
    }
  }

  @Test func `an empty database where there was data is not begun anew in silence`() throws {
    func open() throws {
      _ = try OpenedStore.open(
        dataDirectory: scratch.data, stateDirectory: scratch.state, token: [1], machine: [1])
    }
    try open()
    let kept = try Data(contentsOf: URL(fileURLWithPath: scratch.data + "/" + Database.fileName))
    try files.removeItem(atPath: scratch.data)
    for _ in 0..<2 { #expect(code(open) == .removed) }
    try files.removeItem(atPath: scratch.data + "/" + Database.fileName)
    try kept.write(to: URL(fileURLWithPath: scratch.data + "/" + Database.fileName))
    try files.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: scratch.data + "/" + Database.fileName)
    #expect(code(open) == nil)
    try files.removeItem(atPath: scratch.data)
    try files.removeItem(atPath: scratch.state)
    #expect(code(open) == nil)
  }
}
