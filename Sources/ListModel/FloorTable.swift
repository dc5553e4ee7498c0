// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What cells held at the log floor, for exactly those that show a write from above it
/// (`core.md` 6.1). With the log above the floor it gives the fold of any smaller set of changes.
struct FloorTable: Sendable {
  /// A cell of an item: 0 its creation, 1 its place, 2 its life, 3 + n its n-th field.
  struct Cell: Hashable, Sendable {
    static let create: UInt32 = 0
    static let place: UInt32 = 1
    static let life: UInt32 = 2
    static let firstField: UInt32 = 3

    let item: UInt32
    let name: UInt32
  }

  struct Entry: Sendable {
    let name: UInt32
    /// Stamp row of the write.
    var row: UInt32
    var value: CellValue
  }

  /// A creation has no value; its entries hold this.
  static let created = CellValue.life(alive: true)

  private(set) var entries: [UInt32: [Entry]] = [:]
  /// Per counter and session, what was added up to the floor, where more was added above it.
  var counters = CounterStore()

  /// How many cells have an entry.
  var count: Int { entries.values.reduce(counters.cellCount) { $0 + $1.count } }

  func entries(of item: UInt32) -> [Entry] { entries[item] ?? [] }

  subscript(cell: Cell) -> Entry? {
    entries[cell.item]?.first { $0.name == cell.name }
  }

  /// Sets or, with `nil`, removes what `cell` held.
  /// - Returns: The entry before.
  @discardableResult
  mutating func put(_ cell: Cell, _ write: (row: UInt32, value: CellValue)?) -> Entry? {
    if write == nil && entries[cell.item] == nil { return nil }
    var list = entries[cell.item] ?? []
    let at = list.firstIndex { $0.name == cell.name }
    let old = at.map { list[$0] }
    if let at { list.remove(at: at) }
    if let write { list.append(Entry(name: cell.name, row: write.row, value: write.value)) }
    entries[cell.item] = list.isEmpty ? nil : list
    return old
  }
}
