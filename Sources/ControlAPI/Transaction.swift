// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// Several operations that are done as one: all or nothing, one undo step.
public struct Transaction: Hashable, Sendable {
  public var ops: [ItemOp]
  /// Only say what would be done.
  public var isDryRun: Bool
  public init(_ ops: [ItemOp], isDryRun: Bool = false) {
    (self.ops, self.isDryRun) = (ops, isDryRun)
  }
}

/// One operation of a transaction. A missing list is the one that the agent chooses for the terminal.
public enum ItemOp: Hashable, Sendable {
  case newList(NewList)
  case add(AddItems)
  case edit(EditItems)
  case tick(TickItems)
  case move(MoveItems)
  /// Hides the items with all that is under them.
  case remove(ListSelector?, [ItemSelector])
  case restore(ListSelector?, [ItemSelector])
  /// Removes what is done and has nothing open under it.
  case clear(ListSelector?)
  case rename(ListSelector, to: String)
  /// Removes a list; with a name only if it is called exactly so.
  case drop(ListSelector, name: String?)
  case columns(ListSelector?, ColumnChange)
}

/// A new list, or with `under` a new item that is a list below another.
public struct NewList: Hashable, Sendable {
  public var name: String
  public var columns: [Column]
  public var under: ListSelector?
  public init(name: String, columns: [Column] = [], under: ListSelector? = nil) {
    (self.name, self.columns, self.under) = (name, columns, under)
  }
}

/// One item to be added.
public struct NewItem: Hashable, Sendable {
  /// May be `nil` where the title column stands among the cells.
  public var text: String?
  public var note: String?
  public var isDone: Bool
  public var cells: [CellWrite]
  /// The id that the client made, for a create that is safe to repeat. Items of one transaction share
  /// the nonce and are numbered from 0 in the order in which they are made.
  public var id: ItemID?
  /// So many levels below the place of the first item: under the last one before it that is less deep.
  public var depth: Int
  public init(
    text: String?, cells: [CellWrite] = [], note: String? = nil, isDone: Bool = false,
    id: ItemID? = nil, depth: Int = 0
  ) {
    (self.text, self.cells, self.note) = (text, cells, note)
    (self.isDone, self.id, self.depth) = (isDone, id, depth)
  }
}

/// Items to be added at one place, in this order.
public struct AddItems: Hashable, Sendable {
  public var list: ListSelector?
  public var items: [NewItem]
  /// The end of the list where `nil`.
  public var place: PlaceSelector?
  /// Leave out texts that the list has open already.
  public var onlyNew: Bool
  public init(
    list: ListSelector? = nil, items: [NewItem], place: PlaceSelector? = nil, onlyNew: Bool = false
  ) {
    (self.list, self.items, self.place, self.onlyNew) = (list, items, place, onlyNew)
  }
}

/// Fields to be written on each of some items.
public struct EditItems: Hashable, Sendable {
  public var list: ListSelector?
  public var items: [ItemSelector]
  public var text: String?
  public var note: String?
  public var cells: [CellWrite]
  /// Write only if these columns have these values now on this replica, else `stale`.
  public var conditions: [CellWrite]
  public init(
    list: ListSelector? = nil, items: [ItemSelector], text: String? = nil, note: String? = nil,
    cells: [CellWrite] = [], conditions: [CellWrite] = []
  ) {
    (self.list, self.items, self.text, self.note) = (list, items, text, note)
    (self.cells, self.conditions) = (cells, conditions)
  }
}

/// Items to be ticked or unticked.
public struct TickItems: Hashable, Sendable {
  public var list: ListSelector?
  public var items: [ItemSelector]
  public var isDone: Bool
  /// Also everything under them.
  public var withChildren: Bool
  public init(
    list: ListSelector? = nil, items: [ItemSelector], isDone: Bool = true,
    withChildren: Bool = false
  ) {
    (self.list, self.items) = (list, items)
    (self.isDone, self.withChildren) = (isDone, withChildren)
  }
}

/// Items to be moved as one block that keeps its relative order.
public struct MoveItems: Hashable, Sendable {
  public var list: ListSelector?
  public var items: [ItemSelector]
  public var place: PlaceSelector
  /// Another list to go to.
  public var to: ListSelector?
  public init(
    list: ListSelector? = nil, items: [ItemSelector], place: PlaceSelector,
    to: ListSelector? = nil
  ) {
    (self.list, self.items, self.place, self.to) = (list, items, place, to)
  }
}
