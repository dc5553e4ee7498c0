// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// What the keys do. `?` shows the same table.
extension LiveView {
  static let keyTable: [(keys: String, what: String)] = [
    ("j k, arrows", "up and down"),
    ("g G, PgUp PgDn", "to the ends, by pages"),
    ("Tab, [ ]", "next and previous list"),
    ("space", "tick or untick"),
    ("a  A", "add below, on top: milk, eggs qty=2"),
    ("e, Enter", "edit the text"),
    ("=", "set columns: qty=2 price=1.20"),
    ("J K, Alt-arrows", "move the row"),
    ("> <", "nest, one level out"),
    ("m", "move to another list"),
    ("x", "delete (u brings it back)"),
    ("u  U", "undo, redo"),
    ("n", "notify me of changes to the row, or no more"),
    ("/", "find; empty shows all"),
    ("s", "sort the view by text; order stays"),
    ("h", "hide or show what is done"),
    ("N", "new list"),
    ("?  q", "this help, quit"),
  ]

  mutating func take(_ key: Key, _ now: UInt64, _ effects: inout [Effect]) {
    if key == .control("z") { return effects.append(.suspend) }
    switch mode {
    case .help: mode = .browsing
    case .typing(let prompt): type(key, prompt, now, &effects)
    case .confirming(let id, let text, _):
      mode = .browsing
      if key == .character("y") { remove(id, text, &effects) } else { say("kept", now) }
    case .browsing: browse(key, now, &effects)
    }
  }

  private mutating func browse(_ key: Key, _ now: UInt64, _ effects: inout [Effect]) {
    switch key {
    case .character("q"), .control("c"): effects.append(.quit)
    case .character("?"): mode = .help
    case .character("j"), .down: select(selectedIndex + 1)
    case .character("k"), .up: select(selectedIndex - 1)
    case .character("g"), .home: select(0)
    case .character("G"), .end: select(rows.count - 1)
    case .pageDown, .control("f"): select(selectedIndex + max(1, rowLines - 1))
    case .pageUp, .control("b"): select(selectedIndex - max(1, rowLines - 1))
    case .tab, .character("]"): switchList(by: 1, now)
    case .backTab, .character("["): switchList(by: -1, now)
    case .character("h"):
      showsDone.toggle()
      refreshRows(now)
    case .character("s"):
      isSorted.toggle()
      say(isSorted ? "sorted by text; the order is unchanged" : "in order", now)
      refreshRows(now)
    case .character("/"): mode = .typing(Prompt(.find, words.joined(separator: " ")))
    case .escape where !words.isEmpty:
      words = []
      refreshRows(now)
    case .character("N"): mode = .typing(Prompt(.addList))
    case .character("u"): history("undo", "undone", &effects)
    case .character("U"): history("redo", "done again", &effects)
    case .character("a"): startAdding(Prompt(.add(after: selected?.id)), now)
    case .character("A"): startAdding(Prompt(.addOnTop), now)
    default:
      if let row = selected { act(on: row, key, now, &effects) }
    }
  }

  private mutating func startAdding(_ prompt: Prompt, _ now: UInt64) {
    if list == nil { return say("there is no list yet: N makes one", now) }
    mode = .typing(prompt)
  }

  private mutating func act(
    on row: LiveRow, _ key: Key, _ now: UInt64, _ effects: inout [Effect]
  ) {
    switch key {
    case .character(" "):
      write(
        .tick(TickItems(items: [Self.item(row.id)], isDone: !row.isDone)),
        row.isDone ? "open again: \(row.text)" : "done: \(row.text)", &effects)
    case .character("e"), .enter: mode = .typing(Prompt(.edit(id: row.id), row.text))
    case .character("="): startColumns(row, now)
    case .character("J"), .altDown: move(row, .down(1), now, &effects)
    case .character("K"), .altUp: move(row, .up(1), now, &effects)
    case .character(">"), .altRight: nest(row, now, &effects)
    case .character("<"), .altLeft:
      if row.depth == 0 { return say("it is at the top level already", now) }
      move(row, .out, now, &effects)
    case .character("m"): mode = .typing(Prompt(.move(id: row.id)))
    case .character("n"): notify(row, &effects)
    case .character("x"), .delete:
      if row.childCount > 0 {
        mode = .confirming(id: row.id, text: row.text, count: row.childCount)
      } else {
        remove(row.id, row.text, &effects)
      }
    default: break
    }
  }

  private mutating func startColumns(_ row: LiveRow, _ now: UInt64) {
    guard let list, !list.columns.isEmpty else {
      return say("the list has no columns", now)
    }
    let words = list.columns.map { "\($0.name)=\(row.cells[$0.name] ?? "")" }
    mode = .typing(Prompt(.setColumns(id: row.id), words.joined(separator: "  ")))
  }

  private mutating func move(
    _ row: LiveRow, _ place: PlaceSelector, _ now: UInt64, _ effects: inout [Effect]
  ) {
    if isSorted { return say("the view is sorted: s shows the order that can be changed", now) }
    write(.move(MoveItems(items: [Self.item(row.id)], place: place)), "moved", &effects)
  }

  private mutating func nest(_ row: LiveRow, _ now: UInt64, _ effects: inout [Effect]) {
    let above = rows[..<selectedIndex].last { $0.depth <= row.depth }
    guard let above, above.depth == row.depth else {
      return say("there is no item above it on this level", now)
    }
    move(row, .under(Self.item(above.id)), now, &effects)
  }

  private mutating func remove(_ id: String, _ text: String, _ effects: inout [Effect]) {
    write(.remove(nil, [Self.item(id)]), "deleted: \(text) (u brings it back)", &effects)
  }

  private func notify(_ row: LiveRow, _ effects: inout [Effect]) {
    let target = NotifyTarget(item: Self.item(row.id))
    let isOn = watched.contains(row.id)
    effects.append(
      .ask(
        RequestForm(.notify(isOn ? .off(target) : .on(NotifyWish(target: target)))),
        .notify(
          message: isOn
            ? "no more notices about \(row.text)"
            : "this device tells of changes to \(row.text) by others")))
  }

  private mutating func switchList(by step: Int, _ now: UInt64) {
    guard !lists.isEmpty else { return }
    let at = lists.firstIndex { $0.id == listID } ?? 0
    show(lists[(at + step + lists.count) % lists.count].id, now)
  }

  mutating func show(_ id: String, _ now: UInt64) {
    guard id != listID else { return }
    (listID, rows, isLoaded, words) = (id, [], false, [])
    (selectedID, selectedIndex, firstLine) = (nil, 0, 0)
    (marks, rowsAt) = ([:], now)
  }

  // MARK: Writing

  static func item(_ id: String) -> ItemSelector { ItemID(hex: id).map { .id($0) } ?? .word(id) }

  mutating func write(
    _ op: ItemOp, _ message: String, selectsTouched: Bool = false, _ effects: inout [Effect]
  ) {
    effects.append(
      .ask(
        RequestForm(.transact(Transaction([op.within(list)]))),
        .write(message: message, selectsTouched: selectsTouched)))
  }

  private func history(_ verb: String, _ message: String, _ effects: inout [Effect]) {
    effects.append(
      .ask(
        RequestForm(
          "POST", ["api", "v1", verb], body: Array("{}".utf8), contentType: "application/json"),
        .write(message: message, selectsTouched: true)))
  }
}

extension ItemOp {
  /// The same operation with `list` named where none is.
  fileprivate func within(_ list: LiveList?) -> ItemOp {
    guard let list else { return self }
    let selector = ListSelector(path: [list.handle])
    switch self {
    case .add(var add):
      add.list = add.list ?? selector
      return .add(add)
    case .edit(var edit):
      edit.list = edit.list ?? selector
      return .edit(edit)
    case .tick(var tick):
      tick.list = tick.list ?? selector
      return .tick(tick)
    case .move(var move):
      move.list = move.list ?? selector
      return .move(move)
    case .remove(let named, let items): return .remove(named ?? selector, items)
    case .restore(let named, let items): return .restore(named ?? selector, items)
    case .clear(let named): return .clear(named ?? selector)
    case .columns(let named, let change): return .columns(named ?? selector, change)
    case .newList, .rename, .drop: return self
    }
  }
}
