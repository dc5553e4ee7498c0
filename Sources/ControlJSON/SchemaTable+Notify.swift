// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Notifications.
extension SchemaTable {
  private static let target: [Schema.Field] = [
    .may("list", .string), .may("item", .string), .may("col", .string), .may("where", .string),
  ]

  static let notifyBodies: [(String, Schema)] = [
    ("notify_target", closed(target)),
    (
      "notify_rule",
      closed(
        target + [
          .may("edge", .bool), .may("hysteresis", .atLeast(0)), .may("every_s", .atLeast(1)),
        ])
    ),
    (
      "notify_sinks",
      closed([
        .may("desktop", .bool), .may("exec", .string), .may("post", .string),
        .may("quiet", .string),
      ])
    ),
    ("mute", closed([.must("minutes", .atLeast(0))])),
  ]

  static let notifyDocuments: [(String, Schema)] = [
    (
      "notify",
      document(
        "notify",
        [
          .must(
            "rules",
            .array(
              .object(
                [
                  .must("list", .string), .must("id", .string), .must("handle", .string),
                  .must("text", .optional(.string)), .must("col", .optional(.string)),
                  .must("where", .optional(.string)), .must("edge", .bool),
                  .must("hysteresis", .int), .must("every_s", .int),
                ], isOpen: true))), .must("desktop", .bool), .must("exec", .optional(.string)),
          .must("post", .optional(.string)), .must("quiet", .optional(.string)),
          .must("muted_until", .optional(.time)),
        ])
    )
  ]
}
