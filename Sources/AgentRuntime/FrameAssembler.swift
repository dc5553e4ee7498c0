// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import WireCodec

/// Cuts the plaintext of a link into frames: four bytes of length, big endian, before each.
///
/// A length of zero is skipped. The accepting side sends one as its first word: it tells the dialling
/// side, which cannot see it otherwise in TLS 1.3, that its key was accepted.
struct FrameAssembler: Sendable {
  /// What the accepting side says first.
  static let welcome: [UInt8] = [0, 0, 0, 0]

  private var buffer: [UInt8] = []

  /// Takes bytes in any pieces; appends the whole frames, without their lengths.
  /// - Returns: `false` if a frame is longer than `FrameLimits.frameBytesMax`.
  mutating func receive(_ bytes: [UInt8], into frames: inout [[UInt8]]) -> Bool {
    if buffer.isEmpty { buffer = bytes } else { buffer.append(contentsOf: bytes) }
    var start = 0
    defer { if start > 0 { buffer.removeFirst(start) } }
    while buffer.count - start >= 4 {
      let length = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= FrameLimits.frameBytesMax else { return false }
      guard buffer.count - start - 4 >= length else { break }
      if length > 0 { frames.append(Array(buffer[start + 4..<start + 4 + length])) }
      start += 4 + length
    }
    return true
  }

  /// A frame with its length.
  static func framed(_ frame: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(frame.count + 4)
    for shift in [24, 16, 8, 0] { out.append(UInt8(truncatingIfNeeded: frame.count >> shift)) }
    out.append(contentsOf: frame)
    return out
  }
}
