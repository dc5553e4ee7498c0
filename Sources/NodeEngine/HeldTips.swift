// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// What one peer said to hold: the highest change per session, also of sessions unknown here.
struct HeldTips: Hashable, Sendable {
  /// Ascending by session, one a session.
  private(set) var tips: [Tip] = []

  init() {}

  /// The highest seq told; 0 if the session was never named.
  /// - Complexity: O(log n).
  func seq(of session: SessionID) -> UInt64 {
    let at = place(of: session)
    return at < tips.count && tips[at].session == session ? tips[at].seq : 0
  }

  /// Takes a tip unless a higher one is known; of two at one place the later word counts.
  mutating func raise(_ tip: Tip) {
    let at = place(of: tip.session)
    if at < tips.count, tips[at].session == tip.session {
      if tip.seq >= tips[at].seq { tips[at] = tip }
    } else {
      tips.insert(tip, at: at)
    }
  }

  mutating func raise(_ tips: [Tip]) {
    for tip in tips { raise(tip) }
  }

  /// Drops what `isSettled` says.
  mutating func remove(where isSettled: (Tip) -> Bool) { tips.removeAll(where: isSettled) }

  private func place(of session: SessionID) -> Int {
    var low = 0
    var high = tips.count
    while low < high {
      let middle = (low + high) / 2
      if tips[middle].session < session { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
