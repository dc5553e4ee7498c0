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
    let signer: DeviceID
    let target: DeviceID
  }

  /// Parents before children.
  private(set) var list: [Removal]

  /// What is hidden depends on the removals, and they on rights that may be hidden. So: first with
  /// nothing hidden, then with what the former round hides, until a round changes nothing. Records
  /// that hide each other in a circle stop at the limit, equally everywhere.
  static let roundsMax = 8

  init(_ records: [MembershipRecord], _ graph: Ancestry, _ crypto: some CryptoSuite) {
    list = []
    for _ in 0..<Self.roundsMax {
      let next = Self.count(records, graph, hiddenBy: self, crypto)
      if next == list { break }
      list = next
    }
  }

  /// Whether the record at `at` by `signer` has no effect: the signer was removed, by people who had
  /// not seen the record.
  func hide(_ at: Int, by signer: DeviceID, _ graph: Ancestry) -> Bool {
    let ofSigner = list.filter { $0.target == signer }
    return !ofSigner.isEmpty && !ofSigner.contains { graph.isAncestor(at, of: $0.at) }
  }

  private static func count(
    _ records: [MembershipRecord], _ graph: Ancestry, hiddenBy removals: Self,
    _ crypto: some CryptoSuite
  ) -> [Removal] {
    var members = Set<DeviceID>()
    var admins = Set<DeviceID>()
    var recovery: [UInt8] = []
    var out: [Removal] = []
    for at in graph.order {
      let signer: DeviceID = crypto.hash32(records[at].signer)
      let isRecovery = records[at].signer == recovery
      let mayChange =
        isRecovery || admins.contains(signer) && !removals.hide(at, by: signer, graph)
      switch records[at].body {
      case .genesis(_, let key, _, _):
        members.insert(signer)
        admins.insert(signer)
        recovery = key
      case .add(let publicKey, _, let role):
        let device: DeviceID = crypto.hash32(publicKey)
        if mayChange, members.insert(device).inserted, role == .admin { admins.insert(device) }
      case .role(let device, let role):
        guard mayChange, members.contains(device) else { continue }
        if role == .admin { admins.insert(device) } else { admins.remove(device) }
      case .remove(let target, _, _):
        // Removals themselves are never hidden: the lost device must not win the race.
        guard isRecovery || admins.contains(signer) else { continue }
        let isLate = out.contains { $0.target == signer && graph.isAncestor($0.at, of: at) }
        if !isLate { out.append(Removal(at: at, signer: signer, target: target)) }
      case .rename: break
      }
    }
    return out
  }
}

/// Ancestors in a record graph, and its one order: by depth, then by hash.
struct Ancestry {
  let order: [Int]
  private let ancestors: [Set<Int>]

  init(_ records: [MembershipRecord]) {
    var index: [RecordHash: Int] = [:]
    var ancestors: [Set<Int>] = []
    var depth: [Int] = []
    for (at, record) in records.enumerated() {
      index[record.hash] = at
      let parents = record.parents.compactMap { index[$0] }
      ancestors.append(parents.reduce(into: Set(parents)) { $0.formUnion(ancestors[$1]) })
      depth.append((parents.map { depth[$0] }.max() ?? -1) + 1)
    }
    self.ancestors = ancestors
    order = records.indices.sorted {
      (depth[$0], records[$0].hash) < (depth[$1], records[$1].hash)
    }
  }

  func isAncestor(_ at: Int, of other: Int) -> Bool { ancestors[other].contains(at) }
}
