// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// One item with all that is known of it: `hedge show`.
extension Renderer {
  func itemTable(_ detail: ItemDetail, _ out: inout [UInt8]) {
    guard let row = detail.page.rows.first else { return }
    Self.line(
      phrases.bold(Phrases.text(row.text)) + phrases.dot + row.handle + phrases.dot
        + (row.isDone ? "done" : "open"), &out)
    Self.line(place(detail), &out)
    var layout = TableLayout([
      .init(heading: "field"), .init(heading: "value", isFlexible: true), .init(heading: "by"),
      .init(heading: "when"),
    ])
    for field in detail.fields {
      layout.add([
        Phrases.text(field.name), Phrases.value(field.value), Phrases.text(field.by),
        phrases.when(field.at),
      ])
    }
    layout.write(display, to: &out)
    if row.childCount > 0 {
      Self.line(
        "\(Phrases.count(row.childCount, "item")) under it, \(row.doneChildCount) done", &out)
    }
    for entry in detail.overridden { Self.line(decision(entry), &out) }
    Self.line("id \(row.id.hex)", &out)
  }

  /// `2 of 4 in groceries, under party, put there by den 3 min ago`.
  private func place(_ detail: ItemDetail) -> String {
    guard let placed = detail.placed else { return "a list" }
    let list = Phrases.text(detail.list.name)
    var line =
      detail.position.map { "\($0) of \(detail.siblingCount) in \(list)" }
      ?? "\(detail.status), from \(list)"
    if let under = placed.under { line += ", under \(Phrases.text(under))" }
    return line + ", put there by \(Phrases.text(placed.by)) \(phrases.when(placed.at))"
  }

  /// `qty: kept 3 (loft, 2 min ago), dropped 2 (den, 3 min ago)`.
  private func decision(_ entry: ItemDetail.Overridden) -> String {
    "! \(Phrases.text(entry.name)): kept \(Phrases.text(entry.kept)) "
      + "(\(Phrases.text(entry.keptBy)), \(phrases.when(entry.keptAt))), "
      + "dropped \(Phrases.text(entry.dropped)) "
      + "(\(Phrases.text(entry.droppedBy)), \(phrases.when(entry.droppedAt)))"
  }

  /// One line a fact: `field NAME VALUE BY AT`, `place LIST POSITION BY AT`,
  /// `overridden NAME KEPT BY AT DROPPED BY AT`.
  func itemPlain(_ detail: ItemDetail, _ out: inout [UInt8]) {
    for field in detail.fields {
      Self.tabbed(
        ["field", field.name, Phrases.value(field.value), field.by, CivilTime.rfc3339(field.at)],
        &out)
    }
    if let placed = detail.placed {
      Self.tabbed(
        [
          "place", detail.list.name, detail.position.map(String.init) ?? detail.status, placed.by,
          CivilTime.rfc3339(placed.at),
        ], &out)
    }
    for entry in detail.overridden {
      Self.tabbed(
        [
          "overridden", entry.name, entry.kept, entry.keptBy, CivilTime.rfc3339(entry.keptAt),
          entry.dropped, entry.droppedBy, CivilTime.rfc3339(entry.droppedAt),
        ], &out)
    }
  }
}
