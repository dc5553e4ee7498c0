// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec
import Workbench

/// What must hold at the end, when everything is mended and quiet.
extension World {
  /// Everybody holds everything that was acknowledged anywhere (I1, I8), shows what the oracle shows
  /// (14), has told of what was lost (26), and comes up the same once more (30).
  mutating func checkEnd() {
    checkNow()
    guard failures.isEmpty else { return }
    guard isSettled(members), let reference = nodes[members[0]].engine?.replica else {
      failures.append("not equal after \(options.livenessTime.wholeMilliseconds / 1_000) s")
      failures += unsettled()
      return
    }
    if options.hasCopies { return checkCopies() }
    if options.hasRemovals { checkRemovals(reference) }
    let view = finalView
    for promise in promised where isKept(promise, view) && !reference.covers(promise.dot) {
      if excused.contains(promise.dot) { continue }
      failures.append("an acknowledged change of node \(promise.node) reached nobody")
    }
    for node in nodes.indices where nodes[node].engine?.replica.waitingOps != 0 {
      failures.append("node \(node) still waits for ops that it knows")
    }
    guard let oracle = ledger.oracle(of: reference) else {
      failures.append("something is held that was never stored")
      return
    }
    for node in members {
      guard let replica = nodes[node].engine?.replica else { continue }
      let comparison = ReplicaComparison(oracle: oracle, replica: replica.thawed)
      failures += comparison.differences().map { "node \(node): \($0)" }
    }
    checkJournals(oracle)
    restartAll()
  }

  /// How each node differs from the first.
  private func unsettled() -> [String] {
    let reference = nodes[0].engine?.replica.vector.tips ?? []
    return nodes.indices.map { node in
      guard let replica = nodes[node].engine?.replica else { return "node \(node) is off" }
      let tips = replica.vector.tips
      let states = nodes[node].engine?.peerStatuses(at: now).map { "\($0.state)" } ?? []
      let lacks = reference.filter { !tips.contains($0) }.map(\.dot)
      let has = tips.filter { !reference.contains($0) }.map(\.dot)
      let pending = tips.count { !nodes[node].disk.holds($0.dot) }
      return "node \(node): lacks \(lacks), has beyond \(has), not on disk \(pending), \(states)"
    }
  }

  private mutating func checkJournals(_ oracle: NaiveReplica) {
    for node in nodes.indices {
      let journal = nodes[node].disk.journal
      // A snapshot brings winners without those they beat, and what was lost under a checkpoint that
      // could not be read is judged a second time.
      guard !options.hasRemovals, !nodes[node].everJoinedSnapshot, !nodes[node].everIncomplete
      else { continue }
      let comparison = ReplicaComparison(
        oracle: oracle, journal: journal.filter { oracle.holds($0) })
      // Of ops that waited nobody remembers who had seen them: one entry too many is right.
      let found =
        options.has(.oldVersions)
        ? comparison.missingJournalEntries() : comparison.journalDifferences()
      failures += found.map { "journal of node \(node): \($0)" }
    }
  }

  /// Checkpoint and log bring back exactly what was there.
  private mutating func restartAll() {
    guard failures.isEmpty else { return }
    let prints = nodes.indices.map { print(of: $0) }
    // A machine that was removed may be at something still: nobody waited for its disk.
    for node in members {
      crash(node, isKilled: true)
      start(node)
      if print(of: node) != prints[node] {
        failures.append("node \(node) comes up with something else than it had")
      }
    }
  }

  private func print(of node: Int) -> Fingerprint? {
    guard var replica = nodes[node].engine?.replica else { return nil }
    return replica.fingerprint(sha256: nodes[node].crypto.sha256Half)
  }
}
