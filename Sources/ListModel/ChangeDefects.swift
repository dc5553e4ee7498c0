// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Bytes of values: for the tie rule of equal stamps and for fingerprints; not a wire format.
extension Value {
  func append(to out: inout [UInt8]) {
    switch self {
    case .null: out.append(0)
    case .bool(let flag): out.append(flag ? 2 : 1)
    case .int(let number):
      out.append(3)
      appendBigEndian(number, to: &out)
    case .decimal(let mantissa, let scale):
      out.append(4)
      appendBigEndian(mantissa, to: &out)
      out.append(scale)
    case .time(let milliseconds):
      out.append(5)
      appendBigEndian(milliseconds, to: &out)
    case .text(let text):
      out.append(6)
      out.append(contentsOf: text.utf8)
    case .bytes(let bytes):
      out.append(7)
      out.append(contentsOf: bytes)
    case .date(let day):
      out.append(8)
      appendBigEndian(day, to: &out)
    case .ref(let item):
      out.append(9)
      item.append(to: &out)
    case .opaque(let tag, let bytes):
      out.append(tag)
      out.append(contentsOf: bytes)
    }
  }
}

extension CellValue {
  var bytes: [UInt8] {
    var out: [UInt8] = []
    switch self {
    case .place(let parent, let key):
      parent.append(to: &out)
      out.append(contentsOf: key.bytes)
    case .life(let alive): out.append(alive ? 1 : 0)
    case .value(let value): value.append(to: &out)
    }
    return out
  }
}

extension Change {
  /// What makes this change invalid on every replica; `nil` for a change that may be folded.
  ///
  /// Constant rules only: no state, no clock (`core.md` 5.1).
  /// - Complexity: O(ops).
  public var defect: ChangeDefect? {
    guard nonce != 0, nonce != .max else { return .nonce }
    guard h > 0, h < Limits.clockEnd else { return .clock }
    guard ops.count <= Limits.opsPerChangeMax, seen.count <= Limits.seenEntriesMax else {
      return .limit
    }
    var written = CellSet(ownNonce: nonce)
    var cells = 0
    // Creations first: another op may write the same cell before them.
    for case .create(_, let count, _, _, let columns) in ops {
      cells += Int(count) * (columns.count + 1)
      guard cells <= Limits.cellsPerChangeMax else { return .limit }
    }
    for op in ops where op.isCreation {
      if let defect = op.defect ?? written.insert(op) { return defect }
    }
    for op in ops where !op.isCreation {
      if let ownH = op.ownH, ownH == 0 || ownH >= Limits.clockEnd { return .clock }
      if let defect = op.defect ?? written.insert(op) { return defect }
    }
    return nil
  }
}

extension Op {
  fileprivate var isCreation: Bool { if case .create = self { true } else { false } }

  fileprivate var defect: ChangeDefect? {
    switch self {
    case .create(let firstIndex, let count, let parent, let firstKey, let columns):
      guard count >= 1, UInt64(firstIndex) + UInt64(count) < UInt64(UInt32.max),
        columns.allSatisfy({ $0.values.count == Int(count) })
      else { return .limit }
      if parent.isReserved && parent != .root { return .reservedItem }
      return (try? PositionRun(first: firstKey, count: Int(count))) == nil ? .position : nil
    case .place(let item, let parent, let key, _):
      if item.isReserved || (parent.isReserved && parent != .root && parent != .recovered) {
        return .reservedItem
      }
      return (try? PositionRun(first: key)) == nil ? .position : nil
    case .blockPlace(let items, let parent, let firstKey, _):
      guard !items.isEmpty, items.count <= Limits.opsPerChangeMax else { return .limit }
      if items.contains(where: \.isReserved)
        || (parent.isReserved && parent != .root && parent != .recovered)
      {
        return .reservedItem
      }
      return (try? PositionRun(first: firstKey, count: items.count)) == nil ? .position : nil
    case .set(let item, _, _, _), .life(let item, _, _), .add(let item, _, _):
      return item.isReserved ? .reservedItem : nil
    case .unknown: return nil
    }
  }
}

/// A cell by name, as an element of sets that live as long as one change.
struct CellReference: Hashable {
  let item: ItemID
  let name: CellName

  func hash(into hasher: inout Hasher) {
    let kind: UInt64 =
      switch name {
      case .create, .place: 1
      case .life: 2
      case .field(.text): 3
      case .field(.named(let name)): name.utf8.suffix(8).reduce(4) { $0 &* 257 &+ UInt64($1) }
      }
    hasher.combine(item.nonce)
    hasher.combine(UInt64(item.index) << 32 ^ kind)
  }
}

/// The cells that the ops so far have written; a change writes each at most once.
private struct CellSet {
  let ownNonce: UInt64
  var cells: Set<CellReference> = []
  var created: [(Range<UInt32>, [FieldName])] = []

  mutating func insert(_ op: Op) -> ChangeDefect? {
    switch op {
    case .create(let firstIndex, let count, _, _, let columns):
      let range = firstIndex..<firstIndex + count
      let names = columns.map(\.field)
      guard !Self.hasDuplicates(names), !created.contains(where: { $0.0.overlaps(range) })
      else { return .cellWrittenTwice }
      created.append((range, names))
      return nil
    case .place(let item, _, _, _): return insert(item, .place)
    case .blockPlace(let items, _, _, _):
      for item in items {
        if let defect = insert(item, .place) { return defect }
      }
      return nil
    case .set(let item, let field, _, _): return insert(item, .field(field))
    case .life(let item, _, _): return insert(item, .life)
    case .add(let item, let field, _): return insert(item, .field(field))
    case .unknown: return nil
    }
  }

  private static func hasDuplicates(_ names: [FieldName]) -> Bool {
    if names.count > 16 { return Set(names).count != names.count }
    for at in names.indices where names[..<at].contains(names[at]) { return true }
    return false
  }

  private mutating func insert(_ item: ItemID, _ name: CellName) -> ChangeDefect? {
    if item.nonce == ownNonce, let own = created.first(where: { $0.0.contains(item.index) }) {
      switch name {
      case .place, .create: return .cellWrittenTwice
      case .field(let field) where own.1.contains(field): return .cellWrittenTwice
      default: break
      }
    }
    return cells.insert(CellReference(item: item, name: name)).inserted ? nil : .cellWrittenTwice
  }
}
