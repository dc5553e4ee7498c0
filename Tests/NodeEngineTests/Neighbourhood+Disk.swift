// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec

extension Neighbourhood {
  /// What of its batches a node finds again after a restart.
  struct Disk {
    var log: [SessionID: [LoggedChange]] = [:]
    var records: [[UInt8]] = []
    var clock: UInt64 = 0
    var own: Tip?
    var peers: [PeerRow] = []
    var header: [UInt8]?
    var chunks: [Int: [UInt8]] = [:]
    var spentInvites: [[UInt8]] = []
    var arrival: [LoggedChange] = []
    var ages = AgeBook()
    /// Every change that was ever written, also what left the log since.
    var written: [LoggedChange] = []
    var kept: [KeptRow] = []
    /// Changes from beyond a cutoff.
    var quarantine: [LoggedChange] = []

    /// What is there already keeps its place in the log.
    private mutating func put(_ change: LoggedChange) {
      let session = change.dot.session
      guard let at = log[session]?.firstIndex(where: { $0.hash == change.hash }) else {
        log[session, default: []].append(change)
        return arrival.append(change)
      }
      log[session]?[at] = change
      if let at = arrival.firstIndex(where: { $0.hash == change.hash }) { arrival[at] = change }
    }

    mutating func write(_ batch: Batch) {
      if batch.replacesSpace { self = Disk() }
      for change in batch.changes { put(change) }
      written += batch.changes
      for split in batch.splits {
        func moved(_ change: LoggedChange) -> LoggedChange {
          guard change.dot.session == split.line, change.dot.seq > split.point else {
            return change
          }
          return LoggedChange(
            dot: Dot(session: split.name, seq: change.dot.seq), hash: change.hash,
            bytes: change.bytes, isVerified: change.isVerified)
        }
        arrival = arrival.map(moved)
        log = Dictionary(grouping: arrival) { $0.dot.session }
        for session in log.keys { log[session]?.sort { $0.dot < $1.dot } }
      }
      for cut in batch.cuts {
        func isGone(_ change: LoggedChange) -> Bool {
          change.dot.session == cut.line && change.dot.seq >= cut.first
        }
        quarantine += arrival.filter(isGone)
        arrival.removeAll(where: isGone)
        log[cut.line]?.removeAll(where: isGone)
      }
      kept += batch.kept
      records += batch.rosterRecords
      (clock, own) = (batch.clock, batch.own)
      ages = batch.ages ?? ages
      peers = peers.filter { row in !batch.peers.contains { $0.device == row.device } }
      peers += batch.peers
      spentInvites += batch.spentInvites
      if let checkpoint = batch.checkpoint {
        header = checkpoint.header
        for (number, bytes) in checkpoint.chunks { chunks[number] = bytes }
        chunks = chunks.filter { $0.key < checkpoint.chunkCount }
      }
      for tip in batch.floor {
        log[tip.session]?.removeAll { $0.dot.seq <= tip.seq }
        arrival.removeAll { $0.dot.session == tip.session && $0.dot.seq <= tip.seq }
      }
    }
  }
}
