// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What stays of a removed device: by session the last change that is accepted (`core.md` 7.5).
/// Of a session that is not named nothing is.
///
/// The branches of a forked session are cut at one seq: nobody has to know of the fork to do the same.
public struct Cutoff: Hashable, Sendable {
  public let device: DeviceID
  private let accepted: VersionVector

  /// - Parameter tips: In any order; of two for one session the higher counts.
  public init(device: DeviceID, tips: [Tip]) {
    self.device = device
    accepted = VersionVector(tips: tips)
  }

  /// Ascending by session, one a session.
  public var tips: [Tip] { accepted.tips }

  /// The last seq of `session` that is accepted; 0 for none.
  public func last(of session: SessionID) -> UInt64 { accepted.tip(of: session)?.seq ?? 0 }
}

extension ReplicaHeader {
  /// Whether a snapshot holds what a cutoff forbids.
  /// - Complexity: O(sessions · cutoffs).
  public func isBeyond(_ cutoffs: [Cutoff]) -> Bool {
    if cutoffs.isEmpty { return false }
    return sessions.contains { session in
      guard let cutoff = cutoffs.first(where: { $0.device == session.head?.device }) else {
        return false
      }
      let named = session.branch.map { Int($0.origin) } ?? -1
      let id = sessions.indices.contains(named) ? sessions[named].id : session.id
      return session.tipSeq > cutoff.last(of: id)
    }
  }
}

/// What must be read from the log before a replica can be cut back: the writes that stay, to cells
/// which show one that goes, and what the authors had seen.
public struct CutReading: Sendable {
  /// By line ordinal: the last seq that stays. `UInt32.max` where nothing goes.
  let kept: ContiguousArray<UInt32>
  /// Lines of which nothing stays.
  let closed: Set<UInt32>
  /// What the closed lines continue, directly or not: who named one of them is not to be taken as
  /// having seen these, since whoever never held it cannot know.
  let implied: [UInt32]
  /// Lines whose author named a closed one.
  let concerned: Set<UInt32>
  /// The replica that is read for: its floors, its forks.
  let floors: ContiguousArray<UInt32>
  let branchCount: Int
  /// Its ordinals and rows.
  let layout: Int
  /// Next seq to read, by line ordinal.
  var next: ContiguousArray<UInt32>
  /// The greatest write that stays, of each cell that shows one that goes; row 0 for none so far.
  var cells: [FloorTable.Cell: FloorTable.Entry] = [:]
  var counters: [AddedBy: CounterStore.Cell] = [:]
  /// The last change that stays of each line that is cut.
  var tails: [UInt32: Tail] = [:]
  var contexts: [UInt32: SeenContext] = [:]
  var seen: [Replica.LocalDot: SeenContext] = [:]

  struct AddedBy: Hashable, Sendable {
    let key: CounterStore.Key
    let line: UInt32
  }

  struct Tail: Sendable {
    var hash: ChangeHash
    var h: UInt64
  }

  func isExcess(_ dot: Replica.LocalDot) -> Bool {
    Int(dot.session) < kept.count && dot.seq > kept[Int(dot.session)]
  }
}
