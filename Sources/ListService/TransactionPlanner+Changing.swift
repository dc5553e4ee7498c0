// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// Values of items: set, counted, ticked, removed and brought back.
extension TransactionPlanner {
  func take(_ edit: EditItems, _ plan: inout TransactionPlan) throws(Problem) {
    for item in try resolver.items(edit.items, in: edit.list) {
      let parent = replica.parent(of: item) ?? .root
      let schema = parent == .root ? ListSchema() : resolver.schema(under: parent)
      let name = resolver.title(of: parent)
      try check(edit.conditions, item, schema, name)
      var edits: [Edit] = []
      if let text = edit.text {
        if parent == .root, let defect = NameRule.defect(of: text) {
          throw Problem(.invalidName, "the list name \"\(text)\" \(defect)")
        }
        edits.append(.set(item, .text, .text(try Self.checked(text))))
      }
      if let note = edit.note {
        edits.append(.set(item, .note, note.isEmpty ? .null : .text(try Self.checked(note))))
      }
      for cell in edit.cells { edits.append(try self.edit(cell, item, schema, name)) }
      plan.edits += edits
      plan.outcomes.append(
        ItemOutcome(subject: .item(item), verb: edits.isEmpty ? .same : .set))
    }
  }

  private func edit(
    _ cell: CellWrite, _ item: ItemID, _ schema: ListSchema, _ list: String
  ) throws(Problem) -> Edit {
    let (column, field) = try schema.field(named: cell.column, list: list)
    switch try cell.input.effect(on: column) {
    case .set(let value):
      guard field == .text else { return .set(item, field, value) }
      if case .text(let text) = value {
        return .set(item, field, .text(try Self.checked(text.string)))
      }
      throw Problem(.emptyText, "the text is empty", detail: "an item needs a text")
    case .add(let amount):
      if column.type == .counter, case .int(let delta) = amount {
        return .increment(item, field, by: delta)
      }
      guard let sum = Self.sum(replica.value(of: item, field), amount) else {
        throw Problem(.invalidValue, "\(column.name) cannot grow by that: the sum has no room")
      }
      return .set(item, field, sum)
    }
  }

  /// Adds numbers of `int` and `num` columns; `nil` on overflow or where one is no number.
  static func sum(_ a: Value?, _ b: Value) -> Value? {
    guard let x = number(a ?? .null), let y = number(b) else { return nil }
    let scale = max(x.scale, y.scale)
    guard let one = scaled(x, scale), let two = scaled(y, scale) else { return nil }
    let (sum, over) = one.addingReportingOverflow(two)
    if over { return nil }
    if case .int = b, scale == 0 { return .int(sum) }
    var (mantissa, left) = (sum, scale)
    while left > 0 && mantissa % 10 == 0 { (mantissa, left) = (mantissa / 10, left - 1) }
    return .decimal(mantissa: mantissa, scale: left)
  }

  private static func number(_ value: Value) -> (mantissa: Int64, scale: UInt8)? {
    switch value {
    case .null: (0, 0)
    case .int(let number): (number, 0)
    case .decimal(let mantissa, let scale): (mantissa, scale)
    default: nil
    }
  }

  private static func scaled(_ number: (mantissa: Int64, scale: UInt8), _ scale: UInt8) -> Int64? {
    var out = number.mantissa
    for _ in number.scale..<scale {
      let (product, over) = out.multipliedReportingOverflow(by: 10)
      if over { return nil }
      out = product
    }
    return out
  }

  private func check(
    _ conditions: [CellWrite], _ item: ItemID, _ schema: ListSchema, _ list: String
  ) throws(Problem) {
    for condition in conditions {
      let (column, field) = try schema.field(named: condition.column, list: list)
      guard case .set(let wanted) = try condition.input.effect(on: column) else {
        throw Problem(.usage, "--if takes \(column.name)=VALUE")
      }
      let held = replica.value(of: item, field) ?? .null
      if held != wanted {
        throw Problem(
          .stale,
          "\(column.name) of \(resolver.title(of: item)) is \"\(ValueText.print(held))\" now",
          detail: "nothing was written")
      }
    }
  }

  func take(_ tick: TickItems, _ plan: inout TransactionPlan) throws(Problem) {
    var resolver = resolver
    resolver.prefersDone = !tick.isDone
    var items = try resolver.items(tick.items, in: tick.list)
    if tick.withChildren {
      var at = 0
      while at < items.count {
        items += replica.children(of: items[at]).filter { !items.contains($0) }
        at += 1
      }
    }
    for item in items {
      let isDone = replica.value(of: item, .done) == .bool(true)
      if isDone == tick.isDone {
        plan.outcomes.append(ItemOutcome(subject: .item(item), verb: .same))
      } else {
        plan.edits.append(.set(item, .done, .bool(tick.isDone)))
        plan.outcomes.append(
          ItemOutcome(subject: .item(item), verb: tick.isDone ? .done : .undone))
      }
    }
  }

  func remove(
    _ list: ListSelector?, _ selectors: [ItemSelector], _ plan: inout TransactionPlan
  ) throws(Problem) {
    for item in try resolver.items(selectors, in: list, includesDead: true) {
      if replica.isAlive(item) {
        plan.edits.append(.setAlive(item, false))
        plan.outcomes.append(ItemOutcome(subject: .item(item), verb: .remove))
      } else {
        plan.outcomes.append(ItemOutcome(subject: .item(item), verb: .same))
      }
    }
  }

  /// Back to where it was; what was removed above it comes back with it.
  func restore(
    _ list: ListSelector?, _ selectors: [ItemSelector], _ plan: inout TransactionPlan
  ) throws(Problem) {
    var revived: Set<ItemID> = []
    for item in try resolver.trashed(selectors, in: list) {
      if replica.status(of: item) == .visible {
        plan.outcomes.append(ItemOutcome(subject: .item(item), verb: .same))
        continue
      }
      let (chain, reachesRoot) = resolver.writtenChain(above: item)
      let isDead = !replica.isAlive(item)
      guard isDead || reachesRoot else {
        throw Problem(
          .conflict, "\(resolver.title(of: item)) has no place to go back to",
          detail:
            "say where: hedge mv \(resolver.handles.handle(of: item)) --to @LIST")
      }
      for dead in (chain.reversed() + [item]) where !replica.isAlive(dead) {
        guard revived.insert(dead).inserted else { continue }
        plan.edits.append(.setAlive(dead, true))
        plan.outcomes.append(ItemOutcome(subject: .item(dead), verb: .restore))
      }
      if !isDead { plan.outcomes.append(ItemOutcome(subject: .item(item), verb: .restore)) }
    }
  }
}
