// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Dispatch
import Foundation
import Workbench

extension Verb {
  /// Compares the replica with the oracle on every history of so many ops by up to three authors, in
  /// every order of delivery; prints each difference and exits 1 if there is any.
  ///
  /// `--every K` takes every K-th history only; `--count` compares nothing and says how many there are.
  static let histories = Verb(
    name: "histories", usage: "histories [OPS] [--every K] [--count]"
  ) { arguments in
    var words = arguments
    let isCounting = words.last == "--count"
    if isCounting { words.removeLast() }
    var every = 1
    if words.count >= 2, words[words.count - 2] == "--every", let number = Int(words.removeLast()) {
      words.removeLast()
      every = number
    }
    let given = words.isEmpty ? 3 : Int(words.removeFirst())
    guard words.isEmpty, every > 0, let ops = given, (1...5).contains(ops) else {
      Main.complain(
        "usage: dev histories [1...5] [--every K] [--count]   (3 take seconds, 4 minutes, 5 hours)\n"
      )
      return 2
    }
    let share = every
    let lanes = ProcessInfo.processInfo.activeProcessorCount
    let queue = DispatchQueue(label: "histories")
    // SAFETY: every access is on `queue`, or after all lanes are done.
    nonisolated(unsafe) var total = HistoryLane()
    DispatchQueue.concurrentPerform(iterations: lanes) { lane in
      var mine = HistoryLane()
      mine.run(ops: ops, every: lanes * share, from: lane * share, isCounting: isCounting)
      queue.sync { unsafe total.add(mine) }
    }
    let sum = unsafe total
    for finding in sum.findings { print(finding) }
    print(
      "histories: ops \(ops), histories \(sum.histories), deliveries \(sum.deliveries), "
        + "failures \(sum.failures)")
    return sum.failures == 0 ? 0 : 1
  }
}

/// A share of all histories.
private struct HistoryLane: Sendable {
  private(set) var histories = 0
  private(set) var deliveries = 0
  private(set) var failures = 0
  private(set) var findings: [String] = []

  mutating func run(ops: Int, every: Int, from: Int, isCounting: Bool) {
    var number = 0
    SmallHistories.forEach(count: ops) { history in
      if number % every == from { isCounting ? count(history) : take(history) }
      number += 1
    }
  }

  private mutating func count(_ history: SmallHistories.History) {
    histories += 1
    deliveries += history.deliveryOrders().count
  }

  private mutating func take(_ history: SmallHistories.History) {
    histories += 1
    var oracle = NaiveReplica()
    for entry in history.entries { oracle.add(entry.change, hash: entry.hash) }
    for order in history.deliveryOrders() {
      deliveries += 1
      var pair = ReplicaComparison(oracle: oracle)
      for index in order { pair.fold(history.entries[index]) }
      let found = pair.differences() + pair.journalDifferences()
      guard !found.isEmpty else { continue }
      failures += 1
      guard findings.count < 10 else { continue }
      findings.append(
        "\(history.acts) by \(history.authors), delivered as \(order):\n"
          + found.prefix(5).map { "  \($0)" }.joined(separator: "\n"))
    }
  }

  mutating func add(_ other: HistoryLane) {
    histories += other.histories
    deliveries += other.deliveries
    failures += other.failures
    findings += other.findings
  }
}
