// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The newest changes of a line in short, whether they are in the log or not: the first eight bytes of
/// each hash, what its author said to have seen, and what it added to counters. Enough to find where
/// another continuation of the line parts from it, and to make a branch of what lies behind that point,
/// when the log has gone (`core.md` 7.3, decision 29).
struct Trail: Hashable, Sendable {
  /// Changes of one line that are kept: 4,096. Further back a fork is found, but cannot be mended.
  static let changesMax = 4_096
  /// What of these may be adds, and entries of what was seen: 16,384 each.
  static let detailsMax = 16_384
  /// Changes that are kept of all sessions together: 32,768. The oldest sessions go first.
  static let totalMax = 32_768

  struct Add: Hashable, Sendable {
    let seq: UInt32
    let item: ItemID
    let field: FieldName
    let delta: Int64
  }

  /// What the author of the change `seq` named as seen.
  struct Seen: Hashable, Sendable {
    let seq: UInt32
    let session: UInt32
    let last: UInt32
    let mark: UInt32
  }

  /// All that follows this seq is in the trail.
  private(set) var base: UInt32 = 0
  /// From `base` + 1 on; empty in a branch, which has them as its own.
  private(set) var hashes: ContiguousArray<UInt64> = []
  /// In the order in which they were folded.
  private(set) var adds: ContiguousArray<Add> = []
  private(set) var seen: ContiguousArray<Seen> = []

  /// Of a line whose changes up to `base` are not known one by one.
  init(behind base: UInt32 = 0) { self.base = base }

  init(
    base: UInt32, hashes: ContiguousArray<UInt64>, adds: ContiguousArray<Add>,
    seen: ContiguousArray<Seen>
  ) {
    (self.base, self.hashes, self.adds, self.seen) = (base, hashes, adds, seen)
  }

  func hash(at seq: UInt32) -> UInt64? {
    seq > base && Int(seq - base) <= hashes.count ? hashes[Int(seq - base) - 1] : nil
  }

  /// The next change of a session.
  mutating func append(_ hash: UInt64) {
    hashes.append(hash)
    trim()
  }

  /// One that is folded late may be of a change that has left the trail.
  mutating func append(_ add: Add) { if add.seq > base { adds.append(add) } }
  mutating func append(_ entry: Seen) { seen.append(entry) }

  /// Drops the older half where there is too much.
  mutating func trim() {
    if hashes.count > Self.changesMax {
      drop(through: base + UInt32(hashes.count - Self.changesMax / 2))
    }
    if adds.count > Self.detailsMax { drop(through: adds[adds.count / 2].seq) }
    if seen.count > Self.detailsMax { drop(through: seen[seen.count / 2].seq) }
  }

  /// Forgets what came up to `seq`, which is not before `base`.
  mutating func drop(through seq: UInt32) {
    hashes.removeFirst(min(Int(seq - base), hashes.count))
    adds.removeAll { $0.seq <= seq }
    seen.removeAll { $0.seq <= seq }
    base = seq
  }

  /// Takes out all that follows `point`.
  mutating func cut(behind point: UInt32) {
    if point < base { return self = Trail(behind: point) }
    hashes.removeLast(max(hashes.count - Int(point - base), 0))
    adds.removeAll { $0.seq > point }
    seen.removeAll { $0.seq > point }
  }

  /// What a line with this trail has behind `point`, as the trail of a branch that begins there.
  func branch(behind point: UInt32) -> Trail {
    Trail(
      base: max(base, point), hashes: [], adds: adds.filter { $0.seq > point },
      seen: seen.filter { $0.seq > point })
  }

  /// The trail of a line that grew from `tip` by a join with one whose trail is `other`.
  func extended(from tip: UInt32, by other: Trail) -> Trail {
    guard other.base > base, other.base <= tip else {
      var taken = other
      taken.trim()
      return taken
    }
    var joined = Trail(
      base: base,
      hashes: hashes + other.hashes.dropFirst(Int(tip - other.base)),
      adds: adds + other.adds.filter { $0.seq > tip },
      seen: seen + other.seen.filter { $0.seq > tip })
    joined.trim()
    return joined
  }
}
