// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// Who belongs to the space: founding it, passing records on, acting on changes.
extension Engine {
  /// Whether a connection with this key may pass the TLS handshake of `hedgerow/1`.
  ///
  /// This device's own key may, so that a copy of it is noticed in the greeting.
  package func accepts(publicKey: [UInt8]) -> Bool {
    guard !isPaused, removedBy == nil, let roster else { return false }
    let device: DeviceID = crypto.hash32(publicKey)
    // A removed device is let in for as long as it takes to tell it so.
    return roster.view.isMember(device) || roster.view.removal(of: device) != nil
  }

  /// Whether everybody ignores what that device writes.
  func isReader(_ device: DeviceID) -> Bool { roster?.view.member(device)?.role == .reader }

  mutating func found(_ name: Text, _ recoveryKey: [UInt8], _ turn: inout Turn) {
    guard roster == nil, recoveryKey.count == MembershipRecord.keyBytes else { return }
    let genesis = MembershipRecord(
      signing: .genesis(
        name: name, recoveryKey: recoveryKey, discoveryKey: entropy.bytes(32),
        salt: entropy.next()),
      parents: [], crypto: crypto)
    roster = try? MembershipGraph(genesis: genesis, crypto: crypto)
    commit.add { $0.rosterRecords.append(genesis.bytes) }
    rosterChanged(&turn)
  }

  /// Sends records in frames; the last one says so, even if there is none.
  func sendRoster(_ records: [MembershipRecord], to link: LinkID, _ turn: inout Turn) {
    var part: [[UInt8]] = []
    var bytes = 0
    for record in records {
      if bytes + record.bytes.count + 3 > FrameLimits.payloadBytesMax
        || part.count == FrameLimits.recordsMax
      {
        turn.send(.roster(records: part, isLast: false), link)
        (part, bytes) = ([], 0)
      }
      part.append(record.bytes)
      bytes += record.bytes.count + 3
    }
    turn.send(.roster(records: part, isLast: true), link)
  }

  mutating func received(
    _ records: [[UInt8]], _ isLast: Bool, _ at: Int, _ turn: inout Turn
  ) {
    let id = links[at].id
    var fresh: [MembershipRecord] = []
    for bytes in records {
      guard let record = try? MembershipRecord(decoding: bytes, crypto: crypto),
        let isNew = try? roster?.take(record, crypto: crypto)
      else { return close(id, .invalidRoster, &turn) }
      if isNew { fresh.append(record) }
    }
    if !fresh.isEmpty { took(fresh, except: id, &turn) }
    guard isLast, let at = index(of: id), links[at].phase == .exchangingRoster else { return }
    startStreaming(at, &turn)
  }

  /// New records are in the roster: onto the disk, to the others, into force.
  mutating func took(_ records: [MembershipRecord], except id: LinkID?, _ turn: inout Turn) {
    commit.add { $0.rosterRecords += records.map(\.bytes) }
    for link in links
    where link.id != id && link.phase == .streaming
      && roster?.view.removal(of: link.device) == nil
    {
      sendRoster(records, to: link.id, &turn)
    }
    rosterChanged(&turn)
  }

  /// Signs an act that this device may do.
  mutating func amend(_ token: UInt64, _ act: RosterAct, _ turn: inout Turn) {
    let body: MembershipRecord.Body
    let target: DeviceID
    switch act {
    case .rename(let device, let name): (body, target) = (.rename(device, name: name), device)
    case .role(let device, let role): (body, target) = (.role(device, role), device)
    case .remove(let device): return remove(token, device, &turn)
    }
    var isOwnName = false
    if case .rename(device, _) = act { isOwnName = true }
    guard let roster, removedBy == nil, !commit.hasFailed, let own = roster.view.member(device),
      own.role == .admin || isOwnName, roster.view.isMember(target)
    else { return turn.effects.append(.amended(token: token, isDone: false)) }
    let records = sign([body])
    guard !records.isEmpty else {  // a full roster
      return turn.effects.append(.amended(token: token, isDone: false))
    }
    took(records, except: nil, &turn)
    commit.then(.amended(token: token))
  }

  mutating func rosterChanged(_ turn: inout Turn) {
    if removedBy != nil { return leave(&turn) }
    let members = otherMembers.map(\.device)
    meetMembers()
    noteCut()
    statementDue = turn.now
    noteFloor(turn.now)
    dialling.members(members)
    dialling.nudged(nil, at: turn.now)
    for link in links where link.device != device && !members.contains(link.device) {
      sendFarewell(link.device, link.id, &turn)
      close(link.id, .notMember, &turn)
    }
    if roster?.view.member(device)?.role != .admin { closeInvites(.withdrawn, &turn) }
    for sighting in sightings { offer(sighting) }
    turn.effects.append(.rosterChanged)
    turn.effects.append(.peersChanged)
    advertise(&turn)
  }
}
