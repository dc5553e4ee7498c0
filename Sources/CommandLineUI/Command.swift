// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI

/// Options that every verb has.
package struct GlobalOptions: Hashable, Sendable {
  package enum ColorChoice: String, CaseIterable, Sendable {
    case auto, always, never
  }
  package var json: Int?
  package var isPlain = false
  package var color = ColorChoice.auto
  package var isQuiet = false
  package var isVerbose = false
  package var saysYes = false
  package var hasNoInput = false
  package var isAbsolute = false
  package var timeoutSeconds: Int?
  package var socket: String?
  package var data: String?
  package init() {}
}

/// What a command line asks for.
package enum Command: Hashable, Sendable {
  /// One request, its reply printed.
  case request(Request)
  /// Items of standard input, one a line, added as this says.
  case addFromInput(AddItems, isDryRun: Bool)
  /// The request's only item is `-`: handles from standard input, in its place.
  case itemsFromInput(ItemOp, isDryRun: Bool)
  /// A removal of many items that must be confirmed: how many.
  case confirmed(Request, count: Int)
  /// A write that must be confirmed where its dry run counts many items.
  case counted(ItemOp, question: String)
  /// The removal of a device, which must be confirmed.
  case revoke(peer: String, isDryRun: Bool)
  /// The removal of a list, whose name is asked for.
  case drop(ListSelector)
  /// A list, then its changes.
  case showAndWatch(ItemsQuery)
  case watch(EventsQuery)
  /// Prints the code; waits for the joiner unless told not to ask.
  case invite(InviteRequest)
  /// The page's address, printed or opened.
  case web(isOpened: Bool, hasQR: Bool)
  /// Without a code it is asked for or read from standard input.
  case join(code: String?, address: String?)
  /// The file's path; `-` is standard input. The bytes are still missing in the request.
  case importFile(ImportRequest, path: String)
  case export(ExportRequest, output: String?)
  /// Arguments for the agent's program.
  case runAgent([String])
  /// Arguments for the agent that the service manager starts.
  case installAgent([String], isDryRun: Bool)
  case uninstallAgent(isDryRun: Bool)
  /// The live view, started with a list.
  case liveView(list: ListSelector?)
  case demo(DemoAction)
  /// The completion script of a shell.
  case completion(shell: String)
  case help(topic: String?)
  /// The manual pages, into a folder.
  case manual(folder: String)
  case version

  package enum DemoAction: Hashable, Sendable {
    case start(isOnce: Bool)
    case stop
    case environment
  }
}

/// A command line that was understood.
package struct Invocation: Hashable, Sendable {
  package var options: GlobalOptions
  package var command: Command
  package init(options: GlobalOptions, command: Command) {
    (self.options, self.command) = (options, command)
  }

  /// Reads the words behind the program's name.
  ///
  /// - Throws: A problem of kind `usage` or of the part that is wrong; exit code 2.
  package static func parse(_ arguments: [String]) throws(Problem) -> Invocation {
    let (verbIndex, verb) = try findVerb(arguments)
    var rest = arguments
    if let verbIndex { rest.remove(at: verbIndex) }
    let words = try Arguments(rest, verb: verb)
    let options = try options(words)
    if words.has("--version") { return Invocation(options: options, command: .version) }
    if words.has("--help") {
      return Invocation(options: options, command: .help(topic: verb?.name))
    }
    guard let verb else {
      try refuseIdleFlags(words, .request(.overview), "hedge without a command")
      return Invocation(options: options, command: .request(.overview))
    }
    var reader = CommandReader(verb: verb, arguments: words)
    let command = try reader.command()
    try refuseIdleFlags(words, command, ([verb.name] + reader.chosen).joined(separator: " "))
    return Invocation(options: options, command: command)
  }

  /// A flag that the command does not honour is refused: whoever gave it relies on it.
  private static func refuseIdleFlags(
    _ words: Arguments, _ command: Command, _ name: String
  ) throws(Problem) {
    if words.has("--dry-run") {
      switch command.effect {
      case .tries: break
      case .reads:
        throw Problem(
          .usage, "\(name) only reads, and -n is for writes",
          detail: words.takesLimit ? "at most N rows: --limit N" : nil)
      case .writes:
        throw Problem(
          .usage, "\(name) cannot be tried out with -n", detail: "nothing was done")
      }
    }
    if words.has("--json"), !command.hasJSON {
      throw Problem(.usage, "\(name) has no JSON form: leave --json out")
    }
    if let flag = words.idle {
      throw Problem(.usage, "\(name) does not take \(flag) here", detail: "nothing was done")
    }
  }

  /// Whether an error must be printed as JSON although the command line was not understood.
  package static func wantsJSON(_ arguments: [String]) -> Bool {
    arguments.prefix { !sameBytes($0, "--") }.contains {
      sameBytes($0, "--json") || $0.hasPrefix("--json=")
    }
  }

  /// The first word that is neither a global flag nor the value of one.
  private static func findVerb(_ arguments: [String]) throws(Problem) -> (Int?, VerbSpec?) {
    var index = 0
    while index < arguments.count {
      let word = arguments[index]
      if word.utf8.first != 0x2D || word.utf8.count == 1 {
        if let verb = CommandTable.verb(word) { return (index, verb) }
        let names = CommandTable.verbs.flatMap { [$0.name] + $0.aliases }
        throw Problem(
          .usage, "no command \(ValueTextShort.quoted(word))", detail: "see hedge help",
          suggest: CommandTable.otherWords[word] ?? Suggestion.nearest(to: word, among: names))
      }
      if sameBytes(word, "--") { break }
      let flag = CommandTable.globalFlags.first {
        sameBytes($0.name, word) || ($0.short.map { sameBytes($0, word) } ?? false)
      }
      index += flag?.value == nil ? 1 : 2
    }
    return (nil, nil)
  }

  private static func options(_ words: Arguments) throws(Problem) -> GlobalOptions {
    var options = GlobalOptions()
    if let version = words.value("--json") {
      guard version.isEmpty || sameBytes(version, "1") else {
        throw Problem(.usage, "no JSON version \(version)", detail: "this hedge writes version 1")
      }
      options.json = Display.jsonVersion
    }
    if let color = words.value("--color") {
      guard let choice = GlobalOptions.ColorChoice(rawValue: color) else {
        throw Problem(.usage, "--color is auto, always or never, not \"\(color)\"")
      }
      options.color = choice
    }
    options.isPlain = words.has("--plain")
    options.isQuiet = words.has("--quiet")
    options.isVerbose = words.has("--verbose")
    options.saysYes = words.has("--yes")
    options.hasNoInput = words.has("--no-input")
    options.isAbsolute = words.has("--abs")
    options.timeoutSeconds = try words.count("--timeout")
    options.socket = words.value("--socket")
    options.data = words.value("--data")
    if let space = words.value("--space"), !sameBytes(space, "home") {
      throw Problem(
        .usage, "no space \(space)", detail: "this version has one space, home", suggest: "home")
    }
    return options
  }
}

enum ValueTextShort {
  /// A word of the user in quotes, cut to a length that fits a message.
  static func quoted(_ word: String) -> String {
    "\"" + (word.count <= 40 ? word : word.prefix(39) + "…") + "\""
  }
}
