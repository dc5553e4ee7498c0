// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Workbench

/// Random paths and keys, made so that borders, shared prefixes and reused tags are common.
enum PositionSamples {
  static func tag(_ random: inout SplitMix64) -> WriterTag {
    // A few tags that come again and again, the extremes among them, and some strangers.
    let common: [UInt32] = [0, 1, 0x80FF_FFFF, 0x8100_0000, 0xFFFF_FFFE, .max]
    let stranger = UInt32(truncatingIfNeeded: random.next())
    return WriterTag(random.chance(80) ? random.pick(common) : stranger)
  }

  static func integer(
    _ random: inout SplitMix64, reach: Int64 = PositionCodec.integers.upperBound
  ) -> Int64 {
    // Around the borders of the ranges of E and of the short form.
    let borders: [Int64] = [
      0, 32, 64, 118, 119, 182, 183, 64 + 1 << 13, 64 + 1 << 13 + 1 << 20, 1 << 27, 1 << 40,
      1 << 56,
    ]
    let magnitude =
      random.chance(70)
      ? random.pick(borders) + Int64(random.below(5)) - 2
      : Int64(truncatingIfNeeded: random.next() >> UInt64(8 + random.below(55)))
    let value = random.chance(50) ? magnitude : -1 - magnitude
    return min(max(value, -reach), reach - 1)
  }

  static func path(
    _ random: inout SplitMix64, reach: Int64 = PositionCodec.integers.upperBound
  ) -> PositionPath {
    let depth = 1 + random.below(random.chance(10) ? 30 : 5)
    return PositionPath(
      root: integer(&random, reach: reach),
      levels: (0..<depth).map { _ in level(&random, reach: reach) })
  }

  private static func level(_ random: inout SplitMix64, reach: Int64) -> PositionLevel {
    PositionLevel(tag: tag(&random), integer: integer(&random, reach: reach))
  }

  /// Two paths that share a random part from the root on, sometimes all of one.
  static func relatives(
    _ random: inout SplitMix64, reach: Int64 = PositionCodec.integers.upperBound
  ) -> (PositionPath, PositionPath) {
    let a = path(&random, reach: reach)
    var b = a
    if random.chance(20) {
      b.root = integer(&random, reach: reach)
    } else {
      b.levels = Array(a.levels.prefix(random.below(a.levels.count + 1)))
      if let last = b.levels.last, random.chance(40) {
        let near = last.integer + Int64(random.below(7)) - 3
        b.levels[b.levels.count - 1] = PositionLevel(
          tag: last.tag, integer: min(max(near, -reach), reach - 1))
      }
    }
    while b.levels.isEmpty || random.chance(40) { b.levels.append(level(&random, reach: reach)) }
    return (a, b)
  }

  /// A valid key with some bytes changed, cut or added: most often no key any more.
  static func damagedKey(_ random: inout SplitMix64) -> PositionKey {
    var bytes = PositionCodec.encode(path(&random))
    for _ in 0..<1 + random.below(2) where !bytes.isEmpty {
      let at = random.below(bytes.count)
      switch random.below(4) {
      case 0: bytes[at] = UInt8(random.below(256))
      case 1: bytes.remove(at: at)
      case 2: bytes.insert(UInt8(random.below(256)), at: at)
      default: bytes.removeLast(bytes.count - at)
      }
    }
    return PositionKey(bytes: bytes)
  }

  /// A valid, a damaged, a random or a far too long key.
  static func anyKey(_ random: inout SplitMix64) -> PositionKey {
    switch random.below(8) {
    case 0, 1: return damagedKey(&random)
    case 2:
      return PositionKey(bytes: (0..<random.below(8)).map { _ in UInt8(random.below(256)) })
    case 3:
      let bytes = PositionCodec.encode(path(&random))
      return PositionKey(bytes: bytes + [UInt8](repeating: 0x87, count: random.below(1_100)))
    default: return PositionKey(bytes: PositionCodec.encode(path(&random)))
    }
  }
}
