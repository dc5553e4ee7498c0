// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

extension Replica {
  /// Stops the process if an invariant of the structure is broken: for tests and checked builds.
  ///
  /// Looks at what is cold, at order and counts of every list, at effective parents against a recomputation from the
  /// written ones, and at the version vector.
  /// - Complexity: O(items · depth).
  public func checkInvariants() {
    order.check(items)
    let cut = victimsFromScratch()
    precondition(cut == victims, "victims \(victims.count), from scratch \(cut.count)")
    for item in 2..<UInt32(max(items.count, 2)) {
      precondition(!isCold(items.id(item)), "in the columns and cold: \(items.id(item))")
      let expected = cut.contains(item) ? ItemTable.recovered : items[item].parent
      precondition(items[item].effective == expected, "effective parent of \(items.id(item))")
      let isListed = items[item].create != 0 && items[item].place != 0
      precondition(order.contains(item) == isListed, "listing of \(items.id(item))")
      precondition(!items[item].isDead || items[item].life != 0, "life of a dead item")
      let written =
        [items[item].create, items[item].place, items[item].life]
        + fields.names.indices.map { fields.stamp(UInt32($0), item) }
      for row in written where row != 0 {
        precondition(stamps.seq(row) <= sessions[stamps.session(row)].tip, "held by nobody")
      }
    }
    for (key, cells) in counters.cells {
      for cell in cells {
        precondition(cell.seq <= sessions[cell.session].tip, "added: \(items.id(key.item))")
      }
    }
    for (item, entries) in floorTable.entries {
      for entry in entries {
        let cell = FloorTable.Cell(item: item, name: entry.name)
        precondition(isBelowFloor(entry.row), "held above the floor: \(items.id(item))")
        precondition(!isBelowFloor(shownRow(cell)), "held and shown: \(items.id(item))")
      }
    }
    for (key, cells) in floorTable.counters.cells {
      for cell in cells {
        let shown = counters.cell(key, session: cell.session)
        let floor = sessions[cell.session].floor
        precondition(cell.seq <= floor, "added above the floor: \(items.id(key.item))")
        precondition(shown.map { $0.seq > floor } ?? false, "added: \(items.id(key.item))")
      }
    }
    for row in sessions.rows {
      let hashes = row.hashes(behind: row.hashBase)
      precondition(row.hashBase + UInt32(hashes.count) == row.tip, "hashes short of the tip")
      precondition(row.trail.adds.allSatisfy { $0.seq > row.trail.base }, "an add before its trail")
    }
    for item in 2..<UInt32(max(items.count, 2)) where items[item].isDead {
      let dot = localDot(items[item].life)
      precondition(deleteContexts[dot] != nil, "what was seen by \(dot)")
    }
    for row in sessions.rows where row.tip > 0 {
      precondition(row.floor <= row.tip, "a floor above the tip")
      precondition(row.head != nil, "a tip without a head")
      precondition(row.context.contains(session: sessions.ordinal(of: row.id)!, seq: row.tip))
    }
  }

  /// The newest move of every cycle, read from the written parents alone.
  private func victimsFromScratch() -> Set<UInt32> {
    var out: Set<UInt32> = []
    var colour = [UInt8](repeating: 0, count: items.count)  // 1 on this walk, 2 done
    for start in 2..<UInt32(max(items.count, 2)) {
      var path: [UInt32] = []
      var at = start
      while at != ItemTable.none && at > ItemTable.recovered && colour[Int(at)] == 0 {
        colour[Int(at)] = 1
        path.append(at)
        at = items[at].parent
      }
      if at != ItemTable.none && at > ItemTable.recovered && colour[Int(at)] == 1,
        let first = path.firstIndex(of: at)
      {
        var victim = at
        for member in path[first...]
        where stamps.order(items[victim].place, items[member].place, sessions) < 0 {
          victim = member
        }
        out.insert(victim)
      }
      for member in path { colour[Int(member)] = 2 }
    }
    return out
  }
}
