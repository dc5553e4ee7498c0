// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Workbench

extension Verb {
  /// Compares the replica with the oracle on every history of so many ops (3 unless told otherwise),
  /// in every order of delivery; prints each difference and exits 1 if there is any.
  static let histories = Verb(name: "histories", usage: "histories [OPS]") { arguments in
    let given = arguments.first.map { Int($0) } ?? 3
    guard arguments.count <= 1, let count = given, (1...5).contains(count) else {
      Main.complain("usage: dev histories [OPS]   (1...5; 3 take seconds, 4 take minutes)\n")
      return 2
    }
    var histories = 0
    var deliveries = 0
    var failures = 0
    SmallHistories.forEach(count: count) { history in
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
        print("\(history.acts) by \(history.authors), delivered as \(order):")
        for sentence in found { print("  \(sentence)") }
      }
    }
    print("histories: \(histories), deliveries \(deliveries), failures \(failures)")
    return failures == 0 ? 0 : 1
  }
}
