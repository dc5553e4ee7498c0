// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// Checkpoints and snapshots on random histories: an image stands for the changes it was made of.
@Suite struct ReplicaImageLawTests {
  private static func image(_ replica: Replica) -> (ReplicaHeader, [ItemChunk]) {
    (replica.header(), (0..<replica.chunkCount).map(replica.chunk(at:)))
  }

  private static func print(_ replica: Replica) -> Fingerprint {
    var replica = replica
    return replica.fingerprint(sha256: ReplicaOracleTests.hash)
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `a checkpoint and the changes behind it give what all changes give`(seed: UInt64) throws {
    let history = RandomHistory(seed: seed, authorCount: 2 + Int(seed % 3), steps: 60)
    var random = SplitMix64(seed: seed, stream: "cuts")
    let order = history.deliveryOrder(&random)
    var pair = ReplicaComparison()
    for index in order {
      #expect(pair.fold(history.entries[index]) == .folded)
      guard random.chance(15) else { continue }
      let before = Self.print(pair.replica)
      try pair.replace { replica in
        let (header, chunks) = Self.image(replica)
        replica = try Replica(header: header, chunks: chunks)
      }
      #expect(Self.print(pair.replica) == before)
    }
    #expect(pair.differences() == [])
    // An image does not carry which changes came before what their authors had seen: an entry too
    // many is possible then, none may be missing.
    #expect(pair.missingJournalEntries() == [])
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `snapshots joined in any order give the fold of what all of them hold`(seed: UInt64) throws {
    let history = RandomHistory(seed: seed, authorCount: 4, steps: 60)
    var random = SplitMix64(seed: seed, stream: "cuts")
    // Three replicas that hold different parts, and one oracle that holds all.
    var parts: [Replica] = []
    var isHeld = Set<Int>()
    for _ in 0..<3 {
      let order = history.deliveryOrder(&random)
      let held = order.prefix(random.below(order.count + 1))
      var pair = ReplicaComparison()
      for index in held { #expect(pair.fold(history.entries[index]) == .folded) }
      isHeld.formUnion(held)
      parts.append(pair.replica)
    }
    let oracle = NaiveReplicaTests.folded(history.entries, isHeld.sorted())
    var results: [Fingerprint] = []
    for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0], [1, 2, 0]] {
      var pair = ReplicaComparison(oracle: oracle)
      var events: [ReplicaEvent] = []
      try pair.replace { replica in
        replica = parts[order[0]]
        for other in order.dropFirst() {
          let (header, chunks) = Self.image(parts[other])
          try replica.join(header, chunks, events: &events)
        }
      }
      #expect(pair.differences() == [], "joined as \(order)")
      #expect(pair.replica.covers(parts), "joined as \(order)")
      results.append(Self.print(pair.replica))
    }
    #expect(results.allSatisfy { $0 == results[0] })
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `who joined a snapshot goes on like who folded the changes`(seed: UInt64) throws {
    let history = RandomHistory(seed: seed, authorCount: 3, steps: 60)
    var random = SplitMix64(seed: seed, stream: "cuts")
    let first = history.deliveryOrder(&random)
    let second = history.deliveryOrder(&random)
    var one = ReplicaComparison()
    for index in first.prefix(first.count / 2) { _ = one.fold(history.entries[index]) }
    var two = ReplicaComparison()
    for index in second.prefix(second.count / 2) { _ = two.fold(history.entries[index]) }
    let oracle = NaiveReplicaTests.folded(history.entries, Array(history.entries.indices))
    var joined = ReplicaComparison(oracle: oracle)
    var events: [ReplicaEvent] = []
    try joined.replace { replica in
      replica = one.replica
      let (header, chunks) = Self.image(two.replica)
      try replica.join(header, chunks, events: &events)
    }
    for index in first {
      let outcome = joined.fold(history.entries[index])
      #expect(outcome == .folded || outcome == .alreadyCovered)
    }
    #expect(joined.differences() == [])
  }
}

extension Replica {
  /// Whether this replica holds everything that `others` hold.
  fileprivate func covers(_ others: [Replica]) -> Bool {
    others.allSatisfy { other in !coverage(of: other.vector).isAhead }
  }
}
