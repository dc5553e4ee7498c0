// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSQLite

/// One prepared statement, kept for reuse: each use binds, steps, reads and resets.
@safe final class Statement {
  private let handle: OpaquePointer
  private let connection: Connection
  private let sql: String

  /// `sqlite3_prepare_v3` with the hint that it is kept.
  init(_ sql: String, _ connection: Connection) throws(StoreError) {
    self.connection = connection
    self.sql = sql
    var made: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
    guard code == SQLITE_OK, let made = unsafe made else { throw connection.error(code, sql) }
    unsafe handle = made
  }

  deinit { unsafe sqlite3_finalize(handle) }

  enum Argument {
    case integer(Int64)
    case blob([UInt8])
    case text(String)
  }

  private func bind(_ arguments: [Argument]) throws(StoreError) {
    for (at, argument) in arguments.enumerated() {
      let index = Int32(at + 1)
      let code: Int32 =
        switch argument {
        case .integer(let value): unsafe sqlite3_bind_int64(handle, index, value)
        case .text(let text): unsafe sqlite3_bind_text(handle, index, text, -1, transient)
        case .blob(let bytes):
          // An empty array may have no address, which SQLite would read as NULL.
          unsafe bytes.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : bytes.withUnsafeBytes {
              unsafe sqlite3_bind_blob64(
                handle, index, $0.baseAddress, UInt64($0.count), transient)
            }
        }
      guard code == SQLITE_OK else { throw connection.error(code, sql) }
    }
  }

  /// Runs to the end and ignores rows.
  func run(_ arguments: [Argument] = []) throws(StoreError) {
    try rows(arguments) { _ in false }
  }

  /// Calls `body` for each row until it returns `false`.
  func rows(_ arguments: [Argument] = [], _ body: (Row) -> Bool) throws(StoreError) {
    // What reset returns is the step's failure once more.
    defer { unsafe sqlite3_reset(handle) }
    try bind(arguments)
    while true {
      let code = unsafe sqlite3_step(handle)
      if code == SQLITE_DONE { return }
      guard code == SQLITE_ROW else { throw connection.error(code, sql) }
      if !body(unsafe Row(handle: handle)) { return }
    }
  }

  /// One row of a result, valid inside the closure it is given to.
  @safe struct Row {
    fileprivate let handle: OpaquePointer

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    /// Bytes of a blob or a text; empty for NULL.
    func blob(_ column: Int32) -> [UInt8] {
      guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
      let count = unsafe Int(sqlite3_column_bytes(handle, column))
      return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }
  }
}

/// `SQLITE_TRANSIENT`: the library copies what it is given.
private let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
