// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import COpenSSLShim
import WireCodec

/// The cryptography of one device by OpenSSL 3.0: Ed25519, SHA-256, HMAC.
@safe package final class OpenSSLSuite: CryptoSuite {
  package let publicKey: [UInt8]
  // SAFETY: the key is written once, in init; OpenSSL reads it from any thread.
  nonisolated(unsafe) let key: OpaquePointer

  /// Takes the 32 bytes of an Ed25519 private key (RFC 8032); `nil` for any other count.
  package init?(seed: [UInt8]) {
    guard seed.count == Int(HS_KEY_BYTES), let made = unsafe hs_key_private(seed) else {
      return nil
    }
    var raw = [UInt8](repeating: 0, count: Int(HS_KEY_BYTES))
    guard unsafe hs_key_raw_public(made, &raw) == 1 else {
      unsafe hs_key_free(made)
      return nil
    }
    unsafe key = made
    publicKey = raw
  }

  deinit { unsafe hs_key_free(key) }

  package func sha256(_ bytes: [UInt8]) -> [UInt8] { Self.digest(bytes) }

  /// SHA-256.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: Int(HS_HASH_BYTES))
    // Fails only without memory or without the default provider: nothing can go on then.
    precondition(unsafe hs_sha256(bytes, bytes.count, &out) == 1, "SHA-256")
    return out
  }

  package func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: Int(HS_HASH_BYTES))
    precondition(
      unsafe hs_hmac_sha256(key, key.count, message, message.count, &out) == 1, "HMAC")
    return out
  }

  package func sign(_ message: [UInt8]) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: Int(HS_SIGNATURE_BYTES))
    precondition(unsafe hs_sign(key, message, message.count, &out) == 1, "Ed25519 signature")
    return out
  }

  package func verify(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
    guard publicKey.count == Int(HS_KEY_BYTES), signature.count == Int(HS_SIGNATURE_BYTES),
      let other = unsafe hs_key_public(publicKey)
    else { return false }
    defer { unsafe hs_key_free(other) }
    return unsafe hs_verify(other, message, message.count, signature, signature.count) == 1
  }

  /// `count` bytes from OpenSSL's generator, seeded by the kernel.
  package static func randomBytes(_ count: Int) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: count)
    precondition(unsafe hs_random(&out, count) == 1, "no randomness")
    return out
  }

  /// Whether two secrets are equal, in a time that does not depend on where they differ.
  package static func isEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return unsafe hs_equal(a, b, a.count) == 1
  }
}

/// Randomness for the engine: `OpenSSLSuite.randomBytes` as a generator.
package struct KernelRandom: RandomNumberGenerator, Sendable {
  package init() {}
  package mutating func next() -> UInt64 {
    OpenSSLSuite.randomBytes(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
