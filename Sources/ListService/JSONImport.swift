// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListFormats
import ListModel

/// Plans the import of a lossless export.
///
/// Items that are here are brought to the values and counts of the file, deleted ones come back;
/// where they stand is left alone. Others are made under the ids that they have in the file, behind
/// their neighbour there. Stamps are those of the import: only the author of a change can sign it.
struct JSONImport {
  private let resolver: Resolver
  private let isDryRun: Bool
  let items: [ExportedItem]
  private var replica: Replica { resolver.replica }
  /// Items of the file under each of their parents, in order.
  private var siblings: [ItemID: [ItemID]] = [:]
  /// Made by this import so far.
  private var made: Set<ItemID> = []

  init(_ resolver: Resolver, _ request: ImportRequest) throws(Problem) {
    (self.resolver, isDryRun) = (resolver, request.isDryRun)
    do { items = try LosslessJSON.read(request.bytes) } catch {
      throw Problem(.malformed, error.message, detail: "nothing was imported")
    }
    for item in items { siblings[item.parent, default: []].append(item.id) }
  }

  consuming func plan() -> ImportPlan {
    var plan = ImportPlan(report: ImportReport(list: nil, listName: name, isDryRun: isDryRun))
    var run: Run?
    /// Where the next item of each parent goes behind.
    var last: [ItemID: ItemID] = [:]
    var numbers: [ItemID: Int] = [:]
    for item in items {
      let number = numbers[item.parent, default: 0]
      numbers[item.parent] = number + 1
      if replica.exists(item.id) {
        plan.note(changes(item))
        if replica.isAlive(item.id), replica.parent(of: item.id) == item.parent {
          last[item.parent] = item.id
        }
        continue
      }
      // Whoever lost its parent becomes a list of its own.
      let isKnown =
        item.parent == .root || replica.exists(item.parent) || made.contains(item.parent)
      let parent = isKnown ? item.parent : .root
      if run?.take(item, parent) != true {
        if let run { plan.recreations.append(run.edit) }
        let place = last[parent].map(Placement.after) ?? next(parent, behind: number)
        run = Run(item, parent, place)
      }
      made.insert(item.id)
      last[parent] = item.id
      plan.report.createdCount += 1
      plan.edits += item.counts.filter { $0.total != 0 }.map {
        .increment(item.id, $0.field, by: $0.total)
      }
    }
    if let run { plan.recreations.append(run.edit) }
    return plan
  }

  /// The items of the file that are under none of the others.
  var lists: [ItemID] {
    let ids = Set(items.map(\.id))
    return items.filter { !ids.contains($0.parent) }.map(\.id)
  }

  /// What the report calls it: the one list, or how many.
  private var name: String {
    let lists = lists
    guard lists.count == 1, let top = items.first(where: { $0.id == lists[0] }) else {
      return "\(lists.count) lists"
    }
    for case (.text, .text(let text)) in top.cells { return text.string }
    return "1 list"
  }

  private func changes(_ item: ExportedItem) -> [Edit] {
    var out: [Edit] = replica.isAlive(item.id) ? [] : [.setAlive(item.id, true)]
    out += item.cells.compactMap { cell in
      replica.value(of: item.id, cell.field) == cell.value
        ? nil : .set(item.id, cell.field, cell.value)
    }
    for count in item.counts {
      let held = replica.counterTotal(of: item.id, count.field) ?? 0
      let (missing, isTooFar) = count.total.subtractingReportingOverflow(held)
      if missing != 0 && !isTooFar {
        out.append(.increment(item.id, count.field, by: missing))
      }
    }
    return out
  }

  /// In front of the next item of the file that is here, else at the end.
  private func next(_ parent: ItemID, behind number: Int) -> Placement {
    let here = (siblings[parent] ?? []).dropFirst(number + 1).first {
      replica.isAlive($0) && replica.parent(of: $0) == parent
    }
    return here.map(Placement.before) ?? .bottom
  }

  /// Neighbours whose ids follow each other: one change makes them all.
  private struct Run {
    let first: ItemID
    let parent: ItemID
    let place: Placement
    var rows: [NewRow]

    init(_ item: ExportedItem, _ parent: ItemID, _ place: Placement) {
      (first, self.parent, self.place) = (item.id, parent, place)
      rows = [NewRow(item.cells)]
    }

    /// `false` for an item that needs a run of its own.
    mutating func take(_ item: ExportedItem, _ parent: ItemID) -> Bool {
      guard parent == self.parent, item.id.nonce == first.nonce,
        UInt64(item.id.index) == UInt64(first.index) + UInt64(rows.count)
      else { return false }
      rows.append(NewRow(item.cells))
      return true
    }

    var edit: Edit { .recreate(first: first, rows[...], parent: parent, at: place) }
  }
}
