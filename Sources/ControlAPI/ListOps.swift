// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What is done to the columns of a list.
public enum ColumnChange: Hashable, Sendable {
  /// New columns behind the others.
  case add([Column])
  /// Another name; the values stay, also those that others write meanwhile.
  case rename(String, to: String)
  /// Not shown any more; the values stay in the items.
  case drop(String)
  /// Another type, `!` and default. Values that do not fit stay as they are and are reported.
  case retype(String, to: Column)
  /// The named columns first, in this order.
  case order([String])
}

/// What `hedge use` asks for.
public enum UseRequest: Hashable, Sendable {
  case show
  case set(ListSelector)
  case clear
}

/// What `hedge find` asks for.
public struct FindQuery: Hashable, Sendable {
  public static let limitMax = 1_000
  /// All of them stand in an item's text, note or columns; case does not count.
  public var words: [String]
  public var show: ItemsQuery.Show
  public var limit: Int
  public init(
    words: [String], show: ItemsQuery.Show = .open, limit: Int = FindQuery.limitMax
  ) {
    (self.words, self.show, self.limit) = (words, show, limit)
  }
}

/// Reply to `find`: items of all lists.
public struct FoundReply: Hashable, Sendable {
  public struct Row: Hashable, Sendable {
    public var list: ListRef
    /// Texts from the list down to the item's parent, the list not among them.
    public var path: [String]
    public var row: ItemRow
    public init(list: ListRef, path: [String], row: ItemRow) {
      (self.list, self.path, self.row) = (list, path, row)
    }
  }
  public var rows: [Row]
  /// How many there are, shown or not.
  public var count: Int
  /// How many more there are that are done, where only open ones were looked for.
  public var doneCount = 0
  public init(rows: [Row], count: Int) { (self.rows, self.count) = (rows, count) }
}

extension ColumnChange {
  func write(to json: inout JSONWriter) {
    switch self {
    case .add(let columns): json.member("add", strings: columns.map { "\($0.name):\($0.spec)" })
    case .rename(let name, let other):
      json.member("rename", name)
      json.member("name", other)
    case .drop(let name): json.member("drop", name)
    case .retype(let name, let column):
      json.member("retype", name)
      json.member("type", column.spec)
    case .order(let names): json.member("order", strings: names)
    }
  }
}

extension FoundReply {
  func write(to json: inout JSONWriter) {
    json.member("count", count: count)
    json.key("items")
    json.beginArray()
    for found in rows {
      json.beginObject()
      json.member("id", found.row.id.hex)
      json.member("handle", found.row.handle)
      json.member("state", found.row.isDone ? "done" : "open")
      json.member("text", found.row.text)
      json.member("parent", found.row.parent?.hex)
      json.key("list")
      found.list.write(to: &json)
      json.member("path", strings: found.path)
      json.member("children", count: found.row.childCount)
      json.member("at", time: found.row.at)
      json.member("by", found.row.by)
      json.endObject()
    }
    json.endArray()
  }
}
