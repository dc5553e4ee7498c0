// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A place as it was written: under which parent, at which key.
public struct Spot: Hashable, Sendable {
  public let parent: ItemID
  public let key: PositionKey
  public init(parent: ItemID, key: PositionKey) { (self.parent, self.key) = (parent, key) }
}

/// One cell that an own change wrote, with what it held before: enough to take the write back.
public enum UndoCell: Hashable, Sendable {
  /// `count` items were made, numbered from `first` under the nonce of their change.
  case created(nonce: UInt64, first: UInt32, count: UInt32)
  case placed(ItemID, old: Spot?, new: Spot)
  /// Before, it was the other way round.
  case life(ItemID, alive: Bool)
  /// `old` is `nil` where the field was never written.
  case set(ItemID, FieldName, old: Value?, new: Value)
  case counted(ItemID, FieldName, by: Int64)
  /// Nothing was written: the item came out of Recovered because something above it lives again.
  case unlost(ItemID)
}

/// What one transaction of this device did, cell by cell.
public struct UndoStep: Hashable, Sendable {
  /// The changes that the transaction became, in order.
  public var dots: [Dot]
  /// What this replica held before the first of them.
  public let seen: VersionVector
  /// Each cell once, in the order of the first write to it.
  public private(set) var cells: [UndoCell]

  public init(dots: [Dot], seen: VersionVector, cells: [UndoCell]) {
    (self.dots, self.seen, self.cells) = (dots, seen, Self.merged([], cells))
  }

  /// Puts a later part of the same transaction behind this one.
  /// - Complexity: O(cells of both).
  public mutating func append(_ later: UndoStep) {
    dots += later.dots
    cells = Self.merged(cells, later.cells)
  }

  /// The same step with only some of its cells.
  public func keeping(_ cells: [UndoCell]) -> UndoStep {
    UndoStep(dots: dots, seen: seen, cells: cells)
  }

  /// The first old and the last new value of each cell; nothing of items that the step made itself.
  private static func merged(_ a: [UndoCell], _ b: [UndoCell]) -> [UndoCell] {
    var nonces: Set<UInt64> = []
    for case .created(let nonce, _, _) in a { nonces.insert(nonce) }
    for case .created(let nonce, _, _) in b { nonces.insert(nonce) }
    var removed: Set<ItemID> = []
    for case .life(let item, alive: false) in a + b { removed.insert(item) }
    // A field and the counter of its name are two cells.
    var at: [Bool: [CellReference: Int]] = [:]
    var out: [UndoCell?] = []
    for cell in a + b {
      if case .unlost(let item) = cell, nonces.contains(item.nonce) || removed.contains(item) {
        continue
      }
      guard let reference = cell.reference else {
        out.append(cell)
        continue
      }
      if nonces.contains(reference.item.nonce) { continue }
      if let known = at[cell.isCounted]?[reference], let before = out[known] {
        out[known] = before.followed(by: cell)
      } else {
        at[cell.isCounted, default: [:]][reference] = out.count
        out.append(cell.isNothing ? nil : cell)
      }
    }
    return out.compactMap(\.self)
  }
}

extension UndoCell {
  /// The cell that was written; `nil` for the making of items.
  var reference: CellReference? {
    switch self {
    case .created, .unlost: nil
    case .placed(let item, _, _): CellReference(item: item, name: .place)
    case .life(let item, _): CellReference(item: item, name: .life)
    case .set(let item, let field, _, _), .counted(let item, let field, _):
      CellReference(item: item, name: .field(field))
    }
  }

  fileprivate var isCounted: Bool { if case .counted = self { true } else { false } }

  /// Both writes as one, `nil` if together they changed nothing; `later` is to the same cell.
  fileprivate func followed(by later: UndoCell) -> UndoCell? {
    let both: UndoCell
    switch (self, later) {
    case (.placed(let item, let old, _), .placed(_, _, let new)):
      both = .placed(item, old: old, new: new)
    case (.set(let item, let field, let old, _), .set(_, _, _, let new)):
      both = .set(item, field, old: old, new: new)
    case (.counted(let item, let field, let a), .counted(_, _, let b)):
      both = .counted(item, field, by: a &+ b)
    case (.life(_, let first), .life(_, let last)):
      return first == last ? self : nil
    default: both = later
    }
    return both.isNothing ? nil : both
  }

  /// Whether the cell is as it was before.
  fileprivate var isNothing: Bool {
    switch self {
    case .created, .life, .unlost: false
    case .placed(_, let old, let new): old == new
    case .set(_, _, let old, let new): old == new
    case .counted(_, _, let by): by == 0
    }
  }
}

extension Replica {
  /// What `ops` will overwrite when they are folded as a change with `nonce`.
  /// - Complexity: O(cells).
  public func undoCells(of ops: [Op], nonce: UInt64) -> [UndoCell] {
    var out: [UndoCell] = []
    for op in ops {
      switch op {
      case .create(let first, let count, _, _, _):
        out.append(.created(nonce: nonce, first: first, count: count))
      case .place(let item, let parent, let key, _):
        out.append(.placed(item, old: spot(of: item), new: Spot(parent: parent, key: key)))
      case .blockPlace(let block, let parent, let firstKey, _):
        guard let run = try? PositionRun(first: firstKey, count: block.count) else { continue }
        for (at, item) in block.enumerated() {
          out.append(
            .placed(item, old: spot(of: item), new: Spot(parent: parent, key: run.key(at: at))))
        }
      case .set(let item, let field, let value, _):
        out.append(.set(item, field, old: self.value(of: item, field), new: value))
      case .life(let item, let alive, _):
        if isAlive(item) != alive { out.append(.life(item, alive: alive)) }
      case .add(let item, let field, let delta): out.append(.counted(item, field, by: delta))
      case .unknown: break
      }
    }
    return out + leavingRecovered(ops)
  }

  /// What comes out of Recovered when `ops` bring back all that is deleted above it.
  private func leavingRecovered(_ ops: [Op]) -> [UndoCell] {
    var revived: Set<UInt32> = []
    for case .life(let id, alive: true, _) in ops {
      if let item = items.ordinal(of: id), items[item].isDead { revived.insert(item) }
    }
    if revived.isEmpty { return [] }
    return recoveredTops().filter { item in
      let dead = writtenChain(above: item).filter { items[$0].isDead }
      return !dead.isEmpty && dead.allSatisfy(revived.contains)
    }.map(items.id).sorted().map(UndoCell.unlost)
  }

  /// What is written above `item`, the nearest first, up to the root or to where it ends.
  private func writtenChain(above item: UInt32) -> [UInt32] {
    var chain: [UInt32] = []
    var at = items[item].parent
    // No longer than a chain can be: what is written may be a cycle.
    while at != ItemTable.none, at > ItemTable.recovered, chain.count < items.count {
      chain.append(at)
      at = items[at].parent
    }
    return chain
  }

  /// Where `id` was put, as written: the effective parent may be another one.
  public func spot(of id: ItemID) -> Spot? {
    guard let ordinal = items.ordinal(of: id), items[ordinal].place != 0,
      items[ordinal].parent != ItemTable.none
    else { return nil }
    return Spot(parent: items.id(items[ordinal].parent), key: items.key(ordinal))
  }

  /// Who wrote each cell of `id`; a counter has one writer a session, with an `h` of 0.
  /// - Complexity: O(fields of the space).
  public func writers(of id: ItemID) -> [Written] {
    guard let ordinal = items.ordinal(of: id) else { return [] }
    let item = items[ordinal]
    var out = [item.create, item.place, item.life].compactMap(written)
    for field in fields.names.indices {
      let name = UInt32(field)
      if let by = written(fields.stamp(name, ordinal)) { out.append(by) }
      for cell in counters.cells[CounterStore.Key(item: ordinal, field: name)] ?? [] {
        let session = sessions[cell.session]
        guard let head = session.head else { continue }
        let dot = Dot(session: session.id, seq: UInt64(cell.seq))
        out.append(Written(device: head.device, dot: dot, h: 0))
      }
    }
    return out
  }

  /// Items that were deleted themselves, ascending by id.
  /// - Complexity: O(items).
  public var deadItems: [ItemID] {
    var out: [ItemID] = []
    for item in 2..<UInt32(max(items.count, 2)) where items[item].create != 0 && items[item].isDead
    {
      out.append(items.id(item))
    }
    return out.sorted()
  }
}
