// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Where an item goes among the children of its parent.
public enum Placement: Hashable, Sendable {
  case top
  case bottom
  /// Directly before or behind a child of that parent.
  case before(ItemID)
  case after(ItemID)
  /// So that it becomes the child number `rank`, from 0; beyond the end means the bottom.
  case rank(Int)
}

/// The cells of one new item.
public struct NewRow: Hashable, Sendable {
  public let cells: [(field: FieldName, value: Value)]
  public init(_ cells: [(field: FieldName, value: Value)]) { self.cells = cells }

  public static func == (a: Self, b: Self) -> Bool {
    a.cells.elementsEqual(b.cells) { $0.field == $1.field && $0.value == $1.value }
  }

  public func hash(into hasher: inout Hasher) {
    for cell in cells {
      hasher.combine(cell.field)
      hasher.combine(cell.value)
    }
  }
}

/// One thing that a user wants done; a transaction is a list of them.
public enum Edit: Hashable, Sendable {
  case create(ArraySlice<NewRow>, parent: ItemID, at: Placement)
  /// Keeps the order of `items` as given.
  case move([ItemID], parent: ItemID, at: Placement)
  /// Writes even an equal value: it then wins over concurrent writes.
  case set(ItemID, FieldName, Value)
  case setAlive(ItemID, Bool)
  case increment(ItemID, FieldName, by: Int64)

  /// `create` for whole arrays.
  public static func create(_ rows: [NewRow], parent: ItemID, at place: Placement) -> Edit {
    .create(rows[...], parent: parent, at: place)
  }
}

/// Why an edit cannot be done; nothing was changed.
public enum EditError: Error, Hashable, Sendable {
  case noSuchItem(ItemID)
  /// A move of an item into itself or something below it.
  case insideItself(ItemID)
  /// The neighbour of a placement is no child of the parent.
  case notAChild(ItemID, of: ItemID)
  /// A value, a field name or a count beyond `Limits`.
  case limit
  /// The cell holds a stamp at the end of the clock; nothing can be written over it.
  case clockEnd(ItemID)
}

/// The ops of one change and what it leaves for the next.
public struct PlannedOps: Sendable {
  public let ops: [Op]
  /// Ids of the items that `ops` create, in the order of their rows.
  public let created: [ItemID]
  /// Edits that must be planned again after this change is folded: they depend on it, or it is full.
  public let rest: ArraySlice<Edit>

  /// `rest` as an array, for short transactions.
  public var remaining: [Edit] { Array(rest) }
}

extension Replica {
  /// How many bytes of ops one change may take, estimated from above; leaves room for the head,
  /// `seen` and the signature.
  static let planBytesMax = 40 * 1024

  /// Turns edits into the ops of one change against the present state.
  ///
  /// Edits are taken in order until one depends on what an earlier one of them writes or the change
  /// is full. Deterministic: equal state and arguments give equal ops.
  ///
  /// - Parameters:
  ///   - writer: The tag of the session that will write the change.
  ///   - h: Its clock value; ops on cells with a greater stamp carry their own (`core.md` 2).
  ///   - nonce: Its nonce; new items are numbered under it from 0.
  /// - Complexity: O(edits · (log n + depth)).
  public func plan(
    _ edits: ArraySlice<Edit>, writer: WriterTag, h: UInt64, nonce: UInt64
  ) throws(EditError) -> PlannedOps {
    var plan = Planner(writer: writer, h: h, nonce: nonce)
    var rest = edits
    while let edit = rest.first {
      switch try plan.take(edit, self) {
      case .whole: rest.removeFirst()
      case .none: return PlannedOps(ops: plan.ops, created: plan.created, rest: rest)
      case .part(let left):
        rest[rest.startIndex] = left
        return PlannedOps(ops: plan.ops, created: plan.created, rest: rest)
      }
    }
    return PlannedOps(ops: plan.ops, created: plan.created, rest: rest)
  }

  /// The same for a whole array.
  public func plan(
    _ edits: [Edit], writer: WriterTag, h: UInt64, nonce: UInt64
  ) throws(EditError) -> PlannedOps {
    try plan(edits[...], writer: writer, h: h, nonce: nonce)
  }
}

private struct Planner {
  let writer: WriterTag
  let h: UInt64
  let nonce: UInt64
  var ops: [Op] = []
  var created: [ItemID] = []
  private var bytes = 0
  /// Parents whose children this change moves or creates: their order is not known before the fold.
  private var touched: Set<ItemID> = []
  private var hasMoved = false
  private var cells: Set<CellReference> = []

  init(writer: WriterTag, h: UInt64, nonce: UInt64) {
    (self.writer, self.h, self.nonce) = (writer, h, nonce)
  }

  /// How much of an edit the change took.
  enum Taken {
    case whole
    /// All but this.
    case part(left: Edit)
    /// The change is full, or the edit depends on what it writes.
    case none
  }

  mutating func take(_ edit: Edit, _ replica: Replica) throws(EditError) -> Taken {
    switch edit {
    case .create(let rows, let parent, let at): return try create(replica, rows, parent, at)
    case .move(let items, let parent, let at): return try move(replica, items, parent, at)
    case .set(let item, let field, let value):
      guard value.byteCount <= Limits.valueBytesMax, field.isValid else { throw .limit }
      guard admit(item, .field(field), 32 + value.byteCount) else { return .none }
      let ordinal = try existing(replica, item)
      var old: UInt64 = 0
      if let name = replica.fields.ordinal(of: field) {
        old = replica.stamps.h(replica.fields.stamp(name, ordinal))
      }
      ops.append(.set(item: item, field: field, value: value, h: try bumped(over: old, item)))
    case .setAlive(let item, let alive):
      guard admit(item, .life, 32) else { return .none }
      try setAlive(replica, item, alive)
    case .increment(let item, let field, let delta):
      guard field.isValid else { throw .limit }
      guard admit(item, .field(field), 40) else { return .none }
      _ = try existing(replica, item)
      ops.append(.add(item: item, field: field, delta: delta))
    }
    return .whole
  }

  /// Books a cell and its bytes; `false` if this change cannot take it.
  private mutating func admit(_ item: ItemID, _ name: CellName, _ size: Int) -> Bool {
    guard item.nonce != nonce, ops.isEmpty || bytes + size <= Replica.planBytesMax,
      ops.count < Limits.opsPerChangeMax,
      cells.insert(CellReference(item: item, name: name)).inserted
    else { return false }
    bytes += size
    return true
  }

  private func existing(_ replica: Replica, _ item: ItemID) throws(EditError) -> UInt32 {
    guard let ordinal = replica.items.ordinal(of: item), ordinal > ItemTable.recovered,
      replica.items.exists(ordinal)
    else { throw .noSuchItem(item) }
    return ordinal
  }

  /// The own stamp that an op needs to beat what its cells hold; `nil` if the change's does.
  private func bumped(over top: UInt64, _ item: ItemID) throws(EditError) -> UInt64? {
    if top < h { return nil }
    guard top + 1 < Limits.clockEnd else { throw .clockEnd(item) }
    return top + 1
  }

  private mutating func setAlive(_ replica: Replica, _ item: ItemID, _ alive: Bool)
    throws(EditError)
  {
    let ordinal = try existing(replica, item)
    let own = try bumped(over: replica.stamps.h(replica.items[ordinal].life), item)
    ops.append(.life(item: item, alive: alive, h: own))
    if alive { return }
    // Who deletes x has seen x's victims of cut cycles elsewhere, in Recovered: they stay there.
    if replica.victims.isEmpty { return }
    for victim in replica.victims.sorted() where victim != ordinal {
      guard hangs(replica, victim, under: ordinal),
        cells.insert(CellReference(item: replica.items.id(victim), name: .place)).inserted
      else { continue }
      ops.append(
        .place(
          item: replica.items.id(victim), parent: .recovered, key: replica.items.key(victim),
          h: try bumped(over: replica.stamps.h(replica.items[victim].place), item)))
      bytes += 80
    }
  }

  /// Whether `ordinal` is on the chain of written parents above `item`.
  private func hangs(_ replica: Replica, _ item: UInt32, under ordinal: UInt32) -> Bool {
    var at = replica.items[item].parent
    var steps = 0
    while at != ItemTable.none && at > ItemTable.recovered && steps <= replica.items.count {
      if at == ordinal { return true }
      at = replica.items[at].parent
      steps += 1
    }
    return false
  }

  // MARK: Places

  private mutating func create(
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
    touched.insert(parent)
    bytes = size
    let taken = rows.prefix(count)
    let key = try firstKey(replica, count, parent, at, moved: [])
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

  private mutating func move(
    _ replica: Replica, _ items: [ItemID], _ parent: ItemID, _ at: Placement
  ) throws(EditError) -> Taken {
    if items.isEmpty { return .whole }
    // Two moves could close a cycle; and where the items come from must still be as it was.
    if hasMoved || touched.contains(parent) || parent.nonce == nonce
      || items.contains(where: { $0.nonce == nonce })
    {
      return .none
    }
    let target = parent == .root ? ItemTable.root : try existing(replica, parent)
    let size = 64 + 16 * items.count
    guard ops.isEmpty || bytes + size <= Replica.planBytesMax else { return .none }
    let room = (Replica.planBytesMax - bytes - 64) / 16
    let taken = Array(items.prefix(room))
    var top: UInt64 = 0
    for item in taken {
      let ordinal = try existing(replica, item)
      if replica.isInside(target, ordinal) { throw .insideItself(item) }
      guard cells.insert(CellReference(item: item, name: .place)).inserted else { throw .limit }
      top = max(top, replica.stamps.h(replica.items[ordinal].place))
      if let from = replica.parent(of: item) { touched.insert(from) }
    }
    hasMoved = true
    touched.insert(parent)
    bytes += 64 + 16 * taken.count
    let key = try firstKey(replica, taken.count, parent, at, moved: taken)
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

  private func firstKey(
    _ replica: Replica, _ count: Int, _ parent: ItemID, _ at: Placement, moved: [ItemID]
  ) throws(EditError) -> PositionKey {
    // An item of this change, or one that is only known by name, has no children to go between.
    let list = replica.items.ordinal(of: parent) ?? ItemTable.none
    let (left, right) = try neighbours(replica, parent, list, at, moved)
    let key = PositionGenerator.run(
      of: count, between: self.key(replica, left), self.key(replica, right), tag: writer
    ) { key in self.key(replica, replica.order.firstBeyond(key, list, replica.items)) }
    guard (try? PositionRun(first: key, count: count)) != nil else { throw .limit }
    return key
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
    if id.nonce == nonce { throw .noSuchItem(id) }
    let ordinal = try existing(replica, id)
    guard replica.items[ordinal].effective == list else { throw .notAChild(id, of: parent) }
    return ordinal
  }
}

extension Value {
  /// The bytes of the payload as stored; fixed-size values count 10.
  public var byteCount: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .bytes(let bytes), .opaque(_, let bytes): bytes.count
    case .ref: 12
    case .null, .bool, .int, .decimal, .time, .date: 10
    }
  }
}

extension FieldName {
  /// Named fields have 1...64 bytes.
  public var isValid: Bool {
    switch self {
    case .text: true
    case .named(let name): (1...Limits.fieldNameBytesMax).contains(name.utf8.count)
    }
  }
}
