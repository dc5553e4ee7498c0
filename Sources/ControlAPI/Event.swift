// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// One line of `watch --json`, one message of the event stream.
public struct Event: Hashable, Sendable {
  public enum Kind: String, CaseIterable, Sendable {
    case hello, item, live, gap
    case add, set, done, undone, move = "mv", remove = "rm", restore, list

    /// Whether it tells of a change, so that `--count` counts it.
    public var isChange: Bool {
      switch self {
      case .hello, .item, .live, .gap: false
      default: true
      }
    }
  }

  /// What only some kinds carry.
  public enum Detail: Hashable, Sendable {
    /// `hello`: the JSON version and this device.
    case hello(device: String)
    /// `live` carries nothing more.
    case none
    /// `gap`: why events are missing.
    case gap(reason: String)
    /// `item` and `add`: the item as it is, its cells by column, the neighbour before it.
    case item(
      text: Text, isDone: Bool, cells: [(column: String, value: Value)], parent: ItemID?,
      after: ItemID?)
    /// `set`: the column (`text` for the text), old (`nil`: was never written) and new value.
    case set(column: String, old: Value?, new: Value)
    /// `mv`: where it is now.
    case move(parent: ItemID?, after: ItemID?)
    /// `list`: `new`, `rename`, `drop`, `cols`.
    case list(change: String)

    public static func == (a: Self, b: Self) -> Bool { a.isEqual(to: b) }

    private func isEqual(to other: Self) -> Bool {
      switch (self, other) {
      case (.hello(let a), .hello(let b)), (.gap(let a), .gap(let b)), (.list(let a), .list(let b)):
        return sameBytes(a, b)
      case (.none, .none): return true
      case (.item(let t, let d, let c, let p, let n), .item(let u, let e, let f, let q, let m)):
        return t == u && d == e && p == q && n == m
          && c.elementsEqual(f) { sameBytes($0.column, $1.column) && $0.value == $1.value }
      case (.set(let c, let o, let n), .set(let d, let p, let m)):
        return sameBytes(c, d) && o == p && n == m
      case (.move(let p, let a), .move(let q, let b)): return p == q && a == b
      default: return false
      }
    }

    public func hash(into hasher: inout Hasher) {}
  }

  public var kind: Kind
  public var cursor: String
  /// Name of the list.
  public var list: String
  public var item: ItemID?
  /// The items above it when it happened, its list among them; where a move took it from as well.
  /// Tells which watchers it concerns; not in JSON.
  public var scope: [ItemID] = []
  public var handle: String
  /// The item's text now, for people; `nil` where there is no item.
  public var text: Text?
  /// Name of the device that wrote it.
  public var by: String
  /// Whether this device wrote it.
  public var isMine: Bool
  public var client: String?
  /// `t-77f`.
  public var transaction: String?
  /// Milliseconds since 1970.
  public var at: Int64
  public var detail: Detail

  public init(
    kind: Kind, cursor: String, list: String = "", item: ItemID? = nil, handle: String = "",
    text: Text? = nil, by: String = "", isMine: Bool = false, client: String? = nil,
    transaction: String? = nil, at: Int64 = 0, detail: Detail = .none
  ) {
    (self.kind, self.cursor, self.list, self.item) = (kind, cursor, list, item)
    (self.handle, self.text, self.by, self.isMine) = (handle, text, by, isMine)
    (self.client, self.transaction, self.at) = (client, transaction, at)
    self.detail = detail
  }

  /// Appends the event as one JSON object, without a line feed.
  public func write(to json: inout JSONWriter) {
    json.beginObject()
    if kind == .hello { json.member("v", count: Display.jsonVersion) }
    json.member("ev", kind.rawValue)
    if kind != .item { json.member("cursor", cursor) }
    if !list.isEmpty { json.member("list", list) }
    if let item {
      json.member("id", item.hex)
      json.member("handle", handle)
    }
    writeDetail(to: &json)
    if kind.isChange {
      json.member("by", by)
      json.member("client", client)
      json.member("mine", bool: isMine)
      json.member("txn", transaction)
      json.member("at", time: at)
    }
    json.endObject()
  }

  private func writeDetail(to json: inout JSONWriter) {
    switch detail {
    case .none: break
    case .hello(let device): json.member("device", device)
    case .gap(let reason): json.member("reason", reason)
    case .item(let text, let isDone, let cells, let parent, let after):
      json.member("text", text)
      json.member("state", isDone ? "done" : "open")
      json.key("cols")
      json.beginObject()
      for (column, value) in cells { json.member(column, value: value) }
      json.endObject()
      json.member("parent", parent?.hex)
      json.member("after", after?.hex)
    case .set(let column, let old, let new):
      json.member("col", column)
      json.key("old")
      if let old { json.value(old) } else { json.null() }
      json.member("new", value: new)
    case .move(let parent, let after):
      json.member("parent", parent?.hex)
      json.member("after", after?.hex)
    case .list(let change): json.member("change", change)
    }
  }
}
