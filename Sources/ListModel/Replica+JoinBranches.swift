// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Branches in a join (`core.md` 7.4): both sides must have split a forked session at the same
/// points before their cells can meet.
extension Replica {
  /// What stands between this replica and the join of a snapshot.
  public enum JoinReadiness: Hashable, Sendable {
    case ready
    /// This line must be split here, at that change, first.
    case splitMine(line: SessionID, point: UInt64)
    /// The sender holds as one what is two branches here: it must learn of the fork first.
    case splitTheirs(line: SessionID)
  }

  /// Whether `header` holds forked sessions as this replica does.
  /// - Complexity: O(sessions + branches²).
  public func readiness(for header: ReplicaHeader) -> JoinReadiness {
    var bases: [UInt32: [(base: UInt64, hash: ChangeHash)]] = [:]
    for session in header.sessions {
      guard let branch = session.branch else { continue }
      let hash = branch.base == 0 ? .zero : session.head?.predecessor?.hash ?? .zero
      bases[branch.origin, default: []].append((branch.base, hash))
    }
    if bases.isEmpty && !hasForks { return .ready }
    for (index, session) in header.sessions.enumerated() {
      guard let ordinal = sessions.ordinal(of: session.id), sessions[ordinal].head != nil
      else { continue }
      let row = sessions[ordinal]
      let forks = bases[session.branch?.origin ?? UInt32(index)] ?? []
      let isFrozen = forks.contains {
        $0.base == session.tipSeq && ($0.base == 0 || $0.hash == session.tipHash)
      }
      if isFrozen && UInt64(row.tip) > session.tipSeq {
        return .splitMine(line: session.id, point: session.tipSeq)
      }
      if UInt64(row.tip) < session.tipSeq && sessions.isFrozen(ordinal) {
        return .splitTheirs(line: session.id)
      }
      if let mine = row.branch, let theirs = session.branch {
        let shared = zip(mine.hashes, theirs.hashes)
        guard UInt64(mine.base) == theirs.base, shared.allSatisfy({ $0 == $1 }) else {
          return .splitTheirs(line: session.id)
        }
      }
    }
    return .ready
  }

  /// Opens a branch that only the snapshot has.
  mutating func adoptBranch(
    _ header: ReplicaHeader, _ index: Int, _ map: [UInt32]
  ) throws(ImageDefect) {
    let session = header.sessions[index]
    guard let branch = session.branch, let head = session.head, Int(branch.origin) < map.count,
      branch.base <= session.tipSeq, UInt64(branch.hashes.count) == session.tipSeq - branch.base
    else { throw .shape }
    let (ordinal, origin) = (map[index], map[Int(branch.origin)])
    guard let known = sessions[origin].head, sessions[origin].branch == nil, origin != ordinal,
      known.device == head.device, known.salt == head.salt, session.tipSeq < UInt64(UInt32.max),
      let first = branch.hashes.first, session.id.low == first,
      session.id.high == sessions[origin].id.high
    else { throw .session }
    if sessions[ordinal].head != nil {
      guard sessions[ordinal].branch?.base == UInt32(branch.base) else { throw .session }
      return
    }
    // The row that holds the fork point may come later in the header than its tip does.
    let parent = map.indices.first { other in
      let row = header.sessions[other]
      return row.tipSeq == branch.base && row.tipHash == head.predecessor?.hash
        && (map[other] == origin || row.branch?.origin == branch.origin)
    }
    sessions.openBranch(
      ordinal,
      SessionTable.Branch(origin: origin, base: UInt32(branch.base), hashes: []), head: head,
      behind: parent.map { map[$0] } ?? origin)
  }

  /// The tip of a branch rose to that of the snapshot.
  mutating func adoptHashes(
    _ session: ReplicaHeader.Session, _ ordinal: UInt32
  ) throws(ImageDefect) {
    guard let hashes = session.branch?.hashes else {
      guard sessions[ordinal].branch == nil else { throw .session }
      return
    }
    guard sessions[ordinal].branch != nil else { throw .session }
    sessions[ordinal].branch?.hashes = ContiguousArray(hashes)
  }

  /// All rows of a header are in: successors find their branches.
  mutating func settleBranches() {
    for origin in sessions.branches.keys.sorted() {
      sessions.linkTree(of: origin)
      // Of a session that forked at its first change nothing is held but what it continues.
      if sessions[origin].tip == 0, let tip = sessions[origin].head?.predecessor,
        let predecessor = sessions[origin].predecessor
      {
        sessions[origin].tipHash = tip.hash
        var context = sessions[origin].context
        sessions.raise(
          &context, session: predecessor, to: UInt32(truncatingIfNeeded: tip.seq),
          mark: tip.hash.prefix32)
        sessions[origin].context = context
      }
      settleContexts(origin)
    }
  }
}
