// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The tree: effective parents, what is visible, what was deleted on purpose, what is Recovered.
extension Replica {
  /// The list above `item`, itself included; `nil` above no list (root, Recovered, no place).
  func listOrdinal(_ item: UInt32) -> UInt32? {
    var at = item
    while true {
      let parent = items.effective[Int(at)]
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
      if items.create[Int(at)] == 0 || items.isDead[Int(at)] { return false }
      at = items.effective[Int(at)]
    }
    return true
  }

  /// Whether whoever deleted the nearest dead ancestor, by the written chain, had seen the item
  /// there: its creation, its place and its life, and those of all items between.
  func isBuried(_ item: UInt32) -> Bool {
    var chain: [UInt32] = []
    var at = item
    while !items.isDead[Int(at)] {
      chain.append(at)
      at = items.parent[Int(at)]
      if at == ItemTable.none || at <= ItemTable.recovered || chain.count > items.count {
        return false
      }
      // A cycle never meets a dead item twice: leave when it closes.
      if chain.count > 64 && Set(chain).contains(at) { return false }
    }
    guard let context = deleteContexts[items.life[Int(at)]] else { return false }
    for between in chain {
      let rows = [
        items.create[Int(between)], items.place[Int(between)], items.life[Int(between)],
      ]
      for row in rows where row != 0 {
        if !context.contains(session: stamps.session(row), seq: stamps.seq(row)) { return false }
      }
    }
    return true
  }

  func status(_ item: UInt32) -> ItemStatus {
    if item == ItemTable.root { return .visible }
    guard items.create[Int(item)] != 0 else {
      return items.place[Int(item)] != 0 || items.life[Int(item)] != 0 ? .orphan : .unknown
    }
    if items.isDead[Int(item)] { return .hidden }
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
      let parent = items.effective[Int(item)]
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
  private func cycle(through item: UInt32) -> [UInt32] {
    var members: [UInt32] = []
    var at = item
    repeat {
      members.append(at)
      at = items.parent[Int(at)]
      if at == ItemTable.none || at <= ItemTable.recovered { return [] }
      // Only a cut cycle that `item` hangs under can hold the walk: its victim ends it.
      if victims.contains(at) && at != item && !reaches(from: at, item) { return [] }
    } while at != item
    return members
  }

  /// Whether the written chain from `start`, which lies on a cycle, comes by `item`.
  private func reaches(from start: UInt32, _ item: UInt32) -> Bool {
    var at = start
    repeat {
      if at == item { return true }
      at = items.parent[Int(at)]
      if at == ItemTable.none || at <= ItemTable.recovered { return false }
    } while at != start
    return false
  }

  /// Puts `item` under a newly written parent, cutting and mending cycles.
  ///
  /// The newest move of a cycle loses: its item shows in Recovered until a further move opens the
  /// cycle.
  mutating func replace(_ item: UInt32, parent: UInt32, key: PositionKey, stamp row: UInt32) {
    let opened = items.parent[Int(item)] == ItemTable.none ? [] : cycle(through: item)
    unlink(item)
    for member in opened where victims.contains(member) && member != item {
      victims.remove(member)
      relink(member, under: items.parent[Int(member)])
    }
    victims.remove(item)
    items.parent[Int(item)] = parent
    items.effective[Int(item)] = parent
    items.place[Int(item)] = row
    items.setKey(item, key)
    link(item)
    let closed = parent <= ItemTable.recovered ? [] : cycle(through: item)
    guard var victim = closed.first else { return }
    for member in closed
    where stamps.order(items.place[Int(victim)], items.place[Int(member)], sessions) < 0 {
      victim = member
    }
    victims.insert(victim)
    relink(victim, under: ItemTable.recovered)
  }

  /// Enters an existing item in the list of its effective parent.
  mutating func link(_ item: UInt32) {
    let parent = items.effective[Int(item)]
    guard parent != ItemTable.none, items.create[Int(item)] != 0 else { return }
    order.insert(item, under: parent, shown: !items.isDead[Int(item)], items)
  }

  private mutating func unlink(_ item: UInt32) {
    order.remove(item, shown: !items.isDead[Int(item)])
  }

  private mutating func relink(_ item: UInt32, under parent: UInt32) {
    unlink(item)
    items.effective[Int(item)] = parent
    link(item)
  }

  /// Whether `item` is `ancestor` or below it, by effective parents.
  func isInside(_ item: UInt32, _ ancestor: UInt32) -> Bool {
    var at = item
    while at != ItemTable.none && at != ItemTable.root && at != ItemTable.recovered {
      if at == ancestor { return true }
      at = items.effective[Int(at)]
    }
    return at == ancestor
  }
}
