// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSQLite
import Foundation
import ListModel
import Testing

@testable import SQLiteStore

@Suite struct MigrationTests {
  private let scratch: Scratch
  private var path: String { scratch.database }

  init() throws { scratch = try Scratch() }

  @Test func `a file of every past format opens with what it holds`() throws {
    for format in 1...Migrations.steps.count {
      let past = try Scratch()
      do {
        let old = try Database(
          path: past.database, isReadOnly: false, vfs: nil,
          steps: Array(Migrations.steps[..<format]))
        try old.commit([batch { $0.changes = [row(1)] }])
      }
      #expect(try Database(path: past.database).contents().tail == [row(1)])
    }
  }

  @Test func `a newer file is refused and not touched`() throws {
    do {
      let newer = Migrations.steps + ["CREATE TABLE t (x)"]
      let database = try Database(path: path, isReadOnly: false, vfs: nil, steps: newer)
      try database.commit([batch { $0.changes = [row(1)] }])
    }
    let before = try scratch.bytes()
    for isReadOnly in [false, true] {
      #expect {
        try Database(path: path, isReadOnly: isReadOnly)
      } throws: { error in
        let known = Migrations.version
        return (error as? StoreError)?.code == .newer(found: known + 1, known: known)
          && "\(error)".contains("format \(known + 1), this version knows \(known)")
      }
    }
    let after = try scratch.bytes()
    #expect(after[Database.fileName] == before[Database.fileName])
  }

  @Test func `a newer file with a log behind it is not touched`() throws {
    let newer = Migrations.steps + ["CREATE TABLE t (x)"]
    let database = try Database(path: path, isReadOnly: false, vfs: nil, steps: newer)
    try database.commit([batch { $0.changes = [row(1)] }])
    let copy = try Scratch()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.database + suffix)
    }
    let before = try copy.bytes()
    #expect(throws: StoreError.self) { try Database(path: copy.database) }
    #expect(try copy.bytes() == before)
  }

  @Test func `a copy is kept before a file is brought up to date`() throws {
    do {
      let old = try Database(path: path)
      try old.commit([batch { $0.changes = [row(1), row(2)] }])
    }
    let steps = Migrations.steps + ["DELETE FROM changes; CREATE TABLE t (x)"]
    do {
      let new = try Database(path: path, isReadOnly: false, vfs: nil, steps: steps)
      #expect(try new.contents().tail.isEmpty)
    }
    let copy = "\(path).v\(Migrations.version)"
    #expect(try Database(path: copy).contents().tail == [row(1), row(2)])
    let facts = try FileManager.default.attributesOfItem(atPath: copy)
    #expect(facts[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a step that fails leaves the file in the format before`() throws {
    _ = try Database(path: path)
    let steps = Migrations.steps + ["CREATE TABLE t (x); NONSENSE"]
    #expect(throws: StoreError.self) {
      try Database(path: path, isReadOnly: false, vfs: nil, steps: steps)
    }
    let again = try Database(path: path)
    #expect(
      try again.connection.integer("SELECT COUNT(*) FROM sqlite_schema WHERE name='t'") == 0)
  }

  @Test func `a reader does not bring an older file up to date`() throws {
    _ = try Database(path: path)
    let known = Migrations.version + 1
    #expect {
      try Database(
        path: path, isReadOnly: true, vfs: nil, steps: Migrations.steps + ["CREATE TABLE t (x)"])
    } throws: {
      ($0 as? StoreError)?.code == .older(found: known - 1, known: known)
    }
  }

  @Test func `no file but a database is opened`() throws {
    try Data(repeating: 65, count: 5000).write(to: URL(fileURLWithPath: path))
    #expect {
      try Database(path: path)
    } throws: {
      ($0 as? StoreError)?.code == .corrupt
    }
  }

  @Test func `the database of another program is refused and not touched`() throws {
    do {
      let connection = try Connection(path: path, isReadOnly: false)
      try connection.execute("CREATE TABLE t (x)")
    }
    let before = try scratch.bytes()
    #expect {
      try Database(path: path)
    } throws: {
      ($0 as? StoreError)?.code == .corrupt
    }
    #expect(try scratch.bytes() == before)
  }

  @Test func `the format is the one that is written down`() throws {
    let connection = try Database(path: path).connection
    var schema: [String] = []
    try Statement(
      "SELECT name || ': ' || group_concat(c, ' ') FROM (SELECT s.name AS name, t.name AS c "
        + "FROM sqlite_schema s, pragma_table_info(s.name) t WHERE s.type='table' "
        + "AND s.name NOT LIKE 'sqlite%' ORDER BY s.name, t.cid) GROUP BY name",
      connection
    ).rows {
      schema.append(String(decoding: $0.blob(0), as: UTF8.self))
      return true
    }
    #expect(
      schema == [
        "changes: arrival session seq hash bytes verified", "chunks: number bytes",
        "events: cursor event", "facts: name value", "journal: number entry",
        "local: kind key value", "peers: device row", "roster: ordinal bytes", "spent: hash",
      ])
  }
}
