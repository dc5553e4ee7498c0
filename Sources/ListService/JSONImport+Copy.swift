// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListFormats
import ListModel

/// An import under a name that is not there: a copy of the list of the file, with ids of its own.
struct JSONCopy {
  let items: [ExportedItem]
  let name: String
  let isDryRun: Bool

  /// - Throws: `usage` for a file of several lists, `malformed` where an item stands in it twice or before
  ///   the one it is under.
  func plan() throws(Problem) -> ImportPlan {
    let ids = Set(items.map(\.id))
    let tops = items.filter { !ids.contains($0.parent) }
    guard tops.count == 1, let top = tops.first else {
      throw Problem(
        .usage, "the file holds \(tops.count) lists, and @\(name) is one",
        detail: "import it without a name, or export one list")
    }
    var plan = ImportPlan(report: ImportReport(list: nil, listName: name, isDryRun: isDryRun))
    let parents = Set(items.map(\.parent))
    var seen: Set<ItemID> = []
    for item in items {
      guard item.id == top.id || seen.contains(item.parent), seen.insert(item.id).inserted else {
        throw Problem(
          .malformed, "the item \(item.id.hex) is twice in the file, or before what it is under",
          detail: "nothing was imported")
      }
      let isTop = item.id == top.id
      let counts = item.counts.filter { $0.total != 0 }
      let isNamed = parents.contains(item.id) || !counts.isEmpty
      let key = isTop ? ImportPlan.freshList : isNamed ? item.id : nil
      var row = item.cells
      if isTop { row = row.filter { $0.field != .text } + [(.text, .text(Text(name)))] }
      let parent =
        isTop ? ItemID.root : item.parent == top.id ? ImportPlan.freshList : item.parent
      plan.creations.append(Creation(key: key, parent: parent, row: NewRow(row)))
      if let key, !counts.isEmpty { plan.counts[key] = counts }
    }
    plan.report.createdCount = items.count - 1
    return plan
  }
}
