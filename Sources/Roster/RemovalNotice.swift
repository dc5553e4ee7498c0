// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import WireCodec

/// Tells a removed device who removed it, without any record: those carry the key of the announcements,
/// which is renewed because of it.
package struct RemovalNotice: Hashable, Sendable {
  /// Ed25519 public key of who removed it, 32 bytes.
  package let signer: [UInt8]
  /// 64 bytes.
  package let signature: [UInt8]

  package init(signer: [UInt8], signature: [UInt8]) {
    (self.signer, self.signature) = (signer, signature)
  }

  /// The signature of this device under the removal of `device`.
  package static func sign(
    _ device: DeviceID, space: SpaceID, crypto: some CryptoSuite
  ) -> [UInt8] {
    crypto.sign(message(device, space))
  }

  /// Whether somebody whom `roster` knows as an admin, or the recovery key, removed `device`. One that
  /// was removed itself will do: of two who remove each other both are gone.
  package func isGood(
    for device: DeviceID, in roster: MembershipGraph, crypto: some CryptoSuite
  ) -> Bool {
    let isEntitled =
      signer == roster.view.recoveryKey
      || roster.view.author(crypto.hash32(signer))?.role == .admin
    return isEntitled
      && crypto.verify(
        signature: signature, message: Self.message(device, roster.space), publicKey: signer)
  }

  private static func message(_ device: DeviceID, _ space: SpaceID) -> [UInt8] {
    Array("hedgerow removed 1".utf8) + space.bytes + device.bytes
  }
}

/// A removal that counts, with all that is known of it.
package struct MemberRemoval: Hashable, Sendable {
  package let device: DeviceID
  /// What stays of its changes: of several removals, and of records that raise it, the highest.
  package let cutoff: Cutoff
  /// The records that remove it, in the order of the resolver; never empty.
  package let records: [RecordHash]
  /// Who signed them, in the same order.
  package let by: [DeviceID]
  /// From the first of them.
  package let notice: RemovalNotice
}
