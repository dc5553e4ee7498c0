// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import WireCodec

/// Fast, deterministic stand-ins for the cryptography: equal in shape, worthless as protection.
///
/// Hashes do not collide by accident. Anybody could forge a signature, nobody in the simulator does
/// unless a scenario says so.
package struct ToyCrypto: CryptoSuite {
  package let publicKey: [UInt8]

  /// - Parameter seed: The device; equal seeds are one device.
  package init(seed: UInt64) {
    publicKey = Self.mixed(
      Array("device".utf8) + (0..<8).map { UInt8(truncatingIfNeeded: seed >> ($0 * 8)) })
  }

  package func sha256(_ bytes: [UInt8]) -> [UInt8] { Self.mixed(bytes) }

  package func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    Self.mixed(Array("mac".utf8) + Self.mixed(key) + message)
  }

  package func sign(_ message: [UInt8]) -> [UInt8] { Self.signature(message, publicKey) }

  package func verify(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
    signature == Self.signature(message, publicKey)
  }

  private static func signature(_ message: [UInt8], _ publicKey: [UInt8]) -> [UInt8] {
    let half = mixed(publicKey + message)
    return half + mixed(half)
  }

  private static func mixed(_ bytes: [UInt8]) -> [UInt8] {
    var lanes: (UInt64, UInt64, UInt64, UInt64) = (
      0x9E37_79B9_7F4A_7C15, 0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB,
      UInt64(bytes.count) &* 0xD6E8_FEB8_6659_FD93
    )
    var word: UInt64 = 0
    for (at, byte) in bytes.enumerated() {
      word = word << 8 | UInt64(byte)
      if at % 8 == 7 || at == bytes.count - 1 {
        lanes.0 = (lanes.0 ^ word) &* 0xFF51_AFD7_ED55_8CCD
        lanes.0 ^= lanes.0 >> 32
        lanes.1 = (lanes.1 &+ lanes.0) &* 0xC4CE_B9FE_1A85_EC53
        lanes.2 = (lanes.2 ^ (lanes.1 >> 29)) &* 0x9E37_79B9_7F4A_7C15
        lanes.3 = (lanes.3 &+ lanes.2) ^ (word &* 0xD6E8_FEB8_6659_FD93)
        lanes.3 ^= lanes.3 >> 31
        word = 0
      }
    }
    var out: [UInt8] = []
    out.reserveCapacity(32)
    var carry = lanes.3
    for lane in [lanes.0, lanes.1, lanes.2, lanes.3] {
      carry = (lane ^ carry) &* 0xFF51_AFD7_ED55_8CCD
      carry ^= carry >> 33
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        out.append(UInt8(truncatingIfNeeded: carry >> shift))
      }
    }
    return out
  }
}
