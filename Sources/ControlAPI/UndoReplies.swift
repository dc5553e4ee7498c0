// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// What `hedge undo` and `hedge redo` ask for.
public struct UndoRequest: Hashable, Sendable {
  /// A name as results and `--list` give it; `nil`: the last command.
  public var transaction: String?
  /// Take an undo back.
  public var isRedo: Bool
  /// Take back also what somebody has written over since.
  public var isForced: Bool
  public var isDryRun: Bool
  public init(
    transaction: String? = nil, isRedo: Bool = false, isForced: Bool = false,
    isDryRun: Bool = false
  ) {
    (self.transaction, self.isRedo) = (transaction, isRedo)
    (self.isForced, self.isDryRun) = (isForced, isDryRun)
  }
}

/// Reply to `undo` and `redo`.
public struct UndoReply: Hashable, Sendable {
  /// A part of the step that was left alone.
  public struct Stay: Hashable, Sendable {
    public var id: ItemID
    public var handle: String
    public var text: Text
    /// The column, `text`, `place`, `life`; `nil` for an item that was added.
    public var column: String?
    /// The device that wrote it since; `nil` where nobody in particular did.
    public var by: String?
    /// `changed by den since`: the reason as a phrase.
    public var reason: String
    public init(
      id: ItemID, handle: String, text: Text, column: String?, by: String?, reason: String
    ) {
      (self.id, self.handle, self.text) = (id, handle, text)
      (self.column, self.by, self.reason) = (column, by, reason)
    }
  }
  public var isRedo: Bool
  /// The transaction that was taken back; `nil` if there was none.
  public var undone: String?
  /// What was written for it.
  public var result: TransactionResult
  public var stays: [Stay]
  public init(isRedo: Bool, undone: String?, result: TransactionResult, stays: [Stay] = []) {
    (self.isRedo, self.undone, self.result, self.stays) = (isRedo, undone, result, stays)
  }
}

/// One row of `undo --list`: a transaction of this device.
public struct UndoStepRow: Hashable, Sendable {
  public var transaction: String
  /// Milliseconds since 1970.
  public var at: Int64
  /// The terminal or client that asked; `nil` for neither.
  public var source: String?
  /// Whether it is undone, so that redo does it again.
  public var isUndone: Bool
  /// Whether an undo of it left something as it was.
  public var hasStayed: Bool
  /// How many items it was about, and with how many of them the same was done as with the first.
  public var itemCount: Int
  public var alikeCount: Int
  /// The first of them: what was done, or what redo will do.
  public var items: [TransactionResult.Touched]
  public var listName: String?
  public init(
    transaction: String, at: Int64, source: String?, isUndone: Bool, hasStayed: Bool,
    itemCount: Int, alikeCount: Int, items: [TransactionResult.Touched], listName: String?
  ) {
    (self.transaction, self.at, self.source) = (transaction, at, source)
    (self.isUndone, self.hasStayed, self.alikeCount) = (isUndone, hasStayed, alikeCount)
    (self.itemCount, self.items, self.listName) = (itemCount, items, listName)
  }
}

/// What `hedge trash` asks for.
public struct TrashQuery: Hashable, Sendable {
  public static let limitMax = 1_000
  /// Everything removed inside that list, which may be removed itself; `nil`: what stands on top.
  public var list: ListSelector?
  /// At most so many rows, the newest removals first.
  public var limit: Int
  public init(list: ListSelector? = nil, limit: Int = TrashQuery.limitMax) {
    (self.list, self.limit) = (list, limit)
  }
}

/// One row of `trash`.
public struct TrashRow: Hashable, Sendable {
  public var id: ItemID
  public var handle: String
  public var text: Text
  /// Where it was: the list, and the item it was under if it was in none directly.
  public var list: String?
  public var parent: String?
  /// In Recovered: not removed, but without a place.
  public var isRecovered: Bool
  /// How many items are hidden with it.
  public var hiddenCount: Int
  /// Who removed or moved it: milliseconds since 1970, and the device's name.
  public var at: Int64
  public var by: String
  public var number: Int?
  public init(
    id: ItemID, handle: String, text: Text, list: String?, parent: String?, isRecovered: Bool,
    hiddenCount: Int, at: Int64, by: String
  ) {
    (self.id, self.handle, self.text) = (id, handle, text)
    (self.list, self.parent, self.isRecovered) = (list, parent, isRecovered)
    (self.hiddenCount, self.at, self.by) = (hiddenCount, at, by)
  }
}

/// Reply to `trash`.
public struct TrashReply: Hashable, Sendable {
  public var rows: [TrashRow]
  /// How many there are, shown or not.
  public var count: Int
  public init(rows: [TrashRow], count: Int) { (self.rows, self.count) = (rows, count) }
}

/// One merge decision: two writes that had not seen each other, of which one stands.
public struct ConflictRow: Hashable, Sendable {
  public struct Side: Hashable, Sendable {
    public var value: Value
    public var by: String
    /// Milliseconds since 1970 by the writer's clock.
    public var at: Int64
    public init(value: Value, by: String, at: Int64) {
      (self.value, self.by, self.at) = (value, by, at)
    }
  }
  /// `c-12`; of this machine alone.
  public var id: String
  public var list: String
  public var item: ItemID
  public var handle: String
  public var text: Text
  /// The column, `text`, `place` or `life`.
  public var column: String
  public var kept: Side
  public var dropped: Side
  /// Whether the cell holds the dropped value now.
  public var isTaken: Bool
  public init(
    id: String, list: String, item: ItemID, handle: String, text: Text, column: String,
    kept: Side, dropped: Side, isTaken: Bool
  ) {
    (self.id, self.list, self.item, self.handle) = (id, list, item, handle)
    (self.text, self.column, self.kept, self.dropped) = (text, column, kept, dropped)
    self.isTaken = isTaken
  }
}
