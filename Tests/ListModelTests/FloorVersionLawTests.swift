// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// Floors of replicas that do not know all kinds of ops (`core.md` 6.1, 7.4, 9).
@Suite struct FloorVersionLawTests {
  @Test(arguments: Array(1...30) + [173] as [UInt64])
  func `after an upgrade cells held at the floor what the fold at the floor shows`(
    seed: UInt64
  ) throws {
    let history = RandomHistory(seed: seed, authorCount: 4, steps: 80)
    var random = SplitMix64(seed: seed, stream: "versions")
    // To the old ones blocks, counters or moves are a thing of the future.
    let missing: UInt64 = random.pick([2, 3, 6])
    let old = FoldLevel(kinds: (1...6).filter { $0 != missing })
    var homes: [FloorHome] = []
    for _ in 0..<3 {
      var home = FloorHome()
      if random.chance(60) { home.level = old }
      let order = history.deliveryOrder(&random)
      for index in order.prefix(random.below(order.count + 1)) {
        home.fold(history.entries[index])
        while random.chance(40) { if !home.passOne(&random) { break } }
      }
      homes.append(home)
    }
    for _ in 0..<5 {
      let (to, from) = (random.below(3), random.below(3))
      if to != from { try homes[to].join(homes[from]) }
      if homes[to].level == .current {
        #expect(homes[to].differences() == [], "seed \(seed), joined")
      }
      if random.chance(70) { homes[to].receiveLog() } else { homes[to].replica.forgoLog() }
      if random.chance(20) { try homes[to].restart() }
      if random.chance(25) { homes[to].upgrade() }
      homes[to].replica.checkInvariants()
      if homes[to].level == .current {
        #expect(homes[to].differences() == [], "seed \(seed), with or without the log")
      }
      for index in history.deliveryOrder(&random) where random.chance(30) {
        homes[to].fold(history.entries[index])
        if random.chance(30) { homes[to].passOne(&random) }
      }
    }
    for at in homes.indices {
      for index in history.deliveryOrder(&random) {
        homes[at].fold(history.entries[index])
        if random.chance(20) { homes[at].passOne(&random) }
      }
      homes[at].upgrade()
      #expect(homes[at].differences() == [], "seed \(seed), replica \(at)")
    }
    #expect(homes[0].print == homes[1].print && homes[1].print == homes[2].print)
  }
}

extension FloorHome {
  /// From now on all kinds of ops are known.
  mutating func upgrade() {
    level = .current
    foldWaiting()
  }
}
