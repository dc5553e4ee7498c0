// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Testing

@testable import OpenSSLCrypto

@Suite struct OpenSSLSuiteTests {
  private func hex(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.utf8.count, by: 2).compactMap { at in
      let from = text.index(text.startIndex, offsetBy: at)
      return UInt8(text[from..<text.index(from, offsetBy: 2)], radix: 16)
    }
  }

  @Test func `Ed25519 gives the first vector of RFC 8032`() throws {
    let suite = try #require(
      OpenSSLSuite(seed: hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")))
    #expect(
      suite.publicKey == hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
    let signature = suite.sign([])
    #expect(
      signature
        == hex(
          "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ))
    #expect(suite.verify(signature: signature, message: [], publicKey: suite.publicKey))
    #expect(!suite.verify(signature: signature, message: [1], publicKey: suite.publicKey))
    #expect(!suite.verify(signature: [1, 2], message: [], publicKey: suite.publicKey))
    #expect(!suite.verify(signature: signature, message: [], publicKey: [7]))
  }

  @Test func `SHA-256 and HMAC give their published vectors`() throws {
    let suite = try #require(OpenSSLSuite(seed: [UInt8](repeating: 1, count: 32)))
    #expect(
      suite.sha256(Array("abc".utf8))
        == hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(
      suite.hmac(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        == hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    #expect(OpenSSLSuite(seed: [1, 2, 3]) == nil)
  }
}
