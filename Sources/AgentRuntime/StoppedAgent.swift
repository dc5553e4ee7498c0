// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import EventLoop
import Glibc
import HTTPServer
import ListModel
import NodeEngine
import OpenSSLCrypto
import SQLiteStore
import SystemServices
import WireCodec
import ZstdPacking

/// Answers one read from the store of an agent that does not run.
///
/// The data lock is taken, the file opened for reading; nothing is written, moved, made or remembered.
enum StoppedAgent {
  /// - Parameter arguments: As `StoppedRead.verb` says, without that verb.
  /// - Returns: The exit code of `hedge`; reply and problems went to standard output and error.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count >= 3 else { return Int32(ExitCode.usage) }
    let display = Display(header: arguments[1])
    let problem: Problem
    do {
      return try answer(
        arguments[0], display, terminal: arguments[2], flags: Array(arguments.dropFirst(3)))
    } catch let held as Held {
      write(Array((held.pid.map(String.init) ?? "").utf8), to: STDOUT_FILENO)
      return Int32(StoppedRead.heldExit)
    } catch {
      let sentence = (error as? StoreError)?.sentence
      problem = error as? Problem ?? Problem(.failed, sentence ?? "\(error)")
    }
    let rendered = Renderer(display, now: 0).render(problem)
    write(rendered.err, to: STDERR_FILENO)
    return Int32(rendered.exit)
  }

  /// Somebody has the lock.
  private struct Held: Error {
    let pid: Int32?
  }

  private static func answer(
    _ target: String, _ display: Display, terminal: String, flags: [String]
  ) throws -> Int32 {
    let options = try Self.options(flags)
    guard
      var request = HTTPRequest(
        id: RequestID(1), get: target, headers: [.display: display.header],
        door: .local(user: geteuid()))
    else { throw Problem(.malformed, "the question is too long, or no question") }
    if !terminal.isEmpty { request.headers[.terminal] = terminal }
    request.headers[.list] = AgentOptions.fromProcess("HEDGE_LIST")
    let (lock, database) = try open(options)
    let reply = try ask(request, database, options)
    withExtendedLifetime(lock) {}
    let exit = value(RequestContext.exitHeader, of: reply) ?? ExitCode.failed
    let outCount = value(RequestContext.outHeader, of: reply) ?? 0
    if !display.isQuiet && (exit == 0 || !display.isJSON) {
      write(Array(note(options.dataDirectory).utf8), to: STDERR_FILENO)
    }
    write(Array(reply.body.prefix(outCount)), to: STDOUT_FILENO)
    write(Array(reply.body.dropFirst(outCount)), to: STDERR_FILENO)
    return Int32(exit)
  }

  private static func options(_ flags: [String]) throws(Problem) -> AgentOptions {
    do { return try AgentOptions(flags) } catch { throw Problem(.usage, error.message) }
  }

  private static func open(
    _ options: AgentOptions
  ) throws -> (DirectoryLock, Database) {
    let path = options.dataDirectory + "/" + Database.fileName
    guard !DataDirectory.fileIdentity(path).isEmpty else {
      throw Problem(
        .unreachable, "the agent is not running",
        detail: "start it: hedge agent run; all commands: hedge help")
    }
    do {
      return try OpenedStore.openForReading(dataDirectory: options.dataDirectory)
    } catch {
      if case .locked(let pid) = error.code { throw Held(pid: pid) }
      throw Problem(.storage, error.message)
    }
  }

  /// One turn of the service over the restored state, without a loop.
  private static func ask(
    _ request: HTTPRequest, _ database: Database, _ options: AgentOptions
  ) throws(Problem) -> HTTPReply {
    let log = Log(level: .error)
    let suite: OpenSSLSuite
    let contents: StoreContents
    do {
      suite = try DeviceKeyFile.read(options.stateDirectory + "/device.key")
    } catch { throw Problem(.storage, error.message) }
    do { contents = try database.contents() } catch { throw Problem(.storage, error.message) }
    let restored = RestoredState(contents, database, isSuspect: false, crypto: suite, log: log)
    let wall = WallTime(milliseconds: Clocks.wallMilliseconds())
    let engine = Engine(
      settings: EngineSettings(), crypto: suite, packer: ZstdPacker(),
      entropy: Entropy(KernelEntropy()), restored: restored.engine, wall: wall)
    let facts = AgentFacts(stopped: options, wall: wall, fixedPeers: restored.fixedPeers)
    var service = ListAgentService(cursor: contents.lastCursor, random: KernelRandom())
    var orders: [ServiceOrder] = []
    service.handle(restored.serviceInput, engine: engine, agent: facts, into: &orders)
    service.handle(.request(request), engine: engine, agent: facts, into: &orders)
    if case .measureStore(let token)? = orders.last {
      do {
        let sizes = try database.sizes()
        service.handle(
          .storeMeasured(token: token, sizes), engine: engine, agent: facts, into: &orders)
      } catch { throw Problem(.storage, error.message) }
    }
    while case .readChanges(let token, let before, let limit)? = orders.last {
      do {
        let page = try database.newestChanges(before: before, limit: limit)
        service.handle(
          .changesRead(token: token, page), engine: engine, agent: facts, into: &orders)
      } catch { throw Problem(.storage, error.message) }
    }
    for case .reply(_, let reply) in orders { return reply }
    throw Problem(.unreachable, "the agent is not running", detail: "start it: hedge agent run")
  }

  // MARK: Printing

  /// "agent not running, data as of 14:02": when the store was written last.
  private static func note(_ directory: String) -> String {
    let path = directory + "/" + Database.fileName
    let newest = [path, path + "-wal"].compactMap(DataDirectory.modified).max() ?? 0
    var now = time(nil)
    var local = unsafe tm()
    let offset = unsafe localtime_r(&now, &local) == nil ? 0 : unsafe local.tm_gmtoff / 60
    let written = CivilTime.localDateAndClock(newest * 1000, offsetMinutes: offset)
    let today = CivilTime.localDateAndClock(Int64(now) * 1000, offsetMinutes: offset).prefix(10)
    let shown = written.hasPrefix(today) ? String(written.dropFirst(11)) : written
    return "hedge: agent not running, data as of \(shown)\n"
  }

  private static func value(_ name: String, of reply: HTTPReply) -> Int? {
    reply.headers.first { $0.name == name }.flatMap { Int($0.value) }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var at = 0
    while at < bytes.count {
      let count = unsafe bytes[at...].withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return }
      at += count
    }
  }
}

extension AgentFacts {
  /// Of an agent that does not run.
  fileprivate init(stopped options: AgentOptions, wall: WallTime, fixedPeers: [Endpoint]) {
    self.init(
      now: Moment(nanoseconds: Clocks.monotonic()), wall: wall, started: nil,
      version: ProductVersion.text, name: options.name, dataDirectory: options.dataDirectory,
      stateDirectory: options.stateDirectory, socketPath: options.socketPath, peerPort: 0,
      webPort: nil, discovery: .off, fixedPeers: fixedPeers, isPaused: false, storeTrouble: nil,
      links: 0)
  }
}
