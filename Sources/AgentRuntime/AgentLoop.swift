// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import LANDiscovery
import WireCodec
import EventLoop
import HTTPServer
import ListModel
import NodeEngine
import OpenSSLCrypto
import SQLiteStore
import SystemServices

/// The agent: one thread on which engine, service, sockets and HTTP take turns.
///
/// Everything that happens becomes an input of the engine or of the service; what they ask for is
/// done in order, in the same turn. The disk is another actor; its answers come back as inputs.
actor AgentLoop {
  nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// What still has to be taken in, in order.
  enum Work {
    case engine(Input)
    case service(ServiceInput)
  }

  enum Phase {
    /// Waits for the first turn of the loop.
    case starting(AgentOpening)
    case running
    /// Links are told goodbye, the last batch and a checkpoint go to disk.
    case stopping(deadline: UInt64)
    case stopped
  }

  let options: AgentOptions
  let log: Log
  let disk: DiskStore
  let identity: TLSIdentity
  let started = Clocks.monotonic()
  let http: HTTPServer
  /// The loopback port of page and API; `nil` where they are off.
  let webPort: UInt16?
  /// The page for other devices, and the port that was asked for while it is wanted.
  var lanPage: LANPage?
  var lanPort: UInt16?
  let signals: SignalWatch?
  let addresses: AddressWatch?

  var engine: Engine
  var service: any AgentService
  var phase: Phase
  private var work: [Work] = []
  private var isWorking = false
  /// What the loop watches, by token.
  var sources: [UInt64: Source] = [:]
  private var lastToken: UInt64 = 0

  // Links.
  var listeners: [PeerListener] = []
  var links: [LinkID: PeerLink] = [:]
  var gate = PreAuthGate()
  var lastAccepted: UInt64 = 0
  var isPaused = true
  /// When to listen again after descriptors ran out, or to bind again.
  var listenAgainAt: UInt64?

  // Disk.
  var batchesInFlight = 0
  var storeTrouble: String?
  var rowsToKeep: [LocalRow] = []
  var eventsToKeep: [EventRow] = []
  var eventsFloor: UInt64?
  var keepAt: UInt64?
  var checkpoints = CheckpointPolicy()

  // The rest.
  var applyTimes = Histogram()
  var serviceDue: Moment?
  var fixedPeers: [Endpoint] = []
  var discovery: DiscoveryParent
  var programs = ProgramQueue()
  var hooks = HookWaiting()
  /// How many batches had been handed to the disk when this engine step began.
  private(set) var stepAfter: UInt64 = 0
  /// Whether there is a folder of hooks; looked for at the start and on reload.
  var hasHooks = false
  var slept = Clocks.slept()
  var watchdogAt: UInt64?
  let watchdogInterval: UInt64?

  enum Source {
    case signals
    case http
    case addresses
    case listener(Int)
    case link(LinkID)
    case discovery
    case program
  }

  init(_ parts: AgentParts) {
    executor = parts.executor
    (options, log, disk, identity) = (parts.options, parts.log, parts.disk, parts.identity)
    (http, webPort) = (parts.http, parts.webPort)
    (signals, addresses) = (parts.signals, parts.addresses)
    (engine, service, listeners) = (parts.engine, parts.service, parts.listeners)
    (fixedPeers, phase) = (parts.fixedPeers, .starting(parts.opening))
    discovery = DiscoveryParent(isOn: parts.options.usesDiscovery)
    watchdogInterval = ServiceManager.watchdogMicroseconds.map { $0 * 1_000 / 2 }
  }

  // MARK: Turns

  /// Takes `item` in, and everything that follows from it.
  func take(_ item: Work) {
    work.append(item)
    guard !isWorking else { return }
    isWorking = true
    var next = 0
    while next < work.count {
      switch work[next] {
      case .engine(let input): stepEngine(input)
      case .service(let input): stepService(input)
      }
      next += 1
    }
    work.removeAll(keepingCapacity: true)
    isWorking = false
  }

  private func stepEngine(_ input: Input) {
    var effects: [Effect] = []
    stepAfter = hooks.batches
    let began = Clocks.monotonic()
    engine.handle(
      input, at: Moment(nanoseconds: began),
      wall: WallTime(milliseconds: Clocks.wallMilliseconds()), into: &effects)
    if case .frame = input,
      effects.contains(where: { if case .changed = $0 { true } else { false } })
    {
      applyTimes.take(Clocks.monotonic() - began)
    }
    for effect in effects { carryOut(effect) }
  }

  func stepService(_ input: ServiceInput) {
    var orders: [ServiceOrder] = []
    service.handle(input, engine: engine, agent: facts, into: &orders)
    for order in orders { carryOut(order) }
  }

  var now: Moment { Moment(nanoseconds: Clocks.monotonic()) }

  // MARK: Events

  func watch(_ fd: Int32, _ interest: Interest, _ source: Source) -> UInt64? {
    lastToken += 1
    do {
      try executor.watch(fd, interest, token: lastToken)
      sources[lastToken] = source
      return lastToken
    } catch {
      log(.warning, "watch.failed", ["why": "\(error)"])
      return nil
    }
  }

  func event(_ event: LoopEvent) {
    switch sources[event.token] {
    case nil: break  // closed earlier in this round
    case .signals: takeSignals()
    case .http: http.pump()
    case .addresses: addressesChanged()
    case .listener(let index): acceptAll(index)
    case .link(let id): linkReady(id, event.ready)
    case .discovery: discoveryReady()
    case .program: programReady()
    }
  }

  /// "6 lists, 2 of 3 peers in step" for `systemctl status`.
  func reportStatus() {
    let peers = engine.peerStatuses(at: now)
    let current = peers.filter { $0.state == .inSync }.count
    let lists = engine.replica.childCount(of: .root)
    ServiceManager.status(
      "\(lists) lists, \(peers.isEmpty ? "no peers" : "\(current) of \(peers.count) peers in step")"
    )
  }

  private func takeSignals() {
    while let request = signals?.next() {
      switch request {
      case .stop: stop("signal")
      case .reload: reload()
      }
    }
  }

  private func addressesChanged() {
    guard let addresses, addresses.drain() else { return }
    log(.debug, "network.changed")
    if listeners.contains(where: { $0.listener == nil }) { listenAgainAt = Clocks.monotonic() }
    discovery.send(.refresh)
    openLANPage()
    take(.engine(.networkChanged))
  }

  func reload() {
    ServiceManager.reloading(monotonicMicroseconds: Clocks.monotonic() / 1_000)
    hasHooks = HookFolder(options.hooksDirectory).exists
    log(.notice, "agent.reloaded")
    take(.engine(.networkChanged))
    ServiceManager.ready()
  }

  // MARK: Time

  /// Monotonic nanoseconds of the next timer.
  var deadline: UInt64? {
    var next = UInt64.max
    func consider(_ moment: UInt64?) { if let moment { next = min(next, moment) } }
    consider(engine.nextDeadline?.nanoseconds)
    consider(http.deadline)
    consider(serviceDue?.nanoseconds)
    consider(listenAgainAt)
    consider(keepAt)
    consider(discovery.restartAt)
    consider(checkpoints.deadline(isBusy: batchesInFlight > 0))
    consider(watchdogAt)
    if let running = programs.running, !running.isLate { consider(running.deadline) }
    switch phase {
    case .starting: return 0
    case .stopping(let deadline): consider(deadline)
    case .running, .stopped: break
    }
    for link in links.values { consider(link.deadline) }
    return next == .max ? nil : next
  }

  func timer() {
    if case .starting(let opening) = phase { return start(opening) }
    let time = Clocks.monotonic()
    noticeSleep()
    if let due = engine.nextDeadline, due.nanoseconds <= time { take(.engine(.deadline)) }
    if let due = http.deadline, due <= time { http.pump() }
    if let due = serviceDue, due.nanoseconds <= time {
      serviceDue = nil
      take(.service(.due))
    }
    if let due = listenAgainAt, due <= time { listenAgain() }
    if let due = keepAt, due <= time { keepRows() }
    if let due = discovery.restartAt, due <= time { startDiscovery() }
    if let due = watchdogAt, due <= time { petWatchdog() }
    endLateLinks(time)
    endLatePrograms(time)
    advanceCheckpoints(time)
    if case .stopping(let deadline) = phase, deadline <= time { finishStopping() }
  }

  /// After a suspend every link is stale: redial at once (catalogue S1, M13).
  private func noticeSleep() {
    let total = Clocks.slept()
    defer { slept = total }
    guard total > slept, total - slept > 2_000_000_000 else { return }
    log(.notice, "machine.woke")
    for id in links.keys.sorted() { dropLink(id) }
    take(.engine(.networkChanged))
  }

  func petWatchdog() {
    guard let watchdogInterval else { return }
    ServiceManager.alive()
    reportStatus()
    watchdogAt = Clocks.monotonic() + watchdogInterval
  }
}
