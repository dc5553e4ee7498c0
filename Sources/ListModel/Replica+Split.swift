// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Forked sessions (`core.md` 7.3): each continuation is a branch, a row of its own that continues
/// the session at the fork point. A session that never forked has none, and costs nothing.
extension Replica {
  // MARK: Asking

  /// The name under which the change `tip` is held: its session's, or that of a branch. `nil` if it
  /// is not held. Of a session that is not known to be forked, only the newest change is compared.
  public func line(of tip: Tip) -> SessionID? {
    guard let named = sessions.ordinal(of: tip.session), tip.seq <= UInt64(UInt32.max),
      sessions[named].tip > 0 || sessions[named].branch != nil || sessions.branches[named] != nil
    else { return nil }
    return sessions.line(named, UInt32(tip.seq)) { $0 == tip.hash.a }.map { sessions[$0].id }
  }

  /// Whether the change is held, told by its hash where that is known.
  public func holds(_ tip: Tip) -> Bool { line(of: tip) != nil }

  /// Whether branches of `session` are held.
  public func isForked(_ session: SessionID) -> Bool {
    sessions.ordinal(of: session).map { sessions.branches[$0] != nil } ?? false
  }

  /// Whether any session is forked.
  public var hasForks: Bool { !sessions.branches.isEmpty }

  /// The session that `line` is a branch of, or is itself.
  public func session(ofLine line: SessionID) -> SessionID {
    sessions.ordinal(of: line).map { sessions[sessions.origin(of: $0)].id } ?? line
  }

  /// The first seq of a branch; `nil` for what is no branch.
  public func branchStart(_ line: SessionID) -> UInt64? {
    guard let ordinal = sessions.ordinal(of: line), let branch = sessions[ordinal].branch
    else { return nil }
    return UInt64(branch.base) + 1
  }

  /// First eight bytes of the hash of a change of `line`, where they are in memory: behind a fork
  /// point, and at the tip.
  public func hashStart(of line: SessionID, at seq: UInt64) -> UInt64? {
    guard let ordinal = sessions.ordinal(of: line), seq <= UInt64(UInt32.max) else { return nil }
    let row = sessions[ordinal]
    if seq == UInt64(row.tip) && seq > 0 { return row.tipHash.a }
    return row.branch?.hash(at: UInt32(seq))
  }

  /// The last change before which `line` is not compared: below the log, or below the branch.
  public func comparableStart(of line: SessionID) -> UInt64 {
    guard let ordinal = sessions.ordinal(of: line) else { return 0 }
    return UInt64(max(sessions[ordinal].floor, sessions[ordinal].branch?.base ?? 0))
  }

  /// Where a second continuation of a branch begins that `change` is the first of: known from the
  /// hashes of the branches.
  public func forkPoint(of change: Change) -> (line: SessionID, point: UInt64)? {
    guard change.seq > 1, change.seq <= UInt64(UInt32.max), isForked(change.session),
      let named = sessions.ordinal(of: change.session), UInt64(sessions[named].tip) < change.seq,
      let line = sessions.line(named, UInt32(change.seq) - 1, matches: { $0 == change.prev.a })
    else { return nil }
    return (sessions[line].id, change.seq - 1)
  }

  /// What a new session continues that is to follow `own`: the newest change of the same line,
  /// named by its session.
  public func continuation(of own: Tip) -> Tip? {
    guard let named = sessions.ordinal(of: own.session) else { return nil }
    let seq = UInt32(truncatingIfNeeded: min(own.seq, UInt64(UInt32.max)))
    let row = sessions[sessions.line(named, seq) { $0 == own.hash.a } ?? named]
    guard row.tip > 0 else { return nil }
    return Tip(session: session(ofLine: row.id), seq: UInt64(row.tip), hash: row.tipHash)
  }

  /// A reading for `split`: from the first change of `line` that is in the log.
  ///
  /// - Returns: `nil` where the two continuations part at or below the log's floor, or where `line`
  ///   does not reach beyond `point`.
  public func reading(of line: SessionID, point: UInt64) -> BranchReading? {
    guard let ordinal = sessions.ordinal(of: line) else { return nil }
    let row = sessions[ordinal]
    let base = max(row.branch?.base ?? 0, row.floor)
    guard point >= UInt64(base), point < UInt64(row.tip) else { return nil }
    return BranchReading(line: line, point: point, from: UInt64(base) + 1)
  }

  // MARK: Splitting

  /// Makes what is held of a line behind the fork point a branch of its own.
  ///
  /// Nothing that viewers see changes, except items that a delete hid or spared by mistake while the
  /// fork was unknown. All chunks become dirty.
  /// - Parameter reading: All changes of the line from its beginning in the log to its tip.
  /// - Returns: The name of the new branch; `nil` if the reading is not whole any more.
  /// - Complexity: O(stamps + counters + sessions²), once a fork.
  public mutating func split(_ reading: BranchReading) -> SessionID? {
    guard let line = sessions.ordinal(of: reading.line), let first = reading.hashes.first else {
      return nil
    }
    let row = sessions[line]
    let point = UInt32(truncatingIfNeeded: reading.point)
    guard reading.next == UInt64(row.tip) + 1, reading.lastHash == row.tipHash,
      point >= (row.branch?.base ?? 0), point >= row.floor
    else { return nil }
    let origin = sessions.origin(of: line)
    let name = branchName(of: sessions[origin].id, from: first)
    let made = sessions.ordinalMaking(name)
    guard sessions[made].head == nil, sessions[origin].head != nil else { return nil }
    var context = row.context
    let shared = contextAtPoint(reading, line)
    truncate(line, to: point, reading, shared)
    guard let head = sessions.branchHead(origin, behind: line) else {
      preconditionFailure("a branch of a session without a head")
    }
    sessions.openBranch(
      made,
      SessionTable.Branch(
        origin: origin, base: point, hashes: ContiguousArray(reading.hashes.map(\.a))),
      head: head, behind: line)
    sessions[made].tip = row.tip
    sessions[made].tipHash = row.tipHash
    sessions[made].tipH = row.tipH
    sessions[made].isEarly = row.isEarly
    sessions.linkTree(of: origin)
    sessions.raise(&context, session: made, to: row.tip, mark: row.tipHash.prefix32)
    sessions[made].context = context
    relabel(line, beyond: point, as: made)
    splitCounters(line, made, reading)
    completeContexts(opened: made)
    settleContexts(origin)
    for number in 0..<chunkCount { dirty.insert(number) }
    recoveredCache = nil
    subtotals.removeAll()
    return name
  }

  private mutating func truncate(
    _ line: UInt32, to point: UInt32, _ reading: BranchReading, _ shared: SeenContext
  ) {
    let hash = reading.pointHash
    sessions[line].tip = point
    sessions[line].tipHash = hash
    sessions[line].tipH = reading.pointH
    sessions[line].context = shared
    sessions[line].isEarly = false
    if let branch = sessions[line].branch {
      let kept = Int(point - branch.base)
      sessions[line].branch?.hashes.removeLast(branch.hashes.count - kept)
    }
  }

  /// What the author had seen at the fork point, from what it said on the way there.
  private mutating func contextAtPoint(
    _ reading: BranchReading, _ line: UInt32
  ) -> SeenContext {
    let row = sessions[line]
    var context = SeenContext()
    if let branch = row.branch, branch.base > 0, let parent = row.predecessor {
      context = sessions[parent].context
    } else if let tip = row.head?.predecessor, let predecessor = row.predecessor {
      sessions.raise(
        &context, session: predecessor, to: UInt32(truncatingIfNeeded: tip.seq),
        mark: tip.hash.prefix32)
    }
    // Below the floor nothing is read: what has left every log there counts as seen.
    if row.floor > 0 {
      for (ordinal, seq) in row.context.seqs.enumerated() {
        let reached = min(seq, sessions.rows[ordinal].floor)
        if reached > 0 { _ = context.raise(session: UInt32(ordinal), to: reached, mark: 0) }
      }
    }
    for id in reading.seen.keys.sorted() {
      if let entry = reading.seen[id] { _ = note(entry, in: &context) }
    }
    let point = UInt32(truncatingIfNeeded: reading.point)
    if point > 0 {
      _ = context.raise(session: line, to: point, mark: reading.pointHash.prefix32)
    }
    return context
  }

  private mutating func relabel(_ line: UInt32, beyond point: UInt32, as made: UInt32) {
    stamps.relabel(line, beyond: point, as: made)
    func moved(_ dot: LocalDot) -> LocalDot {
      dot.session == line && dot.seq > point ? LocalDot(session: made, seq: dot.seq) : dot
    }
    waiting = Dictionary(uniqueKeysWithValues: waiting.map { (moved($0.key), $0.value) })
    early = Dictionary(uniqueKeysWithValues: early.map { (moved($0.key), $0.value) })
    deleteContexts = Dictionary(
      uniqueKeysWithValues: deleteContexts.map { (moved($0.key), $0.value) })
  }

  private mutating func splitCounters(
    _ line: UInt32, _ made: UInt32, _ reading: BranchReading
  ) {
    for (counter, added) in reading.added {
      guard let item = items.ordinal(of: counter.item),
        let field = fields.ordinal(of: counter.field)
      else { continue }
      // An add that was not read is below the floor.
      let shared = reading.shared[counter] ?? sessions[line].floor
      counters.split(
        CounterStore.Key(item: item, field: field), line, shared: shared,
        CounterStore.Cell(session: made, total: added.total, seq: added.seq))
    }
  }

  // MARK: What authors had seen

  /// A branch has one change more: authors who knew of no fork may have named it.
  mutating func grew(_ line: UInt32) {
    let origin = sessions.origin(of: line)
    sessions.linkTree(of: origin)
    settleContexts(origin)
    recoveredCache = nil
    subtotals.removeAll()
  }

  mutating func settleContexts(_ origin: UInt32) {
    for row in sessions.rows.indices {
      var context = sessions[UInt32(row)].context
      sessions.settle(&context, origin: origin)
      sessions[UInt32(row)].context = context
    }
    for dot in waiting.keys { sessions.settle(&waiting[dot]!.context, origin: origin) }
    for dot in early.keys { sessions.settle(&early[dot]!, origin: origin) }
    for dot in deleteContexts.keys { sessions.settle(&deleteContexts[dot]!.seen, origin: origin) }
  }
}
