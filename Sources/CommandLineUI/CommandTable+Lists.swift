// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Verbs about whole lists.
extension CommandTable {
  static let listVerbs: [VerbSpec] = [
    VerbSpec(
      "find", aliases: ["f"], usage: "WORDS…", "look for items in all lists",
      details: """
        All words must stand in the text, the note or the columns; case does not count. In a pipe the
        first field is the handle, so that another command can take it.
        """,
      flags: [
        FlagSpec("--all", "-a", "also what is done"), FlagSpec("--done", "only what is done"),
        FlagSpec("--limit", value: "N", "at most N rows"),
      ],
      examples: [
        .init("hedge find oat milk", "wherever it is"),
        .init("hedge find passport | hedge done -", "and tick it"),
      ]),
    VerbSpec(
      "clear", usage: "[@LIST]", "remove what is done",
      details: """
        What is done but has something open under it stays. More than 10 items are asked for; -y answers
        yes. hedge undo and hedge restore bring them back.
        """,
      examples: [.init("hedge clear @gro", "after shopping")], exits: [5, 6, 10], dryRun: .says),
    VerbSpec(
      "rename", usage: "@LIST NAME", "give a list another name",
      examples: [.init("hedge rename @gro food", "the items stay as they are")], exits: [5, 6],
      dryRun: .says),
    VerbSpec(
      "drop", usage: "@LIST", "remove a whole list",
      details: """
        Asks for the name of the list; -y goes without. hedge restore @LIST brings it back with all that
        was in it, at any time.
        """,
      examples: [.init("hedge drop @old", "asks first")], exits: [5, 6, 10], dryRun: .says),
    VerbSpec(
      "cols", usage: "[@LIST] [add COLUMN:TYPE… | rename A B | drop A | retype A TYPE | order A…]",
      "the columns of a list",
      details: """
        Without more words it shows them. A rename keeps all values, also those that others write
        meanwhile. drop hides a column, its values stay in the items. retype converts what fits the new
        type; what does not stays as it is and is named, with exit code 8; -n shows it before. The column
        that is the items' text can be renamed only.
        """,
      examples: [
        .init("hedge cols @gro", "what there is"),
        .init("hedge cols @gro add store:text", "one more"),
        .init("hedge cols -n @gro retype qty num", "what would not fit"),
      ], exits: [5, 6, 8], subverbs: ["add", "rename", "drop", "retype", "order"], dryRun: .says),
    VerbSpec(
      "use", usage: "[@LIST | --none]", "the list of this terminal",
      details: "From then on commands in this terminal that name no list mean it.",
      flags: [FlagSpec("--none", "choose none")],
      examples: [.init("hedge use @gro", "then: hedge add milk")], exits: [5, 6], dryRun: .refused),
  ]
}
