// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import AgentClient
import CommandLineUI
import ControlAPI
import Glibc
import ListModel

/// Commands that take more than one step: a question first, a second request, files, a wait.
extension Runner {
  /// So many items are removed without asking.
  private static let unaskedMax = 10

  func counted(_ op: ItemOp, _ question: String) throws(Problem) -> Int {
    if !options.saysYes {
      let plan = try answer(.transact(Transaction([op], isDryRun: true)))
      guard plan.exit == 0 else {
        Output.write(plan.err, to: STDERR_FILENO)
        return plan.exit
      }
      let count = plan.head.value(RequestContext.changedHeader).flatMap { Int($0) } ?? 0
      if count > Self.unaskedMax { try confirm("\(question) \(count) items?") }
    }
    return try ask(.transact(Transaction([op])))
  }

  /// After so long without an answer `wait` says whom it waits for.
  private static let silentMilliseconds = 1_000

  func wait(_ request: WaitRequest) throws(Problem) -> Int {
    let connection = try connect()
    try connection.send(RequestForm(.wait(request)), try headers())
    let limit = options.timeoutSeconds.map { $0 * 1_000 }
    let silent = min(Self.silentMilliseconds, (limit ?? .max) / 2)
    let isThere = connection.hasAnswer(within: silent)
    if let limit { connection.limit(milliseconds: limit - silent) }
    if !isThere, !options.isQuiet, !display.isJSON {
      var plain = options
      plain.isPlain = true
      var wanted: String?
      if case .peer(let name) = request.whom { wanted = name }
      let peers = try Runner(plain).answer(.peers(name: wanted))
      let behind = Phrases.behind(peers.out)
      if !behind.isEmpty {
        Output.write(Array("hedge: waiting for \(behind)\n".utf8), to: STDERR_FILENO)
      }
    }
    let answer = try received(connection)
    Output.write(answer.out, to: STDOUT_FILENO)
    Output.write(answer.err, to: STDERR_FILENO)
    return answer.exit
  }

  /// Writes the manual pages into a folder.
  func manual(_ folder: String) throws(Problem) -> Int {
    try Files.makeFolders(folder)
    let pages = ManualPage.all(date: Terminal.longDate())
    for page in pages { try Files.replace("\(folder)/\(page.fileName)", Array(page.source.utf8)) }
    if !options.isQuiet {
      Output.write(Array("\(pages.count) manual pages in \(folder)\n".utf8), to: STDOUT_FILENO)
    }
    return 0
  }

  func revoke(_ peer: String, isDryRun: Bool) throws(Problem) -> Int {
    if isDryRun { return try ask(.changeMember(.remove(peer: peer, isDryRun: true))) }
    if !options.saysYes {
      let plan = try answer(.changeMember(.remove(peer: peer, isDryRun: true)))
      guard plan.exit == 0 else {
        Output.write(plan.err, to: STDERR_FILENO)
        return plan.exit
      }
      try confirm("remove \(peer) from the space for good? It keeps what it has received.")
    }
    return try ask(.changeMember(.remove(peer: peer)))
  }

  func drop(_ list: ListSelector) throws(Problem) -> Int {
    if options.saysYes { return try ask(.transact(Transaction([.drop(list, name: nil)]))) }
    // What cannot be dropped needs no answer.
    let plan = try answer(.transact(Transaction([.drop(list, name: nil)], isDryRun: true)))
    guard plan.exit == 0 else {
      Output.write(plan.err, to: STDERR_FILENO)
      return plan.exit
    }
    guard Terminal.canAsk, !options.hasNoInput else {
      throw Problem(
        .needsAnswer, "remove the list \(list.spelling)?",
        detail: "add --yes to do it without asking")
    }
    let typed = Terminal.ask("type the name of the list to remove it: ") ?? ""
    guard !typed.isEmpty else { throw Problem(.declined, "nothing was done") }
    return try ask(.transact(Transaction([.drop(list, name: typed)])))
  }

  func liveViewArguments(_ list: ListSelector?) -> [String] {
    var out = ["--socket", Programs.socket(options)]
    if let list { out += ["--list", String(list.spelling.dropFirst())] }
    if !display.hasUnicode { out.append("--ascii") }
    if !display.hasColor { out.append("--no-color") }
    return out
  }

  /// Stops the agent and waits until its process has ended: then nobody holds the data.
  func stopAgent() throws(Problem) -> Int {
    var quiet = options
    quiet.json = Display.jsonVersion
    let status = String(
      decoding: try Runner(quiet).answer(.agentStatus).out, as: UTF8.self)
    let code = try ask(.stopAgent)
    guard code == 0, let at = status.range(after: "\"pid\":"),
      let pid = Int(status[at...].prefix { $0.isNumber })
    else { return code }
    for _ in 0..<Self.stopTries {
      // A dead process stays in the table until its parent looks.
      guard let stat = try? Files.read("/proc/\(pid)/stat"),
        String(decoding: stat, as: UTF8.self).range(after: ") Z") == nil
      else { return 0 }
      usleep(Self.startPauseMicroseconds)
    }
    throw Problem(.timeout, "the agent (pid \(pid)) is still there", detail: "see its log")
  }

  func confirm(_ question: String) throws(Problem) {
    if options.saysYes { return }
    guard Terminal.canAsk, !options.hasNoInput else {
      throw Problem(.needsAnswer, question, detail: "add --yes to do it without asking")
    }
    let answer = Terminal.ask("\(question) [y/N] ")?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else {
      throw Problem(.declined, "nothing was done")
    }
  }

  func inputSelectors() throws(Problem) -> [ItemSelector] {
    var out: [ItemSelector] = []
    let text = String(decoding: Terminal.input(), as: UTF8.self)
    for line in text.split(whereSeparator: \.isNewline) {
      // The first field of the pipe form of `ls` is the handle.
      guard let word = line.split(separator: "\t").first else { continue }
      out.append(try ItemSelector(parsing: String(word)))
    }
    guard !out.isEmpty else { throw Problem(.usage, "no items came in on standard input") }
    return out
  }

  func invite(_ request: InviteRequest) throws(Problem) -> Int {
    let answer = try answer(.invite(request))
    Output.write(answer.out, to: STDOUT_FILENO)
    Output.write(answer.err, to: STDERR_FILENO)
    guard answer.exit == 0, !options.hasNoInput,
      let name = answer.head.value(RequestContext.inviteHeader)
    else { return answer.exit }
    return try ask(.awaitJoiner(invite: name))
  }

  func join(_ code: String?, _ address: String?) throws(Problem) -> Int {
    var code = code
    if code == nil {
      if Terminal.canAsk && !options.hasNoInput {
        code = Terminal.ask("code: ")
      } else if isatty(STDIN_FILENO) == 0 {
        code = readLine()
      }
    }
    guard let code, !code.isEmpty else {
      throw Problem(
        .needsAnswer, "the code is missing", detail: "hedge join CODE, or on standard input")
    }
    return try ask(.join(JoinRequest(code: code, address: address)))
  }

  func export(_ request: ExportRequest, _ output: String?) throws(Problem) -> Int {
    guard let output, output != "-" else { return try ask(.export(request)) }
    let answer = try answer(.export(request))
    Output.write(answer.err, to: STDERR_FILENO)
    if answer.exit == 0 { try Files.replace(output, answer.out) }
    return answer.exit
  }

  func web(isOpened: Bool, hasQR: Bool) throws(Problem) -> Int {
    guard isOpened else { return try ask(.web(.link(hasQR: hasQR))) }
    var plain = options
    (plain.json, plain.isPlain) = (nil, true)
    let answer = try Runner(plain).answer(.web(.link(hasQR: false)))
    guard answer.exit == 0, let line = answer.out.split(separator: 10).first else {
      Output.write(answer.err, to: STDERR_FILENO)
      return answer.exit
    }
    try Programs.openPage(String(decoding: line, as: UTF8.self))
    return 0
  }

  /// The version of this program, and of the agent where one runs.
  func version() throws(Problem) -> Int {
    let own = Renderer(display, now: 0).render(
      .version(VersionReply(version: ProductVersion.text, program: "hedge")))
    do throws(Problem) {
      let answer = try answer(.version)
      guard display.isJSON else {
        Output.write(own.out + answer.out, to: STDOUT_FILENO)
        return answer.exit
      }
      // The agent's document, and what only this program knows.
      let end = answer.out.lastIndex(of: UInt8(ascii: "}")) ?? answer.out.endIndex
      let client = Array(",\"client\":\"\(ProductVersion.text)\"".utf8)
      Output.write(answer.out[..<end] + client + answer.out[end...], to: STDOUT_FILENO)
      return answer.exit
    } catch {
      Output.write(own.out, to: STDOUT_FILENO)
      return 0
    }
  }
}
