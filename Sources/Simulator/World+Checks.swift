// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec
import Workbench

/// What must hold at any time (numbers are those of the design: I2 and so on in the threat model,
/// plain numbers in the core's list of properties).
extension World {
  /// Whether these nodes are up and hold the same, all of it on disk. Where copies of a machine come
  /// and go, something about their peers is always being written.
  func isSettled(_ group: [Int]) -> Bool {
    guard let first = group.first, let vector = nodes[first].engine?.replica.vector else {
      return false
    }
    return group.allSatisfy { node in
      nodes[node].engine?.replica.vector == vector
        && (options.hasCopies || nodes[node].disk.pending == nil)
        && vector.tips.allSatisfy { nodes[node].disk.holds($0.dot) }
    }
  }

  /// Nothing may be said to be held that is not on this node's disk (trap 21).
  mutating func checkSent(_ frame: [UInt8], by node: Int) {
    guard let kind = frame.first, kind == 1 || kind == 4 || kind == 5,
      let frame = try? Frame(decoding: frame)
    else { return }
    let tips: [Tip] =
      switch frame {
      case .hello(let hello): hello.tips.map(\.tip)
      case .ack(let tips), .ping(_, .some(let tips), _): tips
      default: []
      }
    for tip in tips where !nodes[node].disk.holds(tip.dot) {
      failures.append("node \(node) acknowledges what is not on its disk")
    }
  }

  /// Equal vectors show the same (10), and as from scratch (20, 43); structures are sound (19, 21);
  /// what was promised is there (I2, 27); what nobody deleted is shown (I12, 23).
  mutating func checkNow() {
    var shown: [(vector: VersionVector, print: Fingerprint, recovered: [ItemID], node: Int)] = []
    let untouched = options.hasCopies ? [] : ledger.untouched()
    for node in nodes.indices {
      if !options.hasCopies {
        failures += nodes[node].disk.complaints.map { "node \(node): \($0)" }
      }
      guard var replica = nodes[node].engine?.replica else { continue }
      replica.checkInvariants()
      let print = replica.fingerprint(sha256: nodes[node].crypto.sha256Half)
      checkFromScratch(replica, print, node)
      checkThawed(replica, print, node)
      checkShown(untouched, replica, node)
      guard replica.waitingOps == 0 else { continue }
      let recovered = replica.recoveredItems
      for other in shown where other.vector == replica.vector {
        if other.print != print || other.recovered != recovered {
          failures.append("nodes \(other.node) and \(node) hold the same and show different things")
        }
      }
      shown.append((replica.vector, print, recovered, node))
    }
    if options.hasCopies { return }
    checkPromises()
    // The oracle reads everything again: where the history is short, at any time.
    guard ledger.entries.count < 80, let node = shown.last?.node,
      let replica = nodes[node].engine?.replica, let oracle = ledger.oracle(of: replica)
    else { return }
    failures += ReplicaComparison(oracle: oracle, replica: replica.thawed).differences()
      .map { "node \(node): \($0)" }
  }

  private mutating func checkPromises() {
    for promise in promised {
      if !nodes[promise.node].disk.holds(promise.dot) {
        failures.append("the disk of node \(promise.node) lost an acknowledged change")
      }
      guard !nodes[promise.node].isIncomplete, let replica = nodes[promise.node].engine?.replica
      else { continue }
      // What was nowhere but in a checkpoint that could not be read is asked for by nobody, also when
      // its machine is whole again by a snapshot of the others.
      if !replica.covers(promise.dot), !excused.contains(promise.dot) {
        failures.append("node \(promise.node) lost an acknowledged change")
      }
    }
  }

  private mutating func checkShown(_ untouched: [ItemID], _ replica: Replica, _ node: Int) {
    // An old version may not have folded a move that it does not know.
    guard replica.waitingOps == 0, ledger.knows(replica) else { return }
    for item in untouched where replica.exists(item) {
      let status = replica.status(of: item)
      if status != .visible && status != .recovered {
        failures.append("node \(node) hides \(item), which nobody deleted")
      }
    }
  }

  /// The replica that is read from this one's image shows the same (20, 42, 43).
  private mutating func checkFromScratch(
    _ replica: Replica, _ print: Fingerprint, _ node: Int
  ) {
    do {
      var copy = try Replica(
        header: replica.header(),
        chunks: (0..<replica.chunkCount).map { replica.chunk(at: $0) },
        chunkCapacity: replica.chunkCapacity)
      if copy.fingerprint(sha256: nodes[node].crypto.sha256Half) != print {
        failures.append("node \(node) shows something else than its image")
      }
      if copy.recoveredItems != replica.recoveredItems {
        failures.append("node \(node) recovers something else than its image")
      }
      if copy.vector != replica.vector
        || (!options.hasCopies && copy.header() != replica.header())
      {
        failures.append("node \(node) holds something else than its image")
      }
      for number in 0..<replica.chunkCount where copy.chunk(at: number) != replica.chunk(at: number)
      {
        failures.append("node \(node): chunk \(number) of its image changes when it is read")
      }
    } catch {
      failures.append("the image of node \(node) cannot be read: \(error)")
    }
  }

  /// With nothing cold in it the replica shows the same (33).
  private mutating func checkThawed(_ replica: Replica, _ print: Fingerprint, _ node: Int) {
    guard replica.coldItemCount > 0 else { return }
    coldLooks += 1
    var warm = replica.thawed
    warm.checkInvariants()
    let isSame =
      warm.fingerprint(sha256: nodes[node].crypto.sha256Half) == print
      && warm.recoveredItems == replica.recoveredItems && warm.itemCount == replica.itemCount
      && replica.coldItems.allSatisfy { warm.status(of: $0) == .hidden && warm.exists($0) }
    if !isSame { failures.append("node \(node) shows something else when it is thawed") }
  }

  /// No alarm belongs into a run without copied disks and liars, but those of what is broken.
  mutating func check(_ alarm: Alarm, at node: Int) {
    switch alarm {
    case .clockAhead where options.has(.badClocks): return
    case .storage where options.has(.diskErrors): return
    case .setAside where options.hasRemovals: return
    case .fork, .cloned, .copied, .storage: if options.hasCopies { return }
    case .setback where options.hasCopies || options.has(.bitFlips): return
    case .invalidChange where options.has(.bitFlips): return
    default: break
    }
    failures.append("node \(node) raises an alarm: \(alarm)")
  }
}
