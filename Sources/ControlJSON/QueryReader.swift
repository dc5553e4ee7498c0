// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// Reads the parameters of a target; the last of equals counts where one is meant.
struct QueryReader {
  private let items: [RequestForm.QueryItem]
  init(_ items: [RequestForm.QueryItem]) { self.items = items }

  func all(_ name: String) -> [String] {
    items.filter { sameBytes($0.name, name) }.map(\.value)
  }

  func first(_ name: String) -> String? { items.last { sameBytes($0.name, name) }?.value }

  func flag(_ name: String) throws(Problem) -> Bool {
    switch first(name) {
    case nil, "0", "false": return false
    case "", "1", "true": return true
    case let other?: throw Problem(.usage, "\(name) is 1 or 0, not \"\(other)\"")
    }
  }

  func need(_ name: String) throws(Problem) -> String {
    guard let value = first(name) else {
      throw Problem(.missingValue, "the parameter \(name) is missing")
    }
    return value
  }

  func list() throws(Problem) -> ListSelector? {
    guard let text = first("list") else { return nil }
    return try ListSelector(parsing: text)
  }

  /// `list=` many times, or `lists=a,b`.
  func lists() throws(Problem) -> [ListSelector] {
    var lists: [ListSelector] = []
    for text in all("list") { lists.append(try ListSelector(parsing: text)) }
    for text in all("lists").flatMap({ $0.split(separator: ",") }) {
      lists.append(try ListSelector(parsing: String(text)))
    }
    return lists
  }

  func items(list: ListSelector?) throws(Problem) -> ItemsQuery {
    var query = ItemsQuery(list: list, words: all("word"))
    query.show = try choice("show") ?? .open
    query.shape = try choice("shape") ?? .flat
    for text in all("where") { query.filters.append(try Filter(parsing: text)) }
    query.sort = all("sort").map(SortKey.init(parsing:))
    query.columns = all("col")
    query.limit = try number("limit")
    if let after = first("after") { query.after = try ItemSelector(parsing: after) }
    return query
  }

  func log() throws(Problem) -> LogQuery {
    var query = LogQuery(list: try list(), by: first("by"), since: first("since"))
    if let item = first("item") { query.item = try ItemSelector(parsing: item) }
    query.limit = min(try number("limit") ?? LogQuery.limitDefault, LogQuery.limitMax)
    return query
  }

  func wait() throws(Problem) -> WaitRequest {
    var whom = WaitRequest.Whom.any(try number("any") ?? 1)
    if try flag("all") { whom = .all }
    if let peer = first("peer") { whom = .peer(peer) }
    return WaitRequest(whom: whom, transaction: first("txn"))
  }

  func find() throws(Problem) -> FindQuery {
    let words = all("word")
    guard words.contains(where: { !$0.isEmpty }) else {
      throw Problem(.missingValue, "the parameter word is missing")
    }
    return FindQuery(
      words: words, show: try choice("show") ?? .open,
      limit: min(try number("limit") ?? FindQuery.limitMax, FindQuery.limitMax))
  }

  func trash() throws(Problem) -> TrashQuery {
    TrashQuery(
      list: try list(),
      limit: min(try number("limit") ?? TrashQuery.limitMax, TrashQuery.limitMax))
  }

  func inspectTarget() throws(Problem) -> InspectTarget {
    if let peer = first("peer") { return .peer(peer) }
    let list = try list()
    if let item = first("item") { return .item(list, try ItemSelector(parsing: item)) }
    return list.map(InspectTarget.list) ?? .store
  }

  func importRequest(_ body: [UInt8]) throws(Problem) -> ImportRequest {
    guard let format = try choice("format", FileFormat.self) else {
      throw Problem(
        .missingValue, "the parameter format is missing", detail: "one of lines, csv, json")
    }
    var request = ImportRequest(list: try list(), format: format, key: first("key"), bytes: body)
    for text in all("map") {
      guard let equals = text.lastIndex(of: "=") else {
        throw Problem(.usage, "map \"\(text)\" has no =", detail: "write 'HEADING=COLUMN'")
      }
      request.map.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
    }
    request.removesMissing = try flag("prune")
    request.isDryRun = try flag("dry_run")
    return request
  }

  func export() throws(Problem) -> ExportRequest {
    ExportRequest(
      lists: try lists(), isAll: try flag("all"), format: try choice("format") ?? .json,
      acceptsLoss: try flag("lossy_ok"))
  }

  func events() throws(Problem) -> EventsQuery {
    var query = EventsQuery(lists: try lists(), since: first("since"))
    if first("initial") != nil { query.hasInitial = try flag("initial") }
    query.onlyOthers = try flag("not_mine")
    query.kinds = all("only").flatMap { $0.split(separator: ",").map(String.init) }
    let known = Event.Kind.allCases.filter(\.isChange).map(\.rawValue)
    for kind in query.kinds where !known.contains(where: { sameBytes($0, kind) }) {
      throw Problem(
        .usage, "no kind of event \(kind)", detail: "kinds: \(known.joined(separator: ", "))",
        suggest: Suggestion.nearest(to: kind, among: known))
    }
    query.count = try number("count")
    if let until = first("until") { query.until = try Filter(parsing: until) }
    return query
  }

  private func choice<T: RawRepresentable & CaseIterable>(
    _ name: String, _ type: T.Type = T.self
  ) throws(Problem) -> T? where T.RawValue == String {
    guard let text = first(name) else { return nil }
    guard let value = T(rawValue: text) else {
      let known = T.allCases.map(\.rawValue)
      throw Problem(
        .usage, "\(name) cannot be \(text)", detail: "one of \(known.joined(separator: ", "))",
        suggest: Suggestion.nearest(to: text, among: known))
    }
    return value
  }

  private func number(_ name: String) throws(Problem) -> Int? {
    guard let text = first(name) else { return nil }
    guard let number = Int(text), (1...1_000_000_000).contains(number) else {
      throw Problem(.usage, "\(name) is not a positive number")
    }
    return number
  }
}
