// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Manual pages in mdoc(7), all from the command table and the help topics.
package enum ManualPage {
  /// One page: its file name and its source.
  package struct Page: Hashable, Sendable {
    /// `hedge-ls.1`.
    package let fileName: String
    package let source: String
  }

  /// `hedge(1)` and one page for each command.
  /// - Parameter date: As mdoc wants it: `May 4, 2026`.
  package static func all(date: String) -> [Page] {
    [Page(fileName: "hedge.1", source: overview(date))]
      + CommandTable.verbs.map {
        Page(fileName: "hedge-\($0.name).1", source: page(of: $0, date))
      }
  }

  private static func head(_ name: String, _ summary: String, _ date: String) -> String {
    """
    .\\" SPDX-License-Identifier: Apache-2.0
    .\\" SPDX-FileCopyrightText: the hedgerow authors
    .\\" Made from the command table; change that.
    .Dd \(date)
    .Dt \(name.uppercased()) 1
    .Os
    .Sh NAME
    .Nm \(name)
    .Nd \(text(summary))

    """
  }

  private static func overview(_ date: String) -> String {
    var out = head("hedge", "shared ordered lists on all your machines", date)
    out += """
      .Sh SYNOPSIS
      .Nm
      .Op Ar COMMAND
      .Op Ar @LIST
      .Op Ar ARGUMENTS
      .Op Ar FLAGS
      .Sh DESCRIPTION
      .Nm
      keeps shared ordered lists in step on all machines of a household, lab or office, over the local
      network, without server and account.
      One agent runs on each machine; every command asks the agent of its own machine.
      Without a command it shows the lists and whether all is in step.
      .Sh COMMANDS
      .Bl -tag -width Ds

      """
    for verb in CommandTable.verbs {
      out += ".It Xr hedge-\(verb.name) 1\n\(sentence(verb.summary))\n"
      if !verb.aliases.isEmpty {
        out += "Short: \(text(verb.aliases.joined(separator: ", "))).\n"
      }
    }
    out += ".El\n.Sh OPTIONS\nEvery command takes these.\n" + flags(CommandTable.globalFlags)
    out += ".Sh ENVIRONMENT\n" + verbatim(Help.environment)
    out += ".Sh EXIT STATUS\n.Bl -tag -width 4n\n"
    for code in 0...10 { out += ".It \(code)\n\(sentence(Help.exitMeaning(code)))\n" }
    for code in Help.agentExits { out += ".It \(code)\n\(sentence(Help.exitMeaning(code)))\n" }
    out += ".It 130\nInterrupted with Ctrl-C.\n.El\n"
    out += ".Sh SCRIPTS\n" + verbatim(Help.scripting) + ".Ss JSON\n" + verbatim(Help.json)
    return out
  }

  private static func page(of verb: VerbSpec, _ date: String) -> String {
    var out = head("hedge-\(verb.name)", verb.summary, date)
    out += ".Sh SYNOPSIS\n.Nm hedge \(verb.name)\n"
    // The usage is words for people, not mdoc arguments.
    if !verb.usage.isEmpty { out += "\(text(verb.usage))\n" }
    out += ".Sh DESCRIPTION\n\(sentence(verb.summary))\n"
    if !verb.aliases.isEmpty {
      out += "Short: \(text(verb.aliases.joined(separator: ", "))).\n"
    }
    if !verb.details.isEmpty {
      out += ".Pp\n" + prose(verb.details)
    }
    if !verb.dryRun.sentence.isEmpty { out += ".Pp\n\(text(verb.dryRun.sentence))\n" }
    if !verb.flags.isEmpty { out += flags(verb.flags) }
    out += ".Pp\nFlags of every command are in\n.Xr hedge 1 .\n"
    if !verb.exits.isEmpty {
      out += ".Sh EXIT STATUS\nBeyond 0 to 3, which\n.Xr hedge 1\nlists:\n.Bl -tag -width 4n\n"
      for code in verb.exits { out += ".It \(code)\n\(sentence(Help.exitMeaning(code)))\n" }
      out += ".El\n"
    }
    if !verb.examples.isEmpty {
      out += ".Sh EXAMPLES\n"
      for example in verb.examples {
        out += "\(sentence(example.note))\n.Dl \(text(example.line))\n.Pp\n"
      }
      out.removeLast(".Pp\n".count)
    }
    return out + ".Sh SEE ALSO\n.Xr hedge 1\n"
  }

  // MARK: Parts

  private static func flags(_ flags: [FlagSpec]) -> String {
    var out = ".Bl -tag -width Ds\n"
    for flag in flags {
      var names = flag.short.map { ["\\fB\(text($0))\\fR"] } ?? []
      names.append("\\fB\(text(flag.name))\\fR" + (flag.value.map { " \\fI\(text($0))\\fR" } ?? ""))
      out += ".It \(names.joined(separator: ", "))\n\(sentence(flag.summary))\n"
    }
    return out + ".El\n"
  }

  private static func verbatim(_ block: String) -> String {
    var lines = block.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    while lines.last?.isEmpty ?? false { lines.removeLast() }
    return ".Bd -literal\n" + lines.map { text($0) + "\n" }.joined() + ".Ed\n"
  }

  /// Running text: each sentence begins a line, as the format wants it.
  private static func prose(_ block: String) -> String {
    var lines: [[Substring]] = [[]]
    for word in block.split(whereSeparator: \.isWhitespace) {
      lines[lines.count - 1].append(word)
      if word.last == "." || word.last == ":" { lines.append([]) }
    }
    return lines.filter { !$0.isEmpty }.map { text($0.joined(separator: " ")) + "\n" }.joined()
  }

  /// With a capital and a full stop.
  private static func sentence(_ words: String) -> String {
    let capital = words.prefix(1).uppercased() + words.dropFirst()
    return text(capital.hasSuffix(".") ? capital : capital + ".")
  }

  /// A line of text whose characters stand for themselves.
  static func text(_ line: String) -> String {
    var out = ""
    for scalar in line.unicodeScalars {
      switch scalar {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "'": out += "\\(aq"
      case "`": out += "\\(ga"
      case "^": out += "\\(ha"
      case "~": out += "\\(ti"
      case "\"": out += "\\(dq"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out.hasPrefix(".") ? "\\&" + out : out
  }
}
