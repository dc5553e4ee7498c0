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
    /// The two hold different continuations of this line, and nobody can tell from where on.
    case apart(line: SessionID)
  }

  /// Whether `header` holds forked sessions as this replica does. Throws where its sessions
  /// contradict themselves.
  /// - Complexity: O(sessions + branches²).
  public func readiness(for header: ReplicaHeader) throws(ImageDefect) -> JoinReadiness {
    for session in header.sessions { try session.checkLine() }
    var bases: [UInt32: [(base: UInt64, hash: UInt64)]] = [:]
    for session in header.sessions {
      guard let branch = session.branch else { continue }
      bases[branch.origin, default: []].append(
        (branch.base, session.head?.predecessor?.hash.a ?? 0))
    }
    for (index, session) in header.sessions.enumerated() {
      guard let ordinal = sessions.ordinal(of: session.id), sessions[ordinal].head != nil
      else { continue }
      let row = sessions[ordinal]
      let forks = bases[session.branch?.origin ?? UInt32(index)] ?? []
      let isFrozen = forks.contains {
        $0.base == session.tipSeq && ($0.base == 0 || $0.hash == session.tipHash.a)
      }
      if isFrozen && UInt64(row.tip) > session.tipSeq {
        return .splitMine(line: session.id, point: session.tipSeq)
      }
      if UInt64(row.tip) < session.tipSeq && sessions.isFrozen(ordinal) {
        return .splitTheirs(line: session.id)
      }
      if let mine = row.branch, UInt64(mine.base) != session.branch?.base ?? 0 {
        return .splitTheirs(line: session.id)
      }
      switch parting(row, session) {
      case .none: break
      case .some(.some(let point)): return .splitMine(line: session.id, point: point)
      case .some(.none): return .apart(line: session.id)
      }
    }
    return .ready
  }

  /// Where two continuations of one line part, by what both sides have of it in memory.
  ///
  /// - Returns: `nil` where there is no difference, a point of `nil` where it cannot be told.
  /// - Complexity: O(log changes).
  private func parting(
    _ row: SessionTable.Row, _ session: ReplicaHeader.Session
  ) -> UInt64?? {
    func isSame(_ seq: UInt32) -> Bool? {
      guard let mine = row.hash(at: seq), let theirs = session.hash(at: UInt64(seq)) else {
        return nil
      }
      return mine == theirs
    }
    var high = UInt32(min(UInt64(row.tip), session.tipSeq))
    guard isSame(high) == false else { return nil }
    // Common for certain is what is before the line, or what was compared.
    var low = row.branch?.base ?? 0
    let lowest = max(row.hashBase, UInt32(session.hashBase))
    if lowest > low {
      guard isSame(lowest + 1) == true else { return .some(nil) }
      low = lowest + 1
    }
    while low + 1 < high {
      let middle = low + (high - low) / 2
      guard let same = isSame(middle) else { return .some(nil) }
      if same { low = middle } else { high = middle }
    }
    return UInt64(low)
  }

  /// Opens a branch that only the snapshot has.
  mutating func adoptBranch(
    _ header: ReplicaHeader, _ index: Int, _ map: [UInt32]
  ) throws(ImageDefect) {
    let session = header.sessions[index]
    guard let branch = session.branch, let head = session.head, Int(branch.origin) < map.count,
      let first = branch.hashes.first
    else { throw .shape }
    let (ordinal, origin) = (map[index], map[Int(branch.origin)])
    guard let known = sessions[origin].head, sessions[origin].branch == nil, origin != ordinal,
      known.device == head.device, known.salt == head.salt, session.id.low == first,
      session.id.high == sessions[origin].id.high,
      branch.base == 0
        ? head.predecessor == known.predecessor
        : head.predecessor?.session == sessions[origin].id && head.predecessor?.seq == branch.base
    else { throw .session }
    if sessions[ordinal].head != nil {
      guard sessions[ordinal].branch?.base == UInt32(branch.base) else { throw .session }
      return
    }
    // The row that holds the fork point may come later in the header than its tip does.
    let parent = map.indices.first { other in
      let row = header.sessions[other]
      return row.tipSeq == branch.base && row.tipHash.a == head.predecessor?.hash.a
        && (map[other] == origin || row.branch?.origin == branch.origin)
    }
    sessions.openBranch(
      ordinal,
      SessionTable.Branch(origin: origin, base: UInt32(branch.base), hashes: []), head: head,
      behind: parent.map { map[$0] } ?? origin)
  }

  /// The trail of a session of a snapshot, checked.
  func trail(
    _ session: ReplicaHeader.Session, _ map: [UInt32]
  ) throws(ImageDefect) -> Trail {
    let trail = session.trail
    guard trail.hashes.count <= Trail.changesMax, session.branch == nil || trail.hashes.isEmpty
    else { throw .shape }
    // One that does not reach the tip tells nothing of what follows.
    if session.branch == nil, trail.base + UInt64(trail.hashes.count) != session.tipSeq {
      return Trail(behind: UInt32(session.tipSeq))
    }
    var adds: ContiguousArray<Trail.Add> = []
    for add in trail.adds {
      guard !add.item.isReserved, add.seq > trail.base, add.seq <= session.tipSeq else {
        throw .value
      }
      adds.append(
        Trail.Add(
          seq: UInt32(add.seq), item: add.item, field: add.field, delta: add.delta))
    }
    var seen: ContiguousArray<Trail.Seen> = []
    for entry in trail.seen {
      guard Int(entry.session) < map.count, entry.seq > trail.base, entry.seq <= session.tipSeq,
        entry.last <= UInt64(UInt32.max)
      else { throw .value }
      seen.append(
        Trail.Seen(
          seq: UInt32(entry.seq), session: map[Int(entry.session)], last: UInt32(entry.last),
          mark: entry.mark))
    }
    return Trail(
      base: UInt32(trail.base), hashes: ContiguousArray(trail.hashes), adds: adds, seen: seen)
  }

  /// The tip of a branch rose to that of the snapshot.
  mutating func adoptHashes(
    _ session: ReplicaHeader.Session, _ ordinal: UInt32
  ) throws(ImageDefect) {
    guard let hashes = session.branch?.hashes else {
      guard sessions[ordinal].branch == nil else { throw .session }
      return
    }
    guard sessions[ordinal].branch.map({ UInt64($0.base) }) == session.branch?.base else {
      throw .session
    }
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

extension ReplicaHeader.Session {
  /// What all of the session's seqs and hashes must keep to before any of them is reckoned with.
  func checkLine() throws(ImageDefect) {
    guard tipSeq < UInt64(UInt32.max), trail.base <= tipSeq,
      UInt64(trail.hashes.count) <= tipSeq - trail.base
    else { throw .value }
    if let branch, branch.base > tipSeq || UInt64(branch.hashes.count) != tipSeq - branch.base {
      throw .shape
    }
    let (base, hashes) = listed
    guard base + UInt64(hashes.count) < tipSeq || hashes.last ?? tipHash.a == tipHash.a,
      hash(at: floor) ?? floorHash.a == floorHash.a
    else { throw .value }
  }

  /// First eight bytes of the hash of a change, where the header has them.
  fileprivate func hash(at seq: UInt64) -> UInt64? {
    if seq == tipSeq && seq > 0 { return tipHash.a }
    let (base, hashes) = listed
    return seq > base && seq - base <= UInt64(hashes.count) ? hashes[Int(seq - base) - 1] : nil
  }

  private var listed: (base: UInt64, hashes: [UInt64]) {
    branch.map { ($0.base, $0.hashes) } ?? (trail.base, trail.hashes)
  }

  /// All changes behind this one have their hashes in the header.
  fileprivate var hashBase: UInt64 { branch?.base ?? trail.base }
}
