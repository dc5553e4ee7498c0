// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Why bytes on the channel between agent and discovery child could not be read. The channel is
/// of no use afterwards: end the child and start another.
package enum DiscoveryFrameError: Error, Equatable, Sendable {
  case truncated
  case trailing
  case overLimit
  case unknownKind(UInt8)
  case badValue
}

/// Cuts a byte stream into frames: two bytes of length, big endian, then a kind byte and payload.
///
/// Holds at most one frame and what arrived behind it. `Content` decides which direction is read.
package struct DiscoveryFrameReader<Content: DiscoveryFrameContent>: Sendable {
  private var buffer: [UInt8] = []

  package init() {}

  /// Takes bytes in whatever pieces they arrive and appends the contents of complete frames.
  ///
  /// - Complexity: O(bytes); the rest of an incomplete frame is kept for the next call.
  package mutating func receive(
    _ bytes: some Sequence<UInt8>, into contents: inout [Content]
  ) throws(DiscoveryFrameError) {
    buffer.append(contentsOf: bytes)
    var start = 0
    while buffer.count - start >= 2 {
      let length = Int(buffer[start]) << 8 | Int(buffer[start + 1])
      if length == 0 { throw .truncated }
      if length > DiscoveryLimits.frameBytesMax { throw .overLimit }
      if buffer.count - start - 2 < length { break }
      var cursor = FrameCursor(buffer[(start + 2)..<(start + 2 + length)])
      let content = try Content(reading: &cursor)
      if !cursor.isAtEnd { throw .trailing }
      contents.append(content)
      start += 2 + length
    }
    buffer.removeFirst(start)
  }
}

/// A value that crosses the channel in one direction.
package protocol DiscoveryFrameContent: Sendable {
  /// Reads kind byte and payload; every length is checked before it is used.
  init(reading cursor: inout FrameCursor) throws(DiscoveryFrameError)
  /// Appends kind byte and payload.
  func append(to out: inout [UInt8])
}

extension DiscoveryFrameContent {
  /// The whole frame of this value, length prefix included.
  package var frame: [UInt8] {
    var payload: [UInt8] = []
    append(to: &payload)
    precondition(
      payload.count <= DiscoveryLimits.frameBytesMax, "frame of \(payload.count) bytes built")
    return [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
  }
}

/// Reads one frame front to back; runs out with an error instead of a trap.
package struct FrameCursor: Sendable {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Whether every byte was read.
  package var isAtEnd: Bool { rest.isEmpty }

  /// Reads one byte.
  package mutating func byte() throws(DiscoveryFrameError) -> UInt8 {
    guard let value = rest.popFirst() else { throw .truncated }
    return value
  }

  /// Reads two bytes, big endian.
  package mutating func uint16() throws(DiscoveryFrameError) -> UInt16 {
    UInt16(try byte()) << 8 | UInt16(try byte())
  }

  /// Reads four bytes, big endian.
  package mutating func uint32() throws(DiscoveryFrameError) -> UInt32 {
    UInt32(try uint16()) << 16 | UInt32(try uint16())
  }

  /// Reads `count` bytes as they are.
  package mutating func bytes(_ count: Int) throws(DiscoveryFrameError) -> [UInt8] {
    if count > rest.count { throw .truncated }
    let value = Array(rest.prefix(count))
    rest.removeFirst(count)
    return value
  }

  /// Reads a two-byte length and that many bytes; more than `max` is refused.
  package mutating func text(max: Int) throws(DiscoveryFrameError) -> [UInt8] {
    let count = Int(try uint16())
    if count > max { throw .overLimit }
    return try bytes(count)
  }
}

func appendUInt16(_ value: UInt16, to out: inout [UInt8]) {
  out.append(UInt8(value >> 8))
  out.append(UInt8(value & 0xFF))
}

func appendUInt32(_ value: UInt32, to out: inout [UInt8]) {
  appendUInt16(UInt16(value >> 16), to: &out)
  appendUInt16(UInt16(value & 0xFFFF), to: &out)
}

func appendText(_ bytes: [UInt8], to out: inout [UInt8]) {
  appendUInt16(UInt16(bytes.count), to: &out)
  out.append(contentsOf: bytes)
}
