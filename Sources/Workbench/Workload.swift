// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// What people do to the lists: every kind of edit, at random, often in the same few places.
package struct Workload: Sendable {
  private var random: SplitMix64
  private let hasGroups: Bool
  private let level: FoldLevel
  private static let fields: [FieldName] = [.text, .done, .note]
  private static let counter = FieldName.named("stock")

  /// Equal seeds want the same of equal replicas.
  ///
  /// - Parameters:
  ///   - hasGroups: Whether some transactions are too large for one change.
  ///   - level: The version of the program: it makes no ops that it does not know.
  package init(seed: UInt64, hasGroups: Bool = false, level: FoldLevel = .current) {
    random = SplitMix64(seed: seed, stream: "workload")
    (self.hasGroups, self.level) = (hasGroups, level)
  }

  /// One transaction that somebody looking at `replica` may want.
  package mutating func transaction(on replica: Replica) -> [Edit] {
    if hasGroups, random.chance(3), let list = replica.children(of: .root).first {
      return [.create((0..<90).map { _ in longRow() }, parent: list, at: .bottom)]
    }
    return (0..<(random.chance(80) ? 1 : 1 + random.below(4))).compactMap { _ in
      edit(on: replica).flatMap(known)
    }
  }

  /// The edit, unless it needs an op of a later version.
  private func known(_ edit: Edit) -> Edit? {
    switch edit {
    case .increment where !level.folds(kind: 6): nil
    case .move(let items, _, _) where items.count > 1 && !level.folds(kind: 3): nil
    default: edit
    }
  }

  private mutating func longRow() -> NewRow {
    let letter = Character(Unicode.Scalar(UInt8(97 + random.below(26))))
    return NewRow([(field: .text, value: .text(String(repeating: letter, count: 1_000)))])
  }

  private mutating func edit(on replica: Replica) -> Edit? {
    let lists = replica.children(of: .root)
    if lists.isEmpty || random.chance(2) {
      return .create([row()], parent: .root, at: .bottom)
    }
    let list = random.pick(lists)
    guard let item = item(in: list, of: replica) else {
      return .create(rows(), parent: list, at: .bottom)
    }
    switch random.below(20) {
    case 0...5: return .create(rows(), parent: random.chance(80) ? list : item, at: placement(item))
    case 6...9: return move(item, list, replica)
    case 10...13:
      return .set(item, random.pick(Self.fields), .text("\(random.below(1_000))"))
    case 14, 15: return .setAlive(item, false)
    case 16: return restore(in: list, of: replica)
    case 17: return .set(item, .done, .bool(random.chance(50)))
    default: return .increment(item, Self.counter, by: Int64(random.below(21)) - 10)
    }
  }

  private mutating func item(in list: ItemID, of replica: Replica) -> ItemID? {
    let count = replica.childCount(of: list)
    guard count > 0 else { return nil }
    // Half of all edits go to the first rows.
    let index = random.below(random.chance(50) ? min(count, 4) : count)
    guard let item = replica.child(of: list, at: index) else { return nil }
    return random.chance(20) ? replica.child(of: item, at: 0) ?? item : item
  }

  private mutating func move(_ item: ItemID, _ list: ItemID, _ replica: Replica) -> Edit? {
    switch random.below(4) {
    case 0:
      // Under another row: that is where cycles come from.
      guard let parent = self.item(in: list, of: replica), parent != item else { return nil }
      return .move([item], parent: parent, at: .bottom)
    case 1:
      let block = replica.children(of: list).prefix(1 + random.below(5))
      return .move(Array(block), parent: list, at: .bottom)
    default:
      guard let parent = replica.parent(of: item), parent != .recovered else {
        return .move([item], parent: list, at: .top)
      }
      return .move([item], parent: parent, at: .rank(random.below(8)))
    }
  }

  private mutating func restore(in list: ItemID, of replica: Replica) -> Edit? {
    let dead = replica.deadChildren(of: list)
    if let recovered = replica.recoveredItems.first, random.chance(50) {
      return .move([recovered], parent: list, at: .bottom)
    }
    return dead.isEmpty ? nil : .setAlive(random.pick(dead), true)
  }

  private mutating func placement(_ item: ItemID) -> Placement {
    random.pick([.top, .bottom, .bottom, .rank(random.below(6))])
  }

  private mutating func rows() -> [NewRow] { (0..<1 + random.below(4)).map { _ in row() } }

  private mutating func row() -> NewRow {
    NewRow([(field: .text, value: .text("row \(random.below(10_000))"))])
  }
}
