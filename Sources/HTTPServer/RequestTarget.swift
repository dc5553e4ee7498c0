// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The path and query of a request line, decoded (RFC 3986 3.3, 3.4).
struct RequestTarget: Hashable {
  static let bytesMax = 8 * 1024
  static let partsMax = 64

  var path: [String]
  var query: [HTTPQueryItem]

  /// `nil` for a target that is too long, does not start with `/`, holds a broken escape, a NUL, or
  /// bytes that are no UTF-8.
  init?(_ raw: [UInt8]) {
    guard raw.count <= Self.bytesMax, raw.first == 0x2F else { return nil }
    let end = raw.firstIndex(of: 0x3F) ?? raw.count
    path = []
    query = []
    for part in raw[1..<end].split(separator: 0x2F, omittingEmptySubsequences: false) {
      guard path.count < Self.partsMax, let text = Self.decode(part, plusIsSpace: false)
      else { return nil }
      path.append(text)
    }
    guard end < raw.count else { return }
    guard let pairs = Self.pairs(raw[(end + 1)...]) else { return nil }
    query = pairs
  }

  /// Reads `a=1&b=2`; `nil` for too many of them, a broken escape, a NUL, or bytes that are no UTF-8.
  static func pairs(_ raw: ArraySlice<UInt8>) -> [HTTPQueryItem]? {
    var out: [HTTPQueryItem] = []
    for pair in raw.split(separator: 0x26) {
      let halves = pair.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
      guard out.count < Self.partsMax,
        let name = Self.decode(halves[0], plusIsSpace: true),
        let value = halves.count > 1 ? Self.decode(halves[1], plusIsSpace: true) : ""
      else { return nil }
      out.append(HTTPQueryItem(name: name, value: value))
    }
    return out
  }

  private static func decode(_ raw: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
    var out: [UInt8] = []
    out.reserveCapacity(raw.count)
    var rest = raw
    while let byte = rest.popFirst() {
      switch byte {
      case 0x25:
        guard let high = rest.popFirst().flatMap(hexDigit),
          let low = rest.popFirst().flatMap(hexDigit)
        else { return nil }
        out.append(high << 4 | low)
      case 0x2B where plusIsSpace: out.append(0x20)
      default: out.append(byte)
      }
    }
    return out.contains(0) ? nil : String(validating: out, as: UTF8.self)
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

extension HTTPRequest {
  /// A read that came by another way than a socket; `nil` for a target that no request line may have.
  package init?(
    id: RequestID, get target: String, headers: [HTTPHeader: String], door: HTTPDoor
  ) {
    guard let target = RequestTarget(Array(target.utf8)) else { return nil }
    self.init(
      id: id, method: .get, path: target.path, query: target.query, headers: headers, door: door)
  }
}
