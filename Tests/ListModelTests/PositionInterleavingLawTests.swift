// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// Runs of several writers at one place: what one person writes in a row stays in a row.
@Suite struct PositionInterleavingLawTests {
  @Test(arguments: 2...6, 1...6 as ClosedRange<UInt64>)
  func `no run is split by a run that was written at the same time`(writers: Int, seed: UInt64) {
    var world = WritersWorld(seed: seed, writers: writers)
    for _ in 0..<120 { world.step() }
    #expect(world.splits() == [])
    #expect(world.concurrentPairs > 50)
  }

  @Test(arguments: WritersWorld.Direction.allCases, 1...8 as ClosedRange<UInt64>)
  func `a run stays in one bunch, in whatever direction it is written`(
    direction: WritersWorld.Direction, seed: UInt64
  ) throws {
    var world = WritersWorld(seed: seed, writers: 3)
    for _ in 0..<40 { world.step() }
    for writer in 0..<3 {
      let keys = world.write(by: writer, direction, count: 12)
      let bunch = try PositionRun(first: keys[0]).prefix
      for key in keys { #expect(key.bytes.starts(with: bunch)) }
      // A first key left of an own one leaves no room behind it; from the second on it is a run.
      if direction == .forward {
        for k in 1..<keys.count { #expect(keys[k] == keys[1].stepped(by: k - 1)) }
      }
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `keys made in lists that people really write stay strictly between their neighbours`(
    seed: UInt64
  ) {
    var world = WritersWorld(seed: seed, writers: 4)
    for _ in 0..<150 { world.step() }
    #expect(world.misplaced == 0)
  }
}
