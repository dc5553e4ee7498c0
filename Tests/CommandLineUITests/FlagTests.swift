// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import Testing

@testable import CommandLineUI

/// A flag is honoured or refused, never passed over.
@Suite struct FlagTests {
  /// Command lines of each verb: of every form that writes, and of one that reads where there is one.
  static let forms: [String: [String]] = [
    "new": ["new zzz"], "add": ["add @l x", "add @l -"], "done": ["done k7m", "done -"],
    "undone": ["undone k7m", "undone -"], "edit": ["edit k7m x"],
    "set": ["set k7m a=1", "set - a=1"],
    "mv": ["mv k7m 1", "mv - --top"], "rm": ["rm k7m", "rm 1-12", "rm -"], "find": ["find x"],
    "clear": ["clear @l"], "rename": ["rename @l x"], "drop": ["drop @l"],
    "cols": [
      "cols @l", "cols @l add a:int", "cols @l rename a b", "cols @l drop a", "cols @l order a",
      "cols @l retype a int",
    ],
    "use": ["use", "use @l", "use --none"], "undo": ["undo", "undo --list"], "redo": ["redo"],
    "restore": ["restore k7m", "restore @l", "restore -"], "trash": ["trash"],
    "conflicts": ["conflicts", "conflicts take c-1"], "lists": ["lists"],
    "ls": ["ls @l", "ls @l -w"], "show": ["show k7m"], "watch": ["watch"], "tui": ["tui"],
    "inspect": ["inspect"], "import": ["import @l x.csv", "import @l -  --format lines"],
    "export": ["export @l", "export @l -o x.csv"], "log": ["log"], "wait": ["wait"],
    "status": ["status"], "peers": ["peers", "peers add h:1", "peers rm h:1"],
    "sync": ["sync", "sync den", "sync pause", "sync resume"], "invite": ["invite"],
    "join": ["join -"], "members": ["members"], "role": ["role den reader"],
    "alias": ["alias den x"], "revoke": ["revoke den"],
    "agent": [
      "agent run", "agent status", "agent stop", "agent reload", "agent install",
      "agent uninstall",
    ],
    "notify": [
      "notify", "notify ls", "notify on @l", "notify off @l", "notify to --desktop on",
      "notify mute 2h",
      "notify test",
    ],
    "web": [
      "web", "web --open", "web --lan on", "web --lan off", "web --guest @l", "web token ls",
      "web token add x", "web token rm x", "web guest ls", "web guest rm x",
    ],
    "demo": ["demo", "demo stop", "demo env"], "completion": ["completion bash"],
    "version": ["version"], "help": ["help", "help manual folder"],
  ]

  static func parsed(_ line: String) throws(Problem) -> Command {
    try Invocation.parse(line.split(separator: " ").map(String.init)).command
  }

  static func problem(_ line: String) -> Problem? {
    do throws(Problem) {
      _ = try parsed(line)
      return nil
    } catch { return error }
  }

  @Test(arguments: CommandTable.verbs.map(\.name))
  func `a command is tried out with -n or refuses it, as its help says`(_ name: String) throws {
    let verb = try #require(CommandTable.verb(name))
    let forms = try #require(Self.forms[name], "no command lines of \(name) in this test")
    var (tried, refused) = (0, 0)
    for form in forms {
      let effect = try Self.parsed(form).effect
      guard let problem = Self.problem(form + " -n") else {
        #expect(try Self.parsed(form + " -n").effect == .tries, "\(form) -n acts")
        #expect(effect == .writes)
        tried += 1
        continue
      }
      #expect(problem.kind.exit == 2)
      if effect == .reads {
        #expect(problem.title.contains("only reads"), "\(form)")
      } else {
        #expect(problem.title.contains("cannot be tried out with -n"), "\(form)")
        #expect(problem.detail == "nothing was done")
        refused += 1
      }
    }
    switch verb.dryRun {
    case .nothingToTry: #expect(tried == 0 && refused == 0)
    case .refused: #expect(tried == 0 && refused > 0)
    case .says: #expect(tried > 0 && refused == 0)
    case .saysFor(let words):
      #expect(tried > 0 && refused > 0)
      for form in forms where Self.problem(form + " -n") == nil {
        #expect(words.contains { form.split(separator: " ").dropFirst().contains($0[...]) })
      }
    }
    let line = verb.dryRun.sentence
    #expect(line.isEmpty || Help.text(of: verb).contains(line))
  }

  @Test func `every first word that chooses what is done is in the test above`() {
    for verb in CommandTable.verbs {
      for word in verb.subverbs where !Completion.shells.contains(word) {
        #expect(
          Self.forms[verb.name]?.contains { $0.split(separator: " ").contains(word[...]) } ?? false,
          "\(verb.name) \(word)")
      }
    }
  }

  @Test(arguments: [
    "lists -l x", "find x -l gro", "undo -l gro", "web token ls --qr", "web --lan off --qr",
    "web --open --qr", "agent status --port 1", "demo stop --once", "undo --list --force",
    "import x.json --prune", "import x.csv --prune", "import x.json --key a",
    "import x.txt --map a=b", "export --all @x", "ls --tree --flat", "ls --all --done",
    "find x --all --done", "add @gro x -l todo", "watch @gro -l todo", "notify mute 2h --edge",
    "notify on @l --hysteresis 5", "web --lan on --role ro", "peers --help=1",
  ])
  func `a flag that would do nothing is refused`(_ line: String) {
    #expect(Self.problem(line)?.kind.exit == 2, "\(line)")
  }

  @Test(arguments: [
    "help", "help --json ls", "completion bash", "help manual x", "tui", "agent run",
    "agent install", "agent uninstall", "demo stop", "demo env", "export --format csv",
  ])
  func `a command without a JSON form refuses --json`(_ line: String) {
    #expect(Self.problem(line + " --json")?.title.contains("--json") ?? false, "\(line)")
  }

  @Test func `flags that name what happens anyway are taken`() throws {
    #expect(try Self.parsed("agent run --foreground") == .runAgent([]))
    #expect(try Self.parsed("ls @gro --flat") == Self.parsed("ls @gro"))
    #expect(try Self.parsed("export --json @gro") == Self.parsed("export @gro"))
  }
}
