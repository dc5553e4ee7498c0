// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Counters: per (item, field) what each session has added so far (`core.md` 4).
///
/// The value is the sum; a join keeps, per session, the cell with the greater seq.
struct CounterStore: Sendable {
  struct Key: Hashable, Sendable {
    let item: UInt32
    let field: UInt32
  }

  struct Cell: Sendable {
    let session: UInt32
    var total: Int64
    /// Of the last add.
    var seq: UInt32
  }

  private(set) var cells: [Key: [Cell]] = [:]

  /// Cells of all counters and sessions.
  var cellCount: Int { cells.values.reduce(0) { $0 + $1.count } }

  func cell(_ key: Key, session: UInt32) -> Cell? {
    cells[key]?.first { $0.session == session }
  }

  /// Sets or, with `nil`, removes the cell of `session`.
  mutating func put(_ key: Key, session: UInt32, _ cell: Cell?) {
    guard var list = cells[key] ?? (cell == nil ? nil : []) else { return }
    list.removeAll { $0.session == session }
    if let cell { list.append(cell) }
    cells[key] = list.isEmpty ? nil : list
  }

  /// Removes the cells for which `isUseless` holds.
  mutating func drop(_ isUseless: (Key, Cell) -> Bool) {
    for (key, list) in cells {
      for cell in list where isUseless(key, cell) { put(key, session: cell.session, nil) }
    }
  }

  /// Wraps around beyond 64 bits, equally on every replica.
  func total(item: UInt32, field: UInt32) -> Int64? {
    cells[Key(item: item, field: field)].map { $0.reduce(0) { $0 &+ $1.total } }
  }

  mutating func add(_ key: Key, session: UInt32, seq: UInt32, delta: Int64) {
    var list = cells[key] ?? []
    if let at = list.firstIndex(where: { $0.session == session }) {
      list[at].total &+= delta
      list[at].seq = seq
    } else {
      list.append(Cell(session: session, total: delta, seq: seq))
    }
    cells[key] = list
  }

  /// Takes what `branch` added out of the cell of `session`, into a cell of its own.
  /// - Parameter shared: Seq of the last add that stays.
  mutating func split(_ key: Key, _ session: UInt32, shared: UInt32, _ branch: Cell) {
    guard var list = cells[key], let at = list.firstIndex(where: { $0.session == session })
    else { return }
    list[at].total &-= branch.total
    list[at].seq = shared
    if list[at].total == 0 { list.remove(at: at) }
    list.append(branch)
    cells[key] = list
  }

  /// Returns whether the cell was newer than what was here.
  mutating func join(_ key: Key, _ cell: Cell) -> Bool {
    var list = cells[key] ?? []
    if let at = list.firstIndex(where: { $0.session == cell.session }) {
      guard list[at].seq < cell.seq else { return false }
      list[at] = cell
    } else {
      list.append(cell)
    }
    cells[key] = list
    return true
  }
}
