// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec
import Workbench

/// What must hold: at any time, and at the end.
extension World {
  /// Whether all nodes are up and hold the same.
  var isSettled: Bool {
    guard let first = nodes[0].engine?.replica.vector else { return false }
    return nodes.allSatisfy { $0.engine?.replica.vector == first && $0.disk.pending == nil }
  }

  /// Equal vectors show the same; what a node promised it still has; structures are sound.
  mutating func checkNow() {
    var shown: [(vector: VersionVector, print: Fingerprint, node: Int)] = []
    for node in nodes.indices {
      guard var replica = nodes[node].engine?.replica else { continue }
      replica.checkInvariants()
      let print = replica.fingerprint(sha256: nodes[node].crypto.sha256Half)
      for other in shown where other.vector == replica.vector && other.print != print {
        failures.append("nodes \(other.node) and \(node) hold the same and show different things")
      }
      shown.append((replica.vector, print, node))
    }
    for promise in promised {
      guard let replica = nodes[promise.node].engine?.replica else { continue }
      if !replica.covers(promise.dot) {
        failures.append("node \(promise.node) lost an acknowledged change")
      }
    }
  }

  /// No alarm belongs into a run without copied disks and liars, but those of bad clocks.
  mutating func check(_ alarm: Alarm, at node: Int) {
    if case .clockAhead = alarm, options.hasBadClocks { return }
    failures.append("node \(node) raises an alarm: \(alarm)")
  }

  /// Everybody holds everything that was acknowledged anywhere, and shows what the oracle shows.
  mutating func checkEnd() {
    checkNow()
    guard failures.isEmpty else { return }
    guard isSettled, let reference = nodes[0].engine?.replica else {
      failures.append("not equal after \(options.livenessTime.wholeMilliseconds / 1_000) s")
      return
    }
    for promise in promised where !reference.covers(promise.dot) {
      failures.append("an acknowledged change of node \(promise.node) reached nobody")
    }
    if let whole = nodes.first(where: { $0.disk.isComplete(reference.vector) }) {
      checkAgainstOracle(reference, log: whole.disk.changes)
    }
  }

  private mutating func checkAgainstOracle(_ replica: Replica, log: [LoggedChange]) {
    var oracle = NaiveReplica()
    for logged in log {
      do {
        let signed = try SignedChange(decoding: logged.bytes, crypto: nodes[0].crypto)
        oracle.add(signed.change, hash: signed.hash)
      } catch {
        failures.append("a change of the log cannot be read: \(error)")
        return
      }
    }
    failures += ReplicaComparison(oracle: oracle, replica: replica).differences()
  }
}
