// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// Columns, and items of all lists.
extension Renderer {
  func columnsTable(_ list: ListRef, _ columns: [Column], _ out: inout [UInt8]) {
    guard !columns.isEmpty else {
      Self.line("\(Phrases.text(list.name)) has no columns: hedge cols @LIST add NAME:TYPE", &out)
      return
    }
    var layout = TableLayout([
      .init(heading: "column", isFlexible: true), .init(heading: "type"),
      .init(heading: "required"), .init(heading: "default"),
    ])
    for column in columns {
      layout.add([
        Phrases.text(column.name), Phrases.text(column.type.spelling),
        column.isRequired ? "yes" : "", Phrases.text(column.defaultText ?? ""),
      ])
    }
    layout.write(display, to: &out)
  }

  func columnsPlain(_ columns: [Column], _ out: inout [UInt8]) {
    for column in columns { Self.tabbed([column.name, column.spec], &out) }
  }

  func foundTable(_ found: FoundReply, _ out: inout [UInt8]) {
    guard !found.rows.isEmpty else {
      let done = found.doneCount
      Self.line(
        done == 0 ? "nothing found" : "nothing open found, but \(done) done: --all shows them", &out
      )
      return
    }
    var layout = TableLayout([
      .init(heading: "#", isRight: true), .init(heading: "id"),
      .init(heading: "item", isFlexible: true), .init(heading: "in"),
    ])
    for found in found.rows {
      let row = found.row
      layout.add(
        [
          row.number.map(String.init) ?? "", row.handle, ticked(row) + Phrases.text(row.text),
          place(found),
        ], isDim: row.isDone)
    }
    layout.write(display, to: &out)
    if found.count > found.rows.count {
      Self.line("and \(found.count - found.rows.count) more", &out)
    }
  }

  func foundPlain(_ found: FoundReply, _ out: inout [UInt8]) {
    for found in found.rows {
      Self.tabbed(
        [
          found.row.handle, found.row.isDone ? "done" : "open", found.row.text.string,
          ([found.list.name] + found.path).joined(separator: "/"),
        ], &out)
    }
  }

  private func place(_ found: FoundReply.Row) -> String {
    Phrases.text(([found.list.name] + found.path).joined(separator: "/"))
  }

  func usingLine(_ list: ListRef?, _ out: inout [UInt8]) {
    guard let list else {
      Self.line("no list is chosen here: hedge use @LIST", &out)
      return
    }
    Self.line("using \(Phrases.text(list.name))", &out)
  }
}
