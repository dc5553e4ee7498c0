// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// New items: texts, columns, places, what the list has already.
extension TransactionPlanner {
  func take(_ add: AddItems, _ plan: inout TransactionPlan) throws(Problem) {
    var (parent, placement) = try target(add.place, add.list)
    if add.items.isEmpty { throw Problem(.emptyText, "nothing to add", detail: "give a text") }
    if add.items.contains(where: { $0.depth > 0 }) {
      return try takeNested(add, under: parent, at: placement, &plan)
    }
    let schema = resolver.schema(under: parent)
    let open = openTexts(parent)
    if try areThere(add, &plan) { return }
    var rows: [NewRow] = []
    var counts: [(row: Int, field: FieldName, by: Int64)] = []
    for item in add.items {
      if let id = item.id, replica.exists(id) {
        plan.outcomes.append(ItemOutcome(subject: .item(id), verb: .same))
        continue
      }
      let text = try text(of: item, schema, resolver.title(of: parent))
      let same = open[text] ?? []
      if add.onlyNew && !same.isEmpty {
        plan.outcomes.append(ItemOutcome(subject: .item(same[0]), verb: .same))
        continue
      }
      if let first = same.first, !plan.maybeSame.contains(first) { plan.maybeSame.append(first) }
      let (row, increments) = try self.row(item, text, schema, resolver.title(of: parent))
      counts += increments.map { (rows.count, $0.field, $0.by) }
      rows.append(row)
      if let id = item.id { try promise(id, &plan) }
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

  func openTexts(_ parent: ItemID) -> [Text: [ItemID]] {
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

  /// The column of a cell of a new item.
  private func column(
    _ cell: CellWrite, _ schema: ListSchema, _ list: String
  ) throws(Problem) -> (Column, FieldName) {
    do throws(Problem) { return try schema.field(named: cell.column, list: list) } catch {
      var problem = error
      if !schema.columns.isEmpty, let detail = error.detail {
        problem.detail = "\(detail); text with = in it goes behind --"
      }
      throw problem
    }
  }

  func text(
    of item: NewItem, _ schema: ListSchema, _ list: String
  ) throws(Problem) -> Text {
    var found = item.text
    for cell in item.cells
    where schema.titleColumn.map({ sameBytes($0.name, cell.column) }) ?? false {
      let text: String
      switch cell.input {
      case .text(let given), .timed(let given, _, _): text = given
      default: continue
      }
      if let found, !sameBytes(found, text) {
        throw Problem(
          .invalidValue, "\(cell.column) is the text of the item, and two were given",
          detail: "give it once")
      }
      found = text
    }
    if found == nil, let cell = item.cells.first {
      // Text with a = in it, or the name of a column that is not there.
      _ = try column(cell, schema, list)
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

  func row(
    _ item: NewItem, _ text: Text, _ schema: ListSchema, _ list: String
  ) throws(Problem) -> (NewRow, [(field: FieldName, by: Int64)]) {
    var cells: [(field: FieldName, value: Value)] = [(.text, .text(text))]
    var counts: [(field: FieldName, by: Int64)] = []
    if item.isDone { cells.append((.done, .bool(true))) }
    if let note = item.note { cells.append((.note, .text(try Self.checked(note)))) }
    var written: [FieldName] = []
    for cell in item.cells {
      let (column, field) = try column(cell, schema, list)
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
}
