// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Where one service instance was seen: the row that a later `lost` takes away.
///
/// One instance seen through two interfaces is two rows; losing one leaves the other.
package struct SightingKey: Hashable, Sendable {
  /// Name of the instance as raw bytes, 1...63 of them. A label for people, never an identity.
  package let instance: [UInt8]
  /// Index of the network interface on which it was seen, never 0.
  package let interface: UInt32

  package init(instance: [UInt8], interface: UInt32) {
    self.instance = instance
    self.interface = interface
  }
}

/// One address of a seen instance: what a dial needs besides the port.
package struct SightedAddress: Hashable, Sendable {
  /// 4 bytes (IPv4) or 16 bytes (IPv6) in network order.
  package let bytes: [UInt8]
  /// Interface index for an IPv6 link-local address, else 0.
  package let scope: UInt32

  package init(bytes: [UInt8], scope: UInt32) {
    self.bytes = bytes
    self.scope = scope
  }

  /// Makes an address of record data, with the scope that link-local IPv6 needs (RFC 4007).
  ///
  /// - Returns: `nil` for other lengths and for addresses nobody can dial over the LAN:
  ///   unspecified, loopback, multicast.
  package init?(record data: [UInt8], interface: UInt32) {
    switch data.count {
    case 4:
      if data[0] == 0 || data[0] == 127 || data[0] >= 224 { return nil }
      self.init(bytes: data, scope: 0)
    case 16:
      if data[0] == 0xFF || data.dropLast().allSatisfy({ $0 == 0 }) { return nil }
      let isLinkLocal = data[0] == 0xFE && data[1] & 0xC0 == 0x80
      self.init(bytes: data, scope: isLinkLocal ? interface : 0)
    default: return nil
    }
  }
}

/// All that is known of one instance on one interface. It is a hint: never an identity, never a
/// reason to close a link.
package struct Sighting: Equatable, Sendable {
  package let key: SightingKey
  /// TCP port, host order, never 0.
  package let port: UInt16
  /// Raw TXT record data, at most `DiscoveryLimits.txtBytesMax`; see `TXTRecord`.
  package let txt: [UInt8]
  /// At least one, at most `DiscoveryLimits.addressesMax`, in the order of their answers.
  package let addresses: [SightedAddress]

  package init(key: SightingKey, port: UInt16, txt: [UInt8], addresses: [SightedAddress]) {
    self.key = key
    self.port = port
    self.txt = txt
    self.addresses = addresses
  }
}

/// Whether the discovery child reaches the responder of this machine.
package enum DiscoveryState: Equatable, Sendable {
  /// Browsing, and advertising if asked to.
  case running
  /// The responder is absent or died; tried again with back-off. `code` is the library's error.
  case waiting(code: Int32)
}

/// What the discovery child tells its parent.
package enum DiscoveryEvent: Equatable, Sendable {
  case stateChanged(DiscoveryState)
  /// The responder took our service, maybe under another name than asked for.
  case advertised(instance: [UInt8])
  /// A new row, or new facts of a known one: the value replaces the row of its key whole.
  case found(Sighting)
  case lost(SightingKey)
}

/// What the child shall announce about this machine.
package struct Advertisement: Equatable, Sendable {
  /// Wanted instance name, 1...63 bytes of UTF-8; the responder may add a suffix.
  package let instance: [UInt8]
  /// Port of the peers' listener, host order, never 0.
  package let port: UInt16
  /// Raw TXT record data of at most `DiscoveryLimits.ownTXTBytesMax` bytes.
  package let txt: [UInt8]

  package init(instance: [UInt8], port: UInt16, txt: [UInt8]) {
    self.instance = instance
    self.port = port
    self.txt = txt
  }

  /// The same under the name of a later attempt: attempt 0 is the wanted name, then `name #2`, ….
  /// Cut between characters so that it fits a label.
  func renamed(attempt: Int) -> Advertisement {
    if attempt == 0 { return self }
    let suffix = Array(" #\(attempt + 1)".utf8)
    var name = instance
    while name.count + suffix.count > DiscoveryLimits.instanceBytesMax {
      // The bytes behind the first of a character all start with 10.
      while let last = name.popLast(), last & 0xC0 == 0x80 {}
    }
    return Advertisement(instance: name + suffix, port: port, txt: txt)
  }
}

/// What the parent asks of the discovery child.
package enum DiscoveryCommand: Equatable, Sendable {
  /// Announce this from now on instead of what was announced before; `nil` = announce nothing.
  case advertise(Advertisement?)
  /// The network changed, or a dial failed: look everything up again.
  case refresh
}

/// Named limits of the frames between the agent and its discovery child.
package enum DiscoveryLimits {
  /// A DNS label (RFC 1035 2.3.4).
  package static let instanceBytesMax = 63
  /// Longest foreign TXT record that is passed on; longer ones are ignored.
  package static let txtBytesMax = 1_024
  /// Longest TXT record we announce, so that every responder carries it.
  package static let ownTXTBytesMax = 200
  package static let addressesMax = 16
  /// Payload of one frame, kind byte included.
  package static let frameBytesMax = 2_048
  /// Rows the child keeps; further instances are ignored until one goes.
  package static let rowsMax = 256
  /// Look-ups under way at once: each holds up to three threads and bus connections.
  package static let lookupsMax = 8
}
