// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

extension CommandReader {
  mutating func list() throws(Problem) -> Command {
    var query = ItemsQuery(list: try arguments.takeList())
    query.words = arguments.words.map(\.text)
    query.show = try shown()
    if arguments.has("--tree") { query.shape = .tree }
    if arguments.has("--flat"), query.shape == .tree {
      throw usage("--tree and --flat exclude each other")
    }
    for text in arguments.all("--where") { query.filters.append(try Filter(parsing: text)) }
    query.sort = arguments.all("--sort").map(SortKey.init(parsing:))
    query.columns = arguments.all("--cols").flatMap { $0.split(separator: ",").map(String.init) }
    query.limit = try arguments.count("--limit")
    return arguments.has("--watch") ? .showAndWatch(query) : .request(.items(query))
  }

  /// Which items `--all` and `--done` ask for.
  func shown() throws(Problem) -> ItemsQuery.Show {
    switch (arguments.has("--all"), arguments.has("--done")) {
    case (true, true): throw usage("--all has what is done; give one of --all and --done")
    case (true, false): .all
    case (false, true): .done
    case (false, false): .open
    }
  }

  mutating func show() throws(Problem) -> Command {
    let list = try arguments.takeList()
    let items = try selectors(arguments.words)
    guard items.count == 1, let item = items.first else { throw usage("show takes one item") }
    return .request(.show(list, item))
  }

  mutating func watch() throws(Problem) -> Command {
    var query = EventsQuery()
    query.lists = try arguments.takeLists()
    try noMoreWords()
    query.since = arguments.value("--since")
    if let since = query.since, !EventsQuery.isCursor(since) {
      throw usage(
        "--since takes a cursor of watch --json or ls --json, not \(ValueTextShort.quoted(since))")
    }
    query.hasInitial = !arguments.has("--no-initial")
    query.onlyOthers = arguments.has("--not-mine")
    query.kinds = arguments.all("--only").flatMap { $0.split(separator: ",").map(String.init) }
    query.count = try arguments.count("--count")
    if let until = arguments.value("--until") { query.until = try Filter(parsing: until) }
    return .watch(query)
  }

  mutating func inspect() throws(Problem) -> Command {
    let list = try arguments.takeList()
    guard let word = arguments.takeWord() else {
      return .request(.inspect(list.map(InspectTarget.list) ?? .store))
    }
    if list == nil, sameBytes(word.text, "store"), !word.isLiteral {
      try noMoreWords()
      return .request(.inspect(.store))
    }
    if list == nil, sameBytes(word.text, "peer"), let name = arguments.takeWord() {
      try noMoreWords()
      return .request(.inspect(.peer(name.text)))
    }
    try noMoreWords()
    return .request(.inspect(.item(list, try ItemSelector(parsing: word.text))))
  }

  mutating func importFile() throws(Problem) -> Command {
    let list = try arguments.takeList()
    guard let path = arguments.takeWord() else { throw usage("import needs a file, or -") }
    try noMoreWords()
    guard let format = try format() ?? FileFormat(fileName: path.text) else {
      throw usage("the format of \(ValueTextShort.quoted(path.text)) is not clear: add --format")
    }
    var request = ImportRequest(list: list, format: format, key: arguments.value("--key"))
    for text in arguments.all("--map") {
      guard let equals = text.lastIndex(of: "=") else {
        throw usage("--map needs HEADING=COLUMN, not \(ValueTextShort.quoted(text))")
      }
      request.map.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
    }
    request.removesMissing = arguments.has("--prune")
    if format != .csv {
      for flag in ["--key", "--map", "--prune"] where arguments.has(flag) {
        throw usage("\(flag) is for csv files, and this one is read as \(format.rawValue)")
      }
    }
    if request.removesMissing, request.key == nil {
      throw usage("--prune needs --key COLUMN: it tells which items the file lacks")
    }
    request.isDryRun = isDryRun
    return .importFile(request, path: path.text)
  }

  mutating func export() throws(Problem) -> Command {
    var request = ExportRequest(isAll: arguments.has("--all"))
    request.lists = try arguments.takeLists()
    try noMoreWords()
    guard !request.isAll || request.lists.isEmpty else {
      throw usage("--all is every list; name lists, or give --all")
    }
    let output = arguments.value("--output")
    request.format = try exportFormat(of: output)
    if arguments.has("--json"), request.format != .json {
      throw usage("--json and \(request.format.rawValue) exclude each other")
    }
    request.acceptsLoss = arguments.has("--lossy-ok")
    return .export(request, output: output)
  }

  /// What `--format` says, else the name of the file; JSON where it has no ending or there is none.
  private func exportFormat(of output: String?) throws(Problem) -> FileFormat {
    if let format = try format() { return format }
    guard let output, let ending = FileFormat.ending(of: output) else { return .json }
    if let format = FileFormat(fileName: output) { return format }
    throw Problem(
      .usage, "no format is known for the ending .\(ending)",
      detail: "endings: .json, .csv, .lines, .txt, .md; or say --format")
  }

  private func format() throws(Problem) -> FileFormat? {
    guard let text = arguments.value("--format") else { return nil }
    guard let format = FileFormat(rawValue: text) else {
      let known = FileFormat.allCases.map(\.rawValue)
      throw Problem(
        .usage, "no format \(ValueTextShort.quoted(text))",
        detail: "formats: \(known.joined(separator: ", "))",
        suggest: Suggestion.nearest(to: text, among: known))
    }
    return format
  }

  mutating func otherCommand() throws(Problem) -> Command {
    switch verb.name {
    case "status":
      try noMoreWords()
      return .request(.status(isCheck: arguments.has("--check")))
    case "peers": return try peers()
    case "sync": return try sync()
    case "invite":
      try noMoreWords()
      let role = arguments.value("--role") ?? "member"
      let roles = ["admin", "member", "reader"]
      guard roles.contains(where: { sameBytes($0, role) }) else {
        throw Problem(
          .usage, "no role \(ValueTextShort.quoted(role))", detail: "roles: admin, member, reader",
          suggest: Suggestion.nearest(to: role, among: roles))
      }
      return .invite(InviteRequest(role: role))
    case "join": return try join()
    case "agent": return try agent()
    case "web": return try web()
    case "notify": return .request(.notify(try notify()))
    case "demo": return try demo()
    case "tui":
      let list = try arguments.takeList()
      try noMoreWords()
      return .liveView(list: list)
    case "completion":
      guard let shell = arguments.takeWord()?.text else {
        throw usage("completion for which shell?")
      }
      try noMoreWords()
      return .completion(shell: shell)
    case "version":
      try noMoreWords()
      return .version
    default:
      let topic = arguments.takeWord()?.text
      if let topic, sameBytes(topic, "manual") {
        guard let folder = arguments.takeWord()?.text else {
          throw usage("help manual needs a folder, such as ~/.local/share/man/man1")
        }
        try noMoreWords()
        return .manual(folder: folder)
      }
      // A word that chooses what the verb does is helped with the verb.
      if let topic, let word = arguments.words.first, let helped = CommandTable.verb(topic),
        helped.subverbs.contains(where: { sameBytes($0, word.text) })
      {
        _ = arguments.takeWord()
      }
      try noMoreWords()
      return .help(topic: topic)
    }
  }

  private mutating func peers() throws(Problem) -> Command {
    guard let word = arguments.takeWord() else { return .request(.peers(name: nil)) }
    guard sameBytes(word.text, "add") || sameBytes(word.text, "rm") else {
      try noMoreWords()
      return .request(.peers(name: word.text))
    }
    guard let address = arguments.takeWord() else { throw usage("\(word.text) needs HOST:PORT") }
    try noMoreWords()
    return .request(
      sameBytes(word.text, "add")
        ? .addPeer(address: address.text) : .removePeer(address: address.text))
  }

  private mutating func sync() throws(Problem) -> Command {
    let word = arguments.takeWord()?.text
    try noMoreWords()
    switch word {
    case "pause"?: return .request(.pause)
    case "resume"?: return .request(.resume)
    default: return .request(.sync(peer: word))
    }
  }

  private mutating func join() throws(Problem) -> Command {
    guard let code = arguments.takeWord() else { throw usage("join needs a code, or -") }
    // A code that was pasted with spaces between its groups is one code.
    let more = arguments.words.map(\.text)
    let whole = ([code.text] + more).joined(separator: "-")
    return .join(
      code: sameBytes(whole, "-") ? nil : whole, address: arguments.value("--at"))
  }

  private mutating func agent() throws(Problem) -> Command {
    guard let word = arguments.takeWord()?.text else { throw usage("agent needs one word more") }
    try noMoreWords()
    switch word {
    case "run": return .runAgent(agentFlags(["--socket", "--data"]))
    case "status": return .request(.agentStatus)
    case "stop": return .request(.stopAgent)
    case "reload": return .request(.reloadAgent)
    case "install":
      // Units serve the person's own data at its usual place.
      for name in ["--socket", "--data"] where arguments.has(name) {
        throw usage("agent install does not take \(name)")
      }
      return .installAgent(agentFlags([]), isDryRun: isDryRun)
    case "uninstall": return .uninstallAgent(isDryRun: isDryRun)
    default:
      throw Problem(
        .usage, "agent cannot \(ValueTextShort.quoted(word))",
        detail: "usage: hedge agent \(verb.usage)",
        suggest: Suggestion.nearest(to: word, among: verb.subverbs))
    }
  }

  private mutating func web() throws(Problem) -> Command {
    guard let word = arguments.takeWord()?.text else { return try page() }
    guard verb.subverbs.contains(where: { sameBytes($0, word) }) else {
      throw Problem(
        .usage, "web cannot \(ValueTextShort.quoted(word))",
        detail: "usage: hedge web \(verb.usage)",
        suggest: Suggestion.nearest(to: word, among: verb.subverbs))
    }
    let action = arguments.takeWord()?.text ?? "ls"
    let name = arguments.takeWord()?.text
    try noMoreWords()
    switch (word, action, name) {
    case ("token", "ls", nil): return .request(.web(.tokens))
    case ("token", "add", let name?):
      return .request(.web(.addToken(name: name, isReadOnly: arguments.has("--ro"))))
    case ("token", "rm", let name?): return .request(.web(.removeToken(name: name)))
    case ("guest", "ls", nil): return .request(.web(.guests))
    case ("guest", "rm", let name?): return .request(.web(.removeGuest(name: name)))
    case ("guest", _, _): throw usage("web guest wants rm NAME or ls; --guest makes a link")
    default: throw usage("web token wants add NAME, rm NAME or ls")
    }
  }

  /// `web` without a word: the page's address, the page for the LAN, or a guest link.
  private func page() throws(Problem) -> Command {
    if let list = arguments.value("--guest") {
      let word = arguments.value("--role") ?? "tick"
      guard let role = GuestRole.allCases.first(where: { sameBytes($0.rawValue, word) }) else {
        throw usage("--role is tick or ro, not \(ValueTextShort.quoted(word))")
      }
      var guest = GuestRequest(
        list: try ListSelector(parsing: list), role: role, hasQR: arguments.has("--qr"))
      if let time = arguments.value("--ttl") { guest.seconds = Int64(try seconds(time)) }
      return .request(.web(.addGuest(guest)))
    }
    if arguments.has("--role") || arguments.has("--ttl") {
      throw usage("--role and --ttl go with --guest LIST")
    }
    switch arguments.value("--lan") {
    case nil:
      // What is opened here needs no code to be opened elsewhere.
      if arguments.has("--open") { return .web(isOpened: true, hasQR: false) }
      return .web(isOpened: false, hasQR: arguments.has("--qr"))
    case "on"?: return .request(.web(.lan(isOn: true, hasQR: arguments.has("--qr"))))
    case "off"?: return .request(.web(.lan(isOn: false, hasQR: false)))
    case let other?: throw usage("--lan is on or off, not \(ValueTextShort.quoted(other))")
    }
  }

  /// The flags of the agent's program, `more` among them.
  private func agentFlags(_ more: [String]) -> [String] {
    var flags: [String] = []
    for name in ["--name", "--port", "--web-port", "--bind"] + more {
      if let value = arguments.value(name) { flags += [name, value] }
    }
    // Said for scripts that say it: it runs there anyway.
    _ = arguments.has("--foreground")
    if arguments.has("--no-discovery") { flags.append("--no-discovery") }
    if arguments.has("--verbose") { flags += ["--log", "debug"] }
    return flags
  }

  private mutating func demo() throws(Problem) -> Command {
    let word = arguments.takeWord()?.text
    try noMoreWords()
    switch word {
    case nil: return .demo(.start(isOnce: arguments.has("--once")))
    case "stop"?: return .demo(.stop)
    case "env"?: return .demo(.environment)
    case let word?:
      throw Problem(
        .usage, "demo cannot \(ValueTextShort.quoted(word))",
        detail: "usage: hedge demo \(verb.usage)",
        suggest: Suggestion.nearest(to: word, among: verb.subverbs))
    }
  }
}
