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
  /// Whether it is, or ever was, more than a reader: only then can there be changes by it. A role
  /// that is taken away does not undo what was written under it.
  package private(set) var mayHaveWritten: Bool
  /// Who signed the record that added it; itself for the founder.
  package let addedBy: DeviceID

  init(device: DeviceID, publicKey: [UInt8], name: Text, role: Role, addedBy: DeviceID) {
    (self.device, self.publicKey, self.name) = (device, publicKey, name)
    (self.role, self.addedBy) = (role, addedBy)
    mayHaveWritten = role != .reader
  }

  mutating func take(_ role: Role) {
    self.role = role
    mayHaveWritten = mayHaveWritten || role != .reader
  }
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
  private var ancestry = Ancestry()

  /// Opens a graph at its first record.
  package init(genesis: MembershipRecord, crypto: some CryptoSuite) throws(RosterDefect) {
    guard case .genesis = genesis.body, genesis.parents.isEmpty else { throw .notGenesis }
    space = SpaceID(genesis.hash.a, genesis.hash.b, genesis.hash.c, genesis.hash.d)
    records = [genesis]
    byHash = [genesis.hash: 0]
    childless = [genesis.hash]
    ancestry.append(genesis, parents: [], crypto: crypto)
    view = MembershipView([genesis], ancestry)
  }

  /// Hashes of the records that no other names as parent, ascending: equal on equal graphs.
  package var heads: [RecordHash] { childless.sorted() }

  package func contains(_ hash: RecordHash) -> Bool { byHash[hash] != nil }

  /// Takes one record if its parents are here; `false` if it is known already or must wait.
  ///
  /// Records by people who may not are taken too, and have no effect: what counts is decided by the
  /// view alone, equally everywhere.
  /// - Complexity: O(records).
  package mutating func take(
    _ record: MembershipRecord, crypto: some CryptoSuite
  ) throws(RosterDefect) -> Bool {
    if contains(record.hash) { return false }
    if case .genesis = record.body { throw .secondGenesis }
    guard !record.parents.isEmpty, record.parents.allSatisfy(contains) else { return false }
    guard records.count < Self.recordsMax else { throw .full }
    ancestry.append(record, parents: record.parents.compactMap { byHash[$0] }, crypto: crypto)
    byHash[record.hash] = records.count
    records.append(record)
    for parent in record.parents { childless.remove(parent) }
    childless.insert(record.hash)
    view = MembershipView(records, ancestry)
    return true
  }

  /// Whether somebody with these heads has the record `hash`; heads that are not here tell nothing.
  package func isKnown(_ hash: RecordHash, to heads: [RecordHash]) -> Bool {
    guard let at = byHash[hash] else { return false }
    return heads.contains { head in
      byHash[head].map { $0 == at || ancestry.isAncestor(at, of: $0) } ?? false
    }
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
  /// Those of the removed that were members, ascending by device id.
  package private(set) var formerMembers: [Member] = []
  /// The removals that count, ascending by device.
  package private(set) var removals: [MemberRemoval] = []
  /// The key of the tag that members put into their announcements; 32 bytes.
  package private(set) var discoveryKey: [UInt8] = []
  /// Those before it, oldest first: members that have not heard of a removal announce themselves with
  /// one of these.
  package private(set) var formerDiscoveryKeys: [[UInt8]] = []
  package private(set) var recoveryKey: [UInt8] = []

  package func member(_ device: DeviceID) -> Member? { members.first { $0.device == device } }
  /// The removal of a device; `nil` for everybody else.
  package func removal(of device: DeviceID) -> MemberRemoval? {
    removals.first { $0.device == device }
  }
  /// A member, or one that was: changes from before a removal stay.
  package func author(_ device: DeviceID) -> Member? {
    member(device) ?? formerMembers.first { $0.device == device }
  }
  /// Whether the device is a member now.
  package func isMember(_ device: DeviceID) -> Bool { member(device) != nil }

  /// Resolves `records`, in which parents stand before their children.
  init(_ records: [MembershipRecord], _ graph: Ancestry) {
    var found = Found()
    var raised: [DeviceID: [Tip]] = [:]
    // Removals first: they decide which acts of removed devices stand.
    let removals = Removals(records, graph)
    removed = Set(removals.list.map(\.target))
    for at in graph.order {
      let record = records[at]
      let signer = graph.signers[at]
      // An admin by now, or the recovery key; of a removed admin only what its remover had seen.
      let mayChange =
        record.signer == recoveryKey
        || found.role(of: signer) == .admin && !removals.hide(at, by: signer, graph)
      switch record.body {
      case .genesis(let name, let recoveryKey, let discoveryKey, _):
        self.name = name
        self.recoveryKey = recoveryKey
        self.discoveryKey = discoveryKey
        found.insert(
          Member(
            device: signer, publicKey: record.signer, name: name, role: .admin, addedBy: signer))
      case .add(let publicKey, let name, let role):
        guard mayChange else { continue }
        found.insert(
          Member(
            device: graph.added[at], publicKey: publicKey, name: name, role: role,
            addedBy: signer))
      case .rename(let device, let name):
        guard device == signer || mayChange else { continue }
        found.update(device) { $0.name = name }
      case .role(let device, let role):
        guard mayChange else { continue }
        found.update(device) { $0.take(role) }
      case .remove(_, _, let discoveryKey, _):
        guard mayChange else { continue }
        formerDiscoveryKeys.append(self.discoveryKey)
        self.discoveryKey = discoveryKey
      case .raise(let device, let cutoffs):
        // Every member may whose changes count: its log says what cannot be taken back.
        guard let role = found.role(of: signer), role != .reader, signer != device,
          !removals.hide(at, by: signer, graph)
        else { continue }
        raised[device, default: []] += cutoffs
      }
    }
    let known = found.members.sorted { $0.device < $1.device }
    members = known.filter { !removed.contains($0.device) }
    formerMembers = known.filter { removed.contains($0.device) }
    self.removals = removed.sorted().compactMap { device in
      var cutoffs = raised[device] ?? []
      let counting = removals.list.filter { $0.target == device }.map { records[$0.at] }
      for record in counting {
        if case .remove(_, let accepted, _, _) = record.body { cutoffs += accepted }
      }
      guard let first = counting.first, case .remove(_, _, _, let notice) = first.body else {
        return nil
      }
      return MemberRemoval(
        device: device, cutoff: Cutoff(device: device, tips: cutoffs),
        records: counting.map(\.hash),
        by: removals.list.filter { $0.target == device }.map { graph.signers[$0.at] },
        notice: RemovalNotice(signer: first.signer, signature: notice))
    }
  }
}

/// The members while records are worked through, in the order in which they came.
private struct Found {
  private(set) var members: [Member] = []
  private var places: [DeviceID: Int] = [:]

  func role(of device: DeviceID) -> Role? { places[device].map { members[$0].role } }

  mutating func insert(_ member: Member) {
    guard places[member.device] == nil else { return }
    places[member.device] = members.count
    members.append(member)
  }

  mutating func update(_ device: DeviceID, _ body: (inout Member) -> Void) {
    if let at = places[device] { body(&members[at]) }
  }
}
