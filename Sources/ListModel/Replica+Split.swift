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
  /// point, in the trail, and at the tip.
  public func hashStart(of line: SessionID, at seq: UInt64) -> UInt64? {
    guard let ordinal = sessions.ordinal(of: line), seq <= UInt64(UInt32.max) else { return nil }
    return sessions[ordinal].hash(at: UInt32(seq))
  }

  /// The last change before which `line` is not compared: below log and trail, or below the branch.
  public func comparableStart(of line: SessionID) -> UInt64 {
    guard let ordinal = sessions.ordinal(of: line) else { return 0 }
    let row = sessions[ordinal]
    return UInt64(row.branch?.base ?? min(row.floor, row.trail.base))
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
    var reading = BranchReading(line: line, point: point, from: UInt64(base) + 1)
    take(row, through: base, into: &reading)
    return reading
  }

  /// What the author of a line had seen, as far as its trail tells.
  private func take(
    _ row: SessionTable.Row, through last: UInt32, into reading: inout BranchReading
  ) {
    reading.tellsAllSeen = row.trail.base <= row.branch?.base ?? 0
    for entry in row.trail.seen where entry.seq <= last {
      let session = sessions[entry.session].id
      reading.seen[session] = SeenEntry(
        dot: Dot(session: session, seq: UInt64(entry.last)), hashPrefix: entry.mark)
    }
  }

  /// The same out of memory, where the log has gone: hashes and adds are taken from the trail.
  ///
  /// - Returns: `nil` where the two continuations part before the trail, or where `line` does not
  ///   reach beyond `point`.
  public func trailReading(of line: SessionID, point: UInt64) -> BranchReading? {
    guard let ordinal = sessions.ordinal(of: line), point <= UInt64(UInt32.max) else { return nil }
    let (row, point) = (sessions[ordinal], UInt32(point))
    let base = row.branch?.base ?? 0
    guard point < row.tip, point == base || point > row.hashBase, point >= row.trail.base,
      point >= base
    else { return nil }
    var reading = BranchReading(line: line, point: UInt64(point), from: UInt64(row.tip) + 1)
    reading.isFromTrail = true
    let parent = row.predecessor.map { sessions[$0].tipHash } ?? .zero
    let before = row.branch == nil ? row.head?.predecessor?.hash ?? .zero : parent
    reading.pointHash = row.hash(at: point).map { ChangeHash($0, 0, 0, 0) } ?? before
    if point == row.floor {
      reading.pointH = row.floorH
      if point > base { reading.pointHash = row.floorHash }
    }
    reading.hashes = row.hashes(behind: point).dropLast().map { ChangeHash($0, 0, 0, 0) }
    reading.hashes.append(row.tipHash)
    for add in row.trail.adds {
      let counter = BranchReading.Counter(item: add.item, field: add.field)
      reading.take(add.delta, at: add.seq, to: counter)
    }
    take(row, through: point, into: &reading)
    reading.lastHash = row.tipHash
    return reading
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
      point >= (row.branch?.base ?? 0), point >= row.floor || reading.isFromTrail
    else { return nil }
    if point < row.floor {
      forgoLog()
      // What is cold names the line as well, below its floor.
      self = thawed
    }
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
    sessions[made].trail = row.trail.branch(behind: point)
    if point < row.floor {
      sessions[made].floor = row.floor
      sessions[made].floorHash = row.floorHash
      sessions[made].floorH = row.floorH
    }
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
    let (row, hash) = (sessions[line], reading.pointHash)
    sessions[line].tip = point
    sessions[line].tipHash = hash
    sessions[line].tipH = reading.pointH
    sessions[line].context = shared
    sessions[line].isEarly = false
    sessions[line].trail.cut(behind: point)
    if point < row.floor {
      sessions[line].floor = point
      sessions[line].floorHash = hash
      sessions[line].floorH = reading.pointH
    }
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
    // Below the floor nothing is read: what has left every log counts as seen where the trail does
    // not tell.
    if row.floor > 0, !reading.tellsAllSeen {
      raiseToFloors(&context, of: row.context)
      context.put(line, 0)  // its floor may lie beyond the point
    }
    for id in reading.seen.keys.sorted() {
      if let entry = reading.seen[id] { _ = note(entry, in: &context) }
    }
    let point = UInt32(truncatingIfNeeded: reading.point)
    _ = context.raise(session: line, to: point, mark: reading.pointHash.prefix32)
    return context
  }

  private mutating func relabel(_ line: UInt32, beyond point: UInt32, as made: UInt32) {
    stamps.relabel(line, beyond: point, as: made)
    func moved(_ dot: LocalDot) -> LocalDot {
      dot.session == line && dot.seq > point ? LocalDot(session: made, seq: dot.seq) : dot
    }
    // A liar may have named the branch before anybody knew of it: what was said of the line counts.
    func relabelled<V>(_ table: [LocalDot: V]) -> [LocalDot: V] {
      table.filter { $0.key.session != made }.reduce(into: [:]) { $0[moved($1.key)] = $1.value }
    }
    waiting = relabelled(waiting)
    early = relabelled(early)
    deleteContexts = relabelled(deleteContexts)
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
    splitHeld(line, made)
  }

  /// What the two lines had added at the floor, where they show more.
  private mutating func splitHeld(_ line: UInt32, _ made: UInt32) {
    let adds = sessions[made].trail.adds
    for key in counters.cells.keys.sorted(by: { ($0.item, $0.field) < ($1.item, $1.field) }) {
      if var shared = counters.cell(key, session: line), shared.seq > sessions[line].tip {
        // Only the trail of a liar leaves out what was added.
        shared.seq = sessions[line].tip
        counters.put(key, session: line, shared)
      }
      if counters.cell(key, session: line).map({ $0.seq <= sessions[line].floor }) ?? true {
        floorTable.counters.put(key, session: line, nil)
      }
      let floor = sessions[made].floor
      guard let shown = counters.cell(key, session: made), shown.seq > floor else { continue }
      let (item, field) = (items.id(key.item), fields.names[Int(key.field)])
      let held = adds.filter { $0.item == item && $0.field == field && $0.seq <= floor }
      guard let last = held.map(\.seq).max() else { continue }
      floorTable.counters.put(
        key, session: made,
        CounterStore.Cell(
          session: made, total: held.reduce(0) { $0 &+ $1.delta }, seq: last))
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
