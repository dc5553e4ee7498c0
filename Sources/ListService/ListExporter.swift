// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
import ListFormats
package import ListModel

/// Writes lists as files, and says what a format has no room for.
package struct ListExporter {
  private let reader: ListReader
  private var resolver: Resolver { reader.resolver }
  private var replica: Replica { reader.resolver.replica }

  package init(_ reader: ListReader) { self.reader = reader }

  /// - Throws: `usage` for several lists where the format holds one.
  /// - Complexity: O(items below the lists).
  package func export(
    _ lists: [ItemID], _ format: FileFormat
  ) throws(Problem) -> ExportReply {
    switch format {
    case .json: ExportReply(format: .json, bytes: LosslessJSON.write(replica, lists))
    case .lines: lines(lists)
    case .csv: try csv(lists)
    }
  }

  /// What was left out, in the order in which it is told.
  private struct Loss {
    var columns = 0
    var notes = 0
    var lineEnds = 0
    var children = 0

    /// `nil` where nothing was.
    func sentence(_ format: String) -> String? {
      let parts = [
        (columns, "values of columns"), (notes, "notes"), (lineEnds, "line ends in texts"),
        (children, "child items"),
      ].filter { $0.0 > 0 }.map { "\($0.1) (\($0.0))" }
      return parts.isEmpty ? nil : "\(format) leave out \(parts.joined(separator: ", "))"
    }
  }

  private func note(_ item: ItemID) -> Text? {
    guard case .text(let note)? = replica.value(of: item, .note), !note.utf8.isEmpty else {
      return nil
    }
    return note
  }

  private func held(_ item: ItemID, _ column: Column) -> Value? {
    let held =
      column.type == .counter
      ? replica.counterTotal(of: item, column.field).map(Value.int)
      : replica.value(of: item, column.field)
    return held == .null ? nil : held
  }

  private func lines(_ lists: [ItemID]) -> ExportReply {
    var out: [UInt8] = []
    var loss = Loss()
    for list in lists {
      let columns = resolver.schema(under: list).valueColumns
      // An own stack: depth is unlimited.
      var open = replica.children(of: list).reversed().map { ($0, 0) }
      while let (item, depth) = open.popLast() {
        let text = Text(resolver.title(of: item))
        PlainLines.append(text, isDone: reader.isDone(item), depth: depth, to: &out)
        open += replica.children(of: item).reversed().map { ($0, depth + 1) }
        if text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) { loss.lineEnds += 1 }
        if note(item) != nil { loss.notes += 1 }
        loss.columns += columns.count { held(item, $0) != nil }
      }
    }
    return ExportReply(format: .lines, bytes: out, lossNote: loss.sentence("lines"))
  }

  private func csv(_ lists: [ItemID]) throws(Problem) -> ExportReply {
    guard lists.count == 1 else {
      throw Problem(.usage, "CSV holds one list", detail: "name it: hedge export @NAME")
    }
    let schema = resolver.schema(under: lists[0])
    let items = replica.children(of: lists[0])
    let hasDone = items.contains(where: reader.isDone)
    let hasNotes = items.contains { note($0) != nil }
    let columns = schema.valueColumns
    var out: [UInt8] = []
    var head = [Text(schema.titleColumn?.name ?? "text")] + columns.map { Text($0.name) }
    if hasDone { head.append(Text("done")) }
    if hasNotes { head.append(Text("note")) }
    CSV.append(head, to: &out)
    var loss = Loss()
    for item in items {
      var fields = [Text(resolver.title(of: item))]
      fields += columns.map { Text(held(item, $0).map(ValueText.print) ?? "") }
      if hasDone { fields.append(Text(reader.isDone(item) ? "true" : "false")) }
      if hasNotes { fields.append(note(item) ?? Text("")) }
      CSV.append(fields, to: &out)
      loss.children += replica.aliveDescendantCount(of: item)
    }
    return ExportReply(format: .csv, bytes: out, lossNote: loss.sentence("CSV rows"))
  }
}
