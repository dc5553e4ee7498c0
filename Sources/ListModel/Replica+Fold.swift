// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

extension Replica {
  /// Folds one change whose bytes, chain and signature the caller has checked.
  ///
  /// All or nothing: every outcome but `.folded` leaves the replica unchanged. Events are appended
  /// in op order, only for what a viewer can see, and for values that were overridden unseen.
  ///
  /// - Parameters:
  ///   - bytes: Body and signature: kept while ops of the change are of unknown kinds.
  ///   - isCompared: Whether the caller has made sure that a change which a new session continues is
  ///     the one held here. If not, a session that continues an older change of another one is not
  ///     taken, since the hash of that is not in memory.
  /// - Complexity: O(cells written · log n); independent of the size of the replica and of history.
  public mutating func fold(
    _ change: Change, hash: ChangeHash, bytes: [UInt8] = [], isCompared: Bool = true,
    events: inout [ReplicaEvent]
  ) -> FoldOutcome {
    let place = place(of: change, hash: hash)
    if case .nowhere(let outcome) = place { return outcome }
    if !isCompared, case .opens = place, let tip = change.head?.predecessor, isInside(tip) {
      return .unknownHash(tip)
    }
    if let defect = change.defect { return .invalid(defect) }
    let session = session(for: change, hash, place)
    sessions[session].extend(hash.a)
    var scope = beginning(change, session)
    for (index, op) in change.ops.enumerated() {
      apply(op, index, change, &scope, &events)
    }
    keepWaiting(change, bytes, scope)
    finish(change, hash, &scope)
    return .folded
  }

  /// Where a change goes.
  private enum Place {
    case opens
    case continues(UInt32)
    /// Another branch, behind the tip of that row.
    case branches(UInt32)
    case nowhere(FoldOutcome)
  }

  private func place(of change: Change, hash: ChangeHash) -> Place {
    guard change.seq >= 1, change.seq < UInt64(UInt32.max) else {
      return .nowhere(.invalid(.limit))
    }
    guard (change.seq == 1) == (change.head != nil) else { return .nowhere(.invalid(.head)) }
    guard let known = sessions.ordinal(of: change.session) else {
      return opening(change)
    }
    let (row, seq) = (sessions[known], UInt32(change.seq))
    guard row.branch == nil else { return .nowhere(.invalid(.chain)) }
    if seq == row.tip {
      return .nowhere(Self.isTip(hash, row) ? .alreadyCovered : .fork)
    }
    if seq < row.tip {
      return .nowhere(row.hash(at: seq) ?? hash.a == hash.a ? .alreadyCovered : .fork)
    }
    if sessions.branches[known] != nil {
      return place(of: change, hash: hash, amongBranchesOf: known)
    }
    guard seq == row.tip + 1 else { return .nowhere(.gap(next: UInt64(row.tip) + 1)) }
    if seq == 1 { return opening(change) }
    guard row.tipHash == change.prev else { return .nowhere(.fork) }
    return change.h > row.tipH ? .continues(known) : .nowhere(.invalid(.clock))
  }

  /// Whether a change lies where its hash is not in memory.
  private func isInside(_ tip: Tip) -> Bool {
    guard let named = sessions.ordinal(of: tip.session) else { return false }
    let row = sessions[sessions.origin(of: named)]
    return tip.seq < UInt64(row.tip) && row.hash(at: UInt32(tip.seq)) == nil
  }

  private func opening(_ change: Change) -> Place {
    guard let head = change.head else { return .nowhere(.gap(next: 1)) }
    let outcome = admission(of: head, prev: change.prev)
    return outcome == .folded ? .opens : .nowhere(outcome)
  }

  private func place(
    of change: Change, hash: ChangeHash, amongBranchesOf origin: UInt32
  ) -> Place {
    let seq = UInt32(change.seq)
    if sessions.line(origin, seq, matches: { $0 == hash.a }) != nil {
      return .nowhere(.alreadyCovered)
    }
    for line in sessions.lines(of: origin) {
      let row = sessions[line]
      guard row.tip + 1 == seq, continues(row, change) else { continue }
      if let head = change.head, admission(of: head, prev: change.prev) != .folded {
        return .nowhere(admission(of: head, prev: change.prev))
      }
      guard change.h > row.tipH else { return .nowhere(.invalid(.clock)) }
      guard sessions.isFrozen(line) else { return .continues(line) }
      let name = branchName(of: change.session, from: hash)
      if let known = sessions.ordinal(of: name), sessions[known].head != nil {
        return .nowhere(.invalid(.chain))
      }
      return .branches(line)
    }
    let isInside = sessions.line(origin, seq - 1) { $0 == change.prev.a } != nil
    return .nowhere(isInside ? .fork : .gap(next: UInt64(sessions[origin].tip) + 1))
  }

  /// Whether `change` names the tip of `row`.
  private func continues(_ row: SessionTable.Row, _ change: Change) -> Bool {
    Self.isTip(change.prev, row)
  }

  /// Whether `hash` is that of the tip of `row`. Of a fork point that was told from the trail only the
  /// first bytes of the hash are known.
  private static func isTip(_ hash: ChangeHash, _ row: SessionTable.Row) -> Bool {
    row.tipHash == hash || (row.tipHash.isShort && row.tipHash.a == hash.a)
  }

  /// The row that takes a change, made if it is a first one.
  private mutating func session(
    for change: Change, _ hash: ChangeHash, _ place: Place
  ) -> UInt32 {
    switch place {
    case .continues(let line): return line
    case .branches(let parent):
      let session = sessions.ordinalMaking(branchName(of: change.session, from: hash))
      let origin = sessions.origin(of: parent)
      if change.seq > 1 { sessions[parent].tipHash = change.prev }
      guard let head = sessions.branchHead(origin, behind: parent) else {
        preconditionFailure("a branch of a session without a head")
      }
      sessions.openBranch(
        session, .init(origin: origin, base: UInt32(change.seq) - 1, hashes: []), head: head,
        behind: parent)
      sessions.linkTree(of: origin)
      completeContexts(opened: session)
      return session
    case .opens, .nowhere:
      let session = sessions.ordinalMaking(change.session)
      if let head = change.head {
        sessions.open(session, head: head)
        completeContexts(opened: session)
      }
      return session
    }
  }

  private func admission(of head: SessionHead, prev: ChangeHash) -> FoldOutcome {
    guard let predecessor = head.predecessor else {
      return prev == .zero ? .folded : .invalid(.chain)
    }
    guard prev == predecessor.hash else { return .invalid(.chain) }
    guard let ordinal = sessions.ordinal(of: predecessor.session),
      predecessor.seq < UInt64(UInt32.max)
    else { return .unknownPredecessor }
    let seq = UInt32(predecessor.seq)
    guard sessions[ordinal].head == nil || sessions[ordinal].head?.device == head.device
    else { return .invalid(.head) }
    if sessions.line(ordinal, seq, matches: { $0 == predecessor.hash.a }) != nil { return .folded }
    return seq <= sessions[ordinal].tip ? .fork : .unknownPredecessor
  }

  /// A session was opened, as a branch or by its first change.
  mutating func completeContexts(opened session: UInt32) {
    // Contexts that named this session before it was known now learn what it continues.
    for other in sessions.rows.indices where sessions.rows[other].context[session] > 0 {
      var context = sessions[UInt32(other)].context
      sessions.complete(&context, opened: session)
      sessions[UInt32(other)].context = context
    }
    for key in early.keys where early[key]![session] > 0 {
      sessions.complete(&early[key]!, opened: session)
    }
    for dot in deleteContexts.keys where deleteContexts[dot]!.seen[session] > 0 {
      sessions.complete(&deleteContexts[dot]!.seen, opened: session)
      // Who deletes had seen more than was known: what seemed to be Recovered may be buried.
      recoveredCache = nil
    }
    for dot in waiting.keys where waiting[dot]!.context[session] > 0 {
      sessions.complete(&waiting[dot]!.context, opened: session)
    }
  }

  /// What holds for all ops of one change while it is folded.
  struct Scope {
    let session: UInt32
    let seq: UInt32
    let dot: Dot
    let device: DeviceID
    /// What the author had seen, without this change.
    var context: SeenContext
    let isEarly: Bool
    /// Row for ops that carry no stamp of their own, made per op.
    var row: UInt32 = 0
    /// Whether cells come from a snapshot, where the losing side's author may have seen the winner.
    var isJoin = false
  }

  private mutating func beginning(_ change: Change, _ session: UInt32) -> Scope {
    let seq = UInt32(change.seq)
    var context = sessions[session].context
    sessions[session].context = SeenContext()
    var isEarly = sessions[session].isEarly
    if let branch = sessions[session].branch, branch.base > 0, seq == branch.base + 1,
      let parent = sessions[session].predecessor
    {
      context = sessions[parent].context
      isEarly = !sessions.holds(context)
    } else if let tip = change.head?.predecessor, let predecessor = sessions[session].predecessor {
      sessions.raise(
        &context, session: predecessor, to: UInt32(truncatingIfNeeded: tip.seq),
        mark: tip.hash.prefix32)
    }
    for entry in change.seen {
      if note(entry, in: &context) { isEarly = true }
      let last = UInt32(truncatingIfNeeded: min(entry.dot.seq, UInt64(UInt32.max)))
      sessions[session].trail.append(
        Trail.Seen(
          seq: seq, session: sessions.ordinalMaking(entry.dot.session), last: last,
          mark: entry.hashPrefix))
    }
    if seq == 1, let predecessor = sessions[session].predecessor {
      context.share(with: sessions[predecessor].context)
    }
    if isEarly && sessions.holds(context) { isEarly = false }
    let device = sessions[session].head?.device ?? .zero
    return Scope(
      session: session, seq: seq, dot: Dot(session: sessions[session].id, seq: change.seq),
      device: device, context: context, isEarly: isEarly)
  }

  /// Adds what an author says it had seen.
  /// - Returns: Whether it names more than is held here.
  mutating func note(_ entry: SeenEntry, in context: inout SeenContext) -> Bool {
    // Seqs beyond 32 bits cannot exist; a liar who names one is taken as having seen all.
    let seen = UInt32(truncatingIfNeeded: min(entry.dot.seq, UInt64(UInt32.max)))
    let other = sessions.ordinalMaking(entry.dot.session)
    sessions.raise(&context, session: other, to: seen, mark: entry.hashPrefix)
    return sessions[other].tip < seen
  }

  private mutating func finish(_ change: Change, _ hash: ChangeHash, _ scope: inout Scope) {
    var context = SeenContext()
    swap(&context, &scope.context)
    _ = context.raise(session: scope.session, to: scope.seq, mark: hash.prefix32)
    sessions[scope.session].context = context
    sessions[scope.session].tip = scope.seq
    sessions[scope.session].tipHash = hash
    sessions[scope.session].tipH = change.h
    sessions[scope.session].isEarly = scope.isEarly
    if scope.isEarly { early[LocalDot(session: scope.session, seq: scope.seq)] = context }
    if early.count >= earlyPruneAt { pruneEarly() }
    if sessions[scope.session].branch != nil { grew(scope.session) }
  }

  /// So many contexts of changes that came early are kept.
  private static var earlyMax: Int { 4_096 }

  /// Drops contexts of changes whose past is complete by now.
  private mutating func pruneEarly() {
    early = early.filter { !sessions.holds($0.value) }
    // What was seen beyond a cutoff never comes. Without them a journal has an entry too many.
    if early.count > Self.earlyMax { early.removeAll() }
    earlyPruneAt = max(64, min(early.count * 2, Self.earlyMax + 1))
  }

  mutating func apply(
    _ op: Op, _ index: Int, _ change: Change, _ scope: inout Scope, _ events: inout [ReplicaEvent]
  ) {
    scope.row = stamps.append(
      session: scope.session, seq: scope.seq, h: op.ownH ?? change.h, op: UInt16(index))
    switch op {
    case .create(let firstIndex, let count, let parent, let firstKey, let columns):
      let ids = (0..<count).map { ItemID(nonce: change.nonce, index: firstIndex + $0) }
      create(ids, parent, firstKey, columns, scope, &events)
    case .place(let item, let parent, let key, _):
      let target = ordinalMaking(parent)
      writePlace(ordinalMaking(item), target, key, scope, &events)
    case .blockPlace(let block, let parent, let firstKey, _):
      guard let run = try? PositionRun(first: firstKey, count: block.count) else { return }
      let target = ordinalMaking(parent)
      for (at, item) in block.enumerated() {
        writePlace(ordinalMaking(item), target, run.key(at: at), scope, &events)
      }
    case .set(let item, let field, let value, _):
      let name = fields.ordinalMaking(field)
      writeField(ordinalMaking(item), name, value, scope, &events)
    case .life(let item, let alive, _):
      writeLife(ordinalMaking(item), alive, scope, &events)
    case .add(let item, let field, let delta):
      let name = fields.ordinalMaking(field)
      count(ordinalMaking(item), name, delta, scope, &events)
    case .unknown: break  // `keepWaiting` has it
    }
  }

  private mutating func create(
    _ ids: [ItemID], _ parent: ItemID, _ firstKey: PositionKey, _ columns: [FieldColumn],
    _ scope: Scope, _ events: inout [ReplicaEvent]
  ) {
    guard let run = try? PositionRun(first: firstKey, count: ids.count) else { return }
    items.reserve(ids.count)
    let target = ordinalMaking(parent)
    let names = columns.map { fields.ordinalMaking($0.field) }
    let parentShows = isVisible(target)
    let list = target == ItemTable.root ? nil : listOrdinal(target)
    for (at, id) in ids.enumerated() {
      thaw(id)
      let wasNamed = items.ordinal(of: id) != nil
      let item = ordinalMaking(id)
      // A twin's creation of the same id: the cells below decide as for any other write.
      let isFresh = items[item].create == 0
      let old = items[item].create
      if isFresh || stamps.order(old, scope.row, sessions) < 0 {
        overwriting(FloorTable.Cell.create, item, old, scope)
        items[item].create = scope.row
      }
      if isFresh && items[item].place == 0 {
        replace(item, parent: target, key: run.key(at: at), stamp: scope.row)
      } else {
        if isFresh { link(item) }
        writePlace(item, target, run.key(at: at), scope, &events)
      }
      for (column, name) in names.enumerated() {
        guard let value = columns[column].values[at] else { continue }
        if fields.stamp(name, item) == 0 {
          fields.write(name, item, value, stamp: scope.row)
        } else {
          writeField(item, name, value, scope, &events)
        }
      }
      markDirty(item)
      if isFresh, parentShows || isVisible(item), !items[item].isDead {
        emit(.added(parent: items.id(items[item].effective)), item, scope, &events)
      } else if isFresh, status(item) == .recovered {
        emit(.recovered(from: nil), item, scope, &events)
      }
      if target == ItemTable.root { touch(list: item) }
      // Other cells came before: it may stand elsewhere, with children that waited for it.
      if wasNamed { touchAll(above: item) }
    }
    if let list { touch(list: list) }
    if !parentShows { recoveredCache = nil }
  }

  /// Marks the checkpoint chunk of `item`.
  mutating func markDirty(_ item: UInt32) {
    dirty.insert(cold.chunkCount + (Int(item) - 2) / chunkCapacity)
  }

  /// Raises the revision of a list and forgets its part of the fingerprint.
  mutating func touch(list: UInt32) {
    revisionClock += 1
    revisions[list] = revisionClock
    subtotals[list] = nil
  }

  /// For changes that may show in any list, or in Recovered.
  mutating func touchAll(above item: UInt32) {
    recoveredCache = nil
    subtotals.removeAll()
    if let list = listOrdinal(item) { touch(list: list) }
  }

  func emit(
    _ kind: ReplicaEvent.Kind, _ item: UInt32, _ scope: Scope, _ events: inout [ReplicaEvent]
  ) {
    events.append(
      ReplicaEvent(
        dot: scope.dot, device: scope.device, h: stamps.h(scope.row), item: items.id(item),
        kind: kind))
  }
}

extension Op {
  /// The stamp that the op carries instead of its change's.
  public var ownH: UInt64? {
    switch self {
    case .place(_, _, _, let h), .blockPlace(_, _, _, let h), .set(_, _, _, let h),
      .life(_, _, let h):
      h
    case .create, .add, .unknown: nil
    }
  }
}
