// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// The log and the members.
extension Renderer {
  func logTable(_ rows: [LogRow], _ out: inout [UInt8]) {
    guard !rows.isEmpty else {
      Self.line("nothing in the log", &out)
      return
    }
    var layout = TableLayout([
      .init(heading: "when"), .init(heading: "by"), .init(heading: "what", isFlexible: true),
      .init(heading: "change"),
    ])
    for row in rows {
      layout.add([
        phrases.when(row.at), Phrases.text(row.by), what(row), row.transaction,
      ])
    }
    layout.write(display, to: &out)
  }

  func logPlain(_ rows: [LogRow], _ out: inout [UInt8]) {
    for row in rows {
      Self.tabbed(
        [
          CivilTime.rfc3339(row.at), row.by, row.listName ?? "", row.transaction,
          String(row.itemCount), what(row),
        ], &out)
    }
  }

  private func what(_ row: LogRow) -> String {
    guard let first = row.items.first else { return "" }
    let text: String
    let told: Int
    if first.touched.verb == .set, let column = first.column {
      // A write of several columns of one item is told in one breath.
      let same = row.items.filter { $0.touched.id == first.touched.id && $0.column != nil }
      let cells = same.map {
        "\(Phrases.text($0.column ?? column))=\(Phrases.text($0.value ?? ""))"
      }
      text = "\(name(first.touched)): \(cells.joined(separator: ", "))"
      told = same.count
    } else {
      let same = row.items.filter { $0.touched.verb == first.touched.verb }
      text = sentence(
        first.touched.verb, same.map(\.touched), row.listName, count: row.alikeCount)
      told = row.alikeCount
    }
    return amongOthers(text, row.itemCount - told)
  }

  func membersTable(_ rows: [MemberRow], _ out: inout [UInt8]) {
    var layout = TableLayout([
      .init(heading: "device", isFlexible: true), .init(heading: "id"), .init(heading: "role"),
      .init(heading: "state"), .init(heading: "added by"), .init(heading: "last contact"),
    ])
    for row in rows {
      let mark = row.isSelf ? " (this one)" : ""
      let contact = row.isSelf ? "" : row.at.map(phrases.when) ?? "never"
      layout.add(
        [
          Phrases.text(row.name) + mark, row.device, row.role, row.state.rawValue,
          row.addedBy.map { Phrases.text($0) } ?? phrases.none, contact,
        ], isDim: row.state == .removed)
    }
    layout.write(display, to: &out)
    for row in rows { if let removal = row.removal { removalLine(removal, &out) } }
  }

  /// Who removed a device, and who may not know of it yet.
  func removalLine(_ row: RemovalRow, _ out: inout [UInt8]) {
    let names = row.unconfirmed.map(Phrases.text).joined(separator: ", ")
    let rest = names.isEmpty ? "confirmed by all" : "not yet confirmed by \(names)"
    Self.line("\(Phrases.text(row.name)) was removed by \(Phrases.text(row.by)): \(rest)", &out)
  }

  /// What became of `hedge revoke`.
  func revokedLines(_ row: RemovalRow, _ rendered: inout Rendered) {
    if display.isQuiet { return }
    let name = Phrases.text(row.name)
    if display.format == .plain {
      Self.tabbed([row.name, row.device, row.unconfirmed.joined(separator: ",")], &rendered.out)
      return
    }
    Self.line("removed \(name) (\(row.device))", &rendered.out)
    Self.line(
      "It keeps what it has received; nothing more goes there, and what it writes from now on is taken by nobody.",
      &rendered.out)
    guard !row.unconfirmed.isEmpty else { return }
    let names = row.unconfirmed.map(Phrases.text).joined(separator: ", ")
    Self.line(
      "not yet confirmed by \(names): until then \(name) may exchange changes there", &rendered.out)
  }

  func membersPlain(_ rows: [MemberRow], _ out: inout [UInt8]) {
    for row in rows {
      Self.tabbed(
        [
          row.name, row.device, row.role, row.state.rawValue, row.addedBy ?? "",
          row.at.map(CivilTime.rfc3339) ?? "",
        ] + (row.removal.map { [$0.by, $0.unconfirmed.joined(separator: ",")] } ?? []), &out)
    }
  }
}
