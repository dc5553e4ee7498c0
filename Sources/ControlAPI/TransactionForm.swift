// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

extension Transaction {
  /// `POST /api/v1/txn` with the operations in its body.
  var form: RequestForm {
    var json = JSONWriter(capacity: 256)
    json.beginObject()
    json.key("ops")
    json.beginArray()
    for op in ops { op.write(to: &json) }
    json.endArray()
    if isDryRun { json.member("dry_run", bool: true) }
    json.endObject()
    return RequestForm(
      "POST", ["api", "v1", "txn"], body: json.bytes, contentType: "application/json")
  }
}

extension ItemOp {
  func write(to json: inout JSONWriter) {
    json.beginObject()
    switch self {
    case .newList(let new):
      json.member("op", "new")
      json.member("name", new.name)
      json.member("columns", strings: new.columns.map { "\($0.name):\($0.spec)" })
      if let under = new.under { json.member("under", under.spelling) }
    case .add(let add): add.write(to: &json)
    case .edit(let edit): edit.write(to: &json)
    case .tick(let tick):
      Self.head(tick.isDone ? "done" : "undone", tick.list, tick.items, to: &json)
      if tick.withChildren { json.member("children", bool: true) }
    case .move(let move):
      Self.head("move", move.list, move.items, to: &json)
      move.place.write(to: &json)
      if let to = move.to { json.member("to", to.spelling) }
    case .remove(let list, let items): Self.head("rm", list, items, to: &json)
    case .restore(let list, let items): Self.head("restore", list, items, to: &json)
    case .clear(let list): Self.head("clear", list, to: &json)
    case .rename(let list, let name):
      Self.head("rename", list, to: &json)
      json.member("name", name)
    case .drop(let list, let name):
      Self.head("drop", list, to: &json)
      if let name { json.member("name", name) }
    case .columns(let list, let change):
      Self.head("cols", list, to: &json)
      change.write(to: &json)
    }
    json.endObject()
  }

  private static func head(_ op: String, _ list: ListSelector?, to json: inout JSONWriter) {
    json.member("op", op)
    if let list { json.member("list", list.spelling) }
  }

  static func head(
    _ op: String, _ list: ListSelector?, _ items: [ItemSelector], to json: inout JSONWriter
  ) {
    head(op, list, to: &json)
    json.member("items", strings: items.map(\.spelling))
  }
}

extension AddItems {
  func write(to json: inout JSONWriter) {
    json.member("op", "add")
    if let list { json.member("list", list.spelling) }
    json.key("rows")
    json.beginArray()
    for item in items {
      json.beginObject()
      if let text = item.text { json.member("text", text) }
      if let note = item.note { json.member("note", note) }
      if item.isDone { json.member("state", "done") }
      if let id = item.id { json.member("id", id.hex) }
      if item.depth > 0 { json.member("depth", count: item.depth) }
      CellWrite.write("cols", item.cells, to: &json)
      json.endObject()
    }
    json.endArray()
    place?.write(to: &json)
    if onlyNew { json.member("unique", bool: true) }
  }
}

extension EditItems {
  func write(to json: inout JSONWriter) {
    ItemOp.head("set", list, items, to: &json)
    if let text { json.member("text", text) }
    if let note { json.member("note", note) }
    CellWrite.write("cols", cells, to: &json)
    CellWrite.write("if", conditions, to: &json)
  }
}

extension PlaceSelector {
  func write(to json: inout JSONWriter) {
    switch self {
    case .top: json.member("after", "top")
    case .bottom: json.member("after", "bottom")
    case .up(let count): json.member("up", count: count)
    case .down(let count): json.member("down", count: count)
    case .before(let item): json.member("before", item.spelling)
    case .after(let item): json.member("after", item.spelling)
    case .under(let item): json.member("parent", item.spelling)
    case .out: json.member("out", bool: true)
    case .position(let number): json.member("position", count: number)
    }
  }
}

extension CellWrite {
  static func write(_ name: String, _ cells: [CellWrite], to json: inout JSONWriter) {
    guard !cells.isEmpty else { return }
    json.key(name)
    json.beginObject()
    for cell in cells {
      json.key(cell.column)
      switch cell.input {
      case .text(let text): json.string(text)
      case .number(let literal): json.raw(literal)
      case .bool(let flag): json.bool(flag)
      case .clear: json.null()
      case .increment(let amount):
        json.beginObject()
        json.member("inc", amount)
        json.endObject()
      case .timed(let text, let date, let time):
        json.beginObject()
        json.member("text", text)
        if let date { json.member("date", date) }
        if let time { json.member("time", time) }
        json.endObject()
      }
    }
    json.endObject()
  }
}

extension UInt64 {
  var bigEndianBytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - $0 * 8)) }
  }
}
