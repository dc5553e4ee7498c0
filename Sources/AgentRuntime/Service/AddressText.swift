// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import Glibc
import WireCodec

/// Addresses as people type and read them.
enum AddressText {
  /// The port that agents listen on for peers.
  static let defaultPort: UInt16 = 7644

  /// Reads `HOST`, `HOST:PORT`, `[v6]:PORT`. Names are looked up, which may take the resolver's time.
  static func endpoints(_ text: String) throws(Problem) -> [Endpoint] {
    var host = text
    var port = defaultPort
    if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
      host = String(text[text.index(after: text.startIndex)..<close])
      let rest = text[text.index(after: close)...]
      if !rest.isEmpty { port = try number(rest.dropFirst(), text) }
    } else if let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon {
      host = String(text[..<colon])
      port = try number(text[text.index(after: colon)...], text)
    }
    let found = resolve(host, port)
    guard !host.isEmpty, !found.isEmpty else {
      throw Problem(
        .invalidValue, "\(text) is no address that this machine knows",
        detail: "write HOST:PORT, for example 192.0.2.14:7644")
    }
    return found
  }

  private static func number(_ text: Substring, _ whole: String) throws(Problem) -> UInt16 {
    guard let port = UInt16(text), port > 0 else {
      throw Problem(.invalidValue, "\(whole) has no port from 1 to 65535")
    }
    return port
  }

  /// `getaddrinfo(3)`. Never for `.local`: the resolver would drop the scope of an address.
  private static func resolve(_ host: String, _ port: UInt16) -> [Endpoint] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    if host.hasSuffix(".local") { unsafe hints.ai_flags = AI_NUMERICHOST }
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return [] }
    defer { unsafe freeaddrinfo(list) }
    var out: [Endpoint] = []
    var next = unsafe list
    while let info = unsafe next, out.count < 8 {
      if let endpoint = unsafe Self.endpoint(info.pointee.ai_addr), !out.contains(endpoint) {
        out.append(endpoint)
      }
      unsafe next = info.pointee.ai_next
    }
    return out
  }

  private static func endpoint(_ address: UnsafeMutablePointer<sockaddr>?) -> Endpoint? {
    guard let address = unsafe address else { return nil }
    switch unsafe Int32(address.pointee.sa_family) {
    case AF_INET:
      return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
        let plain = unsafe pointer.pointee
        let bytes = unsafe withUnsafeBytes(of: plain.sin_addr) { unsafe Array($0) }
        return Endpoint(address: bytes, port: UInt16(bigEndian: plain.sin_port))
      }
    case AF_INET6:
      return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
        let plain = unsafe pointer.pointee
        let bytes = unsafe withUnsafeBytes(of: plain.sin6_addr) { unsafe Array($0) }
        return Endpoint(
          address: bytes, port: UInt16(bigEndian: plain.sin6_port), scope: plain.sin6_scope_id)
      }
    default: return nil
    }
  }
}
