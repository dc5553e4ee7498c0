// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec
import SystemServices
import EventLoop
import NodeEngine
import OpenSSLCrypto
import Roster

/// A port for peers; `listener` is `nil` while its address cannot be bound (catalogue S10).
struct PeerListener {
  var address: SocketAddress
  var listener: TCPListener?
  var token: UInt64?
}

/// TCP and TLS under the engine's links.
extension AgentLoop {
  // MARK: Accepting

  func watchListener(_ index: Int) {
    guard let listener = listeners[index].listener else { return }
    listeners[index].token = watch(listener.fd, [.readable], .listener(index))
  }

  func acceptAll(_ index: Int) {
    guard let listener = listeners[index].listener else { return }
    for _ in 0..<16 {
      switch listener.accept(pendingBytesMax: PeerLink.pendingBytesMax) {
      case .nothing: return
      case .exhausted:
        // Without descriptors the listener would report for ever: look away for a second.
        log(.warning, "accept.exhausted")
        executor.unwatch(listener.fd)
        if let token = listeners[index].token { sources[token] = nil }
        listeners[index].token = nil
        listenAgainAt = Clocks.monotonic() + 1_000_000_000
        return
      case .connection(let socket, let from): accepted(socket, from)
      }
    }
  }

  /// Binds and watches again what is neither.
  func listenAgain() {
    listenAgainAt = nil
    for index in listeners.indices where listeners[index].token == nil {
      if listeners[index].listener == nil {
        listeners[index].listener = try? TCPListener(listeners[index].address)  // not yet
      }
      watchListener(index)
    }
  }

  private func accepted(_ socket: StreamSocket, _ from: SocketAddress) {
    guard case .running = phase, !isPaused, let remote = Endpoint(from),
      gate.admit(remote.address, isMembers: isMembersAddress(remote.address))
    else {
      log(.debug, "link.refused-before-handshake")
      return socket.close()
    }
    let tls = TLSSession(
      .server, identity: identity, protocols: engine.hearsGuests ? [.link, .pairing] : [.link],
      accept: { [unowned self] key, kind in
        assumeIsolated { kind == .pairing ? $0.engine.hearsGuests : $0.isMember(key) }
      })
    lastAccepted += 1
    let id = LinkID(.accepted, lastAccepted)
    let limit = Clocks.monotonic() + PreAuthGate.handshakeNanoseconds
    guard let tls, let token = watch(socket.fd, [.readable], .link(id)) else {
      gate.release(remote.address)
      return socket.close()
    }
    let link = PeerLink(
      id: id, token: token, socket: socket, remote: remote, tls: tls, phase: .shaking,
      deadline: limit, holdsSlot: true)
    link.watched = [.readable]
    socket.tune(userTimeoutMilliseconds: Self.userTimeoutMilliseconds)
    links[id] = link
  }

  private static var userTimeoutMilliseconds: UInt32 { 45_000 }

  private func isMember(_ key: [UInt8]) -> Bool { engine.accepts(publicKey: key) }

  /// Addresses where a member was once reached have a reserve of slots.
  private func isMembersAddress(_ address: [UInt8]) -> Bool {
    engine.peerStatuses(at: now).contains { $0.endpoint?.address == address }
  }

  // MARK: Dialling

  func dial(_ id: LinkID, _ endpoint: Endpoint, _ purpose: LinkPurpose) {
    guard let address = SocketAddress(endpoint),
      let socket = try? StreamSocket.dial(  // no route, no descriptors: as good as unreachable
        address, pendingBytesMax: PeerLink.pendingBytesMax),
      let tls = TLSSession(
        .client, identity: identity, protocols: [purpose == .pairing ? .pairing : .link],
        accept: { [unowned self] key, _ in
          assumeIsolated { purpose == .pairing || $0.isMember(key) }
        }),
      let token = watch(socket.fd, [.writable], .link(id))
    else { return take(.engine(.dialFailed(id, .unreachable))) }
    // The engine limits how long a dial may take; this is the net below it.
    let limit = Clocks.monotonic() + 30_000_000_000
    let link = PeerLink(
      id: id, token: token, socket: socket, remote: endpoint, tls: tls, phase: .connecting,
      deadline: limit, holdsSlot: false)
    link.watched = [.writable]
    links[id] = link
  }

  private func connected(_ link: PeerLink) {
    guard link.socket.connectFailure == nil else { return lost(link) }
    link.socket.tune(userTimeoutMilliseconds: Self.userTimeoutMilliseconds)
    link.phase = .shaking
    took(link.tls.start(), link)
  }

  // MARK: Bytes

  func linkReady(_ id: LinkID, _ ready: Interest) {
    guard let link = links[id] else { return }
    if case .connecting = link.phase {
      return ready.isDisjoint(with: [.writable, .failed, .hungUp]) ? () : connected(link)
    }
    if ready.contains(.writable), link.socket.flush() != .accepted { return lost(link) }
    if !ready.isDisjoint(with: [.readable, .hungUp, .failed]) { receive(link) }
    settle(id)
  }

  private func receive(_ link: PeerLink) {
    // Some rounds at most, so that one fast peer does not keep the others waiting.
    for _ in 0..<8 {
      var bytes: [UInt8] = []
      switch link.socket.receive(into: &bytes, room: 64 * 1024) {
      case .nothingYet: return
      case .ended: return lost(link)
      case .bytes(let count):
        link.counted(received: count)
        if case .shaking = link.phase, link.holdsSlot {
          link.bytesBeforeAuth += count
          guard link.bytesBeforeAuth <= PreAuthGate.bytesMax else { return lost(link) }
        }
        took(link.tls.receive(bytes), link)
        guard links[link.id] === link else { return }
        if count < 64 * 1024 { return }
      }
    }
  }

  private func took(_ events: [TLSSession.Event], _ link: PeerLink) {
    for event in events {
      guard links[link.id] === link else { return }
      switch event {
      case .established(let key, let kind): established(link, key, kind)
      case .plaintext(let bytes): plaintext(bytes, link)
      case .closed: return lost(link)
      case .failed:
        _ = link.pushOut()  // the alert says why
        return lost(link)
      }
    }
    if links[link.id] === link, !link.pushOut() { lost(link) }
  }

  private func established(_ link: PeerLink, _ key: [UInt8], _ kind: LinkProtocol) {
    if link.holdsSlot {
      gate.release(link.remote.address)
      link.holdsSlot = false
    }
    // The roster may have changed during the handshake.
    if kind == .link && !isMember(key) { return lost(link) }
    link.phase = .up
    link.deadline = nil
    link.interface = link.socket.interfaceName
    if link.id.role == .accepted { _ = link.tls.send(FrameAssembler.welcome) }
    log(.debug, "link.up", ["role": "\(link.id.role)", "at": "\(link.remote.text)"])
    switch kind {
    case .link: take(.engine(.linkUp(link.id, peerKey: key, from: link.remote)))
    case .pairing:
      guard
        let exporter = link.tls.exporter(
          label: PairingProof.exporterLabel, count: PairingProof.exporterBytes)
      else { return lost(link) }
      take(
        .engine(.pairingLinkUp(link.id, peerKey: key, exporter: exporter, from: link.remote)))
    }
  }

  private func plaintext(_ bytes: [UInt8], _ link: PeerLink) {
    guard case .up = link.phase else { return }
    var frames: [[UInt8]] = []
    let isSound = link.assembler.receive(bytes, into: &frames)
    for frame in frames {
      guard links[link.id] === link, case .up = link.phase else { return }
      take(.engine(.frame(frame, link.id)))
    }
    if !isSound, links[link.id] === link { lost(link) }
  }

  // MARK: What the engine asks for

  func send(_ frame: [UInt8], _ id: LinkID) {
    guard let link = links[id], case .up = link.phase else { return }
    guard link.tls.send(FrameAssembler.framed(frame)), link.pushOut() else { return lost(link) }
    settle(id)
  }

  /// Ends a link after what was sent on it.
  func closeLink(_ id: LinkID, _ reason: CloseReason) {
    guard let link = links[id] else { return }
    log(.debug, "link.closed", ["why": "\(reason)"])
    link.tls.close()
    guard link.pushOut(), link.socket.pendingBytes > 0 else { return remove(link) }
    link.phase = .closing
    link.deadline = Clocks.monotonic() + PeerLink.closingNanoseconds
    settle(id)
  }

  /// Watches for what the link waits for now.
  private func settle(_ id: LinkID) {
    guard let link = links[id] else { return }
    if case .closing = link.phase, link.socket.pendingBytes == 0 { return remove(link) }
    let interest = link.socket.interest
    guard interest != link.watched else { return }
    executor.change(link.socket.fd, interest, token: link.token)
    link.watched = interest
  }

  // MARK: Ends

  /// The connection is gone: the engine hears of it unless it asked for it.
  private func lost(_ link: PeerLink) {
    guard links[link.id] === link else { return }
    remove(link)
    switch link.phase {
    case .up: take(.engine(.linkDown(link.id)))
    case .connecting: take(.engine(.dialFailed(link.id, .unreachable)))
    case .shaking:
      // Accepted links that never were up are nothing the engine knows of.
      if link.id.role == .dialled { take(.engine(.dialFailed(link.id, .refused))) }
    case .closing: break
    }
  }

  private func remove(_ link: PeerLink) {
    if link.holdsSlot { gate.release(link.remote.address) }
    executor.unwatch(link.socket.fd)
    sources[link.token] = nil
    links[link.id] = nil
    link.socket.close()
  }

  func dropLink(_ id: LinkID) {
    if let link = links[id] { lost(link) }
  }

  func endLateLinks(_ time: UInt64) {
    for link in links.values.filter({ $0.deadline.map { $0 <= time } ?? false }) { lost(link) }
  }
}

extension Endpoint {
  init?(_ address: SocketAddress) {
    self.init(address: address.ip, port: address.port, scope: address.scope)
  }

  /// For people who asked for addresses and for the log at level debug.
  var text: String { SocketAddress(self)?.description ?? "?" }
}

extension SocketAddress {
  init?(_ endpoint: Endpoint) {
    self.init(ip: endpoint.address, port: endpoint.port, scope: endpoint.scope)
  }
}
