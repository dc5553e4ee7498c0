// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// The short name of an item: 3 or more characters, the same on every machine.
///
/// The first character is a consonant, the others are consonants or digits, so a handle is never a
/// number, a range or a word. All twelve characters come from the item id alone; people see and
/// type the shortest prefix that is unique among the items of the space, at least three.
public enum Handle {
  /// Characters of a whole handle.
  public static let length = 12
  /// Characters that are shown at least.
  public static let shownMin = 3

  private static let alphabet = Array("0123456789bcdfghjkmnpqrstvwxz".utf8)
  private static let firsts = Array("bcdfghjkmnpqrstvwxz".utf8)
  private static let base = UInt64(29)

  /// Returns the twelve characters of an item as a number whose order is the order of the texts.
  /// - Complexity: O(1).
  public static func key(of id: ItemID) -> UInt64 {
    mix(id.nonce ^ mix(UInt64(id.index) &+ 0x9E37_79B9_7F4A_7C15)) % keyEnd
  }

  /// Exclusive bound of keys: 19 × 29^11, below 2^58.
  public static let keyEnd: UInt64 = 19 * power(11)

  /// Returns the first `count` characters (3...12) of a key.
  public static func text(of key: UInt64, count: Int = shownMin) -> String {
    var out: [UInt8] = [firsts[Int(key / power(11) % 19)]]
    for place in 1..<min(max(count, 1), length) {
      out.append(alphabet[Int(key / power(length - 1 - place) % base)])
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Returns the keys that start with `prefix`; `nil` unless it is shaped like a handle.
  ///
  /// Upper case is read as lower case.
  public static func keys(withPrefix prefix: String) -> Range<UInt64>? {
    let bytes = prefix.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    guard (shownMin...length).contains(bytes.count), let first = firsts.firstIndex(of: bytes[0])
    else { return nil }
    var key = UInt64(first)
    for byte in bytes.dropFirst() {
      guard let digit = alphabet.firstIndex(of: byte) else { return nil }
      key = key * base + UInt64(digit)
    }
    let span = power(length - bytes.count)
    return key * span..<(key + 1) * span
  }

  /// How many leading characters two keys share.
  public static func sharedCount(_ a: UInt64, _ b: UInt64) -> Int {
    var place = length - 1
    var count = 0
    while place >= 0, a / power(place) == b / power(place) {
      count += 1
      place -= 1
    }
    return count
  }

  static func power(_ exponent: Int) -> UInt64 {
    var result: UInt64 = 1
    for _ in 0..<exponent { result *= base }
    return result
  }

  /// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
  /// generators", 2014): a bijection that spreads neighbouring numbers.
  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// All items of a space by handle: gives the shortest unique prefix, and finds items by prefix.
///
/// Items are never taken out: a handle stays good for restoring what was deleted. Grouped by the
/// first three characters (15,979 groups), so an insertion moves a few entries at most.
public struct HandleIndex: Sendable {
  private var groups: [[ItemID]]
  private static let groupSpan = Handle.power(Handle.length - Handle.shownMin)

  public init() {
    groups = Array(repeating: [], count: Int(Handle.keyEnd / Self.groupSpan))
  }

  /// Adds an item; adding it again changes nothing.
  /// - Complexity: O(items that share three characters).
  public mutating func insert(_ id: ItemID) {
    let key = Handle.key(of: id)
    let group = Int(key / Self.groupSpan)
    let index = Self.place(of: id, key, in: groups[group])
    if index < groups[group].count, groups[group][index] == id { return }
    groups[group].insert(id, at: index)
  }

  /// Returns the shortest unique prefix of an item's handle, at least three characters.
  ///
  /// For an item that is not in the index it is the prefix that it would have.
  /// - Complexity: O(log items that share three characters).
  public func handle(of id: ItemID) -> String {
    let key = Handle.key(of: id)
    let group = groups[Int(key / Self.groupSpan)]
    let index = Self.place(of: id, key, in: group)
    let isPresent = index < group.count && group[index] == id
    let next = isPresent ? index + 1 : index
    var count = Handle.shownMin
    if index > 0 {
      count = max(count, Handle.sharedCount(key, Handle.key(of: group[index - 1])) + 1)
    }
    if next < group.count {
      count = max(count, Handle.sharedCount(key, Handle.key(of: group[next])) + 1)
    }
    return Handle.text(of: key, count: count)
  }

  /// Returns the items whose handle starts with `prefix`, ordered by handle; empty unless `prefix`
  /// is shaped like a handle.
  public func items(withPrefix prefix: String) -> [ItemID] {
    guard let keys = Handle.keys(withPrefix: prefix) else { return [] }
    return groups[Int(keys.lowerBound / Self.groupSpan)].filter {
      keys.contains(Handle.key(of: $0))
    }
  }

  private static func place(of id: ItemID, _ key: UInt64, in group: [ItemID]) -> Int {
    var low = 0
    var high = group.count
    while low < high {
      let middle = (low + high) / 2
      let other = Handle.key(of: group[middle])
      if other < key || (other == key && group[middle] < id) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
