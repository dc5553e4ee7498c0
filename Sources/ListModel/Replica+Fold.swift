// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

extension Replica {
  /// Folds one change whose bytes, chain and signature the caller has checked.
  ///
  /// All or nothing: every outcome but `.folded` leaves the replica unchanged. Events are appended
  /// in op order, only for what a viewer can see, and for values that were overridden unseen.
  ///
  /// - Parameter bytes: Body and signature: kept while ops of the change are of unknown kinds.
  /// - Complexity: O(cells written · log n); independent of the size of the replica and of history.
  public mutating func fold(
    _ change: Change, hash: ChangeHash, bytes: [UInt8] = [], events: inout [ReplicaEvent]
  ) -> FoldOutcome {
    let outcome = admission(of: change, hash: hash)
    guard outcome == .folded else { return outcome }
    if let defect = change.defect { return .invalid(defect) }
    let session = sessions.ordinalMaking(change.session)
    if let head = change.head { openSession(session, head) }
    var scope = beginning(change, session)
    for (index, op) in change.ops.enumerated() {
      apply(op, index, change, &scope, &events)
    }
    keepWaiting(change, bytes, scope)
    finish(change, hash, &scope)
    return .folded
  }

  /// Whether `change` continues what is held.
  private func admission(of change: Change, hash: ChangeHash) -> FoldOutcome {
    guard change.seq >= 1, change.seq < UInt64(UInt32.max) else { return .invalid(.limit) }
    guard (change.seq == 1) == (change.head != nil) else { return .invalid(.head) }
    let known = sessions.ordinal(of: change.session)
    let tip = known.map { sessions[$0].tip } ?? 0
    if change.seq <= UInt64(tip) {
      if let known, change.seq == UInt64(tip), sessions[known].tipHash != hash { return .fork }
      return .alreadyCovered
    }
    guard change.seq == UInt64(tip) + 1 else { return .gap(next: UInt64(tip) + 1) }
    if let head = change.head { return admission(of: head, prev: change.prev) }
    guard let known else { return .gap(next: 1) }
    guard sessions[known].tipHash == change.prev else { return .fork }
    guard change.h > sessions[known].tipH else { return .invalid(.clock) }
    return .folded
  }

  private func admission(of head: SessionHead, prev: ChangeHash) -> FoldOutcome {
    guard let predecessor = head.predecessor else {
      return prev == .zero ? .folded : .invalid(.chain)
    }
    guard prev == predecessor.hash else { return .invalid(.chain) }
    guard let ordinal = sessions.ordinal(of: predecessor.session),
      UInt64(sessions[ordinal].tip) >= predecessor.seq
    else { return .unknownPredecessor }
    let row = sessions[ordinal]
    guard row.head?.device == head.device else { return .invalid(.head) }
    if UInt64(row.tip) == predecessor.seq && row.tipHash != predecessor.hash { return .fork }
    return .folded
  }

  mutating func openSession(_ session: UInt32, _ head: SessionHead) {
    sessions.open(session, head: head)
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
    if let tip = change.head?.predecessor, let predecessor = sessions[session].predecessor {
      sessions.raise(&context, session: predecessor, to: UInt32(truncatingIfNeeded: tip.seq))
    }
    for entry in change.seen {
      // Seqs beyond 32 bits cannot exist; a liar who names one is taken as having seen all.
      let seen = UInt32(truncatingIfNeeded: min(entry.dot.seq, UInt64(UInt32.max)))
      let other = sessions.ordinalMaking(entry.dot.session)
      let row = sessions[other]
      if row.tip == seen && row.tipHash.prefix32 != entry.hashPrefix { continue }
      if row.tip < seen { isEarly = true }
      sessions.raise(&context, session: other, to: seen)
    }
    if isEarly && sessions.holds(context) { isEarly = false }
    if seq > 1 { _ = context.raise(session: session, to: seq - 1) }
    let device = sessions[session].head?.device ?? .zero
    return Scope(
      session: session, seq: seq, dot: change.dot, device: device, context: context,
      isEarly: isEarly)
  }

  private mutating func finish(_ change: Change, _ hash: ChangeHash, _ scope: inout Scope) {
    var context = SeenContext()
    swap(&context, &scope.context)
    _ = context.raise(session: scope.session, to: scope.seq)
    sessions[scope.session].context = context
    sessions[scope.session].tip = scope.seq
    sessions[scope.session].tipHash = hash
    sessions[scope.session].tipH = change.h
    sessions[scope.session].isEarly = scope.isEarly
    if scope.isEarly { early[LocalDot(session: scope.session, seq: scope.seq)] = context }
    if early.count >= earlyPruneAt { pruneEarly() }
  }

  /// Drops contexts of changes whose past is complete by now.
  private mutating func pruneEarly() {
    early = early.filter { !sessions.holds($0.value) }
    earlyPruneAt = max(64, early.count * 2)
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
      let target = items.ordinalMaking(parent)
      writePlace(items.ordinalMaking(item), target, key, scope, &events)
    case .blockPlace(let block, let parent, let firstKey, _):
      guard let run = try? PositionRun(first: firstKey, count: block.count) else { return }
      let target = items.ordinalMaking(parent)
      for (at, item) in block.enumerated() {
        writePlace(items.ordinalMaking(item), target, run.key(at: at), scope, &events)
      }
    case .set(let item, let field, let value, _):
      let name = fields.ordinalMaking(field)
      writeField(items.ordinalMaking(item), name, value, scope, &events)
    case .life(let item, let alive, _):
      writeLife(items.ordinalMaking(item), alive, scope, &events)
    case .add(let item, let field, let delta):
      let name = fields.ordinalMaking(field)
      count(items.ordinalMaking(item), name, delta, scope, &events)
    case .unknown: break  // `keepWaiting` has it
    }
  }

  private mutating func create(
    _ ids: [ItemID], _ parent: ItemID, _ firstKey: PositionKey, _ columns: [FieldColumn],
    _ scope: Scope, _ events: inout [ReplicaEvent]
  ) {
    guard let run = try? PositionRun(first: firstKey, count: ids.count) else { return }
    items.reserve(ids.count)
    let target = items.ordinalMaking(parent)
    let names = columns.map { fields.ordinalMaking($0.field) }
    let parentShows = isVisible(target)
    let list = target == ItemTable.root ? nil : listOrdinal(target)
    for (at, id) in ids.enumerated() {
      let wasNamed = items.ordinal(of: id) != nil
      let item = items.ordinalMaking(id)
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
        emit(.recovered, item, scope, &events)
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
    dirty.insert((Int(item) - 2) / chunkCapacity)
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
