// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// Gathers what must reach the disk, one batch under way at a time.
///
/// While a batch is being written everything new gathers in the next one, so the number of syncs
/// follows the disk and not the number of edits; on an idle disk a batch leaves at once.
struct GroupCommit: Sendable {
  /// What to do once the batch that holds it is on disk.
  enum Step: Hashable, Sendable {
    case edited(token: UInt64, EditReceipt)
    case amended(token: UInt64)
    case inviteSpent(PairingCode)
    case memberAdded(PairingCode)
    case joined
    /// A snapshot is in: tell everybody all that is held.
    case snapshotJoined
    /// All of a snapshot that is to leave on this link is on disk.
    case snapshotKept(LinkID)
    /// All that was held when a removal was asked for is on disk: it may be signed.
    case removal(token: UInt64, DeviceID)
    /// What lay beyond a cutoff is out of log and checkpoint.
    case cutBack
  }

  private struct Load: Sendable {
    var batch = Batch()
    var steps: [Step] = []
    /// Lowest seq per session in `batch`.
    var firsts: [SessionID: UInt64] = [:]
    var vector = VersionVector()
  }

  /// A batch that came through.
  struct Done: Sendable {
    let batch: Batch
    let steps: [Step]
    /// All that is on disk now.
    let vector: VersionVector
  }

  private var open = Load()
  private var underWay: (load: Load, token: BatchToken)?
  private var lastToken: UInt64 = 0
  /// Set after a failure: the batch is tried again then, and no edit is taken before.
  private(set) var retryAt: Moment?

  var hasFailed: Bool { retryAt != nil }

  // MARK: Inputs

  mutating func add(_ change: LoggedChange) {
    if open.firsts[change.dot.session] == nil {
      open.firsts[change.dot.session] = change.dot.seq
    }
    open.batch.changes.append(change)
  }

  /// Changes the batch that gathers.
  mutating func add(_ body: (inout Batch) -> Void) { body(&open.batch) }

  /// The changes of `line` behind `point` are on disk under `name` once the open batch is.
  mutating func split(_ line: SessionID, beyond point: UInt64, as name: SessionID) {
    open.firsts[name] = point + 1
    open.batch.splits.append(LogSplit(line: line, point: point, name: name))
  }

  mutating func then(_ step: Step) { open.steps.append(step) }

  /// Starts a batch if there is something to write and nothing under way.
  /// - Returns: Whether it did.
  mutating func flush(
    clock: UInt64, own: Tip?, ages: AgeBook?, vector: () -> VersionVector,
    into effects: inout [Effect]
  ) -> Bool {
    guard underWay == nil, retryAt == nil, !open.batch.isEmpty || !open.steps.isEmpty
    else { return false }
    open.batch.ages = ages ?? open.batch.ages
    open.batch.clock = clock
    open.batch.own = own
    open.vector = vector()
    send(open, into: &effects)
    open = Load()
    return true
  }

  /// `nil` for a token that is not under way.
  mutating func persisted(_ token: BatchToken) -> Done? {
    guard let (load, expected) = underWay, expected == token else { return nil }
    underWay = nil
    return Done(batch: load.batch, steps: load.steps, vector: load.vector)
  }

  /// Keeps the batch for another try.
  /// - Returns: The edits that were in it: they are refused.
  mutating func failed(_ token: BatchToken, retryAt: Moment) -> [UInt64] {
    guard let (load, expected) = underWay, expected == token else { return [] }
    underWay = nil
    var refused: [UInt64] = []
    for step in load.steps + open.steps {
      if case .edited(let token, _) = step { refused.append(token) }
    }
    let later = open
    open = load
    open.steps = (load.steps + later.steps).filter {
      if case .edited = $0 { false } else { true }
    }
    open.batch.append(later.batch)
    open.firsts.merge(later.firsts) { first, _ in first }
    self.retryAt = retryAt
    return refused
  }

  /// Tries the failed batch again when its time has come.
  mutating func retry(at now: Moment) {
    if let at = retryAt, at <= now { retryAt = nil }
  }

  // MARK: Queries

  /// Whether nothing waits for the disk.
  var isIdle: Bool { underWay == nil && open.batch.isEmpty && open.steps.isEmpty }

  /// Whether `dot` waits for the disk. While a snapshot does, anything may be in that only.
  func isPending(_ dot: Dot) -> Bool {
    if open.steps.contains(.snapshotJoined) { return true }
    if underWay?.load.steps.contains(.snapshotJoined) == true { return true }
    return firstPending(of: dot.session).map { $0 <= dot.seq } ?? false
  }

  /// The lowest seq of `session` that waits for the disk.
  func firstPending(of session: SessionID) -> UInt64? {
    underWay?.load.firsts[session] ?? open.firsts[session]
  }

  private mutating func send(_ load: Load, into effects: inout [Effect]) {
    lastToken += 1
    let token = BatchToken(lastToken)
    underWay = (load, token)
    effects.append(.persist(load.batch, token))
  }
}

extension Batch {
  /// Puts `later` behind this batch.
  mutating func append(_ later: Batch) {
    changes += later.changes
    (clock, own) = (max(clock, later.clock), later.own ?? own)
    rosterRecords += later.rosterRecords
    peers = peers.filter { row in !later.peers.contains { $0.device == row.device } } + later.peers
    spentInvites += later.spentInvites
    splits += later.splits
    cuts += later.cuts
    if let newer = later.checkpoint { put(newer) }
    floor += later.floor
    journal += later.journal
    kept += later.kept
    ages = later.ages ?? ages
    replacesSpace = replacesSpace || later.replacesSpace
  }

  /// Takes a newer checkpoint; chunks of one that waits already stay, unless written again.
  mutating func put(_ newer: Checkpoint) {
    guard let checkpoint else {
      self.checkpoint = newer
      return
    }
    let numbers = newer.chunks.map(\.number)
    let kept = checkpoint.chunks.filter {
      $0.number < newer.chunkCount && !numbers.contains($0.number)
    }
    self.checkpoint = Checkpoint(
      header: newer.header, chunks: (kept + newer.chunks).sorted { $0.number < $1.number },
      chunkCount: newer.chunkCount)
    self.checkpoint?.standsForLog = newer.standsForLog
  }
}
