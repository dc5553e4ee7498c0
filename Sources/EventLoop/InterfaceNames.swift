// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc

extension StreamSocket {
  /// Name of the interface that has the local address of this connection, such as `eth0`; `nil` while
  /// it is not connected, or where the address is gone by now.
  /// - Complexity: O(addresses of this machine).
  package var interfaceName: String? {
    guard let local = localAddress else { return nil }
    return local.scope == 0 ? Self.interface(with: local.ip) : Self.interface(local.scope)
  }

  private static func interface(_ index: UInt32) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { room in
      guard let name = unsafe if_indextoname(index, room.baseAddress) else { return nil }
      return unsafe String(cString: name)
    }
  }

  private static func interface(with ip: [UInt8]) -> String? {
    var head: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&head) == 0 else { return nil }
    defer { unsafe freeifaddrs(head) }
    var next = unsafe head
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard let name = unsafe entry.pointee.ifa_name, unsafe bytes(of: entry.pointee.ifa_addr) == ip
      else { continue }
      return unsafe String(cString: name)
    }
    return nil
  }

  @unsafe
  fileprivate static func bytes(of address: UnsafeMutablePointer<sockaddr>?) -> [UInt8]? {
    guard let address = unsafe address else { return nil }
    switch unsafe Int32(address.pointee.sa_family) {
    case AF_INET:
      return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { plain in
        unsafe withUnsafeBytes(of: plain.pointee.sin_addr) { unsafe Array($0) }
      }
    case AF_INET6:
      return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { plain in
        unsafe withUnsafeBytes(of: plain.pointee.sin6_addr) { unsafe Array($0) }
      }
    default: return nil
    }
  }
}

/// The addresses that this machine has now.
package enum OwnAddresses {
  /// Addresses (port 0) with the names of their interfaces, as the kernel lists them; without
  /// link-local ones of IPv6. Empty if the system refuses.
  package static func all() -> [(address: SocketAddress, interface: String)] {
    var head: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&head) == 0 else { return [] }
    defer { unsafe freeifaddrs(head) }
    var out: [(address: SocketAddress, interface: String)] = []
    var next = unsafe head
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard let name = unsafe entry.pointee.ifa_name,
        let ip = unsafe StreamSocket.bytes(of: entry.pointee.ifa_addr),
        let address = SocketAddress(ip: ip, port: 0)
      else { continue }
      let isLinkLocal = ip.count == 16 && ip[0] == 0xFE && ip[1] & 0xC0 == 0x80
      if !isLinkLocal { out.append((address, unsafe String(cString: name))) }
    }
    return out
  }
}
