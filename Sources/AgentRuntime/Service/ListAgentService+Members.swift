// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import NodeEngine
import Roster

/// An act on the roster that is on its way to the disk.
struct PendingAmend {
  let reply: ListAgentService.PendingReply
  let answer: Reply
}

/// A removal that is on disk, and whose answer waits for those who are there.
struct PendingRevoke {
  let reply: ListAgentService.PendingReply
  let row: RemovalRow
  let deadline: Moment
}

/// The devices of the space: who they are and what they may.
extension ListAgentService {
  func memberRows(_ desk: ServiceDesk) -> [MemberRow] {
    guard let roster = desk.roster else { return [] }
    let silence = Int64(EngineSettings().silentDays) * 86_400_000
    let members = roster.members.map { member in
      let peer = desk.peers.first { $0.device == member.device }
      let isSilent =
        peer?.lastContact.map { desk.agent.wall.milliseconds - $0.milliseconds > silence } ?? false
      if member.device == desk.device, desk.removedBy != nil { return row(member, .removed, desk) }
      return row(member, isSilent ? .silent : .active, desk)
    }
    return members + roster.formerMembers.map { row($0, .removed, desk) }
  }

  /// What the engine knows of removed devices, for people.
  func removals(_ engine: borrowing Engine, _ desk: ServiceDesk) -> [RemovalRow] {
    var rows: [RemovalRow] = []
    for removal in desk.roster?.removals ?? [] {
      rows.append(
        RemovalRow(
          name: desk.name(removal.device), device: removal.device.groups,
          by: removal.by.first.map(desk.name) ?? "",
          unconfirmed: engine.unconfirmed(removal.device).map(\.name.string)))
    }
    return rows
  }

  private func row(
    _ member: Member, _ state: MemberRow.State, _ desk: ServiceDesk
  ) -> MemberRow {
    MemberRow(
      name: member.name.string, device: member.device.groups, role: "\(member.role)",
      state: state, addedBy: member.addedBy == member.device ? nil : desk.name(member.addedBy),
      at: lastContact(member.device, desk),
      isSelf: member.device == desk.device,
      removal: removal(of: member, desk))
  }

  /// A link that is up says it best; of a device that was removed there is what was kept.
  private func lastContact(_ device: DeviceID, _ desk: ServiceDesk) -> Int64? {
    let live = desk.peers.first { $0.device == device }?.lastContact
    let kept = desk.contacts.first { $0.device == device }?.at
    return (live ?? kept)?.milliseconds
  }

  private func removal(of member: Member, _ desk: ServiceDesk) -> RemovalRow? {
    if member.device == desk.device, let by = desk.removedBy {
      return RemovalRow(
        name: desk.ownName, device: member.device.groups, by: desk.name(by), unconfirmed: [])
    }
    return desk.removals.first { sameBytes($0.device, member.device.groups) }
  }

  mutating func changeMember(
    _ change: MemberChange, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    try refuseWithoutDisk(desk)
    switch change {
    case .alias(let peer, let name): try alias(peer, name, reply, desk, &orders)
    case .role(let peer, let word): try role(peer, word, reply, desk, &orders)
    case .remove(let peer, let isDryRun): try remove(peer, isDryRun, reply, desk, &orders)
    }
  }

  private mutating func alias(
    _ peer: String, _ name: String, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let device = try current(peer, desk)
    if let defect = NameRule.deviceDefect(of: name) {
      throw Problem(.invalidName, "the device name \"\(name)\" \(defect)")
    }
    if device != desk.device { try needAdmin(desk, "rename other devices") }
    let isTaken = (desk.roster?.members ?? []).contains {
      $0.device != device && $0.name == Text(name)
    }
    if isTaken { throw Problem(.nameTaken, "another device is called \(name)") }
    amend(
      .rename(device, Text(name)), .done(verb: "renamed \(peer) to", subject: name), reply,
      &orders)
  }

  private mutating func role(
    _ peer: String, _ word: String, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let device = try current(peer, desk)
    guard let role = Role.allCases.first(where: { sameBytes("\($0)", word) }) else {
      throw Problem(.invalidValue, "no role \(word)", detail: "roles: admin, member, reader")
    }
    try needAdmin(desk, "give roles")
    let members = desk.roster?.members ?? []
    if members.first(where: { $0.device == device })?.role == role {
      return send(.done(verb: "already \(role):", subject: peer), reply, desk, &orders)
    }
    let isLast = !members.contains { $0.device != device && $0.role == .admin }
    if isLast, role != .admin {
      throw Problem(
        .conflict, "\(peer) is the only admin", detail: "make another device an admin first")
    }
    amend(.role(device, role), .done(verb: "\(role) now:", subject: peer), reply, &orders)
  }

  private mutating func remove(
    _ peer: String, _ isDryRun: Bool, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let device = try current(peer, desk)
    try needAdmin(desk, "remove devices")
    guard device != desk.device else {
      throw Problem(
        .conflict, "this device does not remove itself",
        detail: "run hedge revoke \(peer) on another one")
    }
    if isDryRun {
      return send(.done(verb: "would remove", subject: desk.name(device)), reply, desk, &orders)
    }
    let row = RemovalRow(
      name: desk.name(device), device: device.groups, by: desk.ownName, unconfirmed: [])
    amend(.remove(device), .revoked(row), reply, &orders)
  }

  /// A device that is a member now.
  private func current(_ name: String, _ desk: ServiceDesk) throws(Problem) -> DeviceID {
    let device = try desk.device(named: name)
    guard desk.roster?.isMember(device) ?? false else {
      throw Problem(
        .conflict, "\(name) was removed", detail: "it can be paired afresh with a new key")
    }
    return device
  }

  private func needAdmin(_ desk: ServiceDesk, _ what: String) throws(Problem) {
    if desk.removedBy != nil { throw Self.notMember(desk) }
    guard desk.roster?.member(desk.device)?.role == .admin else {
      throw Problem(.notAllowed, "only an admin may \(what)", detail: "hedge members names them")
    }
  }

  private mutating func amend(
    _ act: RosterAct, _ answer: Reply, _ reply: PendingReply, _ orders: inout [ServiceOrder]
  ) {
    lastToken += 1
    amends[lastToken] = PendingAmend(reply: reply, answer: answer)
    orders.append(.engine(.amend(token: lastToken, act)))
  }

  /// So long the answer to a removal waits for members that are there: they confirm it at once.
  static let confirmTime: UInt64 = 2_000_000_000

  mutating func settleRevokes(_ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    let present = desk.peers.filter { $0.state == .inSync || $0.state == .syncing }.map(\.name)
    for pending in revokes {
      let row = desk.removals.first { sameBytes($0.device, pending.row.device) } ?? pending.row
      let isAwaited = row.unconfirmed.contains { name in
        present.contains { sameBytes($0, name) }
      }
      if isAwaited, desk.agent.now < pending.deadline { continue }
      revokes.removeAll { $0.reply.id == pending.reply.id }
      send(.revoked(row), pending.reply, desk, &orders)
    }
    if !revokes.isEmpty { orders.append(.wakeAt(nextWake(desk))) }
  }

  mutating func amended(
    _ token: UInt64, _ isDone: Bool, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    guard let pending = amends.removeValue(forKey: token) else { return }
    if isDone, case .revoked(let row) = pending.answer {
      let deadline = Moment(nanoseconds: desk.agent.now.nanoseconds + Self.confirmTime)
      revokes.append(PendingRevoke(reply: pending.reply, row: row, deadline: deadline))
      return settleRevokes(desk, &orders)
    }
    if isDone { return send(pending.answer, pending.reply, desk, &orders) }
    refuse(
      Problem(.notAllowed, "the roster was not changed", detail: "only an admin may change it"),
      pending.reply, &orders)
  }
}
