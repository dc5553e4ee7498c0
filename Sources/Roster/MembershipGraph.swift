// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import WireCodec

/// One device that belongs to a space.
package struct Member: Hashable, Sendable {
  package let device: DeviceID
  package let publicKey: [UInt8]
  package var name: Text
  package var role: Role
  /// Who signed the record that added it; itself for the founder.
  package let addedBy: DeviceID
}

/// Why a record was not taken.
package enum RosterDefect: Error, Hashable, Sendable {
  case notGenesis
  /// A second genesis, or one where none belongs.
  case secondGenesis
  /// The roster is as large as it may become.
  case full
}

/// All membership records of one space and who is a member because of them.
///
/// A function of the set of records: records are held in a graph by their parents, and the view is
/// computed from the graph in one fixed order, so that equal sets give equal views. A removal beats
/// whatever the removed device did at the same time; a re-add needs a new key (`DECISIONS` 4).
package struct MembershipGraph: Sendable {
  package static let recordsMax = 4096

  /// Hash of the genesis record.
  package let space: SpaceID
  /// In the order in which they were taken; parents before children.
  package private(set) var records: [MembershipRecord]
  package private(set) var view: MembershipView
  private var byHash: [RecordHash: Int]
  private var childless: Set<RecordHash>

  /// Opens a graph at its first record.
  package init(genesis: MembershipRecord, crypto: some CryptoSuite) throws(RosterDefect) {
    guard case .genesis = genesis.body, genesis.parents.isEmpty else { throw .notGenesis }
    space = SpaceID(genesis.hash.a, genesis.hash.b, genesis.hash.c, genesis.hash.d)
    records = [genesis]
    byHash = [genesis.hash: 0]
    childless = [genesis.hash]
    view = MembershipView(records: [genesis], crypto: crypto)
  }

  /// Hashes of the records that no other names as parent, ascending: equal on equal graphs.
  package var heads: [RecordHash] { childless.sorted() }

  package func contains(_ hash: RecordHash) -> Bool { byHash[hash] != nil }

  /// Takes one record if its parents are here; `false` if it is known already or must wait.
  ///
  /// Records by people who may not are taken too, and have no effect: what counts is decided by the
  /// view alone, equally everywhere.
  package mutating func take(
    _ record: MembershipRecord, crypto: some CryptoSuite
  ) throws(RosterDefect) -> Bool {
    if contains(record.hash) { return false }
    if case .genesis = record.body { throw .secondGenesis }
    guard !record.parents.isEmpty, record.parents.allSatisfy(contains) else { return false }
    guard records.count < Self.recordsMax else { throw .full }
    byHash[record.hash] = records.count
    records.append(record)
    for parent in record.parents { childless.remove(parent) }
    childless.insert(record.hash)
    view = MembershipView(records: records, crypto: crypto)
    return true
  }

  /// What somebody with `heads` lacks, parents first; everything if none of the heads is known.
  package func missing(for heads: [RecordHash]) -> [MembershipRecord] {
    var known = Set<Int>()
    var open = heads.compactMap { byHash[$0] }
    while let at = open.popLast() {
      guard known.insert(at).inserted else { continue }
      open.append(contentsOf: records[at].parents.compactMap { byHash[$0] })
    }
    return records.indices.filter { !known.contains($0) }.map { records[$0] }
  }
}

/// Who is a member, as a pure function of a set of records.
package struct MembershipView: Hashable, Sendable {
  package private(set) var name: Text = Text("")
  /// Ascending by device id.
  package private(set) var members: [Member] = []
  package private(set) var removed: Set<DeviceID> = []
  /// The key of the tag that members put into their announcements; 32 bytes.
  package private(set) var discoveryKey: [UInt8] = []
  package private(set) var recoveryKey: [UInt8] = []

  package func member(_ device: DeviceID) -> Member? { members.first { $0.device == device } }
  /// Whether the device is a member now.
  package func isMember(_ device: DeviceID) -> Bool { member(device) != nil }

  /// Resolves `records`, in which parents stand before their children.
  init(records: [MembershipRecord], crypto: some CryptoSuite) {
    let graph = Ancestry(records)
    let ordered = graph.order
    // Removals first: by whom they may be made is judged without the acts of removed devices.
    removed = Self.removals(records, ordered, graph, crypto)
    var founder: DeviceID?
    for at in ordered {
      let record = records[at]
      let signer: DeviceID = crypto.hash32(record.signer)
      switch record.body {
      case .genesis(let name, let recoveryKey, let discoveryKey, _):
        guard founder == nil else { continue }
        founder = signer
        self.name = name
        self.recoveryKey = recoveryKey
        self.discoveryKey = discoveryKey
        insert(
          Member(
            device: signer, publicKey: record.signer, name: name, role: .admin, addedBy: signer))
      case .add(let publicKey, let name, let role):
        guard may(signer, record, at, graph, records, crypto) else { continue }
        insert(
          Member(
            device: crypto.hash32(publicKey), publicKey: publicKey, name: name, role: role,
            addedBy: signer))
      case .rename(let device, let name):
        guard device == signer || may(signer, record, at, graph, records, crypto) else { continue }
        update(device) { $0.name = name }
      case .role(let device, let role):
        guard may(signer, record, at, graph, records, crypto) else { continue }
        update(device) { $0.role = role }
      case .remove(_, _, let discoveryKey):
        if may(signer, record, at, graph, records, crypto) { self.discoveryKey = discoveryKey }
      }
    }
    members.removeAll { removed.contains($0.device) }
  }

  /// Devices that some admin (or the recovery key) removed. Mutual removals remove both.
  private static func removals(
    _ records: [MembershipRecord], _ ordered: [Int], _ graph: Ancestry, _ crypto: some CryptoSuite
  ) -> Set<DeviceID> {
    var admins = Set<DeviceID>()
    var recovery: [UInt8] = []
    var removals: [(at: Int, signer: DeviceID, target: DeviceID)] = []
    for at in ordered {
      let signer: DeviceID = crypto.hash32(records[at].signer)
      switch records[at].body {
      case .genesis(_, let key, _, _):
        admins.insert(signer)
        recovery = key
      case .add(let publicKey, _, .admin) where admins.contains(signer):
        admins.insert(crypto.hash32(publicKey))
      case .role(let device, .admin) where admins.contains(signer): admins.insert(device)
      case .remove(let target, _, _)
      where admins.contains(signer) || records[at].signer == recovery:
        removals.append((at, signer, target))
      default: break
      }
    }
    // A removal counts unless its signer was removed by a record that it had already seen.
    var out = Set<DeviceID>()
    for removal in removals {
      let isLate = removals.contains {
        $0.target == removal.signer && graph.isAncestor($0.at, of: removal.at)
      }
      if !isLate { out.insert(removal.target) }
    }
    return out
  }

  /// Whether `signer` may change the roster at `record`: an admin by now, and not somebody whose
  /// removal the record does not follow.
  private func may(
    _ signer: DeviceID, _ record: MembershipRecord, _ at: Int, _ graph: Ancestry,
    _ records: [MembershipRecord], _ crypto: some CryptoSuite
  ) -> Bool {
    if record.signer == recoveryKey { return true }
    guard member(signer)?.role == .admin else { return false }
    guard removed.contains(signer) else { return true }
    // Strong removal: only what the remover had seen of the removed device stays.
    return records.indices.contains { other in
      if case .remove(let target, _, _) = records[other].body {
        return target == signer && graph.isAncestor(at, of: other)
      }
      return false
    }
  }

  private mutating func insert(_ member: Member) {
    guard !members.contains(where: { $0.device == member.device }) else { return }
    let at = members.firstIndex { $0.device > member.device } ?? members.count
    members.insert(member, at: at)
  }

  private mutating func update(_ device: DeviceID, _ body: (inout Member) -> Void) {
    if let at = members.firstIndex(where: { $0.device == device }) { body(&members[at]) }
  }
}

/// Ancestors in a record graph, and its one order: by depth, then by hash.
private struct Ancestry {
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
