// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// The cryptography that the pure layers need. The private key of the device lives inside.
package protocol CryptoSuite: Sendable {
  /// The device's Ed25519 public key, 32 bytes.
  var publicKey: [UInt8] { get }
  /// SHA-256, 32 bytes.
  func sha256(_ bytes: [UInt8]) -> [UInt8]
  /// HMAC-SHA-256 (RFC 2104), 32 bytes.
  func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8]
  /// Ed25519 (RFC 8032) by the device's key, 64 bytes.
  func sign(_ message: [UInt8]) -> [UInt8]
  /// Whether `signature` over `message` is by the holder of `publicKey`; `false` for any malformed
  /// argument.
  func verify(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool
}

extension CryptoSuite {
  /// SHA-256 as a typed value.
  package func hash32<Kind>(_ bytes: [UInt8]) -> Bytes32<Kind> {
    Bytes32(sha256(bytes)) ?? .zero
  }

  /// SHA-256 of the device's public key.
  package var deviceID: DeviceID { hash32(publicKey) }

  /// The id of a session: the first 16 bytes of a hash over its head (`core.md` 1).
  package func sessionID(_ head: SessionHead) -> SessionID {
    var message = Array("hedgerow session 1".utf8)
    head.device.append(to: &message)
    appendBigEndian(head.salt, to: &message)
    if let predecessor = head.predecessor {
      predecessor.session.append(to: &message)
      appendBigEndian(predecessor.seq, to: &message)
      predecessor.hash.append(to: &message)
    } else {
      message.append(contentsOf: repeatElement(0, count: 56))
    }
    return SessionID(sha256(message).prefix(16)) ?? .zero
  }

  /// The mark of a session in the position keys it makes (`core.md` 3).
  package func writerTag(_ session: SessionID) -> WriterTag {
    let hash = sha256(Array("hedgerow tag".utf8) + session.bytes)
    return WriterTag(hash.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// The first 16 bytes of SHA-256 as two words, for `Replica.fingerprint`.
  package func sha256Half(_ bytes: [UInt8]) -> (UInt64, UInt64) {
    let half = Bytes16<Never>(sha256(bytes).prefix(16)) ?? .zero
    return (half.high, half.low)
  }
}

/// Compression of blocks whose unpacked size is known and capped.
package protocol Packer: Sendable {
  /// Never fails; the result may be longer than the input.
  func pack(_ bytes: [UInt8]) -> [UInt8]
  /// Unpacks to exactly `size` bytes, or throws `.badPacking`. Allocates `size` bytes and no more.
  func unpack(_ bytes: [UInt8], size: Int) throws(DecodeError) -> [UInt8]
}
