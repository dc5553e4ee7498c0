// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import FormatVectors
import ListModel
import Testing
import Workbench

/// The laws of position keys, over seeds: format first, then the generator.
@Suite struct PositionLawTests {
  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `decoding gives back every encoded path, and its key is as long as it has to be`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let path = PositionSamples.path(&random)
      let bytes = PositionCodec.encode(path)
      #expect(try PositionCodec.decode(bytes) == path)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `bytes that are accepted are the one encoding of what they say`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var accepted = 0
    for _ in 0..<5_000 {
      let bytes = PositionSamples.damagedKey(&random).bytes
      guard let path = try? PositionCodec.decode(bytes) else { continue }
      accepted += 1
      #expect(PositionCodec.encode(path) == bytes)
    }
    #expect(accepted > 100)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `order of bytes is order of components`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let (a, b) = PositionSamples.relatives(&random)
      let (x, y) = (PositionCodec.encode(a), PositionCodec.encode(b))
      #expect(x.lexicographicallyPrecedes(y) == PositionOrder.precedes(a, b))
      #expect(y.lexicographicallyPrecedes(x) == PositionOrder.precedes(b, a))
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a key made between any two valid neighbours is strictly between them`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let (x, y) = PositionSamples.relatives(&random, reach: 1 << 40)
      let keys = [x, y].map { PositionKey(bytes: PositionCodec.encode($0)) }.sorted()
      guard keys[0] < keys[1] else { continue }
      let tag = PositionSamples.tag(&random)
      let key = PositionGenerator.between(keys[0], keys[1], tag: tag) { _ in
        Issue.record("a valid pair needs no other neighbour")
        return nil
      }
      #expect(keys[0] < key && key < keys[1])
      #expect(PositionCodec.isValid(key.bytes))
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `no neighbours make the generator trap or return something before the left one`(
    seed: UInt64
  ) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let list = (0..<random.below(6)).map { _ in PositionSamples.anyKey(&random) }.sorted()
      let a = random.chance(20) ? nil : PositionSamples.anyKey(&random)
      let b = random.chance(20) ? nil : random.chance(20) ? a : PositionSamples.anyKey(&random)
      let tag = PositionSamples.tag(&random)
      let count = random.chance(50) ? 1 : 1 + random.below(1 << 20)
      let key = PositionGenerator.run(of: count, between: a, b, tag: tag) { key in
        list.first { $0 > key }
      }
      if let a { #expect(a < key) }
      let isBehindValid = a.map { PositionCodec.isValid($0.bytes) } ?? true
      if isBehindValid && key.bytes.count < Limits.positionBytesMax - 8 {
        #expect(throws: Never.self) { try PositionRun(first: key, count: count) }
      }
    }
  }

  @Test func `a list that names no later key is not asked for ever`() {
    let tag = WriterTag(7)
    let a = PositionGenerator.between(nil, nil, tag: tag) { _ in nil }
    let before = PositionGenerator.between(nil, a, tag: tag) { _ in nil }
    for stuck in [a, before] {
      var asked = 0
      let key = PositionGenerator.between(a, a, tag: tag) { _ in
        asked += 1
        return stuck
      }
      #expect(a < key && asked == 1)
      #expect(key == PositionGenerator.between(a, nil, tag: tag) { _ in nil })
    }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `a run of many keys ascends inside its gap and costs at most five bytes a key`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 {
      let (x, y) = PositionSamples.relatives(&random, reach: 1 << 12)
      let keys = [x, y].map { PositionKey(bytes: PositionCodec.encode($0)) }.sorted()
      guard keys[0] < keys[1] else { continue }
      let count = 1 + random.below(1_000)
      let first = PositionGenerator.run(
        of: count, between: keys[0], keys[1], tag: PositionSamples.tag(&random)
      ) { _ in nil }
      let run = try PositionRun(first: first, count: count)
      var previous = keys[0]
      for index in 0..<count {
        let key = run.key(at: index)
        #expect(previous < key)
        #expect(key.bytes.count <= run.prefix.count + 5)
        previous = key
      }
      #expect(previous < keys[1])
    }
  }

  @Test(arguments: [0, 100_000, 999_000], [true, false])
  func `keys at either end stay short, whoever writes there`(written: Int, atEnd: Bool) {
    var random = SplitMix64(seed: UInt64(written))
    let tags = (0..<5).map { _ in PositionSamples.tag(&random) }
    let root = Limits.stride * Int64(atEnd ? written : -written)
    let levels = [PositionLevel(tag: tags[0], integer: 0)]
    var edge = PositionKey(bytes: PositionCodec.encode(PositionPath(root: root, levels: levels)))
    for _ in 0..<1_000 {
      let tag = random.pick(tags)
      let key = PositionGenerator.between(
        atEnd ? edge : nil, atEnd ? nil : edge, tag: tag
      ) { _ in nil }
      #expect(atEnd ? edge < key : key < edge)
      #expect(key.bytes.count <= 13)
      edge = key
    }
  }
}
