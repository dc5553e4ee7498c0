// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CMicroHTTPDShim
import Glibc

/// One listening socket and its connections.
///
/// Behind a web door nobody holds a connection without using it: a request that does not come in whole
/// in time ends with its connection, and when connections run short the one that has waited longest
/// for its client goes. A crowd of slow clients so hurts only itself (catalogue S5).
final class Doorway {
  private enum Use {
    /// A request comes in, or none has come yet.
    case reading(since: UInt64)
    /// The agent works on it, or the answer goes out.
    case working
    /// Between requests.
    case resting(since: UInt64)
  }

  /// Connections that are kept free for those who come next.
  static let spare = 8

  unowned let server: HTTPServer
  let kind: DoorKind
  let headers: [HTTPReplyHeader]
  private var connections: [Int32: Use] = [:]
  private let ownUser = geteuid()
  /// Closed when the library has its next turn.
  var isEnding = false

  init(_ server: HTTPServer, _ kind: DoorKind, _ headers: [HTTPReplyHeader]) {
    (self.server, self.kind, self.headers) = (server, kind, headers)
  }

  /// Who is at the other end; `nil` for a user who has no business here.
  func door(of descriptor: Int32) -> HTTPDoor? {
    switch kind {
    case .web: return .web
    case .lan: return .lan
    case .local: break
    }
    let user = hm_peer_uid(descriptor)
    return user == Int64(ownUser) || user == 0 ? .local(user: UInt32(user)) : nil
  }

  func opened(_ descriptor: Int32) {
    guard kind != .local else { return }
    connections[descriptor] = .reading(since: hm_now())
    if connections.count + Self.spare > Int(server.settings.connectionsMax) { endOldest() }
  }

  func closed(_ descriptor: Int32) {
    connections[descriptor] = nil
    // At its limit the library stops listening, and looks again only when it runs.
    server.mustPumpAgain = true
  }

  func reads(_ descriptor: Int32) { use(descriptor, .reading(since: hm_now())) }
  func works(_ descriptor: Int32) { use(descriptor, .working) }
  func rests(_ descriptor: Int32) { use(descriptor, .resting(since: hm_now())) }

  private func use(_ descriptor: Int32, _ use: Use) {
    if connections[descriptor] != nil { connections[descriptor] = use }
  }

  // MARK: Time

  /// Monotonic nanoseconds at which the first connection has had its time.
  var deadline: UInt64? { connections.values.compactMap(end).min() }

  private func end(_ use: Use) -> UInt64? {
    switch use {
    case .reading(let since): since + server.settings.requestSeconds * 1_000_000_000
    case .resting(let since): since + UInt64(server.settings.idleSeconds) * 1_000_000_000
    case .working: nil
    }
  }

  func endLateOnes() {
    let now = hm_now()
    for descriptor in connections.keys.sorted() {
      if let use = connections[descriptor], let end = end(use), end <= now { cut(descriptor) }
    }
  }

  private func endOldest() {
    let waiting = connections.compactMap { descriptor, use in end(use).map { ($0, descriptor) } }
    if let oldest = waiting.min(by: { $0 < $1 }) { cut(oldest.1) }
  }

  /// The library sees the end of the connection and lets go of it.
  private func cut(_ descriptor: Int32) {
    connections[descriptor] = nil
    shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
