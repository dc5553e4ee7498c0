// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import OpenSSLCrypto
import WireCodec
import EventLoop
import HTTPServer
import ListModel
import NodeEngine
import SQLiteStore
import SystemServices

/// Start and stop.
extension AgentLoop {
  /// Everything that can be refused was done before: sockets are bound, the store is open.
  func start(_ opening: AgentOpening) {
    if let signals { _ = watch(signals.fd, [.readable], .signals) }
    _ = watch(http.descriptor, [.readable], .http)
    if let addresses { _ = watch(addresses.fd, [.readable], .addresses) }
    for index in listeners.indices { watchListener(index) }
    // The callbacks run inside `pump`, which only this actor calls.
    http.received = { [unowned self] request in
      assumeIsolated { $0.take(.service(.request(request))) }
    }
    http.clientLeft = { [unowned self] id in
      assumeIsolated { $0.take(.service(.clientLeft(id))) }
    }
    http.refusal = Answer.refusal
    http.bodyLimit = { [unowned self] method, path in
      assumeIsolated { $0.service.bodyLimit(method, path) }
    }
    phase = .running
    hasHooks = HookFolder(options.hooksDirectory).exists
    for input in opening.kept { take(.service(input)) }
    if opening.isSuspect { take(.engine(.identityLost)) }
    if let recoveryKey = opening.recoveryKey {
      take(.engine(.foundSpace(name: Text(options.name), recoveryKey: recoveryKey)))
    }
    take(.engine(.fixedEndpoints(fixedPeers)))
    isPaused = false
    take(.engine(.resume))
    if discovery.isOn { startDiscovery() }
    petWatchdog()
    ServiceManager.ready()
    log(
      .notice, "agent.started",
      [
        "name": options.name, "version": ProductVersion.text, "port": "\(peerPort)",
        "web": webPort.map { "\($0)" } ?? "off", "socket": options.socketPath,
      ])
  }

  /// Runs until stopped; the caller's thread becomes the loop.
  nonisolated func run() {
    executor.run(
      deadline: { self.assumeIsolated { $0.deadline } },
      handle: { event in self.assumeIsolated { $0.event(event) } },
      timer: { self.assumeIsolated { $0.timer() } })
  }

  /// Ends everything in order: clients, links, a checkpoint, the thread.
  func stop(_ why: String) {
    if case .starting(let opening) = phase { start(opening) }
    guard case .running = phase else { return }
    log(.notice, "agent.stopping", ["why": why])
    ServiceManager.stopping()
    phase = .stopping(deadline: Clocks.monotonic() + 10_000_000_000)
    take(.service(.stopping))
    isPaused = true
    take(.engine(.pause))
    stopDiscovery()
    take(.engine(.checkpoint))
    keepRows()
    finishIfQuiet()
  }

  /// Called when a batch is done: nothing is left to wait for.
  func finishIfQuiet() {
    guard case .stopping = phase, batchesInFlight == 0 else { return }
    finishStopping()
  }

  func finishStopping() {
    guard case .stopping = phase else { return }
    phase = .stopped
    http.pump()
    http.clientLeft = { _ in }
    http.received = { _ in }
    http.stop()
    programs.running?.program.kill()
    programs.running = nil
    for link in links.values { link.socket.close() }
    links = [:]
    listeners = []
    log(.notice, "agent.stopped")
    executor.stop()
  }

  /// The port for peers that is bound, also when 0 was asked for.
  var peerPort: UInt16 { listeners.lazy.compactMap(\.listener?.port).first ?? 0 }

  /// What the service may know of the rest.
  var facts: AgentFacts {
    AgentFacts(
      now: now, wall: WallTime(milliseconds: Clocks.wallMilliseconds()),
      started: Moment(nanoseconds: started), version: ProductVersion.text, name: options.name,
      dataDirectory: options.dataDirectory, stateDirectory: options.stateDirectory,
      socketPath: options.socketPath, peerPort: peerPort, webPort: webPort,
      lanPage: lanPage,
      discovery: discovery.health, fixedPeers: fixedPeers, isPaused: isPaused,
      storeTrouble: storeTrouble, links: links.count,
      interfaces: links.compactMapValues(\.interface), applyTimes: applyTimes,
      hasHooks: hasHooks, localMinute: Clocks.localMinute())
  }
}
