// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// Reads values off bytes from outside, front to back. Never traps: every read is checked.
package struct ByteReader {
  package let bytes: [UInt8]
  package private(set) var offset: Int
  private let end: Int

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    offset = 0
    end = bytes.count
  }

  package var left: Int { end - offset }

  /// Throws `.trailing` unless all bytes were read.
  package func finish() throws(DecodeError) {
    guard offset == end else { throw .trailing(at: offset) }
  }

  /// One byte.
  package mutating func byte() throws(DecodeError) -> UInt8 {
    guard offset < end else { throw .truncated(at: offset) }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// The next `count` bytes; `count` must have been checked against a limit by the caller.
  package mutating func take(_ count: Int) throws(DecodeError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= left else { throw .truncated(at: offset) }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// A fixed-width number, big endian.
  package mutating func bigEndian<T: FixedWidthInteger & UnsignedInteger>(
    _ type: T.Type
  ) throws(DecodeError) -> T {
    var out: T = 0
    for byte in try take(T.bitWidth / 8) { out = out << 8 | T(byte) }
    return out
  }

  /// LEB128 of at most 64 bits in its shortest form.
  package mutating func varint() throws(DecodeError) -> UInt64 {
    let start = offset
    var out: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = try byte()
      if shift == 63 && next > 1 { throw .overLimit(at: start, limit: .max) }
      out |= UInt64(next & 0x7F) << shift
      if next < 0x80 {
        if next == 0 && shift > 0 { throw .notCanonical(at: start) }
        return out
      }
      shift += 7
    }
  }

  /// A varint that may not exceed `limit`.
  package mutating func varint(max limit: Int) throws(DecodeError) -> Int {
    let start = offset
    let value = try varint()
    guard value <= UInt64(limit) else { throw .overLimit(at: start, limit: UInt64(limit)) }
    return Int(value)
  }

  /// A count of things that take at least `each` bytes: never more than the bytes left can hold.
  package mutating func count(max limit: Int, each: Int = 1) throws(DecodeError) -> Int {
    let start = offset
    let value = try varint(max: limit)
    guard value <= left / max(each, 1) else { throw .truncated(at: start) }
    return value
  }

  /// A signed number as a zigzag varint.
  package mutating func zigzag() throws(DecodeError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A length and that many bytes.
  package mutating func block(max limit: Int) throws(DecodeError) -> [UInt8] {
    Array(try take(try varint(max: limit)))
  }

  package mutating func text(max limit: Int) throws(DecodeError) -> Text {
    let start = offset
    guard let text = Text(utf8: try block(max: limit)) else { throw .notUTF8(at: start) }
    return text
  }

  /// Sixteen raw bytes.
  package mutating func bytes16<K>(_: Bytes16<K>.Type) throws(DecodeError) -> Bytes16<K> {
    Bytes16(high: try bigEndian(UInt64.self), low: try bigEndian(UInt64.self))
  }

  /// Thirty-two raw bytes.
  package mutating func bytes32<K>(_: Bytes32<K>.Type) throws(DecodeError) -> Bytes32<K> {
    Bytes32(
      try bigEndian(UInt64.self), try bigEndian(UInt64.self), try bigEndian(UInt64.self),
      try bigEndian(UInt64.self))
  }

  /// An item id: twelve bytes.
  package mutating func itemID() throws(DecodeError) -> ItemID {
    ItemID(nonce: try bigEndian(UInt64.self), index: try bigEndian(UInt32.self))
  }

  package mutating func tip() throws(DecodeError) -> Tip {
    Tip(
      session: try bytes16(SessionID.self), seq: try bigEndian(UInt64.self),
      hash: try bytes32(ChangeHash.self))
  }

  /// 0 or 1.
  package mutating func flag() throws(DecodeError) -> Bool {
    let start = offset
    let value = try byte()
    guard value <= 1 else { throw .unknownTag(UInt64(value), at: start) }
    return value == 1
  }
}

/// Writes what `ByteReader` reads.
package struct ByteWriter {
  package private(set) var bytes: [UInt8]

  package init(reserving capacity: Int = 64) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// One byte.
  package mutating func byte(_ value: UInt8) { bytes.append(value) }
  package mutating func flag(_ value: Bool) { bytes.append(value ? 1 : 0) }
  package mutating func raw(_ value: some Sequence<UInt8>) { bytes.append(contentsOf: value) }
  /// A fixed-width number, big endian.
  package mutating func bigEndian(_ value: some FixedWidthInteger) {
    appendBigEndian(value, to: &bytes)
  }

  package mutating func varint(_ value: some BinaryInteger) {
    var left = UInt64(value)
    while left >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: left) | 0x80)
      left >>= 7
    }
    bytes.append(UInt8(left))
  }

  /// A signed number as a zigzag varint.
  package mutating func zigzag(_ value: Int64) {
    varint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// A length and the bytes.
  package mutating func block(_ value: some Collection<UInt8>) {
    varint(value.count)
    raw(value)
  }

  /// Sixteen raw bytes.
  package mutating func bytes16<K>(_ value: Bytes16<K>) { value.append(to: &bytes) }
  /// Thirty-two raw bytes.
  package mutating func bytes32<K>(_ value: Bytes32<K>) { value.append(to: &bytes) }
  /// An item id: twelve bytes.
  package mutating func itemID(_ value: ItemID) { value.append(to: &bytes) }

  package mutating func tip(_ value: Tip) {
    bytes16(value.session)
    bigEndian(value.seq)
    bytes32(value.hash)
  }
}
