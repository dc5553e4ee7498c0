// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// What `hedge log` asks for.
public struct LogQuery: Hashable, Sendable {
  public static let limitMax = 1_000
  public static let limitDefault = 50
  public var list: ListSelector?
  public var item: ItemSelector?
  /// Only what that device did: a name, or this device's own.
  public var by: String?
  /// `30m`, `2h`, `3d`, a date or a moment.
  public var since: String?
  public var limit: Int
  public init(
    list: ListSelector? = nil, item: ItemSelector? = nil, by: String? = nil,
    since: String? = nil, limit: Int = LogQuery.limitDefault
  ) {
    (self.list, self.item, self.by, self.since, self.limit) = (list, item, by, since, limit)
  }

  /// The moment that `since` means, in milliseconds since 1970.
  ///
  /// - Throws: `usage` for other text.
  public static func moment(_ text: String, now: Int64) throws(Problem) -> Int64 {
    let units: [(Character, Int64)] = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)]
    for (unit, seconds) in units where text.last == unit {
      if let number = Int64(text.dropLast()), (0...100_000_000).contains(number) {
        return now - number * seconds * 1_000
      }
    }
    if let day = CivilTime.day(text) { return day * 86_400_000 }
    if let moment = CivilTime.moment(text) { return moment }
    throw Problem(
      .usage, "\"\(text)\" is no time", detail: "write 30m, 2h, 3d, 2026-05-04 or a moment")
  }
}

/// One row of `log`: a change that somebody made.
public struct LogRow: Hashable, Sendable {
  /// What was done to one item.
  public struct Item: Hashable, Sendable {
    public var touched: TransactionResult.Touched
    /// The column that was written and what was written there, for `set`.
    public var column: String?
    public var value: String?
    public init(touched: TransactionResult.Touched, column: String? = nil, value: String? = nil) {
      (self.touched, self.column, self.value) = (touched, column, value)
    }
  }
  public var transaction: String
  /// Milliseconds since 1970 by the author's clock.
  public var at: Int64
  public var by: String
  public var listName: String?
  /// The first of them.
  public var items: [Item]
  public var itemCount: Int
  /// With how many of them the same was done as with the first.
  public var alikeCount: Int
  public init(
    transaction: String, at: Int64, by: String, listName: String?, items: [Item], itemCount: Int,
    alikeCount: Int
  ) {
    (self.transaction, self.at, self.by) = (transaction, at, by)
    (self.listName, self.items, self.itemCount) = (listName, items, itemCount)
    self.alikeCount = alikeCount
  }
}

extension LogRow {
  static func write(_ rows: [LogRow], to json: inout JSONWriter) {
    json.key("log")
    json.beginArray()
    for row in rows {
      json.beginObject()
      json.member("txn", row.transaction)
      json.member("at", time: row.at)
      json.member("by", row.by)
      json.member("list", row.listName)
      json.member("changed", count: row.itemCount)
      json.key("items")
      json.beginArray()
      for item in row.items {
        json.beginObject()
        json.member("id", item.touched.id?.hex)
        json.member("handle", item.touched.handle)
        json.member("op", item.touched.verb.rawValue)
        json.member("text", item.touched.text)
        if let column = item.column { json.member("col", column) }
        if let value = item.value { json.member("new", value) }
        json.endObject()
      }
      json.endArray()
      json.endObject()
    }
    json.endArray()
  }
}

/// Whom `hedge wait` waits for.
public struct WaitRequest: Hashable, Sendable {
  public enum Whom: Hashable, Sendable {
    case peer(String)
    case all
    /// So many other machines, whichever they are.
    case any(Int)
  }
  public var whom: Whom
  /// `nil`: everything that this device has written so far.
  public var transaction: String?
  public init(whom: Whom = .any(1), transaction: String? = nil) {
    (self.whom, self.transaction) = (whom, transaction)
  }
}

/// One row of `members`.
public struct MemberRow: Hashable, Sendable {
  public enum State: String, CaseIterable, Sendable {
    case active
    /// Not heard of for so long that it no longer holds the log.
    case silent
    case removed
  }
  public var name: String
  /// 4 groups of 4 characters.
  public var device: String
  public var role: String
  public var state: State
  public var addedBy: String?
  /// The last contact: milliseconds since 1970; `nil` for none yet.
  public var at: Int64?
  public var isSelf: Bool
  /// Of one that was removed.
  public var removal: RemovalRow?
  public init(
    name: String, device: String, role: String, state: State, addedBy: String?, at: Int64?,
    isSelf: Bool, removal: RemovalRow? = nil
  ) {
    self.removal = removal
    (self.name, self.device, self.role, self.state) = (name, device, role, state)
    (self.addedBy, self.at, self.isSelf) = (addedBy, at, isSelf)
  }

  static func write(_ rows: [MemberRow], to json: inout JSONWriter) {
    json.key("members")
    json.beginArray()
    for row in rows {
      json.beginObject()
      json.member("name", row.name)
      json.member("device", row.device)
      json.member("role", row.role)
      json.member("state", row.state.rawValue)
      json.member("added_by", row.addedBy)
      json.member("at", time: row.at)
      json.member("self", bool: row.isSelf)
      json.member("removed_by", row.removal?.by)
      json.member("unconfirmed", strings: row.removal?.unconfirmed ?? [])
      json.endObject()
    }
    json.endArray()
  }
}

/// A change of the roster that an admin makes.
public enum MemberChange: Hashable, Sendable {
  case role(peer: String, role: String)
  case alias(peer: String, name: String)
  /// Removes the device from the space for good; a dry run only says whether it could be.
  case remove(peer: String, isDryRun: Bool = false)
}

/// A device that was removed, and who is not known to have heard of it.
public struct RemovalRow: Hashable, Sendable {
  public var name: String
  /// 4 groups of 4 characters.
  public var device: String
  /// Who removed it.
  public var by: String
  /// Names of the members that have not confirmed it: until they hear of it, they go on exchanging
  /// changes with the device.
  public var unconfirmed: [String]
  public init(name: String, device: String, by: String, unconfirmed: [String]) {
    (self.name, self.device, self.by, self.unconfirmed) = (name, device, by, unconfirmed)
  }

  func write(to json: inout JSONWriter) {
    json.member("name", name)
    json.member("device", device)
    json.member("by", by)
    json.member("unconfirmed", strings: unconfirmed)
  }
}
