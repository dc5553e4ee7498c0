// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import Foundation
import Glibc
import HTTPServer
import ListModel
import NodeEngine
import SQLiteStore
import SystemServices
import WireCodec

@testable import AgentRuntime

/// A service that notes what it is told and does nothing by itself.
struct ProbeService: AgentService {
  struct Notes {
    var pairing: [PairingEvent] = []
    var edited: [EditResult] = []
    var changed: [ReplicaEvent] = []
  }

  static let keptKinds = ["probe"]
  let notes = Locked(Notes())

  func bodyLimit(_ method: HTTPMethod, _ path: [String]) -> Int { 0 }

  mutating func handle(
    _ input: ServiceInput, engine: borrowing Engine, agent: AgentFacts,
    into orders: inout [ServiceOrder]
  ) {
    notes.withLock { notes in
      switch input {
      case .pairing(let event): notes.pairing.append(event)
      case .edited(_, let result): notes.edited.append(result)
      case .changed(let events, _): notes.changed.append(contentsOf: events)
      default: break
      }
    }
    if case .request(let request) = input { orders.append(.reply(request.id, .text(200, "ok"))) }
  }
}

/// A whole agent on a thread of this process: loopback, a directory of its own, no mDNS.
final class ProbeAgent: Sendable {
  /// Until it has stopped: whoever holds the loop holds the database and its lock.
  var loop: AgentLoop { held.withLock { $0 }! }  // no test asks a stopped agent
  private let held: Locked<AgentLoop?>
  let notes: Locked<ProbeService.Notes>
  let directory: Directory
  private let hasEnded = Locked(false)

  /// - Parameter directory: Of an earlier agent, to start again on its data.
  init(_ name: String, directory: Directory = Directory()) throws {
    self.directory = directory
    let options = try AgentOptions([
      "--name", name, "--data", directory.path, "--port", "0", "--bind", "127.0.0.1",
      "--no-discovery",
    ])
    let service = ProbeService()
    notes = service.notes
    let start = try AgentStart(
      options, service: service, signals: nil, log: Log(level: .error, isJournal: false))
    held = Locked(start.loop)
    let box = unsafe Unmanaged.passRetained(Running(start, hasEnded))
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread, nil,
      { raw in
        // The pointer is the retained box that `init` passed.
        unsafe Unmanaged<Running>.fromOpaque(raw!).takeRetainedValue().run()
        return nil
      }, unsafe box.toOpaque())
    precondition(result == 0)
    pthread_detach(thread)
  }

  private final class Running {
    var start: AgentStart?
    let hasEnded: Locked<Bool>
    init(_ start: AgentStart, _ hasEnded: Locked<Bool>) {
      (self.start, self.hasEnded) = (start, hasEnded)
    }
    func run() {
      start?.loop.run()
      start?.diskExecutor.stop()
      start = nil
      hasEnded.withLock { $0 = true }
    }
  }

  /// A fresh directory, gone with the last agent that holds it.
  final class Directory: Sendable {
    let path: String

    init() {
      var template = Array("/tmp/hedgerow-agent-XXXXXX".utf8CString)
      path = unsafe String(cString: mkdtemp(&template))
    }

    deinit {
      try? FileManager.default.removeItem(atPath: path)  // a leftover in the temporary directory
    }
  }

  func order(_ order: ServiceOrder) async { await loop.carryOut(order) }

  /// Stops it and waits until the loop has ended.
  func stop() async -> Bool {
    await loop.stop("test")
    // Not asked of the loop, which answers nobody once it has ended.
    let isOver = await eventually { hasEnded.withLock { $0 } }
    held.withLock { $0 = nil }
    return isOver
  }

  func endpoint() async -> Endpoint? {
    Endpoint(address: [127, 0, 0, 1], port: await loop.peerPort)
  }
}

/// Asks `condition` until it holds or ten seconds have passed.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
  let end = Clocks.monotonic() + 10_000_000_000
  while Clocks.monotonic() < end {
    if try await condition() { return true }
    // Gives the other threads their turn; the condition decides, not the time.
    _ = poll(nil, 0, 1)
  }
  return false
}
