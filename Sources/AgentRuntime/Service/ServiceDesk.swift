// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer
import ListModel
import NodeEngine
import Roster
import WireCodec

/// What the service sees of the world during one call; dropped at its end, so that the engine stays
/// the only owner of its columns.
struct ServiceDesk {
  private(set) var replica: Replica
  let roster: MembershipView?
  let device: DeviceID
  let agent: AgentFacts
  var peers: [PeerStatus] = []
  /// When devices were last met, removed ones among them.
  var contacts: [(device: DeviceID, at: WallTime)] = []
  var changesOnlyHere: UInt64 = 0
  /// What each other member holds durably.
  var held: [(device: DeviceID, coverage: Coverage)] = []
  /// The last change that this device wrote.
  var ownTip: Tip?
  /// How long an invite is good for.
  var inviteSeconds: Int64 = 0
  /// Members for whom changes stay in the log that are old enough to leave it.
  var floorHolders: [FloorHolder] = []
  /// Devices that were removed.
  var removals: [RemovalRow] = []
  /// Who removed this device; `nil` while it is a member.
  var removedBy: DeviceID?
  /// From so many silent days on a member that holds the log is worth a warning.
  static let floorHeldDays: UInt32 = 7

  /// The same for a request that may look at what was removed long ago: nothing is cold in it.
  func opened(for request: Request) -> ServiceDesk {
    guard replica.coldItemCount > 0, request.mayNameCold(replica) else { return self }
    var desk = self
    desk.replica = replica.thawed
    return desk
  }

  /// Display name of a device; its first group where the roster does not know it.
  func name(_ device: DeviceID) -> String {
    let known = roster?.member(device) ?? roster?.formerMembers.first { $0.device == device }
    return known?.name.string ?? String(device.groups.prefix(4))
  }

  /// The terminal that rows are numbered for and that is to remember them: none for a program, and none
  /// while the agent does not run, for then nothing can be kept.
  func numbering(_ context: RequestContext) -> String? {
    guard agent.started != nil, let display = context.display, !display.isJSON else { return nil }
    return context.terminal
  }

  var ownName: String { name(device) }

  func member(named name: String) throws(Problem) -> DeviceID {
    let others = (roster?.members ?? []).filter { $0.device != device }
    let wanted = Text(name)
    if let exact = others.first(where: { $0.name == wanted || $0.device.groups == name }) {
      return exact.device
    }
    throw Problem(
      .unknownPeer, "no peer \"\(name)\"",
      suggest: Suggestion.nearest(to: name, among: others.map(\.name.string)))
  }

  /// A member, this device among them, or one that was.
  func device(named name: String) throws(Problem) -> DeviceID {
    let wanted = Text(name)
    let all = (roster?.members ?? []) + (roster?.formerMembers ?? [])
    if let exact = all.first(where: { $0.name == wanted || $0.device.groups == name }) {
      return exact.device
    }
    throw Problem(
      .unknownPeer, "no device \"\(name)\"", detail: "see hedge members",
      suggest: Suggestion.nearest(to: name, among: all.map(\.name.string)))
  }

  /// The peers as the API shows them.
  var peerRows: [ControlAPI.PeerRow] {
    peers.map { status in
      let isLive = status.link != nil && (status.state == .inSync || status.state == .syncing)
      let role = roster?.member(status.device)?.role
      return ControlAPI.PeerRow(
        name: status.name, device: status.device.groups, state: Self.state(status.state),
        address: status.endpoint?.text, interface: status.link.flatMap { agent.interfaces[$0] },
        via: isLive ? "direct" : status.isRelayed ? "relayed" : nil,
        rttMicroseconds: status.rtt.map { Int64($0.nanoseconds / 1000) },
        toSend: Int64(clamping: status.toSend),
        toGet: isLive ? Int64(clamping: status.toGet) : nil,
        lastContact: status.lastContact?.milliseconds,
        role: role.map { "\($0)" } ?? "member",
        version: status.version.isEmpty ? nil : status.version,
        clockOffsetMilliseconds: status.clockOffsetMilliseconds)
    }
  }

  private static func state(_ state: PeerStatus.State) -> PeerState {
    switch state {
    case .inSync: .inSync
    case .syncing: .syncing
    case .connecting: .connecting
    case .offline: .offline
    case .neverMet: .neverMet
    }
  }

  /// What to do about two copies of one device: its key must be made anew on one of them.
  static let copyAdvice =
    "on one of them, once it is in sync: stop the agent, move its data and state folders away, "
    + "start it and run `hedge join` with a code of `hedge invite`"

  static func damageWarning(copy: String?, isNow: Bool) -> Warning {
    let keeping = copy.map { "The data as it was is kept in \($0)" } ?? "No copy could be kept"
    return Warning(
      code: .damagedData,
      text: isNow
        ? "part of what was on this disk could not be read; what other members have comes back "
          + "from them. \(keeping)"
        : "part of what was on this disk could once not be read. \(keeping): "
          + "remove that file when nothing is missed")
  }

  /// What to show for an alarm; `nil` for one that passes by itself.
  func warning(_ alarm: Alarm) -> Warning? {
    switch alarm {
    case .fork(_, let author, _):
      Warning(
        code: .fork,
        text:
          "two copies of \(name(author)) wrote at the same time; the edits of both are kept. \(Self.copyAdvice)"
      )
    case .setAside(let author, let changes):
      Warning(
        code: .quarantine,
        text: "\(changes) changes of \(name(author)) from after its removal were set aside")
    case .copied:
      Warning(
        code: .clonedData,
        text:
          "the data of this agent was copied or put back from a backup; its edits go on apart from "
          + "those of the original. If that still runs: \(Self.copyAdvice)")
    case .setback(let device):
      Warning(
        code: .clonedData,
        text:
          "\(name(device)) has less than it had confirmed: its data was put back from a backup or "
          + "copied, or its disk lost something; what the others have comes back to it. If the "
          + "original still runs: \(Self.copyAdvice)")
    case .cloned(let device):
      Warning(
        code: .clonedData, text: "two machines run as \(name(device)); \(Self.copyAdvice)")
    case .fingerprint(let device):
      Warning(
        code: .fingerprint, text: "\(name(device)) has the same changes but shows other lists")
    case .invalidChange(let author, let from):
      Warning(
        code: .quarantine,
        text:
          "a change by \(author.map(name) ?? "an unknown device"), got from \(name(from)), is invalid"
      )
    case .readerWrote(let device):
      Warning(
        code: .quarantine, text: "\(name(device)) may only read; what it wrote is ignored by all")
    case .clockAhead, .storage: nil
    }
  }

  /// All that is worth a person's attention now.
  ///
  /// - Parameter clocksAhead: Whose stamps came from the future. As long as a link to such a device
  ///   measures its clock, what is measured counts.
  func currentWarnings(
    _ raised: [Warning], clocksAhead: [(device: DeviceID, minutes: UInt64)]
  ) -> [Warning] {
    var out = raised + clockWarnings(clocksAhead)
    if let removedBy {
      out.append(
        Warning(
          code: .removed,
          text: "this device was removed from the space by \(name(removedBy)): nothing goes out "
            + "or comes in any more; its lists can still be read and exported"))
    }
    if let trouble = agent.storeTrouble { out.append(Warning(code: .diskFull, text: trouble)) }
    if case .unavailable(let why) = agent.discovery {
      out.append(
        Warning(
          code: .noDiscovery,
          text: "peers are not found by themselves: \(why); known addresses still work"))
    }
    for holder in floorHolders where holder.silentDays >= Self.floorHeldDays {
      out.append(
        Warning(
          code: .floorHeld,
          text: "\(name(holder.device)) was not heard for \(holder.silentDays) days; "
            + "\(holder.changes) changes are kept for it"))
    }
    return out
  }

  private func clockWarnings(_ ahead: [(device: DeviceID, minutes: UInt64)]) -> [Warning] {
    var texts: [String] = []
    for peer in peers {
      guard let offset = peer.clockOffsetMilliseconds, abs(offset) > 60_000 else { continue }
      let side = offset > 0 ? "ahead of" : "behind"
      texts.append("the clock of \(peer.name) is \(abs(offset) / 1000) s \(side) ours")
    }
    for (device, minutes) in ahead {
      let isMeasured = peers.contains {
        $0.device == device && $0.clockOffsetMilliseconds != nil
      }
      if isMeasured { continue }
      texts.append("\(name(device)) wrote with a clock that was \(minutes) minutes ahead")
    }
    return texts.map { Warning(code: .clockSkew, text: $0) }
  }
}

extension RequestContext {
  init(_ request: HTTPRequest) {
    self.init(
      terminal: request.headers[.terminal], client: request.headers[.client],
      display: request.headers[.display].map { Display(header: $0) },
      ifMatch: request.headers[.ifMatch], ifNoneMatch: request.headers[.ifNoneMatch])
    accept = request.headers[.accept]
    list = request.headers[.list]
  }
}

extension RequestForm {
  init(_ request: HTTPRequest) {
    var query = request.query.map { QueryItem($0.name, $0.value) }
    // A browser that connects again sends the query of its first time: the header is newer.
    if let last = request.headers[.lastEventID] { query.append(QueryItem("since", last)) }
    self.init(
      request.method == .head ? "GET" : request.method.rawValue, request.path,
      query: query, body: request.body,
      contentType: request.headers[.contentType])
  }
}

/// Rows of terminal views: item ids one after the other.
enum ViewRow {
  static func bytes(_ items: [ItemID]) -> [UInt8] {
    var out: [UInt8] = []
    for item in items { item.append(to: &out) }
    return out
  }

  static func items(_ bytes: [UInt8]) -> [ItemID] {
    stride(from: 0, to: bytes.count - bytes.count % 12, by: 12).map { at in
      ItemID(
        nonce: bytes[at..<at + 8].reduce(0) { $0 << 8 | UInt64($1) },
        index: bytes[at + 8..<at + 12].reduce(0) { $0 << 8 | UInt32($1) })
    }
  }
}

extension Request {
  /// Whether the answer may be about items that are cold.
  fileprivate func mayNameCold(_ replica: Replica) -> Bool {
    switch self {
    case .trash, .undo, .undoSteps, .log, .conflicts, .takeConflict, .importFile: true
    case .transact(let transaction):
      transaction.ops.contains { op in
        switch op {
        case .restore: true
        // A create that is repeated.
        case .add(let add): add.items.contains { $0.id.map(replica.isCold) ?? false }
        default: false
        }
      }
    default: false
    }
  }
}
