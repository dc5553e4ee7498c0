// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// Looks for the change up to which a line of this replica and one of a peer are the same.
///
/// Two chains that differ at one seq differ at all later ones, so the last common change is found by
/// halving: at most 34 comparisons. What the peer has is read off a run that came, or asked for.
struct ForkSearch: Sendable {
  /// What to do next.
  enum Step: Hashable, Sendable {
    /// Compare the two changes at this seq.
    case compare(UInt64)
    /// The lines part behind this change.
    case parted(UInt64)
    /// They part before all that this replica can compare.
    case apart
    /// They do not, as far as the run goes.
    case same
  }

  /// Of this replica.
  let line: SessionID
  let link: LinkID
  let startedAt: Moment
  /// The run that showed the difference; taken again once its session is split.
  let run: [UInt8]?
  /// Whether a run that turns out the same is to be taken with its predecessor as compared.
  private(set) var isPredecessor: Bool
  /// The seqs of the run that showed the difference.
  private let runSeqs: ClosedRange<UInt64>?
  /// First eight bytes of hashes that the peer has, by seq.
  private var theirs: [UInt64: UInt64]
  /// Certainly common; `lowest` is what this replica can compare at all.
  private var low: UInt64
  /// Certainly different; `nil` while that is not known.
  private var high: UInt64?
  /// What is tried before halving begins, next one last.
  private var first: [UInt64]

  /// A run whose changes this replica holds others for.
  ///
  /// - Parameters:
  ///   - hashes: Of the change before the run and of its changes.
  ///   - tip: How far the line reaches here.
  init(
    line: SessionID, link: LinkID, at now: Moment, run: [UInt8], from start: UInt64,
    hashes: [ChangeHash], tip: UInt64, lowest: UInt64
  ) {
    (self.line, self.link, startedAt, self.run) = (line, link, now, run)
    (low, isPredecessor) = (lowest, false)
    theirs = [:]
    for (step, hash) in hashes.enumerated() { theirs[start - 1 + UInt64(step)] = hash.a }
    let last = start + UInt64(hashes.count) - 2
    runSeqs = start...last
    first = [min(last, tip)]
    if start - 1 > lowest { first.append(start - 1) }
  }

  /// One change of the peer that is, or may be, another than the one here.
  init(
    line: SessionID, link: LinkID, at now: Moment, other tip: Tip, run: [UInt8]?, lowest: UInt64
  ) {
    (self.line, self.link, startedAt, self.run) = (line, link, now, run)
    (low, isPredecessor, runSeqs) = (lowest, run != nil, nil)
    theirs = [tip.seq: tip.hash.a]
    first = [tip.seq]
  }

  var next: Step {
    if let seq = first.last { return .compare(seq) }
    guard let high else { return .same }
    if high <= low { return .apart }
    return high - low <= 1 ? .parted(low) : .compare(low + (high - low) / 2)
  }

  /// What the peer has at `seq`, if that is known.
  func theirHash(at seq: UInt64) -> UInt64? { theirs[seq] }

  /// Whether the peer's change behind `point` is in the run.
  func runReaches(_ point: UInt64) -> Bool { runSeqs?.contains(point + 1) ?? false }

  mutating func told(_ seq: UInt64, _ hash: UInt64) { theirs[seq] = hash }

  /// - Parameter isSame: Also `true` for what one of the two cannot compare any more: every active
  ///   member had acknowledged it.
  mutating func compared(_ seq: UInt64, isSame: Bool) {
    if first.last == seq { first.removeLast() }
    if isSame {
      low = max(low, seq)
    } else {
      high = min(high ?? .max, seq)
      // Below what the run shows: the rest is asked for.
      first.removeAll { $0 >= seq }
    }
  }
}

/// A line that is being read from the log, so that it can be split.
struct SplitWork: Sendable {
  var reading: BranchReading
  /// The member that showed the other continuation.
  let seen: DeviceID
  let link: LinkID
  /// To be taken once the session is split.
  var run: [UInt8]?
}

/// What a read of the log is for, beside streaming.
enum ForkRead: Hashable, Sendable {
  /// One change of this line, for a search.
  case compare(SessionID, seq: UInt64)
  /// The line that is to be split.
  case split(SessionID)
  /// One change that a peer asked the hash of.
  case answer(LinkID, SessionID, seq: UInt64)
  /// Changes that a peer asked for, from this seq on.
  case branch(LinkID, seq: UInt64)

  /// Whom it answers; `nil` for a read of this agent's own.
  var link: LinkID? {
    switch self {
    case .compare, .split: nil
    case .answer(let link, _, _), .branch(let link, _): link
    }
  }
}
