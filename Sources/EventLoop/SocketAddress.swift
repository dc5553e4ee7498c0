// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSystemShim

/// An IP address with a port; no names, because looking names up blocks.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// 4 bytes (IPv4) or 16 (IPv6), network order.
  package let ip: [UInt8]
  package let port: UInt16
  /// Interface index of a link-local IPv6 address; 0 otherwise.
  package let scope: UInt32

  /// `nil` unless `ip` has 4 or 16 bytes.
  package init?(ip: [UInt8], port: UInt16, scope: UInt32 = 0) {
    guard ip.count == 4 || ip.count == 16 else { return nil }
    (self.ip, self.port, self.scope) = (ip, port, scope)
  }

  /// Reads an address without port, such as `192.0.2.7` or `fe80::1%eth0`; `nil` for anything else.
  package init?(host: String, port: UInt16) {
    var raw = hs_address()
    guard unsafe hs_parse_address(host, &raw) == 0 else { return nil }
    raw.port = port
    self.init(raw)
  }

  /// Reads `HOST:PORT` or `[V6]:PORT`; without a port `defaultPort` holds.
  package init?(_ text: String, defaultPort: UInt16) {
    var (host, port) = (text[...], defaultPort)
    if text.hasPrefix("[") {
      guard let end = text.lastIndex(of: "]") else { return nil }
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      if !rest.isEmpty {
        guard rest.hasPrefix(":"), let number = UInt16(rest.dropFirst()) else { return nil }
        port = number
      }
    } else if let colon = text.lastIndex(of: ":"), text.firstIndex(of: ":") == colon {
      guard let number = UInt16(text[text.index(after: colon)...]) else { return nil }
      (host, port) = (text[..<colon], number)
    }
    self.init(host: String(host), port: port)
  }

  init(_ raw: hs_address) {
    let count = raw.length == 4 ? 4 : 16
    ip = unsafe withUnsafeBytes(of: raw.ip) { unsafe Array($0.prefix(count)) }
    (port, scope) = (raw.port, raw.scope)
  }

  var raw: hs_address {
    var raw = hs_address()
    raw.length = UInt8(ip.count)
    (raw.port, raw.scope) = (port, scope)
    unsafe withUnsafeMutableBytes(of: &raw.ip) { unsafe $0.copyBytes(from: ip) }
    return raw
  }

  /// Every IPv4 address of this machine.
  package static func anyV4(port: UInt16) -> SocketAddress {
    SocketAddress(hs_address(length: 4, port: port))
  }
  /// Every address of this machine, IPv6 and, where the socket allows it, IPv4.
  package static func anyV6(port: UInt16) -> SocketAddress {
    SocketAddress(hs_address(length: 16, port: port))
  }
  /// The IPv4 loopback address.
  package static func loopback(port: UInt16) -> SocketAddress {
    var raw = hs_address(length: 4, port: port)
    (raw.ip.0, raw.ip.3) = (127, 1)
    return SocketAddress(raw)
  }

  /// For people who asked for addresses; never for the log at level info.
  package var description: String {
    var raw = self.raw
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 80) { room in
      unsafe hs_format_address(&raw, room.baseAddress, 80)
      // The shim always terminates, and the allocation has a base address because it is not empty.
      return unsafe String(cString: room.baseAddress!)
    }
  }
}

extension hs_address {
  fileprivate init(length: UInt8, port: UInt16) {
    self.init()
    (self.length, self.port) = (length, port)
  }
}
