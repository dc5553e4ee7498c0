// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// What became of one item in a transaction.
package struct ItemOutcome: Hashable, Sendable {
  package enum Verb: String, Hashable, Sendable {
    case list = "list"
    case add, set, done, undone, move = "mv", remove = "rm", restore
    /// Nothing had to be written.
    case same
  }

  package enum Subject: Hashable, Sendable {
    case item(ItemID)
    /// The n-th item that the transaction creates, from 0.
    case created(Int)
  }

  package let subject: Subject
  package let verb: Verb
}

/// A transaction made ready for the engine: edits, and what to tell about them.
package struct TransactionPlan: Sendable {
  package var edits: [Edit] = []
  package var outcomes: [ItemOutcome] = []
  /// Texts of new items that were open in their list already.
  package var maybeSame: [ItemID] = []
  /// The nonce that the first change must have, where items were named before they exist.
  package var nonce: UInt64?
  var createdCount = 0

  package var isEmpty: Bool { edits.isEmpty }
}

/// Turns the operations of a request into edits, all or nothing.
package struct TransactionPlanner {
  package let resolver: Resolver
  /// A fresh nonce for items that need a name before they are created.
  let freshNonce: UInt64
  var replica: Replica { resolver.replica }

  package init(_ resolver: Resolver, freshNonce: UInt64) {
    (self.resolver, self.freshNonce) = (resolver, freshNonce)
  }

  package func plan(_ transaction: Transaction) throws(Problem) -> TransactionPlan {
    var plan = TransactionPlan()
    for op in transaction.ops { try take(op, &plan) }
    return plan
  }

  private func take(_ op: ItemOp, _ plan: inout TransactionPlan) throws(Problem) {
    switch op {
    case .newList(let list): try take(list, &plan)
    case .add(let add): try take(add, &plan)
    case .edit(let edit): try take(edit, &plan)
    case .tick(let tick): try take(tick, &plan)
    case .move(let move): try take(move, &plan)
    case .remove(let list, let items): try setAlive(false, list, items, &plan)
    case .restore(let list, let items): try setAlive(true, list, items, &plan)
    }
  }

  // MARK: Lists

  private func take(_ list: NewList, _ plan: inout TransactionPlan) throws(Problem) {
    if let defect = NameRule.defect(of: list.name) {
      throw Problem(.invalidName, "the list name \"\(list.name)\" \(defect)")
    }
    var parent = ItemID.root
    if let under = list.under { parent = try resolver.list(under) }
    for other in replica.children(of: parent)
    where sameBytes(resolver.title(of: other), list.name) {
      throw Problem(
        .nameTaken, "there is a list \(list.name) already",
        detail: "it has the handle \(resolver.handles.handle(of: other))")
    }
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
  }

  // MARK: Adding

  private func take(_ add: AddItems, _ plan: inout TransactionPlan) throws(Problem) {
    var (parent, placement) = try target(add.place, add.list)
    if add.items.isEmpty { throw Problem(.emptyText, "nothing to add", detail: "give a text") }
    let schema = resolver.schema(under: parent)
    let open = openTexts(parent)
    var rows: [NewRow] = []
    var counts: [(row: Int, field: FieldName, by: Int64)] = []
    for item in add.items {
      let text = try text(of: item, schema)
      let same = open[text] ?? []
      if add.onlyNew && !same.isEmpty {
        plan.outcomes.append(ItemOutcome(subject: .item(same[0]), verb: .same))
        continue
      }
      plan.maybeSame += same.prefix(1)
      let (row, increments) = try self.row(item, text, schema, resolver.title(of: parent))
      counts += increments.map { (rows.count, $0.field, $0.by) }
      rows.append(row)
      if let nonce = item.nonce {
        if try isThere(ItemID(nonce: nonce, index: 0), &plan) {
          rows.removeLast()
          continue
        }
        plan.nonce = nonce
      }
      plan.created(.add)
    }
    if rows.isEmpty { return }
    let first = plan.createdCount - rows.count
    plan.edits.append(.create(rows, parent: parent, at: placement))
    placement = .bottom
    if counts.isEmpty { return }
    let nonce = plan.nonce ?? freshNonce
    plan.nonce = nonce
    for count in counts {
      let item = ItemID(nonce: nonce, index: UInt32(first + count.row))
      plan.edits.append(.increment(item, count.field, by: count.by))
    }
  }

  /// Whether a create with a client-made id was done before; then there is nothing to do.
  private func isThere(_ id: ItemID, _ plan: inout TransactionPlan) throws(Problem) -> Bool {
    guard replica.exists(id) else { return false }
    plan.outcomes.append(ItemOutcome(subject: .item(id), verb: .same))
    return true
  }

  private func openTexts(_ parent: ItemID) -> [Text: [ItemID]] {
    var out: [Text: [ItemID]] = [:]
    replica.forEachChild(of: parent) { item in
      if case .text(let text)? = replica.value(of: item, .text),
        replica.value(of: item, .done) != .bool(true)
      {
        out[text, default: []].append(item)
      }
      return true
    }
    return out
  }

  private func text(of item: NewItem, _ schema: ListSchema) throws(Problem) -> Text {
    var found = item.text
    for cell in item.cells
    where schema.titleColumn.map({ sameBytes($0.name, cell.column) }) ?? false {
      guard case .text(let text) = cell.input else { continue }
      if let found, !sameBytes(found, text) {
        throw Problem(
          .invalidValue, "\(cell.column) is the text of the item, and two were given",
          detail: "give it once")
      }
      found = text
    }
    guard let found else {
      throw Problem(.missingValue, "\(schema.title) needs a value", detail: "an item needs a text")
    }
    return try Self.checked(found)
  }

  /// A text that an item may have: not empty, no NUL, at most 16 KiB.
  package static func checked(_ text: String) throws(Problem) -> Text {
    if text.utf8.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
      throw Problem(.emptyText, "the text is empty", detail: "an item needs a text")
    }
    if text.utf8.contains(0) {
      throw Problem(.invalidText, "the text has a NUL character", detail: "remove it")
    }
    guard text.utf8.count <= Limits.valueBytesMax else {
      throw Problem(
        .invalidText,
        "the text has \(text.utf8.count) bytes, an item holds \(Limits.valueBytesMax)",
        detail: "split it into child items")
    }
    return Text(text)
  }

  private func row(
    _ item: NewItem, _ text: Text, _ schema: ListSchema, _ list: String
  ) throws(Problem) -> (NewRow, [(field: FieldName, by: Int64)]) {
    var cells: [(field: FieldName, value: Value)] = [(.text, .text(text))]
    var counts: [(field: FieldName, by: Int64)] = []
    if item.isDone { cells.append((.done, .bool(true))) }
    if let note = item.note { cells.append((.note, .text(try Self.checked(note)))) }
    var written: [FieldName] = []
    for cell in item.cells {
      let (column, field) = try schema.field(named: cell.column, list: list)
      if field == .text { continue }
      guard !written.contains(field) else {
        throw Problem(.usage, "\(cell.column) is given twice")
      }
      written.append(field)
      switch try cell.input.effect(on: column) {
      case .set(let value): cells.append((field, value))
      case .add(let value):
        if column.type == .counter, case .int(let amount) = value {
          counts.append((field, amount))
        } else {
          cells.append((field, value))
        }
      }
    }
    for column in schema.valueColumns
    where column.isRequired && column.defaultText == nil && !written.contains(column.field) {
      _ = try ValueText.parse("", as: column)
    }
    return (NewRow(cells), counts)
  }

  // MARK: Changing

  private func take(_ edit: EditItems, _ plan: inout TransactionPlan) throws(Problem) {
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

  private func take(_ tick: TickItems, _ plan: inout TransactionPlan) throws(Problem) {
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

  private func setAlive(
    _ alive: Bool, _ list: ListSelector?, _ selectors: [ItemSelector],
    _ plan: inout TransactionPlan
  ) throws(Problem) {
    for item in try resolver.items(selectors, in: list, includesDead: true) {
      if replica.isAlive(item) == alive {
        plan.outcomes.append(ItemOutcome(subject: .item(item), verb: .same))
      } else {
        plan.edits.append(.setAlive(item, alive))
        plan.outcomes.append(
          ItemOutcome(subject: .item(item), verb: alive ? .restore : .remove))
      }
    }
  }

  // MARK: Moving

  private func take(_ move: MoveItems, _ plan: inout TransactionPlan) throws(Problem) {
    let items = try resolver.items(move.items, in: move.list)
    guard let first = items.first else { throw Problem(.usage, "nothing to move") }
    let (parent, placement) = try destination(items, move, first)
    for item in items where resolver.isInside(parent, item) {
      throw Problem(.conflict, "\(resolver.title(of: item)) cannot go into itself")
    }
    plan.edits.append(.move(items, parent: parent, at: placement))
    plan.outcomes += items.map { ItemOutcome(subject: .item($0), verb: .move) }
  }

  private func destination(
    _ items: [ItemID], _ move: MoveItems, _ first: ItemID
  ) throws(Problem) -> (ItemID, Placement) {
    let own = replica.parent(of: first) ?? .root
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
  private func target(
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

extension TransactionPlan {
  mutating func created(_ verb: ItemOutcome.Verb) {
    outcomes.append(ItemOutcome(subject: .created(createdCount), verb: verb))
    createdCount += 1
  }
}
