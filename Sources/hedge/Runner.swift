// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import AgentClient
import CommandLineUI
import ControlAPI
import Glibc
import ListFormats
import ListModel

/// Runs one command against the agent.
struct Runner {
  let options: GlobalOptions
  let display: Display

  init(_ options: GlobalOptions) {
    self.options = options
    display = Terminal.display(options)
  }

  func run(_ command: Command) throws(Problem) -> Int {
    switch command {
    case .request(.stopAgent): return try stopAgent()
    case .request(.wait(let wait)): return try self.wait(wait)
    case .request(.items(let query)): return try items(query)
    case .request(let request): return try ask(request)
    case .addFromInput(var add, let isDryRun):
      do {
        add.items = try PlainLines.lines(Terminal.input()).map {
          NewItem(text: $0.text.string, isDone: $0.isDone ?? false, depth: $0.depth)
        }
      } catch {
        throw Problem(.invalidText, error.message, detail: "nothing was added")
      }
      return try ask(.transact(Transaction([.add(add)], isDryRun: isDryRun)))
    case .itemsFromInput(let op, let isDryRun):
      return try ask(.transact(Transaction([try op.with(inputSelectors())], isDryRun: isDryRun)))
    case .confirmed(let request, let count):
      try confirm("remove \(count) items?")
      return try ask(request)
    case .counted(let op, let question): return try counted(op, question)
    case .revoke(let peer, let isDryRun): return try revoke(peer, isDryRun: isDryRun)
    case .drop(let list): return try drop(list)
    case .showAndWatch(let query):
      let code = try items(query)
      guard code == 0 else { return code }
      let lists = query.list.map { [$0] } ?? []
      return try stream(.events(EventsQuery(lists: lists, hasInitial: false)))
    case .watch(let query): return try stream(.events(query))
    case .invite(let request): return try invite(request)
    case .web(let isOpened, let hasQR): return try web(isOpened: isOpened, hasQR: hasQR)
    case .join(let code, let address): return try join(code, address)
    case .importFile(var request, let path):
      request.bytes = try path == "-" ? Terminal.input() : Files.read(path)
      return try ask(.importFile(request))
    case .export(let request, let output): return try export(request, output)
    case .runAgent(let arguments): throw Programs.execute("hedged", arguments)
    case .installAgent(let flags, let isDryRun):
      return try Installer(options: options).install(flags, isDryRun: isDryRun)
    case .uninstallAgent(let isDryRun):
      return try Installer(options: options).uninstall(isDryRun: isDryRun)
    case .liveView(let list): throw Programs.execute("hedge-tui", liveViewArguments(list))
    case .demo(let action): return try Demo(options).run(action)
    case .completion(let shell):
      Output.write(Array(try Completion.script(shell).utf8), to: STDOUT_FILENO)
      return 0
    case .manual(let folder): return try manual(folder)
    case .help(let topic):
      Output.write(Array(try Help.text(topic).utf8), to: STDOUT_FILENO)
      return 0
    case .version: return try version()
    }
  }

  // MARK: Asking

  private func headers() throws(Problem) -> [(String, String)] {
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

  private func connect() throws(Problem) -> Connection {
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
  private func items(_ query: ItemsQuery) throws(Problem) -> Int {
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

  private func answer(
    _ request: Request, by connection: Connection
  ) throws(Problem) -> Answer {
    try connection.send(RequestForm(request.explained), try headers())
    return try received(connection)
  }

  private func received(_ connection: Connection) throws(Problem) -> Answer {
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
  private static let stopTries = 600
  private static let startPauseMicroseconds: UInt32 = 20_000

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

  private func stream(_ request: Request) throws(Problem) -> Int {
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

  // MARK: Commands with more than one step

  /// So many items are removed without asking.
  private static let unaskedMax = 10

  private func counted(_ op: ItemOp, _ question: String) throws(Problem) -> Int {
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

  private func wait(_ request: WaitRequest) throws(Problem) -> Int {
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
  private func manual(_ folder: String) throws(Problem) -> Int {
    try Files.makeFolders(folder)
    let pages = ManualPage.all(date: Terminal.longDate())
    for page in pages { try Files.replace("\(folder)/\(page.fileName)", Array(page.source.utf8)) }
    if !options.isQuiet {
      Output.write(Array("\(pages.count) manual pages in \(folder)\n".utf8), to: STDOUT_FILENO)
    }
    return 0
  }

  private func revoke(_ peer: String, isDryRun: Bool) throws(Problem) -> Int {
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

  private func drop(_ list: ListSelector) throws(Problem) -> Int {
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

  private func liveViewArguments(_ list: ListSelector?) -> [String] {
    var out = ["--socket", Programs.socket(options)]
    if let list { out += ["--list", String(list.spelling.dropFirst())] }
    if !display.hasUnicode { out.append("--ascii") }
    if !display.hasColor { out.append("--no-color") }
    return out
  }

  /// Stops the agent and waits until its process has ended: then nobody holds the data.
  private func stopAgent() throws(Problem) -> Int {
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

  private func confirm(_ question: String) throws(Problem) {
    if options.saysYes { return }
    guard Terminal.canAsk, !options.hasNoInput else {
      throw Problem(.needsAnswer, question, detail: "add --yes to do it without asking")
    }
    let answer = Terminal.ask("\(question) [y/N] ")?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else {
      throw Problem(.declined, "nothing was done")
    }
  }

  private func inputSelectors() throws(Problem) -> [ItemSelector] {
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

  private func invite(_ request: InviteRequest) throws(Problem) -> Int {
    let answer = try answer(.invite(request))
    Output.write(answer.out, to: STDOUT_FILENO)
    Output.write(answer.err, to: STDERR_FILENO)
    guard answer.exit == 0, !options.hasNoInput,
      let name = answer.head.value(RequestContext.inviteHeader)
    else { return answer.exit }
    return try ask(.awaitJoiner(invite: name))
  }

  private func join(_ code: String?, _ address: String?) throws(Problem) -> Int {
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

  private func export(_ request: ExportRequest, _ output: String?) throws(Problem) -> Int {
    guard let output, output != "-" else { return try ask(.export(request)) }
    let answer = try answer(.export(request))
    Output.write(answer.err, to: STDERR_FILENO)
    if answer.exit == 0 { try Files.replace(output, answer.out) }
    return answer.exit
  }

  private func web(isOpened: Bool, hasQR: Bool) throws(Problem) -> Int {
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
  private func version() throws(Problem) -> Int {
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

extension Request {
  /// The same request with words for days and times explained, as this machine means them.
  fileprivate var explained: Request {
    guard case .transact(var transaction) = self else { return self }
    transaction.ops = transaction.ops.map { TimeWords.explained($0, Terminal.calendar) }
    return .transact(transaction)
  }
}

extension ItemOp {
  /// The same operation on other items.
  fileprivate func with(_ items: [ItemSelector]) -> ItemOp {
    switch self {
    case .edit(var edit):
      edit.items = items
      return .edit(edit)
    case .tick(var tick):
      tick.items = items
      return .tick(tick)
    case .move(var move):
      move.items = items
      return .move(move)
    case .remove(let list, _): return .remove(list, items)
    case .restore(let list, _): return .restore(list, items)
    case .newList, .add, .clear, .rename, .drop, .columns: return self
    }
  }
}
