// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// `Replica` against the oracle: random histories in every order, and all small ones.
@Suite struct ReplicaOracleTests {
  /// Stands in for SHA-256: the fingerprint only has to depend on all bytes.
  static func hash(_ bytes: [UInt8]) -> (UInt64, UInt64) {
    var high: UInt64 = 0xCBF2_9CE4_8422_2325
    var low: UInt64 = 0x9E37_79B9_7F4A_7C15
    for byte in bytes {
      high = (high ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
      low = (low &+ UInt64(byte)) &* 0xBF58_476D_1CE4_E5B9
      low ^= low >> 29
    }
    return (high, low)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a replica shows what the oracle shows, after every few changes and in any order`(
    seed: UInt64
  ) {
    let authors = 2 + Int(seed % 4)
    let history = RandomHistory(seed: seed, authorCount: authors, steps: 70)
    var random = SplitMix64(seed: seed, stream: "orders")
    var fingerprints: [Fingerprint] = []
    for round in 0..<3 {
      var pair = ReplicaComparison()
      for (step, index) in history.deliveryOrder(&random).enumerated() {
        #expect(pair.fold(history.entries[index]) == .folded)
        // What came once comes again, now and then.
        if random.chance(20) {
          let again = history.entries[index]
          #expect(pair.fold(again) == .alreadyCovered)
        }
        if step % 7 == 0 {
          #expect(pair.differences() == [], "seed \(seed), round \(round), step \(step)")
        }
      }
      #expect(pair.differences() == [], "seed \(seed), round \(round)")
      #expect(pair.journalDifferences() == [], "seed \(seed), round \(round)")
      var replica = pair.replica
      fingerprints.append(replica.fingerprint(sha256: Self.hash))
    }
    #expect(fingerprints.allSatisfy { $0 == fingerprints[0] })
  }

  @Test(arguments: 1...3)
  func `a replica shows what the oracle shows for every small history in every order`(
    count: Int
  ) {
    let acts: [SmallHistories.Act] =
      count < 3
      ? SmallHistories.Act.allCases
      : [.putAUnderB, .putBUnderA, .deleteA, .undeleteA, .addUnderA]
    SmallHistories.forEach(count: count, acts: acts) { history in
      let oracle = NaiveReplicaTests.folded(history.entries, Array(history.entries.indices))
      for order in history.deliveryOrders() {
        var pair = ReplicaComparison(oracle: oracle)
        for index in order { _ = pair.fold(history.entries[index]) }
        let found = pair.differences() + pair.journalDifferences()
        #expect(found == [], "\(history.acts) by \(history.authors), delivered as \(order)")
      }
    }
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `a kept fingerprint equals one that is computed from scratch`(seed: UInt64) {
    let history = RandomHistory(seed: seed, authorCount: 3, steps: 60)
    var kept = Replica()
    var plain = Replica()
    var events: [ReplicaEvent] = []
    for entry in history.entries {
      _ = kept.fold(entry.change, hash: entry.hash, events: &events)
      _ = plain.fold(entry.change, hash: entry.hash, events: &events)
      var fresh = plain
      #expect(kept.fingerprint(sha256: Self.hash) == fresh.fingerprint(sha256: Self.hash))
    }
  }
}
