// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI

/// Help texts, all from the command table.
package enum Help {
  /// Topics that are no verbs.
  package static let topics = ["json", "exit-codes", "env", "scripting"]

  /// The text of a topic, a verb, or of everything for `nil`.
  ///
  /// - Throws: `usage` for an unknown topic, with a suggestion.
  package static func text(_ topic: String?) throws(Problem) -> String {
    guard let topic else { return overview }
    switch topic {
    case "json": return json
    case "exit-codes": return exitCodes
    case "env": return environment
    case "scripting": return scripting
    default: break
    }
    guard let verb = CommandTable.verb(topic) else {
      throw Problem(
        .usage, "no help on \(ValueTextShort.quoted(topic))",
        detail: "topics: a command, \(topics.joined(separator: ", "))",
        suggest: Suggestion.nearest(to: topic, among: CommandTable.verbs.map(\.name) + topics))
    }
    return text(of: verb)
  }

  /// The help of one verb.
  package static func text(of verb: VerbSpec) -> String {
    var lines = [
      "hedge \(verb.name)\(verb.usage.isEmpty ? "" : " " + verb.usage)", "  \(verb.summary)",
    ]
    if !verb.aliases.isEmpty { lines.append("  short: \(verb.aliases.joined(separator: ", "))") }
    if !verb.details.isEmpty {
      lines.append("")
      lines += verb.details.split(separator: "\n", omittingEmptySubsequences: false).map(
        String.init)
    }
    if !verb.dryRun.sentence.isEmpty { lines += ["", verb.dryRun.sentence] }
    if !verb.flags.isEmpty { lines += [""] + flagLines(verb.flags) }
    if !verb.examples.isEmpty {
      lines.append("")
      let width = verb.examples.map(\.line.count).max() ?? 0
      for example in verb.examples {
        let pad = String(repeating: " ", count: width - example.line.count)
        lines.append("  \(example.line)\(pad)   \(example.note)")
      }
    }
    if !verb.exits.isEmpty {
      lines += ["", "exit codes beyond 0 to 3:"]
      lines += verb.exits.map { "  \($0)  \(exitMeaning($0))" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static var overview: String {
    var lines = [
      "hedge keeps shared ordered lists in step on all your machines.", "",
      "usage: hedge COMMAND [@LIST] ARGUMENTS [FLAGS]", "",
    ]
    let names = CommandTable.verbs.map { ([$0.name] + $0.aliases).joined(separator: ", ") }
    let width = names.map(\.count).max() ?? 0
    for (verb, name) in zip(CommandTable.verbs, names) {
      let pad = String(repeating: " ", count: width - name.count)
      lines.append("  \(name)\(pad)   \(verb.summary)")
    }
    lines += ["", "flags of every command:"] + flagLines(CommandTable.globalFlags)
    lines += ["", "more: hedge help COMMAND, hedge help \(topics.joined(separator: "|"))"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func flagLines(_ flags: [FlagSpec]) -> [String] {
    let names = flags.map { flag in
      (flag.short.map { "\($0), " } ?? "") + flag.name + (flag.value.map { " \($0)" } ?? "")
    }
    let width = names.map(\.count).max() ?? 0
    return zip(flags, names).map { flag, name in
      "  \(name)\(String(repeating: " ", count: width - name.count))   \(flag.summary)"
    }
  }

  /// Every help text by the name of its golden file.
  package static var all: [(name: String, text: String)] {
    [("help", overview)] + CommandTable.verbs.map { ("help-\($0.name)", text(of: $0)) }
      + [
        ("topic-json", json), ("topic-exit-codes", exitCodes), ("topic-env", environment),
        ("topic-scripting", scripting),
      ]
  }

  static func exitMeaning(_ code: Int) -> String {
    switch code {
    case 0: "done, or nothing to do"
    case 1: "failed: input or output, internal"
    case 2: "wrong use: unknown flag or column, empty text, bad value"
    case 3: "no such list, item or peer"
    case 4: "not allowed: role, refused code, not paired"
    case 5: "ambiguous, taken or stale"
    case 6: "agent not reachable"
    case 7: "time limit"
    case 8: "partial: some rows were skipped"
    case 9: "a check found a problem"
    case 64: "agent run: a flag or value that it does not take"
    case 69: "agent run: its port or socket is in use by another program"
    case 70: "agent run: an error of its own"
    case 73, 74: "agent run: the data directory cannot be \(code == 73 ? "made" : "written")"
    case 75: "agent run: another agent holds the data directory"
    case 77: "agent run: it may not use a file or a port"
    case 78: "agent run: a file that configures it is wrong"
    default: "declined, or an answer is needed and there is no terminal"
    }
  }

  /// Exit codes of the agent itself, as sysexits.h numbers them.
  static let agentExits = [64, 69, 70, 73, 74, 75, 77, 78]

  static var exitCodes: String {
    var lines = (0...10).map { code in "  \(code < 10 ? " " : "")\(code)  \(exitMeaning(code))" }
    lines += agentExits.map { "  \($0)  \(exitMeaning($0))" }
    lines.append("  130  interrupted with Ctrl-C")
    return "exit codes of hedge:\n" + lines.joined(separator: "\n") + "\n"
  }

  static let json = """
    --json prints the newest stable version of the contract, --json=1 pins version 1. Each command
    prints one document that starts with "v" and "kind"; streams print one object a line, the first
    is hello. Within a version members are only added. Ids are complete, handles stand beside them;
    decimals are exact strings, times RFC 3339 in UTC; null is a cleared value, an absent member was
    never written. Arrays are in the order of the list.

    An error leaves standard output empty and prints one problem object on standard error:
      {"v":1,"type":"/problems/unknown-column","title":"no column pric","suggest":"price","exit":2}

    Examples:
      hedge ls @gro --json | jq -r '.items[].text'
      hedge watch --json --no-initial | jq -c 'select(.ev == "add")'

    """

  static let environment = """
    HEDGE_SOCKET      the agent's socket; else $XDG_RUNTIME_DIR/hedgerow/agent.sock
    HEDGE_LIST        the list where none is named
    HEDGE_TERMINAL    names the terminal for row numbers; else its device
    HEDGE_CLIENT      given back as client in events, so that a script knows its own; else hedge
    NO_COLOR          no colour, if not empty
    CLICOLOR_FORCE    colour also in a pipe, if not empty and not 0
    TERM=dumb         no colour
    COLUMNS           width of a table, if the terminal does not tell

    """

  static let scripting = """
    In a pipe the output is tab-separated, complete, without heading and colour: handle, state, text,
    columns. Handles are good input for every command: hedge ls 'old' | cut -f1 | hedge done -
    Nothing asks unless standard input and standard error are terminals; exit 10 says that an answer
    was needed. -n tells what a write would do; a command that cannot refuses it. Text that starts with - or holds = goes behind --.

    """
}
