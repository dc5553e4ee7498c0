// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Where an agent may listen: an address, never a name.
package struct Endpoint: Hashable, Comparable, Sendable {
  /// 4 bytes (IPv4) or 16 (IPv6), network order.
  package let address: [UInt8]
  package let port: UInt16
  /// Interface index for link-local IPv6 addresses, else 0. Means nothing on another machine.
  package let scope: UInt32

  /// `nil` unless `address` has 4 or 16 bytes.
  package init?(address: [UInt8], port: UInt16, scope: UInt32 = 0) {
    guard address.count == 4 || address.count == 16 else { return nil }
    (self.address, self.port, self.scope) = (address, port, scope)
  }

  private init(_ address: [UInt8], _ port: UInt16, _ scope: UInt32) {
    (self.address, self.port, self.scope) = (address, port, scope)
  }

  /// The same address with another port.
  package func with(port: UInt16) -> Self { Self(address, port, scope) }

  /// IPv6 fe80::/10: only good together with a scope, so never told to others.
  package var isLinkLocal: Bool {
    address.count == 16 && address[0] == 0xFE && address[1] & 0xC0 == 0x80
  }

  /// 127.0.0.0/8 or ::1.
  package var isLoopback: Bool {
    address.count == 4
      ? address[0] == 127 : address.dropLast().allSatisfy { $0 == 0 } && address[15] == 1
  }

  package static func < (a: Self, b: Self) -> Bool {
    if a.address != b.address { return a.address.lexicographicallyPrecedes(b.address) }
    return (a.port, a.scope) < (b.port, b.scope)
  }
}
