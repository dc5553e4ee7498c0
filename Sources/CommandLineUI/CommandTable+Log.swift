// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Verbs about who did what, and about the devices.
extension CommandTable {
  static let logVerbs: [VerbSpec] = [
    VerbSpec(
      "log", usage: "[@LIST] [ITEM]", "who changed what and when",
      details: """
        The newest first, as far as the change log of this machine reaches. Times are by the clock of the
        one who wrote.
        """,
      flags: [
        FlagSpec("--by", value: "DEVICE", "only what that device did"),
        FlagSpec("--since", value: "WHEN", "30m, 2h, 3d, a date or a moment"),
        FlagSpec("--limit", value: "N", "at most N changes; 50 if not given"),
      ],
      examples: [
        .init("hedge log @gro --since 2h", "what happened lately"),
        .init("hedge log k7m", "the history of one item"),
      ], exits: [5, 6]),
    VerbSpec(
      "wait", usage: "[TXN]", "wait until my changes are stored elsewhere",
      details: """
        All that this device wrote so far, or one transaction; stored means on disk there. Without a flag
        one other machine is enough. --timeout ends it with exit code 7.
        """,
      flags: [
        FlagSpec("--peer", value: "PEER", "on that machine"),
        FlagSpec("--all", "on all of them"),
        FlagSpec("--any", value: "N", "on so many of them, whichever they are"),
      ],
      examples: [
        .init("hedge wait && poweroff", "before the lid is closed"),
        .init("hedge wait --all --timeout 30", "or give up after half a minute"),
      ], exits: [6, 7]),
  ]

  static let memberVerbs: [VerbSpec] = [
    VerbSpec(
      "members", "the devices of the space: roles, who added them",
      examples: [.init("hedge members", "device ids to compare")], exits: [6]),
    VerbSpec(
      "role", usage: "DEVICE admin|member|reader", "say what a device may do",
      details: """
        admin may also change who belongs to the space, member writes, reader only reads. For admins; the
        last one stays one.
        """,
      examples: [.init("hedge role tablet reader", "it only reads from now on")], exits: [4, 5, 6],
      dryRun: .refused),
    VerbSpec(
      "alias", usage: "DEVICE NAME", "give a device another name, for all",
      details: "Every device may rename itself, an admin any other.",
      examples: [.init("hedge alias study 'old study'", "seen by everybody")], exits: [4, 5, 6],
      dryRun: .refused),
    VerbSpec(
      "revoke", usage: "DEVICE", "remove a device from the space: lost, sold or stolen",
      details: """
        It keeps what it has received and gets nothing more; nobody who knows takes anything from it. What
        it wrote before stays, as far as this machine has it. Works while it and others are off: they hear
        of it when they are met, hedge members says who has not. It comes back only with a new key. For
        admins; asks first, --yes does not.
        """,
      examples: [.init("hedge revoke tablet", "it was left on the train")], exits: [4, 5, 6, 10],
      dryRun: .says),
  ]
}
