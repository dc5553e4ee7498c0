// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The tree: effective parents, what is visible, what was deleted on purpose, what is Recovered.
extension Replica {
  /// The list above `item`, itself included; `nil` above no list (root, Recovered, no place).
  func listOrdinal(_ item: UInt32) -> UInt32? {
    var at = item
    while true {
      let parent = items[at].effective
      if parent == ItemTable.root { return at }
      if parent == ItemTable.none || parent == ItemTable.recovered { return nil }
      at = parent
    }
  }

  /// Exists, alive, and so are all effective ancestors up to the root.
  /// - Complexity: O(depth).
  func isVisible(_ item: UInt32) -> Bool {
    var at = item
    while at != ItemTable.root {
      if at == ItemTable.recovered || at == ItemTable.none { return false }
      if items[at].create == 0 || items[at].isDead { return false }
      at = items[at].effective
    }
    return true
  }

  /// Whether whoever deleted the nearest dead ancestor, by the written chain, had seen the item
  /// there: its creation, its place and its life, and those of all items between.
  func isBuried(_ item: UInt32) -> Bool {
    var chain: [UInt32] = []
    var at = item
    while !items[at].isDead {
      chain.append(at)
      at = items[at].parent
      if at == ItemTable.none || at <= ItemTable.recovered || chain.count > items.count {
        return false
      }
      // A cycle never meets a dead item twice: leave when it closes.
      if chain.count > 64 && Set(chain).contains(at) { return false }
    }
    let dot = localDot(items[at].life)
    let delete = deleteContexts[dot]
    for between in chain {
      let row = items[between]
      for write in [row.create, row.place, row.life] where write != 0 {
        if !isSeen(write, dot, delete) { return false }
      }
    }
    return true
  }

  /// Whether the author of the delete `dot` had seen, or made in the same change, the write at `row`.
  private func isSeen(_ row: UInt32, _ dot: LocalDot, _ delete: DeleteContext?) -> Bool {
    let (session, seq) = (stamps.session(row), stamps.seq(row))
    return (session == dot.session && seq <= dot.seq)
      || delete?.seen.contains(session: session, seq: seq) == true
  }

  /// The change that wrote the stamp `row`.
  func localDot(_ row: UInt32) -> LocalDot {
    LocalDot(session: stamps.session(row), seq: stamps.seq(row))
  }

  func status(_ item: UInt32) -> ItemStatus {
    if item == ItemTable.root { return .visible }
    guard items[item].create != 0 else {
      return items[item].place != 0 || items[item].life != 0 ? .orphan : .unknown
    }
    if items[item].isDead { return .hidden }
    if isVisible(item) { return .visible }
    return isBuried(item) ? .hidden : .recovered
  }

  /// Items in Recovered whose effective parent is not itself there, ascending by id.
  ///
  /// - Complexity: O(hidden items) after a change among them, else O(recovered).
  public var recoveredItems: [ItemID] { recoveredTops().map(items.id).sorted() }

  func recoveredTops() -> [UInt32] {
    if let recoveredCache { return recoveredCache }
    var out: [UInt32] = []
    for item in 2..<UInt32(items.count) where status(item) == .recovered {
      let parent = items[item].effective
      if parent == ItemTable.none || parent <= ItemTable.recovered || status(parent) != .recovered {
        out.append(item)
      }
    }
    return out
  }

  /// Fills the cache behind `recoveredItems`; queries then cost nothing until the tree changes.
  public mutating func settleRecovered() {
    if recoveredCache == nil { recoveredCache = recoveredTops() }
  }

  // MARK: Cycles

  /// The members of the cycle of written parents through `item`; empty if there is none.
  /// - Complexity: O(depth).
  private func cycle(through item: UInt32) -> [UInt32] {
    var at = item
    repeat {
      at = items[at].parent
      if at == ItemTable.none || at <= ItemTable.recovered { return [] }
      // Only a cut cycle that `item` hangs under can hold the walk: its victim ends it.
      if at != item && !victims.isEmpty && victims.contains(at) && !reaches(from: at, item) {
        return []
      }
    } while at != item
    var members: [UInt32] = []
    repeat {
      members.append(at)
      at = items[at].parent
    } while at != item
    return members
  }

  /// Whether the written chain from `start`, which lies on a cycle, comes by `item`.
  private func reaches(from start: UInt32, _ item: UInt32) -> Bool {
    var at = start
    repeat {
      if at == item { return true }
      at = items[at].parent
      if at == ItemTable.none || at <= ItemTable.recovered { return false }
    } while at != start
    return false
  }

  /// Puts `item` under a newly written parent, cutting and mending cycles.
  ///
  /// The newest move of a cycle loses: its item shows in Recovered until a further move opens the
  /// cycle.
  mutating func replace(_ item: UInt32, parent: UInt32, key: PositionKey, stamp row: UInt32) {
    takeOut(item)
    items[item].parent = parent
    items[item].effective = parent
    items[item].place = row
    items.setKey(item, key)
    link(item)
    let closed = parent <= ItemTable.recovered ? [] : cycle(through: item)
    guard var victim = closed.first else { return }
    for member in closed
    where stamps.order(items[victim].place, items[member].place, sessions) < 0 {
      victim = member
    }
    victims.insert(victim)
    relink(victim, under: ItemTable.recovered)
  }

  /// Takes `item` out of its list; the victim of a cycle that it was in goes back to its parent.
  private mutating func takeOut(_ item: UInt32) {
    // Only a cycle that was cut can be opened.
    let opened = victims.isEmpty || items[item].parent == ItemTable.none ? [] : cycle(through: item)
    unlink(item)
    for member in opened where victims.contains(member) && member != item {
      victims.remove(member)
      relink(member, under: items[member].parent)
    }
    if !victims.isEmpty { victims.remove(item) }
  }

  /// Takes the place of `item` away, as if it had never been written.
  mutating func unplace(_ item: UInt32) {
    takeOut(item)
    items[item].parent = ItemTable.none
    items[item].effective = ItemTable.none
    items[item].place = 0
  }

  /// Enters an existing item in the list of its effective parent.
  mutating func link(_ item: UInt32) {
    let parent = items[item].effective
    guard parent != ItemTable.none, items[item].create != 0 else { return }
    order.insert(item, under: parent, shown: !items[item].isDead, items)
  }

  private mutating func unlink(_ item: UInt32) {
    order.remove(item, shown: !items[item].isDead)
  }

  private mutating func relink(_ item: UInt32, under parent: UInt32) {
    unlink(item)
    items[item].effective = parent
    link(item)
  }

  /// Whether `item` is `ancestor` or below it, by effective parents.
  func isInside(_ item: UInt32, _ ancestor: UInt32) -> Bool {
    var at = item
    while at != ItemTable.none && at != ItemTable.root && at != ItemTable.recovered {
      if at == ancestor { return true }
      at = items[at].effective
    }
    return at == ancestor
  }
}
