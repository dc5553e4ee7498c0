// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Valid UTF-8, compared, hashed and ordered by its bytes; never by canonical equivalence.
public struct Text: Hashable, Comparable, Sendable {
  public let utf8: [UInt8]

  /// Takes a Swift string, which is always valid UTF-8.
  public init(_ string: String) { utf8 = Array(string.utf8) }

  /// Takes bytes from outside; `nil` unless they are valid UTF-8.
  /// - Complexity: O(bytes).
  public init?(utf8 bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    utf8 = bytes
  }

  /// Takes bytes that were a `Text` before.
  init(trusted bytes: [UInt8]) { utf8 = bytes }

  public var string: String { String(decoding: utf8, as: UTF8.self) }
  public static func < (a: Self, b: Self) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
}

/// The name of a cell of an item that users write.
///
/// `text` is built in; all others are named, 1...`Limits.fieldNameBytesMax` bytes of UTF-8.
public enum FieldName: Hashable, Comparable, Sendable {
  case text
  case named(Text)

  /// Makes the field of a column.
  public static func named(_ string: String) -> FieldName { .named(Text(string)) }

  /// Whether an item is ticked: `Value.bool`.
  public static let done = FieldName.named("done")
  /// A longer remark: `Value.text`.
  public static let note = FieldName.named("note")
}

/// A typed value. No floating point exists in state or on the wire (`core.md` 4).
///
/// Equality is that of the stored bytes. Every case knows a canonical encoding, in `WireCodec`.
public enum Value: Hashable, Sendable {
  /// Written on purpose as empty; a cell that was never written has no value at all.
  case null
  case bool(Bool)
  case int(Int64)
  /// mantissa × 10^-scale, scale 0...18, no trailing zero of the mantissa while scale > 0.
  case decimal(mantissa: Int64, scale: UInt8)
  /// UTC milliseconds since 1970.
  case time(Int64)
  /// At most `Limits.valueBytesMax` bytes, no normalisation.
  case text(Text)
  case bytes([UInt8])
  /// Days since 1970-01-01.
  case date(Int32)
  case ref(ItemID)
  /// A tag (10...127) that a newer version writes: kept and relayed, shown as "newer value".
  case opaque(tag: UInt8, [UInt8])

  public static func text(_ string: String) -> Value { .text(Text(string)) }
}
