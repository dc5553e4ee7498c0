// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer
import ListModel
import ListService
import NodeEngine
import QRCodes
import Roster
import WireCodec

/// Open invites and who waits for them.
struct InviteDesk {
  struct Open {
    /// Its public name in the API; says nothing of the code.
    let name: String
    let code: PairingCode
    var waiting: [ListAgentService.PendingReply] = []
    var joiner: (device: DeviceID, name: String)?
    var end: InviteEnd?
  }

  /// Requests for an invite that the engine has not answered yet, in its order; `nil` for a client
  /// that left meanwhile.
  var asked: [ListAgentService.PendingReply?] = []
  /// Oldest first; at most `openMax`, closed ones among them.
  var open: [Open] = []
  var count = 0

  static let openMax = 32

  func place(of code: PairingCode) -> Int? { open.lastIndex { $0.code == code } }

  mutating func forget(_ id: RequestID) {
    for at in asked.indices where asked[at]?.id == id { asked[at] = nil }
    for at in open.indices { open[at].waiting.removeAll { $0.id == id } }
  }
}

/// Peers, pairing and the network switch.
extension ListAgentService {
  func peers(
    _ name: String?, _ reply: PendingReply, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    var rows = desk.peerRows
    if let name {
      let device = try desk.member(named: name).groups
      rows = rows.filter { $0.device == device }
    }
    let addresses = desk.agent.fixedPeers.map(\.text)
    send(
      .peers(
        PeersReply(
          peers: rows, addresses: addresses, removals: desk.removals,
          removedBy: desk.removedBy.map(desk.name), isDetail: name != nil)), reply, desk, &orders)
  }

  func addPeer(
    _ address: String, _ reply: PendingReply, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let found = try AddressText.endpoints(address)
    var fixed = desk.agent.fixedPeers
    for endpoint in found where !fixed.contains(endpoint) { fixed.append(endpoint) }
    guard fixed.count <= 64 else { throw Problem(.usage, "there are 64 addresses already") }
    orders.append(.setFixedPeers(fixed))
    send(.done(verb: "added", subject: address), reply, desk, &orders)
  }

  func removePeer(
    _ address: String, _ reply: PendingReply, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    if let device = try? desk.device(named: address) {
      let name = desk.name(device)
      throw Problem(
        .usage, "\(name) is a device, and peers rm takes an address HOST:PORT",
        detail: "to remove the device: hedge revoke \(address)")
    }
    let fixed = desk.agent.fixedPeers
    let found = try AddressText.endpoints(address)
    let left = fixed.filter { !found.contains($0) }
    guard left.count < fixed.count else {
      throw Problem(
        .unknownPeer, "the address \(address) was not added",
        detail: fixed.isEmpty
          ? "none was: hedge peers add HOST:PORT adds one"
          : "there is \(fixed.map(\.text).joined(separator: ", "))")
    }
    orders.append(.setFixedPeers(left))
    send(.done(verb: "removed", subject: address), reply, desk, &orders)
  }

  // MARK: Sync

  mutating func sync(
    _ name: String?, _ reply: PendingReply, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    if desk.removedBy != nil { throw Self.notMember(desk) }
    if desk.agent.isPaused {
      throw Problem(.conflict, "sync is paused", suggest: "hedge sync resume")
    }
    var device: DeviceID?
    if let name { device = try desk.member(named: name) }
    orders.append(.engine(.nudge(device)))
    let deadline = Moment(nanoseconds: desk.agent.now.nanoseconds + Self.syncTime)
    syncs[reply.id] = PendingSync(reply: reply, device: device, deadline: deadline)
    settleSyncs(desk, &orders)
    orders.append(.wakeAt(nextWake(desk)))
  }

  mutating func settleSyncs(_ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    for (id, pending) in syncs.sorted(by: { $0.key < $1.key }) {
      if let trouble = desk.agent.storeTrouble {
        syncs[id] = nil
        refuse(
          Problem(
            .storage, trouble, detail: "what others wrote shows, and is kept once there is room"),
          pending.reply, &orders)
        continue
      }
      let wanted = desk.peers.filter { pending.device == nil || $0.device == pending.device }
      let isEqual = wanted.allSatisfy { $0.state == .inSync && $0.toSend == 0 && $0.toGet == 0 }
      let isLate = desk.agent.now.nanoseconds >= pending.deadline.nanoseconds
      guard isEqual || isLate else { continue }
      syncs[id] = nil
      if !isEqual {
        let behind = wanted.filter { $0.state != .inSync }.map(\.name).joined(separator: ", ")
        refuse(
          Problem(
            .timeout, "not in step yet: \(behind)", detail: "the changes follow by themselves"),
          pending.reply, &orders)
        continue
      }
      send(.sync(SyncReply(isPaused: false, peers: desk.peerRows)), pending.reply, desk, &orders)
    }
  }

  // MARK: Inviting

  mutating func invite(
    _ request: InviteRequest, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    guard let role = Role.allCases.first(where: { sameBytes("\($0)", request.role) }) else {
      throw Problem(
        .invalidValue, "no role \(request.role)", detail: "roles: admin, member, reader")
    }
    if desk.removedBy != nil { throw Self.notMember(desk) }
    invites.asked.append(reply)
    orders.append(.engine(.openInvite(role)))
  }

  mutating func awaitJoiner(
    _ name: String, _ reply: PendingReply, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    guard let at = invites.open.firstIndex(where: { $0.name == name }) else {
      throw Problem(.unknownRoute, "no invite \(name)", detail: "it may be over: hedge invite")
    }
    invites.open[at].waiting.append(reply)
    settleInvites(desk, &orders)
  }

  mutating func paired(
    _ event: PairingEvent, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    switch event {
    case .inviteOpened(let code, let role): opened(code, role, desk, &orders)
    case .inviteRefused(let refusal):
      if let reply = invites.asked.removeFirst() { refuse(problem(refusal), reply, &orders) }
    case .inviteClosed(let code, let end):
      if let at = invites.place(of: code) { invites.open[at].end = end }
      settleInvites(desk, &orders)
    case .memberAdded(let code, let device, let name):
      if let at = invites.place(of: code) { invites.open[at].joiner = (device, name) }
      settleInvites(desk, &orders)
    case .joined(_, let inviter, let name): joined(inviter, name, desk, &orders)
    case .joinFailed(let failure): joinFailed(failure, desk, &orders)
    }
  }

  private mutating func opened(
    _ code: PairingCode, _ role: Role, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    invites.count += 1
    invites.open.append(InviteDesk.Open(name: "i-\(invites.count)", code: code))
    if invites.open.count > InviteDesk.openMax { invites.open.removeFirst() }
    let seconds = desk.inviteSeconds
    let answer = InviteReply(
      invite: "i-\(invites.count)", code: code.text,
      expires: desk.agent.wall.milliseconds + seconds * 1000, validSeconds: seconds,
      role: "\(role)", deviceName: desk.ownName, deviceGroups: desk.device.groups,
      qr: QRCode("hedgerow:\(code.text)")?.lines)
    if let reply = invites.asked.removeFirst() { send(.invite(answer), reply, desk, &orders) }
  }

  private func problem(_ refusal: InviteRefusal) -> Problem {
    switch refusal {
    case .notAdmin:
      Problem(
        .notAllowed, "only an admin may invite",
        detail: "hedge peers shows who is one; run hedge invite there")
    case .paused: Problem(.conflict, "sync is paused", suggest: "hedge sync resume")
    }
  }

  private mutating func settleInvites(_ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    for at in invites.open.indices {
      let open = invites.open[at]
      // A used code has its joiner in a moment.
      let isOver = open.joiner != nil || (open.end != nil && open.end != .used)
      if open.waiting.isEmpty || !isOver { continue }
      invites.open[at].waiting = []
      for reply in open.waiting {
        if let joiner = open.joiner {
          let role = desk.roster?.member(joiner.device)?.role
          send(
            .joiner(
              JoinerReply(
                name: joiner.name, deviceGroups: joiner.device.groups,
                role: role.map { "\($0)" } ?? "member")), reply, desk, &orders)
        } else {
          refuse(
            Problem(.over, "nobody joined with that code", suggest: "hedge invite"), reply,
            &orders)
        }
      }
    }
  }
}
