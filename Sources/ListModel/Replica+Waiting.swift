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
  var waitingDots: [LocalDot] {
    var places: [UInt32: Int] = [:]
    for (place, session) in sessions.arrival.enumerated() { places[session] = place }
    return waiting.keys.sorted {
      (places[$0.session] ?? 0, $0.seq) < (places[$1.session] ?? 0, $1.seq)
    }
  }

  /// Folds those waiting ops that `decode` can read by now; the others go on waiting.
  ///
  /// - Parameter decode: Reads the bytes of a change; `nil` if they are none.
  /// - Returns: How many ops were folded.
  /// - Complexity: O(changes that wait + cells written · log n).
  public mutating func foldWaiting(
    events: inout [ReplicaEvent], decode: (_ bytes: [UInt8]) -> Change?
  ) -> Int {
    var folded = 0
    for dot in waitingDots {
      guard var entry = waiting[dot], let change = decode(entry.bytes), change.defect == nil,
        change.session == sessions[sessions.origin(of: dot.session)].id,
        change.seq == UInt64(dot.seq)
      else { continue }
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
        folded += 1
      }
      entry.ops = rest
      waiting[dot] = rest.isEmpty ? nil : entry
    }
    return folded
  }

  /// Notes the unknown ops of a change that was just folded.
  mutating func keepWaiting(_ change: Change, _ bytes: [UInt8], _ scope: borrowing Scope) {
    let ops = change.ops.indices.filter { change.ops[$0].isUnknown }.map(UInt32.init)
    guard !ops.isEmpty else { return }
    waiting[LocalDot(session: scope.session, seq: scope.seq)] = WaitingChange(
      bytes: bytes, ops: ops, context: scope.context)
  }

  /// What waits, as a header carries it.
  func exportedWaiting() -> [ReplicaHeader.WaitingChange] {
    waitingDots.compactMap { dot in
      waiting[dot].map {
        ReplicaHeader.WaitingChange(
          session: dot.session, seq: UInt64(dot.seq), ops: $0.ops,
          seen: $0.context.packed, bytes: $0.bytes)
      }
    }
  }

  /// Takes over what waits on the other side of a join.
  ///
  /// What this side had folded does not wait; what waits here and not there is in the cells that
  /// come from there.
  mutating func joinWaiting(
    _ header: ReplicaHeader, _ map: [UInt32], mine: SeenContext, theirs: SeenContext
  ) throws(ImageDefect) {
    var named: Set<LocalDot> = []
    for entry in header.waiting {
      guard Int(entry.session) < map.count, entry.seq > 0, !entry.ops.isEmpty,
        entry.seq <= header.sessions[Int(entry.session)].tipSeq
      else { throw .shape }
      let dot = LocalDot(session: map[Int(entry.session)], seq: UInt32(entry.seq))
      named.insert(dot)
      if mine.contains(session: dot.session, seq: dot.seq) { continue }
      waiting[dot] = WaitingChange(
        bytes: entry.bytes, ops: entry.ops, context: try context(entry.seen, map))
    }
    for dot in waitingDots
    where theirs.contains(session: dot.session, seq: dot.seq) && !named.contains(dot) {
      waiting[dot] = nil
    }
  }
}

extension Op {
  fileprivate var isUnknown: Bool {
    if case .unknown = self { true } else { false }
  }
}
