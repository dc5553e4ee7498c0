// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Verbs that take back and bring back.
extension CommandTable {
  static let backVerbs: [VerbSpec] = [
    VerbSpec(
      "undo", aliases: ["u"], usage: "[TXN]", "take back my last command",
      details: """
        The last command of this terminal; elsewhere, or in a terminal that gave none, the last of this
        machine. Also after it was sent to others, and never what somebody else did: what was changed
        since stays as it is and is named, with exit code 5. TXN is a name that --list or a result shows.
        An import and a command on many items are one step.
        """,
      flags: [
        FlagSpec("--list", "show what can be taken back, newest first"),
        FlagSpec("--force", "take back also what was changed since"),
      ],
      examples: [
        .init("hedge undo", "the last command"), .init("hedge undo -n", "what it would do"),
        .init("hedge undo --list", "all that is remembered"),
      ], exits: [5, 6], dryRun: .says),
    VerbSpec(
      "redo", usage: "[TXN]", "do again what undo took back",
      details: "A new command of the same terminal ends what can be redone.",
      flags: [FlagSpec("--force", "do it again also where it was changed since")],
      examples: [.init("hedge redo", "the last undo, taken back")], exits: [5, 6], dryRun: .says),
    VerbSpec(
      "restore", usage: "[@LIST] ITEM… | @LIST", "bring back what anyone removed",
      details: """
        An item comes back where it was, with all that was hidden under it, at any time; what was removed
        above it comes back too. ITEM is a handle, a number or a text as hedge trash shows it. @LIST alone
        is the list itself.
        """,
      examples: [
        .init("hedge restore x3v", "by handle"), .init("hedge restore @groceries", "a whole list"),
      ], exits: [5, 6], dryRun: .says),
    VerbSpec(
      "trash", usage: "[@LIST]", "what was removed or lost its place",
      details: """
        Newest first. Items in Recovered are those that somebody moved or added under something that was
        removed meanwhile; hedge restore and hedge mv take them out. With @LIST all that was removed
        inside it, also of a list that is removed itself.
        """,
      flags: [FlagSpec("--limit", value: "N", "at most N rows")],
      examples: [.init("hedge trash", "then: hedge restore 2")]),
    VerbSpec(
      "conflicts", usage: "[@LIST | take ID]", "merge decisions that were made for you",
      details: """
        Where two machines wrote the same cell without having seen each other, one value was kept. take
        writes the other one, as a command of its own that undo takes back. The list is of this machine.
        """,
      examples: [
        .init("hedge conflicts", "newest first"),
        .init("hedge conflicts take c-12", "the value that was dropped"),
      ], exits: [5, 6], subverbs: ["take"], dryRun: .says),
  ]
}
