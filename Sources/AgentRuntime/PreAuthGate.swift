// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Decides which connections may shake hands: strangers get few slots and little time (S5).
///
/// Every cost before authentication is O(1): a slot, a TLS session, `bytesMax` of input.
struct PreAuthGate: Hashable, Sendable {
  /// Connections that are not authenticated yet, at the same time.
  static let slotsMax = 10
  /// Slots that only addresses of members get.
  static let slotsForMembers = 2
  /// Slots of one address.
  static let slotsPerAddress = 4
  /// Bytes from the peer before it has proven its key.
  static let bytesMax = 8 * 1024
  /// From accept to proof: 5 s.
  static let handshakeNanoseconds: UInt64 = 5_000_000_000

  private var addresses: [[UInt8]] = []

  var count: Int { addresses.count }

  /// Takes a slot for a connection from `address`, or refuses.
  mutating func admit(_ address: [UInt8], isMembers: Bool) -> Bool {
    let limit = isMembers ? Self.slotsMax : Self.slotsMax - Self.slotsForMembers
    guard addresses.count < limit, addresses.count(where: { $0 == address }) < Self.slotsPerAddress
    else { return false }
    addresses.append(address)
    return true
  }

  /// Gives the slot back: the connection is authenticated, or gone.
  mutating func release(_ address: [UInt8]) {
    if let at = addresses.firstIndex(of: address) { addresses.remove(at: at) }
  }
}
