// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What one author had seen: the highest seq by session ordinal; beyond the end 0.
struct SeenContext: Hashable, Sendable {
  private(set) var seqs: ContiguousArray<UInt32> = []

  func contains(session: UInt32, seq: UInt32) -> Bool {
    Int(session) < seqs.count && seqs[Int(session)] >= seq
  }

  subscript(session: UInt32) -> UInt32 { Int(session) < seqs.count ? seqs[Int(session)] : 0 }

  /// Returns whether it grew.
  mutating func raise(session: UInt32, to seq: UInt32) -> Bool {
    let at = Int(session)
    if at >= seqs.count {
      seqs.append(contentsOf: repeatElement(0, count: at + 1 - seqs.count))
    }
    guard seqs[at] < seq else { return false }
    seqs[at] = seq
    return true
  }
}

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
  }

  private(set) var rows: ContiguousArray<Row> = []
  private var ordinals: [SessionID: UInt32] = [:]
  /// Opened sessions, predecessors before their successors.
  private(set) var arrival: ContiguousArray<UInt32> = []

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
    rows[Int(session)].head = head
    arrival.append(session)
    guard let tip = head.predecessor, let predecessor = ordinals[tip.session] else { return }
    rows[Int(session)].predecessor = predecessor
    let seq = UInt32(truncatingIfNeeded: tip.seq)
    rows[Int(predecessor)].continuedAt = max(rows[Int(predecessor)].continuedAt, seq)
  }

  /// Adds (session, seq) and all that the session continues to `context`.
  func raise(_ context: inout SeenContext, session: UInt32, to seq: UInt32) {
    var at = session
    var reached = seq
    while context.raise(session: at, to: reached) {
      guard let predecessor = rows[Int(at)].predecessor, let tip = rows[Int(at)].head?.predecessor
      else { return }
      (at, reached) = (predecessor, UInt32(truncatingIfNeeded: tip.seq))
    }
  }

  /// Completes `context` where it named a session before that session's head had come.
  func complete(_ context: inout SeenContext, opened session: UInt32) {
    guard context[session] > 0, let predecessor = rows[Int(session)].predecessor,
      let tip = rows[Int(session)].head?.predecessor
    else { return }
    raise(&context, session: predecessor, to: UInt32(truncatingIfNeeded: tip.seq))
  }

  /// Whether every change that `context` names is held.
  func holds(_ context: SeenContext) -> Bool {
    for (ordinal, seq) in context.seqs.enumerated() where rows[ordinal].tip < seq { return false }
    return true
  }
}
