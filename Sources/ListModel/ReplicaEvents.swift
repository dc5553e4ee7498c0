// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A cell of an item that has one winner.
public enum CellName: Hashable, Sendable {
  case create
  case place
  case life
  case field(FieldName)
}

/// What a cell holds, for journals and events.
public enum CellValue: Hashable, Sendable {
  case place(parent: ItemID, key: PositionKey)
  case life(alive: Bool)
  case value(Value)
}

/// Who wrote a cell, and when by the writer's clock.
public struct Written: Hashable, Sendable {
  public let device: DeviceID
  public let dot: Dot
  public let h: UInt64
  public init(device: DeviceID, dot: Dot, h: UInt64) {
    (self.device, self.dot, self.h) = (device, dot, h)
  }

  /// The wall part of `h`: milliseconds since 1970.
  public var milliseconds: Int64 { Int64(h >> 16) }
}

/// A write that lost to another one which its author had not seen (`core.md` 5.2).
public struct JournalEntry: Hashable, Sendable {
  public let item: ItemID
  public let cell: CellName
  public let kept: CellValue
  public let keptBy: Written
  public let dropped: CellValue
  public let droppedBy: Written
  public init(
    item: ItemID, cell: CellName, kept: CellValue, keptBy: Written, dropped: CellValue,
    droppedBy: Written
  ) {
    (self.item, self.cell) = (item, cell)
    (self.kept, self.keptBy, self.dropped, self.droppedBy) = (kept, keptBy, dropped, droppedBy)
  }
}

/// One visible effect of a fold, in op order.
public struct ReplicaEvent: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    case added(parent: ItemID)
    case set(FieldName, old: Value?, new: Value)
    case counted(FieldName, old: Int64, new: Int64)
    case moved(from: ItemID, to: ItemID)
    case removed
    case restored
    /// Shows in Recovered now: its parent went away while somebody else put or moved it there, or two
    /// moves closed a cycle. `from` is the parent that it had here before, if it had one.
    case recovered(from: ItemID?)
    indirect case overridden(JournalEntry)
  }

  /// The change that did it; for a snapshot join the change that wrote the winning cell.
  public let dot: Dot
  public let device: DeviceID
  public let h: UInt64
  public let item: ItemID
  public let kind: Kind

  public init(dot: Dot, device: DeviceID, h: UInt64, item: ItemID, kind: Kind) {
    (self.dot, self.device, self.h, self.item, self.kind) = (dot, device, h, item, kind)
  }
}

/// What folding a change came to. Everything but `folded` leaves the replica as it was.
public enum FoldOutcome: Hashable, Sendable {
  case folded
  case alreadyCovered
  /// Changes before it are missing: `next` is the seq that would fit.
  case gap(next: UInt64)
  case unknownPredecessor
  /// The session continues this change; whether the one held here is the same must be compared.
  case unknownHash(Tip)
  /// Another change has this dot (`core.md` 7.3).
  case fork
  case invalid(ChangeDefect)
}

/// Why a change is invalid on every replica.
public enum ChangeDefect: Hashable, Sendable {
  case head
  case chain
  case clock
  case nonce
  case position
  case reservedItem
  case cellWrittenTwice
  case limit
  case emptyField
}

/// Where an item stands for its viewers (`core.md` 4).
public enum ItemStatus: Hashable, Sendable {
  /// Nothing but a name that other cells mention.
  case unknown
  /// Cells have come, its creation not yet.
  case orphan
  case visible
  /// Dead, or buried under an item that was deleted on purpose.
  case hidden
  /// Alive, not visible, and nobody meant to delete it.
  case recovered
}
