// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// Where items go.
extension TransactionPlanner {
  func take(_ move: MoveItems, _ plan: inout TransactionPlan) throws(Problem) {
    let items = try resolver.items(move.items, in: move.list)
    guard let first = items.first else { throw Problem(.usage, "nothing to move") }
    let (parent, placement) = try destination(items, move, first)
    for item in items where resolver.isInside(parent, item) {
      throw Problem(.conflict, "\(resolver.title(of: item)) cannot go into itself")
    }
    let above = replica.parent(of: first) ?? .root
    if parent != .root {
      plan.changesList = replica.list(of: parent) ?? parent != replica.list(of: first)
    }
    if case .position(let number) = move.place {
      let last = replica.childCount(of: parent) + (parent == above ? 0 : items.count)
      if number > last { plan.notes.append("there is no place \(number): it ends at \(last)") }
    }
    plan.edits.append(.move(items, parent: parent, at: placement))
    plan.outcomes += items.map { ItemOutcome(subject: .item($0), verb: .move) }
  }

  private func destination(
    _ items: [ItemID], _ move: MoveItems, _ first: ItemID
  ) throws(Problem) -> (ItemID, Placement) {
    let own = replica.parent(of: first) ?? .root
    if move.to == nil, replica.status(of: first) != .visible, !move.place.namesAnItem {
      throw Problem(
        .usage, "\(resolver.title(of: first)) is in no list", detail: "say where: --to @LIST")
    }
    if let to = move.to { return (try resolver.list(to), try placement(move.place, move.to)) }
    switch move.place {
    case .up(let steps): return (own, .rank((replica.index(of: first) ?? 0) - max(steps, 0)))
    case .down(let steps):
      return (own, .rank((replica.index(of: first) ?? 0) + max(steps, 0)))
    case .out:
      guard own != .root, let outer = replica.parent(of: own), outer != .root else {
        throw Problem(.conflict, "\(resolver.title(of: first)) is at the top level of its list")
      }
      return (outer, .after(own))
    case .under(let selector): return (try resolver.item(selector, in: move.list), .bottom)
    case .before(let selector):
      let sibling = try resolver.item(selector, in: move.list)
      return (replica.parent(of: sibling) ?? .root, .before(sibling))
    case .after(let selector):
      let sibling = try resolver.item(selector, in: move.list)
      return (replica.parent(of: sibling) ?? .root, .after(sibling))
    case .top, .bottom, .position: return (own, try placement(move.place, move.list))
    }
  }

  /// Parent and placement of new items.
  func target(
    _ place: PlaceSelector?, _ list: ListSelector?
  ) throws(Problem) -> (ItemID, Placement) {
    switch place {
    case .under(let selector)?: return (try resolver.item(selector, in: list), .bottom)
    case .before(let selector)?, .after(let selector)?:
      let sibling = try resolver.item(selector, in: list)
      let parent = replica.parent(of: sibling) ?? .root
      if case .before? = place { return (parent, .before(sibling)) }
      return (parent, .after(sibling))
    case let place?: return (try resolver.list(list), try placement(place, list))
    case nil: return (try resolver.list(list), .bottom)
    }
  }

  private func placement(
    _ place: PlaceSelector, _ list: ListSelector?
  ) throws(Problem) -> Placement {
    switch place {
    case .top: return .top
    case .bottom: return .bottom
    case .position(let number):
      guard number >= 1 else { throw Problem(.usage, "positions count from 1") }
      return .rank(number - 1)
    case .before(let selector): return .before(try resolver.item(selector, in: list))
    case .after(let selector): return .after(try resolver.item(selector, in: list))
    case .up, .down, .under, .out:
      throw Problem(.usage, "this place needs items that are in the list already")
    }
  }
}

extension PlaceSelector {
  /// Whether the place is told by another item, and not by where the moved one is.
  fileprivate var namesAnItem: Bool {
    switch self {
    case .before, .after, .under: true
    case .top, .bottom, .up, .down, .out, .position: false
    }
  }
}
