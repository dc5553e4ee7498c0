// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// All sessions that were met, by dense ordinals in order of first mention.
///
/// A session that only a `seen` entry names has a row without a head and tip 0.
struct SessionTable: Sendable {
  struct Row: Sendable {
    let id: SessionID
    var head: SessionHead?
    /// Ordinal of the session that this one continues.
    var predecessor: UInt32?
    /// Seq of the last change held; 0 for none.
    var tip: UInt32 = 0
    var tipHash = ChangeHash.zero
    var tipH: UInt64 = 0
    /// Changes up to this seq have left the log; their effect is in the checkpoint.
    var floor: UInt32 = 0
    /// Hash and `h` of the change at `floor`.
    var floorHash = ChangeHash.zero
    var floorH: UInt64 = 0
    /// What the author had seen at `tip`, own chain included.
    var context = SeenContext()
    /// The last seq at which another session continues this one; 0 for none.
    var continuedAt: UInt32 = 0
    /// Whether `context` named changes that were not held when `tip` was folded.
    var isEarly = false
    /// Set for the branch of a forked session.
    var branch: Branch?
    /// The newest changes in short.
    var trail = Trail()

    /// First eight bytes of the hash of a change, where they are in memory.
    func hash(at seq: UInt32) -> UInt64? {
      if seq == tip && seq > 0 { return tipHash.a }
      return branch?.hash(at: seq) ?? trail.hash(at: seq)
    }

    /// All changes behind this one have their hashes in memory.
    var hashBase: UInt32 { branch?.base ?? trail.base }

    /// The hashes of all changes behind `seq`, which is not before `hashBase`.
    func hashes(behind seq: UInt32) -> ArraySlice<UInt64> {
      Array(branch?.hashes ?? trail.hashes).dropFirst(Int(seq - hashBase))
    }

    /// Notes the hash of the next change.
    mutating func extend(_ hash: UInt64) {
      if branch == nil { return trail.append(hash) }
      branch?.hashes.append(hash)
      trail.trim()
    }
  }

  /// One of several continuations of a session: it begins behind `base`.
  struct Branch: Hashable, Sendable {
    /// Row of the session itself, which holds what all branches share.
    let origin: UInt32
    let base: UInt32
    /// First eight bytes of the hash of each change, from `base` + 1 on.
    var hashes: ContiguousArray<UInt64>

    func hash(at seq: UInt32) -> UInt64? {
      seq > base && Int(seq - base) <= hashes.count ? hashes[Int(seq - base) - 1] : nil
    }
  }

  private(set) var rows: ContiguousArray<Row> = []
  private var ordinals: [SessionID: UInt32] = [:]
  /// Opened sessions, predecessors before their successors.
  private(set) var arrival: ContiguousArray<UInt32> = []
  /// Rows of the branches of each forked session.
  private(set) var branches: [UInt32: [UInt32]] = [:]

  subscript(ordinal: UInt32) -> Row {
    get { rows[Int(ordinal)] }
    _modify { yield &rows[Int(ordinal)] }
  }

  func ordinal(of id: SessionID) -> UInt32? { ordinals[id] }

  mutating func ordinalMaking(_ id: SessionID) -> UInt32 {
    if let known = ordinals[id] { return known }
    let made = UInt32(rows.count)
    rows.append(Row(id: id))
    ordinals[id] = made
    return made
  }

  /// Gives `session` its head. The predecessor must be open.
  mutating func open(_ session: UInt32, head: SessionHead) {
    trimTrails()
    rows[Int(session)].head = head
    arrival.append(session)
    guard let tip = head.predecessor, let named = ordinals[tip.session] else { return }
    let seq = UInt32(truncatingIfNeeded: tip.seq)
    let predecessor = line(named, seq) { $0 == tip.hash.a } ?? named
    rows[Int(session)].predecessor = predecessor
    rows[Int(predecessor)].continuedAt = max(rows[Int(predecessor)].continuedAt, seq)
  }

  /// Forgets the oldest trails where all together have grown too long.
  private mutating func trimTrails() {
    var count = rows.reduce(0) { $0 + $1.trail.hashes.count }
    for line in arrival where count > Trail.totalMax {
      count -= rows[Int(line)].trail.hashes.count
      rows[Int(line)].trail.drop(through: rows[Int(line)].tip)
    }
  }

  /// Makes `session` a branch, placed right behind `parent` in the arrival. `linkTree` must follow.
  mutating func openBranch(
    _ session: UInt32, _ branch: Branch, head: SessionHead, behind parent: UInt32
  ) {
    rows[Int(session)].branch = branch
    rows[Int(session)].head = head
    rows[Int(session)].predecessor =
      branch.base == 0 ? rows[Int(branch.origin)].predecessor : parent
    branches[branch.origin, default: []].append(session)
    let at = arrival.firstIndex(of: parent).map { $0 + 1 } ?? arrival.count
    arrival.insert(session, at: at)
  }

  /// The head under which a branch is held: that of its session, continuing the tip of `parent`.
  func branchHead(_ origin: UInt32, behind parent: UInt32) -> SessionHead? {
    guard let head = rows[Int(origin)].head else { return nil }
    let fork = rows[Int(parent)]
    if fork.tip == 0 { return head }
    return SessionHead(
      device: head.device, salt: head.salt,
      predecessor: Tip(
        session: rows[Int(origin)].id, seq: UInt64(fork.tip), hash: fork.tipHash))
  }

  /// Forgets all of a row but its name: nothing of it is held any more. `linkAll` must follow.
  mutating func close(_ session: UInt32) {
    if let origin = rows[Int(session)].branch?.origin {
      branches[origin]?.removeAll { $0 == session }
      if branches[origin] == [] { branches[origin] = nil }
    }
    rows[Int(session)] = Row(id: rows[Int(session)].id)
    arrival.removeAll { $0 == session }
  }

  /// Finds anew how far each row is continued.
  mutating func linkAll() {
    for row in rows.indices { rows[row].continuedAt = 0 }
    for row in rows.indices {
      guard let before = rows[row].predecessor, let tip = rows[row].head?.predecessor
      else { continue }
      let seq = UInt32(truncatingIfNeeded: tip.seq)
      rows[Int(before)].continuedAt = max(rows[Int(before)].continuedAt, seq)
    }
    for origin in branches.keys.sorted() { linkTree(of: origin) }
  }

  /// Finds anew which rows the successors of a forked session continue.
  mutating func linkTree(of origin: UInt32) {
    for line in lines(of: origin) { rows[Int(line)].continuedAt = 0 }
    for row in rows.indices {
      guard let tip = rows[row].head?.predecessor, let named = ordinals[tip.session],
        self.origin(of: named) == origin
      else { continue }
      let seq = UInt32(truncatingIfNeeded: tip.seq)
      let found = line(named, seq) { $0 == tip.hash.a }
      rows[row].predecessor = found ?? origin
      if let found {
        rows[Int(found)].continuedAt = max(rows[Int(found)].continuedAt, seq)
      }
    }
  }

  /// The row of a session and those of its branches.
  func lines(of origin: UInt32) -> [UInt32] {
    var lines = [origin]
    if let branches = branches[origin] { lines += branches }
    return lines
  }

  /// The row of the session that `line` is a branch of, or is itself.
  func origin(of line: UInt32) -> UInt32 { rows[Int(line)].branch?.origin ?? line }

  /// The row, among a session and its branches, that holds the change `seq` of that hash; `nil` if
  /// none is known to.
  ///
  /// Where the trail of what all share does not reach, any hash is taken for the one held.
  /// - Parameter matches: Given the first eight bytes of a hash.
  func line(_ named: UInt32, _ seq: UInt32, matches: (UInt64) -> Bool) -> UInt32? {
    let origin = origin(of: named)
    let row = rows[Int(origin)]
    if seq <= row.tip { return row.hash(at: seq).map(matches) ?? true ? origin : nil }
    if branches.isEmpty { return nil }
    for line in branches[origin] ?? [] {
      if let hash = rows[Int(line)].branch?.hash(at: seq), matches(hash) { return line }
    }
    return nil
  }

  /// Whether branches begin behind the tip of `line`: then it grows no more.
  func isFrozen(_ line: UInt32) -> Bool {
    guard !branches.isEmpty, let lines = branches[origin(of: line)] else { return false }
    let tip = rows[Int(line)].tip
    return lines.contains { other in
      guard let branch = rows[Int(other)].branch, branch.base == tip else { return false }
      return rows[Int(other)].predecessor == line || (tip == 0 && branch.origin == line)
    }
  }

  /// Adds (session, seq) and all that the session continues to `context`.
  /// - Parameter mark: The first four bytes of the hash of that change.
  func raise(_ context: inout SeenContext, session: UInt32, to seq: UInt32, mark: UInt32) {
    var at = session
    var (reached, seen) = (seq, mark)
    while context.raise(session: at, to: reached, mark: seen) {
      if !branches.isEmpty { settle(&context, at, reached, seen) }
      guard let predecessor = rows[Int(at)].predecessor, let tip = rows[Int(at)].head?.predecessor
      else { return }
      at = predecessor
      (reached, seen) = (UInt32(truncatingIfNeeded: tip.seq), tip.hash.prefix32)
    }
  }

  /// An author who knew of no fork named (session, seq): adds the branch that it had seen.
  private func settle(
    _ context: inout SeenContext, _ session: UInt32, _ seq: UInt32, _ mark: UInt32
  ) {
    guard seq > rows[Int(session)].tip || rows[Int(session)].branch != nil,
      let found = line(session, seq, matches: { UInt32(truncatingIfNeeded: $0 >> 32) == mark }),
      found != session
    else { return }
    // Rows between may be younger than what the context has of `found`: no stop where it grows not.
    var (at, reached, seen) = (found, seq, mark)
    while let branch = rows[Int(at)].branch {
      _ = context.raise(session: at, to: reached, mark: seen)
      guard branch.base > 0, let parent = rows[Int(at)].predecessor else { return }
      (at, reached, seen) = (parent, branch.base, rows[Int(parent)].tipHash.prefix32)
    }
  }

  /// Adds to `context` the branches of `origin` that it names by what they share.
  func settle(_ context: inout SeenContext, origin: UInt32) {
    for line in lines(of: origin) where context[line] > rows[Int(line)].tip {
      settle(&context, line, context[line], context.mark(line))
    }
  }

  /// Completes `context` where it named a session before that session's head had come.
  func complete(_ context: inout SeenContext, opened session: UInt32) {
    guard context[session] > 0, let predecessor = rows[Int(session)].predecessor,
      let tip = rows[Int(session)].head?.predecessor
    else { return }
    raise(
      &context, session: predecessor, to: UInt32(truncatingIfNeeded: tip.seq),
      mark: tip.hash.prefix32)
  }

  /// Whether every change that `context` names is held.
  func holds(_ context: SeenContext) -> Bool {
    var isHeld = true
    context.forEach { session, entry in
      let seq = UInt32(truncatingIfNeeded: entry >> 32)
      guard isHeld, rows[Int(session)].tip < seq else { return }
      let mark = UInt32(truncatingIfNeeded: entry)
      isHeld = line(session, seq) { UInt32(truncatingIfNeeded: $0 >> 32) == mark } != nil
    }
    return isHeld
  }
}
