// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import ListService
import SQLiteStore

/// Rules and settings of notifications as rows of this machine.
enum NotifyRows {
  static let ruleKind = "notify-rule"
  static let settingsKind = "notify-settings"

  static func row(_ rule: NotifyRule, isGone: Bool = false) -> LocalRow {
    let fields = bytes([
      rule.subject.hex, rule.isItem ? "1" : "", rule.column ?? "",
      rule.condition?.spelling ?? "", rule.isEdge ? "1" : "", "\(rule.hysteresisPercent)",
      "\(rule.everySeconds)",
    ])
    return LocalRow(kind: ruleKind, key: fields, value: isGone ? nil : [1])
  }

  static func row(_ settings: NotifySettings) -> LocalRow {
    LocalRow(
      kind: settingsKind, key: [],
      value: bytes([
        settings.isDesktop ? "1" : "", settings.command ?? "", settings.address ?? "",
        settings.quiet?.spelling ?? "", settings.mutedUntil.map { "\($0)" } ?? "",
      ]))
  }

  /// `nil` for bytes of another shape.
  static func rule(_ row: LocalRow) -> NotifyRule? {
    guard let fields = texts(row.key), fields.count == 7, let subject = ItemID(hex: fields[0]),
      let percent = Int(fields[5]), let seconds = Int(fields[6])
    else { return nil }
    var condition: Filter?
    if !fields[3].isEmpty {
      guard let parsed = try? Filter(parsing: fields[3]) else { return nil }  // a damaged row
      condition = parsed
    }
    return NotifyRule(
      subject: subject, isItem: !fields[1].isEmpty, column: fields[2].isEmpty ? nil : fields[2],
      condition: condition, isEdge: !fields[4].isEmpty, hysteresisPercent: percent,
      everySeconds: seconds)
  }

  static func settings(_ row: LocalRow) -> NotifySettings? {
    guard let fields = texts(row.value ?? []), fields.count == 5 else { return nil }
    var settings = NotifySettings()
    settings.isDesktop = !fields[0].isEmpty
    settings.command = fields[1].isEmpty ? nil : fields[1]
    settings.address = fields[2].isEmpty ? nil : fields[2]
    settings.quiet = QuietHours(fields[3])
    settings.mutedUntil = Int64(fields[4])
    return settings
  }

  // MARK: Texts

  /// Each with its length before it.
  private static func bytes(_ texts: [String]) -> [UInt8] {
    var out: [UInt8] = []
    for text in texts {
      appendBigEndian(UInt32(text.utf8.count), to: &out)
      out.append(contentsOf: text.utf8)
    }
    return out
  }

  private static func texts(_ bytes: [UInt8]) -> [String]? {
    var out: [String] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      guard rest.count >= 4 else { return nil }
      let count = Int(rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
      rest = rest.dropFirst(4)
      guard rest.count >= count,
        let text = String(validating: rest.prefix(count), as: UTF8.self)
      else { return nil }
      out.append(text)
      rest = rest.dropFirst(count)
    }
    return out
  }
}
