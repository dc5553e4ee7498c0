// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer
import ListModel
import ListService
import NodeEngine
import Roster
import WireCodec

/// Who waits for a join under way: first for the pairing, then for the first lists.
struct PendingJoin {
  let reply: ListAgentService.PendingReply
  var deadline: Moment?
}

/// The newest join, until the agent ends.
struct JoinDesk {
  /// `nil` once it is answered or its client is gone.
  var waiting: PendingJoin?
  var code: PairingCode?
  /// Where the inviter should be, as it was asked.
  var address: String?
  /// Whose space this agent is in by that code; `nil` until that is on disk.
  var inviter: (device: DeviceID, name: String)?
}

/// Becoming a member of somebody's space.
extension ListAgentService {
  mutating func startJoin(
    _ request: JoinRequest, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    guard joins.waiting == nil else { throw Problem(.busy, "this agent is joining already") }
    guard let code = PairingCode(request.code) else {
      throw Problem(
        .usage, "that is not a code, or one character of it is wrong",
        detail: "it has 4 groups of 5 characters")
    }
    if code == joins.code, joins.inviter != nil, desk.removedBy == nil {
      // It is in already, by this very code: whoever asked was not there to hear it.
      joins.waiting = PendingJoin(reply: reply)
      awaitFirstLists(desk, &orders)
      return settleJoin(desk, &orders)
    }
    if desk.agent.isPaused {
      throw Problem(.conflict, "sync is paused", suggest: "hedge sync resume")
    }
    var endpoints: [Endpoint] = []
    if let address = request.address { endpoints = try AddressText.endpoints(address) }
    joins = JoinDesk(
      waiting: PendingJoin(reply: reply), code: code, address: request.address)
    orders.append(.engine(.join(code, at: endpoints)))
  }

  /// This agent is a member of the inviter's space, on disk.
  mutating func joined(
    _ inviter: DeviceID, _ name: String, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    // What was told of the former space is gone, on disk too.
    (undoLog, journal, lastJournalNumber) = (UndoLog(), [], 0)
    uses = []
    joins.inviter = (inviter, name)
    awaitFirstLists(desk, &orders)
  }

  private mutating func awaitFirstLists(_ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    guard joins.waiting != nil else { return }
    joins.waiting?.deadline = Moment(
      nanoseconds: desk.agent.now.nanoseconds + Self.firstListsTime)
    orders.append(.wakeAt(nextWake(desk)))
  }

  mutating func joinFailed(
    _ failure: JoinFailure, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    guard let pending = joins.waiting else { return }
    let address = joins.address
    joins = JoinDesk()
    refuse(problem(failure, at: address, desk.agent), pending.reply, &orders)
  }

  /// A client is gone: if it had asked for a join, the engine stops as well, so that the next request
  /// finds nothing under way. A code that was proved by then works once more.
  mutating func abandonJoin(_ id: RequestID, _ orders: inout [ServiceOrder]) {
    guard joins.waiting?.reply.id == id else { return }
    joins.waiting = nil
    if joins.inviter == nil { orders.append(.engine(.cancelJoin)) }
  }

  private func problem(
    _ failure: JoinFailure, at address: String?, _ agent: AgentFacts
  ) -> Problem {
    switch failure {
    case .nobodyFound where address != nil:
      Problem(
        .timeout, "no inviter answered at \(address ?? "")",
        detail:
          "the port is the one of hedge agent status on the other machine, where hedge invite waits"
      )
    case .nobodyFound:
      Problem(
        .timeout, "no inviter was found",
        detail: "is the other machine on this network? Otherwise: hedge join --at HOST:PORT")
    case .refused:
      Problem(
        .codeRefused, "the code is wrong, used or expired there",
        detail: "ask for a new one: hedge invite")
    case .unanswered:
      Problem(
        .busy, "the inviter lets nobody try right now",
        detail: "too many wrong codes were tried there; join again in a minute")
    case .spaceInUse:
      Problem(
        .notAllowed, "this agent has lists or members of its own already",
        detail: "to begin anew: hedge export --all -o lists.json; hedge agent stop; "
          + Self.putAside(agent) + "then start the agent and hedge join again")
    case .protocolBroken:
      Problem(.failed, "the inviter speaks another version", detail: "use one version on both")
    case .cancelled: Problem(.declined, "the join was cancelled")
    case .storage: Problem(.storage, "the disk did not take the new space", detail: "join again")
    }
  }

  /// Commands that take lists and device key out of the way: another agent that starts is a new device.
  private static func putAside(_ agent: AgentFacts) -> String {
    var folders = [agent.dataDirectory]
    if !agent.stateDirectory.hasPrefix(agent.dataDirectory + "/") {
      folders.append(agent.stateDirectory)
    }
    return folders.map { folder in
      "mv \(ShellWord.quoted(folder)) \(ShellWord.quoted(folder + ".old")); "
    }.joined()
  }

  /// Answers a join once the first peer is in step, or it takes too long.
  mutating func settleJoin(_ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    guard let pending = joins.waiting, let inviter = joins.inviter, let deadline = pending.deadline
    else { return }
    let isReady = desk.peers.contains { $0.device == inviter.device && $0.state == .inSync }
    guard isReady || desk.agent.now.nanoseconds >= deadline.nanoseconds else { return }
    joins.waiting = nil
    let lists = desk.replica.children(of: .root)
    let items = lists.reduce(0) { $0 + desk.replica.aliveDescendantCount(of: $1) }
    let address = desk.peers.first { $0.device == inviter.device }?.endpoint?.text
    send(
      .joined(
        JoinReply(
          space: "home", inviterName: inviter.name, inviterGroups: inviter.device.groups,
          address: address, deviceName: desk.ownName, deviceGroups: desk.device.groups,
          members: desk.roster?.members.map(\.name.string) ?? [], listCount: lists.count,
          itemCount: items)), pending.reply, desk, &orders)
  }
}
