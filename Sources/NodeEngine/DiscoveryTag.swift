// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import WireCodec

/// What an agent says of itself over mDNS: nothing that a stranger could recognise it by again.
///
/// `tag` = HMAC(discovery key of the roster, nonce), cut to eight bytes, with a fresh nonce for every
/// announcement. Members recompute it; to others it is noise. It makes an address a candidate, never
/// an identity.
package struct DiscoveryTag: Hashable, Sendable {
  package static let nonceBytes = 8
  package static let tagBytes = 8

  package let nonce: [UInt8]
  package let tag: [UInt8]
  /// Whether an invite is open, so that joiners know where to knock.
  package let isInviting: Bool

  /// Reads what a stranger announced; `nil` if the lengths are wrong.
  package init?(nonce: [UInt8], tag: [UInt8], isInviting: Bool) {
    guard nonce.count == Self.nonceBytes, tag.count == Self.tagBytes else { return nil }
    (self.nonce, self.tag, self.isInviting) = (nonce, tag, isInviting)
  }

  /// Makes the tag of a member.
  package init(nonce: [UInt8], key: [UInt8], isInviting: Bool, crypto: some CryptoSuite) {
    self.nonce = nonce
    tag = Array(crypto.hmac(key: key, nonce).prefix(Self.tagBytes))
    self.isInviting = isInviting
  }

  /// Whether a member of the space with this discovery key made it.
  package func isMade(with key: [UInt8], crypto: some CryptoSuite) -> Bool {
    constantTimeEqual(Array(crypto.hmac(key: key, nonce).prefix(Self.tagBytes)), tag)
  }
}

/// Compares secrets without telling by time where they differ.
func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  guard a.count == b.count else { return false }
  var difference: UInt8 = 0
  for at in a.indices { difference |= a[at] ^ b[at] }
  return difference == 0
}
