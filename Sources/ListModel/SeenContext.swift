// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What one author had seen: the highest seq by session ordinal; 0 where nothing was seen.
///
/// Beside each seq stand the first four bytes of that change's hash: should the session turn out to
/// be forked, they say which branch the author had seen.
///
/// A space has a session for every start of an agent that wrote something, and each of them has such a
/// context. They differ in few places, so the entries lie in small pages that copies share: a copy
/// that is raised costs a page and the way to it, not all entries.
struct SeenContext: Sendable {
  /// An entry has the seq in its upper half and the bytes of the hash in the lower.
  private typealias Page = ContiguousArray<UInt64>
  private static var pageBits: Int { 4 }
  private static var sheafBits: Int { 5 }

  /// Pages by the upper bits of the ordinal; short arrays mean 0.
  private var sheaves: ContiguousArray<ContiguousArray<Page>> = []

  private static func place(_ session: UInt32) -> (sheaf: Int, page: Int, slot: Int) {
    let page = Int(session) >> pageBits
    return (page >> sheafBits, page & (1 << sheafBits - 1), Int(session) & (1 << pageBits - 1))
  }

  /// Seq and mark of `session` as one number, the seq in the upper half.
  func entry(_ session: UInt32) -> UInt64 {
    let (sheaf, page, slot) = Self.place(session)
    guard sheaf < sheaves.count, page < sheaves[sheaf].count, slot < sheaves[sheaf][page].count
    else { return 0 }
    return sheaves[sheaf][page][slot]
  }

  /// The last change seen of `session`; 0 for none.
  subscript(session: UInt32) -> UInt32 { UInt32(truncatingIfNeeded: entry(session) >> 32) }

  func mark(_ session: UInt32) -> UInt32 { UInt32(truncatingIfNeeded: entry(session)) }

  func contains(session: UInt32, seq: UInt32) -> Bool { self[session] >= seq }

  /// - Parameter mark: The first bytes of the hash of (session, seq).
  /// - Returns: Whether it grew.
  mutating func raise(session: UInt32, to seq: UInt32, mark: UInt32) -> Bool {
    guard self[session] < seq else { return false }
    put(session, UInt64(seq) << 32 | UInt64(mark))
    return true
  }

  /// Puts an entry in the place of what was known, be it more or less.
  mutating func put(_ session: UInt32, _ entry: UInt64) {
    if self.entry(session) == entry { return }
    let (sheaf, page, slot) = Self.place(session)
    sheaves.extend(to: sheaf + 1, with: [])
    sheaves[sheaf].extend(to: page + 1, with: [])
    sheaves[sheaf][page].extend(to: slot + 1, with: 0)
    sheaves[sheaf][page][slot] = entry
  }

  /// Calls `body` with every session of which something was seen, ascending.
  func forEach(_ body: (_ session: UInt32, _ entry: UInt64) -> Void) {
    for sheaf in sheaves.indices {
      for page in sheaves[sheaf].indices {
        let first = (sheaf << Self.sheafBits | page) << Self.pageBits
        for (slot, entry) in sheaves[sheaf][page].enumerated() where entry >> 32 != 0 {
          body(UInt32(first + slot), entry)
        }
      }
    }
  }

  /// The seqs alone, by ordinal.
  var seqs: ContiguousArray<UInt32> {
    var out = ContiguousArray<UInt32>()
    forEach { session, entry in
      out.extend(to: Int(session), with: 0)
      out.append(UInt32(truncatingIfNeeded: entry >> 32))
    }
    return out
  }

  /// The entries that are others than in `other`, ascending; 0 for what only `other` has.
  /// - Complexity: O(pages that the two do not share).
  func differences(from other: SeenContext) -> [(session: UInt32, entry: UInt64)] {
    var out: [(session: UInt32, entry: UInt64)] = []
    for sheaf in 0..<max(sheaves.count, other.sheaves.count) {
      let (mine, theirs) = (sheaves[from: sheaf], other.sheaves[from: sheaf])
      if mine == theirs { continue }
      for page in 0..<max(mine.count, theirs.count) {
        let (mine, theirs) = (mine[from: page], theirs[from: page])
        if mine == theirs { continue }
        let first = (sheaf << Self.sheafBits | page) << Self.pageBits
        for slot in 0..<max(mine.count, theirs.count) {
          let entry = slot < mine.count ? mine[slot] : 0
          if entry != (slot < theirs.count ? theirs[slot] : 0) {
            out.append((UInt32(first + slot), entry))
          }
        }
      }
    }
    return out
  }

  /// Shares with `other` the pages that are equal.
  mutating func share(with other: SeenContext) {
    for sheaf in 0..<min(sheaves.count, other.sheaves.count) {
      for page in 0..<min(sheaves[sheaf].count, other.sheaves[sheaf].count)
      where sheaves[sheaf][page] == other.sheaves[sheaf][page] {
        sheaves[sheaf][page] = other.sheaves[sheaf][page]
      }
      if sheaves[sheaf] == other.sheaves[sheaf] { sheaves[sheaf] = other.sheaves[sheaf] }
    }
  }
}

extension ContiguousArray {
  fileprivate mutating func extend(to count: Int, with element: Element) {
    if self.count < count { append(contentsOf: repeatElement(element, count: count - self.count)) }
  }
}

extension ContiguousArray where Element: RangeReplaceableCollection {
  /// Empty beyond the end.
  fileprivate subscript(from index: Int) -> Element { index < count ? self[index] : Element() }
}
