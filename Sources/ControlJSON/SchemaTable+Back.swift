// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Undo, trash, merge decisions, and what is done with whole lists.
extension SchemaTable {
  static let backBodies: [(String, Schema)] = [
    (
      "undo_choice",
      closed([.may("txn", .string), .may("force", .bool), .may("dry_run", .bool)])
    ),
    ("new_name", closed([.must("name", .string)])),
    (
      "member_change",
      .any([
        closed([.must("name", .string)]),
        .object([.must("role", .words(["admin", "member", "reader"]))], isOpen: false),
      ])
    ),
    ("list_choice", closed([.must("list", .string)])),
    ("dry_choice", closed([.may("dry_run", .bool)])),
  ]

  static let removalFields: [Schema.Field] = [
    .must("name", .string), .must("device", .string), .must("by", .string),
    .must("unconfirmed", .array(.string)),
  ]

  static let backDocuments: [(String, Schema)] = [
    (
      "columns",
      document(
        "columns",
        [.must("list", .named("list_ref")), .must("columns", .array(.named("column")))])
    ),
    ("stored", document("stored", [.must("peers", .array(.string))])),
    (
      "members",
      document(
        "members",
        [
          .must(
            "members",
            .array(
              .object(
                [
                  .must("name", .string), .must("device", .string), .must("role", .string),
                  .must("state", .words(["active", "silent", "removed"])),
                  .must("added_by", .optional(.string)), .must("at", .optional(.time)),
                  .must("self", .bool), .must("removed_by", .optional(.string)),
                  .must("unconfirmed", .array(.string)),
                ], isOpen: true)))
        ])
    ),
    ("revoked", document("revoked", removalFields)),
    (
      "log",
      document(
        "log",
        [
          .must(
            "log",
            .array(
              .object(
                [
                  .must("txn", .string), .must("at", .time), .must("by", .string),
                  .must("list", .optional(.string)), .must("changed", .int),
                  .must("items", .array(.named("touched"))),
                ], isOpen: true)))
        ])
    ),
    ("using", document("using", [.must("list", .optional(.named("list_ref")))])),
    (
      "found",
      document(
        "found",
        [
          .must("count", .int),
          .must(
            "items",
            .array(
              .object(
                [
                  .must("id", id), .must("handle", .string),
                  .must("state", .words(["open", "done"])), .must("text", .string),
                  .must("parent", .optional(id)), .must("list", .named("list_ref")),
                  .must("path", .array(.string)), .must("children", .int), .must("at", .time),
                  .must("by", .string),
                ], isOpen: true))),
        ])
    ),
    (
      "undo",
      document(
        "undo",
        [
          .must("redo", .bool), .must("undone", .optional(.string)),
          .must("txn", .optional(.string)), .must("changed", .int), .may("dry_run", .bool),
          .may("list", .named("list_ref")), .must("items", .array(.named("touched"))),
          .must(
            "stayed",
            .array(
              .object(
                [
                  .must("id", id), .must("handle", .string), .must("text", .string),
                  .must("col", .optional(.string)), .must("by", .optional(.string)),
                  .must("why", .string),
                ], isOpen: true))),
        ])
    ),
    (
      "undo_steps",
      document(
        "undo_steps",
        [
          .must(
            "steps",
            .array(
              .object(
                [
                  .must("txn", .string), .must("at", .time), .must("client", .optional(.string)),
                  .must("undone", .bool), .must("stayed", .bool),
                  .must("list", .optional(.string)), .must("changed", .int),
                  .must("items", .array(.named("touched"))),
                ], isOpen: true)))
        ])
    ),
    (
      "trash",
      document(
        "trash",
        [
          .must("count", .int),
          .must(
            "trash",
            .array(
              .object(
                [
                  .must("id", id), .must("handle", .string), .must("text", .string),
                  .must("state", .words(["removed", "recovered"])),
                  .must("list", .optional(.string)), .must("parent", .optional(.string)),
                  .must("hidden", .int), .must("at", .time), .must("by", .string),
                ], isOpen: true))),
        ])
    ),
    (
      "conflicts",
      document(
        "conflicts",
        [
          .must(
            "conflicts",
            .array(
              .object(
                [
                  .must("id", .string), .must("list", .string), .must("item", id),
                  .must("handle", .string), .must("text", .string), .must("col", .string),
                  .must("kept", side), .must("dropped", side), .must("taken", .bool),
                ], isOpen: true)))
        ])
    ),
  ]

  private static let side = Schema.object(
    [.must("value", value), .must("by", .string), .must("at", .time)], isOpen: true)
}
