// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSQLite

/// One prepared statement, kept for reuse. Bind, step, read, reset.
@safe final class Statement {
  private let handle: OpaquePointer
  private let connection: Connection

  /// `sqlite3_prepare_v3` with the hint that it is kept.
  init(_ sql: String, _ connection: Connection) throws(StoreError) {
    self.connection = connection
    var made: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
    guard code == SQLITE_OK, let made = unsafe made else { throw connection.error(code, "prepare") }
    unsafe handle = made
  }

  deinit { unsafe sqlite3_finalize(handle) }

  enum Argument {
    case integer(Int64)
    case blob([UInt8])
    case null
  }

  private func bind(_ arguments: [Argument]) throws(StoreError) {
    for (at, argument) in arguments.enumerated() {
      let index = Int32(at + 1)
      let code: Int32 =
        switch argument {
        case .integer(let value): unsafe sqlite3_bind_int64(handle, index, value)
        case .null: unsafe sqlite3_bind_null(handle, index)
        case .blob(let bytes):
          // An empty array may have no address, which SQLite would read as NULL.
          unsafe bytes.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : bytes.withUnsafeBytes {
              unsafe sqlite3_bind_blob64(
                handle, index, $0.baseAddress, UInt64($0.count), transient)
            }
        }
      guard code == SQLITE_OK else { throw connection.error(code, "bind") }
    }
  }

  /// Runs to the end and ignores rows.
  func run(_ arguments: [Argument] = []) throws(StoreError) {
    _ = try rows(arguments) { _ in false }
  }

  /// Calls `body` for each row until it returns `false`.
  func rows(_ arguments: [Argument] = [], _ body: (Row) -> Bool) throws(StoreError) -> Int {
    defer { unsafe sqlite3_reset(handle) }
    try bind(arguments)
    var count = 0
    while true {
      let code = unsafe sqlite3_step(handle)
      if code == SQLITE_DONE { return count }
      guard code == SQLITE_ROW else { throw connection.error(code, "step") }
      count += 1
      if !body(unsafe Row(handle: handle)) { return count }
    }
  }

  /// One row of a result, valid inside the closure it is given to.
  @safe struct Row {
    fileprivate let handle: OpaquePointer

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func blob(_ column: Int32) -> [UInt8] {
      guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
      let count = unsafe Int(sqlite3_column_bytes(handle, column))
      return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
  }
}

/// `SQLITE_TRANSIENT`: the library copies what it is given.
private let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// The one connection to the database file (`docs/STORAGE.md`, "Connection").
@safe final class Connection {
  let handle: OpaquePointer
  private let path: String

  init(path: String, isReadOnly: Bool) throws(StoreError) {
    self.path = path
    var made: OpaquePointer?
    let mode = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = unsafe sqlite3_open_v2(path, &made, mode | SQLITE_OPEN_NOMUTEX, nil)
    guard code == SQLITE_OK, let opened = unsafe made else {
      unsafe sqlite3_close_v2(made)
      throw Self.describe(code, "", path, "open")
    }
    unsafe handle = opened
    unsafe sqlite3_extended_result_codes(handle, 1)
  }

  deinit { unsafe sqlite3_close_v2(handle) }

  func execute(_ sql: String) throws(StoreError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code, "execute") }
  }

  /// The single integer that `sql` gives.
  func integer(_ sql: String) throws(StoreError) -> Int64 {
    var value: Int64 = 0
    _ = try Statement(sql, self).rows {
      value = $0.integer(0)
      return false
    }
    return value
  }

  /// Runs `body` in one transaction; all of it is on disk when this returns, or nothing is.
  func transaction<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
    try execute("BEGIN IMMEDIATE")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // A failed COMMIT of a full disk may have rolled back already: then this says so, harmlessly.
      unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// Moves what the log holds into the file, as far as nobody reads it: `PASSIVE`, never `wal_autocheckpoint`.
  func checkpoint() throws(StoreError) {
    let code = unsafe sqlite3_wal_checkpoint_v2(
      handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    guard code == SQLITE_OK || code == SQLITE_BUSY else { throw error(code, "checkpoint") }
  }

  func error(_ code: Int32, _ action: String) -> StoreError {
    let message = unsafe sqlite3_errmsg(handle).map { unsafe String(cString: $0) } ?? ""
    return Self.describe(code, message, path, action)
  }

  private static func describe(
    _ code: Int32, _ message: String, _ path: String, _ action: String
  ) -> StoreError {
    let cause = "SQLite \(code) in \(action): \(message)"
    return switch code & 0xFF {
    case SQLITE_FULL:
      StoreError(
        .full, "no space left for \(path); free some, the agent goes on by itself", cause: cause)
    case SQLITE_READONLY, SQLITE_CANTOPEN:
      StoreError(
        .readOnly, "\(path) cannot be written; check its file system and owner", cause: cause)
    case SQLITE_PERM, SQLITE_AUTH:
      StoreError(.permission, "\(path) belongs to somebody else", cause: cause)
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      StoreError(
        .corrupt, "\(path) is damaged; keep a copy of it and join the space anew", cause: cause)
    default: StoreError(.io, "\(path) could not be read or written", cause: cause)
    }
  }
}
