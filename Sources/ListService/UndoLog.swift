// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
package import ListModel

/// The transactions of this device that can still be taken back, oldest first.
///
/// A plain value; whoever owns it writes its entries to disk. An undo is a transaction like any other,
/// and its own entry is what a redo takes back.
package struct UndoLog: Sendable {
  /// Entries kept; the oldest go.
  package static let stepsMax = 1_000
  /// Cells in all entries together; the newest entry stays whatever its size.
  package static let cellsMax = 500_000

  /// One transaction.
  package struct Entry: Sendable {
    /// Ascending over the life of the store.
    package let number: UInt64
    /// The terminal or client that asked; empty for neither.
    package let source: String
    /// The transaction that it was at first; an undo keeps the name of what it took back.
    package let name: String
    /// Milliseconds since 1970 by this machine.
    package let at: Int64
    /// Whether this is an undo, so that redo takes it back.
    package let isUndo: Bool
    /// Whether an undo of it left something as it is: then it waits to be named or forced.
    package var hasStayed: Bool
    package var step: UndoStep
    /// Rows on disk.
    package var partCount: Int
    /// Whether an undo of it is on its way to the disk.
    package var isUnderWay = false

    package init(
      number: UInt64, source: String, name: String, at: Int64, isUndo: Bool,
      hasStayed: Bool = false, step: UndoStep, partCount: Int = 1
    ) {
      (self.number, self.source, self.name) = (number, source, name)
      (self.at, self.isUndo, self.hasStayed) = (at, isUndo, hasStayed)
      (self.step, self.partCount) = (step, partCount)
    }
  }

  package private(set) var entries: [Entry] = []
  private var lastNumber: UInt64 = 0

  package init() {}

  /// A number that no entry has had.
  package mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Adds an entry, or puts it behind the parts of the same number that are here.
  /// - Returns: The entries that had to go for it.
  package mutating func add(_ entry: Entry) -> [Entry] {
    lastNumber = max(lastNumber, entry.number)
    if let at = entries.firstIndex(where: { $0.number == entry.number }) {
      entries[at].step.append(entry.step)
      entries[at].partCount += entry.partCount
    } else {
      let at = entries.firstIndex { $0.number > entry.number } ?? entries.count
      entries.insert(entry, at: at)
    }
    return trim()
  }

  private mutating func trim() -> [Entry] {
    var gone = 0
    var cells = entries.reduce(0) { $0 + $1.step.cells.count }
    while entries.count - gone > Self.stepsMax
      || (cells > Self.cellsMax && gone + 1 < entries.count)
    {
      cells -= entries[gone].step.cells.count
      gone += 1
    }
    defer { entries.removeFirst(gone) }
    return Array(entries[..<gone])
  }

  /// Takes an entry out.
  package mutating func remove(_ number: UInt64) {
    entries.removeAll { $0.number == number }
  }

  /// Puts what is left of an entry in its place.
  package mutating func replace(_ entry: Entry) {
    guard let at = entries.firstIndex(where: { $0.number == entry.number }) else { return }
    entries[at] = entry
  }

  /// Notes whether an undo of that entry waits for the disk.
  package mutating func setUnderWay(_ number: UInt64, _ isUnderWay: Bool) {
    guard let at = entries.firstIndex(where: { $0.number == number }) else { return }
    entries[at].isUnderWay = isUnderWay
  }

  /// What a plain undo or redo takes back: the newest of `source`, or of this machine where the
  /// source is empty or never did anything that is still known.
  /// - Parameter isForced: Also what an earlier undo left as it was.
  package func newest(_ source: String, isUndo: Bool, isForced: Bool) -> Entry? {
    let isKnown = !source.isEmpty && entries.contains { sameBytes($0.source, source) }
    return entries.last {
      $0.isUndo == isUndo && !$0.isUnderWay && (isForced || !$0.hasStayed)
        && (!isKnown || sameBytes($0.source, source))
    }
  }

  /// The entry that wrote the change called `transaction`, or that did it again under this name.
  package func named(_ transaction: String) -> Entry? {
    entries.last { entry in
      entry.step.dots.contains { sameBytes(EventFeed.transaction($0), transaction) }
        || (!entry.isUndo && sameBytes(entry.name, transaction))
    }
  }

  /// The undo that took `transaction` back.
  package func undone(_ transaction: String) -> Entry? {
    entries.last { $0.isUndo && sameBytes($0.name, transaction) }
  }

  /// Undone entries that a fresh command of `source` makes void.
  package func void(by source: String) -> [Entry] {
    entries.filter { $0.isUndo && !$0.isUnderWay && sameBytes($0.source, source) }
  }
}
