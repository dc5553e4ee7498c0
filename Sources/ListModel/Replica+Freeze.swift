// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What makes room in memory: dead items become cold, and stamps that no cell bears any more are
/// forgotten. Both give out ordinals anew.
extension Replica {
  /// Moves dead items into the cold, each with the whole subtree that is buried under it, once every
  /// write to any of these is below the log floor.
  ///
  /// Nothing that viewers see changes. All chunks but the cold ones become dirty.
  /// - Parameter least: Fewer items are not worth the work.
  /// - Returns: How many items became cold; none while the log of a snapshot is awaited.
  /// - Complexity: O(cells).
  @discardableResult
  public mutating func freeze(atLeast least: Int) -> Int {
    guard lowerFloor == nil, passing.isEmpty, hasFloor else { return 0 }
    let subtrees = ripeSubtrees(isPastHeld: true)
    let count = subtrees.reduce(0) { $0 + $1.count }
    guard count > 0, count >= least else { return 0 }
    let before = cold.chunkCount
    var isLeaving = [Bool](repeating: false, count: items.count)
    for subtree in subtrees { for item in subtree { isLeaving[Int(item)] = true } }
    repack(without: isLeaving, adding: coldParts(of: subtrees))
    cleanChunks = min(cleanChunks, before)
    return count
  }

  /// Forgets stamps that no cell bears, once they are the greater part.
  /// - Parameter spared: So many are never worth the work.
  /// - Complexity: O(cells) if it does, so O(1) for each write since the last time.
  public mutating func forgetStamps(beyond spared: Int = 65_536) {
    guard lowerFloor == nil, passing.isEmpty, stamps.count > 2 * stampsKept + spared
    else { return }
    repack(without: [], adding: [])
  }

  /// Stamps in memory, those of overwritten cells too.
  public var stampCount: Int { stamps.count - 1 }

  // MARK: What is ripe

  /// Whole subtrees whose top is dead and that nobody can see: of no item in them is anything above
  /// the floor. Ascending by ordinal.
  /// - Parameter isPastHeld: Whether all that the authors of their deletes had seen must be held, as it
  ///   is when they leave; later some of it may be taken back.
  /// - Complexity: O(cells + items · depth).
  func ripeSubtrees(isPastHeld: Bool) -> [[UInt32]] {
    let stays = stayingItems(isPastHeld)
    var tops: [UInt32] = []
    var subtrees: [UInt32: [UInt32]] = [:]
    for item in 2..<UInt32(max(items.count, 2)) where !stays[Int(item)] {
      guard let top = top(of: item, stays) else { continue }
      if subtrees[top] == nil { tops.append(top) }
      subtrees[top, default: []].append(item)
    }
    return tops.compactMap { subtrees[$0] }
  }

  /// The highest dead item above `item`, itself included, that may leave.
  private func top(of item: UInt32, _ stays: [Bool]) -> UInt32? {
    var top: UInt32?
    var at = item
    // Above one that stays all stay, so this ends: of a cycle one is a victim.
    while at != ItemTable.none, at > ItemTable.recovered, !stays[Int(at)] {
      if items[at].isDead { top = at }
      at = items[at].parent
    }
    return top
  }

  /// Items that must not leave, and all that is above them as written.
  private func stayingItems(_ isPastHeld: Bool) -> [Bool] {
    var stays = [Bool](repeating: false, count: items.count)
    var canLeave: [LocalDot: Bool] = [:]
    for item in 2..<UInt32(max(items.count, 2)) where !isRipe(item, isPastHeld, &canLeave) {
      var at = item
      while at != ItemTable.none, at > ItemTable.recovered, !stays[Int(at)] {
        stays[Int(at)] = true
        at = items[at].parent
      }
    }
    return stays
  }

  private func isRipe(
    _ item: UInt32, _ isPastHeld: Bool, _ canLeave: inout [LocalDot: Bool]
  ) -> Bool {
    let row = items[item]
    guard row.create != 0, row.place != 0, isBelowFloor(row.create), isBelowFloor(row.place),
      row.life == 0 || isBelowFloor(row.life), !victims.contains(item)
    else { return false }
    if row.isDead {
      let dot = localDot(row.life)
      let isWhole =
        canLeave[dot]
        ?? (deleteContexts[dot].map { !isPastHeld || sessions.holds($0.seen) } == true)
      canLeave[dot] = isWhole
      if !isWhole { return false }
    } else if !isBuried(item) {
      return false
    }
    for field in fields.names.indices {
      let name = UInt32(field)
      let written = fields.stamp(name, item)
      if written != 0 && !isBelowFloor(written) { return false }
      for cell in counters.cells[CounterStore.Key(item: item, field: name)] ?? []
      where !isBelowFloor(LocalDot(session: cell.session, seq: cell.seq)) {
        return false
      }
    }
    return true
  }

  // MARK: Moving

  /// The items of one cold chunk to be.
  private struct ColdPart {
    let members: [UInt32]
    let isContinued: Bool
  }

  /// Fills chunks with whole subtrees; one that is larger than a chunk continues in the next.
  private func coldParts(of subtrees: [[UInt32]]) -> [ColdPart] {
    var out: [ColdPart] = []
    var open: [UInt32] = []
    let seenMax = ItemChunk.seenCountMax / max(sessions.rows.count, 1)
    let capacity = min(chunkCapacity, max(seenMax, 1))
    for subtree in subtrees {
      if !open.isEmpty, open.count + subtree.count > capacity {
        out.append(ColdPart(members: open, isContinued: false))
        open = []
      }
      open += subtree
      var start = 0
      while open.count - start > capacity {
        let members = Array(open[start..<start + capacity])
        out.append(ColdPart(members: members, isContinued: true))
        start += capacity
      }
      open.removeFirst(start)
    }
    if !open.isEmpty { out.append(ColdPart(members: open, isContinued: false)) }
    return out
  }

  /// Builds all columns anew, without the items that leave; the others keep their order.
  private mutating func repack(without isLeaving: [Bool], adding parts: [ColdPart]) {
    let kept = (2..<UInt32(max(items.count, 2))).filter {
      isLeaving.isEmpty || !isLeaving[Int($0)]
    }
    var fresh = Replica(chunkCapacity: chunkCapacity)
    fresh.sessions = sessions
    fresh.hasFloor = hasFloor
    fresh.deleteContexts = deleteContexts.mapValues { DeleteContext(seen: $0.seen, uses: 0) }
    fresh.items.reserve(kept.count)
    for item in kept { _ = fresh.items.ordinalMaking(items.id(item)) }
    fresh.cold = cold
    for part in parts {
      var chunk = coldChunk(of: part.members)
      chunk.isContinued = part.isContinued
      fresh.cold.append(chunk)
    }
    let held = vectorSeqs()
    let scope = JoinScope(mine: held, theirs: held, isSilent: true)
    var silent: [ReplicaEvent] = []
    for start in stride(from: 0, to: kept.count, by: chunkCapacity) {
      let members = kept[start..<min(start + chunkCapacity, kept.count)]
      do throws(ImageDefect) {
        try fresh.join(chunk(of: members), scope, &silent)
      } catch {
        preconditionFailure("own items cannot be joined: \(error)")
      }
    }
    for (list, revision) in revisions {
      if let list = fresh.items.ordinal(of: items.id(list)) { fresh.revisions[list] = revision }
    }
    fresh.revisionClock = revisionClock
    (fresh.early, fresh.earlyPruneAt, fresh.waiting) = (early, earlyPruneAt, waiting)
    (fresh.dirty, fresh.cleanChunks, fresh.layout) = (dirty, cleanChunks, layout + 1)
    fresh.stampsKept = fresh.stamps.count
    for dot in Array(fresh.deleteContexts.keys) { fresh.forgetDelete(dot) }
    self = fresh
  }
}
