// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Cold items (`core.md` 6.2): dead for long, with all that was deleted with them. No item in the
/// columns has a cold one above it, as written; so no walk meets them, and nothing that viewers see
/// depends on them. Whatever names one of them brings its chunk back first.
extension Replica {
  // MARK: Asking

  /// Whether `id` is cold: it exists and is hidden, and its cells cannot be asked for before `thaw`.
  public func isCold(_ id: ItemID) -> Bool { cold.itemCount > 0 && cold.number(of: id) != nil }

  /// How many items are cold.
  public var coldItemCount: Int { cold.itemCount }

  /// What the cold items take in memory.
  public var coldByteCount: Int { cold.byteCount }

  /// All cold items, in no order that means anything.
  /// - Complexity: O(cold cells).
  public var coldItems: [ItemID] { (0..<cold.chunkCount).flatMap { cold.chunk($0).ids } }

  /// This replica with nothing cold in it, for whoever looks through all that was ever deleted.
  /// - Complexity: O(cells) if something is cold.
  public var thawed: Replica {
    if cold.itemCount == 0 { return self }
    var out = self
    for number in 0..<out.cold.chunkCount { out.thaw(chunk: number) }
    return out
  }

  // MARK: Thawing

  /// Brings back whichever of `ids` are cold, each with its chunk. Nothing that viewers see changes.
  /// - Complexity: O(ids · log cold items + cells of the chunks).
  public mutating func thaw(_ ids: some Sequence<ItemID>) {
    for id in ids { thaw(id) }
  }

  /// Cold chunks are kept in the bytes that `packing` gives them from now on.
  public mutating func pack(with packing: any ChunkPacking) { cold.pack(with: packing) }

  mutating func thaw(_ id: ItemID) {
    guard cold.itemCount > 0, let number = cold.number(of: id) else { return }
    thaw(chunk: number)
  }

  /// The ordinal of `id`, which is brought back if it is cold.
  mutating func ordinalMaking(_ id: ItemID) -> UInt32 {
    if cold.itemCount == 0 { return items.ordinalMaking(id) }
    if let known = items.ordinal(of: id) { return known }
    thaw(id)
    return items.ordinalMaking(id)
  }

  private mutating func thaw(chunk number: Int) {
    let (numbers, chunks) = cold.take(number)
    for number in numbers { dirty.insert(number) }
    // What was hidden stays so, and nothing that shows changes.
    let recovered = recoveredCache
    do throws(ImageDefect) {
      try warm(chunks)
    } catch {
      preconditionFailure("cold chunk \(number) cannot be joined: \(error)")
    }
    recoveredCache = recovered
    for chunk in chunks {
      for id in chunk.ids { items.ordinal(of: id).map { markDirty($0) } }
    }
  }

  /// Puts chunks whose items are not here into the columns.
  mutating func warm(_ chunks: [ItemChunk]) throws(ImageDefect) {
    for chunk in chunks {
      for id in chunk.ids { _ = items.ordinalMaking(id) }
    }
    for chunk in chunks { try joinDeletes(of: chunk) }
    let held = vectorSeqs()
    let scope = JoinScope(mine: held, theirs: held, isSilent: true)
    var silent: [ReplicaEvent] = []
    for chunk in chunks { try join(chunk, scope, &silent) }
  }

  // MARK: Joining

  /// The cold chunks of an image. Of a snapshot those stay cold of which nothing is known here; the
  /// others are joined like any chunk.
  /// - Returns: The chunks that are still to be joined.
  mutating func adoptCold(
    _ next: () throws(ImageDefect) -> ItemChunk?, isSilent: Bool
  ) throws(ImageDefect) -> [ItemChunk] {
    var rest: [ItemChunk] = []
    let before = cold.chunkCount
    while let first = try next() {
      if first.ids.isEmpty && !first.isContinued {
        if isSilent { cold.append(first) }
        continue
      }
      var group = [first]
      while group[group.count - 1].isContinued {
        guard let more = try next() else { throw .shape }
        group.append(more)
      }
      guard group.allSatisfy({ (1...ItemChunk.itemCountMax).contains($0.ids.count) })
      else { throw .shape }
      if let own = cold.number(of: first.ids[0]), cold.group(own) == group { continue }
      if try staysCold(group) {
        for chunk in group { cold.append(chunk) }
      } else if isSilent {
        throw .value
      } else {
        rest += group
      }
    }
    if cold.chunkCount > before { cleanChunks = min(cleanChunks, before) }
    return rest
  }

  /// The floor of a session, or the lower one to which it may sink once the log of a snapshot is here.
  private func lowestFloor(_ session: UInt32) -> UInt32 {
    let floor = sessions[session].floor
    guard let lower = lowerFloor else { return floor }
    return min(floor, Int(session) < lower.marks.count ? lower.marks[Int(session)].seq : 0)
  }

  /// Whether this replica would freeze these items as well, and knows nothing of them.
  private func staysCold(_ group: [ItemChunk]) throws(ImageDefect) -> Bool {
    var count = 0
    for chunk in group {
      count += chunk.ids.count
      for id in chunk.ids {
        guard !id.isReserved else { throw .value }
        if items.ordinal(of: id) != nil || isCold(id) { return false }
      }
      guard chunk.floorCells.isEmpty, chunk.floorCounters.isEmpty else { return false }
      // Whatever a session names must stay known, whoever is removed.
      for stamp in chunk.stamps {
        guard Int(stamp.session) < chunk.sessions.count else { throw .shape }
        let session = sessions.ordinal(of: chunk.sessions[Int(stamp.session)])
        if stamp.seq > session.map({ UInt64(lowestFloor($0)) }) ?? 0 { return false }
      }
    }
    var alone = Replica(chunkCapacity: chunkCapacity)
    alone.sessions = sessions
    for ordinal in sessions.rows.indices {
      alone.sessions[UInt32(ordinal)].floor = lowestFloor(UInt32(ordinal))
    }
    alone.hasFloor = hasFloor
    try alone.warm(group)
    let ripe = alone.ripeSubtrees(isPastHeld: false)
    return ripe.reduce(0) { $0 + $1.count } == count
  }
}
