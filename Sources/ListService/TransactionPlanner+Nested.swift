// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// New items of several levels, made in one change: ids of a change are known before it is made.
extension TransactionPlanner {
  /// What a new item goes under.
  private enum Above: Hashable {
    case there(ItemID)
    /// The n-th item that is made, in the order of the request.
    case made(Int)
  }

  private struct Node {
    let row: NewRow
    let increments: [(field: FieldName, by: Int64)]
  }

  /// Plans items whose depths say under which of those in front of them they go.
  ///
  /// - Throws: also where an item has an id of the client: their numbers follow another order.
  /// - Complexity: O(items + children of the parents that are there).
  func takeNested(
    _ add: AddItems, under parent: ItemID, at placement: Placement, _ plan: inout TransactionPlan
  ) throws(Problem) {
    guard add.items.allSatisfy({ $0.id == nil }) else {
      throw Problem(.invalidValue, "rows with a depth cannot have ids of the client")
    }
    let schema = resolver.schema(under: parent)
    let name = resolver.title(of: parent)
    var open: [ItemID: [Text: [ItemID]]] = [:]
    var nodes: [Node] = []
    /// Nodes under each parent, and the parents in the order in which they came.
    var groups: [Above: [Int]] = [:]
    var order: [Above] = []
    /// Outcomes in the order of the request: an item that is there, or a node.
    var told: [Above] = []
    var line: [Above] = []
    for item in add.items {
      line.removeLast(max(line.count - item.depth, 0))
      let above = line.last ?? .there(parent)
      let text = try text(of: item, schema, name)
      if case .there(let there) = above {
        if open[there] == nil { open[there] = openTexts(there) }
        if let same = open[there]?[text]?.first {
          if add.onlyNew {
            told.append(.there(same))
            line.append(.there(same))
            continue
          }
          if !plan.maybeSame.contains(same) { plan.maybeSame.append(same) }
        }
      }
      let (row, increments) = try row(item, text, schema, name)
      if groups[above] == nil { order.append(above) }
      groups[above, default: []].append(nodes.count)
      told.append(.made(nodes.count))
      line.append(.made(nodes.count))
      nodes.append(Node(row: row, increments: increments))
    }
    let nonce = plan.nonce ?? freshNonce
    plan.nonce = nonce
    var numbers = [Int](repeating: 0, count: nodes.count)
    // Level by level: an item is made before what goes under it.
    var queue = order.filter { if case .there = $0 { true } else { false } }
    var at = 0
    while at < queue.count {
      let members = groups[queue[at]] ?? []
      let target: ItemID
      switch queue[at] {
      case .there(let item): target = item
      case .made(let node): target = ItemID(nonce: nonce, index: UInt32(numbers[node]))
      }
      plan.edits.append(
        .create(
          members.map { nodes[$0].row }, parent: target, at: target == parent ? placement : .bottom)
      )
      for node in members {
        numbers[node] = plan.createdCount
        plan.createdCount += 1
        if groups[.made(node)] != nil { queue.append(.made(node)) }
      }
      at += 1
    }
    for (node, number) in zip(nodes, numbers) {
      let item = ItemID(nonce: nonce, index: UInt32(number))
      plan.edits += node.increments.map { .increment(item, $0.field, by: $0.by) }
    }
    plan.outcomes += told.map { one in
      switch one {
      case .there(let item): ItemOutcome(subject: .item(item), verb: .same)
      case .made(let node): ItemOutcome(subject: .created(numbers[node]), verb: .add)
      }
    }
    (plan.promisedCount, plan.isNested) = (plan.createdCount, true)
  }
}
