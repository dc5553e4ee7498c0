// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

@Suite struct PositionRekeyingTests {
  /// Always into the newest gap, from alternating sides: the pattern that grows keys the fastest.
  private static func zigzag(_ count: Int, seed: UInt64) -> (keys: [PositionKey], newest: Int) {
    var random = SplitMix64(seed: seed)
    let tags = (0..<3).map { _ in PositionSamples.tag(&random) }
    var keys: [PositionKey] = []
    var at = 0
    for step in 0..<count {
      let key = PositionGenerator.between(
        at > 0 ? keys[at - 1] : nil, at < keys.count ? keys[at] : nil, tag: random.pick(tags)
      ) { _ in nil }
      keys.insert(key, at: at)
      at += step.isMultiple(of: 2) ? 1 : 0
    }
    return (keys, at)
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `re-keying keeps the order and makes every key short`(seed: UInt64) throws {
    var (keys, newest) = Self.zigzag(600, seed: seed)
    #expect(keys.contains { $0.isLong })
    let region = PositionRekeying.region(at: newest, count: keys.count) { keys[$0] }
    #expect(region.contains(newest - 1) || region.contains(newest))
    let run = try #require(
      PositionRekeying.run(for: region, count: keys.count, tag: WriterTag(77)) { keys[$0] })
    for (at, index) in region.enumerated() { keys[index] = run.key(at: at) }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    #expect(region.allSatisfy { !keys[$0].isLong })
    #expect(PositionRekeying.region(at: newest, count: keys.count) { keys[$0] }.isEmpty)
  }

  @Test func `a place with short keys has nothing to re-key`() {
    let (keys, newest) = Self.zigzag(20, seed: 1)
    let region = PositionRekeying.region(at: newest, count: keys.count) { keys[$0] }
    #expect(region.isEmpty)
    #expect(
      PositionRekeying.run(for: region, count: keys.count, tag: WriterTag(1)) { keys[$0] } == nil)
  }

  @Test func `an unreadable neighbour makes re-keying give up, not trap`() {
    let broken = PositionKey(bytes: [0xFF, 1])
    let long = PositionKey(bytes: [0xFF, 2] + [UInt8](repeating: 1, count: 300))
    let keys = [broken, long, PositionKey(bytes: [0xFF, 3])]
    let region = PositionRekeying.region(at: 1, count: 3) { keys[$0] }
    #expect(region == 1..<2)
    #expect(PositionRekeying.run(for: region, count: 3, tag: WriterTag(1)) { keys[$0] } == nil)
  }
}
