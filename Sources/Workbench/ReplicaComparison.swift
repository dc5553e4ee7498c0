// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// A replica and the oracle, fed with the same changes.
package struct ReplicaComparison: Sendable {
  /// The replica under test.
  package private(set) var replica = Replica()
  /// What it is compared with.
  package private(set) var oracle = NaiveReplica()
  /// Everything that the replica journalled.
  package private(set) var entries: [JournalEntry] = []

  /// Both empty.
  package init() {}

  /// Compares with an oracle that has everything already: it does not care about the order.
  package init(oracle: NaiveReplica, replica: Replica = Replica()) {
    self.oracle = oracle
    self.replica = replica
    oracleIsComplete = true
  }

  /// Compares a journal with an oracle that has everything already.
  package init(oracle: NaiveReplica, journal: [JournalEntry]) {
    self.oracle = oracle
    entries = journal
    oracleIsComplete = true
  }

  private var oracleIsComplete = false

  /// Puts another replica in the place of the one that was fed.
  package mutating func replace(_ change: (inout Replica) throws -> Void) rethrows {
    try change(&replica)
  }

  /// Folds one change into both, if the replica takes it.
  @discardableResult
  package mutating func fold(_ entry: RandomHistory.Entry) -> FoldOutcome {
    var events: [ReplicaEvent] = []
    let outcome = replica.fold(entry.change, hash: entry.hash, events: &events)
    guard outcome == .folded else { return outcome }
    if !oracleIsComplete { oracle.add(entry.change, hash: entry.hash) }
    for case .overridden(let entry) in events.map(\.kind) { entries.append(entry) }
    return outcome
  }

  /// Sentences about everything in which the replica differs from the oracle.
  package func differences() -> [String] {
    replica.checkInvariants()
    var found: [String] = []
    func note(_ isEqual: Bool, _ text: @autoclosure () -> String) {
      if !isEqual { found.append(text()) }
    }
    let statuses = oracle.statuses()
    for item in oracle.allItems {
      let status = statuses[item] ?? .unknown
      note(Self.status(replica.status(of: item)) == status, "\(item) is not \(status)")
      note(replica.exists(item) == oracle.exists(item), "\(item) exists")
      let isAlive = oracle.exists(item) && oracle.isAlive(item)
      note(replica.isAlive(item) == isAlive, "\(item) lives")
      note(replica.position(of: item) == oracle.position(item), "\(item) has another position")
      for field in oracle.fields(item) {
        note(
          replica.value(of: item, field) == oracle.value(item, field),
          "\(item) \(field) has another value")
        note(
          replica.written(of: item, field)?.dot == oracle.shown(item, .field(field))?.dot,
          "\(item) \(field) has another author")
      }
      let stock = FieldName.named("stock")
      note(
        replica.counterTotal(of: item, stock) == oracle.total(item, stock),
        "\(item) has another total")
    }
    found += listDifferences(statuses)
    for (session, seq) in oracle.vector {
      note(replica.tip(of: session)?.seq == seq, "session \(session) ends elsewhere")
    }
    return found
  }

  private func listDifferences(_ statuses: [ItemID: NaiveReplica.Status]) -> [String] {
    var found: [String] = []
    let lists = oracle.visibleChildren()
    let parents = [.root] + oracle.allItems.filter { statuses[$0] == .visible }
    for parent in parents {
      let expected = lists[parent] ?? []
      let children = replica.children(of: parent)
      if children != expected { found.append("\(parent) lists \(children), not \(expected)") }
      if replica.childCount(of: parent) != expected.count { found.append("\(parent) counts wrong") }
      for (index, child) in expected.enumerated() {
        if replica.child(of: parent, at: index) != child || replica.index(of: child) != index {
          found.append("\(child) is not found at \(index) of \(parent)")
        }
      }
    }
    let recovered = Set(statuses.filter { $0.value == .recovered }.keys)
    for top in replica.recoveredItems where !recovered.contains(top) {
      found.append("\(top) is listed as recovered")
    }
    // What hangs below a recovered item is shown with it.
    let tops = Set(replica.recoveredItems)
    for item in recovered where !tops.contains(item) {
      guard let parent = replica.parent(of: item), recovered.contains(parent) else {
        found.append("\(item) is recovered and nowhere shown")
        continue
      }
    }
    return found
  }

  /// Sentences about losers without a journal entry, and entries for what was no loss.
  package func journalDifferences() -> [String] {
    // A change may come before the session that tells what its author had seen: then one entry too
    // many is right.
    entries.filter { oracle.hasSeenDirectly($0.keptBy.dot, $0.droppedBy.dot) }
      .map { "\($0.item) \($0.cell): a seen overwrite is journalled" } + missingJournalEntries()
  }

  /// Sentences about losers without a journal entry.
  package func missingJournalEntries() -> [String] {
    oracle.losses().filter { loss in !entries.contains { Self.tells($0, loss) } }
      .map { "\($0.place): an unseen loser is not journalled: \($0.loser.content)" }
  }

  /// Whether `entry` tells of the lost value; the same value by somebody else will do.
  private static func tells(_ entry: JournalEntry, _ loss: NaiveReplica.Loss) -> Bool {
    guard entry.item == loss.place.item else { return false }
    switch (entry.cell, loss.place.cell, entry.dropped, loss.loser.content) {
    case (.create, .create, _, _): return true
    case (.place, .place, .place(let x, let k), .place(let y, let l)): return x == y && k == l
    case (.life, .life, .life(let x), .alive(let y)): return x == y
    case (.field(let f), .field(let g), .value(let x), .value(let y)): return f == g && x == y
    default: return false
    }
  }

  private static func status(_ status: ItemStatus) -> NaiveReplica.Status {
    switch status {
    case .visible: .visible
    case .recovered: .recovered
    case .hidden: .hidden
    // A counter or field cell alone makes no difference to a viewer.
    case .orphan, .unknown: .orphan
    }
  }
}
