// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// Whole lists: made, renamed, dropped, cleared.
extension TransactionPlanner {
  func take(_ list: NewList, _ plan: inout TransactionPlan) throws(Problem) {
    var parent = ItemID.root
    if let under = list.under { parent = try resolver.list(under) }
    try check(name: list.name, in: parent, but: nil)
    var seen: [String] = []
    for column in list.columns {
      guard !seen.contains(where: { sameBytes($0, column.name) }) else {
        throw Problem(.invalidName, "two columns are called \(column.name)")
      }
      seen.append(column.name)
    }
    let cells = [(field: FieldName.text, value: Value.text(list.name))]
    let schema = ListSchema(columns: list.columns).fields
    plan.edits.append(.create([NewRow(cells + schema)], parent: parent, at: .bottom))
    plan.created(.list)
    // Words behind the name may have been meant for the name.
    if list.columns.contains(where: { sameBytes($0.spec, ColumnType.text.spelling) }) {
      let columns = list.columns.map { "\($0.name) (\($0.spec))" }.joined(separator: ", ")
      plan.notes.append("columns of \(list.name): \(columns)")
      if let title = ListSchema(columns: list.columns).titleColumn, title != list.columns.first {
        plan.notes.append("\(title.name), the first text column, is the text of its items")
      }
    }
  }

  /// A name that a list may have beside the others.
  private func check(name: String, in parent: ItemID, but own: ItemID?) throws(Problem) {
    if let defect = NameRule.defect(of: name) {
      throw Problem(.invalidName, "the list name \"\(name)\" \(defect)")
    }
    for other in replica.children(of: parent)
    where other != own && sameBytes(resolver.title(of: other), name) {
      throw Problem(
        .nameTaken, "there is a list \(name) already",
        detail: "it has the handle \(resolver.handles.handle(of: other))")
    }
  }

  func rename(
    _ selector: ListSelector, _ name: String, _ plan: inout TransactionPlan
  ) throws(Problem) {
    let list = try resolver.list(selector)
    try check(name: name, in: replica.parent(of: list) ?? .root, but: list)
    if sameBytes(resolver.title(of: list), name) {
      return plan.outcomes.append(ItemOutcome(subject: .item(list), verb: .same))
    }
    plan.edits.append(.set(list, .text, .text(try Self.checked(name))))
    plan.outcomes.append(ItemOutcome(subject: .item(list), verb: .set))
  }

  func drop(
    _ selector: ListSelector, _ typed: String?, _ plan: inout TransactionPlan
  ) throws(Problem) {
    let list = try resolver.exactList(selector, "what is dropped is named in full")
    let name = resolver.title(of: list)
    if let typed, !sameBytes(typed, name) {
      throw Problem(
        .declined, "the list is called \(name), not \(typed)", detail: "nothing was done")
    }
    plan.edits.append(.setAlive(list, false))
    plan.outcomes.append(ItemOutcome(subject: .item(list), verb: .remove))
  }

  /// Removes what is done, at any depth; what is done but has something open under it stays.
  func clear(_ selector: ListSelector?, _ plan: inout TransactionPlan) throws(Problem) {
    let list = try resolver.list(selector)
    var order: [ItemID] = []
    var open = Array(replica.children(of: list).reversed())
    while let item = open.popLast() {
      order.append(item)
      open += replica.children(of: item).reversed()
    }
    var isOpen: Set<ItemID> = []
    for item in order.reversed()
    where replica.value(of: item, .done) != .bool(true)
      || replica.children(of: item).contains(where: isOpen.contains)
    {
      isOpen.insert(item)
    }
    for item in order where !isOpen.contains(item) {
      // Goes with what is above it.
      let parent = replica.parent(of: item) ?? list
      if parent != list, !isOpen.contains(parent) { continue }
      plan.edits.append(.setAlive(item, false))
      plan.outcomes.append(ItemOutcome(subject: .item(item), verb: .remove))
    }
  }
}
