// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// One op: kind, length, payload. Kinds beyond 6 are kept as they are.
enum OpCodec {
  private enum Kind {
    static let create: UInt64 = 1
    static let place: UInt64 = 2
    static let blockPlace: UInt64 = 3
    static let set: UInt64 = 4
    static let life: UInt64 = 5
    static let add: UInt64 = 6
  }

  static func write(_ op: Op, _ tables: inout ChangeTables, to out: inout ByteWriter) {
    var payload = ByteWriter()
    let kind: UInt64
    switch op {
    case .create(let firstIndex, let count, let parent, let firstKey, let columns):
      kind = Kind.create
      payload.varint(firstIndex)
      payload.varint(count)
      tables.write(item: parent, to: &payload)
      tables.write(key: firstKey, to: &payload)
      payload.varint(columns.count)
      for column in columns { write(column, &tables, to: &payload) }
    case .place(let item, let parent, let key, let h):
      kind = Kind.place
      write(h: h, to: &payload)
      tables.write(item: item, to: &payload)
      tables.write(item: parent, to: &payload)
      tables.write(key: key, to: &payload)
    case .blockPlace(let items, let parent, let firstKey, let h):
      kind = Kind.blockPlace
      write(h: h, to: &payload)
      payload.varint(items.count)
      for item in items { tables.write(item: item, to: &payload) }
      tables.write(item: parent, to: &payload)
      tables.write(key: firstKey, to: &payload)
    case .set(let item, let field, let value, let h):
      kind = Kind.set
      write(h: h, to: &payload)
      tables.write(item: item, to: &payload)
      tables.write(field: field, to: &payload)
      payload.byte(ValueCodec.tag(value))
      ValueCodec.write(value, &tables, to: &payload)
    case .life(let item, let alive, let h):
      kind = Kind.life
      write(h: h, to: &payload)
      tables.write(item: item, to: &payload)
      payload.flag(alive)
    case .add(let item, let field, let delta):
      kind = Kind.add
      tables.write(item: item, to: &payload)
      tables.write(field: field, to: &payload)
      payload.zigzag(delta)
    case .unknown(let number, let bytes):
      kind = number
      payload.raw(bytes)
    }
    out.varint(kind)
    out.block(payload.bytes)
  }

  /// - Parameter cells: How many more cells the change may create; lowered by what this op makes.
  static func read(
    _ reader: inout ByteReader, _ tables: ChangeTables, cells: inout Int
  ) throws(DecodeError) -> Op {
    let start = reader.offset
    let kind = try reader.varint()
    let length = try reader.varint(max: Limits.changeBytesMax)
    let first = reader.offset
    guard length <= reader.left else { throw .truncated(at: first) }
    let op: Op
    switch kind {
    case 0: throw .unknownTag(0, at: start)
    case Kind.create: op = try readCreate(&reader, tables, &cells)
    case Kind.place:
      let h = try readH(&reader)
      op = .place(
        item: try tables.item(&reader), parent: try tables.item(&reader),
        key: try tables.key(&reader), h: h)
    case Kind.blockPlace:
      let h = try readH(&reader)
      var items: [ItemID] = []
      for _ in 0..<(try reader.count(max: Limits.opsPerChangeMax)) {
        items.append(try tables.item(&reader))
      }
      op = .blockPlace(
        items: items, parent: try tables.item(&reader), firstKey: try tables.key(&reader), h: h)
    case Kind.set:
      let h = try readH(&reader)
      let item = try tables.item(&reader)
      let field = try tables.field(&reader)
      let tag = try reader.byte()
      op = .set(item: item, field: field, value: try ValueCodec.read(tag, &reader, tables), h: h)
    case Kind.life:
      let h = try readH(&reader)
      op = .life(item: try tables.item(&reader), alive: try reader.flag(), h: h)
    case Kind.add:
      op = .add(
        item: try tables.item(&reader), field: try tables.field(&reader),
        delta: try reader.zigzag())
    default: op = .unknown(kind: kind, payload: Array(try reader.take(length)))
    }
    guard reader.offset == first + length else { throw .trailing(at: reader.offset) }
    return op
  }

  private static func write(h: UInt64?, to out: inout ByteWriter) {
    out.flag(h != nil)
    if let h { out.bigEndian(h) }
  }

  private static func readH(_ reader: inout ByteReader) throws(DecodeError) -> UInt64? {
    try reader.flag() ? try reader.bigEndian(UInt64.self) : nil
  }

  private static func readCreate(
    _ reader: inout ByteReader, _ tables: ChangeTables, _ cells: inout Int
  ) throws(DecodeError) -> Op {
    let firstIndex = try reader.varint(max: Int(UInt32.max))
    let count = try reader.varint(max: Limits.changeBytesMax)
    let parent = try tables.item(&reader)
    let key = try tables.key(&reader)
    var columns: [FieldColumn] = []
    let at = reader.offset
    let width = try reader.count(max: Limits.changeBytesMax, each: 2)
    cells -= count * (width + 1)
    guard cells >= 0 else { throw .overLimit(at: at, limit: UInt64(Limits.cellsPerChangeMax)) }
    for _ in 0..<width {
      columns.append(try readColumn(count, &reader, tables))
    }
    return .create(
      firstIndex: UInt32(firstIndex), count: UInt32(count), parent: parent, firstKey: key,
      columns: columns)
  }

  // MARK: Columns

  private enum Presence {
    static let all: UInt8 = 0
    static let some: UInt8 = 1
  }

  /// Says that every value of a column has a tag of its own.
  private static let mixedTags: UInt8 = 255

  private static func write(
    _ column: FieldColumn, _ tables: inout ChangeTables, to out: inout ByteWriter
  ) {
    tables.write(field: column.field, to: &out)
    let present = column.values.compactMap { $0 }
    if present.count == column.values.count {
      out.byte(Presence.all)
    } else {
      out.byte(Presence.some)
      var bits = [UInt8](repeating: 0, count: (column.values.count + 7) / 8)
      for (at, value) in column.values.enumerated() where value != nil {
        bits[at / 8] |= 1 << UInt8(at % 8)
      }
      out.raw(bits)
    }
    guard let first = present.first else { return }
    let tag = ValueCodec.tag(first)
    if present.allSatisfy({ ValueCodec.tag($0) == tag }) {
      out.byte(tag)
    } else {
      out.byte(mixedTags)
      for value in present { out.byte(ValueCodec.tag(value)) }
    }
    for value in present { ValueCodec.write(value, &tables, to: &out) }
  }

  private static func readColumn(
    _ count: Int, _ reader: inout ByteReader, _ tables: ChangeTables
  ) throws(DecodeError) -> FieldColumn {
    let field = try tables.field(&reader)
    let at = reader.offset
    var isPresent = [Bool](repeating: true, count: count)
    switch try reader.byte() {
    case Presence.all: break
    case Presence.some:
      let bits = Array(try reader.take((count + 7) / 8))
      for row in 0..<count { isPresent[row] = bits[row / 8] >> UInt8(row % 8) & 1 == 1 }
    case let other: throw .unknownTag(UInt64(other), at: at)
    }
    let present = isPresent.count { $0 }
    var values: [Value?] = []
    values.reserveCapacity(count)
    guard present > 0 else {
      return FieldColumn(field: field, values: Array(repeating: nil, count: count))
    }
    let shared = try reader.byte()
    let tags = shared == mixedTags ? Array(try reader.take(present)) : []
    var next = 0
    for row in 0..<count {
      guard isPresent[row] else {
        values.append(nil)
        continue
      }
      let tag = shared == mixedTags ? tags[next] : shared
      next += 1
      values.append(try ValueCodec.read(tag, &reader, tables))
    }
    return FieldColumn(field: field, values: values)
  }
}

/// Values without their tag byte (`docs/WIRE.md`, "Values").
enum ValueCodec {
  static func tag(_ value: Value) -> UInt8 {
    switch value {
    case .null: 0
    case .bool(let flag): flag ? 2 : 1
    case .int: 3
    case .decimal: 4
    case .time: 5
    case .text: 6
    case .bytes: 7
    case .date: 8
    case .ref: 9
    case .opaque(let tag, _): tag
    }
  }

  static func write(_ value: Value, _ tables: inout ChangeTables, to out: inout ByteWriter) {
    if case .ref(let item) = value { return tables.write(item: item, to: &out) }
    write(plain: value, to: &out)
  }

  /// Writes any value but a reference.
  static func write(plain value: Value, to out: inout ByteWriter) {
    switch value {
    case .null, .bool: break
    case .int(let number), .time(let number): out.zigzag(number)
    case .decimal(let mantissa, let scale):
      out.zigzag(mantissa)
      out.byte(scale)
    case .text(let text): out.block(text.utf8)
    case .bytes(let bytes), .opaque(_, let bytes): out.block(bytes)
    case .date(let day): out.zigzag(Int64(day))
    case .ref(let item): out.itemID(item)
    }
  }

  static func read(
    _ tag: UInt8, _ reader: inout ByteReader, _ tables: ChangeTables
  ) throws(DecodeError) -> Value {
    if tag == 9 { return .ref(try tables.item(&reader)) }
    return try read(plain: tag, &reader)
  }

  /// Reads any value; a reference in its plain form.
  static func read(plain tag: UInt8, _ reader: inout ByteReader) throws(DecodeError) -> Value {
    let at = reader.offset
    switch tag {
    case 0: return .null
    case 1: return .bool(false)
    case 2: return .bool(true)
    case 3: return .int(try reader.zigzag())
    case 4:
      let mantissa = try reader.zigzag()
      let scale = try reader.byte()
      guard scale <= 18 else { throw .overLimit(at: at, limit: 18) }
      if scale > 0 && mantissa % 10 == 0 { throw .notCanonical(at: at) }
      return .decimal(mantissa: mantissa, scale: scale)
    case 5: return .time(try reader.zigzag())
    case 6: return .text(try reader.text(max: Limits.valueBytesMax))
    case 7: return .bytes(try reader.block(max: Limits.valueBytesMax))
    case 8:
      guard let day = Int32(exactly: try reader.zigzag()) else {
        throw .overLimit(at: at, limit: UInt64(Int32.max))
      }
      return .date(day)
    case 9: return .ref(try reader.itemID())
    case 10...127: return .opaque(tag: tag, try reader.block(max: Limits.valueBytesMax))
    default: throw .unknownTag(UInt64(tag), at: at)
    }
  }
}
