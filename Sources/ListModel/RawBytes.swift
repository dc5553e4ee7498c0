// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Sixteen raw bytes with a phantom kind, so that ids of different things never mix.
///
/// Order, equality and hashing are those of the raw bytes, most significant first (`core.md` 1).
public struct Bytes16<Kind>: Hashable, Comparable, Sendable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads exactly 16 bytes; `nil` for any other count.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var words = BigEndianWords(bytes)
    self.init(high: words.next(), low: words.next())
  }

  public static var zero: Self { Self(high: 0, low: 0) }
  public static func < (a: Self, b: Self) -> Bool { (a.high, a.low) < (b.high, b.low) }

  /// Appends the 16 bytes to `out`.
  public func append(to out: inout [UInt8]) {
    appendBigEndian(high, to: &out)
    appendBigEndian(low, to: &out)
  }

  public var bytes: [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(16)
    append(to: &out)
    return out
  }
}

/// Thirty-two raw bytes with a phantom kind; order, equality and hashing as `Bytes16`.
public struct Bytes32<Kind>: Hashable, Comparable, Sendable {
  public let a: UInt64
  public let b: UInt64
  public let c: UInt64
  public let d: UInt64

  public init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) {
    (self.a, self.b, self.c, self.d) = (a, b, c, d)
  }

  /// Reads exactly 32 bytes; `nil` for any other count.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == 32 else { return nil }
    var words = BigEndianWords(bytes)
    self.init(words.next(), words.next(), words.next(), words.next())
  }

  public static var zero: Self { Self(0, 0, 0, 0) }
  public static func < (x: Self, y: Self) -> Bool {
    (x.a, x.b, x.c, x.d) < (y.a, y.b, y.c, y.d)
  }

  /// The first four bytes, big endian: the short form that `seen` entries carry.
  public var prefix32: UInt32 { UInt32(truncatingIfNeeded: a >> 32) }

  /// Appends the 32 bytes to `out`.
  public func append(to out: inout [UInt8]) {
    for word in [a, b, c, d] { appendBigEndian(word, to: &out) }
  }

  public var bytes: [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(32)
    append(to: &out)
    return out
  }
}

/// Appends `word` as its bytes, most significant first.
public func appendBigEndian(_ word: some FixedWidthInteger, to out: inout [UInt8]) {
  var shift = word.bitWidth - 8
  while shift >= 0 {
    out.append(UInt8(truncatingIfNeeded: word >> shift))
    shift -= 8
  }
}

private struct BigEndianWords<Base: Collection<UInt8>> {
  var iterator: Base.Iterator
  init(_ base: Base) { iterator = base.makeIterator() }
  mutating func next() -> UInt64 {
    var word: UInt64 = 0
    for _ in 0..<8 { word = word << 8 | UInt64(iterator.next() ?? 0) }
    return word
  }
}
