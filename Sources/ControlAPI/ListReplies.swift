// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// A list as replies name it.
public struct ListRef: Hashable, Sendable {
  public var id: ItemID
  public var handle: String
  public var name: String
  /// Raised by every visible change of the list; local to this replica.
  public var revision: UInt64
  public init(id: ItemID, handle: String, name: String, revision: UInt64 = 0) {
    (self.id, self.handle, self.name, self.revision) = (id, handle, name, revision)
  }

  /// `r-812`: in JSON and as entity tag.
  public var tag: String { "r-\(revision)" }
}

/// One row of `lists`.
public struct ListRow: Hashable, Sendable {
  public var list: ListRef
  public var columns: [Column]
  /// The name of the column that is the text of the items; `nil` where none is.
  public var title: String?
  /// Alive descendants, of which `done` are ticked.
  public var itemCount: Int
  public var doneCount: Int
  /// The last change in the list: milliseconds since 1970, and the device's name.
  public var at: Int64?
  public var by: String?
  public init(
    list: ListRef, columns: [Column] = [], itemCount: Int = 0, doneCount: Int = 0,
    at: Int64? = nil, by: String? = nil
  ) {
    (self.list, self.columns, self.itemCount) = (list, columns, itemCount)
    (self.doneCount, self.at, self.by) = (doneCount, at, by)
  }
}

/// Reply to `items`: rows in display order, cells aligned with `columns`.
public struct ItemsPage: Hashable, Sendable {
  public var list: ListRef
  /// Heading of the text.
  public var title: String
  /// Whether the title is a declared column, so that JSON repeats the text under its name.
  public var hasTitleColumn: Bool
  /// Columns to show, the title column not among them.
  public var columns: [Column]
  public var rows: [ItemRow]
  /// Everything below the list by state, as in `lists`, whatever the query left out.
  public var openCount: Int
  public var doneCount: Int
  public var cursor: String
  /// Whether rows are indented by depth.
  public var isTree: Bool
  /// "on all 3 peers", "2 changes not on den": the end of the heading; `nil` for nothing.
  public var syncNote: String?
  public init(
    list: ListRef, title: String = "item", hasTitleColumn: Bool = false, columns: [Column] = [],
    rows: [ItemRow] = [], openCount: Int = 0, doneCount: Int = 0, cursor: String = "c-0",
    isTree: Bool = false, syncNote: String? = nil
  ) {
    (self.list, self.title, self.hasTitleColumn) = (list, title, hasTitleColumn)
    (self.columns, self.rows, self.openCount, self.doneCount) =
      (columns, rows, openCount, doneCount)
    (self.cursor, self.isTree, self.syncNote) = (cursor, isTree, syncNote)
  }
}

/// One item of a page.
public struct ItemRow: Hashable, Sendable {
  public var id: ItemID
  public var handle: String
  public var isDone: Bool
  public var text: Text
  /// The item it is under; `nil` for children of the list itself.
  public var parent: ItemID?
  /// 0 for children of the list.
  public var depth: Int
  /// One entry a column of the page: `nil` where never written, `.null` where cleared.
  public var cells: [Value?]
  public var childCount: Int
  public var doneChildCount: Int
  /// The last write: milliseconds since 1970, and the device's name.
  public var at: Int64
  public var by: String
  /// The number under which the terminal remembers the row; `nil` where none is shown.
  public var number: Int?
  /// It is there only because of what is under it, and without a number: ticked, or in a tree looked
  /// for in vain.
  public var isContext = false
  public init(
    id: ItemID, handle: String, isDone: Bool = false, text: Text, parent: ItemID? = nil,
    depth: Int = 0, cells: [Value?] = [], childCount: Int = 0, doneChildCount: Int = 0,
    at: Int64, by: String, number: Int? = nil
  ) {
    (self.id, self.handle, self.isDone, self.text) = (id, handle, isDone, text)
    (self.parent, self.depth, self.cells) = (parent, depth, cells)
    (self.childCount, self.doneChildCount) = (childCount, doneChildCount)
    (self.at, self.by, self.number) = (at, by, number)
  }
}

/// Reply to `show`.
public struct ItemDetail: Hashable, Sendable {
  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: Value
    public var at: Int64
    public var by: String
    public init(name: String, value: Value, at: Int64, by: String) {
      (self.name, self.value, self.at, self.by) = (name, value, at, by)
    }
  }
  /// A value that was dropped for a write that had not seen it.
  public struct Overridden: Hashable, Sendable {
    /// The column, `text`, `place` or `life`.
    public var name: String
    public var kept: String
    public var keptBy: String
    public var keptAt: Int64
    public var dropped: String
    public var droppedBy: String
    public var droppedAt: Int64
    public init(
      name: String, kept: String, keptBy: String, keptAt: Int64, dropped: String,
      droppedBy: String, droppedAt: Int64
    ) {
      (self.name, self.kept, self.keptBy, self.keptAt) = (name, kept, keptBy, keptAt)
      (self.dropped, self.droppedBy, self.droppedAt) = (dropped, droppedBy, droppedAt)
    }
  }

  /// Who put an item where it stands, and when.
  public struct Placed: Hashable, Sendable {
    public var by: String
    public var at: Int64
    /// The text of the item it lies under; `nil` right in the list.
    public var under: Text?
    public init(by: String, at: Int64, under: Text?) {
      (self.by, self.at, self.under) = (by, at, under)
    }
  }

  /// `nil` for a list itself.
  public var placed: Placed?
  /// Merge decisions about this item, oldest first.
  public var overridden: [Overridden] = []
  /// Names the state of the item's own cells; `nil` where nobody asks for it.
  public var revision: String?
  public var list: ListRef
  /// The page that holds the one row, for its columns.
  public var page: ItemsPage
  public var fields: [Field]
  /// Where the item stands: from 1, of the siblings that are shown; `nil` in Recovered or hidden.
  public var position: Int?
  public var siblingCount: Int
  /// `visible`, `hidden`, `recovered`.
  public var status: String
  public init(
    page: ItemsPage, fields: [Field], position: Int?, siblingCount: Int,
    status: String = "visible"
  ) {
    (self.list, self.page, self.fields) = (page.list, page, fields)
    (self.position, self.siblingCount, self.status) = (position, siblingCount, status)
  }
}

/// Reply to a transaction.
public struct TransactionResult: Hashable, Sendable {
  public enum Verb: String, Sendable {
    case new, add, set, done, undone, move = "mv", remove = "rm", restore
  }
  /// What was done to one item.
  public struct Touched: Hashable, Sendable {
    /// `nil` for what a dry run would make: it has neither id nor handle yet.
    public var id: ItemID?
    /// Empty without an id.
    public var handle: String
    public var text: Text
    public var verb: Verb
    /// Where it is now, from 1, of how many siblings; for added and moved items.
    public var position: Int?
    public var siblingCount: Int?
    /// How many items were hidden with it.
    public var hiddenCount: Int
    public init(
      id: ItemID?, handle: String, text: Text, verb: Verb, position: Int? = nil,
      siblingCount: Int? = nil, hiddenCount: Int = 0
    ) {
      (self.id, self.handle, self.text, self.verb) = (id, handle, text, verb)
      (self.position, self.siblingCount) = (position, siblingCount)
      self.hiddenCount = hiddenCount
    }
  }
  public var list: ListRef?
  /// `t-780`; `nil` where nothing was written.
  public var transaction: String?
  /// Items that changed; items that were so already are not among them.
  public var touched: [Touched]
  /// Items that needed no change.
  public var unchanged: [Touched]
  /// A value that a column's new type cannot hold: it stays as it is.
  public struct Reject: Hashable, Sendable {
    public var item: Touched
    public var reason: String
    public init(item: Touched, reason: String) { (self.item, self.reason) = (item, reason) }
  }
  public var rejects: [Reject] = []
  /// Sentences for people on what was made of the wish.
  public var notes: [String] = []
  /// Items went to another list than the one they were in.
  public var hasChangedList = false
  /// Open items that have the same text as one that was added.
  public var maybeSame: [Touched]
  public var isDryRun: Bool
  /// Where one item was meant: names the state of its own cells now.
  public var revision: String?
  public init(
    list: ListRef?, transaction: String?, touched: [Touched], unchanged: [Touched] = [],
    maybeSame: [Touched] = [], isDryRun: Bool = false
  ) {
    (self.list, self.transaction, self.touched) = (list, transaction, touched)
    (self.unchanged, self.maybeSame, self.isDryRun) = (unchanged, maybeSame, isDryRun)
  }
}

/// What an import did, or would do.
public struct ImportReport: Hashable, Sendable {
  public struct Skip: Hashable, Sendable {
    /// Line of the file, from 1.
    public var line: Int
    /// `qty "lots" is not a whole number (int)`.
    public var reason: String
    public init(line: Int, reason: String) { (self.line, self.reason) = (line, reason) }
  }
  public var list: ListRef?
  public var listName: String
  public var createdCount: Int
  public var updatedCount: Int
  public var unchangedCount: Int
  public var removedCount: Int
  /// Columns that the import declared.
  public var newColumns: [Column]
  public var skips: [Skip]
  /// Sentences on what was taken otherwise than one may think.
  public var notes: [String] = []
  public var isDryRun: Bool
  public var transaction: String?
  public init(
    list: ListRef?, listName: String, createdCount: Int = 0, updatedCount: Int = 0,
    unchangedCount: Int = 0, removedCount: Int = 0, newColumns: [Column] = [],
    skips: [Skip] = [], isDryRun: Bool = false, transaction: String? = nil
  ) {
    (self.list, self.listName, self.createdCount) = (list, listName, createdCount)
    (self.updatedCount, self.unchangedCount) = (updatedCount, unchangedCount)
    (self.removedCount, self.newColumns, self.skips) = (removedCount, newColumns, skips)
    (self.isDryRun, self.transaction) = (isDryRun, transaction)
  }
}

/// An export: the bytes of the file, and what they leave out.
public struct ExportReply: Hashable, Sendable {
  public var format: FileFormat
  public var bytes: [UInt8]
  /// "csv keeps no ids, order of writes and child items": for standard error; `nil` if nothing is lost.
  public var lossNote: String?
  public init(format: FileFormat, bytes: [UInt8], lossNote: String? = nil) {
    (self.format, self.bytes, self.lossNote) = (format, bytes, lossNote)
  }
}
