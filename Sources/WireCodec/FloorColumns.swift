// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// What the cells of one chunk held at the log floor; few, so each is written on its own.
enum FloorColumns {
  private static let create: UInt8 = 0
  private static let place: UInt8 = 1
  private static let life: UInt8 = 2
  private static let field: UInt8 = 3

  static func write(_ cells: [ItemChunk.FloorCell], to out: inout ByteWriter) {
    out.varint(cells.count)
    for cell in cells {
      out.varint(cell.row)
      out.varint(cell.stamp)
      switch (cell.name, cell.value) {
      case (.place, .place(let parent, let key)):
        out.byte(place)
        out.itemID(parent)
        out.block(key.bytes)
      case (.life, .life(let alive)):
        out.byte(life)
        out.flag(alive)
      case (.field(let name), .value(let value)):
        out.byte(field)
        ChunkColumns.write(name, to: &out)
        out.byte(ValueCodec.tag(value))
        ValueCodec.write(plain: value, to: &out)
      default: out.byte(create)
      }
    }
  }

  static func read(
    _ reader: inout ByteReader, rows: Int, stampMax: Int64
  ) throws(DecodeError) -> [ItemChunk.FloorCell] {
    var out: [ItemChunk.FloorCell] = []
    for _ in 0..<(try reader.count(max: ImageCodec.blockBytesMax, each: 3)) {
      let row = UInt32(try reader.varint(max: max(rows - 1, 0)))
      let stamp = UInt32(try reader.varint(max: Int(stampMax)))
      let at = reader.offset
      let kind = try reader.byte()
      let name: CellName
      let value: CellValue
      switch kind {
      case create: (name, value) = (.create, .life(alive: true))
      case place:
        name = .place
        let parent = try reader.itemID()
        let key = PositionKey(bytes: Array(try reader.block(max: Limits.positionBytesMax)))
        value = .place(parent: parent, key: key)
      case life: (name, value) = (.life, .life(alive: try reader.flag()))
      case field:
        name = .field(try ChunkColumns.readName(&reader))
        value = .value(try ValueCodec.read(plain: try reader.byte(), &reader))
      default: throw .unknownTag(UInt64(kind), at: at)
      }
      out.append(ItemChunk.FloorCell(row: row, name: name, stamp: stamp, value: value))
    }
    return out
  }
}
