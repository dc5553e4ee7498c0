// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// The removals of a record graph that count, and what they hide.
///
/// A removal counts if its signer was an admin there, or the recovery key, and had not seen its own
/// removal: of two admins who remove each other at the same time both are gone. It hides what the
/// removed device did without the remover having seen it, and so takes away the rights that others
/// got by that.
struct Removals {
  struct Removal: Hashable {
    let at: Int
    let target: DeviceID
  }

  /// Parents before children.
  private(set) var list: [Removal] = []
  /// Records that remove a device, by device.
  private var byTarget: [DeviceID: [Int]] = [:]

  /// What is hidden depends on the removals, and they on rights that may be hidden. So: first with
  /// nothing hidden, then with what the former round hides, until a round changes nothing. Records
  /// that hide each other in a circle stop at the limit, equally everywhere.
  static let roundsMax = 8

  init(_ records: [MembershipRecord], _ graph: Ancestry) {
    for _ in 0..<Self.roundsMax {
      let next = Self(records, graph, hiddenBy: self)
      if next.list == list { break }
      self = next
    }
  }

  /// Whether the record at `at` by `signer` has no effect: the signer was removed, by people who had
  /// not seen the record.
  func hide(_ at: Int, by signer: DeviceID, _ graph: Ancestry) -> Bool {
    guard let removals = byTarget[signer] else { return false }
    return !removals.contains { graph.isAncestor(at, of: $0) }
  }

  private init(_ records: [MembershipRecord], _ graph: Ancestry, hiddenBy removals: Self) {
    var members = Set<DeviceID>()
    var admins = Set<DeviceID>()
    var recovery: [UInt8] = []
    for at in graph.order {
      let signer = graph.signers[at]
      let isRecovery = records[at].signer == recovery
      let mayChange =
        isRecovery || admins.contains(signer) && !removals.hide(at, by: signer, graph)
      switch records[at].body {
      case .genesis(_, let key, _, _):
        members.insert(signer)
        admins.insert(signer)
        recovery = key
      case .add(_, _, let role):
        let device = graph.added[at]
        if mayChange, members.insert(device).inserted, role == .admin { admins.insert(device) }
      case .role(let device, let role):
        guard mayChange, members.contains(device) else { continue }
        if role == .admin { admins.insert(device) } else { admins.remove(device) }
      case .remove(let target, _, _, _):
        // Removals themselves are never hidden: the lost device must not win the race.
        guard isRecovery || admins.contains(signer) else { continue }
        let isLate = byTarget[signer]?.contains { graph.isAncestor($0, of: at) } ?? false
        if isLate { continue }
        list.append(Removal(at: at, target: target))
        byTarget[target, default: []].append(at)
      case .rename, .raise: break
      }
    }
  }
}
