// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import ListService

/// What a guest may ask: the list of its link and what is in it, and if it may tick, ticks there.
///
/// An allow-list: what is not named here is refused, whatever routes come later. Lists and items are
/// named by id or handle only, and one that is not in the list of the link is answered like one that
/// never was, so that no answer tells of anything else.
struct GuestGate {
  let guest: GuestBook.Guest
  let resolver: Resolver

  static let notHere = Problem(.unknownItem, "there is nothing here for a guest")

  /// The request as the agent may answer it, with ids for all names.
  func admitted(_ request: Request) throws(Problem) -> Request {
    switch request {
    case .lists, .version, .health, .readiness, .openAPI: return request
    case .items(var query):
      query.list = try list(query.list)
      if let after = query.after { query.after = try item(after) }
      return .items(query)
    case .columns(let selector): return .columns(try list(selector))
    case .show(let selector, let item):
      return .show(try list(selector), try self.item(item))
    case .events(var query):
      try check(query.lists)
      query.lists = [ownList]
      return .events(query)
    case .changes(let since, let lists):
      try check(lists)
      return .changes(since: since, lists: [ownList])
    case .transact(let transaction): return .transact(try ticks(transaction))
    default: throw Problem(.notAllowed, "a guest cannot do this")
    }
  }

  private func ticks(_ transaction: Transaction) throws(Problem) -> Transaction {
    var out = transaction
    out.ops = []
    for op in transaction.ops {
      guard case .tick(var tick) = op, guest.role == .tick else {
        throw Problem(
          .notAllowed, guest.role == .tick ? "a guest only ticks" : "this guest only reads")
      }
      tick.list = try list(tick.list)
      var items: [ItemSelector] = []
      for item in tick.items { items.append(try self.item(item)) }
      tick.items = items
      out.ops.append(.tick(tick))
    }
    return out
  }

  private func check(_ selectors: [ListSelector]) throws(Problem) {
    _ = try list(nil)
    for selector in selectors { _ = try list(selector) }
  }

  /// The selector of the one list that there is.
  var ownList: ListSelector { ListSelector(path: [guest.list.hex]) }

  /// Whether the list is still there.
  var isThere: Bool {
    resolver.replica.status(of: guest.list) == .visible
      && resolver.replica.parent(of: guest.list) == .root
  }

  /// None, its id, its handle or its name.
  func list(_ selector: ListSelector?) throws(Problem) -> ListSelector {
    guard isThere else { throw Self.notHere }
    guard let selector else { return ownList }
    let own = [
      guest.list.hex, resolver.handles.handle(of: guest.list), resolver.title(of: guest.list),
    ]
    guard selector.space == nil, selector.path.count == 1,
      own.contains(where: { sameBytes($0, selector.path[0]) })
    else { throw Self.notHere }
    return ownList
  }

  private func item(_ selector: ItemSelector) throws(Problem) -> ItemSelector {
    let candidates: [ItemID] =
      switch selector {
      case .id(let id): [id]
      case .word(let word): resolver.handles.items(withPrefix: word)
      case .number, .range: []
      }
    let own = candidates.filter {
      $0 != guest.list && resolver.replica.isAlive($0)
        && resolver.replica.list(of: $0) == guest.list
    }
    guard own.count == 1 else { throw Self.notHere }
    return .id(own[0])
  }

  // MARK: Events

  /// An event as a guest hears it; `nil` for one of another list. What leaves the list is gone for
  /// the guest: where it went is not told.
  func heard(_ event: Event) -> Event? {
    guard let item = event.item else { return event }
    if item == guest.list { return event }
    guard event.scope.contains(guest.list) else { return nil }
    guard event.kind == .move,
      event.scope.first(where: { resolver.replica.parent(of: $0) == .root }) != guest.list
    else { return event }
    var gone = event
    gone.kind = .remove
    gone.list = resolver.title(of: guest.list)
    gone.detail = .none
    return gone
  }
}
