// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// One change as a row of the log.
package struct ChangeRow: Hashable, Sendable {
  package let session: SessionID
  package let seq: UInt64
  package let hash: ChangeHash
  package let bytes: [UInt8]
  package let isVerified: Bool
  package init(
    session: SessionID, seq: UInt64, hash: ChangeHash, bytes: [UInt8], isVerified: Bool
  ) {
    (self.session, self.seq, self.hash) = (session, seq, hash)
    (self.bytes, self.isVerified) = (bytes, isVerified)
  }
}

/// A change with its number in the order of arrival.
package struct ArrivedChange: Hashable, Sendable {
  package let arrival: Int64
  package let row: ChangeRow
  package init(arrival: Int64, row: ChangeRow) { (self.arrival, self.row) = (arrival, row) }
}

/// A checkpoint in bytes: a header and the chunks that changed.
package struct CheckpointRows: Sendable {
  package let header: [UInt8]
  package let chunks: [(number: Int, bytes: [UInt8])]
  /// Chunks with this number or a higher one are void.
  package let chunkCount: Int
  /// Whether the changes logged so far are in it. If not, the whole log is read at the next start.
  package let standsForLog: Bool
  package init(
    header: [UInt8], chunks: [(number: Int, bytes: [UInt8])], chunkCount: Int,
    standsForLog: Bool = true
  ) {
    (self.header, self.chunks) = (header, chunks)
    (self.chunkCount, self.standsForLog) = (chunkCount, standsForLog)
  }
}

/// What viewers were told, by the cursor at which they can go on. Cursors ascend and may skip.
package struct EventRow: Hashable, Sendable {
  /// 1 and up.
  package let cursor: UInt64
  package let bytes: [UInt8]
  package init(cursor: UInt64, bytes: [UInt8]) { (self.cursor, self.bytes) = (cursor, bytes) }
}

/// A row of a table that belongs to this machine alone; `value` nil deletes it.
package struct LocalRow: Hashable, Sendable {
  package let kind: String
  package let key: [UInt8]
  package let value: [UInt8]?
  package init(kind: String, key: [UInt8], value: [UInt8]?) {
    (self.kind, self.key, self.value) = (kind, key, value)
  }
}

/// What is written together: one transaction, synced before it is acknowledged.
package struct StoreBatch: Sendable {
  /// So many entries of the merge journal are kept.
  package static let journalKeptMax = 10_000
  /// Kinds of local rows that begin so mean things of the space, and leave with it.
  package static let spaceKindPrefix = "space."
  /// Kind of the local rows that hold changes from beyond the cutoff of a removed member.
  package static let quarantineKind = "space.quarantine"

  /// Removes everything of a former space first.
  package var clearsSpace = false
  package var changes: [ChangeRow] = []
  /// Behind `changes` and in this order: changes of `line` behind `point` are found under `name`.
  package var splits: [(line: SessionID, point: UInt64, name: SessionID)] = []
  /// Behind `splits`: changes of `line` from `first` on go into quarantine, local rows of
  /// `quarantineKind` by their hash.
  package var cuts: [(line: SessionID, first: UInt64)] = []
  /// Changes at or below these leave the log.
  package var floor: [Tip] = []
  package var facts: [(name: String, value: [UInt8])] = []
  package var rosterRecords: [[UInt8]] = []
  package var peers: [(device: [UInt8], row: [UInt8])] = []
  package var spent: [[UInt8]] = []
  package var journal: [[UInt8]] = []
  /// By cursor, ascending.
  package var events: [EventRow] = []
  /// Events up to this cursor leave.
  package var eventsFloor: UInt64?
  package var local: [LocalRow] = []
  package var checkpoint: CheckpointRows?

  package init() {}
}

/// How large a store is.
package struct StoreSizes: Hashable, Sendable {
  /// Changes in the log, and what their bytes come to.
  package var changes: Int64 = 0
  package var logBytes: Int64 = 0
  /// The database file, and the part of it that nothing uses.
  package var bytes: Int64 = 0
  package var freeBytes: Int64 = 0

  /// Nothing.
  package init() {}
}

/// Everything that a start needs, read in one go.
package struct StoreContents: Sendable {
  package var facts: [String: [UInt8]] = [:]
  /// `nil` before the first checkpoint.
  package var header: [UInt8]?
  package var chunks: [[UInt8]] = []
  /// The log behind the checkpoint, in order of arrival.
  package var tail: [ChangeRow] = []
  package var rosterRecords: [[UInt8]] = []
  package var peers: [[UInt8]] = []
  package var spent: [[UInt8]] = []
  /// The newest cursor in the event log, 0 if there is none.
  package var lastCursor: UInt64 = 0
  package init() {}
}
