// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// All items by dense ordinals: their ids, the three built-in cells, and the bytes of their keys.
///
/// One row of 40 bytes an item, because a write touches most of it. Ordinals never decide anything;
/// 0 is the root, 1 is Recovered.
struct ItemTable: Sendable {
  static let root: UInt32 = 0
  static let recovered: UInt32 = 1
  static let none = UInt32.max

  struct Row: Sendable {
    let nonce: UInt64
    let index: UInt32
    /// Stamp rows; 0 = never written.
    var create: UInt32 = 0
    var place: UInt32 = 0
    var life: UInt32 = 0
    /// The parent as written; `none` before the first place.
    var parent = ItemTable.none
    /// The effective parent: `recovered` for victims of a cycle, else `parent` (`core.md` 4.1).
    var effective = ItemTable.none
    /// Where the key begins in `keyBytes`.
    fileprivate var keyStart: UInt32 = 0
    fileprivate var keyLength: UInt16 = 0
    var isDead = false

    fileprivate init(_ id: ItemID) { (nonce, index) = (id.nonce, id.index) }

    var id: ItemID { ItemID(nonce: nonce, index: index) }
    fileprivate var keyRange: Range<Int> { Int(keyStart)..<Int(keyStart) + Int(keyLength) }
  }

  private(set) var rows: ContiguousArray<Row> = []
  private var keyBytes: ContiguousArray<UInt8> = []
  private var keyGarbage = 0
  /// Open addressing, linear probing, at most half full; `none` = empty.
  private var slots: ContiguousArray<UInt32>

  init() {
    slots = ContiguousArray(repeating: Self.none, count: 16)
    _ = ordinalMaking(.root)
    _ = ordinalMaking(.recovered)
  }

  var count: Int { rows.count }

  subscript(ordinal: UInt32) -> Row {
    get { rows[Int(ordinal)] }
    _modify { yield &rows[Int(ordinal)] }
  }

  func id(_ ordinal: UInt32) -> ItemID { rows[Int(ordinal)].id }

  /// - Complexity: O(1) expected.
  func ordinal(of id: ItemID) -> UInt32? {
    let found = slots[slot(of: id)]
    return found == Self.none ? nil : found
  }

  mutating func ordinalMaking(_ id: ItemID) -> UInt32 {
    let at = slot(of: id)
    if slots[at] != Self.none { return slots[at] }
    let made = UInt32(rows.count)
    slots[at] = made
    rows.append(Row(id))
    if rows.count * 2 > slots.count { grow(to: slots.count * 2) }
    return made
  }

  /// Makes room for a batch; growth stays geometric, so that many small batches cost no more.
  mutating func reserve(_ more: Int) {
    let wanted = count + more
    if wanted > rows.capacity { rows.reserveCapacity(max(wanted, rows.capacity * 2)) }
    var slotCount = slots.count
    while wanted * 2 > slotCount { slotCount *= 2 }
    if slotCount > slots.count { grow(to: slotCount) }
  }

  /// Eight items in a row of one change share a cache line: they are mostly asked for together.
  private func slot(of id: ItemID) -> Int {
    let mask = slots.count - 1
    let group = UInt64(id.index >> 3)
    var hash = (id.nonce ^ group &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
    hash ^= hash >> 32
    var at = Int(truncatingIfNeeded: hash & ~7 | (hash &+ UInt64(id.index)) & 7) & mask
    while slots[at] != Self.none {
      let other = rows[Int(slots[at])]
      if other.nonce == id.nonce && other.index == id.index { break }
      at = (at + 1) & mask
    }
    return at
  }

  private mutating func grow(to slotCount: Int) {
    slots = ContiguousArray(repeating: Self.none, count: slotCount)
    for ordinal in 0..<UInt32(count) { slots[slot(of: id(ordinal))] = ordinal }
  }

  // MARK: Keys

  func key(_ ordinal: UInt32) -> PositionKey {
    PositionKey(bytes: Array(keyBytes[rows[Int(ordinal)].keyRange]))
  }

  func keyEquals(_ ordinal: UInt32, _ key: PositionKey) -> Bool {
    let row = rows[Int(ordinal)]
    return key.bytes.count == Int(row.keyLength)
      && key.bytes.elementsEqual(keyBytes[row.keyRange])
  }

  mutating func setKey(_ ordinal: UInt32, _ key: PositionKey) {
    keyGarbage += Int(rows[Int(ordinal)].keyLength)
    if keyGarbage > 1 << 16 && keyGarbage * 2 > keyBytes.count { compactKeys() }
    rows[Int(ordinal)].keyStart = UInt32(keyBytes.count)
    rows[Int(ordinal)].keyLength = UInt16(key.bytes.count)
    keyBytes.append(contentsOf: key.bytes)
  }

  private mutating func compactKeys() {
    var kept: ContiguousArray<UInt8> = []
    for at in 0..<count {
      let bytes = keyBytes[rows[at].keyRange]
      rows[at].keyStart = UInt32(kept.count)
      kept.append(contentsOf: bytes)
    }
    keyBytes = kept
    keyGarbage = 0
  }

  /// List order: memcmp of the keys, then the item ids.
  func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    let (x, y) = (rows[Int(a)], rows[Int(b)])
    let (startX, startY) = (Int(x.keyStart), Int(y.keyStart))
    let shared = Int(min(x.keyLength, y.keyLength))
    var at = 0
    while at < shared {
      let (one, two) = (keyBytes[startX + at], keyBytes[startY + at])
      if one != two { return one < two }
      at += 1
    }
    if x.keyLength != y.keyLength { return x.keyLength < y.keyLength }
    return (x.nonce, x.index) < (y.nonce, y.index)
  }

  /// Whether the key of `ordinal` is greater than `key`.
  func keyExceeds(_ ordinal: UInt32, _ key: PositionKey) -> Bool {
    key.bytes.lexicographicallyPrecedes(keyBytes[rows[Int(ordinal)].keyRange])
  }

  func exists(_ ordinal: UInt32) -> Bool {
    rows[Int(ordinal)].create != 0 || ordinal == Self.root
  }
}
