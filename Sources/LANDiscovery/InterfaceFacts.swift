// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc

/// What decides whether an interface carries a LAN that peers can be found on.
package struct InterfaceFacts: Equatable, Sendable {
  package let index: UInt32
  package let name: [UInt8]
  package let isUp: Bool
  package let isLoopback: Bool
  package let isPointToPoint: Bool
  package let canMulticast: Bool

  package init(
    index: UInt32, name: [UInt8], isUp: Bool = true, isLoopback: Bool = false,
    isPointToPoint: Bool = false, canMulticast: Bool = true
  ) {
    self.index = index
    self.name = name
    self.isUp = isUp
    self.isLoopback = isLoopback
    self.isPointToPoint = isPointToPoint
    self.canMulticast = canMulticast
  }

  /// Whether peers behind this interface are worth dialling.
  ///
  /// Bridges and links of containers and virtual machines are left out by their usual names:
  /// every machine with such software has the same private address there, and dialling it
  /// reaches oneself. A bridge with another name (`br0`) may be the LAN itself and counts.
  package var carriesLAN: Bool {
    if !isUp || isLoopback || isPointToPoint || !canMulticast { return false }
    return !isContainerBridge && !Self.virtualPrefixes.contains { name.starts(with: $0) }
  }

  /// `br-` and twelve hex digits: a bridge made by a container engine. `br-lan` is a LAN.
  private var isContainerBridge: Bool {
    name.count == 15 && name.starts(with: "br-".utf8)
      && name.dropFirst(3).allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x61 && $0 <= 0x66 }
  }

  private static let virtualPrefixes: [[UInt8]] = [
    "docker", "veth", "virbr", "vnet", "lxcbr", "lxdbr", "incusbr", "cni", "flannel", "cali",
    "podman", "vmnet", "vboxnet", "tailscale", "wg", "zt", "tun", "tap",
  ].map { Array($0.utf8) }

  /// Reads the interfaces of this machine (`getifaddrs`), one entry for each, in index order.
  /// Empty if the system refuses.
  package static func ofThisMachine() -> [InterfaceFacts] {
    var head: UnsafeMutablePointer<ifaddrs>?
    guard unsafe getifaddrs(&head) == 0 else { return [] }
    defer { unsafe freeifaddrs(head) }
    var facts: [InterfaceFacts] = []
    var next = unsafe head
    while let entry = unsafe next {
      unsafe next = entry.pointee.ifa_next
      guard let rawName = unsafe entry.pointee.ifa_name else { continue }
      let index = unsafe if_nametoindex(rawName)
      if index == 0 || facts.contains(where: { $0.index == index }) { continue }
      let flags = unsafe entry.pointee.ifa_flags
      func has(_ bit: Int) -> Bool { flags & UInt32(bit) != 0 }
      facts.append(
        InterfaceFacts(
          index: index, name: unsafe bytes(ofCString: rawName) ?? [],
          isUp: has(Int(IFF_UP)), isLoopback: has(Int(IFF_LOOPBACK)),
          isPointToPoint: has(Int(IFF_POINTOPOINT)),
          canMulticast: has(Int(IFF_MULTICAST))))
    }
    return facts.sorted { $0.index < $1.index }
  }
}

/// Copies a C string that may be absent: failure callbacks of the compatibility library pass NULL.
@unsafe
func bytes(ofCString pointer: UnsafePointer<CChar>?) -> [UInt8]? {
  guard let pointer = unsafe pointer else { return nil }
  let count = unsafe strlen(pointer)
  return unsafe Array(UnsafeRawBufferPointer(start: pointer, count: count))
}
