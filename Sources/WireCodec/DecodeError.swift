// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Why bytes from outside could not be read. Carries offsets and limits, never the bytes.
package enum DecodeError: Error, Hashable, Sendable {
  /// The bytes end before the value does.
  case truncated(at: Int)
  /// Bytes follow where the value should end.
  case trailing(at: Int)
  /// A count, a length or a number is beyond its named limit.
  case overLimit(at: Int, limit: UInt64)
  /// A varint is longer than it needs to be, or some other second spelling of the same content.
  case notCanonical(at: Int)
  /// A format, kind or tag byte that this place does not allow.
  case unknownTag(UInt64, at: Int)
  case notUTF8(at: Int)
  /// An index points outside its table.
  case badReference(at: Int)
  /// A position key that does not parse.
  case badPosition(at: Int)
  /// A session id that is not the hash of its head.
  case sessionMismatch
  case badSignature
  /// Compressed bytes that do not unpack to the size they declare.
  case badPacking
}
