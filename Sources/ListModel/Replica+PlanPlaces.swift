// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Planning where items go: new ones, moved blocks, and those that go back to an old place.
extension Planner {
  mutating func create(
    _ replica: Replica, _ rows: ArraySlice<NewRow>, _ parent: ItemID, _ at: Placement
  ) throws(EditError) -> Taken {
    if rows.isEmpty { return .whole }
    // Children of an item of this very change are the first ones there.
    let isOwn = parent.nonce == nonce
    if touched.contains(parent) || (isOwn && parent.index >= created.count) { return .none }
    if parent != .root && !isOwn { _ = try existing(replica, parent) }
    var count = 0
    var size = bytes + 64
    while count < rows.count {
      let more = try cost(of: rows[rows.startIndex + count])
      if (count > 0 || !ops.isEmpty) && size + more > Replica.planBytesMax { break }
      size += more
      count += 1
    }
    if count == 0 { return .none }
    let taken = rows.prefix(count)
    let key: PositionKey
    switch try room(replica, count, parent, at, moved: []) {
    case .none(let beside): return .crowded(beside)
    case .key(let first): key = first
    }
    touched.insert(parent)
    bytes = size
    let first = UInt32(created.count)
    created += (0..<UInt32(count)).map { ItemID(nonce: nonce, index: first + $0) }
    ops.append(
      .create(
        firstIndex: first, count: UInt32(count), parent: parent, firstKey: key,
        columns: columns(of: taken)))
    if count == rows.count { return .whole }
    let last = ItemID(nonce: nonce, index: first + UInt32(count) - 1)
    return .part(left: .create(rows.dropFirst(count), parent: parent, at: .after(last)))
  }

  mutating func recreate(
    _ replica: Replica, _ first: ItemID, _ rows: ArraySlice<NewRow>, _ parent: ItemID,
    _ at: Placement
  ) throws(EditError) -> Taken {
    if rows.isEmpty { return .whole }
    guard ops.isEmpty else { return .none }
    guard first.nonce == nonce, !first.isReserved,
      UInt64(first.index) + UInt64(rows.count) < UInt64(UInt32.max)
    else { throw .limit }
    if parent != .root { _ = try existing(replica, parent) }
    let count = try countFitting(rows, after: 64)
    let taken = rows.prefix(count)
    let key: PositionKey
    switch try room(replica, count, parent, at, moved: []) {
    case .none(let beside): return .crowded(beside)
    case .key(let first): key = first
    }
    created = (0..<UInt32(count)).map { ItemID(nonce: nonce, index: first.index + $0) }
    ops = [
      .create(
        firstIndex: first.index, count: UInt32(count), parent: parent, firstKey: key,
        columns: columns(of: taken))
    ]
    isClosed = true
    if count == rows.count { return .whole }
    let next = ItemID(nonce: nonce, index: first.index + UInt32(count))
    return .part(
      left: .recreate(
        first: next, rows.dropFirst(count), parent: parent, at: .after(created[count - 1])))
  }

  /// How many rows one change takes, at least one.
  private func countFitting(
    _ rows: ArraySlice<NewRow>, after head: Int
  ) throws(EditError) -> Int {
    var size = head
    var count = 0
    for row in rows {
      size += try cost(of: row)
      if count > 0 && size > Replica.planBytesMax { break }
      count += 1
    }
    return count
  }

  private func cost(of row: NewRow) throws(EditError) -> Int {
    var size = 4
    for cell in row.cells {
      guard cell.value.byteCount <= Limits.valueBytesMax, cell.field.isValid else { throw .limit }
      size += 6 + cell.value.byteCount
    }
    return size
  }

  /// Rows turned into columns, ascending by name.
  private func columns(of rows: ArraySlice<NewRow>) -> [FieldColumn] {
    var names: [FieldName] = []
    var values: [[Value?]] = []
    for (at, row) in rows.enumerated() {
      for (hint, cell) in row.cells.enumerated() {
        // Most rows have the same fields in the same order.
        let known = hint < names.count && names[hint] == cell.field ? hint : nil
        let column = known ?? names.firstIndex(of: cell.field) ?? names.count
        if column == names.count {
          names.append(cell.field)
          values.append(Array(repeating: nil, count: rows.count))
        }
        values[column][at] = cell.value
      }
    }
    return names.indices.sorted { names[$0] < names[$1] }
      .map { FieldColumn(field: names[$0], values: values[$0]) }
  }

  mutating func move(
    _ replica: Replica, _ items: [ItemID], _ parent: ItemID, _ at: Placement
  ) throws(EditError) -> Taken {
    if items.isEmpty { return .whole }
    // Two moves could close a cycle; and where the items come from must still be as it was.
    if hasMoved || !putBack.isEmpty || touched.contains(parent) || parent.nonce == nonce
      || items.contains(where: {
        $0.nonce == nonce || cells.contains(CellReference(item: $0, name: .place))
      })
    {
      return .none
    }
    let target = parent == .root ? ItemTable.root : try existing(replica, parent)
    let size = 64 + 16 * items.count
    guard ops.isEmpty || bytes + size <= Replica.planBytesMax else { return .none }
    let count = (Replica.planBytesMax - bytes - 64) / 16
    let taken = Array(items.prefix(count))
    for item in taken where replica.isInside(target, try existing(replica, item)) {
      throw .insideItself(item)
    }
    let key: PositionKey
    switch try room(replica, taken.count, parent, at, moved: taken) {
    case .none(let beside): return .crowded(beside)
    case .key(let first): key = first
    }
    var top: UInt64 = 0
    for item in taken {
      let ordinal = try existing(replica, item)
      guard cells.insert(CellReference(item: item, name: .place)).inserted else { throw .limit }
      top = max(top, replica.stamps.h(replica.items[ordinal].place))
      if let from = replica.parent(of: item) { touched.insert(from) }
    }
    hasMoved = true
    touched.insert(parent)
    bytes += 64 + 16 * taken.count
    let own = try bumped(over: top, items[0])
    if taken.count == 1 {
      ops.append(.place(item: taken[0], parent: parent, key: key, h: own))
    } else {
      ops.append(.blockPlace(items: taken, parent: parent, firstKey: key, h: own))
    }
    if taken.count == items.count { return .whole }
    let last = taken[taken.count - 1]
    return .part(left: .move(Array(items[taken.count...]), parent: parent, at: .after(last)))
  }

  /// Many may go back in one change, as long as no target is below an item that goes back too.
  mutating func place(
    _ replica: Replica, _ item: ItemID, _ spot: Spot
  ) throws(EditError) -> Taken {
    if hasMoved || spot.parent.nonce == nonce { return .none }
    guard (try? PositionRun(first: spot.key)) != nil else { throw .limit }
    let ordinal = try existing(replica, item)
    var target = ItemTable.root
    if spot.parent == .recovered {
      target = ItemTable.recovered
    } else if spot.parent != .root {
      target = try existing(replica, spot.parent)
    }
    var above: Set<UInt32> = []
    var at = target
    while at > ItemTable.recovered && at != ItemTable.none && above.insert(at).inserted {
      at = replica.items[at].effective
    }
    if above.contains(ordinal) { throw .insideItself(item) }
    guard !abovePutBack.contains(ordinal), above.isDisjoint(with: putBack),
      admit(item, .place, 96 + spot.key.bytes.count)
    else { return .none }
    putBack.insert(ordinal)
    abovePutBack.formUnion(above)
    touched.insert(spot.parent)
    if let from = replica.parent(of: item) { touched.insert(from) }
    let own = try bumped(over: replica.stamps.h(replica.items[ordinal].place), item)
    ops.append(.place(item: item, parent: spot.parent, key: spot.key, h: own))
    return .whole
  }

  /// What a place has for those that go there.
  private enum Room {
    /// The first key of their run.
    case key(PositionKey)
    /// Keys there would pass the hard cap; the item is one of those that the place lies between.
    case none(beside: ItemID)
  }

  private func room(
    _ replica: Replica, _ count: Int, _ parent: ItemID, _ at: Placement, moved: [ItemID]
  ) throws(EditError) -> Room {
    // An item of this change, or one that is only known by name, has no children to go between.
    let list = replica.items.ordinal(of: parent) ?? ItemTable.none
    let (left, right) = try neighbours(replica, parent, list, at, moved)
    let key = PositionGenerator.run(
      of: count, between: self.key(replica, left), self.key(replica, right), tag: writer
    ) { key in self.key(replica, replica.order.firstBeyond(key, list, replica.items)) }
    do {
      _ = try PositionRun(first: key, count: count)
      return .key(key)
    } catch {
      guard case .tooLong = error, let beside = left ?? right else { throw .limit }
      return .none(beside: replica.items.id(beside))
    }
  }

  private func key(_ replica: Replica, _ ordinal: UInt32?) -> PositionKey? {
    guard let ordinal else { return nil }
    return replica.items.key(ordinal)
  }

  /// The neighbours, dead items among them: a place that a dead item holds stays its own.
  private func neighbours(
    _ replica: Replica, _ parent: ItemID, _ list: UInt32, _ at: Placement, _ moved: [ItemID]
  ) throws(EditError) -> (UInt32?, UInt32?) {
    let order = replica.order
    switch at {
    case .top: return (nil, order.first(list))
    case .bottom: return (order.last(list), nil)
    case .before(let sibling):
      let child = try child(replica, sibling, list, parent)
      return (order.neighbour(of: child, step: -1), child)
    case .after(let sibling):
      let child = try child(replica, sibling, list, parent)
      return (child, order.neighbour(of: child, step: 1))
    case .rank(let rank):
      let own = moved.compactMap { item -> Int? in
        guard let ordinal = replica.items.ordinal(of: item),
          replica.items[ordinal].effective == list
        else { return nil }
        return order.shownIndex(ordinal, replica.items)
      }
      var index = max(rank, 0)
      for taken in own.sorted() where taken <= index { index += 1 }
      guard let child = order.shownChild(list, at: index, replica.items) else {
        return (order.last(list), nil)
      }
      return (order.neighbour(of: child, step: -1), child)
    }
  }

  private func child(
    _ replica: Replica, _ id: ItemID, _ list: UInt32, _ parent: ItemID
  ) throws(EditError) -> UInt32 {
    let ordinal = try existing(replica, id)
    guard replica.items[ordinal].effective == list else { throw .notAChild(id, of: parent) }
    return ordinal
  }
}
