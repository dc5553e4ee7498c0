// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import WireCodec

/// What both sides of a pairing show each other: that they know the code, on this very connection.
///
/// HMAC over role, exporter of the TLS session and both keys, keyed by the code. Someone between the
/// two has two exporters; the roles keep a proof from being sent back (`docs/WIRE.md`, "Pairing").
package struct PairingProof: Sendable {
  /// Label and length of the keying material to take from the TLS session.
  package static let exporterLabel = "EXPORTER-hedgerow-pair"
  package static let exporterBytes = 32

  let joiner: [UInt8]
  let inviter: [UInt8]

  package init(
    code: PairingCode, exporter: [UInt8], joinerKey: [UInt8], inviterKey: [UInt8],
    crypto: some CryptoSuite
  ) {
    let key = crypto.sha256(Array("hedgerow pair 1".utf8) + code.secret)
    func proof(_ role: String) -> [UInt8] {
      crypto.hmac(key: key, Array(role.utf8) + exporter + joinerKey + inviterKey)
    }
    joiner = proof("joiner")
    inviter = proof("inviter")
  }
}

/// One connection of ALPN `hedgerow-pair/1`.
struct PairingLink: Hashable, Sendable {
  let id: LinkID
  let peerKey: [UInt8]
  let exporter: [UInt8]
  let from: Endpoint
  var deadline = Moment(nanoseconds: .max)
}
