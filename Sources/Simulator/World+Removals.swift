// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import WireCodec
import Workbench

/// Members that are removed by others (core 7.5, property 34): what they wrote before it stays, what
/// the remover did not have is nowhere, and they are told.
extension World {
  /// At most so many in one run, and two members stay.
  static let removalsMax = 2

  mutating func injectRemoval(by node: Int, _ random: inout SplitMix64) {
    let target = random.below(nodes.count)
    guard removalCount < min(Self.removalsMax, nodes.count - 2), target != node,
      let view = nodes[node].engine?.roster?.view, nodes[node].engine?.removedBy == nil,
      view.isMember(nodes[target].crypto.deviceID), view.isMember(nodes[node].crypto.deviceID)
    else { return }
    removalCount += 1
    faults += 1
    lastToken += 1
    feed(.amend(token: lastToken, .remove(nodes[target].crypto.deviceID)), to: node)
  }

  /// What all records that are on any disk come to; `nil` where nobody was removed.
  var finalView: MembershipView? {
    guard options.hasRemovals, let first = nodes.first(where: { $0.engine?.removedBy == nil }),
      var graph = try? first.disk.roster(crypto: first.crypto)
    else { return nil }
    var isMoving = true
    while isMoving {
      isMoving = false
      // What only a removed machine has signed reaches nobody.
      for node in nodes where node.engine?.removedBy == nil {
        for bytes in node.disk.rosterRecords {
          guard let record = try? MembershipRecord(decoding: bytes, crypto: node.crypto),
            (try? graph.take(record, crypto: node.crypto)) == true
          else { continue }
          isMoving = true
        }
      }
    }
    return graph.view
  }

  /// The machines that are members, all records counted; never empty.
  var members: [Int] {
    guard let view = finalView else { return Array(nodes.indices) }
    let left = nodes.indices.filter {
      view.isMember(nodes[$0].crypto.deviceID) && nodes[$0].engine?.removedBy == nil
    }
    // Two that removed each other may have been all.
    return left.isEmpty ? [0] : left
  }

  /// Whether a promised change must be held by everybody: not what a removed device wrote for itself.
  func isKept(_ promise: Promise, _ view: MembershipView?) -> Bool {
    guard let removal = view?.removal(of: nodes[promise.node].crypto.deviceID) else {
      // One that somebody removed who was removed himself: it left, and the others know nothing.
      return nodes[promise.node].engine?.removedBy == nil
    }
    return promise.dot.seq <= removal.cutoff.last(of: promise.dot.session)
  }

  /// Whether all machines but the members have been told.
  func knowRemovals(_ members: [Int]) -> Bool {
    !options.hasRemovals
      || nodes.indices.allSatisfy { members.contains($0) || nodes[$0].engine?.removedBy != nil }
  }

  mutating func checkRemovals(_ reference: Replica) {
    guard let view = finalView else { return }
    let group = members
    let cutoffs = view.removals.map(\.cutoff)
    for node in group where nodes[node].engine?.roster?.view.removals.isEmpty != cutoffs.isEmpty {
      failures.append("node \(node) has not heard of the removal")
    }
    guard group.count > 1 || cutoffs.isEmpty else { return }
    for range in reference.beyond(cutoffs) {
      failures.append("\(range) lies beyond a cutoff and is held")
    }
    for cutoff in cutoffs {
      for tip in cutoff.tips where !reference.covers(tip.dot) {
        failures.append("\(tip.dot) was accepted by a removal and is gone")
      }
    }
    for node in nodes.indices where !group.contains(node) {
      if nodes[node].engine?.removedBy == nil {
        failures.append("node \(node) was removed and does not know")
      }
    }
  }
}
