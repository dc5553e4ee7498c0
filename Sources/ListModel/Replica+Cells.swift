// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Writes to single cells: last writer wins by stamp, the loser goes to the merge journal unless the
/// winner's author had seen it.
extension Replica {
  mutating func writePlace(
    _ item: UInt32, _ parent: UInt32, _ key: PositionKey, _ scope: Scope,
    _ events: inout [ReplicaEvent]
  ) {
    let old = items[item].place
    let isSame =
      old != 0 && items[item].parent == parent && items.keyEquals(item, key)
    let incoming = CellValue.place(parent: items.id(parent), key: key)
    guard wins(scope.row, over: old, incoming, heldPlace(item)) else {
      if !isSame { journal(.place, item, loser: incoming, scope, old, heldPlace(item), &events) }
      return
    }
    if old != 0 && !isSame {
      journal(.place, item, winner: incoming, scope, old, heldPlace(item), &events)
    }
    overwriting(FloorTable.Cell.place, item, old, scope)
    let before = snapshot(item)
    replace(item, parent: parent, key: key, stamp: scope.row)
    recoveredCache = nil
    markDirty(item)
    announceMove(item, before, isSame, scope, &events)
  }

  /// Where an item stood before a write, for events.
  struct Standing {
    let status: ItemStatus
    let parent: UInt32
    let list: UInt32?
  }

  func snapshot(_ item: UInt32) -> Standing {
    Standing(
      status: status(item), parent: items[item].effective,
      list: items[item].effective == ItemTable.none ? nil : listOrdinal(item))
  }

  private mutating func announceMove(
    _ item: UInt32, _ before: Standing, _ isSame: Bool, _ scope: Scope,
    _ events: inout [ReplicaEvent]
  ) {
    let after = snapshot(item)
    if let list = before.list { touch(list: list) }
    if let list = after.list { touch(list: list) }
    switch (before.status, after.status) {
    case (.visible, .visible):
      if !isSame {
        emit(
          .moved(from: items.id(before.parent), to: items.id(after.parent)), item, scope, &events)
      }
    case (.visible, .recovered), (.hidden, .recovered):
      let from = before.parent == ItemTable.none ? nil : items.id(before.parent)
      emit(.recovered(from: from), item, scope, &events)
    case (.visible, _): emit(.removed, item, scope, &events)
    case (.recovered, .visible), (.hidden, .visible): emit(.restored, item, scope, &events)
    default: break
    }
  }

  mutating func writeField(
    _ item: UInt32, _ field: UInt32, _ value: Value, _ scope: Scope,
    _ events: inout [ReplicaEvent]
  ) {
    let old = fields.stamp(field, item)
    let held = fields.value(field, item)
    let name = fields.names[Int(field)]
    let heldValue = CellValue.value(held ?? .null)
    guard wins(scope.row, over: old, .value(value), heldValue) else {
      if held != value {
        journal(.field(name), item, loser: .value(value), scope, old, heldValue, &events)
      }
      return
    }
    if old != 0 && held != value {
      journal(.field(name), item, winner: .value(value), scope, old, heldValue, &events)
    }
    overwriting(FloorTable.Cell.firstField + field, item, old, scope)
    fields.write(field, item, value, stamp: scope.row)
    markDirty(item)
    guard isVisible(item) else {
      subtotals.removeAll()
      return
    }
    if let list = listOrdinal(item) { touch(list: list) }
    if held != value { emit(.set(name, old: held, new: value), item, scope, &events) }
  }

  mutating func writeLife(
    _ item: UInt32, _ alive: Bool, _ scope: Scope, _ events: inout [ReplicaEvent]
  ) {
    let old = items[item].life
    let wasAlive = !items[item].isDead
    guard wins(scope.row, over: old, .life(alive: alive), .life(alive: wasAlive)) else {
      if wasAlive != alive {
        journal(
          .life, item, loser: .life(alive: alive), scope, old, .life(alive: wasAlive), &events)
      }
      if !alive { keepDelete(scope) }
      return
    }
    if old != 0 && wasAlive != alive {
      journal(
        .life, item, winner: .life(alive: alive), scope, old, .life(alive: wasAlive), &events)
    }
    overwriting(FloorTable.Cell.life, item, old, scope)
    let before = snapshot(item)
    if !wasAlive { releaseDelete(localDot(old)) }
    items[item].life = scope.row
    if !alive {
      keepDelete(scope)
      retainDelete(localDot(scope.row))
    }
    if wasAlive != alive {
      items[item].isDead = !alive
      order.setShown(item, alive)
    }
    recoveredCache = nil
    markDirty(item)
    if let list = before.list { touch(list: list) }
    let after = status(item)
    if before.status == .visible && after != .visible {
      emit(.removed, item, scope, &events)
    } else if before.status != .visible && after == .visible {
      emit(.restored, item, scope, &events)
    }
  }

  /// Remembers what the author of a delete had seen, at least until the delete leaves the log.
  private mutating func keepDelete(_ scope: Scope) {
    let dot = LocalDot(session: scope.session, seq: scope.seq)
    if deleteContexts[dot] == nil {
      deleteContexts[dot] = DeleteContext(seen: scope.context, uses: 0)
    }
  }

  /// Another life cell, shown or held at the floor, is by the delete `dot`.
  mutating func retainDelete(_ dot: LocalDot) { deleteContexts[dot]?.uses += 1 }

  /// One less. What nobody needs goes once its change has left the log: before, it may come back
  /// as what the cell held at the floor.
  mutating func releaseDelete(_ dot: LocalDot) {
    deleteContexts[dot]?.uses -= 1
    forgetDelete(dot)
  }

  /// Drops what the author of a delete had seen if neither a cell nor the log needs it. While the
  /// log of a snapshot is awaited nothing goes: what cells held at the lower floor is not counted.
  mutating func forgetDelete(_ dot: LocalDot) {
    guard lowerFloor == nil, let left = deleteContexts[dot]?.uses, left <= 0, isBelowFloor(dot)
    else { return }
    deleteContexts[dot] = nil
  }

  mutating func count(
    _ item: UInt32, _ field: UInt32, _ delta: Int64, _ scope: Scope,
    _ events: inout [ReplicaEvent]
  ) {
    let old = counters.total(item: item, field: field) ?? 0
    let key = CounterStore.Key(item: item, field: field)
    adding(key, scope)
    counters.add(key, session: scope.session, seq: scope.seq, delta: delta)
    sessions[scope.session].trail.append(
      Trail.Add(
        seq: scope.seq, item: items.id(item), field: fields.names[Int(field)], delta: delta))
    markDirty(item)
    guard isVisible(item) else { return }
    if let list = listOrdinal(item) { touch(list: list) }
    emit(.counted(fields.names[Int(field)], old: old, new: old &+ delta), item, scope, &events)
  }

  func heldPlace(_ item: UInt32) -> CellValue {
    guard items[item].place != 0, items[item].parent != ItemTable.none else {
      return .place(parent: .recovered, key: PositionKey(bytes: []))
    }
    return .place(parent: items.id(items[item].parent), key: items.key(item))
  }

  /// Whether the write at `row` replaces the one at `old`. Equal stamps come from a twin or a liar:
  /// then the greater value bytes win, and of equal values the greater hash of the change, so that
  /// replicas still agree.
  func wins(
    _ row: UInt32, over old: UInt32, _ value: CellValue, _ held: @autoclosure () -> CellValue
  ) -> Bool {
    if old == 0 { return true }
    let order = stamps.order(old, row, sessions)
    if order != 0 { return order < 0 }
    let (theirs, mine) = (held().bytes, value.bytes)
    if theirs != mine { return theirs.lexicographicallyPrecedes(mine) }
    return twinHash(old) < twinHash(row)
  }

  /// Tells writes apart that bear one stamp: they are on two branches of a session.
  private func twinHash(_ row: UInt32) -> UInt64 {
    sessions[stamps.session(row)].branch?.hash(at: stamps.seq(row)) ?? 0
  }

  private func journal(
    _ cell: CellName, _ item: UInt32, winner: CellValue, _ scope: Scope, _ old: UInt32,
    _ held: CellValue, _ events: inout [ReplicaEvent]
  ) {
    guard
      !scope.context.contains(session: stamps.session(old), seq: stamps.seq(old)),
      let keptBy = written(scope.row), let droppedBy = written(old)
    else { return }
    let entry = JournalEntry(
      item: items.id(item), cell: cell, kept: winner, keptBy: keptBy, dropped: held,
      droppedBy: droppedBy)
    emit(.overridden(entry), item, scope, &events)
  }

  private func journal(
    _ cell: CellName, _ item: UInt32, loser: CellValue, _ scope: Scope, _ old: UInt32,
    _ held: CellValue, _ events: inout [ReplicaEvent]
  ) {
    if !early.isEmpty, let seen = early[localDot(old)],
      seen.contains(session: scope.session, seq: scope.seq)
    {
      return
    }
    // Both sides of a join: a write that we held already has been judged when it came.
    if scope.isJoin && scope.context.contains(session: stamps.session(old), seq: stamps.seq(old)) {
      return
    }
    guard let keptBy = written(old), let droppedBy = written(scope.row) else { return }
    let entry = JournalEntry(
      item: items.id(item), cell: cell, kept: held, keptBy: keptBy, dropped: loser,
      droppedBy: droppedBy)
    emit(.overridden(entry), item, scope, &events)
  }
}
