// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// One level of a position: an integer in the bunch of one writer.
public struct PositionLevel: Hashable, Sendable {
  public let tag: WriterTag
  /// Within `PositionCodec.integers`.
  public let integer: Int64

  public init(tag: WriterTag, integer: Int64) {
    self.tag = tag
    self.integer = integer
  }
}

/// A position as its components: the root integer, then one level per bunch on the way down.
///
/// `path.levels` of a valid position is not empty. A prefix that ends with a tag names a *bunch*;
/// only the writer of that tag gives out its integers, at multiples of `Limits.stride`.
public struct PositionPath: Hashable, Sendable {
  public var root: Int64
  public var levels: [PositionLevel]

  public init(root: Int64, levels: [PositionLevel]) {
    self.root = root
    self.levels = levels
  }
}

/// Why bytes are no position key. Offsets count bytes from the start of the key.
public enum PositionError: Error, Hashable, Sendable {
  /// Longer than `Limits.positionBytesMax`.
  case tooLong(bytes: Int)
  case truncated(at: Int)
  /// The first byte of an integer is one of 00...06, F9...FF.
  case reservedHead(at: Int)
  case integerOutOfRange(at: Int)
  /// A root integer without any level.
  case noLevel
  /// Level byte 00.
  case reservedLevel(at: Int)
  /// A back reference to a tag that this key has not shown yet.
  case unknownTag(at: Int)
  /// A second spelling of something that has a shorter or different one.
  case notCanonical(at: Int)
}

/// Position paths ⇄ key bytes: exactly one encoding for each path, whose memcmp order is list order.
///
/// An integer takes 1 to 8 bytes, near zero the fewest. A level is one byte while it stays in its
/// writer's bunch near zero, a back reference for a tag that the key has shown before, or `FF` and
/// the tag in full. The format is fixed: `docs/decisions/0003-positions.md`.
public enum PositionCodec {
  /// The integers that a key may hold: −2^56 ..< 2^56.
  public static let integers: Range<Int64> = -(1 << 56)..<(1 << 56)

  /// Reads a key that must be one valid encoding from its first to its last byte.
  ///
  /// - Complexity: O(bytes · distinct tags); at most `Limits.positionBytesMax` bytes are looked at.
  public static func decode(_ bytes: [UInt8]) throws(PositionError) -> PositionPath {
    guard bytes.count <= Limits.positionBytesMax else { throw .tooLong(bytes: bytes.count) }
    var reader = PositionReader(bytes)
    var path = PositionPath(root: try reader.integer(), levels: [])
    guard !reader.isAtEnd else { throw .noLevel }
    while !reader.isAtEnd { path.levels.append(try reader.level()) }
    return path
  }

  /// Whether `decode` accepts `bytes`.
  public static func isValid(_ bytes: [UInt8]) -> Bool { (try? decode(bytes)) != nil }

  /// Writes `path`, whose integers must lie in `integers`. `decode` gives the same path back,
  /// unless the key is longer than `Limits.positionBytesMax`: that is for the caller to check.
  public static func encode(_ path: PositionPath) -> [UInt8] {
    var writer = PositionWriter(root: path.root)
    for level in path.levels { writer.append(level) }
    return writer.bytes
  }
}

/// The distinct tags of a key in order of first appearance; the first 15 have back references.
private struct ShownTags {
  static let referencesMax = 15
  private var tags = InlineArray<15, UInt32>(repeating: 0)
  private(set) var count = 0
  private(set) var last: WriterTag?

  /// 1...15 if `tag` has a back reference.
  func reference(to tag: WriterTag) -> UInt8? {
    for at in 0..<count where tags[at] == tag.value { return UInt8(at + 1) }
    return nil
  }

  /// The tag of the back reference `number`, 1...`count`.
  func tag(_ number: UInt8) -> WriterTag { WriterTag(tags[Int(number) - 1]) }

  mutating func show(_ tag: WriterTag) {
    last = tag
    guard count < Self.referencesMax, reference(to: tag) == nil else { return }
    tags[count] = tag.value
    count += 1
  }
}

/// Bytes of a level that are not a back reference and not the integer itself.
private enum LevelByte {
  /// An integer below −118 of the previous level's bunch follows, as I + 118.
  static let sameBelow: UInt8 = 0x10
  /// 11...FD: an integer of the previous level's bunch, added to this.
  static let sameZero: Int64 = 0x87
  static let sameReach: Int64 = 118
  /// An integer above 118 of the previous level's bunch follows, as I − 119.
  static let sameAbove: UInt8 = 0xFE
  /// Four tag bytes and an integer follow.
  static let fullTag: UInt8 = 0xFF
}

/// The ranges of E(u), u >= 0: how many bytes follow the head, the first u, the first head.
private struct IntegerRange {
  let tailBytes: Int
  let first: UInt64
  let head: UInt8
  let heads: UInt8

  static let all: [IntegerRange] = {
    let sizes: [(tail: Int, head: UInt8, heads: UInt8)] = [
      (0, 0x80, 64), (1, 0xC0, 32), (2, 0xE0, 16), (3, 0xF0, 8), (7, 0xF8, 1),
    ]
    var first: UInt64 = 0
    return sizes.map { size in
      defer { first += UInt64(size.heads) << UInt64(8 * size.tail) }
      return IntegerRange(tailBytes: size.tail, first: first, head: size.head, heads: size.heads)
    }
  }()
}

/// Appends E(value), `value` in `PositionCodec.integers`.
private func appendInteger(_ value: Int64, to out: inout [UInt8]) {
  let flip: UInt8 = value < 0 ? 0xFF : 0
  let magnitude = UInt64(value < 0 ? -1 - value : value)
  let range = IntegerRange.all.last { $0.first <= magnitude }!  // the first one begins at 0
  let offset = magnitude - range.first
  out.append((range.head + UInt8(offset >> UInt64(8 * range.tailBytes))) ^ flip)
  for shift in stride(from: 8 * (range.tailBytes - 1), through: 0, by: -8) {
    out.append(UInt8(truncatingIfNeeded: offset >> UInt64(shift)) ^ flip)
  }
}

/// Builds a key level by level.
struct PositionWriter {
  private(set) var bytes: [UInt8] = []
  private var shown = ShownTags()

  init(root: Int64) { appendInteger(root, to: &bytes) }

  mutating func append(_ level: PositionLevel) {
    let integer = level.integer
    if level.tag == shown.last {
      PositionWriter.appendSame(integer, to: &bytes)
    } else {
      if let reference = shown.reference(to: level.tag) {
        bytes.append(reference)
      } else {
        bytes.append(LevelByte.fullTag)
        appendBigEndian(level.tag.value, to: &bytes)
      }
      appendInteger(integer, to: &bytes)
    }
    shown.show(level.tag)
  }

  /// Appends an integer of the bunch that the level before belongs to.
  static func appendSame(_ integer: Int64, to out: inout [UInt8]) {
    if integer < -LevelByte.sameReach {
      out.append(LevelByte.sameBelow)
      appendInteger(integer + LevelByte.sameReach, to: &out)
    } else if integer > LevelByte.sameReach {
      out.append(LevelByte.sameAbove)
      appendInteger(integer - LevelByte.sameReach - 1, to: &out)
    } else {
      out.append(UInt8(LevelByte.sameZero + integer))
    }
  }

  /// Appends an integer whose tag is written already.
  static func appendOther(_ integer: Int64, to out: inout [UInt8]) {
    appendInteger(integer, to: &out)
  }
}

/// Reads a key level by level, and remembers where the last integer began.
struct PositionReader {
  private let bytes: [UInt8]
  private var at = 0
  private var shown = ShownTags()
  /// Where the bytes of the last level's integer begin, and whether they have the short form that
  /// continues the bunch of the level before.
  private(set) var lastInteger: (at: Int, same: Bool) = (0, false)

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { at == bytes.count }

  private mutating func byte() throws(PositionError) -> UInt8 {
    guard at < bytes.count else { throw .truncated(at: at) }
    at += 1
    return bytes[at - 1]
  }

  mutating func integer() throws(PositionError) -> Int64 {
    let start = at
    let first = try byte()
    let flip: UInt8 = first < 0x80 ? 0xFF : 0
    let head = first ^ flip
    guard let range = IntegerRange.all.last(where: { $0.head <= head }),
      head - range.head < range.heads
    else { throw .reservedHead(at: start) }
    var offset = UInt64(head - range.head)
    for _ in 0..<range.tailBytes { offset = offset << 8 | UInt64(try byte() ^ flip) }
    let magnitude = Int64(range.first + offset)
    guard magnitude < PositionCodec.integers.upperBound else { throw .integerOutOfRange(at: start) }
    return flip == 0 ? magnitude : -1 - magnitude
  }

  mutating func level() throws(PositionError) -> PositionLevel {
    let start = at
    let form = try byte()
    let level: PositionLevel
    switch form {
    case 0: throw .reservedLevel(at: start)
    case 1...UInt8(ShownTags.referencesMax):
      guard Int(form) <= shown.count else { throw .unknownTag(at: start) }
      let tag = shown.tag(form)
      guard tag != shown.last else { throw .notCanonical(at: start) }
      lastInteger = (at, false)
      level = PositionLevel(tag: tag, integer: try integer())
    case LevelByte.fullTag:
      var word: UInt32 = 0
      for _ in 0..<4 { word = word << 8 | UInt32(try byte()) }
      let tag = WriterTag(word)
      guard tag != shown.last, shown.reference(to: tag) == nil else {
        throw .notCanonical(at: start)
      }
      lastInteger = (at, false)
      level = PositionLevel(tag: tag, integer: try integer())
    default:
      guard let tag = shown.last else { throw .unknownTag(at: start) }
      lastInteger = (start, true)
      level = PositionLevel(tag: tag, integer: try sameBunchInteger(form, start))
    }
    shown.show(level.tag)
    return level
  }

  private mutating func sameBunchInteger(
    _ form: UInt8, _ start: Int
  ) throws(PositionError) -> Int64 {
    let integer: Int64
    switch form {
    case LevelByte.sameBelow:
      let value = try self.integer()
      guard value < 0 else { throw .notCanonical(at: start) }
      integer = value - LevelByte.sameReach
    case LevelByte.sameAbove:
      let value = try self.integer()
      guard value >= 0 else { throw .notCanonical(at: start) }
      integer = value + LevelByte.sameReach + 1
    default:
      integer = Int64(form) - LevelByte.sameZero
    }
    guard PositionCodec.integers.contains(integer) else { throw .integerOutOfRange(at: start) }
    return integer
  }
}
