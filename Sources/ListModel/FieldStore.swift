// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The user fields of all items, column by column: per field pages of 256 item ordinals that exist
/// only where some item has the field. A cell is a stamp row, a kind and 64 bits; longer values lie
/// in one arena.
struct FieldStore: Sendable {
  /// What the 64 bits mean. Decimals carry their scale as `decimal + scale`.
  private enum Kind {
    static let null: UInt8 = 0
    static let no: UInt8 = 1
    static let yes: UInt8 = 2
    static let int: UInt8 = 3
    static let time: UInt8 = 5
    static let text: UInt8 = 6
    static let bytes: UInt8 = 7
    static let date: UInt8 = 8
    static let ref: UInt8 = 9
    /// 10...127: opaque tags as they are.
    static let decimal: UInt8 = 200
  }

  private struct Cell: Sendable {
    var payload: UInt64 = 0
    /// Stamp row; 0 = never written.
    var stamp: UInt32 = 0
    var kind: UInt8 = 0
  }

  private static let pageSize = 256
  private static let none = UInt32.max

  private(set) var names: [FieldName] = [.text]
  private var ordinals: [FieldName: UInt32] = [.text: 0]
  /// Per field the number of each page in `cells`; `none` where there is no page.
  private var columns: [ContiguousArray<UInt32>] = [[]]
  private var cells: ContiguousArray<Cell> = []
  private var arena: ContiguousArray<UInt8> = []
  private var garbage = 0

  func ordinal(of name: FieldName) -> UInt32? { ordinals[name] }

  mutating func ordinalMaking(_ name: FieldName) -> UInt32 {
    if let known = ordinals[name] { return known }
    let made = UInt32(names.count)
    names.append(name)
    columns.append([])
    ordinals[name] = made
    return made
  }

  /// Where the cell lies in `cells`; `nil` where its page does not exist.
  private func slot(_ field: UInt32, _ item: UInt32) -> Int? {
    let number = Int(item) / Self.pageSize
    guard number < columns[Int(field)].count else { return nil }
    let page = columns[Int(field)][number]
    return page == Self.none ? nil : Int(page) * Self.pageSize + Int(item) % Self.pageSize
  }

  private mutating func slotMaking(_ field: UInt32, _ item: UInt32) -> Int {
    if let known = slot(field, item) { return known }
    let number = Int(item) / Self.pageSize
    let missing = number + 1 - columns[Int(field)].count
    if missing > 0 {
      columns[Int(field)].append(contentsOf: repeatElement(Self.none, count: missing))
    }
    columns[Int(field)][number] = UInt32(cells.count / Self.pageSize)
    cells.append(contentsOf: repeatElement(Cell(), count: Self.pageSize))
    return cells.count - Self.pageSize + Int(item) % Self.pageSize
  }

  /// The stamp row of a cell; 0 where it was never written.
  func stamp(_ field: UInt32, _ item: UInt32) -> UInt32 {
    slot(field, item).map { cells[$0].stamp } ?? 0
  }

  /// `nil` where the cell was never written.
  func value(_ field: UInt32, _ item: UInt32) -> Value? {
    guard let slot = slot(field, item), cells[slot].stamp != 0 else { return nil }
    return value(cells[slot])
  }

  mutating func write(_ field: UInt32, _ item: UInt32, _ value: Value, stamp: UInt32) {
    let slot = slotMaking(field, item)
    if Self.isLong(cells[slot].kind) { garbage += Int(cells[slot].payload & 0xFF_FFFF) }
    let (kind, payload) = packed(value)
    cells[slot] = Cell(payload: payload, stamp: stamp, kind: kind)
    if garbage > 1 << 20 && garbage * 2 > arena.count { compact() }
  }

  /// Takes a cell away, as if it had never been written.
  mutating func clear(_ field: UInt32, _ item: UInt32) {
    let slot = slotMaking(field, item)
    if Self.isLong(cells[slot].kind) { garbage += Int(cells[slot].payload & 0xFF_FFFF) }
    cells[slot] = Cell()
  }

  private static func isLong(_ kind: UInt8) -> Bool {
    kind == Kind.text || kind == Kind.bytes || (kind >= Kind.ref && kind < Kind.decimal)
  }

  private mutating func packed(_ value: Value) -> (UInt8, UInt64) {
    switch value {
    case .null: return (Kind.null, 0)
    case .bool(let flag): return (flag ? Kind.yes : Kind.no, 0)
    case .int(let number): return (Kind.int, UInt64(bitPattern: number))
    case .decimal(let mantissa, let scale):
      return (Kind.decimal + scale, UInt64(bitPattern: mantissa))
    case .time(let milliseconds): return (Kind.time, UInt64(bitPattern: milliseconds))
    case .date(let day): return (Kind.date, UInt64(bitPattern: Int64(day)))
    case .text(let text): return (Kind.text, stored(text.utf8))
    case .bytes(let bytes): return (Kind.bytes, stored(bytes))
    case .opaque(let tag, let bytes): return (tag, stored(bytes))
    case .ref(let item):
      var bytes: [UInt8] = []
      item.append(to: &bytes)
      return (Kind.ref, stored(bytes))
    }
  }

  private mutating func stored(_ bytes: [UInt8]) -> UInt64 {
    let start = UInt64(arena.count)
    arena.append(contentsOf: bytes)
    return start << 24 | UInt64(bytes.count)
  }

  private func value(_ cell: Cell) -> Value {
    let (kind, payload) = (cell.kind, cell.payload)
    switch kind {
    case Kind.null: return .null
    case Kind.no: return .bool(false)
    case Kind.yes: return .bool(true)
    case Kind.int: return .int(Int64(bitPattern: payload))
    case Kind.time: return .time(Int64(bitPattern: payload))
    case Kind.date: return .date(Int32(truncatingIfNeeded: Int64(bitPattern: payload)))
    case Kind.decimal...:
      return .decimal(mantissa: Int64(bitPattern: payload), scale: kind - Kind.decimal)
    default:
      let start = Int(payload >> 24)
      let bytes = Array(arena[start..<start + Int(payload & 0xFF_FFFF)])
      if kind == Kind.text { return .text(Text(trusted: bytes)) }
      if kind == Kind.bytes { return .bytes(bytes) }
      if kind == Kind.ref, bytes.count == 12 {
        let nonce = bytes[0..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let index = bytes[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return .ref(ItemID(nonce: nonce, index: index))
      }
      return .opaque(tag: kind, bytes)
    }
  }

  private mutating func compact() {
    var kept: ContiguousArray<UInt8> = []
    for slot in cells.indices where Self.isLong(cells[slot].kind) {
      let payload = cells[slot].payload
      let (start, length) = (Int(payload >> 24), Int(payload & 0xFF_FFFF))
      cells[slot].payload = UInt64(kept.count) << 24 | UInt64(length)
      kept.append(contentsOf: arena[start..<start + length])
    }
    arena = kept
    garbage = 0
  }
}
