// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// `count` keys of one bunch: a first key, then each the one before, its last integer + `stride`.
///
/// All share `prefix`; a column of keys can hold the prefix once and one integer per item. Ascending.
public struct PositionRun: Hashable, Sendable {
  /// The bytes that every key of the run begins with: all but the last integer.
  public let prefix: [UInt8]
  /// Whether the last integer continues the bunch of the level before: it then has the short form.
  public let continuesBunch: Bool
  /// The last integer of the first key.
  public let first: Int64
  /// At least 1.
  public let count: Int

  /// Reads the first key.
  ///
  /// Throws what `PositionCodec.decode` throws, and `.integerOutOfRange` if a later key would leave
  /// the range of integers or `.tooLong` if one would pass `Limits.positionBytesMax`.
  /// - Complexity: O(bytes of the key); independent of `count`, which must be at least 1.
  public init(first key: PositionKey, count: Int = 1) throws(PositionError) {
    precondition(count >= 1, "a run of \(count) keys")
    let bytes = key.bytes
    guard bytes.count <= Limits.positionBytesMax else { throw .tooLong(bytes: bytes.count) }
    var reader = PositionReader(bytes)
    _ = try reader.integer()
    guard !reader.isAtEnd else { throw .noLevel }
    var first: Int64 = 0
    while !reader.isAtEnd { first = try reader.level().integer }
    let (at, same) = reader.lastInteger
    self.init(prefix: Array(bytes[..<at]), continuesBunch: same, first: first, count: count)
    guard let last = Self.step(first, count - 1) else {
      throw .integerOutOfRange(at: at)
    }
    let lastBytes = self.key(integer: last).bytes.count
    guard lastBytes <= Limits.positionBytesMax else { throw .tooLong(bytes: lastBytes) }
  }

  /// Puts a run together from its stored parts; they must come from a valid run.
  public init(prefix: [UInt8], continuesBunch: Bool, first: Int64, count: Int) {
    (self.prefix, self.continuesBunch) = (prefix, continuesBunch)
    (self.first, self.count) = (first, count)
  }

  /// The key number `index`, 0 ..< `count`.
  public func key(at index: Int) -> PositionKey { key(integer: integer(at: index)) }

  /// The last integer of key number `index`, 0 ..< `count`.
  public func integer(at index: Int) -> Int64 { first + Int64(index) * Limits.stride }

  /// `prefix` and the bytes of `integer`, in the run's form.
  public func key(integer: Int64) -> PositionKey {
    var bytes = prefix
    bytes.reserveCapacity(prefix.count + 9)
    if continuesBunch {
      PositionWriter.appendSame(integer, to: &bytes)
    } else {
      PositionWriter.appendOther(integer, to: &bytes)
    }
    return PositionKey(bytes: bytes)
  }

  /// `integer` + `steps` strides; `nil` outside the range of integers.
  static func step(_ integer: Int64, _ steps: Int) -> Int64? {
    let (distance, wide) = Int64(steps).multipliedReportingOverflow(by: Limits.stride)
    let (sum, over) = integer.addingReportingOverflow(distance)
    return wide || over || !PositionCodec.integers.contains(sum) ? nil : sum
  }
}

extension PositionKey {
  /// The key `steps` strides further in the same bunch (negative: before); `nil` if this key is not
  /// valid or that one would not be.
  public func stepped(by steps: Int) -> PositionKey? {
    guard let run = try? PositionRun(first: self), let integer = PositionRun.step(run.first, steps)
    else { return nil }
    let key = run.key(integer: integer)
    return key.bytes.count <= Limits.positionBytesMax ? key : nil
  }

  /// Whether the key is longer than one that a full place is given.
  public var isLong: Bool { bytes.count > Limits.positionBytesSoft }
}
