// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import AgentClient
import CSystemShim
import ControlAPI
import Glibc
import LiveView
import TerminalView

/// Feeds the live view: keys of the terminal, the agent's event stream, answers and time.
///
/// Everything happens on this thread. Questions are asked one after the other on the local socket,
/// where an answer takes milliseconds; one that takes longer than `askSeconds` counts as none.
struct ViewLoop {
  static let askSeconds = 3
  /// Nanoseconds between two attempts to reach the agent.
  static let retryPause: UInt64 = 500_000_000

  private let socket: String
  private var view: LiveView
  private var stream: (connection: Connection, lines: ChunkedLines)?
  private var retryAt: UInt64 = 0
  private var isDone = false

  init(socket: String, list: String?, hasUnicode: Bool) {
    self.socket = socket
    view = LiveView(list: list, client: "tui-\(getpid())", hasUnicode: hasUnicode)
  }

  /// Fails where no agent answers, before the screen is taken over.
  func check() throws(Problem) {
    _ = try Connection(path: socket, timeoutSeconds: Self.askSeconds)
  }

  /// Runs until the person leaves.
  mutating func run(_ terminal: borrowing CursesTerminal) {
    tell(.resized(height: terminal.size.height, width: terminal.size.width))
    while !isDone {
      connect()
      terminal.show(view.draw())
      wait()
      receive()
      while !isDone, let report = terminal.next() {
        switch report {
        case .key(let key): tell(.key(key))
        case .resized: tell(.resized(height: terminal.size.height, width: terminal.size.width))
        }
      }
      tell(.deadline)
    }
  }

  private mutating func tell(_ input: LiveView.Input) {
    for effect in view.handle(input, at: hs_monotonic() / 1_000_000) {
      switch effect {
      case .quit: isDone = true
      // The screen library gives the terminal back in its handler, and takes it again afterwards.
      case .suspend: raise(SIGTSTP)
      case .ask(let form, let purpose): ask(form, purpose)
      }
    }
  }

  /// Asks, and gives the answer to the view.
  private mutating func ask(_ form: RequestForm, _ purpose: LiveView.Purpose) {
    do throws(Problem) {
      let connection = try Connection(path: socket, timeoutSeconds: Self.askSeconds)
      try connection.send(form, [(RequestContext.clientHeader, view.client)])
      let head = try connection.head()
      var body: [UInt8] = []
      try connection.body(head) {
        body += $0
        return true
      }
      tell(.answered(purpose, status: head.status, body: body))
    } catch {
      tell(.unanswered(purpose))
    }
  }

  // MARK: The event stream

  private mutating func connect() {
    guard stream == nil, hs_monotonic() >= retryAt else { return }
    retryAt = hs_monotonic() + Self.retryPause
    do throws(Problem) {
      let connection = try Connection(path: socket, timeoutSeconds: Self.askSeconds)
      try connection.send(
        RequestForm(.events(EventsQuery(hasInitial: false))),
        [("Accept", "application/x-ndjson")])
      guard try connection.head().status == 200 else { return }
      stream = (connection, ChunkedLines())
      tell(.streamUp)
    } catch { return }
  }

  private mutating func receive() {
    guard var stream, Self.isReadable(stream.connection.descriptor) else { return }
    self.stream = nil
    let bytes: [UInt8]?
    do throws(Problem) { bytes = try stream.connection.receive() } catch { bytes = nil }
    guard let bytes else { return tell(.streamDown) }
    for line in stream.lines.take(bytes) { tell(.event(line)) }
    if stream.lines.isEnded { return tell(.streamDown) }
    self.stream = stream
  }

  // MARK: Waiting

  private mutating func wait() {
    var watched = [pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)]
    if let stream {
      watched.append(pollfd(fd: stream.connection.descriptor, events: Int16(POLLIN), revents: 0))
    }
    let now = hs_monotonic()
    var limit = view.nextDeadline.map { $0 * 1_000_000 } ?? now + 60_000_000_000
    if stream == nil { limit = min(limit, retryAt) }
    let milliseconds = limit > now ? min((limit - now) / 1_000_000 + 1, 60_000) : 0
    let count = unsafe poll(&watched, nfds_t(watched.count), Int32(milliseconds))
    // The terminal is gone.
    if count > 0, watched[0].revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 { isDone = true }
  }

  private static func isReadable(_ descriptor: Int32) -> Bool {
    var one = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    return unsafe poll(&one, 1, 0) > 0
  }
}
