// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import NodeEngine

/// What a node's disk holds, and the write that is under way.
///
/// A batch reaches the disk whole or not at all. A crash loses the one that is not synced yet, or
/// keeps it without the node ever being told: both happen.
package struct SimulatedDisk: Sendable {
  /// The change log, by session, ascending; its first seq is 1 above the floor.
  package private(set) var log: [SessionID: [LoggedChange]] = [:]
  /// All changes of the log in the order of writing.
  package private(set) var arrival: [Dot] = []
  package private(set) var clock: UInt64 = 0
  package private(set) var own: Tip?
  package private(set) var rosterRecords: [[UInt8]] = []
  package private(set) var peers: [DeviceID: PeerRow] = [:]
  package private(set) var spentInvites: [[UInt8]] = []
  package private(set) var checkpointHeader: [UInt8]?
  package private(set) var checkpointChunks: [[UInt8]] = []
  /// The batch that is being written.
  package private(set) var pending: (batch: Batch, token: BatchToken)?

  /// An empty disk.
  package init() {}

  /// Puts roster records there before the first start.
  package mutating func install(_ records: [[UInt8]]) { rosterRecords = records }

  /// Starts a write; only one may be under way.
  package mutating func begin(_ batch: Batch, _ token: BatchToken) {
    precondition(pending == nil, "a second batch under way")
    pending = (batch, token)
  }

  /// The write is synced.
  /// - Returns: `false` if that batch is not under way (any more).
  package mutating func finish(_ token: BatchToken) -> Bool {
    guard let batch = pending?.batch, pending?.token == token else { return false }
    pending = nil
    apply(batch)
    return true
  }

  /// The machine stops: the write under way is there or is not.
  package mutating func crash(keepingPending: Bool) {
    if keepingPending, let batch = pending?.batch { apply(batch) }
    pending = nil
  }

  private mutating func apply(_ batch: Batch) {
    if batch.replacesSpace {
      let spent = spentInvites
      self = SimulatedDisk()
      spentInvites = spent
    }
    for change in batch.changes {
      log[change.dot.session, default: []].append(change)
      arrival.append(change.dot)
    }
    clock = max(clock, batch.clock)
    if let own = batch.own { self.own = own }
    rosterRecords += batch.rosterRecords
    for row in batch.peers { peers[row.device] = row }
    spentInvites += batch.spentInvites
    if let checkpoint = batch.checkpoint {
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
      arrival.removeAll { $0.session == tip.session && $0.seq <= tip.seq }
    }
  }

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
  package var changes: [LoggedChange] {
    var next: [SessionID: Int] = [:]
    return arrival.compactMap { dot in
      let at = next[dot.session, default: 0]
      next[dot.session] = at + 1
      guard let session = log[dot.session], at < session.count else { return nil }
      return session[at]
    }
  }

  /// Whether the log has every change up to `vector`: after a snapshot it has not.
  package func isComplete(_ vector: VersionVector) -> Bool {
    log.values.allSatisfy { changes in
      changes.first?.dot.seq == 1 && changes.last?.dot.seq == UInt64(changes.count)
    } && vector.tips.allSatisfy { log[$0.session]?.last?.dot == $0.dot }
  }
}
