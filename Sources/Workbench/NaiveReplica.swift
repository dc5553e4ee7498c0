// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// The oracle: a replica as the rules say it, with no regard for speed.
///
/// It keeps every write it was given and folds from scratch: sort the writes of a cell, show the
/// greatest. `Replica` must agree with it after any order, repetition and batching.
package struct NaiveReplica: Sendable {
  /// A cell of an item that is written as a whole; counters are apart.
  package enum Cell: Hashable, Sendable {
    case create, place, life
    case field(FieldName)
  }

  /// What a write puts into its cell.
  package enum Content: Hashable, Sendable {
    case created
    case place(parent: ItemID, key: PositionKey)
    case alive(Bool)
    case value(Value)
  }

  /// One write, with everything that decides about it.
  package struct Write: Hashable, Sendable {
    package let stamp: Stamp
    package let dot: Dot
    package let content: Content
  }

  /// An item and one of its cells.
  package struct Place: Hashable, Sendable {
    package let item: ItemID
    package let cell: Cell
  }

  /// How an item shows.
  package enum Status: Hashable, Sendable {
    case visible, recovered, hidden, orphan, unknown
  }

  /// Every write to a cell, ascending by stamp.
  package private(set) var writes: [Place: [Write]] = [:]
  /// What the author of a change had seen, itself not included; sessions with their last seq.
  package private(set) var contexts: [Dot: [SessionID: UInt64]] = [:]
  private var heads: [SessionID: SessionHead] = [:]
  private var tips: [SessionID: Tip] = [:]
  private var sums: [Counter: Int64] = [:]
  private var items: Set<ItemID> = []

  private struct Counter: Hashable {
    let item: ItemID
    let field: FieldName
  }

  /// Nothing written yet.
  package init() {}

  // MARK: input

  /// Takes one change, which must be the next of its session, after what that session continues.
  package mutating func add(_ change: Change, hash: ChangeHash) {
    if let head = change.head { heads[change.session] = head }
    guard let head = heads[change.session] else { return }
    contexts[change.dot] = context(of: change)
    tips[change.session] = Tip(session: change.session, seq: change.seq, hash: hash)
    for (index, op) in change.ops.enumerated() {
      let stamp = Stamp(
        h: op.ownClock ?? change.h, device: head.device, salt: head.salt, seq: change.seq,
        op: UInt32(index))
      for (place, content) in op.contents(nonce: change.nonce) {
        items.insert(place.item)
        let write = Write(stamp: stamp, dot: change.dot, content: content)
        writes[place, default: []].append(write)
        writes[place]?.sort { $0.stamp < $1.stamp }
      }
      if case .add(let item, let field, let delta) = op {
        items.insert(item)
        sums[Counter(item: item, field: field), default: 0] &+= delta
      }
    }
  }

  private func context(of change: Change) -> [SessionID: UInt64] {
    var known: [SessionID: UInt64] = [:]
    if change.seq > 1 {
      let previous = Dot(session: change.session, seq: change.seq - 1)
      known = contexts[previous] ?? [:]
      known[change.session] = change.seq - 1
    } else if let predecessor = change.head?.predecessor {
      known[predecessor.session] = predecessor.seq
    }
    for entry in change.seen {
      known[entry.dot.session] = max(known[entry.dot.session] ?? 0, entry.dot.seq)
    }
    return known
  }

  // MARK: happens-before

  /// Last seq of every session held here.
  package var vector: [SessionID: UInt64] { tips.mapValues(\.seq) }

  /// The last change held of a session.
  package func tip(of session: SessionID) -> Tip? { tips[session] }

  /// The held tips that no other held session continues, ascending by session.
  package var leaves: [Tip] {
    tips.values.filter { tip in
      !heads.values.contains { head in
        head.predecessor.map { $0.session == tip.session && $0.seq >= tip.seq } ?? false
      }
    }.sorted { $0.session < $1.session }
  }

  /// Whether `known` says that `dot` was seen: by its session, or through a session continuing it.
  package func covers(_ known: [SessionID: UInt64], _ dot: Dot) -> Bool {
    known.keys.contains { session in
      var last = known[session] ?? 0
      var at = session
      while true {
        if at == dot.session { return dot.seq <= last }
        guard let predecessor = heads[at]?.predecessor else { return false }
        (at, last) = (predecessor.session, predecessor.seq)
      }
    }
  }

  /// Whether the author of `later` had seen `earlier`.
  package func hasSeen(_ later: Dot, _ earlier: Dot) -> Bool {
    covers(contexts[later] ?? [:], earlier)
  }

  /// Whether the author of `later` named `earlier` itself as seen, not only by way of a session
  /// that continues it: that can be told without having that session.
  package func hasSeenDirectly(_ later: Dot, _ earlier: Dot) -> Bool {
    (contexts[later]?[earlier.session] ?? 0) >= earlier.seq
  }

  /// Whether both changes of a journal entry are held.
  package func holds(_ entry: JournalEntry) -> Bool {
    contexts[entry.keptBy.dot] != nil && contexts[entry.droppedBy.dot] != nil
  }

  // MARK: cells

  /// Every item that any write names, ascending.
  package var allItems: [ItemID] { items.sorted() }

  /// The winning write of a cell.
  package func shown(_ item: ItemID, _ cell: Cell) -> Write? {
    writes[Place(item: item, cell: cell)]?.last
  }

  /// Whether the item has been created.
  package func exists(_ item: ItemID) -> Bool { shown(item, .create) != nil }

  /// Whether the item's `life` cell, if any, says so.
  package func isAlive(_ item: ItemID) -> Bool { shown(item, .life)?.content != .alive(false) }

  /// The parent as written; `nil` without a `place`.
  package func parent(_ item: ItemID) -> ItemID? {
    guard case .place(let parent, _)? = shown(item, .place)?.content else { return nil }
    return parent
  }

  /// The position as written; `nil` without a `place`.
  package func position(_ item: ItemID) -> PositionKey? {
    guard case .place(_, let key)? = shown(item, .place)?.content else { return nil }
    return key
  }

  /// The value of a field; `nil` if never written.
  package func value(_ item: ItemID, _ field: FieldName) -> Value? {
    guard case .value(let value)? = shown(item, .field(field))?.content else { return nil }
    return value
  }

  /// The sum of all adds; `nil` if there was none.
  package func total(_ item: ItemID, _ field: FieldName) -> Int64? {
    sums[Counter(item: item, field: field)]
  }

  /// The fields of `item` with a value, ascending.
  package func fields(_ item: ItemID) -> [FieldName] {
    writes.keys.compactMap { place in
      guard place.item == item, case .field(let name) = place.cell else { return nil }
      return name
    }.sorted()
  }

  // MARK: tree

  /// The items whose newest move loses: of every cycle of parents as written the greatest stamp.
  package var victims: Set<ItemID> {
    var found: Set<ItemID> = []
    for start in items {
      guard let cycle = cycle(through: start) else { continue }
      let loser = cycle.max { a, b in
        guard let x = shown(a, .place), let y = shown(b, .place) else { return false }
        return x.stamp < y.stamp
      }
      if let loser { found.insert(loser) }
    }
    return found
  }

  /// The items of the cycle that `start` is on; `nil` if it is on none.
  private func cycle(through start: ItemID) -> [ItemID]? {
    var walked = [start]
    var at = start
    while let up = parent(at) {
      if up == start { return walked }
      if walked.contains(up) { return nil }
      walked.append(up)
      at = up
    }
    return nil
  }

  /// Whether a delete on the way up, the nearest one, was made by somebody who saw the item there,
  /// or put it there in the same change.
  package func isBuried(_ item: ItemID) -> Bool {
    var between = [item]
    var at = item
    while let up = parent(at), !between.contains(up) {
      if !isAlive(up), let death = shown(up, .life) {
        return between.allSatisfy { member in
          [.create, .place, .life].allSatisfy { cell in
            shown(member, cell).map { $0.dot == death.dot || hasSeen(death.dot, $0.dot) } ?? true
          }
        }
      }
      between.append(up)
      at = up
    }
    return false
  }

  /// How every item of `allItems` shows.
  package func statuses() -> [ItemID: Status] {
    let victims = victims
    return Dictionary(uniqueKeysWithValues: items.map { ($0, status($0, victims)) })
  }

  private func status(_ item: ItemID, _ victims: Set<ItemID>) -> Status {
    guard exists(item) else { return .orphan }
    guard isAlive(item) else { return .hidden }
    var at = item
    while true {
      if victims.contains(at) { break }
      guard let up = parent(at), up != .recovered else { break }
      if up == .root { return .visible }
      guard exists(up), isAlive(up) else { break }
      at = up
    }
    return isBuried(item) ? .hidden : .recovered
  }

  /// The visible children of every parent that has any, in list order.
  package func visibleChildren() -> [ItemID: [ItemID]] {
    let statuses = statuses()
    var lists: [ItemID: [ItemID]] = [:]
    for item in items where statuses[item] == .visible {
      if let parent = parent(item) { lists[parent, default: []].append(item) }
    }
    return lists.mapValues { list in list.sorted(by: precedes) }
  }

  /// Everything ever placed under `parent`, shown or not, in list order.
  package func placed(under parent: ItemID) -> [ItemID] {
    items.filter { self.parent($0) == parent }.sorted(by: precedes)
  }

  private func precedes(_ a: ItemID, _ b: ItemID) -> Bool {
    guard let x = position(a), let y = position(b), x != y else { return a < b }
    return x < y
  }

  // MARK: journal

  /// A write that lost, and that nobody who wrote the cell later had seen: it must be in a journal.
  package struct Loss: Hashable, Sendable {
    package let place: Place
    package let loser: Write
  }

  /// Unseen losers that no seen write replaced and whose value nobody met in another write either:
  /// a value that is shown, or that somebody replaced knowingly, is no loss.
  package func losses() -> [Loss] {
    writes.flatMap { place, all -> [Loss] in
      guard let winner = all.last else { return [] }
      var met: Set<Content> = [winner.content]
      for write in all where all.contains(where: { isReplaced(write, by: $0) }) {
        met.insert(write.content)
      }
      return all.filter { !met.contains($0.content) }.map { Loss(place: place, loser: $0) }
    }
  }

  private func isReplaced(_ write: Write, by other: Write) -> Bool {
    other.dot != write.dot && hasSeen(other.dot, write.dot)
  }
}

extension Op {
  /// The op's own `h`, which takes the place of the change's.
  fileprivate var ownClock: UInt64? {
    switch self {
    case .place(_, _, _, let h), .blockPlace(_, _, _, let h), .set(_, _, _, let h),
      .life(_, _, let h):
      h
    case .create, .add, .unknown: nil
    }
  }

  /// The cells that the op writes; adds are no cells of this kind.
  fileprivate func contents(
    nonce: UInt64
  ) -> [(NaiveReplica.Place, NaiveReplica.Content)] {
    typealias Place = NaiveReplica.Place
    switch self {
    case .create(let firstIndex, let count, let parent, let firstKey, let columns):
      return (0..<Int(count)).flatMap { at -> [(Place, NaiveReplica.Content)] in
        let item = ItemID(nonce: nonce, index: firstIndex + UInt32(at))
        guard let key = firstKey.stepped(by: at) else { return [] }
        let fields =
          columns.compactMap { column in
            column.values[at].map { (Place(item: item, cell: .field(column.field)), .value($0)) }
          } as [(Place, NaiveReplica.Content)]
        return [
          (Place(item: item, cell: .create), .created),
          (Place(item: item, cell: .place), .place(parent: parent, key: key)),
        ] + fields
      }
    case .place(let item, let parent, let key, _):
      return [(Place(item: item, cell: .place), .place(parent: parent, key: key))]
    case .blockPlace(let items, let parent, let firstKey, _):
      return items.enumerated().compactMap { at, item in
        firstKey.stepped(by: at).map {
          (Place(item: item, cell: .place), .place(parent: parent, key: $0))
        }
      }
    case .set(let item, let field, let value, _):
      return [(Place(item: item, cell: .field(field)), .value(value))]
    case .life(let item, let alive, _):
      return [(Place(item: item, cell: .life), .alive(alive))]
    case .add, .unknown: return []
    }
  }
}
