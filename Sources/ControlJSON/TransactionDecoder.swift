// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListFormats
import ListModel

/// Reads the operations of a transaction body.
enum TransactionDecoder {
  static let opsMax = 100_000

  static func transaction(_ body: JSONValue) throws(Problem) -> Transaction {
    var reader = try ObjectReader(body, at: "the body")
    guard let values = try reader.array("ops") else {
      throw Problem(.missingValue, "the body needs the field ops", detail: "an array of operations")
    }
    let isDryRun = try reader.flag("dry_run")
    try reader.finish()
    var ops: [ItemOp] = []
    for (index, value) in values.enumerated() { ops.append(try op(value, at: "ops[\(index)]")) }
    return Transaction(ops, isDryRun: isDryRun)
  }

  private static func op(_ value: JSONValue, at place: String) throws(Problem) -> ItemOp {
    var reader = try ObjectReader(value, at: place)
    let name = try reader.needText("op")
    let op: ItemOp
    switch name {
    case "new": op = .newList(try newList(&reader))
    case "add": op = .add(try add(&reader, list: try list(&reader)))
    case "set", "edit": op = .edit(try edit(&reader, list: try list(&reader)))
    case "done", "undone":
      op = .tick(
        TickItems(
          list: try list(&reader), items: try items(&reader), isDone: sameBytes(name, "done"),
          withChildren: try reader.flag("children")))
    case "move", "mv": op = .move(try move(&reader, list: try list(&reader), items: nil))
    case "rm": op = .remove(try list(&reader), try items(&reader))
    case "clear": op = .clear(try list(&reader))
    case "rename": op = .rename(try needList(&reader), to: try reader.needText("name"))
    case "drop": op = .drop(try needList(&reader), name: try reader.text("name"))
    case "cols": op = .columns(try list(&reader), try columnChange(&reader))
    case "restore": op = .restore(try list(&reader), try items(&reader))
    default:
      let known = [
        "new", "add", "set", "edit", "done", "undone", "move", "rm", "restore", "clear",
        "rename", "drop", "cols",
      ]
      throw Problem(
        .malformed, "\(place) has an unknown op \(name)",
        detail: "known: \(known.joined(separator: ", "))",
        suggest: Suggestion.nearest(to: name, among: known))
    }
    try reader.finish()
    return op
  }

  private static func needList(_ reader: inout ObjectReader) throws(Problem) -> ListSelector {
    try ListSelector(parsing: try reader.needText("list"))
  }

  private static func columnChange(
    _ reader: inout ObjectReader
  ) throws(Problem) -> ColumnChange {
    let specs = try reader.texts("add")
    let (rename, drop) = (try reader.text("rename"), try reader.text("drop"))
    let (retype, order) = (try reader.text("retype"), try reader.texts("order"))
    var changes: [ColumnChange] = []
    if !specs.isEmpty {
      var columns: [Column] = []
      for spec in specs { columns.append(try Column(parsing: spec)) }
      changes.append(.add(columns))
    }
    if let rename { changes.append(.rename(rename, to: try reader.needText("name"))) }
    if let drop { changes.append(.drop(drop)) }
    if let retype {
      changes.append(
        .retype(retype, to: try Column(parsing: "\(retype):\(try reader.needText("type"))")))
    }
    if !order.isEmpty { changes.append(.order(order)) }
    guard changes.count == 1 else {
      throw Problem(
        .malformed, "cols takes one change", detail: "one of add, rename, drop, retype, order")
    }
    return changes[0]
  }

  static func newList(_ reader: inout ObjectReader) throws(Problem) -> NewList {
    let name = try reader.needText("name")
    var columns: [Column] = []
    for spec in try reader.texts("columns") { columns.append(try Column(parsing: spec)) }
    let under = try reader.text("under")
    return NewList(
      name: name, columns: columns,
      under: try under.map { text throws(Problem) in try ListSelector(parsing: text) })
  }

  static func add(_ reader: inout ObjectReader, list: ListSelector?) throws(Problem) -> AddItems {
    var rows: [NewItem] = []
    if let values = try reader.array("rows") {
      for (index, value) in values.enumerated() {
        var row = try ObjectReader(value, at: "rows[\(index)]")
        rows.append(try newItem(&row))
        try row.finish()
      }
    } else {
      rows = [try newItem(&reader)]
    }
    let place = try place(&reader)
    return AddItems(list: list, items: rows, place: place, onlyNew: try reader.flag("unique"))
  }

  static func newItem(_ reader: inout ObjectReader) throws(Problem) -> NewItem {
    let isDone = try state(&reader) ?? false
    return NewItem(
      text: try reader.text("text"), cells: try reader.cells("cols"),
      note: try reader.text("note"), isDone: isDone, id: try id(reader.text("id")),
      depth: try reader.count("depth") ?? 0)
  }

  /// A client-made id: 24 hex digits, of which the last eight number the items of one request.
  /// One that is alone has eight zeros there.
  static func id(_ text: String?, isAlone: Bool = false) throws(Problem) -> ItemID? {
    guard let text else { return nil }
    guard let id = ItemID(hex: text), !id.isReserved, !isAlone || id.index == 0 else {
      throw Problem(
        .invalidValue, "the id \(text) is not usable",
        detail:
          "a client-made id is 8 random bytes, and 4 bytes that count from 0, as 24 hex digits")
    }
    return id
  }

  static func edit(
    _ reader: inout ObjectReader, list: ListSelector?, items known: [ItemSelector]? = nil
  ) throws(Problem) -> EditItems {
    let selected: [ItemSelector]
    if let known { selected = known } else { selected = try items(&reader) }
    return EditItems(
      list: list, items: selected, text: try reader.text("text"), note: try reader.text("note"),
      cells: try reader.cells("cols"), conditions: try reader.cells("if"))
  }

  static func move(
    _ reader: inout ObjectReader, list: ListSelector?, items known: [ItemSelector]?
  ) throws(Problem) -> MoveItems {
    let selected: [ItemSelector]
    if let known { selected = known } else { selected = try items(&reader) }
    let to = try reader.text("to")
    guard let place = try place(&reader) ?? (to == nil ? nil : .bottom) else {
      throw Problem(
        .missingValue, "the move needs a place",
        detail: "one of after, before, parent, up, down, out, position, to")
    }
    return MoveItems(
      list: list, items: selected, place: place,
      to: try to.map { text throws(Problem) in try ListSelector(parsing: text) })
  }

  static func state(_ reader: inout ObjectReader) throws(Problem) -> Bool? {
    switch try reader.text("state") {
    case nil: return nil
    case "open": return false
    case "done": return true
    default: throw Problem(.invalidValue, "state is neither open nor done")
    }
  }

  static func list(_ reader: inout ObjectReader) throws(Problem) -> ListSelector? {
    guard let text = try reader.text("list") else { return nil }
    return try ListSelector(parsing: text)
  }

  private static func items(_ reader: inout ObjectReader) throws(Problem) -> [ItemSelector] {
    var texts = try reader.texts("items")
    if let one = try reader.text("item") { texts.append(one) }
    guard !texts.isEmpty else {
      throw Problem(.missingValue, "no item is named", detail: "give item or items")
    }
    var selectors: [ItemSelector] = []
    for text in texts { selectors.append(try ItemSelector(parsing: text)) }
    return selectors
  }

  private static func place(_ reader: inout ObjectReader) throws(Problem) -> PlaceSelector? {
    let after = try reader.text("after")
    let before = try reader.text("before")
    let parent = try reader.text("parent")
    let up = try reader.count("up")
    let down = try reader.count("down")
    let isOut = try reader.flag("out")
    let position = try reader.count("position")
    var places: [PlaceSelector] = []
    switch after {
    case nil: break
    case "top": places.append(.top)
    case "bottom": places.append(.bottom)
    case let text?: places.append(.after(try ItemSelector(parsing: text)))
    }
    if let before { places.append(.before(try ItemSelector(parsing: before))) }
    if let parent { places.append(.under(try ItemSelector(parsing: parent))) }
    if let up { places.append(.up(up)) }
    if let down { places.append(.down(down)) }
    if isOut { places.append(.out) }
    if let position { places.append(.position(position)) }
    guard places.count <= 1 else {
      throw Problem(.malformed, "the place is given twice", detail: "choose one")
    }
    return places.first
  }
}
