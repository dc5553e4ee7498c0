// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// What must reach the disk together: all or nothing, in one transaction.
package struct Batch: Hashable, Sendable {
  /// New changes, each session ascending. Never empty together with all the rest.
  package var changes: [LoggedChange] = []
  /// The hybrid clock after these changes, and the last change this device wrote.
  package var clock: UInt64 = 0
  package var own: Tip?
  /// Roster records that are new, as signed bytes, in an order in which they may be replayed.
  package var rosterRecords: [[UInt8]] = []
  /// Rows to write, one a device.
  package var peers: [PeerRow] = []
  /// Hashes of invite codes that are used up; 32 bytes each.
  package var spentInvites: [[UInt8]] = []
  /// Chunks that replace or add to those on disk, with the header that fits them.
  package var checkpoint: Checkpoint?
  /// Behind `changes` and in this order: changes that are held as a branch from now on.
  package var splits: [LogSplit] = []
  /// Behind `splits`: changes that go from the log into quarantine.
  package var cuts: [LogCut] = []
  /// Changes at or below these leave the log: they are in the checkpoint (core 6.1).
  package var floor: [Tip] = []
  /// Values that lost unseen in these changes, in the order they were told.
  package var journal: [JournalEntry] = []
  /// Rows of this machine's own tables that belong to these changes.
  package var kept: [KeptRow] = []
  /// The book of days, if it changed.
  package var ages: AgeBook?
  /// Joining another space: everything of the former one on disk goes first.
  package var replacesSpace = false

  package init() {}

  /// Takes the newer row of a member.
  package mutating func put(_ row: PeerRow) {
    peers.removeAll { $0.device == row.device }
    peers.append(row)
  }

  package var isEmpty: Bool {
    changes.isEmpty && rosterRecords.isEmpty && peers.isEmpty && spentInvites.isEmpty
      && checkpoint == nil && splits.isEmpty && cuts.isEmpty && floor.isEmpty && journal.isEmpty
      && kept.isEmpty
      && !replacesSpace
  }
}

/// A row of the tables that belong to this machine alone; `value` nil deletes it.
package struct KeptRow: Hashable, Sendable {
  package let kind: String
  package let key: [UInt8]
  package let value: [UInt8]?
  package init(kind: String, key: [UInt8], value: [UInt8]?) {
    (self.kind, self.key, self.value) = (kind, key, value)
  }
}

/// One change as it stands in the log.
package struct LoggedChange: Hashable, Sendable {
  /// The session, or the name of the branch, under which the change is held.
  package let dot: Dot
  package let hash: ChangeHash
  /// Body and signature.
  package let bytes: [UInt8]
  /// Whether this agent checked the signature itself; runs may end only here (core 5.1).
  package var isVerified: Bool

  package init(dot: Dot, hash: ChangeHash, bytes: [UInt8], isVerified: Bool) {
    (self.dot, self.hash, self.bytes, self.isVerified) = (dot, hash, bytes, isVerified)
  }
}

/// All changes of `line` behind `point` are to be found under `name`.
package struct LogSplit: Hashable, Sendable {
  package let line: SessionID
  package let point: UInt64
  package let name: SessionID
  package init(line: SessionID, point: UInt64, name: SessionID) {
    (self.line, self.point, self.name) = (line, point, name)
  }
}

/// All changes of `line` from `first` on lie beyond the cutoff of their author.
package struct LogCut: Hashable, Sendable {
  package let line: SessionID
  package let first: UInt64
  package init(line: SessionID, first: UInt64) { (self.line, self.first) = (line, first) }
}

/// A stretch of one session in the log.
package struct LogRequest: Hashable, Sendable {
  package let session: SessionID
  /// First and last seq wanted, inclusive.
  package let first: UInt64
  package let last: UInt64
  /// Stop after the change that reaches this many bytes; at least one change is read.
  package let bytesMax: Int

  package init(session: SessionID, first: UInt64, last: UInt64, bytesMax: Int) {
    (self.session, self.first, self.last, self.bytesMax) = (session, first, last, bytesMax)
  }
}

/// The replica as it is read at the next start, in the bytes of `ImageCodec`.
package struct Checkpoint: Hashable, Sendable {
  package var header: [UInt8]
  /// By chunk number, ascending; those that are not named stay as they are on disk.
  package var chunks: [(number: Int, bytes: [UInt8])]
  /// How many chunks there are now; higher numbers on disk are void.
  package var chunkCount: Int
  /// Whether everything in the log so far is in it; if not, the next start reads the whole log.
  package var standsForLog = true

  package init(header: [UInt8], chunks: [(number: Int, bytes: [UInt8])], chunkCount: Int) {
    (self.header, self.chunks, self.chunkCount) = (header, chunks, chunkCount)
  }

  package static func == (a: Self, b: Self) -> Bool {
    a.header == b.header && a.chunkCount == b.chunkCount && a.standsForLog == b.standsForLog
      && a.chunks.elementsEqual(b.chunks) { $0.number == $1.number && $0.bytes == $1.bytes }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(header)
    hasher.combine(chunkCount)
  }
}
