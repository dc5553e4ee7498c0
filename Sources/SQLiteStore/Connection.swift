// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSQLite
import Glibc

/// The one connection to the database file (`docs/STORAGE.md`, "Connection").
@safe final class Connection {
  let handle: OpaquePointer
  private let path: String
  // SAFETY: one Int32 on the heap, written by the hook inside calls on `handle`, freed after them.
  private nonisolated(unsafe) let pages = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  /// `sqlite3_open_v2` without mutexes: the owner keeps to one thread.
  ///
  /// - Parameter vfs: Name of a registered file layer; tests put faults there.
  init(path: String, isReadOnly: Bool, vfs: String? = nil) throws(StoreError) {
    self.path = path
    var made: OpaquePointer?
    let mode = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = unsafe sqlite3_open_v2(path, &made, mode | SQLITE_OPEN_NOMUTEX, vfs)
    guard code == SQLITE_OK, let opened = unsafe made else {
      unsafe sqlite3_close_v2(made)
      unsafe pages.deallocate()
      throw Self.describe(code, errno: 0, "", path, "open")
    }
    unsafe handle = opened
    unsafe pages.initialize(to: 0)
    unsafe sqlite3_extended_result_codes(handle, 1)
    unsafe _ = hs_sqlite_defend(handle)
    // Until the format is known to be ours, not even a close may move anything.
    keepsLogAtClose(true)
  }

  deinit {
    unsafe sqlite3_close_v2(handle)
    unsafe pages.deallocate()
  }

  /// Begins to count the pages of the write-ahead log, and leaves moving them to `checkpoint`
  /// (either of the two calls here replaces the other's hook).
  func watchLog() {
    unsafe _ = sqlite3_wal_autocheckpoint(handle, 0)
    unsafe _ = sqlite3_wal_hook(
      handle,
      { pages, _, _, count in
        unsafe pages?.assumingMemoryBound(to: Int32.self).pointee = count
        return SQLITE_OK
      }, pages)
  }

  /// Pages in the write-ahead log after the last commit.
  var logPages: Int { unsafe Int(pages.pointee) }

  /// Whether the write-ahead log is left alone when the connection closes.
  func keepsLogAtClose(_ keeps: Bool) { unsafe _ = hs_sqlite_keeps_log(handle, keeps ? 1 : 0) }

  func execute(_ sql: String) throws(StoreError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, sql) }
  }

  /// The single integer that `sql` gives; 0 without a row.
  func integer(_ sql: String) throws(StoreError) -> Int64 {
    var value: Int64 = 0
    try Statement(sql, self).rows {
      value = $0.integer(0)
      return false
    }
    return value
  }

  /// Runs `body` in one transaction; all of it is on disk when this returns, or nothing of it is.
  ///
  /// After a failure the same connection may try again: the frames of the failed try are written
  /// anew, so no page counts as clean that a failed `fsync` has dropped.
  func transaction<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A failed COMMIT may have rolled back already: then this says so, harmlessly.
      unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// Moves the write-ahead log into the file as far as nobody reads it (`PASSIVE`).
  func checkpoint() throws(StoreError) {
    var total: Int32 = 0
    var moved: Int32 = 0
    let code = unsafe sqlite3_wal_checkpoint_v2(
      handle, nil, SQLITE_CHECKPOINT_PASSIVE, &total, &moved)
    guard code == SQLITE_OK || code == SQLITE_BUSY else { throw error(code, "checkpoint") }
    if total == moved { unsafe pages.pointee = 0 }
  }

  /// Moves all of the write-ahead log into the file and empties it.
  func checkpointAndTruncate() throws(StoreError) {
    let code = unsafe sqlite3_wal_checkpoint_v2(
      handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
    guard code == SQLITE_OK else { throw error(code, "checkpoint") }
    unsafe pages.pointee = 0
  }

  /// What the library's code `code` means here; `action` is the SQL or the call.
  func error(
    _ code: Int32, _ action: String, file: StaticString = #fileID, line: UInt = #line
  ) -> StoreError {
    let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? ""
    let system = unsafe sqlite3_system_errno(handle)
    return Self.describe(code, errno: system, message, path, action, file: file, line: line)
  }

  private static func describe(
    _ code: Int32, errno: Int32, _ message: String, _ path: String, _ action: String,
    file: StaticString = #fileID, line: UInt = #line
  ) -> StoreError {
    let head = action.split(separator: "\n").first.map { String($0.prefix(60)) } ?? ""
    let cause = "SQLite \(code), errno \(errno), in \(head): \(message)"
    let (kind, text): (StoreError.Code, String) =
      switch (code & 0xFF, errno) {
      case (SQLITE_FULL, _), (SQLITE_IOERR, ENOSPC), (SQLITE_IOERR, EDQUOT):
        (.full, "no space left for \(path); free some, the agent goes on by itself")
      case (SQLITE_READONLY, _), (SQLITE_CANTOPEN, _), (SQLITE_IOERR, EROFS):
        (.readOnly, "\(path) cannot be written; check its file system and owner")
      case (SQLITE_PERM, _), (SQLITE_AUTH, _):
        (.permission, "\(path) belongs to somebody else")
      case (SQLITE_CORRUPT, _), (SQLITE_NOTADB, _):
        (.corrupt, "\(path) is damaged; keep a copy of it and join the space anew")
      case (SQLITE_BUSY, _), (SQLITE_LOCKED, _):
        (.locked(pid: nil), "\(path) is open in another program; close that first")
      default: (.io, "\(path) could not be read or written")
      }
    return StoreError(kind, text, cause: cause, file: file, line: line)
  }
}
