// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// Draws the ops of one change, as an honest author with this view may write them: every write beats
/// what the author has seen of its cell, and no cell is written twice.
package struct RandomOps: Sendable {
  /// The ops so far.
  package private(set) var ops: [Op] = []
  private let view: NaiveReplica
  private let tag: WriterTag
  private let h: UInt64
  private let nonce: UInt64
  private var created: UInt32 = 0
  private var touched: Set<NaiveReplica.Place> = []
  private let living: [ItemID]
  private let all: [ItemID]

  /// `tag`, `h` and `nonce` are those of the change.
  package init(view: NaiveReplica, tag: WriterTag, h: UInt64, nonce: UInt64) {
    (self.view, self.tag, self.h, self.nonce) = (view, tag, h, nonce)
    let statuses = view.statuses()
    all = view.allItems.filter { view.exists($0) }
    living = all.filter { statuses[$0] == .visible || statuses[$0] == .recovered }
  }

  /// Adds one op or a few that belong together; sometimes none, if the draw does not fit.
  package mutating func add(_ random: inout SplitMix64) {
    guard !living.isEmpty else { return create(&random) }
    switch random.below(20) {
    case 0...3: create(&random)
    case 4...9: move(&random)
    case 10: moveBlock(&random)
    case 11...13: set(&random)
    case 14, 15: delete(random.pick(living))
    case 16: undelete(&random)
    default: count(&random)
    }
  }

  private mutating func create(_ random: inout SplitMix64) {
    let parent = living.isEmpty || random.chance(20) ? ItemID.root : random.pick(living)
    let count = 1 + random.below(3)
    let key = freshKey(under: parent, count: count, &random)
    let texts = (0..<count).map { _ in Value.text("\(random.below(9))") as Value? }
    let ticks = (0..<count).map { _ in random.chance(50) ? Value.bool(true) : nil }
    var columns = [FieldColumn(field: .text, values: texts)]
    if ticks.contains(where: { $0 != nil }) {
      columns.append(FieldColumn(field: .done, values: ticks))
    }
    ops.append(
      .create(
        firstIndex: created, count: UInt32(count), parent: parent, firstKey: key, columns: columns))
    created += UInt32(count)
  }

  /// Into anything but its own subtree; cycles come from concurrency.
  private mutating func move(_ random: inout SplitMix64) {
    // Often among the same few items: that is where cycles meet.
    let among = random.chance(50) ? living.prefix(4) : living[...]
    let item = random.pick(among)
    let parent = random.chance(10) ? ItemID.root : random.pick(among)
    guard !isWithin(parent, item), take(item, .place) else { return }
    let key = freshKey(under: parent, count: 1, &random)
    ops.append(
      .place(item: item, parent: parent, key: key, h: ownClock([(item, .place)])))
  }

  private mutating func moveBlock(_ random: inout SplitMix64) {
    guard let from = view.parent(random.pick(living)) else { return }
    let parent = random.chance(50) ? from : random.pick(living)
    let siblings = view.placed(under: from)
      .filter { view.exists($0) && view.isAlive($0) && !isWithin(parent, $0) }
      .prefix(2 + random.below(3)).filter { take($0, .place) }
    guard !siblings.isEmpty else { return }
    let key = freshKey(under: parent, count: siblings.count, &random)
    ops.append(
      .blockPlace(
        items: Array(siblings), parent: parent, firstKey: key,
        h: ownClock(siblings.map { ($0, .place) })))
  }

  private mutating func set(_ random: inout SplitMix64) {
    let item = random.pick(living)
    let field = random.pick([FieldName.text, .done, .note])
    guard take(item, .field(field)) else { return }
    let value = random.pick([Value.null, .bool(true), .int(7), .text("a"), .text("b")])
    ops.append(.set(item: item, field: field, value: value, h: ownClock([(item, .field(field))])))
  }

  /// Deletes, and puts out of the way what the author saw outside although it is written inside.
  private mutating func delete(_ item: ItemID) {
    guard take(item, .life) else { return }
    let victims = view.victims.filter { $0 != item && isWithin($0, item) && view.isAlive($0) }
    ops.append(.life(item: item, alive: false, h: ownClock([(item, .life)])))
    for victim in victims.sorted() where take(victim, .place) {
      let key = view.position(victim) ?? freshKey(under: .recovered, count: 1)
      ops.append(
        .place(item: victim, parent: .recovered, key: key, h: ownClock([(victim, .place)])))
    }
  }

  private mutating func undelete(_ random: inout SplitMix64) {
    let dead = all.filter { !view.isAlive($0) }
    guard !dead.isEmpty else { return }
    let item = random.pick(dead)
    guard take(item, .life) else { return }
    ops.append(.life(item: item, alive: true, h: ownClock([(item, .life)])))
  }

  private mutating func count(_ random: inout SplitMix64) {
    let item = random.pick(living)
    // Counters have fields of their own: a field is either a counter or not.
    let field = FieldName.named("stock")
    guard take(item, .field(field)) else { return }
    ops.append(.add(item: item, field: field, delta: Int64(random.below(21)) - 10))
  }

  // MARK: what is needed for all of them

  /// Whether `item` is `ancestor` or written to be below it.
  private func isWithin(_ item: ItemID, _ ancestor: ItemID) -> Bool {
    var at: ItemID? = item
    var steps = 0
    while let here = at, steps <= all.count {
      if here == ancestor { return true }
      at = view.parent(here)
      steps += 1
    }
    return false
  }

  private mutating func take(_ item: ItemID, _ cell: NaiveReplica.Cell) -> Bool {
    touched.insert(NaiveReplica.Place(item: item, cell: cell)).inserted
  }

  /// The bump: above everything seen of these cells; `nil` where the change's `h` is.
  private func ownClock(_ cells: [(ItemID, NaiveReplica.Cell)]) -> UInt64? {
    let seen = cells.compactMap { view.shown($0.0, $0.1)?.stamp.h }.max() ?? 0
    return seen >= h ? seen + 1 : nil
  }

  private func freshKey(
    under parent: ItemID, count: Int, _ random: inout SplitMix64
  ) -> PositionKey {
    let keys = view.placed(under: parent).compactMap { view.position($0) }
    let at = random.below(keys.count + 1)
    return PositionGenerator.run(
      of: count, between: at > 0 ? keys[at - 1] : nil, at < keys.count ? keys[at] : nil, tag: tag
    ) { key in keys.first { $0 > key } }
  }

  private func freshKey(under parent: ItemID, count: Int) -> PositionKey {
    let keys = view.placed(under: parent).compactMap { view.position($0) }
    return PositionGenerator.run(of: count, between: keys.last, nil, tag: tag) { _ in nil }
  }
}
