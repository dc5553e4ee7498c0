// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSQLite

/// The database of one space: bytes and rows, no merge logic.
///
/// One connection in one process does every read, write and checkpoint (SQLite 3.40 can lose commits
/// to a race of two); the file is locked against all others while this is open. Not `Sendable`: it
/// lives on one thread. Writing is in `Database+Writing.swift`, reading in `Database+Reading.swift`.
package final class Database {
  /// Name of the file in the data directory.
  package static let fileName = "space.db"
  /// Above this many pages (64 MiB) the write-ahead log moves into the file even under load.
  package static let logPagesMax = 16 * 1024
  /// From this many pages (1 MiB) on it is worth moving when nothing else is to be done.
  package static let logPagesWorthMoving = 256

  /// From this many unused pages (1 MiB) on they are given back.
  package static let freePagesWorthReturning: Int64 = 256
  /// So many pages (8 MiB) are given back in one go, between two commits.
  package static let pagesReturnedMax = 2048

  let connection: Connection
  var files: FilesInPlace
  private var kept: [String: Statement] = [:]

  /// Opens or makes the file at `path` and brings its format up to date; a copy of a file of an older
  /// format is kept beside it, named after that format.
  ///
  /// - Parameter isReadOnly: For readers while no agent runs: nothing is moved or brought up to date.
  /// - Throws: `.newer` for a file of a newer version and `.corrupt` for another program's file, which
  ///   stay untouched; `.locked` while another connection is open.
  package convenience init(path: String, isReadOnly: Bool = false) throws(StoreError) {
    try Self.refuseNewer(path)
    if !isReadOnly { try DataDirectory.claim(path) }
    try self.init(path: path, isReadOnly: isReadOnly, vfs: nil, steps: Migrations.steps)
  }

  /// As above, with the file layer and the steps that a test wants.
  init(path: String, isReadOnly: Bool, vfs: String?, steps: [String]) throws(StoreError) {
    connection = try Connection(path: path, isReadOnly: isReadOnly, vfs: vfs)
    files = FilesInPlace(path)
    // Before the first read: then no other process can come in, and no shared-memory file is needed.
    if !isReadOnly { try connection.execute("PRAGMA locking_mode=EXCLUSIVE") }
    let known = Int32(steps.count)
    let found = try Self.format(connection, path, known: known)
    if isReadOnly {
      if found == known { return }
      throw StoreError(
        .older(found: found, known: known),
        "\(path) has format \(found), this version reads \(known): start the agent once")
    }
    // Only an empty file takes it, and only before anything is written.
    if found == 0 { try connection.execute("PRAGMA auto_vacuum=INCREMENTAL") }
    try configure(path)
    if found > 0 && found < known { try keepCopy(path, format: found) }
    for step in Int(found)..<steps.count {
      try connection.transaction { () throws(StoreError) in
        try connection.execute(steps[step])
        try connection.execute("PRAGMA user_version=\(step + 1)")
      }
    }
    // What an earlier process left in the log may never have been synced: now it is.
    try connection.checkpointAndTruncate()
    files = FilesInPlace(path)
  }

  /// The format of the file, 0 for an empty one.
  private static func format(
    _ connection: Connection, _ path: String, known: Int32
  ) throws(StoreError) -> Int32 {
    let found = Int32(truncatingIfNeeded: try connection.integer("PRAGMA user_version"))
    let owner = try connection.integer("PRAGMA application_id")
    let tables = try connection.integer("SELECT COUNT(*) FROM sqlite_schema")
    guard owner == Migrations.applicationID || (owner == 0 && tables == 0 && found == 0) else {
      throw StoreError(
        .corrupt, "\(path) is the database of another program; nothing was changed",
        cause: "application id \(owner)")
    }
    guard found >= 0, found <= known else { throw newer(path, found: found, known: known) }
    return found
  }

  private static func newer(_ path: String, found: Int32, known: Int32) -> StoreError {
    StoreError(
      .newer(found: found, known: known),
      "\(path) has format \(found), this version knows \(known): "
        + "install the newer hedgerow again; nothing was changed")
  }

  /// Reads the format out of the file's own header: SQLite would make an empty log beside it.
  private static func refuseNewer(_ path: String) throws(StoreError) {
    guard let header = DataDirectory.read(path, bytesMax: 100), header.count == 100 else { return }
    func number(at offset: Int) -> Int32 {
      Int32(bitPattern: header[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    let (found, owner) = (number(at: 60), number(at: 68))
    let known = Int32(Migrations.steps.count)
    if owner == Migrations.applicationID, found > known {
      throw newer(path, found: found, known: known)
    }
  }

  private func configure(_ path: String) throws(StoreError) {
    connection.keepsLogAtClose(false)
    var mode: [UInt8] = []
    try Statement("PRAGMA journal_mode=WAL", connection).rows {
      mode = $0.blob(0)
      return false
    }
    guard mode == Array("wal".utf8) else {
      throw StoreError(.io, "\(path) is on a file system that cannot hold a write-ahead log")
    }
    try connection.execute(
      """
      PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=4194304;
      PRAGMA cache_size=-2048; PRAGMA trusted_schema=OFF;
      """)
    connection.watchLog()
  }

  /// Copies the whole database to `path.vN`, synced.
  private func keepCopy(_ path: String, format: Int32) throws(StoreError) {
    let copy = "\(path).v\(format)"
    try DataDirectory.remove(copy)
    try write(to: copy)
  }

  static func damagedCopy(of path: String) -> String { path + ".damaged" }

  /// Copies the whole database, rows that nobody can read included, to `path.damaged`; one that lies
  /// there already stays as it is.
  /// - Returns: The path of the copy.
  func keepDamaged(path: String) throws(StoreError) -> String {
    let copy = Self.damagedCopy(of: path)
    if DataDirectory.fileIdentity(copy).isEmpty {
      do { try write(to: copy) } catch {
        try? DataDirectory.remove(copy)  // half a copy would keep a whole one from being made
        throw error
      }
    }
    return copy
  }

  private func write(to copy: String) throws(StoreError) {
    try DataDirectory.claim(copy)
    try Statement("VACUUM INTO ?", connection).run([.text(copy)])
    try DataDirectory.sync(copy)
  }

  /// The version of the library, for logs.
  package static var libraryVersion: String { unsafe String(cString: sqlite3_libversion()) }

  func statement(_ sql: String) throws(StoreError) -> Statement {
    if let known = kept[sql] { return known }
    let made = try Statement(sql, connection)
    kept[sql] = made
    return made
  }

  /// Pages in the write-ahead log.
  package var logPages: Int { connection.logPages }

  /// Gives pages that nothing uses back to the file system, so that the file follows its content.
  /// - Returns: Whether more are left that are worth it.
  package func shrink() throws(StoreError) -> Bool {
    guard try connection.integer("PRAGMA freelist_count") >= Self.freePagesWorthReturning
    else { return false }
    try connection.execute("PRAGMA incremental_vacuum(\(Self.pagesReturnedMax))")
    return try connection.integer("PRAGMA freelist_count") >= Self.freePagesWorthReturning
  }

  /// Moves the write-ahead log into the file; for when nothing waits.
  package func checkpointLog() throws(StoreError) { try connection.checkpoint() }
}
