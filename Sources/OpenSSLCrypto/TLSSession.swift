// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import COpenSSLShim

/// Which side of a connection this is.
package enum TLSRole: Sendable { case client, server }

/// The protocols that a connection may agree on.
package enum LinkProtocol: Int, Sendable, CaseIterable {
  case link
  case pairing

  /// The name in ALPN (RFC 7301).
  package var name: String {
    switch self {
    case .link: "hedgerow/1"
    case .pairing: "hedgerow-pair/1"
    }
  }
}

/// What all TLS connections of one device share: its certificate and the rules.
@safe package final class TLSIdentity: Sendable {
  // SAFETY: SSL_CTX is counted and locked by OpenSSL and not changed after init.
  nonisolated(unsafe) fileprivate let context: OpaquePointer

  /// `nil` when OpenSSL refuses one of the rules, which no supported version does.
  package init?(_ suite: OpenSSLSuite) {
    guard let made = unsafe hs_tls_context_new(suite.key) else { return nil }
    unsafe context = made
  }

  deinit { unsafe hs_tls_context_free(context) }
}

/// One TLS 1.3 connection as bytes in, bytes out; it holds no socket and never waits.
///
/// Mutual, with self-signed certificates: a peer is judged by `accept` on its Ed25519 public key
/// and the agreed protocol, and by nothing else. No tickets, no resumption, no early data. A peer
/// that sends more than `handshakeBytesMax` before it is judged is refused. Not `Sendable`: it
/// lives on one thread.
@safe package final class TLSSession {
  package enum Event: Hashable {
    /// Both sides are judged. On the dialling side this waits for the first plaintext, because only
    /// then the peer has said that it takes us.
    case established(peerKey: [UInt8], LinkProtocol)
    case plaintext([UInt8])
    /// The peer said goodbye.
    case closed
    /// The handshake or a record was refused, by either side. Take the output once more (it holds
    /// the alert), then drop the connection.
    case failed
  }

  private enum State { case shaking, judged, open, done }

  /// What a peer may send before it is judged; an honest flight takes less than 2 KiB.
  package static let handshakeBytesMax = 8 * 1024
  /// Plaintext of one record, so that each record is one event.
  private static let recordBytesMax = 16 * 1024

  // SAFETY: owned by this object alone, freed in deinit.
  private nonisolated(unsafe) let tls: OpaquePointer
  private let judge: Judge
  private let identity: TLSIdentity
  private let role: TLSRole
  private let protocols: [LinkProtocol]
  private var state = State.shaking
  private var handshakeBytes = 0

  /// - Parameters:
  ///   - protocols: What a server takes, at most four; a client offers the first.
  ///   - accept: Whether the peer with this public key (32 bytes) may connect by this protocol.
  ///     Asked once, in the handshake. A server takes any key for pairing while an invite is open.
  package init?(
    _ role: TLSRole, identity: TLSIdentity, protocols: [LinkProtocol],
    accept: @escaping (_ publicKey: [UInt8], _ by: LinkProtocol) -> Bool
  ) {
    self.role = role
    self.protocols = protocols
    self.identity = identity
    judge = Judge(protocols, accept)
    let user = unsafe Unmanaged.passUnretained(judge).toOpaque()
    let names = protocols.map(\.name).joined(separator: ",")
    let check: hs_tls_check = { user, key, chosen in
      guard let user = unsafe user, let key = unsafe key else { return 0 }
      let judge = unsafe Unmanaged<Judge>.fromOpaque(user).takeUnretainedValue()
      let bytes = unsafe Array(UnsafeBufferPointer(start: key, count: Int(HS_KEY_BYTES)))
      return judge.accepts(bytes, Int(chosen)) ? 1 : 0
    }
    guard
      let made = unsafe hs_tls_new(
        identity.context, role == .server ? 1 : 0, names, check, user)
    else { return nil }
    unsafe tls = made
  }

  deinit { unsafe hs_tls_free(tls) }

  private final class Judge {
    private let protocols: [LinkProtocol]
    private let accept: ([UInt8], LinkProtocol) -> Bool

    init(_ protocols: [LinkProtocol], _ accept: @escaping ([UInt8], LinkProtocol) -> Bool) {
      (self.protocols, self.accept) = (protocols, accept)
    }

    func accepts(_ key: [UInt8], _ chosen: Int) -> Bool {
      protocols.indices.contains(chosen) && accept(key, protocols[chosen])
    }
  }

  /// Starts the handshake on the dialling side; then `takeOutput` has the first flight.
  package func start() -> [Event] { receive([]) }

  /// Takes bytes from the wire and returns what they came to, in order.
  package func receive(_ bytes: [UInt8]) -> [Event] {
    guard state != .done else { return [] }
    guard unsafe hs_tls_feed(tls, bytes, bytes.count) == 1 else { return fail() }
    var events: [Event] = []
    if state == .shaking {
      handshakeBytes += bytes.count
      switch Int(unsafe hs_tls_handshake(tls)) {
      case HS_TLS_OK:
        state = .judged
        if role == .server { open(&events) }
      case HS_TLS_WANTS_BYTES:
        return handshakeBytes > Self.handshakeBytesMax ? fail() : events
      default: return fail()
      }
    }
    return events + readAll()
  }

  private func readAll() -> [Event] {
    var events: [Event] = []
    var buffer = [UInt8](repeating: 0, count: Self.recordBytesMax)
    while true {
      var count = 0
      switch Int(unsafe hs_tls_read(tls, &buffer, buffer.count, &count)) {
      case HS_TLS_OK:
        if state == .judged { open(&events) }
        events.append(.plaintext(Array(buffer[..<count])))
      case HS_TLS_WANTS_BYTES: return events
      case HS_TLS_CLOSED:
        state = .done
        return events + [.closed]
      default: return events + fail()
      }
    }
  }

  private func open(_ events: inout [Event]) {
    state = .open
    var key = [UInt8](repeating: 0, count: Int(HS_KEY_BYTES))
    let agreed = unsafe Int(hs_tls_alpn(tls))
    guard unsafe hs_tls_peer_key(tls, &key) == 1, protocols.indices.contains(agreed) else {
      events += fail()
      return
    }
    events.append(.established(peerKey: key, protocols[agreed]))
  }

  private func fail() -> [Event] {
    state = .done
    return [.failed]
  }

  /// Encrypts `bytes`; take the output afterwards. `false` before the handshake is through or after
  /// the end.
  package func send(_ bytes: [UInt8]) -> Bool {
    guard state == .open || state == .judged else { return false }
    return Int(unsafe hs_tls_write(tls, bytes, bytes.count)) == HS_TLS_OK
  }

  /// Says goodbye; take the output afterwards.
  package func close() {
    guard state != .done else { return }
    unsafe hs_tls_close(tls)
    state = .done
  }

  /// Ciphertext for the wire, all there is.
  package func takeOutput() -> [UInt8] {
    let waiting = unsafe hs_tls_pending(tls)
    guard waiting > 0 else { return [] }
    var out = [UInt8](repeating: 0, count: waiting)
    let taken = unsafe hs_tls_take(tls, &out, waiting)
    return Array(out[..<taken])
  }

  /// Keying material of this connection (RFC 8446 7.5), equal on both sides; `nil` before the
  /// handshake is through.
  package func exporter(label: String, count: Int) -> [UInt8]? {
    var out = [UInt8](repeating: 0, count: count)
    return unsafe hs_tls_export(tls, label, &out, count) == 1 ? out : nil
  }

  /// For the lock-down tests: what was agreed.
  package var version: String { unsafe String(cString: hs_tls_version(tls)) }
  package var isResumed: Bool { unsafe hs_tls_is_resumed(tls) == 1 }
}
