// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import EventLoop
import Glibc
import HTTPServer
import LANDiscovery
import ListModel
import NodeEngine
import OpenSSLCrypto
import Roster
import SQLiteStore
import SystemServices
import WireCodec
import ZstdPacking

/// What a loop is made of; everything in it is open and bound.
struct AgentParts {
  let options: AgentOptions
  let log: Log
  let executor: LoopExecutor
  let disk: DiskStore
  let identity: TLSIdentity
  let http: HTTPServer
  let webPort: UInt16?
  /// `nil` where somebody else looks after signals.
  let signals: SignalWatch?
  let addresses: AddressWatch?
  let engine: Engine
  let service: any AgentService
  let listeners: [PeerListener]
  let fixedPeers: [Endpoint]
  let opening: AgentOpening
}

/// What the loop takes in first, once it runs.
struct AgentOpening: Sendable {
  let kept: [ServiceInput]
  /// The data may be a copy: nothing may be written in an old session.
  let isSuspect: Bool
  /// For the space of a first start; `nil` when there is one.
  let recoveryKey: [UInt8]?
}

/// The agent as a process.
package enum Agent {
  /// Runs the agent, or the discovery child or one read from the store if a hidden verb says so.
  ///
  /// - Parameter arguments: Without the program's name.
  /// - Returns: The exit code (`AgentExit`).
  package static func main(_ arguments: [String]) -> Int32 {
    if arguments.first == DiscoveryParent.hiddenVerb { return DiscoveryChild.run(channel: 0) }
    if let status = DeliveryChild.run(arguments) { return status }
    if arguments.first == StoppedRead.verb {
      return StoppedAgent.run(Array(arguments.dropFirst()))
    }
    do throws(StartFailure) {
      try run(AgentOptions(arguments))
      return AgentExit.clean.rawValue
    } catch {
      let place = arguments.contains("debug") ? error.location.map { " (at \($0))" } : nil
      Log.toStandardError("hedge agent: \(error.message)\(place ?? "")\n")
      return error.exit.rawValue
    }
  }

  private static func run(_ options: AgentOptions) throws(StartFailure) {
    _ = umask(0o077)
    let signals = try Self.signals()
    let service = ListAgentService(
      cursor: UInt64(max(Clocks.wallMilliseconds(), 0)), random: KernelRandom())
    let start = try AgentStart(options, service: service, signals: signals)
    start.loop.run()
    start.diskExecutor.stop()
    withExtendedLifetime(start.lock) {}
  }
}

extension Agent {
  /// Before any other thread starts, so that all of them have the signals blocked.
  private static func signals() throws(StartFailure) -> SignalWatch {
    do { return try SignalWatch() } catch { throw StartFailure(error) }
  }
}

/// The steps from flags to a loop that is ready to run. Refusals come before anything is answered.
struct AgentStart {
  let loop: AgentLoop
  let diskExecutor: DiskExecutor
  /// Held as long as the agent runs.
  let lock: DirectoryLock

  init(
    _ options: AgentOptions, service: any AgentService, signals: SignalWatch?,
    log: Log? = nil
  ) throws(StartFailure) {
    let configuration = try Configuration(files: options.configurationFiles)
    let log = log ?? Log(level: options.logLevel)
    let (addresses, executor) = try Self.loopParts()
    let opened = try Self.openStore(options)
    lock = opened.lock
    let (suite, isNewKey) = try Self.deviceKey(options)
    guard let identity = TLSIdentity(suite) else {
      throw StartFailure(.internalError, "OpenSSL refuses our rules for TLS")
    }
    var isSuspect = false
    if case .suspect(let why) = opened.identity {
      isSuspect = true
      log(.warning, "identity.suspect", ["why": why])
    }
    var restored = RestoredState(
      opened.contents, opened.database, isSuspect: isSuspect, crypto: suite, log: log)
    if isNewKey { log(.notice, "device.created", ["device": suite.deviceID.short]) }
    let listeners = try Self.listen(options, log: log)
    var settings = EngineSettings()
    settings.listenPort = listeners.lazy.compactMap(\.listener?.port).first ?? 0
    settings.version = ProductVersion.text
    settings.deviceName = Text(options.name)
    settings.historyDays = configuration.historyDays
    settings.silentDays = configuration.silentDays
    settings.inviteTime = .seconds(UInt64(configuration.inviteMinutes) * 60)
    let engine = Engine(
      settings: settings, crypto: suite, packer: ZstdPacker(), entropy: Entropy(KernelEntropy()),
      restored: restored.engine, wall: WallTime(milliseconds: Clocks.wallMilliseconds()))
    var kept = [
      restored.serviceInput, .restoredEvents(restored.events(opened.database, log)),
    ]
    if restored.isDamaged {
      let copy = Self.keepDamaged(opened, options, log)
      if copy != nil { restored.engine.keepsCheckpoint = false }
      kept.append(.damaged(copy: copy, isNow: true))
    } else if let copy = opened.damagedCopy(dataDirectory: options.dataDirectory) {
      kept.append(.damaged(copy: copy, isNow: false))
    }
    let opening = AgentOpening(
      kept: kept,
      isSuspect: restored.isSuspect,
      recoveryKey: restored.engine.roster == nil ? try Self.recoveryKey(options) : nil)
    diskExecutor = DiskExecutor()
    let http = try Self.serve(options)
    let webPort = try Self.serveWeb(options, http, log: log)
    // SAFETY: this thread becomes the loop's; from here on the disk actor alone uses the database, and
    // the loop alone the other parts.
    nonisolated(unsafe) let database = opened.database
    nonisolated(unsafe) let parts = AgentParts(
      options: options, log: log, executor: executor,
      disk: DiskStore(unsafe database, executor: diskExecutor), identity: identity,
      http: http, webPort: webPort, signals: signals, addresses: addresses, engine: engine,
      service: service, listeners: listeners, fixedPeers: restored.fixedPeers,
      opening: opening)
    loop = unsafe AgentLoop(parts)
  }

  /// Before anything is written over what could not be read: the whole database is copied aside.
  private static func keepDamaged(
    _ opened: OpenedStore, _ options: AgentOptions, _ log: Log
  ) -> String? {
    do {
      let copy = try opened.keepDamaged(dataDirectory: options.dataDirectory)
      log(.warning, "store.copy-kept", ["path": copy])
      return copy
    } catch {
      log(.error, "store.copy-not-kept", ["why": error.message])
      return nil
    }
  }

  private static func loopParts() throws(StartFailure) -> (AddressWatch?, LoopExecutor) {
    do {
      // Without netlink the agent still works: it only notices changes later.
      return (try? AddressWatch(), try LoopExecutor())
    } catch { throw StartFailure(error) }
  }

  /// A reader of the data of a stopped agent holds the lock for a moment.
  private static let lockPatienceMilliseconds = 1_000

  private static func openStore(_ options: AgentOptions) throws(StartFailure) -> OpenedStore {
    do {
      return try OpenedStore.open(
        dataDirectory: options.dataDirectory, stateDirectory: options.stateDirectory,
        token: OpenSSLSuite.randomBytes(16), patienceMilliseconds: lockPatienceMilliseconds)
    } catch { throw StartFailure(error) }
  }

  private static func deviceKey(
    _ options: AgentOptions
  ) throws(StartFailure) -> (suite: OpenSSLSuite, isNew: Bool) {
    do { return try DeviceKeyFile.open(options.stateDirectory + "/device.key") } catch {
      throw StartFailure(error)
    }
  }

  /// The public half of a fresh recovery key. The secret half stays in a file of its own until its
  /// owner has taken it down.
  private static func recoveryKey(_ options: AgentOptions) throws(StartFailure) -> [UInt8] {
    do {
      return try DeviceKeyFile.open(options.stateDirectory + "/recovery.key").suite.publicKey
    } catch { throw StartFailure(error) }
  }

  private static func listen(
    _ options: AgentOptions, log: Log
  ) throws(StartFailure) -> [PeerListener] {
    var port = options.port
    var wanted: [SocketAddress] = [.anyV6(port: port), .anyV4(port: port)]
    if !options.bind.isEmpty {
      wanted = options.bind.compactMap { SocketAddress(host: $0, port: port) }
    }
    var listeners: [PeerListener] = []
    for address in wanted {
      // With port 0 all families share the port that the first one got.
      let here = SocketAddress(ip: address.ip, port: port, scope: address.scope) ?? address
      do {
        let listener = try TCPListener(here)
        port = listener.port
        listeners.append(PeerListener(address: here, listener: listener))
      } catch {
        switch error.code {
        case .inUse, .accessDenied, .notPermitted: throw StartFailure(error, flag: "--port")
        default:
          // An address that is not there yet comes with a network change.
          log(.notice, "listen.later", ["why": "\(error.code.value)"])
          listeners.append(PeerListener(address: here))
        }
      }
    }
    return listeners
  }

  private static func serve(_ options: AgentOptions) throws(StartFailure) -> HTTPServer {
    if let inherited = ServiceManager.inheritedListener {
      guard let http = HTTPServer(), http.serve(listener: inherited) else {
        throw StartFailure(.internalError, "the HTTP server cannot be started")
      }
      return http
    }
    let path = options.socketPath
    do {
      if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
        try DataDirectory.prepare(String(path[..<slash]))
      }
    } catch { throw StartFailure(error) }
    do {
      let listener = try UnixListener.open(path: path)
      guard let http = HTTPServer(), http.serve(listener: listener) else {
        throw StartFailure(.internalError, "the HTTP server cannot be started")
      }
      return http
    } catch let error as SystemError {
      throw StartFailure(error)
    } catch let error as StartFailure {
      throw error
    } catch { throw StartFailure(.internalError, "\(error)") }
  }

  /// Opens the web door on loopback. Where its port is taken and nobody asked for that one, any free
  /// port does: `hedge web` tells it.
  /// - Returns: The port; `nil` where there is no door.
  private static func serveWeb(
    _ options: AgentOptions, _ http: HTTPServer, log: Log
  ) throws(StartFailure) -> UInt16? {
    guard let wanted = options.webPort else { return nil }
    let opened: (fd: Int32, port: UInt16)
    do {
      opened = try PageListener.open(.loopback(port: wanted))
    } catch {
      if options.isWebPortFixed { throw StartFailure(error, flag: "--web-port") }
      do { opened = try PageListener.open(.loopback(port: 0)) } catch {
        log(.warning, "web.off", ["why": "\(error)"])
        return nil
      }
      log(.notice, "web.other-port", ["why": "\(error)"])
    }
    guard http.serve(listener: opened.fd, .web, headers: WebGuard.headers) else {
      throw StartFailure(.internalError, "the HTTP server cannot be started")
    }
    return opened.port
  }
}

/// The kernel's randomness for the engine.
struct KernelEntropy: EntropySource {
  private var kernel = KernelRandom()
  mutating func next() -> UInt64 { kernel.next() }
}
