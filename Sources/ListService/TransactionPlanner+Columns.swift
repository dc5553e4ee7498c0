// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// The columns of a list.
///
/// A column keeps the key that its values are stored under, so that a rename touches no item and misses
/// nothing that others write meanwhile. Which column is the title is written down with the first change,
/// because the first column of type text would be another one otherwise.
extension TransactionPlanner {
  func take(
    _ selector: ListSelector?, _ change: ColumnChange, _ plan: inout TransactionPlan
  ) throws(Problem) {
    let list = try resolver.list(selector)
    let name = resolver.title(of: list)
    let old = resolver.schema(under: list)
    var schema = old
    schema.titleKey = old.titleColumn?.fieldKey ?? ""
    switch change {
    case .add(let columns):
      for column in columns { try add(column, list, &schema) }
    case .rename(let from, let to):
      let at = try index(from, schema, name)
      try Column.check(name: to)
      if let other = schema.column(named: to), other != schema.columns[at] {
        throw Problem(.nameTaken, "\(name) has a column \(to) already")
      }
      let key = schema.columns[at].fieldKey
      schema.columns[at].name = to
      schema.columns[at].key = sameBytes(key, to) ? nil : key
    case .drop(let dropped):
      let at = try index(dropped, schema, name)
      try refuse(title: schema.columns[at], schema)
      plan.edits.append(.set(list, schema.columns[at].declaration, .null))
      schema.columns.remove(at: at)
    case .retype(let column, let type):
      let at = try index(column, schema, name)
      try retype(at, type, list, &schema, &plan)
    case .order(let names):
      var columns: [Column] = []
      for column in names {
        let at = try index(column, schema, name)
        columns.append(schema.columns.remove(at: at))
      }
      schema.columns = columns + schema.columns
    }
    write(schema, old, list, &plan)
  }

  private func index(_ name: String, _ schema: ListSchema, _ list: String) throws(Problem) -> Int {
    guard let at = schema.columns.firstIndex(where: { sameBytes($0.name, name) }) else {
      throw schema.unknown(column: name, list: list)
    }
    return at
  }

  private func refuse(title column: Column, _ schema: ListSchema) throws(Problem) {
    guard column == schema.titleColumn else { return }
    throw Problem(
      .conflict, "\(column.name) is the text of the items",
      detail: "it can be renamed: hedge cols @LIST rename \(column.name) NAME")
  }

  /// The fields that differ. A list that had its columns from above gets all of them as its own.
  private func write(
    _ schema: ListSchema, _ old: ListSchema, _ list: ItemID, _ plan: inout TransactionPlan
  ) {
    if schema.columns == old.columns {
      return plan.outcomes.append(ItemOutcome(subject: .item(list), verb: .same))
    }
    for (field, value) in schema.fields where replica.value(of: list, field) != value {
      plan.edits.append(.set(list, field, value))
    }
    plan.outcomes.append(ItemOutcome(subject: .item(list), verb: .set))
  }

  private func add(
    _ column: Column, _ list: ItemID, _ schema: inout ListSchema
  ) throws(Problem) {
    if schema.column(named: column.name) != nil {
      throw Problem(
        .nameTaken, "\(resolver.title(of: list)) has a column \(column.name) already")
    }
    // The key of a dropped or renamed column still has values in items.
    var key = column.name
    var number = 2
    while replica.value(of: list, .named("col/" + key)) != nil
      || schema.columns.contains(where: { sameBytes($0.fieldKey, key) })
    {
      key = "\(column.name.prefix(50)).\(number)"
      number += 1
    }
    var column = column
    column.key = sameBytes(key, column.name) ? nil : key
    guard column.declaration.isValid else {
      throw Problem(.invalidName, "the column name \"\(column.name)\" is too long")
    }
    schema.columns.append(column)
  }

  // MARK: Types

  private func retype(
    _ at: Int, _ type: Column, _ list: ItemID, _ schema: inout ListSchema,
    _ plan: inout TransactionPlan
  ) throws(Problem) {
    let old = schema.columns[at]
    var new = type
    (new.name, new.key) = (old.name, old.key)
    if old.type != new.type {
      try refuse(title: old, schema)
      guard old.type != .counter, new.type != .counter else {
        throw Problem(
          .conflict, "a counter is counted, not written",
          detail: "add a column of the other type and drop this one")
      }
    }
    schema.columns[at] = new
    if old.type == new.type { return }
    // Values are read as they were written; `!` and default do not make a value wrong.
    let plain = Column(name: new.name, type: new.type)
    var open = Array(replica.children(of: list).reversed())
    while let item = open.popLast() {
      open += replica.children(of: item).reversed()
      guard let value = replica.value(of: item, old.field), value != .null else { continue }
      do throws(Problem) {
        let converted = try ValueText.parse(ValueText.print(value), as: plain)
        if converted != value { plan.edits.append(.set(item, old.field, converted)) }
      } catch { plan.rejects.append((item, error.title)) }
    }
  }
}
