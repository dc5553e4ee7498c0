// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Takes the body of a stream piece by piece (chunked coding of RFC 9112, 7.1) and gives out its lines.
package struct ChunkedLines: Sendable {
  /// Bytes of one line at most; a longer one ends the stream.
  package static let lineBytesMax = 1 << 20

  private enum Place: Hashable { case size, data(Int), dataEnd, ended }
  private var place = Place.size
  private var sizeLine: [UInt8] = []
  private var line: [UInt8] = []

  package init() {}

  /// Whether the stream has ended or broke its form; nothing more comes out then.
  package var isEnded: Bool { place == .ended }

  /// Takes bytes as they came.
  /// - Returns: The lines that are complete now, without line feed, in order.
  package mutating func take(_ bytes: [UInt8]) -> [[UInt8]] {
    var out: [[UInt8]] = []
    for byte in bytes {
      switch place {
      case .ended: return out
      case .size: takeSize(byte)
      case .data(let count):
        place = count > 1 ? .data(count - 1) : .dataEnd
        if byte == 10 {
          out.append(line)
          line = []
        } else {
          line.append(byte)
          if line.count > Self.lineBytesMax { place = .ended }
        }
      case .dataEnd: if byte == 10 { place = .size }
      }
    }
    return out
  }

  private mutating func takeSize(_ byte: UInt8) {
    guard byte == 10 else {
      sizeLine.append(byte)
      if sizeLine.count > 64 { place = .ended }
      return
    }
    let digits = sizeLine.prefix { $0 != 13 && $0 != 0x3B }
    sizeLine = []
    let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
    place = size > 0 ? .data(size) : .ended
  }
}
