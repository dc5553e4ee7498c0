// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

extension Database {
  /// Reads what a start needs.
  ///
  /// The tail may begin with changes that the checkpoint holds already: folding is idempotent.
  /// - Complexity: O(checkpoint + log behind it).
  package func contents() throws(StoreError) -> StoreContents {
    var out = StoreContents()
    try statement("SELECT name, value FROM facts").rows {
      out.facts[String(decoding: $0.blob(0), as: UTF8.self)] = $0.blob(1)
      return true
    }
    try statement("SELECT number, bytes FROM chunks ORDER BY number").rows {
      if $0.integer(0) < 0 { out.header = $0.blob(1) } else { out.chunks.append($0.blob(1)) }
      return true
    }
    let arrival = (out.facts[Self.checkpointFact] ?? []).prefix(8).reduce(Int64(0)) {
      $0 << 8 | Int64($1)
    }
    out.tail = try changes(
      "SELECT session, seq, hash, bytes, verified FROM changes WHERE arrival>? ORDER BY arrival",
      [.integer(arrival)])
    out.rosterRecords = try blobs("SELECT bytes FROM roster ORDER BY ordinal")
    out.peers = try blobs("SELECT row FROM peers ORDER BY device")
    out.spent = try blobs("SELECT hash FROM spent ORDER BY hash")
    try statement("SELECT IFNULL(MAX(cursor), 0) FROM events").rows {
      out.lastCursor = UInt64(bitPattern: $0.integer(0))
      return false
    }
    return out
  }

  /// The whole log, in order of arrival: for a start whose checkpoint cannot be read.
  /// - Complexity: O(log).
  package func wholeLog() throws(StoreError) -> [ChangeRow] {
    try changes("SELECT session, seq, hash, bytes, verified FROM changes ORDER BY arrival", [])
  }

  /// The changes `first...last` of a session, ascending; ends after the one that reaches `bytesMax`,
  /// so at least one is read if there is one. Of a forked dot all branches come, by hash.
  /// - Complexity: O(log n + what is read).
  package func changes(
    of session: SessionID, from first: UInt64, through last: UInt64, bytesMax: Int
  ) throws(StoreError) -> [ChangeRow] {
    try changes(
      """
      SELECT session, seq, hash, bytes, verified FROM changes
      WHERE session=? AND seq BETWEEN ? AND ? ORDER BY seq, hash
      """,
      [
        .blob(session.bytes), .integer(Int64(bitPattern: first)),
        .integer(Int64(bitPattern: last)),
      ], bytesMax: bytesMax)
  }

  /// The newest changes that arrived before the number `before`, newest first.
  /// - Complexity: O(what is read).
  package func newestChanges(
    before: Int64, limit: Int
  ) throws(StoreError) -> [ArrivedChange] {
    var out: [ArrivedChange] = []
    try statement(
      """
      SELECT arrival, session, seq, hash, bytes, verified FROM changes
      WHERE arrival<? ORDER BY arrival DESC LIMIT ?
      """
    ).rows([.integer(before), .integer(Int64(limit))]) { row in
      // A damaged row is left out: the log is for reading here, not for folding.
      guard let session = SessionID(row.blob(1)), let hash = ChangeHash(row.blob(3)) else {
        return true
      }
      out.append(
        ArrivedChange(
          arrival: row.integer(0),
          row: ChangeRow(
            session: session, seq: UInt64(bitPattern: row.integer(2)), hash: hash,
            bytes: row.blob(4), isVerified: row.integer(5) == 1)))
      return true
    }
    return out
  }

  /// All rows of one kind of local table, by key.
  package func local(_ kind: String) throws(StoreError) -> [(key: [UInt8], value: [UInt8])] {
    var out: [(key: [UInt8], value: [UInt8])] = []
    try statement("SELECT key, value FROM local WHERE kind=? ORDER BY key").rows([.text(kind)]) {
      out.append(($0.blob(0), $0.blob(1)))
      return true
    }
    return out
  }

  /// The newest journal entries, oldest of them first.
  package func journal(limit: Int) throws(StoreError) -> [(number: Int64, entry: [UInt8])] {
    var out: [(number: Int64, entry: [UInt8])] = []
    try statement("SELECT number, entry FROM journal ORDER BY number DESC LIMIT ?").rows([
      .integer(Int64(limit))
    ]) {
      out.append(($0.integer(0), $0.blob(1)))
      return true
    }
    return out.reversed()
  }

  /// What viewers were told, oldest first.
  package func events() throws(StoreError) -> [EventRow] {
    var out: [EventRow] = []
    try statement("SELECT cursor, event FROM events ORDER BY cursor").rows {
      out.append(EventRow(cursor: UInt64(bitPattern: $0.integer(0)), bytes: $0.blob(1)))
      return true
    }
    return out
  }

  /// How large the log and the file are.
  /// - Complexity: O(changes).
  package func sizes() throws(StoreError) -> StoreSizes {
    var out = StoreSizes()
    out.changes = try connection.integer("SELECT COUNT(*) FROM changes")
    out.logBytes = try connection.integer("SELECT IFNULL(SUM(LENGTH(bytes)), 0) FROM changes")
    let pageBytes = try connection.integer("PRAGMA page_size")
    out.bytes = pageBytes * (try connection.integer("PRAGMA page_count"))
    out.freeBytes = pageBytes * (try connection.integer("PRAGMA freelist_count"))
    return out
  }

  private func blobs(_ sql: String) throws(StoreError) -> [[UInt8]] {
    var out: [[UInt8]] = []
    try statement(sql).rows {
      out.append($0.blob(0))
      return true
    }
    return out
  }

  private func changes(
    _ sql: String, _ arguments: [Statement.Argument], bytesMax: Int = .max
  ) throws(StoreError) -> [ChangeRow] {
    var out: [ChangeRow] = []
    var size = 0
    var isWhole = true
    try statement(sql).rows(arguments) { row in
      guard let session = SessionID(row.blob(0)), let hash = ChangeHash(row.blob(2)) else {
        isWhole = false
        return false
      }
      let change = ChangeRow(
        session: session, seq: UInt64(bitPattern: row.integer(1)), hash: hash, bytes: row.blob(3),
        isVerified: row.integer(4) == 1)
      size += change.bytes.count
      out.append(change)
      return size < bytesMax
    }
    guard isWhole else {
      throw StoreError(.corrupt, "a row of the change log is damaged; join the space anew")
    }
    return out
  }
}
