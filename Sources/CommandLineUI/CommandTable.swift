// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A flag of a verb, or one that every verb has.
package struct FlagSpec: Sendable {
  /// `--before`.
  package let name: String
  /// `-n`.
  package let short: String?
  /// What its value is called; `nil` for a switch.
  package let value: String?
  package let summary: String

  package init(_ name: String, value: String? = nil, _ summary: String) {
    (self.name, short, self.value, self.summary) = (name, nil, value, summary)
  }

  package init(_ name: String, _ short: String, value: String? = nil, _ summary: String) {
    (self.name, self.short, self.value, self.summary) = (name, short, value, summary)
  }
}

/// One verb: all that parser, help and manual pages know about it.
package struct VerbSpec: Sendable {
  package struct Example: Sendable {
    package let line: String
    package let note: String
    package init(_ line: String, _ note: String) { (self.line, self.note) = (line, note) }
  }
  package let name: String
  package let aliases: [String]
  /// Behind `hedge NAME`.
  package let usage: String
  package let summary: String
  package let details: String
  package let flags: [FlagSpec]
  package let examples: [Example]
  /// Exit codes beyond 0 to 3.
  package let exits: [Int]
  /// Values of a first word that chooses what is done: `agent run`.
  package let subverbs: [String]
  /// What `-n` does here.
  package let dryRun: DryRun

  package init(
    _ name: String, aliases: [String] = [], usage: String = "", _ summary: String,
    details: String = "", flags: [FlagSpec] = [], examples: [Example] = [], exits: [Int] = [6],
    subverbs: [String] = [], dryRun: DryRun = .nothingToTry
  ) {
    (self.name, self.aliases, self.usage, self.summary) = (name, aliases, usage, summary)
    (self.details, self.flags, self.examples) = (details, flags, examples)
    (self.exits, self.subverbs, self.dryRun) = (exits, subverbs, dryRun)
  }
}

/// Every verb of `hedge`, in the order of the help; help, parser and suggestions read this table.
package enum CommandTable {
  /// Flags that every verb takes.
  package static let globalFlags: [FlagSpec] = [
    FlagSpec("--list", "-l", value: "LIST", "the list that is meant, like @LIST"),
    FlagSpec("--json", "one JSON document (a stream: one a line); --json=1 pins the version"),
    FlagSpec("--plain", "tab-separated text without colour, also on a terminal"),
    FlagSpec("--color", value: "WHEN", "auto, always or never"),
    FlagSpec("--quiet", "-q", "print nothing when all went well"),
    FlagSpec("--verbose", "-v", "say more"),
    FlagSpec("--dry-run", "-n", "only say what a write would do; what cannot, refuses it"),
    FlagSpec("--yes", "-y", "answer yes instead of asking"),
    FlagSpec("--no-input", "never ask; exit 10 where an answer is needed"),
    FlagSpec("--abs", "moments instead of distances in time"),
    FlagSpec("--timeout", value: "SECONDS", "give up after that time with exit 7"),
    FlagSpec("--socket", value: "PATH", "the agent's socket"),
    FlagSpec("--data", value: "DIR", "the agent's data directory"),
    FlagSpec("--space", value: "NAME", "the space that is meant"),
    FlagSpec("--help", "-h", "help for the verb"),
    FlagSpec("--version", "print the version"),
  ]

  package static let verbs: [VerbSpec] =
    itemVerbs + listVerbs + backVerbs + viewVerbs + logVerbs + networkVerbs + memberVerbs
    + agentVerbs

  /// What other programs call verbs of this one, for suggestions.
  package static let otherWords = [
    "list": "ls", "delete": "rm", "del": "rm", "remove": "rm", "create": "new", "move": "mv",
    "tick": "done", "check": "done", "untick": "undone", "search": "find", "grep": "find",
    "update": "set", "monitor": "watch",
  ]

  /// The verb of that name or alias.
  package static func verb(_ word: String) -> VerbSpec? {
    verbs.first { $0.name.utf8.elementsEqual(word.utf8) }
      ?? verbs.first { $0.aliases.contains { $0.utf8.elementsEqual(word.utf8) } }
  }

  static let placeFlags: [FlagSpec] = [
    FlagSpec("--top", "to the top"),
    FlagSpec("--bottom", "to the end"),
    FlagSpec("--before", value: "ITEM", "in front of that item"),
    FlagSpec("--after", value: "ITEM", "behind that item"),
    FlagSpec("--under", value: "ITEM", "as the last child of that item"),
  ]

  static let itemVerbs: [VerbSpec] = [
    VerbSpec(
      "new", usage: "NAME [COLUMN:TYPE…]", "make a list",
      details: """
        Types: text int num bool date time enum(a|b) url person counter. A ! behind the type makes
        the column required, =VALUE gives a default. The first text column is the item's text.
        """,
      flags: [FlagSpec("--under", value: "@LIST", "make it an item of that list")],
      examples: [
        .init("hedge new groceries qty:int price:num", "a list with two typed columns"),
        .init("hedge new users name:text! 'role:enum(admin|guest)=guest'", "required and default"),
      ], exits: [5, 6], dryRun: .says),
    VerbSpec(
      "add", aliases: ["a"], usage: "[@LIST] TEXT… [COLUMN=VALUE…]", "add items",
      details: """
        Words join into one item; a word that ends in a comma starts the next item. A word shaped
        NAME=VALUE sets a column; behind -- it is text. - reads one item a line from standard input,
        without bullets, numbers and boxes in front; what such a mark has further in than the line
        above becomes its child. Dates may be words, see set.
        """,
      flags: placeFlags + [FlagSpec("--unique", "leave out what the list has open already")],
      examples: [
        .init("hedge add milk, eggs, oat milk", "three items"),
        .init("hedge add @gro milk qty=2 --top", "one item with a column, on top"),
        .init("cat notes.txt | hedge add @todo -", "one item a line"),
      ], exits: [4, 6], dryRun: .says),
    VerbSpec(
      "done", aliases: ["d"], usage: "[@LIST] ITEM…", "tick items",
      details: itemHelp, flags: [FlagSpec("--children", "also everything under them")],
      examples: [
        .init("hedge done 2", "the row shown as 2"),
        .init("hedge done k7m 'oat milk'", "two items"),
      ],
      exits: [4, 5, 6], dryRun: .says),
    VerbSpec(
      "undone", usage: "[@LIST] ITEM…", "untick items", details: itemHelp,
      flags: [FlagSpec("--children", "also everything under them")],
      examples: [.init("hedge undone w8q", "by handle")], exits: [4, 5, 6], dryRun: .says),
    VerbSpec(
      "edit", aliases: ["e"], usage: "[@LIST] ITEM [TEXT… COLUMN=VALUE…]",
      "change text and columns",
      details: itemHelp,
      flags: [FlagSpec("--note", value: "TEXT", "a longer remark; empty clears")],
      examples: [.init("hedge edit 2 free-range eggs qty=6", "new text and a column")],
      exits: [4, 5, 6], dryRun: .says),
    VerbSpec(
      "set", aliases: ["s"], usage: "[@LIST] ITEM… COLUMN=VALUE…", "set columns",
      details: """
        COLUMN= clears, COLUMN+=N and COLUMN-=N count; on counter columns concurrent counts add up.
        Dates and moments may be words of this machine's clock: today, tomorrow, fri (the next one),
        18:00, tomorrow 18:00, 2026-12-24 18:00.
        """,
      flags: [FlagSpec("--if", value: "COLUMN=OLD", "only where the column still has that value")],
      examples: [
        .init("hedge set 1-3 store=corner", "one column of three rows"),
        .init("hedge set k7m qty+=1", "count up"),
        .init("hedge set k7m due=tomorrow", "a date column"),
      ], exits: [4, 5, 6], dryRun: .says),
    VerbSpec(
      "mv", aliases: ["m"], usage: "[@LIST] ITEM… [POSITION]", "move items",
      details: "Several items keep their order and are one step. POSITION counts from 1.",
      flags: placeFlags + [
        FlagSpec("--up", value: "N", "N places up"),
        FlagSpec("--down", value: "N", "N places down"),
        FlagSpec("--out", "behind its parent, one level out"),
        FlagSpec("--to", value: "@LIST", "to another list"),
      ],
      examples: [
        .init("hedge mv 3 1", "row 3 to the top"), .init("hedge mv 2-4 --after k7m", "a block"),
        .init("hedge mv r9d --to @later", "to another list"),
      ], exits: [4, 5, 6], dryRun: .says),
    VerbSpec(
      "rm", usage: "[@LIST] ITEM…", "remove items with all that is under them",
      details: itemHelp + "\nMore than 10 items are asked for; -y answers yes.",
      examples: [.init("hedge rm 4", "the row shown as 4")], exits: [4, 5, 6, 10], dryRun: .says),
  ]

  static let itemHelp = """
    ITEM is a handle (k7m), a number or range as this terminal last showed it (2, 2-5), text (exact,
    else a unique beginning), or - for handles from standard input.
    """
}
