// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import WireCodec

/// Rows of the `events` table as bytes (`docs/STORAGE.md`, "Events"). The cursor is the row's key.
enum EventRowCodec {
  static let format: UInt8 = 1
  private static let textBytesMax = Limits.valueBytesMax
  private static let countMax = 4_096

  /// - Parameter event: Of a kind that tells of a change.
  static func encode(_ event: Event) -> [UInt8] {
    var out = ByteWriter(reserving: 128)
    out.byte(format)
    out.block(event.kind.rawValue.utf8)
    out.block(event.list.utf8)
    out.varint(event.scope.count)
    for item in event.scope { out.itemID(item) }
    write(event.item, to: &out)
    out.block(event.handle.utf8)
    out.flag(event.text != nil)
    out.block(event.text?.utf8 ?? [])
    out.block(event.by.utf8)
    out.flag(event.isMine)
    write(event.client, to: &out)
    write(event.transaction, to: &out)
    out.zigzag(event.at)
    write(event.detail, to: &out)
    return out.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(DecodeError) -> Event {
    var reader = ByteReader(bytes)
    let format = try reader.byte()
    guard format == Self.format else { throw .unknownTag(UInt64(format), at: 0) }
    let word = try string(&reader)
    guard let kind = Event.Kind(rawValue: word), kind.isChange else { throw .unknownTag(0, at: 1) }
    var event = Event(kind: kind, cursor: "", list: try string(&reader))
    for _ in 0..<(try reader.count(max: countMax, each: 12)) {
      event.scope.append(try reader.itemID())
    }
    event.item = try item(&reader)
    event.handle = try string(&reader)
    let hasText = try reader.flag()
    let text = try reader.text(max: textBytesMax)
    if hasText { event.text = text }
    event.by = try string(&reader)
    event.isMine = try reader.flag()
    event.client = try optional(&reader)
    event.transaction = try optional(&reader)
    event.at = try reader.zigzag()
    event.detail = try detail(&reader)
    try reader.finish()
    return event
  }

  // MARK: Details

  private static func write(_ detail: Event.Detail, to out: inout ByteWriter) {
    switch detail {
    case .none, .hello, .gap: out.byte(0)
    case .item(let text, let isDone, let cells, let parent, let after):
      out.byte(1)
      out.block(text.utf8)
      out.flag(isDone)
      out.varint(cells.count)
      for (column, value) in cells {
        out.block(column.utf8)
        out.value(value)
      }
      write(parent, to: &out)
      write(after, to: &out)
    case .set(let column, let old, let new):
      out.byte(2)
      out.block(column.utf8)
      out.flag(old != nil)
      out.value(old ?? .null)
      out.value(new)
    case .move(let parent, let after):
      out.byte(3)
      write(parent, to: &out)
      write(after, to: &out)
    case .list(let change):
      out.byte(4)
      out.block(change.utf8)
    }
  }

  private static func detail(_ reader: inout ByteReader) throws(DecodeError) -> Event.Detail {
    let at = reader.offset
    switch try reader.byte() {
    case 0: return .none
    case 1:
      let text = try reader.text(max: textBytesMax)
      let isDone = try reader.flag()
      var cells: [(column: String, value: Value)] = []
      for _ in 0..<(try reader.count(max: countMax, each: 2)) {
        cells.append((try string(&reader), try reader.value()))
      }
      return .item(
        text: text, isDone: isDone, cells: cells, parent: try item(&reader),
        after: try item(&reader))
    case 2:
      let column = try string(&reader)
      let hasOld = try reader.flag()
      let old = try reader.value()
      return .set(column: column, old: hasOld ? old : nil, new: try reader.value())
    case 3: return .move(parent: try item(&reader), after: try item(&reader))
    case 4: return .list(change: try string(&reader))
    case let tag: throw .unknownTag(UInt64(tag), at: at)
    }
  }

  // MARK: Parts

  private static func write(_ item: ItemID?, to out: inout ByteWriter) {
    out.flag(item != nil)
    if let item { out.itemID(item) }
  }

  private static func item(_ reader: inout ByteReader) throws(DecodeError) -> ItemID? {
    try reader.flag() ? try reader.itemID() : nil
  }

  private static func write(_ text: String?, to out: inout ByteWriter) {
    out.flag(text != nil)
    if let text { out.block(text.utf8) }
  }

  private static func optional(_ reader: inout ByteReader) throws(DecodeError) -> String? {
    try reader.flag() ? try string(&reader) : nil
  }

  private static func string(_ reader: inout ByteReader) throws(DecodeError) -> String {
    try reader.text(max: textBytesMax).string
  }
}
