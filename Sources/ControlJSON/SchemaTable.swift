// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// The shared schemas of the API, by name.
enum SchemaTable {
  static let all: [(name: String, schema: Schema)] =
    parts + documents + backDocuments + notifyDocuments + bodies + backBodies + notifyBodies

  /// A document: `v` and `kind`, then these.
  static func document(_ kind: String, _ fields: [Schema.Field]) -> Schema {
    .object([.must("v", .int), .must("kind", .words([kind]))] + fields, isOpen: true)
  }

  static let id = Schema.pattern("^[0-9a-f]{24}$")
  /// What a cell of an item holds: numbers that are not whole, dates and moments are strings.
  static let value = Schema.any([.string, .int, .bool, .null])

  private static let parts: [(String, Schema)] = [
    (
      "problem",
      .object(
        [
          .must("v", .int), .must("type", .string), .must("title", .string), .must("exit", .int),
          .may("detail", .string), .may("suggest", .string),
        ], isOpen: true)
    ),
    (
      "list_ref",
      .object(
        [.must("id", id), .must("handle", .string), .must("name", .string), .must("rev", .string)],
        isOpen: true)
    ),
    (
      "column",
      .object(
        [
          .must("name", .string), .must("type", .string), .must("required", .bool),
          .must("default", .optional(.string)),
        ], isOpen: true)
    ),
    (
      "list",
      .object(
        [
          .must("id", id), .must("handle", .string), .must("name", .string), .must("items", .int),
          .must("open", .int), .must("done", .int), .must("columns", .array(.named("column"))),
          .must("title", .optional(.string)), .must("at", .optional(.time)),
          .must("by", .optional(.string)),
        ], isOpen: true)
    ),
    ("item", .object(itemFields, isOpen: true)),
    (
      "item_detail",
      .object(
        itemFields + [
          .must("list", .named("list_ref")), .must("depth", .int), .must("status", .string),
          .must("position", .optional(.int)),
          .must(
            "fields",
            .array(
              .object(
                [
                  .must("name", .string), .must("value", value), .must("by", .string),
                  .must("at", .time),
                ], isOpen: true))), .must("overridden", .array(.anything)),
        ], isOpen: true)
    ),
    (
      "touched",
      .object(
        [
          // Null for what a dry run would make.
          .must("id", .optional(id)), .must("handle", .optional(.string)), .must("op", .string),
          .must("text", .string), .may("position", .int), .may("hidden", .int),
        ], isOpen: true)
    ),
    (
      "peer",
      .object(
        [
          .must("name", .string), .must("device", .string),
          .must("state", .words(PeerState.allCases.map(\.rawValue))),
          .must("address", .optional(.string)), .must("rtt_ms", .anything),
          .must("to_send", .optional(.int)), .must("to_get", .optional(.int)),
          .must("last_contact", .optional(.time)), .must("role", .string),
          .must("version", .optional(.string)),
        ], isOpen: true)
    ),
    (
      "event",
      .object(
        [
          .must("ev", .words(Event.Kind.allCases.map(\.rawValue))), .may("cursor", .string),
          .may("list", .string), .may("id", id), .may("handle", .string), .may("by", .string),
          .may("client", .optional(.string)), .may("mine", .bool), .may("txn", .optional(.string)),
          .may("at", .time),
        ], isOpen: true)
    ),
    ("status_members", .object(statusFields, isOpen: true)),
  ]

  private static let itemFields: [Schema.Field] = [
    .must("id", id), .must("handle", .string), .must("state", .words(["open", "done"])),
    .must("text", .string), .must("parent", .optional(id)), .must("cols", .map(value)),
    .must("children", .int), .must("at", .time), .must("by", .string), .may("depth", .int),
    // There only because of what is under it.
    .may("context", .bool),
  ]

  private static let statusFields: [Schema.Field] = [
    .must("device", .string), .must("device_id", .string), .must("name", .string),
    .must("space", .string),
    .must(
      "agent",
      .object(
        [.must("version", .string), .must("uptime_s", .int), .must("paused", .bool)], isOpen: true)
    ),
    .must("web", .optional(.string)), .must("lan", .optional(.string)),
    .must("certificate", .optional(.string)), .must("changes_on", .int),
    .must("all_arrived", .bool),
    .must("peers", .array(.named("peer"))), .must("recovered", .int),
    .must("merge_decisions", .int),
    .must(
      "warnings",
      .array(
        .object(
          [.must("code", .words(Warning.Code.allCases.map(\.rawValue))), .must("text", .string)],
          isOpen: true))),
  ]

  private static let tokenFields: [Schema.Field] = [
    .must("name", .string), .must("ro", .bool), .must("created", .time),
  ]

  private static let guestFields: [Schema.Field] = [
    .must("name", .string), .must("list", .string), .must("role", guestRole),
    .must("created", .time), .must("expires", .time),
  ]
  static let guestRole = Schema.words(GuestRole.allCases.map(\.rawValue))

  private static let documents: [(String, Schema)] = [
    ("lists", document("lists", [.must("lists", .array(.named("list")))])),
    (
      "overview",
      document(
        "overview",
        [.must("lists", .array(.named("list"))), .must("status", .named("status_members"))])
    ),
    (
      "items",
      document(
        "items",
        [
          .must("list", .named("list_ref")), .must("cursor", .string),
          .must("items", .array(.named("item"))),
        ])
    ),
    ("show", document("item", [.must("item", .named("item_detail"))])),
    (
      "result",
      document(
        "result",
        [
          .must("txn", .optional(.string)), .must("changed", .int), .may("dry_run", .bool),
          .may("list", .named("list_ref")), .must("items", .array(.named("touched"))),
          .must("unchanged", .array(.named("touched"))),
          .must("maybe_same", .array(.named("touched"))),
          .may(
            "rejected",
            .array(
              .object(
                [
                  .must("id", id), .must("handle", .string), .must("text", .string),
                  .must("why", .string),
                ], isOpen: true))),
        ])
    ),
    ("status", document("status", statusFields)),
    (
      "peers",
      document(
        "peers",
        [
          .must("peers", .array(.named("peer"))), .must("addresses", .array(.string)),
          .must("removals", .array(.object(removalFields, isOpen: true))),
          .must("removed_by", .optional(.string)),
        ])
    ),
    (
      "sync",
      document("sync", [.must("paused", .bool), .must("peers", .array(.named("peer")))])
    ),
    (
      "invite",
      document(
        "invite",
        [
          .must("invite", .string), .must("code", .string), .must("expires", .time),
          .must("role", .string),
          .must("name", .string), .must("device", .string),
        ])
    ),
    (
      "joiner",
      document(
        "joiner", [.must("name", .string), .must("device", .string), .must("role", .string)])
    ),
    (
      "joined",
      document(
        "joined",
        [.must("space", .string), .must("lists", .int), .must("items", .int)])
    ),
    ("inspection", document("inspection", [.must("target", .string)])),
    (
      "import",
      document(
        "import",
        [
          .must("list", .string), .must("txn", .optional(.string)), .must("dry_run", .bool),
          .must("created", .int), .must("updated", .int), .must("unchanged", .int),
          .must("removed", .int), .must("skipped", .int),
          .must("columns", .array(.named("column"))),
          .must(
            "skips",
            .array(.object([.must("line", .int), .must("reason", .string)], isOpen: true))),
          .must("notes", .array(.string)),
        ])
    ),
    (
      "changes",
      document(
        "changes", [.must("cursor", .string), .must("events", .array(.named("event")))])
    ),
    (
      "version",
      document(
        "version",
        [
          .must("version", .string), .must("protocol", .optional(.int)),
          .must("store", .optional(.int)), .must("libraries", .map(.string)),
        ])
    ),
    (
      "agent",
      document(
        "agent",
        [
          .must("pid", .int), .must("version", .string), .must("uptime_s", .int),
          .must("data", .string), .must("socket", .string), .must("peer_port", .optional(.int)),
        ])
    ),
    ("done", document("done", [.must("done", .string), .must("subject", .string)])),
    (
      "web_link",
      document(
        "web_link",
        [
          .must("url", .string), .must("lan_url", .optional(.string)),
          .must("certificate", .optional(.string)), .must("expires", .time),
          .must("valid_s", .int),
        ])
    ),
    ("web_lan", .any([.named("web_link"), .named("done")])),
    (
      "web_guests",
      document("web_guests", [.must("guests", .array(.object(guestFields, isOpen: true)))])
    ),
    (
      "web_guest",
      document(
        "web_guest",
        guestFields + [.must("url", .string), .must("certificate", .optional(.string))])
    ),
    (
      "web_tokens",
      document("web_tokens", [.must("tokens", .array(.object(tokenFields, isOpen: true)))])
    ),
    ("web_token", document("web_token", tokenFields + [.must("token", .string)])),
  ]
}
