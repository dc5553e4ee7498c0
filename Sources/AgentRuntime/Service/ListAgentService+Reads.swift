// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import Glibc
import HTTPServer
import ListModel
import ListService
import NodeEngine
import SQLiteStore
import WireCodec

/// Requests that only look.
extension ListAgentService {
  mutating func read(
    _ request: Request, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let reader = reader(desk, reply.context)
    switch request {
    case .overview:
      let status = status(desk, isCheck: false)
      send(.overview(OverviewReply(lists: reader.lists(), status: status)), reply, desk, &orders)
    case .lists:
      let shown = reader.lists().filter { reply.guest == nil || $0.list.id == reply.guest?.list }
      send(.lists(shown), reply, desk, &orders)
    case .items(let query): try items(query, reader, reply, desk, &orders)
    case .show(let list, let selector):
      var detail = try reader.detail(list, selector)
      detail.overridden = overridden(detail.page.rows.first?.id, desk)
      send(.item(detail), reply, desk, &orders)
    case .trash(let query): trash(try reader.trash(query), reply, desk, &orders)
    case .status(let isCheck):
      send(.status(status(desk, isCheck: isCheck)), reply, desk, &orders)
    case .peers(let name): try peers(name, reply, desk, &orders)
    case .version: send(.version(version), reply, desk, &orders)
    case .agentStatus: send(.agent(agentReply(desk)), reply, desk, &orders)
    case .export(let export):
      send(.exported(try self.export(export, reader, desk)), reply, desk, &orders)
    case .changes(let since, let lists):
      var wanted: [ItemID] = []
      for list in lists { wanted.append(try reader.resolver.list(list)) }
      guard let events = feed.events(since: since ?? feed.cursor) else {
        let gap = Event(
          kind: .gap, cursor: feed.cursor, detail: .gap(reason: "cursor too old"))
        return send(.changes([gap], cursor: feed.cursor), reply, desk, &orders)
      }
      let gate = reply.guest.map { GuestGate(guest: $0, resolver: reader.resolver) }
      let shown = events.filter { event in
        wanted.isEmpty || event.item.map(wanted.contains) ?? false
          || event.scope.contains(where: wanted.contains)
      }.compactMap { event in gate.map { $0.heard(event) } ?? event }
      send(.changes(shown, cursor: feed.cursor), reply, desk, &orders)
    default: throw Problem(.unknownRoute, "not a read")
    }
  }

  private mutating func items(
    _ query: ItemsQuery, _ reader: ListReader, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    var page = try reader.page(query)
    if reply.context.display == nil, EntityTag.matches(reply.context.ifNoneMatch, page.list.tag) {
      return orders.append(.reply(reply.id, Revisions.unchanged(page.list.tag)))
    }
    page.syncNote = syncNote(desk)
    if let terminal = desk.numbering(reply.context) {
      var shown: [ItemID] = []
      for at in page.rows.indices where !page.rows[at].isContext {
        shown.append(page.rows[at].id)
        page.rows[at].number = shown.count
      }
      remember(shown, terminal, &orders)
    }
    send(.items(page), reply, desk, &orders)
  }

  private mutating func trash(
    _ reply: TrashReply, _ pending: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) {
    var shown = reply
    let context = pending.context
    if let terminal = desk.numbering(context) {
      for at in shown.rows.indices { shown.rows[at].number = at + 1 }
      remember(shown.rows.map(\.id), terminal, &orders)
    }
    send(.trash(shown), pending, desk, &orders)
  }

  /// Merge decisions since yesterday whose other value was not taken.
  private func recentDecisions(_ desk: ServiceDesk) -> Int {
    let reader = ConflictReader(resolver(desk, nil), nameOf: desk.name)
    let since = desk.agent.wall.milliseconds - 86_400_000
    return journal.count { numbered in
      let entry = numbered.entry
      return max(entry.keptBy.milliseconds, entry.droppedBy.milliseconds) >= since
        && !reader.isTaken(entry)
    }
  }

  /// One phrase on who has what; never more than is known.
  private func syncNote(_ desk: ServiceDesk) -> String? {
    if desk.peers.isEmpty { return nil }
    let current = desk.peers.filter { $0.state == .inSync }.count
    if current == desk.peers.count { return "on all \(current) peers" }
    return "in step with \(current) of \(desk.peers.count) peers"
  }

  func status(_ desk: ServiceDesk, isCheck: Bool) -> StatusReply {
    StatusReply(
      device: desk.device.hex, deviceGroups: desk.device.groups, name: desk.ownName,
      space: "home", version: desk.agent.version,
      uptimeSeconds: desk.agent.uptimeSeconds,
      changesOn: desk.peers.filter { $0.toSend == 0 && $0.state != .neverMet }.count,
      peers: desk.peerRows, isPaused: desk.agent.isPaused,
      recoveredCount: desk.replica.recoveredItems.count, mergeDecisionCount: recentDecisions(desk),
      warnings: desk.currentWarnings(warnings, clocksAhead: clocksAhead), isCheck: isCheck,
      web: desk.agent.webPort.map { "http://127.0.0.1:\($0)" },
      lan: desk.agent.lanPage.map { LANAddress(url: $0.origin, fingerprint: $0.fingerprint) })
  }

  private var version: VersionReply {
    VersionReply(
      version: ProductVersion.text, protocolVersion: Int(Hello.wireMajor),
      storeVersion: Int(Migrations.version))
  }

  private func agentReply(_ desk: ServiceDesk) -> AgentReply {
    AgentReply(
      processID: getpid(), version: desk.agent.version,
      uptimeSeconds: desk.agent.uptimeSeconds ?? 0,
      dataDirectory: desk.agent.dataDirectory, socket: desk.agent.socketPath,
      peerPort: desk.agent.peerPort == 0 ? nil : Int(desk.agent.peerPort),
      isPaused: desk.agent.isPaused)
  }

  /// Values of this item that were dropped in favour of a write that had not seen them.
  func overridden(_ item: ItemID?, _ desk: ServiceDesk) -> [ItemDetail.Overridden] {
    let reader = ConflictReader(resolver(desk, nil), nameOf: desk.name)
    return journal.lazy.map(\.entry).filter { $0.item == item }.map { entry in
      ItemDetail.Overridden(
        name: reader.name(entry.cell, entry.item), kept: reader.words(entry.kept),
        keptBy: desk.name(entry.keptBy.device), keptAt: entry.keptBy.milliseconds,
        dropped: reader.words(entry.dropped), droppedBy: desk.name(entry.droppedBy.device),
        droppedAt: entry.droppedBy.milliseconds)
    }
  }

  // MARK: Export

  private func export(
    _ request: ExportRequest, _ reader: ListReader, _ desk: ServiceDesk
  ) throws(Problem) -> ExportReply {
    var lists: [ItemID] = []
    if request.isAll {
      lists = desk.replica.children(of: .root)
    } else if request.lists.isEmpty {
      lists = [try reader.resolver.list(nil)]
    } else {
      for selector in request.lists { lists.append(try reader.resolver.list(selector)) }
    }
    return try ListExporter(reader).export(lists, request.format)
  }
}
