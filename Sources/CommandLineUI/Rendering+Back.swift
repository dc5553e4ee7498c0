// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// Undo, trash and merge decisions.
extension Renderer {
  func undoLines(_ reply: UndoReply, _ rendered: inout Rendered) {
    guard let undone = reply.undone else {
      if !display.isQuiet {
        Self.line("nothing to \(reply.isRedo ? "redo" : "undo")", &rendered.out)
      }
      return
    }
    if !display.isQuiet {
      let would = reply.result.isDryRun ? "would have " : ""
      let verb = reply.isRedo ? "did again" : "undid"
      Self.line(
        "\(would)\(reply.result.isDryRun ? participle(reply) : verb) \(undone)", &rendered.out)
    }
    if reply.result.touched.isEmpty {
      if reply.stays.isEmpty, !display.isQuiet { Self.line("it is as it was", &rendered.out) }
    } else {
      resultLines(reply.result, &rendered, hasNext: false)
    }
    stayLines(reply, &rendered.err)
  }

  private func participle(_ reply: UndoReply) -> String { reply.isRedo ? "done again" : "undone" }

  func stayLines(_ reply: UndoReply, _ err: inout [UInt8]) {
    for stay in reply.stays.prefix(20) {
      let column = stay.column.map { " \(Phrases.text($0))" } ?? ""
      let name = "\(stay.handle) \(Phrases.text(stay.text))"
      Self.line("hedge: left as it is: \(name)\(column): \(Phrases.text(stay.reason))", &err)
    }
    if reply.stays.count > 20 { Self.line("hedge: and \(reply.stays.count - 20) more", &err) }
    if !reply.stays.isEmpty, let undone = reply.undone {
      let verb = reply.isRedo ? "redo" : "undo"
      Self.line("hedge: to do it all the same: hedge \(verb) --force \(undone)", &err)
    }
  }

  func undoStepLines(_ rows: [UndoStepRow], _ out: inout [UInt8]) {
    guard !rows.isEmpty else {
      Self.line("nothing to undo", &out)
      return
    }
    var layout = TableLayout([
      .init(heading: "command"), .init(heading: "when"), .init(heading: "what", isFlexible: true),
    ])
    for row in rows {
      layout.add([row.transaction, phrases.when(row.at), what(row)], isDim: row.isUndone)
    }
    layout.write(display, to: &out)
  }

  func undoStepsPlain(_ rows: [UndoStepRow], _ out: inout [UInt8]) {
    for row in rows {
      let state = row.isUndone ? "undone" : row.hasStayed ? "stayed" : "done"
      Self.tabbed(
        [row.transaction, state, CivilTime.rfc3339(row.at), String(row.itemCount), what(row)], &out)
    }
  }

  private func what(_ row: UndoStepRow) -> String {
    guard let verb = row.items.first?.verb else { return Phrases.count(row.itemCount, "item") }
    let same = row.items.filter { $0.verb == verb }
    let text = amongOthers(
      sentence(verb, same, row.listName, count: row.alikeCount), row.itemCount - row.alikeCount)
    if row.isUndone { return "undone; redo: \(text)" }
    return row.hasStayed ? "\(text) (partly undone)" : text
  }

  // MARK: Trash

  func trashTable(_ reply: TrashReply, _ out: inout [UInt8]) {
    guard !reply.rows.isEmpty else {
      Self.line("nothing was removed", &out)
      return
    }
    var layout = TableLayout([
      .init(heading: "#", isRight: true), .init(heading: "id"),
      .init(heading: "item", isFlexible: true), .init(heading: "from"), .init(heading: "state"),
      .init(heading: "when"), .init(heading: "by"),
    ])
    for row in reply.rows {
      let under = row.hiddenCount > 0 ? " (+\(row.hiddenCount))" : ""
      layout.add([
        row.number.map(String.init) ?? "", row.handle, Phrases.text(row.text) + under,
        Phrases.text(place(row)), row.isRecovered ? "recovered" : "removed", phrases.when(row.at),
        Phrases.text(row.by),
      ])
    }
    layout.write(display, to: &out)
    if reply.count > reply.rows.count {
      Self.line("and \(reply.count - reply.rows.count) more: hedge trash @LIST", &out)
    }
  }

  func trashPlain(_ reply: TrashReply, _ out: inout [UInt8]) {
    for row in reply.rows {
      Self.tabbed(
        [
          row.handle, row.isRecovered ? "recovered" : "removed", row.text.string, place(row),
          CivilTime.rfc3339(row.at), row.by,
        ], &out)
    }
  }

  private func place(_ row: TrashRow) -> String {
    [row.list, row.parent].compactMap(\.self).joined(separator: "/")
  }

  // MARK: Conflicts

  func conflictLines(_ rows: [ConflictRow], _ out: inout [UInt8]) {
    guard !rows.isEmpty else {
      Self.line("no merge decisions", &out)
      return
    }
    for row in rows {
      var line = "\(row.id) \(Phrases.text(row.list)) \(row.handle) \(Phrases.text(row.text))"
      line += " \(Phrases.text(row.column)): kept \(side(row.kept)), dropped \(side(row.dropped))"
      line += row.isTaken ? phrases.dot + "taken" : "   other value: hedge conflicts take \(row.id)"
      Self.line(line, &out)
    }
  }

  private func side(_ side: ConflictRow.Side) -> String {
    let value = Phrases.value(side.value)
    return
      "\(value.isEmpty ? phrases.none : value) (\(Phrases.text(side.by)), \(phrases.when(side.at)))"
  }

  func conflictsPlain(_ rows: [ConflictRow], _ out: inout [UInt8]) {
    for row in rows {
      Self.tabbed(
        [
          row.id, row.list, row.handle, row.column, ValueText.print(row.kept.value), row.kept.by,
          ValueText.print(row.dropped.value), row.dropped.by, row.isTaken ? "taken" : "",
        ], &out)
    }
  }
}
