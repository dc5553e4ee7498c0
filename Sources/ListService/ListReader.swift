// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// Reads replies off a replica: lists, pages of items, one item, what a transaction came to.
package struct ListReader {
  package let resolver: Resolver
  /// Display name of a device.
  let nameOf: (DeviceID) -> String
  /// Stands for "everything up to now" in the event feed.
  let cursor: String
  var replica: Replica { resolver.replica }
  /// Added to the revisions of lists, so that those of two runs of the agent never are equal.
  package var revisionBase: UInt64 = 0

  package init(
    _ resolver: Resolver, cursor: String, nameOf: @escaping (DeviceID) -> String
  ) {
    (self.resolver, self.cursor, self.nameOf) = (resolver, cursor, nameOf)
  }

  func isDone(_ item: ItemID) -> Bool { replica.value(of: item, .done) == .bool(true) }

  // MARK: Items

  /// The items of a list as a query wants them.
  package func page(_ query: ItemsQuery) throws(Problem) -> ItemsPage {
    let list = try resolver.list(query.list)
    var page = emptyPage(list)
    if !query.columns.isEmpty {
      var chosen: [Column] = []
      for name in query.columns {
        chosen.append(try page.schema(resolver, list).field(named: name, list: page.list.name).0)
      }
      page.columns = chosen
    }
    let words = query.words.map { $0.lowercased() }
    let tests = try query.filters.map { filter throws(Problem) in
      let column = try self.column(filter.column, list)
      try filter.check(column.type)
      return (filter, column)
    }
    var items: [(item: ItemID, depth: Int)] = []
    collect(list, depth: 0, isTree: query.shape == .tree, into: &items)
    (page.openCount, page.doneCount) = counts(below: list)
    var isBehind = query.after == nil
    var after: ItemID?
    if let selector = query.after { after = try resolver.item(selector, in: query.list) }
    var rows: [ItemRow] = []
    var count = 0
    // Items above the one that is looked at which are not among the rows yet.
    var above: [(item: ItemID, depth: Int)] = []
    let hasContext = query.show == .open && query.sort.isEmpty
    let isTree = query.shape == .tree
    for (item, depth) in items {
      if !isBehind {
        isBehind = item == after
        continue
      }
      while let last = above.last, last.depth >= depth { above.removeLast() }
      let isContext = hasContext && isDone(item)
      guard isContext || shows(item, query.show), matches(item, words),
        try fulfils(item, tests), !(isTree && isContext)
      else {
        // In a tree whatever stands above a row is shown with it.
        if hasContext, isTree { above.append((item, depth)) }
        continue
      }
      if isContext {
        if counts(below: item).open > 0 { rows.append(context(item, depth, page.columns)) }
        continue
      }
      rows += above.map { context($0.item, $0.depth, page.columns) }
      above = []
      rows.append(row(item, depth: depth, page.columns))
      count += 1
      if query.sort.isEmpty, let limit = query.limit, count >= limit { break }
    }
    if !query.sort.isEmpty {
      rows = try sorted(rows, query.sort, list)
      if let limit = query.limit { rows = Array(rows.prefix(limit)) }
    }
    page.rows = rows
    page.isTree = query.shape == .tree
    return page
  }

  /// An item that is shown because of what is under it.
  private func context(_ item: ItemID, _ depth: Int, _ columns: [Column]) -> ItemRow {
    var row = row(item, depth: depth, columns)
    row.isContext = true
    return row
  }

  /// Items on all levels below `parent`, by state.
  /// - Complexity: O(items below).
  func counts(below parent: ItemID) -> (open: Int, done: Int) {
    var counts = (open: 0, done: 0)
    var parents = [parent]
    while let parent = parents.popLast() {
      replica.forEachChild(of: parent) { item in
        if isDone(item) { counts.done += 1 } else { counts.open += 1 }
        if replica.childCount(of: item) > 0 { parents.append(item) }
        return true
      }
    }
    return counts
  }

  func emptyPage(_ list: ItemID) -> ItemsPage {
    let schema = resolver.schema(under: list)
    return ItemsPage(
      list: reference(list), title: schema.title, hasTitleColumn: schema.titleColumn != nil,
      columns: schema.valueColumns, cursor: cursor)
  }

  private func collect(
    _ parent: ItemID, depth: Int, isTree: Bool, into items: inout [(item: ItemID, depth: Int)]
  ) {
    // An own stack: depth is unlimited.
    var open = replica.children(of: parent).reversed().map { ($0, depth) }
    while let (item, depth) = open.popLast() {
      items.append((item, depth))
      if isTree { open += replica.children(of: item).reversed().map { ($0, depth + 1) } }
    }
  }

  func shows(_ item: ItemID, _ show: ItemsQuery.Show) -> Bool {
    switch show {
    case .all: true
    case .open: !isDone(item)
    case .done: isDone(item)
    }
  }

  func matches(_ item: ItemID, _ words: [String]) -> Bool {
    if words.isEmpty { return true }
    let text = resolver.title(of: item).lowercased()
    return words.allSatisfy { text.contains($0) }
  }

  private func column(
    _ name: String, _ list: ItemID
  ) throws(Problem) -> (field: FieldName, type: ColumnType) {
    if sameBytes(name, "text") { return (.text, .text) }
    if sameBytes(name, "state") { return (.done, .options(["open", "done"])) }
    let schema = resolver.schema(under: list)
    // The heading that the text of the items has where no column is called so.
    if schema.titleColumn == nil, schema.column(named: name) == nil, sameBytes(name, schema.title) {
      return (.text, .text)
    }
    let (column, field) = try schema.field(named: name, list: resolver.title(of: list))
    return (field, column.type)
  }

  private func fulfils(
    _ item: ItemID, _ tests: [(Filter, (field: FieldName, type: ColumnType))]
  ) throws(Problem) -> Bool {
    for (filter, column) in tests {
      var value = self.value(item, column.field, column.type)
      if column.field == .done { value = .text(isDone(item) ? "done" : "open") }
      if try !filter.accepts(value, column.type) { return false }
    }
    return true
  }

  private func sorted(
    _ rows: [ItemRow], _ keys: [SortKey], _ list: ItemID
  ) throws(Problem) -> [ItemRow] {
    let columns = try keys.map { key throws(Problem) in try self.column(key.column, list) }
    let values = rows.map { row in
      columns.map { value(row.id, $0.field, $0.type) ?? .null }
    }
    let order = rows.indices.sorted { a, b in
      for (at, key) in keys.enumerated() {
        let (x, y) = (values[a][at], values[b][at])
        let order = ValueOrder.compare(x, y)
        // What has no value comes last, whichever way the rest goes.
        if x == .null || y == .null, order != 0 { return order < 0 }
        if order != 0 { return key.isDescending ? order > 0 : order < 0 }
      }
      return a < b
    }
    return order.map { rows[$0] }
  }

  /// A cell as it shows: what was written, a counter's sum, else nothing.
  private func value(_ item: ItemID, _ field: FieldName, _ type: ColumnType) -> Value? {
    if type == .counter { return replica.counterTotal(of: item, field).map(Value.int) }
    return replica.value(of: item, field)
  }

  func row(_ item: ItemID, depth: Int, _ columns: [Column]) -> ItemRow {
    let written = replica.lastWritten(of: item)
    var childCount = 0
    var doneChildCount = 0
    replica.forEachChild(of: item) {
      childCount += 1
      if isDone($0) { doneChildCount += 1 }
      return true
    }
    let text: Text
    if case .text(let held)? = replica.value(of: item, .text) {
      text = held
    } else {
      text = Text("")
    }
    let parent = replica.parent(of: item)
    let cells = columns.map { column -> Value? in
      if let held = value(item, column.field, column.type) { return held }
      return column.defaultText.flatMap { ValueText.value(of: $0, column.type) }
    }
    return ItemRow(
      id: item, handle: resolver.handles.handle(of: item), isDone: isDone(item), text: text,
      parent: parent.flatMap { replica.parent(of: $0) == .root ? nil : $0 }, depth: depth,
      cells: cells, childCount: childCount, doneChildCount: doneChildCount,
      at: written?.milliseconds ?? 0, by: written.map { nameOf($0.device) } ?? "")
  }

  /// One item with all its fields and who wrote them.
  package func detail(
    _ list: ListSelector?, _ selector: ItemSelector
  ) throws(Problem) -> ItemDetail {
    let item = try resolver.item(selector, in: list)
    let parent = replica.parent(of: item) ?? .root
    var page = emptyPage(parent == .root ? item : parent)
    page.rows = [row(item, depth: 0, page.columns)]
    var fields: [ItemDetail.Field] = []
    for field in replica.fields(of: item) {
      let name = resolver.columnName(field, of: item)
      if let value = replica.value(of: item, field), let written = replica.written(of: item, field)
      {
        fields.append(
          ItemDetail.Field(
            name: name, value: value, at: written.milliseconds, by: nameOf(written.device)))
      } else if let total = replica.counterTotal(of: item, field) {
        let written = replica.lastWritten(of: item)
        fields.append(
          ItemDetail.Field(
            name: name, value: .int(total), at: written?.milliseconds ?? 0,
            by: written.map { nameOf($0.device) } ?? ""))
      }
    }
    var detail = ItemDetail(
      page: page, fields: fields, position: replica.index(of: item).map { $0 + 1 },
      siblingCount: replica.childCount(of: parent), status: Self.word(replica.status(of: item)))
    let list = replica.list(of: item) ?? parent
    detail.list = reference(list)
    if item != list, let placed = replica.placed(item) {
      let under = parent == list || parent == .recovered ? nil : Text(resolver.title(of: parent))
      detail.placed = ItemDetail.Placed(
        by: nameOf(placed.device), at: placed.milliseconds, under: under)
    }
    detail.revision = revision(of: item)
    return detail
  }

  private static func word(_ status: ItemStatus) -> String {
    switch status {
    case .visible: "visible"
    case .hidden: "hidden"
    case .recovered: "recovered"
    case .orphan, .unknown: "unknown"
    }
  }
}

extension ItemsPage {
  fileprivate func schema(_ resolver: Resolver, _ list: ItemID) -> ListSchema {
    resolver.schema(under: list)
  }
}
