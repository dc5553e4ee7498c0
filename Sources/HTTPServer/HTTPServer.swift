// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CMicroHTTPDShim
import Glibc

/// libmicrohttpd on somebody else's loop: requests out, replies and event streams in.
///
/// Not Sendable: owned by the loop's actor. The loop watches `descriptor` for reading and calls `pump`
/// on an event of it and when `deadline` has passed. All three callbacks run inside `pump`, `reply`,
/// `push` or `end`, on the caller's thread.
@safe package final class HTTPServer {
  /// Limits; times in seconds.
  package struct Settings: Sendable {
    /// A keep-alive connection without a request is closed after so long; streams are not.
    package var idleSeconds: UInt32 = 60
    /// Connections of one listening socket.
    package var connectionsMax: UInt32 = 256
    /// From the first byte of a request, or the connection without one, to its last byte.
    package var requestSeconds: UInt64 = 10
    /// What a stream may hold back for a slow reader before it is ended.
    package var streamBytesMax = 8 << 20
    package init() {}
  }

  /// What became of a `push`.
  package enum Pushed: Equatable, Sendable {
    case accepted
    /// The reader is too slow: the stream ends after what it holds.
    case overflowed
    /// There is no such stream (any more).
    case gone
  }

  let settings: Settings
  let hub: Int32
  private var daemons: [OpaquePointer] = unsafe []
  private var deadlines: [UInt64?] = []
  private var doorways: [Doorway] = []
  var exchanges: [RequestID: Exchange] = [:]
  private var lastID: UInt64 = 0
  private var isPumping = false
  /// There may be more to do than the library was asked for.
  var mustPumpAgain = false

  /// The largest body that a route takes, in bytes; asked before the body is read.
  package var bodyLimit: (HTTPMethod, [String]) -> Int = { _, _ in 1 << 20 }
  /// A request is complete. Answer it here or later, by `reply` or `openStream`, exactly once.
  package var received: (HTTPRequest) -> Void = { _ in }
  /// The client of a request that waits, or of a stream, is gone; its id means nothing any more.
  package var clientLeft: (RequestID) -> Void = { _ in }
  /// The form of the replies that the server itself gives: a status and its reason.
  package var refusal: (Int, String) -> HTTPReply = { .text($0, $1) }

  /// `nil` where the process has no descriptors left.
  package init?(settings: Settings = Settings()) {
    self.settings = settings
    hub = hm_hub_create()
    if hub < 0 { return nil }
  }

  deinit {
    // Stopping calls back into the server, which is too late here.
    precondition(deadlines.isEmpty, "stop the server before letting it go")
    if hub >= 0 { close(hub) }
  }

  /// Watch it for reading.
  package var descriptor: Int32 { hub }

  /// Monotonic nanoseconds at which `pump` wants to be called; `nil` for never.
  package var deadline: UInt64? {
    (deadlines.compactMap(\.self) + doorways.compactMap(\.deadline)).min()
  }

  /// Serves a listening descriptor, which now belongs to the server. `false` if that fails.
  ///
  /// - Parameters:
  ///   - kind: What requests through it are; behind a web door connections are short-lived, see
  ///     `Doorway`.
  ///   - headers: Go with every reply through it.
  ///   - pem: A private key and its certificate: then the door speaks TLS 1.3 and nothing else.
  package func serve(
    listener: Int32, _ kind: DoorKind = .local, headers: [HTTPReplyHeader] = [], pem: String? = nil
  ) -> Bool {
    let doorway = Doorway(self, kind, headers)
    guard let daemon = unsafe start(listener, doorway, pem) else { return false }
    unsafe daemons.append(daemon)
    deadlines.append(nil)
    doorways.append(doorway)
    return unsafe hm_hub_add_daemon(hub, hm_epoll_descriptor(daemon)) == 0
  }

  private func start(_ listener: Int32, _ doorway: Doorway, _ pem: String?) -> OpaquePointer? {
    func start(_ pem: UnsafePointer<CChar>?) -> OpaquePointer? {
      var settings = unsafe hm_settings(
        idle_seconds: self.settings.idleSeconds, connections: self.settings.connectionsMax,
        access: accessCallback, begin: beginCallback, done: doneCallback, changed: changedCallback,
        context: Unmanaged.passUnretained(doorway).toOpaque(), pem: pem)
      return unsafe hm_start(listener, &settings)
    }
    // The library reads key and certificate while it starts, not later.
    return unsafe pem.map { unsafe $0.withCString { unsafe start($0) } } ?? start(nil)
  }

  /// Closes the doors of a kind: their listeners, connections and streams. Now, or where the library
  /// is at work, right behind that.
  package func closeDoors(_ kind: DoorKind) {
    for doorway in doorways where doorway.kind == kind { doorway.isEnding = true }
    pump()
  }

  /// Lets the library work until it has nothing to do now.
  package func pump() {
    mustPumpAgain = true
    guard !isPumping else { return }  // a reply given inside `received`: the outer pump goes on
    isPumping = true
    defer { isPumping = false }
    for _ in 0..<4 where mustPumpAgain {
      mustPumpAgain = false
      pumpOnce()
    }
    if mustPumpAgain, !deadlines.isEmpty { deadlines[0] = hm_now() }
  }

  private func pumpOnce() {
    endLeftClients()
    endDoorways()
    for doorway in doorways { doorway.endLateOnes() }
    for index in unsafe daemons.indices {
      deadlines[index] = nil
      var milliseconds: UInt64 = 0
      var isBusy = true
      for _ in 0..<16 where isBusy {
        unsafe _ = MHD_run(daemons[index])
        guard unsafe MHD_get_timeout(daemons[index], &milliseconds) == .YES else {
          isBusy = false
          break
        }
        if milliseconds > 0 {
          deadlines[index] = hm_now() + milliseconds * 1_000_000
          isBusy = false
        }
      }
      // Still busy after so many rounds: let others have their turn, then come back at once.
      if isBusy { deadlines[index] = hm_now() }
    }
  }

  /// Answers a request. Unknown ids are ignored: the client may have left.
  package func reply(to id: RequestID, _ reply: HTTPReply) {
    guard let exchange = exchanges[id], exchange.answer == nil else { return }
    exchange.answer = .whole(reply)
    exchange.wake()
    pump()
  }

  /// Answers a request with a body that grows by `push` until `end`.
  package func openStream(for id: RequestID, contentType: String, headers: [HTTPReplyHeader] = []) {
    guard let exchange = exchanges[id], exchange.answer == nil else { return }
    exchange.answer = .stream(contentType: contentType, headers: headers)
    exchange.wake()
    pump()
  }

  /// Appends to a stream.
  package func push(_ bytes: [UInt8], to id: RequestID) -> Pushed {
    guard let exchange = exchanges[id], exchange.isOpenStream else { return .gone }
    guard exchange.pendingBytes + bytes.count <= settings.streamBytesMax else {
      exchange.isFinished = true
      exchange.wake()
      pump()
      return .overflowed
    }
    exchange.pending.append(contentsOf: bytes)
    exchange.wake()
    pump()
    return .accepted
  }

  /// Ends a stream after what was pushed.
  package func end(_ id: RequestID) {
    guard let exchange = exchanges[id], exchange.isOpenStream else { return }
    exchange.isFinished = true
    exchange.wake()
    pump()
  }

  /// Bytes of a stream that its client has not taken yet.
  package func pendingBytes(of id: RequestID) -> Int { exchanges[id]?.pendingBytes ?? 0 }

  /// Closes everything, listening sockets too. Waiting requests get no answer.
  package func stop() {
    for exchange in exchanges.values {
      exchange.hasLeft = true
      exchange.wake()
    }
    for index in unsafe daemons.indices { unsafe MHD_stop_daemon(daemons[index]) }
    unsafe daemons = []
    deadlines = []
    doorways = []
  }

  private func endDoorways() {
    for index in doorways.indices.reversed() where doorways[index].isEnding {
      for exchange in exchanges.values where exchange.doorway === doorways[index] {
        exchange.hasLeft = true
        exchange.wake()
      }
      unsafe MHD_stop_daemon(daemons[index])
      unsafe daemons.remove(at: index)
      deadlines.remove(at: index)
      doorways.remove(at: index)
    }
  }

  // MARK: Called by the library

  func begin(target: [UInt8], connection: OpaquePointer, doorway: Doorway) -> Exchange {
    lastID += 1
    let exchange = unsafe Exchange(
      id: RequestID(lastID), server: self, doorway: doorway, connection: connection,
      target: target)
    exchanges[exchange.id] = exchange
    return exchange
  }

  func finished(_ exchange: Exchange) {
    exchange.ended()
    exchanges[exchange.id] = nil
    if exchange.wasHandedOut && !exchange.isComplete { clientLeft(exchange.id) }
  }

  private func endLeftClients() {
    var tokens = [UInt64](repeating: 0, count: 32)
    let count = unsafe hm_hub_ready(hub, &tokens, 32)
    for token in tokens.prefix(Int(count)) where token != 0 {
      guard let exchange = exchanges[RequestID(token)] else { continue }
      exchange.stopWatching()
      exchange.hasLeft = true
      exchange.wake()
    }
  }
}
