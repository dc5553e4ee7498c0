// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CLooseTLS
import Testing

@testable import OpenSSLCrypto

/// A peer that allows what we forbid, in the same shape as a `TLSSession`.
@safe private final class LoosePeer {
  private nonisolated(unsafe) let tls: OpaquePointer
  private(set) var isOpen = false
  private(set) var isRefused = false

  init(
    isServer: Bool = false, versionMax: Int32 = 0x0304, alpn: String? = "hedgerow/1",
    _ certificate: loose_certificate = LOOSE_ED25519
  ) throws {
    unsafe tls = try #require(loose_new(isServer ? 1 : 0, versionMax, alpn, certificate))
  }

  deinit { unsafe loose_free(tls) }

  func receive(_ bytes: [UInt8]) {
    let result = unsafe loose_receive(tls, bytes, bytes.count)
    isOpen = result == 1
    if result < 0 { isRefused = true }
  }

  func takeOutput() -> [UInt8] {
    var out = [UInt8](repeating: 0, count: unsafe loose_pending(tls))
    if out.isEmpty { return [] }
    let count = unsafe loose_take(tls, &out, out.count)
    return Array(out[..<count])
  }

  func send(_ bytes: [UInt8]) -> Bool { unsafe loose_write(tls, bytes, bytes.count) == 1 }
  var tickets: Int32 { unsafe loose_tickets(tls) }
  var isResumed: Bool { unsafe loose_is_resumed(tls) == 1 }
  var seesPSK: Bool { unsafe loose_sees_psk(tls) == 1 }
}

/// Carries bytes between the two until both are silent; returns what our side saw.
private func converse(_ ours: TLSSession, _ loose: LoosePeer) -> [TLSSession.Event] {
  var events = ours.start()
  loose.receive([])
  while true {
    let (there, back) = (ours.takeOutput(), loose.takeOutput())
    if there.isEmpty && back.isEmpty { return events }
    if !back.isEmpty { events += ours.receive(back) }
    if !there.isEmpty { loose.receive(there) }
  }
}

@Suite struct TLSLockDownTests {
  private let identity = TLSIdentity(OpenSSLSuite(seed: [UInt8](repeating: 1, count: 32))!)!

  private func session(_ role: TLSRole) throws -> TLSSession {
    try #require(
      TLSSession(role, identity: identity, protocols: [.link], accept: { _, _ in true }))
  }

  @Test func `the loose peer works where nothing is forbidden`() throws {
    let peer = try LoosePeer()
    let events = converse(try session(.server), peer)
    #expect(events.count == 1 && peer.isOpen && !peer.isRefused)
  }

  @Test func `TLS 1_2 is refused in both roles`() throws {
    let client = try LoosePeer(versionMax: 0x0303)
    #expect(converse(try session(.server), client) == [.failed])
    #expect(client.isRefused)
    let server = try LoosePeer(isServer: true, versionMax: 0x0303)
    #expect(converse(try session(.client), server) == [.failed])
    #expect(!server.isOpen)
  }

  @Test func `a client without a certificate is refused`() throws {
    let client = try LoosePeer(LOOSE_NONE)
    #expect(converse(try session(.server), client) == [.failed])
    #expect(client.isRefused)
  }

  @Test func `a key of another kind is refused in both roles`() throws {
    let client = try LoosePeer(LOOSE_P256)
    #expect(converse(try session(.server), client) == [.failed])
    let server = try LoosePeer(isServer: true, LOOSE_P256)
    #expect(converse(try session(.client), server) == [.failed])
  }

  @Test func `a peer that names no protocol is refused in both roles`() throws {
    let client = try LoosePeer(alpn: nil)
    #expect(converse(try session(.server), client) == [.failed])
    let server = try LoosePeer(isServer: true, alpn: nil)
    #expect(converse(try session(.client), server) == [.failed])
  }

  @Test func `no ticket is ever given out`() throws {
    let ours = try session(.server)
    let client = try LoosePeer()
    _ = converse(ours, client)
    #expect(ours.send([1, 2, 3]) && client.send([4]))
    _ = converse(ours, client)
    #expect(client.isOpen && client.tickets == 0 && !client.isResumed)
  }

  @Test func `a ticket that a server pushes is not used`() throws {
    for _ in 0..<2 {
      let server = try LoosePeer(isServer: true)
      let ours = try session(.client)
      _ = converse(ours, server)
      #expect(server.send([1]))
      let events = converse(ours, server)
      #expect(events.last == .plaintext([1]))
      #expect(!server.seesPSK && !server.isResumed && !ours.isResumed)
    }
  }
}
