// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import NodeEngine
package import Roster
import WireCodec

/// What a node's disk holds, and the write that is under way.
///
/// A batch reaches the disk whole or not at all, as a transaction does. A crash loses the one that is
/// not synced yet, or keeps it without the node ever being told; one that was refused may turn up too.
package struct SimulatedDisk: Sendable {
  /// A batch, and what the node did before it.
  package struct Load: Sendable {
    package let batch: Batch
    /// Whether a snapshot was joined since the batch before: then its checkpoint may jump.
    package let hasSnapshot: Bool
    /// What the node's version folds.
    package let level: FoldLevel
  }

  /// The change log, by session, ascending; its first seq is 1 above the floor.
  package private(set) var log: [SessionID: [LoggedChange]] = [:]
  /// All changes of the log in the order of writing, with the number each got.
  private var arrival: [(change: LoggedChange, number: Int)] = []
  private var lastNumber = 0
  /// The next start reads the log behind this number.
  private var checkpointArrival = 0
  package private(set) var clock: UInt64 = 0
  package private(set) var level = FoldLevel.current
  package private(set) var ages = AgeBook()
  package private(set) var own: Tip?
  package private(set) var rosterRecords: [[UInt8]] = []
  package private(set) var peers: [DeviceID: PeerRow] = [:]
  package private(set) var spentInvites: [[UInt8]] = []
  package private(set) var checkpointHeader: [UInt8]?
  package private(set) var checkpointChunks: [[UInt8]] = []
  package private(set) var journal: [JournalEntry] = []
  /// That the device was removed, as it was told.
  package private(set) var notice: RemovalNotice?
  /// Changes from beyond the cutoff of a removed member.
  package private(set) var quarantine: [LoggedChange] = []
  /// The last seq of every session that log or checkpoint hold.
  package private(set) var durable: [SessionID: UInt64] = [:]
  /// Every change that was ever written here, whether it has left the log or not.
  package private(set) var kept: Set<ChangeHash> = []
  /// The batch that is being written.
  package private(set) var pending: (load: Load, token: BatchToken)?
  /// A batch that was refused: nobody knows what of it is on the platter.
  private var ghost: Load?
  /// Sentences about batches that leave a hole.
  package private(set) var complaints: [String] = []

  /// An empty disk.
  package init() {}

  /// Puts roster records there before the first start.
  package mutating func install(_ records: [[UInt8]]) { rosterRecords = records }

  /// Starts a write; only one may be under way.
  package mutating func begin(_ load: Load, _ token: BatchToken) {
    precondition(pending == nil, "a second batch under way")
    pending = (load, token)
  }

  /// The write is synced.
  /// - Returns: `false` if that batch is not under way (any more).
  package mutating func finish(_ token: BatchToken) -> Bool {
    guard let load = pending?.load, pending?.token == token else { return false }
    pending = nil
    ghost = nil
    apply(load)
    return true
  }

  /// The write fails.
  /// - Returns: The batch; `nil` if it is not under way (any more).
  package mutating func refuse(_ token: BatchToken) -> Load? {
    guard let load = pending?.load, pending?.token == token else { return nil }
    pending = nil
    ghost = load
    return load
  }

  /// The machine stops: the write under way, or the one refused last, is there or is not.
  package mutating func crash(keepingPending: Bool) {
    if keepingPending, let load = pending?.load ?? ghost { apply(load) }
    (pending, ghost) = (nil, nil)
  }

  private mutating func apply(_ load: Load) {
    let batch = load.batch
    if batch.replacesSpace {
      let spent = spentInvites
      self = SimulatedDisk()
      spentInvites = spent
    }
    let before = lastNumber
    if let checkpoint = batch.checkpoint { jump(checkpoint, batch, load.hasSnapshot) }
    for change in batch.changes {
      append(change)
      kept.insert(change.hash)
    }
    for split in batch.splits { apply(split) }
    for cut in batch.cuts { apply(cut) }
    clock = max(clock, batch.clock)
    level = load.level
    ages = batch.ages ?? ages
    if let own = batch.own { self.own = own }
    rosterRecords += batch.rosterRecords
    for row in batch.peers { peers[row.device] = row }
    spentInvites += batch.spentInvites
    if let row = batch.kept.last(where: { $0.kind == Engine.noticeKind })?.value {
      notice = Engine.notice(from: row)
    }
    journal += batch.journal
    if let checkpoint = batch.checkpoint {
      checkpointArrival = checkpoint.standsForLog ? before : 0
      checkpointHeader = checkpoint.header
      if checkpointChunks.count > checkpoint.chunkCount {
        checkpointChunks.removeLast(checkpointChunks.count - checkpoint.chunkCount)
      }
      for chunk in checkpoint.chunks.sorted(by: { $0.number < $1.number }) {
        if chunk.number < checkpointChunks.count {
          checkpointChunks[chunk.number] = chunk.bytes
        } else {
          checkpointChunks.append(chunk.bytes)
        }
      }
    }
    for tip in batch.floor {
      log[tip.session]?.removeAll { $0.dot.seq <= tip.seq }
      arrival.removeAll {
        $0.change.dot.session == tip.session && $0.change.dot.seq <= tip.seq
      }
    }
  }

  private mutating func apply(_ split: LogSplit) {
    func moved(_ change: LoggedChange) -> LoggedChange {
      guard change.dot.session == split.line, change.dot.seq > split.point else { return change }
      return LoggedChange(
        dot: Dot(session: split.name, seq: change.dot.seq), hash: change.hash,
        bytes: change.bytes, isVerified: change.isVerified)
    }
    let held = log[split.line] ?? []
    log[split.line] = held.filter { $0.dot.seq <= split.point }
    let behind = held.filter { $0.dot.seq > split.point }.map(moved)
    log[split.name] = (behind + (log[split.name] ?? [])).sorted { $0.dot < $1.dot }
    arrival = arrival.map { (moved($0.change), $0.number) }
    let reached = durable[split.line, default: 0]
    durable[split.line] = min(reached, split.point)
    durable[split.name] = max(durable[split.name, default: 0], reached)
  }

  private mutating func apply(_ cut: LogCut) {
    quarantine += (log[cut.line] ?? []).filter { $0.dot.seq >= cut.first }
    log[cut.line]?.removeAll { $0.dot.seq >= cut.first }
    arrival.removeAll { $0.change.dot.session == cut.line && $0.change.dot.seq >= cut.first }
    durable[cut.line] = min(durable[cut.line, default: 0], cut.first - 1)
  }

  private mutating func append(_ change: LoggedChange) {
    let dot = change.dot
    let last = log[dot.session]?.last?.dot.seq ?? 0
    // A start that could not read it gets it from peers and writes it again.
    if dot.seq <= last, log[dot.session]?.contains(where: { $0.dot == dot }) == true { return }
    if dot.seq > durable[dot.session, default: 0] + 1 {
      complaints.append("a batch skips changes before \(dot)")
    }
    durable[dot.session] = max(durable[dot.session, default: 0], dot.seq)
    if dot.seq > last {
      log[dot.session, default: []].append(change)
    } else if let at = log[dot.session]?.firstIndex(where: { $0.dot.seq > dot.seq }) {
      log[dot.session]?.insert(change, at: at)
    }
    lastNumber += 1
    arrival.append((change, lastNumber))
  }

  /// A checkpoint may name changes that are in no log only after a snapshot.
  private mutating func jump(_ checkpoint: Checkpoint, _ batch: Batch, _ hasSnapshot: Bool) {
    guard let header = try? HeaderReading.header(checkpoint.header) else {
      complaints.append("a checkpoint that cannot be read")
      return
    }
    var last: [SessionID: UInt64] = [:]
    // The log of a snapshot comes behind what is newer than it.
    for change in batch.changes {
      last[change.dot.session] = max(last[change.dot.session, default: 0], change.dot.seq)
    }
    for session in header.sessions where session.tipSeq > durable[session.id, default: 0] {
      if hasSnapshot {
        durable[session.id] = session.tipSeq
      } else if session.tipSeq > last[session.id, default: 0] {
        complaints.append("a checkpoint names changes of \(session.id) that are nowhere")
      }
    }
  }

  /// Whether the disk holds that change, in the log or in the checkpoint.
  package func holds(_ dot: Dot) -> Bool { durable[dot.session, default: 0] >= dot.seq }

  /// The stretch of the log that was asked for, as far as it is there.
  package func changes(_ request: LogRequest) -> [LoggedChange] {
    var out: [LoggedChange] = []
    var bytes = 0
    for change in log[request.session] ?? []
    where change.dot.seq >= request.first && change.dot.seq <= request.last {
      guard change.dot.seq == request.first + UInt64(out.count) else { return [] }
      out.append(change)
      bytes += change.bytes.count
      if bytes >= request.bytesMax { break }
    }
    return out
  }

  /// All changes of the log, in the order of writing.
  package var changes: [LoggedChange] { changes(behind: 0) }

  /// The log behind the checkpoint.
  package var tail: [LoggedChange] { changes(behind: checkpointArrival) }

  private func changes(behind number: Int) -> [LoggedChange] {
    arrival.compactMap { $0.number > number ? $0.change : nil }
  }
}

/// Reads headers of checkpoints that were packed by nobody.
private enum HeaderReading {
  static func header(_ bytes: [UInt8]) throws -> ReplicaHeader {
    try ImageCodec.decodeHeader(bytes, crypto: ToyCrypto(seed: 0), packer: PlainPacker())
  }
}
