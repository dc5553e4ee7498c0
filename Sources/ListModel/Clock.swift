// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Constants of the format: every replica uses the same (`core.md` 3.5, 4, 5.1).
public enum Limits {
  public static let changeBytesMax = 48 * 1024
  public static let opsPerChangeMax = 16_384
  /// Items and cells that one change may create: what small bytes can make large in memory.
  public static let cellsPerChangeMax = 131_072
  public static let seenEntriesMax = 1_024
  public static let valueBytesMax = 16 * 1024
  public static let fieldNameBytesMax = 64
  public static let positionBytesMax = 960
  /// Fresh keys for a full place are no longer than this.
  public static let positionBytesSoft = 192
  /// Exclusive bound of every stamp's `h`.
  public static let clockEnd: UInt64 = 1 << 62
  /// The distance between two nodes of one bunch.
  public static let stride: Int64 = 32
}

/// Wall time as milliseconds since 1970, UTC. It arrives inside inputs; no rule of validity reads it.
public struct WallTime: Hashable, Comparable, Sendable {
  public let milliseconds: Int64
  public init(milliseconds: Int64) { self.milliseconds = milliseconds }
  public static func < (a: Self, b: Self) -> Bool { a.milliseconds < b.milliseconds }
}

/// The hybrid logical clock of one agent (`core.md` 2).
public struct HybridClock: Hashable, Sendable {
  /// The last `h` given out or taken over; 0 at the very start.
  public private(set) var value: UInt64

  public init(value: UInt64 = 0) { self.value = value }

  /// 2020-01-01 and 2200-01-01: the range that wall time is clamped into.
  static let wallFirst: Int64 = 1_577_836_800_000
  static let wallLast: Int64 = 7_258_118_400_000
  /// How far ahead of our wall clock a foreign stamp may pull us: 10 minutes.
  static let leadMaxMilliseconds: Int64 = 600_000

  /// Returns a fresh `h`, above every earlier one and not below the wall clock.
  public mutating func tick(_ now: WallTime) -> UInt64 {
    value = max(value + 1, Self.clamped(now) << 16)
    return value
  }

  /// Takes a folded stamp over, unless it lies more than 10 minutes ahead.
  ///
  /// - Returns: `false` for a stamp so far ahead that it must not pull the clock; count and warn.
  public mutating func observe(_ h: UInt64, _ now: WallTime) -> Bool {
    guard h >> 16 <= Self.clamped(now) + UInt64(Self.leadMaxMilliseconds) else { return false }
    value = max(value, h)
    return true
  }

  private static func clamped(_ now: WallTime) -> UInt64 {
    UInt64(min(max(now.milliseconds, wallFirst), wallLast))
  }
}
