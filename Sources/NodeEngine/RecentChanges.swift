// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// The latest changes in memory, so that pushing them reads no disk.
///
/// Per session a contiguous stretch that ends at its tip. What is not on disk yet always stays.
struct RecentChanges: Sendable {
  private struct Stretch: Sendable {
    var first: UInt64
    var changes: [LoggedChange]
    /// Entries before it are gone already; the array is shifted when half of it is.
    var head = 0
  }

  private var stretches: [SessionID: Stretch] = [:]
  /// All dots in the order of arrival, from `arrivalHead` on.
  private var arrival: [Dot] = []
  private var arrivalHead = 0
  private(set) var byteCount = 0

  /// Appends the next change of its session.
  mutating func append(_ change: LoggedChange) {
    let dot = change.dot
    if let stretch = stretches[dot.session],
      stretch.first + UInt64(stretch.changes.count - stretch.head) == dot.seq
    {
      stretches[dot.session]!.changes.append(change)  // just seen to be there
    } else {
      forget(dot.session)
      stretches[dot.session] = Stretch(first: dot.seq, changes: [change])
    }
    byteCount += change.bytes.count
    arrival.append(dot)
  }

  /// The changes of `session` from `first` to `last` that fit into `bytesMax`, at least one; empty
  /// if `first` is not here.
  func changes(
    of session: SessionID, from first: UInt64, through last: UInt64, bytesMax: Int
  ) -> [LoggedChange] {
    guard let stretch = stretches[session], first >= stretch.first else { return [] }
    var out: [LoggedChange] = []
    var bytes = 0
    var at = stretch.head + Int(first - stretch.first)
    while at < stretch.changes.count, stretch.changes[at].dot.seq <= last {
      bytes += stretch.changes[at].bytes.count
      if bytes > bytesMax && !out.isEmpty { break }
      out.append(stretch.changes[at])
      at += 1
    }
    return out
  }

  /// The first seq of `session` that is here.
  func first(of session: SessionID) -> UInt64? { stretches[session]?.first }

  /// The changes of `line` behind `point` belong to the branch `name` now.
  mutating func split(_ line: SessionID, beyond point: UInt64, as name: SessionID) {
    guard let stretch = stretches.removeValue(forKey: line) else { return }
    let kept = stretch.changes[stretch.head...]
    let shared = kept.filter { $0.dot.seq <= point }
    let moved = kept.filter { $0.dot.seq > point }.map { change in
      LoggedChange(
        dot: Dot(session: name, seq: change.dot.seq), hash: change.hash, bytes: change.bytes,
        isVerified: change.isVerified)
    }
    if let first = shared.first {
      stretches[line] = Stretch(first: first.dot.seq, changes: Array(shared))
    }
    if let first = moved.first {
      stretches[name] = Stretch(first: first.dot.seq, changes: moved)
    }
    for at in arrival.indices where arrival[at].session == line && arrival[at].seq > point {
      arrival[at] = Dot(session: name, seq: arrival[at].seq)
    }
  }

  /// Drops the changes of `line` from `first` on.
  mutating func drop(_ line: SessionID, from first: UInt64) {
    guard let stretch = stretches.removeValue(forKey: line) else { return }
    let all = stretch.changes[stretch.head...]
    let kept = all.filter { $0.dot.seq < first }
    byteCount -= all.dropFirst(kept.count).reduce(0) { $0 + $1.bytes.count }
    if let oldest = kept.first {
      stretches[line] = Stretch(first: oldest.dot.seq, changes: Array(kept))
    }
  }

  /// Drops the oldest changes until `bytesMax` is kept, but none that `isDurable` denies.
  mutating func trim(to bytesMax: Int, isDurable: (Dot) -> Bool) {
    while byteCount > bytesMax, arrivalHead < arrival.count {
      let dot = arrival[arrivalHead]
      if let stretch = stretches[dot.session], stretch.first == dot.seq {
        guard isDurable(dot) else { break }
        dropFirst(of: dot.session, stretch)
      }
      arrivalHead += 1
    }
    if arrivalHead > 1024 && arrivalHead * 2 > arrival.count {
      arrival.removeFirst(arrivalHead)
      arrivalHead = 0
    }
  }

  private mutating func dropFirst(of session: SessionID, _ stretch: Stretch) {
    byteCount -= stretch.changes[stretch.head].bytes.count
    if stretch.head + 1 == stretch.changes.count {
      stretches[session] = nil
      return
    }
    stretches[session]!.first += 1  // present: the caller read it
    stretches[session]!.head += 1
    if stretch.head > 64 && stretch.head * 2 > stretch.changes.count {
      stretches[session]!.changes.removeFirst(stretch.head + 1)
      stretches[session]!.head = 0
    }
  }

  private mutating func forget(_ session: SessionID) {
    guard let stretch = stretches[session] else { return }
    for change in stretch.changes[stretch.head...] { byteCount -= change.bytes.count }
    stretches[session] = nil
  }
}
