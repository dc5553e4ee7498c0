// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// The merge journal as people and programs see it, and the way to the other value.
package struct ConflictReader {
  let resolver: Resolver
  let nameOf: (DeviceID) -> String
  private var replica: Replica { resolver.replica }

  package init(_ resolver: Resolver, nameOf: @escaping (DeviceID) -> String) {
    (self.resolver, self.nameOf) = (resolver, nameOf)
  }

  /// `c-12`.
  package static func name(_ number: Int64) -> String { "c-\(number)" }

  /// The number in `c-12`; `nil` for other text.
  package static func number(_ name: String) -> Int64? {
    guard name.hasPrefix("c-"), let number = Int64(name.dropFirst(2)), number > 0 else {
      return nil
    }
    return number
  }

  /// What a cell of `item` is called: `place`, `life`, `text`, or its column.
  package func name(_ cell: CellName, _ item: ItemID) -> String {
    switch cell {
    case .create: "create"
    case .place: "place"
    case .life: "life"
    case .field(let field): resolver.columnName(field, of: item)
    }
  }

  /// A value, a place or a life in words.
  package func words(_ value: CellValue) -> String {
    switch value {
    case .place(let parent, let key): place(parent, key)
    case .life(let alive): alive ? "alive" : "removed"
    case .value(let value): ValueText.print(value)
    }
  }

  /// The list that an entry is about, `nil` for one that is in none.
  package func list(of entry: JournalEntry) -> ItemID? {
    resolver.writtenChain(above: entry.item).chain.last ?? entry.item
  }

  /// One entry.
  package func row(_ number: Int64, _ entry: JournalEntry) -> ConflictRow {
    ConflictRow(
      id: Self.name(number), list: list(of: entry).map(resolver.title) ?? "", item: entry.item,
      handle: resolver.handles.handle(of: entry.item), text: Text(resolver.title(of: entry.item)),
      column: name(entry.cell, entry.item), kept: side(entry.kept, entry.keptBy),
      dropped: side(entry.dropped, entry.droppedBy),
      isTaken: holds(entry.item, entry.cell, entry.dropped))
  }

  private func side(_ value: CellValue, _ by: Written) -> ConflictRow.Side {
    let shown: Value
    if case .value(let held) = value { shown = held } else { shown = .text(words(value)) }
    return ConflictRow.Side(value: shown, by: nameOf(by.device), at: by.milliseconds)
  }

  /// `groceries, place 3`, `under milk, place 1`: counted among what is there now.
  private func place(_ parent: ItemID, _ key: PositionKey) -> String {
    if parent == .recovered { return "Recovered" }
    var place = 1
    replica.forEachChild(of: parent) { other in
      if let there = replica.position(of: other), there.bytes.lexicographicallyPrecedes(key.bytes) {
        place += 1
      }
      return true
    }
    if parent == .root { return "lists, place \(place)" }
    let isList = replica.spot(of: parent)?.parent == .root
    return (isList ? "" : "under ") + "\(resolver.title(of: parent)), place \(place)"
  }

  /// Whether the cell holds the dropped value now.
  package func isTaken(_ entry: JournalEntry) -> Bool {
    holds(entry.item, entry.cell, entry.dropped)
  }

  private func holds(_ item: ItemID, _ cell: CellName, _ value: CellValue) -> Bool {
    switch (cell, value) {
    case (.place, .place(let parent, let key)):
      replica.spot(of: item) == Spot(parent: parent, key: key)
    case (.life, .life(let alive)): replica.isAlive(item) == alive
    case (.field(let field), .value(let value)): replica.value(of: item, field) ?? .null == value
    default: false
    }
  }

  /// The edits that put the dropped value in its cell.
  ///
  /// - Throws: `conflict` where it cannot go any more.
  package func plan(_ entry: JournalEntry) throws(Problem) -> TransactionPlan {
    let item = entry.item
    let subject = ItemOutcome.Subject.item(item)
    guard replica.exists(item) else { throw Problem(.unknownItem, "the item is not known here") }
    if holds(item, entry.cell, entry.dropped) {
      return TransactionPlan(outcomes: [ItemOutcome(subject: subject, verb: .same)])
    }
    switch (entry.cell, entry.dropped) {
    case (.field(let field), .value(let value)):
      return TransactionPlan(
        edits: [.set(item, field, value)], outcomes: [ItemOutcome(subject: subject, verb: .set)])
    case (.life, .life(let alive)):
      return TransactionPlan(
        edits: [.setAlive(item, alive)],
        outcomes: [ItemOutcome(subject: subject, verb: alive ? .restore : .remove)])
    case (.place, .place(let parent, let key)):
      guard parent == .root || replica.status(of: parent) == .visible,
        !resolver.isInside(parent, item)
      else {
        throw Problem(
          .conflict, "the other place of \(resolver.title(of: item)) is not there any more",
          detail: "move it: hedge mv \(resolver.handles.handle(of: item)) --to @LIST")
      }
      return TransactionPlan(
        edits: [.place(item, Spot(parent: parent, key: key))],
        outcomes: [ItemOutcome(subject: subject, verb: .move)])
    default: throw Problem(.conflict, "this entry has no other value")
    }
  }
}
