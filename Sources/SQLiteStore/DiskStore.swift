// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// The database on a thread of its own, so that an fsync never delays the loop.
///
/// Calls are served one after the other, in order. Await them from the actor that owns the loop. The
/// engine keeps one batch under way and gathers the rest, so there is no group commit here.
package actor DiskStore {
  package nonisolated let executor: DiskExecutor
  private let database: Database

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Takes the database over; nobody else may use it afterwards.
  package init(_ database: sending Database, executor: DiskExecutor) {
    self.database = database
    self.executor = executor
    executor.whenQuiet { [weak self] in
      self?.assumeIsolated { $0.tidy() } ?? false
    }
  }

  /// As `Database.commit`, as a value.
  package func commit(_ batch: StoreBatch) -> Result<Void, StoreError> {
    do {
      try database.commit([batch])
    } catch { return .failure(error) }
    if database.logPages >= Database.logPagesMax { checkpointLog() }
    return .success(())
  }

  /// As `Database.changes`.
  package func changes(
    of session: SessionID, from first: UInt64, through last: UInt64, bytesMax: Int
  ) -> Result<[ChangeRow], StoreError> {
    Self.result { () throws(StoreError) in
      try database.changes(of: session, from: first, through: last, bytesMax: bytesMax)
    }
  }

  /// As `Database.local`.
  package func local(
    _ kind: String
  ) -> Result<[(key: [UInt8], value: [UInt8])], StoreError> {
    Self.result { () throws(StoreError) in try database.local(kind) }
  }

  /// As `Database.journal`.
  package func journal(limit: Int) -> [(number: Int64, entry: [UInt8])] {
    (try? database.journal(limit: limit)) ?? []  // a journal that cannot be read shows as empty
  }

  /// As `Database.newestChanges`.
  package func newestChanges(
    before: Int64, limit: Int
  ) -> Result<[ArrivedChange], StoreError> {
    Self.result { () throws(StoreError) in
      try database.newestChanges(before: before, limit: limit)
    }
  }

  /// As `Database.sizes`; zeros when it cannot be read.
  package func sizes() -> StoreSizes { (try? database.sizes()) ?? StoreSizes() }

  /// As `Database.checkpointLog`.
  package func checkpointLog() {
    try? database.checkpointLog()  // the log stays, and the next quiet moment tries again
  }

  /// What a quiet moment is used for.
  /// - Returns: Whether the next one is needed as well.
  func tidy() -> Bool {
    // What fails here is tried again in the next quiet moment after some work.
    let hasMore = (try? database.shrink()) ?? false
    if database.logPages >= Database.logPagesWorthMoving { checkpointLog() }
    return hasMore
  }

  /// Pages in the write-ahead log.
  var logPages: Int { database.logPages }

  private static func result<Value>(
    _ body: () throws(StoreError) -> Value
  ) -> Result<Value, StoreError> {
    do { return .success(try body()) } catch { return .failure(error) }
  }
}
