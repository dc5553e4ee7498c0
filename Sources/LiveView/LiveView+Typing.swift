// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI

/// The line at the bottom: what is typed there, and what becomes of it.
extension LiveView {
  mutating func type(
    _ key: Key, _ prompt: Prompt, _ now: UInt64, _ effects: inout [Effect]
  ) {
    var prompt = prompt
    switch key {
    case .escape, .control("c"): mode = .browsing
    case .enter:
      mode = .browsing
      prompt.refusal = nil
      let count = effects.count
      finish(prompt, now, &effects)
      if effects.count > count { sent = prompt }
    case .control("r"):
      if let theirs = prompt.theirs {
        prompt.editor = LineEditor(theirs.text)
        prompt.theirs = nil
      }
      mode = .typing(prompt)
    default:
      prompt.refusal = nil
      _ = prompt.editor.take(key)
      mode = .typing(prompt)
    }
  }

  private mutating func finish(_ prompt: Prompt, _ now: UInt64, _ effects: inout [Effect]) {
    let text = prompt.editor.text
    let isEmpty = text.allSatisfy(\.isWhitespace)
    switch prompt.kind {
    case .find:
      words = text.split(separator: " ").map(String.init)
      return refreshRows(now)
    case _ where isEmpty: return say("nothing was typed: nothing changed", now)
    case .add(let after): add(text, after.map { .after(Self.item($0)) }, prompt, &effects)
    case .addOnTop: add(text, .top, prompt, &effects)
    case .edit(let id):
      if rows.first(where: { $0.id == id }).map({ sameBytes($0.text, text) }) == true { return }
      write(.edit(EditItems(items: [Self.item(id)], text: text)), "changed", &effects)
    case .setColumns(let id): setColumns(text, id, now, &effects)
    case .move(let id):
      write(
        .move(
          MoveItems(
            items: [Self.item(id)], place: .bottom, to: ListSelector(path: [Self.listName(text)]))),
        "moved to \(text)", &effects)
    case .addList:
      wantedList = text
      write(.newList(NewList(name: text)), "new list: \(text)", &effects)
    }
  }

  private static func listName(_ text: String) -> String {
    String(text.drop { $0 == "@" || $0 == " " })
  }

  /// Adds what `hedge add` would make of the line; the next line typed comes behind it.
  private mutating func add(
    _ text: String, _ place: PlaceSelector?, _ prompt: Prompt, _ effects: inout [Effect]
  ) {
    let items = TypedLine.items(text)
    write(
      .add(AddItems(items: items, place: place)),
      items.count == 1 ? "added: \(text)" : "added \(items.count) items", selectsTouched: true,
      &effects)
  }

  private mutating func setColumns(
    _ text: String, _ id: String, _ now: UInt64, _ effects: inout [Effect]
  ) {
    guard let row = rows.first(where: { $0.id == id }), let list else { return }
    let parts = Self.assignments(text, names: list.columns.map(\.name))
    guard let parts else { return say("write it as NAME=VALUE, two spaces between", now) }
    let cells = parts.filter { $0.value != row.cells[$0.name] ?? "" }.map {
      CellWrite(column: $0.name, input: $0.value.isEmpty ? .clear : .text($0.value))
    }
    if cells.isEmpty { return say("nothing changed", now) }
    write(.edit(EditItems(items: [Self.item(id)], cells: cells)), "changed", &effects)
  }

  /// `qty=2  store=corner shop`: a new value starts at the name of a column before a `=`.
  static func assignments(
    _ text: String, names: [String]
  ) -> [(name: String, value: String)]? {
    var out: [(name: String, value: String)] = []
    for word in text.split(separator: " ", omittingEmptySubsequences: false).map(String.init) {
      let equals = word.firstIndex(of: "=")
      if let equals, let name = names.first(where: { sameBytes($0, String(word[..<equals])) }) {
        out.append((name, String(word[word.index(after: equals)...])))
      } else if out.isEmpty {
        if !word.isEmpty { return nil }
      } else {
        out[out.count - 1].value += " " + word
      }
    }
    for index in out.indices {
      while out[index].value.last == " " { out[index].value.removeLast() }
    }
    return out.isEmpty ? nil : out
  }
}
