// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What a replica holds, as tips: one change per session, with its hash.
///
/// A tip implies every earlier change of its session and everything that session continues, so
/// sessions that another one continues to the end need no entry (`core.md` 7.1). Ascending by
/// session, one entry a session.
public struct VersionVector: Hashable, Sendable {
  public private(set) var tips: [Tip]

  public init() { tips = [] }

  /// Takes tips in any order; of two for one session the higher stays.
  /// - Complexity: O(n log n).
  public init(tips: [Tip]) {
    self.tips = []
    for tip in tips.sorted(by: { $0.dot < $1.dot }) {
      if self.tips.last?.session == tip.session { self.tips.removeLast() }
      self.tips.append(tip)
    }
  }

  /// The entry of `session` itself; `nil` also when another entry implies it.
  /// - Complexity: O(log n).
  public func tip(of session: SessionID) -> Tip? {
    var low = 0
    var high = tips.count
    while low < high {
      let middle = (low + high) / 2
      if tips[middle].session < session { low = middle + 1 } else { high = middle }
    }
    return low < tips.count && tips[low].session == session ? tips[low] : nil
  }
}

/// Which changes somebody holds, seen through the sessions that a replica knows.
///
/// Made by `Replica.coverage(of:)`; stays meaningful while that replica grows.
public struct Coverage: Sendable {
  /// Highest seq held, by the replica's session ordinals; short arrays mean 0.
  var seqs: ContiguousArray<UInt32>
  /// Whether the vector named a session or a seq that the replica does not hold.
  public internal(set) var isAhead: Bool

  subscript(session: Int) -> UInt32 { session < seqs.count ? seqs[session] : 0 }
}

/// A stretch of one session: the seqs `first...last`.
public struct SessionRange: Hashable, Sendable {
  public let session: SessionID
  public let first: UInt64
  public let last: UInt64
  public init(session: SessionID, first: UInt64, last: UInt64) {
    (self.session, self.first, self.last) = (session, first, last)
  }
}
