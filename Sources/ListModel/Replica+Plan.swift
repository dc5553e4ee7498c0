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

  fileprivate var named: [ItemID] {
    switch self {
    case .before(let item), .after(let item): [item]
    case .top, .bottom, .rank: []
    }
  }
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
  /// Items that had ids elsewhere: `first` and the numbers behind it. Takes a change of its own, whose
  /// nonce must be theirs (`ownNonce`).
  case recreate(first: ItemID, ArraySlice<NewRow>, parent: ItemID, at: Placement)
  /// Keeps the order of `items` as given.
  case move([ItemID], parent: ItemID, at: Placement)
  /// Writes even an equal value: it then wins over concurrent writes.
  case set(ItemID, FieldName, Value)
  case setAlive(ItemID, Bool)
  case increment(ItemID, FieldName, by: Int64)
  /// Back to a place it had, with the very key; another item may have an equal one meanwhile.
  case place(ItemID, Spot)
  /// Stays between the same siblings under a shorter key; `plan` makes these where a place is full.
  case rekey(ItemID, Spot)

  /// The nonce that the change must have which begins with this edit; `nil`: a fresh one.
  public var ownNonce: UInt64? {
    if case .recreate(let first, let rows, _, _) = self, !rows.isEmpty { first.nonce } else { nil }
  }

  /// Items that must be in the columns for this edit to be planned.
  public var named: [ItemID] {
    switch self {
    case .create(_, let parent, let at): [parent] + at.named
    case .recreate(let first, let rows, let parent, let at):
      (0..<UInt32(rows.count)).map {
        ItemID(nonce: first.nonce, index: first.index &+ $0)
      } + [parent] + at.named
    case .move(let items, let parent, let at): items + [parent] + at.named
    case .set(let item, _, _), .setAlive(let item, _), .increment(let item, _, _): [item]
    case .place(let item, let spot), .rekey(let item, let spot): [item, spot.parent]
    }
  }

  /// `create` for whole arrays.
  public static func create(_ rows: [NewRow], parent: ItemID, at place: Placement) -> Edit {
    .create(ArraySlice(rows), parent: parent, at: place)
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
  /// Whether the change does nothing that was asked for: it shortens keys at a place where no key is
  /// left, and `rest` begins with what remains of that or with the edit that goes there.
  public let makesRoom: Bool

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
    planning: while let edit = rest.first {
      switch try plan.take(edit, self) {
      case .whole: rest.removeFirst()
      case .none: break planning
      case .part(let left):
        rest[rest.startIndex] = left
        break planning
      case .crowded(let item):
        guard plan.ops.isEmpty else { break planning }
        rest = ArraySlice(try rekeying(beside: item, writer: writer)) + rest
      }
    }
    return PlannedOps(
      ops: plan.ops, created: plan.created, rest: rest, makesRoom: plan.makesRoom)
  }

  /// The same for a whole array.
  public func plan(
    _ edits: [Edit], writer: WriterTag, h: UInt64, nonce: UInt64
  ) throws(EditError) -> PlannedOps {
    try plan(ArraySlice(edits), writer: writer, h: h, nonce: nonce)
  }
}

/// One change while it is planned.
struct Planner {
  let writer: WriterTag
  let h: UInt64
  let nonce: UInt64
  var ops: [Op] = []
  var created: [ItemID] = []
  var bytes = 0
  /// Parents whose children this change moves or creates: their order is not known before the fold.
  var touched: Set<ItemID> = []
  var hasMoved = false
  /// Holds items under ids of before: nothing else goes with them.
  var isClosed = false
  /// Holds shorter keys for a full place: nothing else goes with them.
  var makesRoom = false
  /// Items that go back to an old place, and all that is above those places.
  var putBack: Set<UInt32> = []
  var abovePutBack: Set<UInt32> = []
  var cells: Set<CellReference> = []

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
    /// Every key at the place would be too long; this item is one of its neighbours.
    case crowded(ItemID)
  }

  mutating func take(_ edit: Edit, _ replica: Replica) throws(EditError) -> Taken {
    if isClosed { return .none }
    if case .rekey(let item, let spot) = edit { return try rekey(replica, item, spot) }
    if makesRoom { return .none }
    switch edit {
    case .recreate(let first, let rows, let parent, let at):
      return try recreate(replica, first, rows, parent, at)
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
    case .place(let item, let spot): return try place(replica, item, spot)
    case .rekey: break  // above
    }
    return .whole
  }

  /// Books a cell and its bytes; `false` if this change cannot take it.
  mutating func admit(_ item: ItemID, _ name: CellName, _ size: Int) -> Bool {
    guard item.nonce != nonce, ops.isEmpty || bytes + size <= Replica.planBytesMax,
      ops.count < Limits.opsPerChangeMax,
      cells.insert(CellReference(item: item, name: name)).inserted
    else { return false }
    bytes += size
    return true
  }

  func existing(_ replica: Replica, _ item: ItemID) throws(EditError) -> UInt32 {
    guard let ordinal = replica.items.ordinal(of: item), ordinal > ItemTable.recovered,
      replica.items.exists(ordinal)
    else { throw .noSuchItem(item) }
    return ordinal
  }

  /// The own stamp that an op needs to beat what its cells hold; `nil` if the change's does.
  func bumped(over top: UInt64, _ item: ItemID) throws(EditError) -> UInt64? {
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

  /// Whether `ordinal` is on the chain of written parents above `item`, the victim of a cycle.
  private func hangs(_ replica: Replica, _ item: UInt32, under ordinal: UInt32) -> Bool {
    // A victim is on a cycle: its chain ends at itself.
    var at = replica.items[item].parent
    while at != item && at != ordinal { at = replica.items[at].parent }
    return at == ordinal
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
