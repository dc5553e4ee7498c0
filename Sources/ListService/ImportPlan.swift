// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// One item that an import makes.
package struct Creation: Hashable, Sendable {
  /// The name by which other creations call it their parent; `nil` for leaves.
  package let key: ItemID?
  /// An item that exists, or the key of a creation.
  package var parent: ItemID
  package let row: NewRow

  init(key: ItemID?, parent: ItemID, row: NewRow) {
    (self.key, self.parent, self.row) = (key, parent, row)
  }
}

/// An import made ready: what to do, in rounds, and the report that will be true afterwards.
///
/// Items get their ids when the engine creates them, so a child whose parent is new waits for the
/// next round; one level of new parents fits into the first.
package struct ImportPlan: Sendable {
  /// Stands for the list that the import itself makes.
  package static let freshList = ItemID(nonce: 0, index: 1)
  /// New parents that one round may name before they exist.
  private static let namedMax = 200
  /// So many recreations go into one round: each is a change with a signature.
  private static let recreationsMax = 500

  /// Items that keep the ids they had elsewhere, parents first; before all else.
  package var recreations: [Edit] = []
  package var edits: [Edit] = []
  package var creations: [Creation] = []
  /// What is counted on items once they are made, by their keys.
  var counts: [ItemID: [(field: FieldName, total: Int64)]] = [:]
  private var increments: [Edit] = []
  package var report: ImportReport
  private var ids: [ItemID: ItemID] = [:]
  private var isStarted = false

  init(report: ImportReport) { self.report = report }

  mutating func note(_ changes: [Edit]) {
    edits += changes
    if changes.isEmpty { report.unchangedCount += 1 } else { report.updatedCount += 1 }
  }

  /// One request to the engine.
  package struct Round: Sendable {
    package let edits: [Edit]
    /// The nonce that the first change must have, or `nil`.
    package let nonce: UInt64?
    /// Keys of the items it creates, in order.
    package let keys: [ItemID?]
  }

  /// The next round; `nil` when all is done.
  /// - Parameter nonce: Fresh.
  package mutating func nextRound(nonce: UInt64) -> Round? {
    if !recreations.isEmpty {
      defer { recreations.removeFirst(min(Self.recreationsMax, recreations.count)) }
      return Round(
        edits: Array(recreations.prefix(Self.recreationsMax)), nonce: nil, keys: [])
    }
    let changes = (isStarted ? [] : edits) + increments
    (isStarted, increments) = (true, [])
    guard !creations.isEmpty else {
      return changes.isEmpty ? nil : Round(edits: changes, nonce: nil, keys: [])
    }
    let waiting = Set(creations.compactMap(\.key))
    var out: [Edit] = []
    var keys: [ItemID?] = []
    var named: [ItemID: ItemID] = [:]
    // First the parents that can be named ahead: the ids of one small create are known.
    if let top = creations.first(where: { !waiting.contains($0.parent) && $0.key != nil })?.parent {
      let parents = creations.filter { $0.parent == top && $0.key != nil }.prefix(Self.namedMax)
      for (at, parent) in parents.enumerated() {
        if let key = parent.key { named[key] = ItemID(nonce: nonce, index: UInt32(at)) }
        keys.append(parent.key)
      }
      out.append(.create(parents.map(\.row), parent: ids[top] ?? top, at: .bottom))
      creations.removeAll { $0.key.map { named[$0] != nil } ?? false }
    }
    // Then all whose parent is there or has just been named, grouped by parent in order.
    var order: [ItemID] = []
    var groups: [ItemID: [Creation]] = [:]
    var left: [Creation] = []
    for creation in creations {
      let parent = named[creation.parent] ?? ids[creation.parent] ?? creation.parent
      if waiting.contains(creation.parent) && named[creation.parent] == nil
        && ids[creation.parent] == nil
      {
        left.append(creation)
        continue
      }
      if groups[parent] == nil { order.append(parent) }
      groups[parent, default: []].append(creation)
    }
    for parent in order {
      let group = groups[parent] ?? []
      out.append(.create(group.map(\.row), parent: parent, at: .bottom))
      keys += group.map(\.key)
    }
    creations = left
    return Round(edits: out + changes, nonce: named.isEmpty ? nil : nonce, keys: keys)
  }

  /// Takes the ids that the engine gave to the items of a round.
  package mutating func created(_ items: [ItemID], _ round: Round) {
    for (key, item) in zip(round.keys, items) {
      guard let key else { continue }
      ids[key] = item
      for count in counts[key] ?? [] {
        increments.append(.increment(item, count.field, by: count.total))
      }
    }
    if let list = ids[Self.freshList], report.list == nil {
      report.list = ListRef(id: list, handle: "", name: report.listName)
    }
  }
}
