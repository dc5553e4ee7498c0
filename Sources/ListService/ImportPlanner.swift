// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
import ListFormats
import ListModel

/// Plans imports. The report of a dry run is the plan of the real one.
package struct ImportPlanner {
  package let resolver: Resolver
  var replica: Replica { resolver.replica }

  package init(_ resolver: Resolver) { self.resolver = resolver }

  /// - Throws: a problem for a file that cannot be read at all; single bad rows are skips.
  package func plan(_ request: ImportRequest) throws(Problem) -> ImportPlan {
    switch request.format {
    case .lines: try lines(request)
    case .csv: try csv(request)
    case .json: try json(request)
    }
  }

  /// A file without a name brings its lists as they are; a name that is not there makes a copy.
  private func json(_ request: ImportRequest) throws(Problem) -> ImportPlan {
    let file = try JSONImport(resolver, request)
    guard request.list != nil else { return file.plan() }
    let (list, name) = try target(request)
    guard let list else {
      return try JSONCopy(items: file.items, name: name, isDryRun: request.isDryRun).plan()
    }
    guard file.lists == [list] else {
      throw Problem(
        .nameTaken, "@\(name) is another list than the one in the file",
        detail: "import without a name brings that one back; a new @NAME makes a copy of it")
    }
    return file.plan()
  }

  private func reading<R>(_ body: () throws(FormatError) -> R) throws(Problem) -> R {
    do { return try body() } catch {
      throw Problem(.malformed, error.message, detail: "nothing was imported")
    }
  }

  private func report(_ list: ItemID?, _ name: String, _ request: ImportRequest) -> ImportReport {
    let reference = list.map {
      ListRef(id: $0, handle: resolver.handles.handle(of: $0), name: resolver.title(of: $0))
    }
    return ImportReport(list: reference, listName: name, isDryRun: request.isDryRun)
  }

  /// The list to import into; `nil` with a name for one that the import makes.
  private func target(_ request: ImportRequest) throws(Problem) -> (ItemID?, String) {
    do throws(Problem) {
      // A name that is not there makes a list: the beginning of another one is not enough.
      let list: ItemID
      if let selector = request.list {
        list = try resolver.exactList(
          selector, "another name begins so; for a new list: hedge new \(selector.path[0])")
      } else {
        list = try resolver.list(nil)
      }
      return (list, resolver.title(of: list))
    } catch {
      if request.list == nil, error.kind == .noList {
        throw Problem(
          .noList, "into which list?",
          detail: "say it: hedge import @NAME FILE; a NAME that is not there is made")
      }
      let isBeginning = request.list.map { (try? resolver.list($0)) != nil } ?? false
      guard !isBeginning, error.kind == .unknownList, let path = request.list?.path,
        path.count == 1,
        NameRule.defect(of: path[0]) == nil
      else { throw error }
      return (nil, path[0])
    }
  }

  // MARK: Lines

  private func lines(_ request: ImportRequest) throws(Problem) -> ImportPlan {
    let (list, name) = try target(request)
    var plan = ImportPlan(report: report(list, name, request))
    var tops: [NewRow] = []
    var nested: [Creation] = []
    let lines = try reading { () throws(FormatError) in try PlainLines.lines(request.bytes) }
    /// Stands for the item of a line, behind the key of a list that is made.
    func key(_ at: Int) -> ItemID { ItemID(nonce: 0, index: UInt32(at) + 2) }
    var above: [Int] = []
    for (at, line) in lines.enumerated() {
      var cells: [(field: FieldName, value: Value)] = [(.text, .text(line.text))]
      if line.isDone == true { cells.append((.done, .bool(true))) }
      let row = NewRow(cells)
      above.removeLast(max(above.count - line.depth, 0))
      let isParent = at + 1 < lines.count && lines[at + 1].depth > above.count
      let parent = above.last.map(key) ?? list ?? ImportPlan.freshList
      if above.isEmpty { tops.append(row) }
      nested.append(Creation(key: isParent ? key(at) : nil, parent: parent, row: row))
      above.append(at)
    }
    plan.report.createdCount = lines.count
    noteSame(tops, in: list, "hedge undo takes them away", &plan)
    add([], to: list, name, [], &plan)
    plan.creations += nested
    return plan
  }

  /// Adds rows at the end of the list, making the list first where it is missing.
  private func add(
    _ rows: [NewRow], to list: ItemID?, _ name: String, _ columns: [Column],
    _ plan: inout ImportPlan
  ) {
    let schema = ListSchema(columns: columns).fields
    if let list {
      plan.edits += schema.map { .set(list, $0.field, $0.value) }
    } else {
      let made = NewRow([(field: FieldName.text, value: Value.text(name))] + schema)
      plan.creations.append(Creation(key: ImportPlan.freshList, parent: .root, row: made))
    }
    let parent = list ?? ImportPlan.freshList
    plan.creations += rows.map { Creation(key: nil, parent: parent, row: $0) }
  }

  /// Says how many of the new rows have a text that the list had already, and what to do about it.
  private func noteSame(
    _ rows: [NewRow], in list: ItemID?, _ advice: String, _ plan: inout ImportPlan
  ) {
    guard let list, replica.childCount(of: list) > 0 else { return }
    var held: Set<Value> = []
    replica.forEachChild(of: list) { item in
      if let text = replica.value(of: item, .text) { held.insert(text) }
      return true
    }
    let count = rows.count { row in
      row.cells.contains { $0.field == .text && held.contains($0.value) }
    }
    guard count > 0 else { return }
    let words = count == 1 ? "1 row has a text that was" : "\(count) rows have texts that were"
    plan.report.notes.append("\(words) there already; \(advice)")
  }

  // MARK: CSV

  private func csv(_ request: ImportRequest) throws(Problem) -> ImportPlan {
    let (list, name) = try target(request)
    var plan = ImportPlan(report: report(list, name, request))
    let separator = CSV.separator(of: request.bytes)
    let rows = try reading { () throws(FormatError) in
      try CSV.rows(request.bytes, separator: separator)
    }
    if separator != UInt8(ascii: ",") {
      let word = separator == UInt8(ascii: ";") ? "semicolons" : "tabs"
      plan.report.notes.append("read with \(word) between fields: the header has no comma")
    }
    guard let header = rows.first else {
      throw Problem(.malformed, "the file is empty", detail: "the first row names the columns")
    }
    let table = try CSVTable(header: header, rows: Array(rows.dropFirst()), request.map)
    var schema = list.map(resolver.schema(under:)) ?? ListSchema()
    if schema.columns.isEmpty {
      schema = ListSchema(columns: table.inferredColumns())
      plan.report.newColumns = schema.columns
      plan.report.notes += table.unconverted(name)
    }
    let bindings = try table.bindings(schema, name)
    for case .column(let column, _) in bindings where column.type == .counter {
      plan.report.notes.append(
        "\(column.name) is left out: a counter is counted, not set; hedge set ITEM \(column.name)+=N"
      )
    }
    var known: [Text: ItemID] = [:]
    if let list, let key = request.key { known = try keyed(list, key, schema, name) }
    var fresh: [NewRow] = []
    var seen: Set<Text> = []
    for row in table.rows {
      do throws(Problem) {
        let cells = try table.cells(row, bindings, schema)
        if let keyName = request.key {
          let key = try table.key(keyName, row)
          guard seen.insert(key).inserted else {
            throw Problem(.invalidValue, "the key \"\(key.string)\" came before")
          }
          if let item = known[key] {
            plan.note(changes(item, cells))
            continue
          }
        }
        fresh.append(NewRow(cells))
        plan.report.createdCount += 1
      } catch {
        if error.kind == .unknownColumn { throw error }
        plan.report.skips.append(ImportReport.Skip(line: row.line, reason: error.title))
      }
    }
    if request.removesMissing, request.key != nil {
      for (key, item) in known.sorted(by: { $0.key < $1.key }) where !seen.contains(key) {
        plan.edits.append(.setAlive(item, false))
        plan.report.removedCount += 1
      }
    }
    if request.key == nil {
      noteSame(fresh, in: list, "--key \(table.title) updates rows instead", &plan)
    }
    add(fresh, to: list, name, plan.report.newColumns, &plan)
    return plan
  }

  private func keyed(
    _ list: ItemID, _ key: String, _ schema: ListSchema, _ name: String
  ) throws(Problem) -> [Text: ItemID] {
    let field = sameBytes(key, "text") ? .text : try schema.field(named: key, list: name).1
    var out: [Text: ItemID] = [:]
    replica.forEachChild(of: list) { item in
      out[Text(ValueText.print(replica.value(of: item, field) ?? .null))] = item
      return true
    }
    return out
  }

  private func changes(
    _ item: ItemID, _ cells: [(field: FieldName, value: Value)]
  ) -> [Edit] {
    cells.compactMap { cell in
      let held = replica.value(of: item, cell.field)
      return held == cell.value || (held == nil && cell.value == .null)
        ? nil : .set(item, cell.field, cell.value)
    }
  }
}
