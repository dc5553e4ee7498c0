// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A replica without its items, as plain values: what a checkpoint and a snapshot begin with
/// (`core.md` 8). `WireCodec` gives it bytes.
public struct ReplicaHeader: Hashable, Sendable {
  public struct Session: Hashable, Sendable {
    public let id: SessionID
    /// `nil` for a session that only other authors' contexts name.
    public let head: SessionHead?
    /// Seq, hash and `h` of the last change held; seq 0 for none.
    public let tipSeq: UInt64
    public let tipHash: ChangeHash
    public let tipH: UInt64
    /// Seq, hash and `h` of the last change that has left the log; seq 0 for none.
    public let floor: UInt64
    public let floorHash: ChangeHash
    public let floorH: UInt64
    /// What the author had seen at the tip: number in `contexts`, see there.
    public let context: UInt32
    /// Set for the branch of a forked session; then `head` is that of the session itself, but for
    /// the predecessor, which is the fork point.
    public let branch: Branch?
    /// The newest changes in short.
    public let trail: Trail

    public init(
      id: SessionID, head: SessionHead?, tipSeq: UInt64, tipHash: ChangeHash, tipH: UInt64,
      floor: UInt64, floorHash: ChangeHash, floorH: UInt64, context: UInt32,
      branch: Branch? = nil, trail: Trail = Trail()
    ) {
      self.trail = trail
      (self.id, self.head, self.tipSeq, self.tipHash) = (id, head, tipSeq, tipHash)
      (self.floor, self.floorHash, self.floorH) = (floor, floorHash, floorH)
      (self.tipH, self.context, self.branch) = (tipH, context, branch)
    }
  }

  /// The changes of a line behind `base` in short: what a split needs where the log has gone.
  public struct Trail: Hashable, Sendable {
    /// Changes in one trail; adds, and entries of what was seen, in one trail.
    public static let changesMax = 4_096
    public static let detailsMax = 2 * 16_384

    public let base: UInt64
    /// First eight bytes of the hash of each change behind `base`; none in a branch.
    public let hashes: [UInt64]
    public let adds: [Add]
    public let seen: [Seen]

    public init(
      base: UInt64 = 0, hashes: [UInt64] = [], adds: [Add] = [], seen: [Seen] = []
    ) {
      (self.base, self.hashes, self.adds, self.seen) = (base, hashes, adds, seen)
    }
  }

  /// What the author of one change named as seen.
  public struct Seen: Hashable, Sendable {
    public let seq: UInt64
    /// Index into `sessions`.
    public let session: UInt32
    public let last: UInt64
    /// First four bytes of the hash of that change.
    public let mark: UInt32

    public init(seq: UInt64, session: UInt32, last: UInt64, mark: UInt32) {
      (self.seq, self.session, self.last, self.mark) = (seq, session, last, mark)
    }
  }

  /// What one change added to one counter.
  public struct Add: Hashable, Sendable {
    public let seq: UInt64
    public let item: ItemID
    public let field: FieldName
    public let delta: Int64

    public init(seq: UInt64, item: ItemID, field: FieldName, delta: Int64) {
      (self.seq, self.item, self.field, self.delta) = (seq, item, field, delta)
    }
  }

  /// What makes a session entry a branch.
  public struct Branch: Hashable, Sendable {
    /// The forked session, by index into `sessions`.
    public let origin: UInt32
    /// The last change before the branch.
    public let base: UInt64
    /// First eight bytes of the hash of each change from `base` + 1 to the tip.
    public let hashes: [UInt64]
    public init(origin: UInt32, base: UInt64, hashes: [UInt64]) {
      (self.origin, self.base, self.hashes) = (origin, base, hashes)
    }
  }

  /// What an author had seen, told by what differs from an earlier context.
  public struct Context: Hashable, Sendable {
    public struct Entry: Hashable, Sendable {
      /// Index into `sessions`.
      public let session: UInt32
      /// Seq in the upper half, the first four bytes of that change's hash in the lower; 0 for a
      /// session of which, other than there, nothing was seen.
      public let seen: UInt64
      public init(session: UInt32, seen: UInt64) { (self.session, self.seen) = (session, seen) }
    }

    /// Number of a context before this one.
    public let base: UInt32
    /// Ascending by session.
    public let entries: [Entry]
    public init(base: UInt32, entries: [Entry]) { (self.base, self.entries) = (base, entries) }
  }

  /// Entries in all contexts of one header.
  public static let contextEntriesMax = 1 << 22
  /// Contexts of one header, times its sessions: each context has the way to all of its pages.
  public static let contextReachMax = 1 << 36

  /// What the author of a change had seen, itself included.
  ///
  /// Of one that deletes it is needed while a delete of it is the winner of its cell or may become so
  /// again. Of one that was folded before all that was seen there, because what comes later and had
  /// been seen is no unseen loser.
  public struct SeenBy: Hashable, Sendable {
    /// Index into `sessions`.
    public let session: UInt32
    public let seq: UInt64
    /// Number in `contexts`.
    public let context: UInt32
    public init(session: UInt32, seq: UInt64, context: UInt32) {
      (self.session, self.seq, self.context) = (session, seq, context)
    }
  }

  /// Early changes in one header; beyond that a line too many in a journal is the price.
  public static let earlyMax = 1024

  /// A change with ops that the writer of the header did not know.
  public struct WaitingChange: Hashable, Sendable {
    /// Index into `sessions`.
    public let session: UInt32
    public let seq: UInt64
    /// Indexes of those ops, ascending.
    public let ops: [UInt32]
    /// What the author had seen: number in `contexts`.
    public let context: UInt32
    /// Body and signature.
    public let bytes: [UInt8]
    public init(session: UInt32, seq: UInt64, ops: [UInt32], context: UInt32, bytes: [UInt8]) {
      (self.session, self.seq, self.ops) = (session, seq, ops)
      (self.context, self.bytes) = (context, bytes)
    }
  }

  /// Predecessors before their successors, by their index in `arrival`.
  public var sessions: [Session]
  /// Indexes of the opened sessions in `sessions`, predecessors first.
  public var arrival: [UInt32]
  /// Counted from 1; number 0 has seen nothing. Each stands behind its base.
  public var contexts: [Context]
  /// Of changes that delete; ascending by session and seq.
  public var deleteContexts: [SeenBy]
  /// Of changes that came early; ascending by session and seq, at most `earlyMax`.
  public var early: [SeenBy]
  /// Predecessors first.
  public var waiting: [WaitingChange]
  /// How many `ItemChunk`s follow.
  public var chunkCount: UInt64
  /// How many of them, the first ones, are cold (`Replica.freeze`).
  public var coldCount: UInt64

  public init(
    sessions: [Session], arrival: [UInt32], contexts: [Context], deleteContexts: [SeenBy],
    early: [SeenBy], waiting: [WaitingChange], chunkCount: UInt64, coldCount: UInt64 = 0
  ) {
    (self.sessions, self.arrival, self.contexts) = (sessions, arrival, contexts)
    (self.deleteContexts, self.early, self.waiting) = (deleteContexts, early, waiting)
    (self.chunkCount, self.coldCount) = (chunkCount, coldCount)
  }
}

/// Up to `itemCountMax` items with all their cells, column by column, readable on its own.
///
/// Stamps are 1-based indexes into `stamps`; 0 means "never written". All columns of items have
/// `ids.count` entries.
public struct ItemChunk: Hashable, Sendable {
  public static let itemCountMax = 1000
  /// Sessions in all `deleteContexts` of one chunk.
  public static let seenCountMax = 1 << 21

  public struct StampRow: Hashable, Sendable {
    /// Index into `sessions`.
    public let session: UInt32
    public let seq: UInt64
    public let h: UInt64
    public let op: UInt32
    public init(session: UInt32, seq: UInt64, h: UInt64, op: UInt32) {
      (self.session, self.seq, self.h, self.op) = (session, seq, h, op)
    }
  }

  public struct FieldCells: Hashable, Sendable {
    public let name: FieldName
    /// Ascending indexes into `ids`.
    public var rows: [UInt32]
    public var stamps: [UInt32]
    public var values: [Value]
    public init(name: FieldName, rows: [UInt32], stamps: [UInt32], values: [Value]) {
      (self.name, self.rows, self.stamps, self.values) = (name, rows, stamps, values)
    }
  }

  public struct CounterCell: Hashable, Sendable {
    /// Index into `ids`.
    public let row: UInt32
    public let field: FieldName
    /// Index into `sessions`.
    public let session: UInt32
    public let total: Int64
    /// Seq of the last add.
    public let seq: UInt64
    public init(row: UInt32, field: FieldName, session: UInt32, total: Int64, seq: UInt64) {
      (self.row, self.field, self.session) = (row, field, session)
      (self.total, self.seq) = (total, seq)
    }
  }

  /// What a cell held at the log floor, where it shows a later write.
  public struct FloorCell: Hashable, Sendable {
    /// Index into `ids`.
    public let row: UInt32
    public let name: CellName
    public let stamp: UInt32
    /// Means nothing for a creation.
    public let value: CellValue
    public init(row: UInt32, name: CellName, stamp: UInt32, value: CellValue) {
      (self.row, self.name, self.stamp, self.value) = (row, name, stamp, value)
    }
  }

  /// What the author of a change that deletes had seen.
  public struct DeleteContext: Hashable, Sendable {
    /// Index into `sessions`.
    public let session: UInt32
    public let seq: UInt64
    /// By index into `sessions`, 0 beyond the end: seqs in the upper half, the first four bytes of
    /// that change's hash in the lower.
    public let seen: [UInt64]
    public init(session: UInt32, seq: UInt64, seen: [UInt64]) {
      (self.session, self.seq, self.seen) = (session, seq, seen)
    }
  }

  public var sessions: [SessionID] = []
  public var stamps: [StampRow] = []
  public var ids: [ItemID] = []
  public var create: [UInt32] = []
  public var place: [UInt32] = []
  public var life: [UInt32] = []
  /// Meaningful where `life` is not 0.
  public var dead: [Bool] = []
  /// Meaningful where `place` is not 0.
  public var parents: [ItemID] = []
  /// Meaningful where `place` is not 0; empty elsewhere.
  public var keys: [PositionKey] = []
  /// Ascending by name.
  public var fields: [FieldCells] = []
  public var counters: [CounterCell] = []
  public var floorCells: [FloorCell] = []
  /// What a session had added to a counter at the log floor, where it added more since.
  public var floorCounters: [CounterCell] = []
  /// In a cold chunk, what the authors of the deletes in it had seen: by index into this chunk's
  /// `sessions`, the change itself not included. Empty in others, where the header has them.
  public var deleteContexts: [DeleteContext] = []
  /// Whether the next cold chunk holds the rest of a subtree that begins in this one.
  public var isContinued = false

  public init() {}
}

/// Why a header and chunks do not make a replica.
public enum ImageDefect: Error, Hashable, Sendable {
  /// An index points outside its table, or columns differ in length.
  case shape
  /// A session continues one that is not there or belongs to another device.
  case session
  /// A key, a stamp or an id that no change can carry.
  case value
}
