// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Ops of kinds that this version does not know wait, with the bytes of their change, through
/// checkpoints and snapshots, until a version that knows them folds them (`core.md` 9).
extension Replica {
  /// What waits of one change.
  struct WaitingChange: Sendable {
    /// Body and signature, as they came.
    let bytes: [UInt8]
    /// Indexes of the ops, ascending.
    var ops: [UInt32]
    /// What the author had seen, without this change.
    var context: SeenContext
  }

  /// Ops of kinds that this version does not know, waiting for an upgrade.
  /// - Complexity: O(changes that wait).
  public var waitingOps: Int { waiting.values.reduce(0) { $0 + $1.ops.count } }

  /// The changes with waiting ops, predecessors first.
  var waitingDots: [LocalDot] { inOrder(waiting.keys) }

  private func inOrder(_ dots: Dictionary<LocalDot, WaitingChange>.Keys) -> [LocalDot] {
    var places: [UInt32: Int] = [:]
    for (place, session) in sessions.arrival.enumerated() { places[session] = place }
    return dots.sorted {
      (places[$0.session] ?? 0, $0.seq) < (places[$1.session] ?? 0, $1.seq)
    }
  }

  /// Folds those waiting ops that `decode` can read by now; the others go on waiting. Due at every
  /// start and after every `join`.
  ///
  /// An op may be folded here while its change is below the floor already, by a snapshot that carried
  /// it as it was; then it passes the floor at once. Where a snapshot has met ops that only one side
  /// had folded, and they cannot be read, the log of the snapshot is not awaited: what cells held is
  /// known at its vector, but not at the union of the floors.
  /// - Parameter decode: Reads the bytes of a change; `nil` if they are none.
  /// - Returns: How many ops were folded.
  /// - Complexity: O(changes that wait + cells written · log n).
  public mutating func foldWaiting(
    events: inout [ReplicaEvent], decode: (_ bytes: [UInt8]) -> Change?
  ) -> Int {
    var folded = 0
    for dot in waitingDots {
      guard var entry = waiting[dot], let change = change(dot, of: entry, decode) else { continue }
      var scope = Scope(
        session: dot.session, seq: dot.seq,
        dot: Dot(session: sessions[dot.session].id, seq: change.seq),
        device: sessions[dot.session].head?.device ?? .zero, context: entry.context,
        isEarly: false)
      var rest: [UInt32] = []
      for index in entry.ops {
        guard Int(index) < change.ops.count, !change.ops[Int(index)].isUnknown else {
          rest.append(index)
          continue
        }
        apply(change.ops[Int(index)], Int(index), change, &scope, &events)
        pass(change.ops[Int(index)], Int(index), of: change, dot)
        folded += 1
      }
      entry.ops = rest
      waiting[dot] = rest.isEmpty ? nil : entry
      sessions[dot.session].trail.trim()
      forgetDelete(dot)
    }
    passLate(decode)
    return folded
  }

  /// The change that waits under `dot`; `nil` where the bytes, which may be a liar's, are none or those
  /// of another one.
  private func change(
    _ dot: LocalDot, of entry: WaitingChange, _ decode: (_ bytes: [UInt8]) -> Change?
  ) -> Change? {
    guard let change = decode(entry.bytes), change.defect == nil,
      change.session == sessions[sessions.origin(of: dot.session)].id,
      change.seq == UInt64(dot.seq)
    else { return nil }
    return change
  }

  /// Ops that one side of a join had folded and the other had not pass the floors of both.
  private mutating func passLate(_ decode: (_ bytes: [UInt8]) -> Change?) {
    guard !passing.isEmpty else { return }
    var isWhole = true
    for dot in inOrder(passing.keys) {
      guard let entry = passing[dot], let change = change(dot, of: entry, decode) else {
        isWhole = false
        continue
      }
      for index in entry.ops.map(Int.init) {
        guard index < change.ops.count, !change.ops[index].isUnknown else {
          isWhole = false
          continue
        }
        pass(change.ops[index], index, of: change, dot)
      }
    }
    passing = [:]
    if !isWhole { forgoLog() } else if awaitedLog.isEmpty { settleLog() }
  }

  /// Notes the unknown ops of a change that was just folded.
  mutating func keepWaiting(_ change: Change, _ bytes: [UInt8], _ scope: borrowing Scope) {
    let ops = change.ops.indices.filter { change.ops[$0].isUnknown }.map(UInt32.init)
    guard !ops.isEmpty else { return }
    waiting[LocalDot(session: scope.session, seq: scope.seq)] = WaitingChange(
      bytes: bytes, ops: ops, context: scope.context)
  }

  /// What waits, as a header carries it.
  func exportedWaiting(_ writer: inout ContextWriter) -> [ReplicaHeader.WaitingChange] {
    let changes = waitingDots.compactMap { dot in waiting[dot].map { (dot: dot, change: $0) } }
    let numbers = writer.write(changes.map { ($0.dot, $0.change.context) })
    return zip(changes, numbers).map { entry, number in
      ReplicaHeader.WaitingChange(
        session: entry.dot.session, seq: UInt64(entry.dot.seq), ops: entry.change.ops,
        context: number, bytes: entry.change.bytes)
    }
  }

  /// Takes over what waits on the other side of a join.
  ///
  /// What this side had folded does not wait; what waits here and not there is in the cells that
  /// come from there.
  mutating func joinWaiting(
    _ header: ReplicaHeader, _ map: [UInt32], _ contexts: [SeenContext], mine: SeenContext,
    theirs: SeenContext
  ) throws(ImageDefect) {
    var named: Set<LocalDot> = []
    for entry in header.waiting {
      guard Int(entry.session) < map.count, entry.seq > 0, !entry.ops.isEmpty,
        entry.seq <= header.sessions[Int(entry.session)].tipSeq
      else { throw .shape }
      let dot = LocalDot(session: map[Int(entry.session)], seq: UInt32(entry.seq))
      named.insert(dot)
      let change = WaitingChange(
        bytes: entry.bytes, ops: entry.ops, context: try contexts.numbered(entry.context))
      if !mine.contains(session: dot.session, seq: dot.seq) {
        waiting[dot] = change
      } else if waiting[dot] == nil {
        passing[dot] = change
      }
    }
    for dot in waitingDots
    where theirs.contains(session: dot.session, seq: dot.seq) && !named.contains(dot) {
      passing[dot] = waiting.removeValue(forKey: dot)
    }
  }
}

extension Op {
  fileprivate var isUnknown: Bool {
    if case .unknown = self { true } else { false }
  }
}
