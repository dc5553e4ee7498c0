// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The columns of all items by dense ordinals: ids, the three built-in cells, keys.
///
/// Ordinals never decide anything; 0 is the root, 1 is Recovered.
struct ItemTable: Sendable {
  static let root: UInt32 = 0
  static let recovered: UInt32 = 1
  static let none = UInt32.max

  private(set) var nonces: ContiguousArray<UInt64> = []
  private(set) var indexes: ContiguousArray<UInt32> = []
  /// Stamp rows; 0 = never written.
  var create: ContiguousArray<UInt32> = []
  var place: ContiguousArray<UInt32> = []
  var life: ContiguousArray<UInt32> = []
  var isDead: ContiguousArray<Bool> = []
  /// The parent as written; `none` before the first place.
  var parent: ContiguousArray<UInt32> = []
  /// The effective parent: `recovered` for victims of a cycle, else `parent` (`core.md` 4.1).
  var effective: ContiguousArray<UInt32> = []
  private var keyStart: ContiguousArray<UInt32> = []
  private var keyLength: ContiguousArray<UInt16> = []
  private var keyBytes: ContiguousArray<UInt8> = []
  private var keyGarbage = 0
  /// Open addressing, linear probing, at most half full; `none` = empty.
  private var slots: ContiguousArray<UInt32>

  init() {
    slots = ContiguousArray(repeating: Self.none, count: 16)
    _ = ordinalMaking(.root)
    _ = ordinalMaking(.recovered)
  }

  var count: Int { nonces.count }

  func id(_ ordinal: UInt32) -> ItemID {
    ItemID(nonce: nonces[Int(ordinal)], index: indexes[Int(ordinal)])
  }

  /// - Complexity: O(1) expected.
  func ordinal(of id: ItemID) -> UInt32? {
    let found = slots[slot(of: id)]
    return found == Self.none ? nil : found
  }

  mutating func ordinalMaking(_ id: ItemID) -> UInt32 {
    let at = slot(of: id)
    if slots[at] != Self.none { return slots[at] }
    let made = UInt32(nonces.count)
    slots[at] = made
    nonces.append(id.nonce)
    indexes.append(id.index)
    create.append(0)
    place.append(0)
    life.append(0)
    isDead.append(false)
    parent.append(Self.none)
    effective.append(Self.none)
    keyStart.append(0)
    keyLength.append(0)
    if nonces.count * 2 > slots.count { grow() }
    return made
  }

  mutating func reserve(_ more: Int) {
    let wanted = count + more
    nonces.reserveCapacity(wanted)
    indexes.reserveCapacity(wanted)
    while wanted * 2 > slots.count { grow() }
  }

  private func slot(of id: ItemID) -> Int {
    let mask = slots.count - 1
    var hash = (id.nonce ^ UInt64(id.index) &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
    hash ^= hash >> 32
    var at = Int(truncatingIfNeeded: hash) & mask
    while slots[at] != Self.none {
      let other = Int(slots[at])
      if nonces[other] == id.nonce && indexes[other] == id.index { break }
      at = (at + 1) & mask
    }
    return at
  }

  private mutating func grow() {
    slots = ContiguousArray(repeating: Self.none, count: slots.count * 2)
    for ordinal in 0..<UInt32(count) { slots[slot(of: id(ordinal))] = ordinal }
  }

  func key(_ ordinal: UInt32) -> PositionKey {
    let start = Int(keyStart[Int(ordinal)])
    return PositionKey(bytes: Array(keyBytes[start..<start + Int(keyLength[Int(ordinal)])]))
  }

  func keyEquals(_ ordinal: UInt32, _ key: PositionKey) -> Bool {
    let start = Int(keyStart[Int(ordinal)])
    return key.bytes.count == Int(keyLength[Int(ordinal)])
      && key.bytes.elementsEqual(keyBytes[start..<start + key.bytes.count])
  }

  mutating func setKey(_ ordinal: UInt32, _ key: PositionKey) {
    let at = Int(ordinal)
    keyGarbage += Int(keyLength[at])
    if keyGarbage > 1 << 16 && keyGarbage * 2 > keyBytes.count { compactKeys() }
    keyStart[at] = UInt32(keyBytes.count)
    keyLength[at] = UInt16(key.bytes.count)
    keyBytes.append(contentsOf: key.bytes)
  }

  private mutating func compactKeys() {
    var kept: ContiguousArray<UInt8> = []
    for at in 0..<count {
      let start = Int(keyStart[at])
      keyStart[at] = UInt32(kept.count)
      kept.append(contentsOf: keyBytes[start..<start + Int(keyLength[at])])
    }
    keyBytes = kept
    keyGarbage = 0
  }

  /// List order: memcmp of the keys, then the item ids.
  func precedes(_ a: UInt32, _ b: UInt32) -> Bool {
    let (x, y) = (Int(a), Int(b))
    let (startX, startY) = (Int(keyStart[x]), Int(keyStart[y]))
    let (lengthX, lengthY) = (Int(keyLength[x]), Int(keyLength[y]))
    let shared = min(lengthX, lengthY)
    var at = 0
    while at < shared {
      let (one, two) = (keyBytes[startX + at], keyBytes[startY + at])
      if one != two { return one < two }
      at += 1
    }
    if lengthX != lengthY { return lengthX < lengthY }
    if nonces[x] != nonces[y] { return nonces[x] < nonces[y] }
    return indexes[x] < indexes[y]
  }

  /// Whether the key of `ordinal` is greater than `key`.
  func keyExceeds(_ ordinal: UInt32, _ key: PositionKey) -> Bool {
    let start = Int(keyStart[Int(ordinal)])
    return key.bytes.lexicographicallyPrecedes(
      keyBytes[start..<start + Int(keyLength[Int(ordinal)])])
  }

  func exists(_ ordinal: UInt32) -> Bool { create[Int(ordinal)] != 0 || ordinal == Self.root }
}
