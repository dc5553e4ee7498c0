// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// Undo steps as rows of this machine's own tables. They never cross the wire.
package enum UndoStepCodec {
  /// Cells and changes of one row at most; what is read back is bounded by the row itself.
  static let entriesMax = 4_000_000

  /// The bytes of a step; `read` reads them back.
  package static func encode(_ step: UndoStep) -> [UInt8] {
    var out = ByteWriter(reserving: 64 + 48 * step.cells.count)
    out.varint(step.dots.count)
    for dot in step.dots { out.dot(dot) }
    out.varint(step.seen.tips.count)
    for tip in step.seen.tips { out.tip(tip) }
    out.varint(step.cells.count)
    for cell in step.cells { write(cell, to: &out) }
    return out.bytes
  }

  /// Reads what `encode` wrote; other bytes throw.
  package static func decode(_ bytes: [UInt8]) throws(DecodeError) -> UndoStep {
    var reader = ByteReader(bytes)
    var dots: [Dot] = []
    for _ in 0..<(try reader.count(max: entriesMax, each: 24)) { dots.append(try reader.dot()) }
    var tips: [Tip] = []
    for _ in 0..<(try reader.count(max: entriesMax, each: 56)) { tips.append(try reader.tip()) }
    var cells: [UndoCell] = []
    for _ in 0..<(try reader.count(max: entriesMax, each: 9)) { cells.append(try cell(&reader)) }
    try reader.finish()
    return UndoStep(dots: dots, seen: VersionVector(tips: tips), cells: cells)
  }

  private static func write(_ cell: UndoCell, to out: inout ByteWriter) {
    switch cell {
    case .created(let nonce, let first, let count):
      out.byte(1)
      out.bigEndian(nonce)
      out.varint(first)
      out.varint(count)
    case .placed(let item, let old, let new):
      out.byte(2)
      out.itemID(item)
      out.flag(old != nil)
      if let old { out.spot(old) }
      out.spot(new)
    case .life(let item, let alive):
      out.byte(3)
      out.itemID(item)
      out.flag(alive)
    case .set(let item, let field, let old, let new):
      out.byte(4)
      out.itemID(item)
      out.field(field)
      out.flag(old != nil)
      if let old { out.value(old) }
      out.value(new)
    case .counted(let item, let field, let by):
      out.byte(5)
      out.itemID(item)
      out.field(field)
      out.zigzag(by)
    case .unlost(let item):
      out.byte(6)
      out.itemID(item)
    }
  }

  private static func cell(_ reader: inout ByteReader) throws(DecodeError) -> UndoCell {
    let start = reader.offset
    switch try reader.byte() {
    case 1:
      return .created(
        nonce: try reader.bigEndian(UInt64.self),
        first: UInt32(try reader.varint(max: Int(UInt32.max))),
        count: UInt32(try reader.varint(max: Int(UInt32.max))))
    case 2:
      let item = try reader.itemID()
      let old = try reader.flag() ? try reader.spot() : nil
      return .placed(item, old: old, new: try reader.spot())
    case 3: return .life(try reader.itemID(), alive: try reader.flag())
    case 4:
      let item = try reader.itemID()
      let field = try reader.field()
      let old = try reader.flag() ? try reader.value() : nil
      return .set(item, field, old: old, new: try reader.value())
    case 5: return .counted(try reader.itemID(), try reader.field(), by: try reader.zigzag())
    case 6: return .unlost(try reader.itemID())
    case let tag: throw .unknownTag(UInt64(tag), at: start)
    }
  }
}

/// Entries of the merge journal as rows of this machine's own tables.
package enum JournalCodec {
  /// The bytes of an entry; `decode` reads them back.
  package static func encode(_ entry: JournalEntry) -> [UInt8] {
    var out = ByteWriter(reserving: 192)
    out.itemID(entry.item)
    switch entry.cell {
    case .create: out.byte(0)
    case .place: out.byte(1)
    case .life: out.byte(2)
    case .field(let field):
      out.byte(3)
      out.field(field)
    }
    for (value, by) in [(entry.kept, entry.keptBy), (entry.dropped, entry.droppedBy)] {
      switch value {
      case .place(let parent, let key):
        out.byte(1)
        out.spot(Spot(parent: parent, key: key))
      case .life(let alive):
        out.byte(2)
        out.flag(alive)
      case .value(let value):
        out.byte(3)
        out.value(value)
      }
      out.bytes32(by.device)
      out.dot(by.dot)
      out.bigEndian(by.h)
    }
    return out.bytes
  }

  /// Reads what `encode` wrote; other bytes throw.
  package static func decode(_ bytes: [UInt8]) throws(DecodeError) -> JournalEntry {
    var reader = ByteReader(bytes)
    let item = try reader.itemID()
    let cell: CellName
    let start = reader.offset
    switch try reader.byte() {
    case 0: cell = .create
    case 1: cell = .place
    case 2: cell = .life
    case 3: cell = .field(try reader.field())
    case let tag: throw .unknownTag(UInt64(tag), at: start)
    }
    let (kept, keptBy) = try side(&reader)
    let (dropped, droppedBy) = try side(&reader)
    try reader.finish()
    return JournalEntry(
      item: item, cell: cell, kept: kept, keptBy: keptBy, dropped: dropped, droppedBy: droppedBy)
  }

  private static func side(
    _ reader: inout ByteReader
  ) throws(DecodeError) -> (CellValue, Written) {
    let value: CellValue
    let start = reader.offset
    switch try reader.byte() {
    case 1:
      let spot = try reader.spot()
      value = .place(parent: spot.parent, key: spot.key)
    case 2: value = .life(alive: try reader.flag())
    case 3: value = .value(try reader.value())
    case let tag: throw .unknownTag(UInt64(tag), at: start)
    }
    let device = try reader.bytes32(DeviceID.self)
    let dot = try reader.dot()
    return (value, Written(device: device, dot: dot, h: try reader.bigEndian(UInt64.self)))
  }
}

extension ByteWriter {
  fileprivate mutating func dot(_ dot: Dot) {
    bytes16(dot.session)
    bigEndian(dot.seq)
  }

  fileprivate mutating func spot(_ spot: Spot) {
    itemID(spot.parent)
    block(spot.key.bytes)
  }

  fileprivate mutating func field(_ field: FieldName) {
    switch field {
    case .text: block([])
    case .named(let name): block(name.utf8)
    }
  }
}

extension ByteReader {
  fileprivate mutating func dot() throws(DecodeError) -> Dot {
    Dot(session: try bytes16(SessionID.self), seq: try bigEndian(UInt64.self))
  }

  fileprivate mutating func spot() throws(DecodeError) -> Spot {
    Spot(
      parent: try itemID(), key: PositionKey(bytes: try block(max: Limits.positionBytesMax)))
  }

  fileprivate mutating func field() throws(DecodeError) -> FieldName {
    let name = try text(max: Limits.fieldNameBytesMax)
    return name.utf8.isEmpty ? .text : .named(name)
  }
}
