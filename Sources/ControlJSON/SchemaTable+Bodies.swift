// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What clients write. Nothing beyond the named fields is taken.
extension SchemaTable {
  static let bodies: [(String, Schema)] = [
    (
      "cols",
      .map(
        .any([
          .string, .int, .bool, .null,
          .object([.must("inc", .any([.int, .string]))], isOpen: false),
          // A word of a command line that may be a day or a moment, with its meanings.
          .object(
            [.must("text", .string), .may("date", .string), .may("time", .string)], isOpen: false),
        ]))
    ),
    ("new_item", closed(itemFields + placeFields + [.may("unique", .bool)])),
    ("put_item", closed(itemFields + placeFields + [.may("unique", .bool)])),
    (
      "patch_item",
      closed([
        .may("text", .string), .may("note", .string),
        .may("state", state), .may("cols", .named("cols")),
        .may("if", .named("cols")),
      ])
    ),
    (
      "move",
      closed(
        placeFields + [.may("list", .string), .may("to", .string)])
    ),
    (
      "new_list",
      closed([
        .must("name", .string), .may("columns", .array(.string)),
        .may("under", .string),
      ])
    ),
    (
      "txn",
      closed([.must("ops", .array(.named("op"))), .may("dry_run", .bool)])
    ),
    (
      "op",
      .any([
        closed([
          .must("op", .words(["new"])), .must("name", .string), .may("columns", .array(.string)),
          .may("under", .string),
        ]),
        closed(
          [.must("op", .words(["add"])), .may("list", .string), .may("unique", .bool)]
            + itemFields + placeFields),
        closed(
          [
            .must("op", .words(["add"])), .may("list", .string), .may("unique", .bool),
            .must("rows", .array(closed(itemFields))),
          ] + placeFields),
        closed(
          [
            .must("op", .words(["set", "edit"])), .may("text", .string), .may("note", .string),
            .may("cols", .named("cols")), .may("if", .named("cols")),
          ] + chosen),
        closed(
          [.must("op", .words(["done", "undone"])), .may("children", .bool)] + chosen),
        closed(
          [.must("op", .words(["move", "mv"])), .may("to", .string)] + placeFields + chosen),
        closed([.must("op", .words(["rm", "restore"]))] + chosen),
        closed([.must("op", .words(["clear"])), .may("list", .string)]),
        closed([
          .must("op", .words(["rename"])), .must("list", .string), .must("name", .string),
        ]),
        closed([
          .must("op", .words(["drop"])), .must("list", .string), .may("name", .string),
        ]),
        closed([
          .must("op", .words(["cols"])), .may("list", .string), .may("add", .array(.string)),
          .may("rename", .string), .may("name", .string), .may("drop", .string),
          .may("retype", .string), .may("type", .string), .may("order", .array(.string)),
        ]),
      ])
    ),
    ("address", closed([.must("address", .string)])),
    ("peer_choice", closed([.may("peer", .string)])),
    ("nothing", closed([])),
    (
      "role_choice",
      closed([.may("role", .words(["admin", "member", "reader"]))])
    ),
    ("join", closed([.must("code", .string), .may("at", .string)])),
    ("link_choice", closed([.may("qr", .bool)])),
    ("token_choice", closed([.must("name", .string), .may("ro", .bool)])),
    ("lan_choice", closed([.may("on", .bool), .may("qr", .bool)])),
    (
      "guest_choice",
      closed([
        .may("list", .string), .must("role", guestRole), .may("ttl_s", .atLeast(60)),
        .may("qr", .bool),
      ])
    ),
  ]

  /// An object with these fields and no others; what may be absent may be `null` too.
  static func closed(_ fields: [Schema.Field]) -> Schema {
    .object(
      fields.map { $0.isRequired ? $0 : .may($0.name, .optional($0.schema)) }, isOpen: false)
  }

  private static let state = Schema.words(["open", "done"])

  private static let itemFields: [Schema.Field] = [
    .may("text", .string), .may("note", .string), .may("state", state),
    .may("cols", .named("cols")), .may("id", .pattern("^[0-9a-f]{16}00000000$")),
    .may("depth", .atLeast(0)),
  ]

  /// One of them, or none.
  private static let placeFields: [Schema.Field] = [
    .may("after", .string), .may("before", .string),
    .may("parent", .string), .may("up", .atLeast(0)),
    .may("down", .atLeast(0)), .may("out", .bool),
    .may("position", .atLeast(0)),
  ]

  private static let chosen: [Schema.Field] = [
    .may("list", .string), .may("item", .string), .may("items", .array(.string)),
  ]
}
