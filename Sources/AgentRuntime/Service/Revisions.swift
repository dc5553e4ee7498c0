// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer
import ListModel
import ListService

/// What a path names, for entity tags and for the address of what was made there.
enum NamedPlace: Hashable, Sendable {
  case other
  /// `lists`, `lists/{list}/items`: a `POST` makes something below it.
  case collection(path: String)
  /// `lists/{list}/items/{item}` and what is below it.
  case item(path: String)

  init(_ request: HTTPRequest) {
    let path = request.path
    guard path.count >= 3, sameBytes(path[2], "lists") else {
      self = .other
      return
    }
    func joined(_ count: Int) -> String {
      path.prefix(count).map { "/" + PercentCoding.encode($0) }.joined()
    }
    switch path.count {
    case 3: self = .collection(path: joined(3))
    case 5: self = .collection(path: joined(5))
    case 6...: self = .item(path: joined(6))
    default: self = .other
    }
  }
}

/// Entity tags: `"r-…"` is a list's revision, `"i-….r-…"` an item's own revision and its list's.
///
/// A reading client compares whole tags. `If-Match` on an item asks for the part before the dot alone:
/// a neighbour that changed is no reason to refuse.
enum Revisions {
  /// The tag of a reply; `nil` for one that has none.
  static func tag(_ reply: Reply, _ body: [UInt8]) -> String? {
    switch reply {
    case .lists: "l-" + EntityTag.of(body)
    case .items(let page): page.list.tag
    case .item(let detail): detail.revision.map { "\($0).\(detail.list.tag)" }
    case .result(let result):
      result.revision.flatMap { item in result.list.map { "\(item).\($0.tag)" } }
    default: nil
    }
  }

  /// Whether `If-Match` names the item's own revision.
  static func isMatch(_ header: String, _ revision: String) -> Bool {
    header.split(separator: ",").contains { part in
      EntityTag.matches(String(part), revision)
        || EntityTag.matches(String(part.prefix { $0 != "." }) + "\"", revision)
    }
  }

  /// The reply to a client that has that state already.
  static func unchanged(_ tag: String) -> HTTPReply {
    HTTPReply(
      status: 304, contentType: "application/json",
      headers: [
        HTTPReplyHeader("ETag", "\"\(tag)\""), HTTPReplyHeader("Cache-Control", "no-cache"),
      ])
  }

  /// Where something was made: its address and the status 201.
  static func made(_ result: TransactionResult, at place: NamedPlace) -> String? {
    guard !result.isDryRun, let touched = result.touched.first,
      touched.verb == .add || touched.verb == .new
    else { return nil }
    switch place {
    case .collection(let path):
      return touched.verb == .new && path.utf8.count > "/api/v1/lists".utf8.count
        ? nil : touched.id.map { "\(path)/\($0.hex)" }
    case .item(let path): return path
    case .other: return nil
    }
  }
}

extension ListAgentService {
  /// `If-Match` and `If-None-Match` of a write (RFC 9110 13.1): `stale` where the state is another one
  /// than the client has seen.
  func check(
    _ transaction: Transaction, _ context: RequestContext, _ place: NamedPlace,
    _ reader: ListReader
  ) throws(Problem) {
    if case .item = place { return try checkItem(transaction, context, reader) }
    guard let wanted = context.ifMatch else { return }
    for op in transaction.ops {
      guard let selector = op.list else { continue }
      let list = reader.reference(try reader.resolver.list(selector))
      guard EntityTag.matches(wanted, list.tag) else {
        throw Problem(
          .stale, "\(list.name) has changed since \(wanted)", detail: "it is \(list.tag) now")
      }
    }
  }

  private func checkItem(
    _ transaction: Transaction, _ context: RequestContext, _ reader: ListReader
  ) throws(Problem) {
    guard context.ifMatch != nil || context.ifNoneMatch != nil else { return }
    for op in transaction.ops {
      var item: ItemID?
      if case .add(let add) = op {
        item = add.items.first?.id.flatMap { reader.resolver.replica.exists($0) ? $0 : nil }
      } else if let selector = op.items.first {
        item = try reader.resolver.item(selector, in: op.list)
      }
      let revision = item.map(reader.revision)
      if let wanted = context.ifMatch, revision.map({ Revisions.isMatch(wanted, $0) }) != true {
        throw Problem(
          .stale, "the item has changed since \(wanted)",
          detail: revision.map { "it is \($0) now" } ?? "it is not there")
      }
      if let unwanted = context.ifNoneMatch, let revision,
        Revisions.isMatch(unwanted, revision)
      {
        throw Problem(.stale, "the item is there already", detail: "it is \(revision)")
      }
    }
  }
}

extension ItemOp {
  /// The items that it names; new ones have no name yet.
  fileprivate var items: [ItemSelector] {
    switch self {
    case .newList, .add, .clear, .rename, .drop, .columns: []
    case .edit(let edit): edit.items
    case .tick(let tick): tick.items
    case .move(let move): move.items
    case .remove(_, let items), .restore(_, let items): items
    }
  }
}
