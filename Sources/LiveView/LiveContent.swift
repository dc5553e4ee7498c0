// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListFormats
import ListModel

/// A list as the view's left column shows it.
package struct LiveList: Hashable, Sendable {
  package let id: String
  package let handle: String
  package let name: String
  package let openCount: Int
  package let doneCount: Int
  /// Names of the columns in display order, and whether their values stand to the right.
  package let columns: [LiveColumn]
}

/// A column of the shown list.
package struct LiveColumn: Hashable, Sendable {
  package let name: String
  package let isNumeric: Bool
}

/// A row of the shown list, as the agent told it last.
package struct LiveRow: Hashable, Sendable {
  package let id: String
  package let handle: String
  package let text: String
  package let isDone: Bool
  package let parent: String?
  /// 0 for children of the list.
  package let depth: Int
  /// Printed values by column name.
  package let cells: [String: String]
  package let childCount: Int
}

/// A peer in the status line.
package struct LivePeer: Hashable, Sendable {
  package let name: String
  package let state: String
  /// Changes that it lacks; `nil` where unknown.
  package let unsentCount: Int?
}

/// What an event of the stream says to the view.
package struct LiveEvent: Hashable, Sendable {
  package let kind: String
  package let cursor: String?
  package let list: String?
  package let id: String?
  package let column: String?
  package let old: String?
  package let new: String?
  package let by: String
  package let client: String?
  package let isMine: Bool
}

/// Reads what the view needs out of the agent's JSON; whatever is missing or odd is left out.
enum LiveDecoding {
  /// Rows and lists of one reply that are kept; the rest is not shown.
  static let rowsMax = 200_000

  static func lists(_ body: [UInt8]) -> [LiveList]? {
    guard let rows = document(body)?["lists"]?.elements else { return nil }
    return rows.prefix(rowsMax).compactMap { row in
      guard let id = string(row["id"]), let name = string(row["name"]) else { return nil }
      let columns = (row["columns"]?.elements ?? []).compactMap { column -> LiveColumn? in
        guard let name = string(column["name"]) else { return nil }
        let type = string(column["type"]) ?? "text"
        return LiveColumn(name: name, isNumeric: ["int", "num", "counter"].contains(type))
      }
      // That column is the text.
      let title = string(row["title"])
      return LiveList(
        id: id, handle: string(row["handle"]) ?? name, name: name,
        openCount: number(row["open"]) ?? 0,
        doneCount: number(row["done"]) ?? 0,
        columns: columns.filter { $0.name != title })
    }
  }

  static func rows(_ body: [UInt8]) -> (list: String, rows: [LiveRow])? {
    guard let reply = document(body), let list = string(reply["list"]?["id"]),
      let items = reply["items"]?.elements
    else { return nil }
    return (list, items.prefix(rowsMax).compactMap(row))
  }

  private static func row(_ item: JSONValue) -> LiveRow? {
    guard let id = string(item["id"]), let text = string(item["text"]) else { return nil }
    var cells: [String: String] = [:]
    if case .object(let members)? = item["cols"] {
      for (key, value) in members { cells[key.string] = printed(value) }
    }
    return LiveRow(
      id: id, handle: string(item["handle"]) ?? "", text: text,
      isDone: string(item["state"]) == "done", parent: string(item["parent"]),
      depth: min(max(number(item["depth"]) ?? 0, 0), 64), cells: cells,
      childCount: number(item["children"]) ?? 0)
  }

  static func peers(_ body: [UInt8]) -> [LivePeer]? {
    guard let peers = document(body)?["peers"]?.elements else { return nil }
    return peers.prefix(1000).compactMap { peer in
      guard let name = string(peer["name"]) else { return nil }
      return LivePeer(
        name: name, state: string(peer["state"]) ?? "offline",
        unsentCount: number(peer["to_send"]))
    }
  }

  /// The subjects of the notification rules.
  static func watched(_ body: [UInt8]) -> Set<String>? {
    guard let rules = document(body)?["rules"]?.elements else { return nil }
    return Set(rules.compactMap { string($0["id"]) })
  }

  static func event(_ line: [UInt8]) -> LiveEvent? {
    guard let event = document(line), let kind = string(event["ev"]) else { return nil }
    var isMine = false
    if case .bool(let flag)? = event["mine"] { isMine = flag }
    return LiveEvent(
      kind: kind, cursor: string(event["cursor"]), list: string(event["list"]),
      id: string(event["id"]), column: string(event["col"]),
      old: event["old"].map(printed), new: event["new"].map(printed),
      by: string(event["by"]) ?? "", client: string(event["client"]), isMine: isMine)
  }

  /// The sentence of a problem object.
  static func problem(_ body: [UInt8]) -> String? {
    guard let problem = document(body), let title = string(problem["title"]) else { return nil }
    guard let detail = string(problem["detail"]) else { return title }
    return "\(title): \(detail)"
  }

  /// The first item that a reply to a transaction names.
  static func touched(_ body: [UInt8]) -> String? {
    string(document(body)?["items"]?.elements?.first?["id"])
  }

  private static func document(_ body: [UInt8]) -> JSONValue? {
    try? JSONReader.read(body)  // an answer that is no JSON says nothing to the view
  }

  private static func string(_ value: JSONValue?) -> String? { value?.text?.string }

  private static func number(_ value: JSONValue?) -> Int? {
    if case .number(let text)? = value { Int(text.string) } else { nil }
  }

  private static func printed(_ value: JSONValue) -> String {
    switch value {
    case .null: ""
    case .bool(let flag): flag ? "yes" : "no"
    case .number(let text), .string(let text): text.string
    case .array, .object: "…"
    }
  }
}
