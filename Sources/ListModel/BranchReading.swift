// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What a replica must know of one session to hold it as branches: read once, from the log, when a
/// second continuation of that session turns up.
public struct BranchReading: Sendable {
  struct Counter: Hashable, Sendable {
    let item: ItemID
    let field: FieldName
  }

  struct Added: Sendable {
    var total: Int64
    var seq: UInt32
  }

  /// The session, or the branch of one, that is to be split.
  public let line: SessionID
  /// The last change that all continuations share; 0 if not even the first.
  public let point: UInt64
  /// The seq of the change that is wanted next.
  public private(set) var next: UInt64
  /// The last change that was taken.
  public internal(set) var lastHash = ChangeHash.zero
  /// Whether it was made from the trail of the line, not from the log.
  var isFromTrail = false
  /// Whether the trail says all that the author had seen before the first change that is read.
  var tellsAllSeen = false
  var pointHash = ChangeHash.zero
  var pointH: UInt64 = 0
  /// What the author named as seen up to `point`.
  var seen: [SessionID: SeenEntry] = [:]
  /// Hashes and sums of adds behind `point`.
  var hashes: [ChangeHash] = []
  var added: [Counter: Added] = [:]
  /// Seqs of the last adds up to `point`, where they were read.
  var shared: [Counter: UInt32] = [:]

  /// - Parameter first: The seq of the first change that will be taken, at most `point` + 1.
  public init(line: SessionID, point: UInt64, from first: UInt64) {
    (self.line, self.point, next) = (line, point, first)
  }

  /// Takes the next change of the line.
  public mutating func take(_ change: Change, hash: ChangeHash) {
    precondition(change.seq == next, "change \(change.seq) where \(next) was awaited")
    next += 1
    lastHash = hash
    if change.seq <= point {
      (pointHash, pointH) = (hash, change.h)
      for entry in change.seen { seen[entry.dot.session] = entry }
    } else {
      if change.seq == point + 1 { pointHash = change.prev }
      hashes.append(hash)
    }
    for case .add(let item, let field, let delta) in change.ops {
      take(
        delta, at: UInt32(truncatingIfNeeded: change.seq), to: Counter(item: item, field: field))
    }
  }

  /// Takes one add.
  mutating func take(_ delta: Int64, at seq: UInt32, to counter: Counter) {
    if UInt64(seq) <= point {
      shared[counter] = max(shared[counter] ?? 0, seq)
    } else {
      let before = added[counter]
      added[counter] = Added(
        total: (before?.total ?? 0) &+ delta, seq: max(before?.seq ?? 0, seq))
    }
  }
}

/// The name under which a branch is held: the first half of the session's id, then the first eight
/// bytes of the hash of the branch's first change. Equal on every replica.
public func branchName(of session: SessionID, from first: ChangeHash) -> SessionID {
  SessionID(high: session.high, low: first.a)
}

extension ChangeHash {
  /// Whether only the first eight bytes are known.
  var isShort: Bool { b == 0 && c == 0 && d == 0 && a != 0 }
}
