// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSQLite
package import ListModel

/// The database of one space: bytes and rows, no merge logic.
///
/// One connection in one process does every write and every checkpoint (SQLite 3.40 can lose
/// commits to a race of two). Not `Sendable`: it lives on one thread.
package final class Database {
  /// Name of the file in the data directory.
  package static let fileName = "space.db"
  /// Above this the write-ahead log is moved into the file even while there is work.
  package static let walPagesMax: Int64 = 16 * 1024

  private let connection: Connection
  private var kept: [String: Statement] = [:]

  /// Opens or makes the file at `path` and brings its schema up to date.
  ///
  /// A file of a newer version is refused and not touched.
  package init(path: String, isReadOnly: Bool = false) throws(StoreError) {
    connection = try Connection(path: path, isReadOnly: isReadOnly)
    let found = Int32(truncatingIfNeeded: try connection.integer("PRAGMA user_version"))
    guard found <= Migrations.version else {
      throw StoreError(
        .newer(found: found, known: Migrations.version),
        "\(path) has format \(found), this version knows \(Migrations.version): install the newer hedgerow again; nothing was changed"
      )
    }
    if isReadOnly { return }
    try connection.execute(
      """
      PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;
      PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=4194304; PRAGMA cache_size=-2048;
      """)
    for step in Int(found)..<Migrations.steps.count {
      try connection.transaction { () throws(StoreError) in
        try connection.execute(Migrations.steps[step])
        try connection.execute("PRAGMA user_version=\(step + 1)")
      }
    }
  }

  /// The version of the library, for logs.
  package static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }

  private func statement(_ sql: String) throws(StoreError) -> Statement {
    if let known = kept[sql] { return known }
    let made = try Statement(sql, connection)
    kept[sql] = made
    return made
  }

  // MARK: Writing

  /// Writes `batches` as one transaction, on disk when this returns.
  package func commit(_ batches: [StoreBatch]) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      for batch in batches { try write(batch) }
    }
  }

  private func write(_ batch: StoreBatch) throws(StoreError) {
    if batch.clearsSpace {
      for table in ["changes", "chunks", "roster", "peers", "spent", "journal", "facts"] {
        let kept = table == "facts" ? " WHERE name NOT LIKE 'identity.%'" : ""
        try statement("DELETE FROM \(table)\(kept)").run()
      }
    }
    let log = try statement(
      "INSERT OR IGNORE INTO changes (session, seq, hash, bytes, verified) VALUES (?,?,?,?,?)")
    for change in batch.changes {
      try log.run([
        .blob(change.session.bytes), .integer(Int64(bitPattern: change.seq)),
        .blob(change.hash.bytes), .blob(change.bytes), .integer(change.isVerified ? 1 : 0),
      ])
    }
    for tip in batch.floor {
      try statement("DELETE FROM changes WHERE session=? AND seq<=?").run([
        .blob(tip.session.bytes), .integer(Int64(bitPattern: tip.seq)),
      ])
    }
    for fact in batch.facts { try set(fact: fact.name, fact.value) }
    for record in batch.rosterRecords {
      try statement("INSERT INTO roster (bytes) VALUES (?)").run([.blob(record)])
    }
    for peer in batch.peers {
      try statement("INSERT OR REPLACE INTO peers (device, row) VALUES (?,?)").run([
        .blob(peer.device), .blob(peer.row),
      ])
    }
    for hash in batch.spent {
      try statement("INSERT OR IGNORE INTO spent (hash) VALUES (?)").run([.blob(hash)])
    }
    for entry in batch.journal {
      try statement("INSERT INTO journal (entry) VALUES (?)").run([.blob(entry)])
    }
    for row in batch.local { try write(row) }
    if let checkpoint = batch.checkpoint { try write(checkpoint) }
  }

  private func set(fact name: String, _ value: [UInt8]) throws(StoreError) {
    try statement("INSERT OR REPLACE INTO facts (name, value) VALUES (?,?)").run([
      .blob(Array(name.utf8)), .blob(value),
    ])
  }

  private func write(_ row: LocalRow) throws(StoreError) {
    let name: [Statement.Argument] = [.blob(Array(row.kind.utf8)), .blob(row.key)]
    if let value = row.value {
      try statement("INSERT OR REPLACE INTO local (kind, key, value) VALUES (?,?,?)").run(
        name + [.blob(value)])
    } else {
      try statement("DELETE FROM local WHERE kind=? AND key=?").run(name)
    }
  }

  private func write(_ checkpoint: CheckpointRows) throws(StoreError) {
    let put = try statement("INSERT OR REPLACE INTO chunks (number, bytes) VALUES (?,?)")
    try put.run([.integer(-1), .blob(checkpoint.header)])
    for chunk in checkpoint.chunks {
      try put.run([.integer(Int64(chunk.number)), .blob(chunk.bytes)])
    }
    try statement("DELETE FROM chunks WHERE number>=?").run([
      .integer(Int64(checkpoint.chunkCount))
    ])
    let arrival = try connection.integer("SELECT IFNULL(MAX(arrival), 0) FROM changes")
    try set(fact: "checkpoint.arrival", bigEndian(arrival))
  }

  private func bigEndian(_ value: Int64) -> [UInt8] {
    var out: [UInt8] = []
    appendBigEndian(value, to: &out)
    return out
  }

  // MARK: Reading

  /// Reads what a start needs.
  /// - Complexity: O(checkpoint + log behind it).
  package func contents() throws(StoreError) -> StoreContents {
    var out = StoreContents()
    _ = try statement("SELECT name, value FROM facts").rows {
      out.facts[String(decoding: $0.blob(0), as: UTF8.self)] = $0.blob(1)
      return true
    }
    _ = try statement("SELECT number, bytes FROM chunks ORDER BY number").rows {
      if $0.integer(0) < 0 { out.header = $0.blob(1) } else { out.chunks.append($0.blob(1)) }
      return true
    }
    let arrival = (out.facts["checkpoint.arrival"] ?? []).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    _ = try statement(
      "SELECT session, seq, hash, bytes, verified FROM changes WHERE arrival>? ORDER BY arrival"
    ).rows([.integer(arrival)]) {
      if let change = Self.change($0) { out.tail.append(change) }
      return true
    }
    out.rosterRecords = try blobs("SELECT bytes FROM roster ORDER BY ordinal")
    out.peers = try blobs("SELECT row FROM peers ORDER BY device")
    out.spent = try blobs("SELECT hash FROM spent ORDER BY hash")
    return out
  }

  private func blobs(_ sql: String) throws(StoreError) -> [[UInt8]] {
    var out: [[UInt8]] = []
    _ = try statement(sql).rows {
      out.append($0.blob(0))
      return true
    }
    return out
  }

  private static func change(_ row: Statement.Row) -> ChangeRow? {
    guard let session = SessionID(row.blob(0)), let hash = ChangeHash(row.blob(2)) else {
      return nil
    }
    return ChangeRow(
      session: session, seq: UInt64(bitPattern: row.integer(1)), hash: hash, bytes: row.blob(3),
      isVerified: row.integer(4) == 1)
  }

  /// The changes `first...last` of a session, ascending; ends after the one that reaches `bytesMax`.
  package func changes(
    of session: SessionID, from first: UInt64, through last: UInt64, bytesMax: Int
  ) throws(StoreError) -> [ChangeRow] {
    var out: [ChangeRow] = []
    var size = 0
    _ = try statement(
      """
      SELECT session, seq, hash, bytes, verified FROM changes
      WHERE session=? AND seq BETWEEN ? AND ? ORDER BY seq
      """
    ).rows([
      .blob(session.bytes), .integer(Int64(bitPattern: first)), .integer(Int64(bitPattern: last)),
    ]) {
      guard let change = Self.change($0) else { return false }
      size += change.bytes.count
      out.append(change)
      return size < bytesMax
    }
    return out
  }

  /// All rows of one kind of local table, by key.
  package func local(_ kind: String) throws(StoreError) -> [(key: [UInt8], value: [UInt8])] {
    var out: [(key: [UInt8], value: [UInt8])] = []
    _ = try statement("SELECT key, value FROM local WHERE kind=? ORDER BY key").rows([
      .blob(Array(kind.utf8))
    ]) {
      out.append(($0.blob(0), $0.blob(1)))
      return true
    }
    return out
  }

  /// The newest journal entries, oldest of them first.
  package func journal(limit: Int) throws(StoreError) -> [(number: Int64, entry: [UInt8])] {
    var out: [(number: Int64, entry: [UInt8])] = []
    _ = try statement("SELECT number, entry FROM journal ORDER BY number DESC LIMIT ?").rows([
      .integer(Int64(limit))
    ]) {
      out.append(($0.integer(0), $0.blob(1)))
      return true
    }
    return out.reversed()
  }

  /// Changes in the log, and bytes of the file.
  package func sizes() throws(StoreError) -> (changes: Int64, bytes: Int64) {
    let changes = try connection.integer("SELECT COUNT(*) FROM changes")
    let pages = try connection.integer("PRAGMA page_count")
    return (changes, pages * (try connection.integer("PRAGMA page_size")))
  }

  /// Moves the write-ahead log into the file; for when nothing waits.
  package func checkpointLog() throws(StoreError) { try connection.checkpoint() }
}
