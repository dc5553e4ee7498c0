// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// All lists of one space as one agent knows them: the fold of the changes it holds.
///
/// A pure value: no clock, no randomness, no I/O. Folding is a join per cell, so the order of
/// sessions, repetition and batching do not matter, and two replicas with equal version vectors show
/// the same (`core.md` 6). Changes of one session must come without holes.
///
/// Columns and dense ordinals inside; ids at the surface. Ordinals never decide anything.
public struct Replica: Sendable {
  var items = ItemTable()
  var fields = FieldStore()
  var sessions = SessionTable()
  var stamps = StampTable()
  var order = OrderIndex()
  var counters = CounterStore()
  /// Items whose effective parent is Recovered because their cycle was cut (`core.md` 4.1).
  var victims: Set<UInt32> = []
  /// What the authors of deletes had seen, one entry a change, while it is the winner somewhere.
  var deleteContexts: [LocalDot: DeleteContext] = [:]
  /// What cells held at the floor, where they show a later write.
  var floorTable = FloorTable()
  /// Whether anything has left the log: before that no write needs to look at the floor.
  var hasFloor = false
  /// The lower floor that holds once the log of a snapshot is here.
  var lowerFloor: LowerFloor?
  /// What authors had seen, for changes folded before all of it was here (`core.md` 5.2).
  var early: [LocalDot: SeenContext] = [:]
  var earlyPruneAt = 64
  /// Changes with ops of kinds that this version does not know.
  var waiting: [LocalDot: WaitingChange] = [:]
  /// Changes that waited on one side of a join only, until `foldWaiting` lets them pass the floors.
  var passing: [LocalDot: WaitingChange] = [:]
  /// Dead items that left the columns, with what was deleted with them.
  var cold = ColdStore()
  /// Counts how often ordinals were given out anew.
  var layout = 0
  /// Rows of `stamps` when those that no cell bears were last forgotten.
  var stampsKept = 0
  /// Changed cells since the last `markClean`, by chunk number.
  var dirty = DirtyChunks()
  /// Items a chunk; always the same for one checkpoint.
  public let chunkCapacity: Int
  /// Chunks there were at the last `markClean`.
  var cleanChunks = 0
  var revisions: [UInt32: UInt64] = [:]
  var revisionClock: UInt64 = 0
  var recoveredCache: [UInt32]?
  var subtotals: [UInt32: Fingerprint] = [:]

  /// A change by the ordinal of its session.
  struct LocalDot: Hashable, Sendable {
    let session: UInt32
    let seq: UInt32
  }

  struct DeleteContext: Sendable {
    /// Shared by all deletes of the change; without the change itself.
    var seen: SeenContext
    /// How many life cells, shown or held at a floor, this change wrote. A delete that was overwritten
    /// is kept without any until it leaves the log.
    var uses: Int
  }

  /// The chunks of a checkpoint that must be written again.
  struct DirtyChunks: Sendable {
    private var flags: ContiguousArray<Bool> = []

    mutating func insert(_ number: Int) {
      if number >= flags.count {
        flags.append(contentsOf: repeatElement(false, count: number + 1 - flags.count))
      }
      flags[number] = true
    }

    mutating func removeAll() { flags.removeAll() }
    var numbers: [Int] { flags.indices.filter { flags[$0] } }
  }

  /// A replica that holds nothing.
  /// - Parameter chunkCapacity: Items in a chunk of its images, 1...`ItemChunk.itemCountMax`; the
  ///   same whenever a checkpoint of it is read and written again. Small ones are for tests.
  public init(chunkCapacity: Int = ItemChunk.itemCountMax) {
    precondition((1...ItemChunk.itemCountMax).contains(chunkCapacity), "\(chunkCapacity)")
    self.chunkCapacity = chunkCapacity
  }

  // MARK: Items

  /// Items that were ever created, dead and cold ones too.
  public var itemCount: Int { items.count - 2 + cold.itemCount }

  /// Every item that is known, dead ones too, but not those that are cold (`coldItems`); in no order
  /// that means anything.
  public var allItems: some Sequence<ItemID> {
    (2..<UInt32(max(items.count, 2))).lazy.map { [items] in items.id($0) }
  }

  /// Whether the creation of `id` was folded; the root exists.
  public func exists(_ id: ItemID) -> Bool {
    items.ordinal(of: id).map(items.exists) ?? isCold(id)
  }

  /// Whether `id` exists and was not deleted itself; says nothing about its ancestors.
  public func isAlive(_ id: ItemID) -> Bool {
    items.ordinal(of: id).map { items.exists($0) && !items[$0].isDead } ?? false
  }

  /// - Complexity: O(depth).
  public func status(of id: ItemID) -> ItemStatus {
    items.ordinal(of: id).map(status) ?? (isCold(id) ? .hidden : .unknown)
  }

  /// Children that are alive; grandchildren do not count.
  public func childCount(of parent: ItemID) -> Int {
    items.ordinal(of: parent).map(order.shownCount) ?? 0
  }

  /// The living child at `index`, from 0, in list order.
  /// - Complexity: O(log n + n/512).
  public func child(of parent: ItemID, at index: Int) -> ItemID? {
    guard let ordinal = items.ordinal(of: parent) else { return nil }
    return order.shownChild(ordinal, at: index, items).map(items.id)
  }

  /// How many living siblings stand before `id`; `nil` for an item that is in no list.
  /// - Complexity: O(log n + n/512).
  public func index(of id: ItemID) -> Int? {
    items.ordinal(of: id).flatMap { order.shownIndex($0, items) }
  }

  /// Calls `body` with the living children in order until it returns `false`.
  public func forEachChild(of parent: ItemID, _ body: (ItemID) -> Bool) {
    guard let ordinal = items.ordinal(of: parent) else { return }
    order.forEach(ordinal) { items[$0].isDead || body(items.id($0)) }
  }

  /// The living children in order.
  public func children(of parent: ItemID) -> [ItemID] {
    var out: [ItemID] = []
    out.reserveCapacity(childCount(of: parent))
    forEachChild(of: parent) {
      out.append($0)
      return true
    }
    return out
  }

  /// The deleted children, in list order; for whoever looks for something to restore.
  public func deadChildren(of parent: ItemID) -> [ItemID] {
    guard let ordinal = items.ordinal(of: parent) else { return [] }
    var out: [ItemID] = []
    order.forEach(ordinal) {
      if items[$0].isDead && items.exists($0) { out.append(items.id($0)) }
      return true
    }
    return out
  }

  /// The effective parent; `nil` for the root and for items without a place.
  public func parent(of id: ItemID) -> ItemID? {
    guard let ordinal = items.ordinal(of: id), ordinal != ItemTable.root else { return nil }
    let parent = items[ordinal].effective
    return parent == ItemTable.none ? nil : items.id(parent)
  }

  /// The list that `id` belongs to: its ancestor (or itself) directly under the root.
  public func list(of id: ItemID) -> ItemID? {
    items.ordinal(of: id).flatMap(listOrdinal).map(items.id)
  }

  /// The key of `id` among its siblings.
  public func position(of id: ItemID) -> PositionKey? {
    guard let ordinal = items.ordinal(of: id), items[ordinal].place != 0 else { return nil }
    return items.key(ordinal)
  }

  /// Living descendants of `id` at any depth, itself not counted.
  /// - Complexity: O(subtree).
  public func aliveDescendantCount(of id: ItemID) -> Int {
    var count = 0
    var open = [id]
    while let parent = open.popLast() {
      forEachChild(of: parent) {
        count += 1
        open.append($0)
        return true
      }
    }
    return count
  }

  // MARK: Cells

  /// What `field` of `id` holds; `nil` if it was never written.
  public func value(of id: ItemID, _ field: FieldName) -> Value? {
    guard let ordinal = items.ordinal(of: id), let name = fields.ordinal(of: field)
    else { return nil }
    return fields.value(name, ordinal)
  }

  /// The sum of all that was added to a counter; `nil` if nobody ever did.
  public func counterTotal(of id: ItemID, _ field: FieldName) -> Int64? {
    guard let ordinal = items.ordinal(of: id), let name = fields.ordinal(of: field)
    else { return nil }
    return counters.total(item: ordinal, field: name)
  }

  /// Names of the fields that `id` has, ascending.
  /// - Complexity: O(fields of the space).
  public func fields(of id: ItemID) -> [FieldName] {
    guard let ordinal = items.ordinal(of: id) else { return [] }
    var out: [FieldName] = []
    for (number, name) in fields.names.enumerated()
    where fields.stamp(UInt32(number), ordinal) != 0
      || counters.total(item: ordinal, field: UInt32(number)) != nil
    {
      out.append(name)
    }
    return out.sorted()
  }

  /// Who wrote `field` last.
  public func written(of id: ItemID, _ field: FieldName) -> Written? {
    guard let ordinal = items.ordinal(of: id), let name = fields.ordinal(of: field)
    else { return nil }
    return written(fields.stamp(name, ordinal))
  }

  /// Who created `id`.
  public func created(_ id: ItemID) -> Written? {
    items.ordinal(of: id).flatMap { written(items[$0].create) }
  }

  /// Who put `id` where it is.
  public func placed(_ id: ItemID) -> Written? {
    items.ordinal(of: id).flatMap { written(items[$0].place) }
  }

  /// Who deleted or restored `id` last.
  public func lifeWritten(_ id: ItemID) -> Written? {
    items.ordinal(of: id).flatMap { written(items[$0].life) }
  }

  /// The greatest write among the cells of `id`.
  public func lastWritten(of id: ItemID) -> Written? {
    guard let ordinal = items.ordinal(of: id) else { return nil }
    var best: UInt32 = 0
    let rows =
      [
        items[ordinal].create, items[ordinal].place, items[ordinal].life,
      ] + fields.names.indices.map { fields.stamp(UInt32($0), ordinal) }
    for row in rows where row != 0 && stamps.order(best, row, sessions) < 0 { best = row }
    return written(best)
  }

  func written(_ row: UInt32) -> Written? {
    guard row != 0, let head = sessions[stamps.session(row)].head else { return nil }
    return Written(
      device: head.device,
      dot: Dot(session: sessions[stamps.session(row)].id, seq: UInt64(stamps.seq(row))),
      h: stamps.h(row))
  }

  /// The full stamp of a field, for lossless export.
  public func stamp(of id: ItemID, _ field: FieldName) -> Stamp? {
    guard let ordinal = items.ordinal(of: id), let name = fields.ordinal(of: field)
    else { return nil }
    return stamp(fields.stamp(name, ordinal))
  }

  /// The full stamp of the place.
  public func placeStamp(of id: ItemID) -> Stamp? {
    items.ordinal(of: id).flatMap { stamp(items[$0].place) }
  }

  func stamp(_ row: UInt32) -> Stamp? {
    guard row != 0, let head = sessions[stamps.session(row)].head else { return nil }
    return Stamp(
      h: stamps.h(row), device: head.device, salt: head.salt, seq: UInt64(stamps.seq(row)),
      op: UInt32(stamps.ops[Int(row)]))
  }

  // MARK: Sessions and vector

  /// All tips that no other session implies.
  /// - Complexity: O(sessions).
  public var vector: VersionVector {
    var tips: [Tip] = []
    for row in sessions.rows where row.tip > 0 && row.continuedAt != row.tip {
      tips.append(Tip(session: row.id, seq: UInt64(row.tip), hash: row.tipHash))
    }
    return VersionVector(tips: tips)
  }

  /// The last change held of `session`.
  public func tip(of session: SessionID) -> Tip? {
    guard let ordinal = sessions.ordinal(of: session), sessions[ordinal].tip > 0 else { return nil }
    return Tip(
      session: session, seq: UInt64(sessions[ordinal].tip), hash: sessions[ordinal].tipHash)
  }

  /// Head of a session, `nil` if nothing of it is known.
  public func head(of session: SessionID) -> SessionHead? {
    sessions.ordinal(of: session).flatMap { sessions[$0].head }
  }

  /// Whether the change `dot` is held.
  public func covers(_ dot: Dot) -> Bool {
    sessions.ordinal(of: dot.session).map { UInt64(sessions[$0].tip) >= dot.seq } ?? false
  }

  /// What a holder of `vector` has of what this replica has. A tip on no branch that is known here
  /// counts as far as the branches are one.
  /// - Complexity: O(sessions).
  public func coverage(of vector: VersionVector) -> Coverage {
    var context = SeenContext()
    var isAhead = false
    for tip in vector.tips {
      guard let named = sessions.ordinal(of: tip.session), sessions[named].tip > 0 else {
        isAhead = true
        continue
      }
      let seq = UInt32(truncatingIfNeeded: min(tip.seq, UInt64(UInt32.max)))
      let line = sessions.line(named, seq) { $0 == tip.hash.a }
      if line == nil { isAhead = true }
      if line == nil, seq <= sessions[named].tip {
        // Another continuation of that line: common for certain is what came before it.
        if let tip = sessions[named].head?.predecessor, let before = sessions[named].predecessor {
          sessions.raise(
            &context, session: before, to: UInt32(truncatingIfNeeded: tip.seq),
            mark: tip.hash.prefix32)
        }
        continue
      }
      let (held, mark) =
        line == nil
        ? (min(seq, sessions[named].tip), sessions[named].tipHash.prefix32)
        : (seq, tip.hash.prefix32)
      sessions.raise(&context, session: line ?? named, to: held, mark: mark)
    }
    return Coverage(seqs: context.seqs, isAhead: isAhead)
  }

  /// What a holder of `coverage` lacks: ranges of sessions, predecessors first.
  /// - Complexity: O(sessions).
  public func missing(from coverage: Coverage) -> [SessionRange] {
    var out: [SessionRange] = []
    for ordinal in sessions.arrival {
      let row = sessions[ordinal]
      let held = max(coverage[Int(ordinal)], row.branch?.base ?? 0)
      if row.tip > held {
        out.append(SessionRange(session: row.id, first: UInt64(held) + 1, last: UInt64(row.tip)))
      }
    }
    return out
  }

  /// Whether a holder of `coverage` has everything that has left the log here; if not, it needs a
  /// snapshot.
  public func reachesFloor(_ coverage: Coverage) -> Bool {
    sessions.rows.enumerated().allSatisfy { $1.floor <= coverage[$0] }
  }

  /// Adds one change to what a peer is known to hold.
  public func note(_ dot: Dot, in coverage: inout Coverage) {
    guard let ordinal = sessions.ordinal(of: dot.session) else { return }
    let missing = Int(ordinal) + 1 - coverage.seqs.count
    if missing > 0 { coverage.seqs.append(contentsOf: repeatElement(0, count: missing)) }
    let seq = UInt32(truncatingIfNeeded: dot.seq)
    coverage.seqs[Int(ordinal)] = max(coverage.seqs[Int(ordinal)], seq)
  }

  /// Whether a holder of `coverage` has `dot`; for dots that this replica holds.
  public func contains(_ dot: Dot, _ coverage: Coverage) -> Bool {
    sessions.ordinal(of: dot.session).map { UInt64(coverage[Int($0)]) >= dot.seq } ?? false
  }

  /// The tips that moved since a session of this device wrote `seen`; all of them if it is `nil`.
  /// Ascending by session.
  public func seenEntries(since seen: VersionVector?) -> [SeenEntry] {
    vector.tips.compactMap { tip in
      if let old = seen?.tip(of: tip.session), old.seq == tip.seq { return nil }
      return SeenEntry(dot: tip.dot, hashPrefix: tip.hash.prefix32)
    }
  }

  /// Local revision of a list: rises with every effect in its subtree, unlike on any other machine.
  public func revision(ofList list: ItemID) -> UInt64 {
    items.ordinal(of: list).flatMap { revisions[$0] } ?? 0
  }
}
