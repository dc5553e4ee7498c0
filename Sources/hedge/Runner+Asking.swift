// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import AgentClient
import CommandLineUI
import ControlAPI
import Glibc
import ListModel

/// Asks the agent, or the store of one that has stopped, and writes down what it says.
extension Runner {
  func headers() throws(Problem) -> [(String, String)] {
    var out = [(Display.headerName, display.header)]
    if let terminal = try Terminal.name() {
      out.append((RequestContext.terminalHeader, terminal))
    }
    if let list = Terminal.variable("HEDGE_LIST"),
      list.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    {
      out.append((RequestContext.listHeader, list))
    }
    let client = try Terminal.headerVariable("HEDGE_CLIENT") ?? "hedge"
    out.append((RequestContext.clientHeader, client))
    return out
  }

  func connect() throws(Problem) -> Connection {
    try Connection(path: Programs.socket(options), timeoutSeconds: options.timeoutSeconds)
  }

  /// Asks and copies the answer out; returns the exit code.
  func ask(_ request: Request) throws(Problem) -> Int {
    let answer = try answer(request)
    Output.write(answer.out, to: STDOUT_FILENO)
    Output.write(answer.err, to: STDERR_FILENO)
    return answer.exit
  }

  /// Asks for rows. Where a column of dates or moments refuses a word such as `today`, it is told what
  /// the word means here: a moment to those of moments, a date to the others.
  func items(_ query: ItemsQuery) throws(Problem) -> Int {
    let first = try answer(.items(query))
    var answer = first
    if first.exit == ExitCode.usage {
      for explained in TimeWords.explained(query, Terminal.calendar) {
        answer = try self.answer(.items(explained))
        if answer.exit != ExitCode.usage { break }
      }
      if answer.exit == ExitCode.usage { answer = first }
    }
    Output.write(answer.out, to: STDOUT_FILENO)
    Output.write(answer.err, to: STDERR_FILENO)
    return answer.exit
  }

  struct Answer {
    var out: [UInt8]
    var err: [UInt8]
    var exit: Int
    var head: Connection.Head
  }

  func answer(_ request: Request) throws(Problem) -> Answer {
    do throws(Problem) { return try answer(request, by: try connect()) } catch {
      guard Self.mayHaveStopped(error), StoppedRead.answers(request),
        Programs.placesData(options)
      else { throw error }
    }
    return try stoppedAnswer(request)
  }

  func answer(
    _ request: Request, by connection: Connection
  ) throws(Problem) -> Answer {
    try connection.send(RequestForm(request.explained), try headers())
    return try received(connection)
  }

  func received(_ connection: Connection) throws(Problem) -> Answer {
    let head = try connection.head()
    var body: [UInt8] = []
    try connection.body(head) {
      body += $0
      return true
    }
    let exit = head.value(RequestContext.exitHeader).flatMap { Int($0) }
    let out = head.value(RequestContext.outHeader).flatMap { Int($0) } ?? 0
    guard let exit else { return try unexpected(head, body) }
    return Answer(
      out: Array(body.prefix(out)), err: Array(body.dropFirst(out)), exit: exit, head: head)
  }

  /// Nobody listens, or the answer broke off because the agent ended meanwhile.
  private static func mayHaveStopped(_ problem: Problem) -> Bool {
    problem.kind == .unreachable || problem.kind == .failed
  }

  private static let startTries = 50
  /// The agent gives itself 10 s to end in order.
  static let stopTries = 600
  static let startPauseMicroseconds: UInt32 = 20_000

  /// Nobody listens: `hedged` looks into the store itself.
  private func stoppedAnswer(_ request: Request) throws(Problem) -> Answer {
    var words = [
      "hedged", StoppedRead.verb, RequestForm(request).target, display.header,
      try Terminal.name() ?? "",
    ]
    if let data = options.data { words += ["--data", data] }
    let (status, out) = try Child.run(try Programs.path("hedged"), words)
    guard status == StoppedRead.heldExit else {
      return Answer(out: out, err: [], exit: Int(status), head: Connection.Head())
    }
    // An agent that starts holds the data a moment before it listens.
    for _ in 0..<Self.startTries {
      do throws(Problem) { return try answer(request, by: try connect()) } catch {
        guard Self.mayHaveStopped(error) else { throw error }
      }
      usleep(Self.startPauseMicroseconds)
    }
    let pid = out.isEmpty ? "" : " (pid \(String(decoding: out, as: UTF8.self)))"
    throw Problem(
      .unreachable, "the agent\(pid) does not answer",
      detail: "it holds the data; see its log, then try again")
  }

  /// An answer that does not come from the service itself, such as a refusal by the HTTP server.
  private func unexpected(_ head: Connection.Head, _ body: [UInt8]) throws(Problem) -> Answer {
    if head.status == 413 {
      throw Problem(.tooLarge, "that is more than the agent takes at once", detail: "split it")
    }
    if head.status == 403 {
      throw Problem(.notAllowed, "the agent belongs to another user")
    }
    throw Problem(
      .failed, "the agent answered \(head.status)",
      detail: String(decoding: body.prefix(200), as: UTF8.self))
  }

  func stream(_ request: Request) throws(Problem) -> Int {
    let connection = try connect()
    let accept = ("Accept", "application/x-ndjson")
    try connection.send(RequestForm(request), try headers() + [accept])
    let head = try connection.head()
    guard head.status == 200 else {
      var body: [UInt8] = []
      try connection.body(head) {
        body += $0
        return true
      }
      Output.write(body, to: STDERR_FILENO)
      return head.value(RequestContext.exitHeader).flatMap { Int($0) } ?? ExitCode.failed
    }
    try connection.body(head) {
      Output.write($0, to: STDOUT_FILENO)
      return true
    }
    return 0
  }
}

extension Request {
  /// The same request with words for days and times explained, as this machine means them.
  fileprivate var explained: Request {
    guard case .transact(var transaction) = self else { return self }
    transaction.ops = transaction.ops.map { TimeWords.explained($0, Terminal.calendar) }
    return .transact(transaction)
  }
}
