// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ControlJSON
package import HTTPServer
import ListModel
import ListService
package import NodeEngine
import Roster
import SQLiteStore

/// The service of a running agent: requests to replies, edits to the engine, folds to watchers.
///
/// What a request means is decided by `ListService`; this keeps who waits for what.
package struct ListAgentService: AgentService {
  /// How long `sync` waits for peers, `join` for the first lists.
  static let syncTime: UInt64 = 5_000_000_000
  static let firstListsTime: UInt64 = 10_000_000_000
  /// Terminals whose shown rows are remembered.
  static let viewsMax = 64
  /// Journal entries kept in memory: as many as on disk.
  static let journalMax = StoreBatch.journalKeptMax
  static let viewKind = "view"
  package static let keptKinds = [
    viewKind, WebKeys.sessionKind, WebKeys.tokenKind, GuestBook.kind, lanKind,
    NotifyRows.ruleKind,
    NotifyRows.settingsKind, UndoRow.kind, useKind,
  ]

  var handles = HandleIndex()
  var feed: EventFeed
  var views: [(terminal: String, items: [ItemID])] = []
  /// Lists that terminals use where none is named.
  var uses: [(terminal: String, list: ItemID)] = []
  var edits: [UInt64: PendingEdit] = [:]
  var lastToken: UInt64 = 0
  var streams: [RequestID: Watcher] = [:]
  /// When streams were last told that the agent is there, in nanoseconds.
  var lastBeat: UInt64 = 0
  var syncs: [RequestID: PendingSync] = [:]
  var waits: [RequestID: PendingWait] = [:]
  var logs: [UInt64: PendingLog] = [:]
  var amends: [UInt64: PendingAmend] = [:]
  var revokes: [PendingRevoke] = []
  var invites = InviteDesk()
  var joins = JoinDesk()
  var measures: [UInt64: PendingReply] = [:]
  /// Numbered as the rows on disk are: both count the same losses in the same order.
  var journal: [NumberedEntry] = []
  var lastJournalNumber: Int64 = 0
  var undoLog = UndoLog()
  var warnings: [Warning] = []
  /// Devices that wrote with stamps from the future, and how many minutes ahead; the latest of each.
  var clocksAhead: [(device: DeviceID, minutes: UInt64)] = []
  var web = WebDesk()
  /// A million revisions for each millisecond of the start: no run reaches the next one's.
  var revisionBase: UInt64 = 0
  var counters = ServiceCounters()
  var notifier = Notifier()
  /// Requests for figures that wait for the size of the store, by token.
  var scrapes: [UInt64: RequestID] = [:]
  var random: any RandomNumberGenerator & Sendable

  /// A request that waits, and the form its answer takes.
  struct PendingReply {
    let id: RequestID
    var context: RequestContext
    /// Came in by the web door.
    var isWeb = false
    /// Who may see one list alone.
    var guest: GuestBook.Guest?
    var place = NamedPlace.other
  }

  struct PendingSync {
    let reply: PendingReply
    let device: DeviceID?
    let deadline: Moment
  }

  /// - Parameters:
  ///   - cursor: Stands for the restored state, until `restoredEvents` says better.
  package init(cursor: UInt64, random: any RandomNumberGenerator & Sendable) {
    feed = EventFeed(start: cursor)
    self.random = random
  }

  package func bodyLimit(_ method: HTTPMethod, _ path: [String]) -> Int {
    RequestDecoder.bodyBytesMax(path: path)
  }

  package mutating func handle(
    _ input: ServiceInput, engine: borrowing Engine, agent: AgentFacts,
    into orders: inout [ServiceOrder]
  ) {
    let answered = orders.count
    defer { counters.take(orders[answered...]) }
    var desk = ServiceDesk(
      replica: engine.replica, roster: engine.roster?.view, device: engine.device, agent: agent)
    desk.removedBy = engine.removedBy
    desk.inviteSeconds = Int64(engine.settings.inviteTime.nanoseconds / 1_000_000_000)
    switch input {
    case .restored(let rows, let entries): restore(rows, entries, desk, &orders)
    case .restoredEvents(let rows): restore(rows, desk, &orders)
    case .request(let request):
      counters.began(request)
      desk.peers = engine.peerStatuses(at: agent.now)
      (desk.held, desk.ownTip) = (engine.acknowledged(), engine.ownTip)
      desk.changesOnlyHere = engine.changesOnlyHere()
      desk.floorHolders = engine.floorHolders()
      desk.contacts = engine.lastContacts
      desk.removals = removals(engine, desk)
      take(request, desk, &orders)
    case .clientLeft(let id): forget(id, &orders)
    case .edited(let token, let result): edited(token, result, desk, &orders)
    case .changed(let events, let origin): changed(events, origin, desk, &orders)
    case .peersChanged:
      desk.peers = engine.peerStatuses(at: agent.now)
      (desk.held, desk.ownTip) = (engine.acknowledged(), engine.ownTip)
      settleSyncs(desk, &orders)
      settleJoin(desk, &orders)
      settleWaits(desk, &orders)
    case .rosterChanged: break
    case .changesRead(let token, let page): readLog(token, page, desk, &orders)
    case .amended(let token, let isDone):
      desk.removals = removals(engine, desk)
      desk.peers = engine.peerStatuses(at: agent.now)
      amended(token, isDone, desk, &orders)
    case .pairing(let event): paired(event, desk, &orders)
    case .alarm(let alarm): raise(alarm, desk)
    case .damaged(let copy, let isNow):
      warnings.append(ServiceDesk.damageWarning(copy: copy, isNow: isNow))
    case .discovery: break
    case .storeMeasured(let token, let sizes):
      desk.peers = engine.peerStatuses(at: agent.now)
      desk.floorHolders = engine.floorHolders()
      measured(token, sizes, desk, &orders)
    case .lanPageSet(let why): lanPageSet(why: why, desk, &orders)
    case .told(let who, let why): told(who, why: why)
    case .due:
      desk.peers = engine.peerStatuses(at: agent.now)
      (desk.held, desk.ownTip) = (engine.acknowledged(), engine.ownTip)
      if !revokes.isEmpty { desk.removals = removals(engine, desk) }
      due(desk, &orders)
    case .stopping:
      for id in streams.keys.sorted() { orders.append(.endStream(id)) }
      streams = [:]
    }
  }

  private mutating func restore(
    _ rows: [LocalRow], _ entries: [NumberedEntry], _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) {
    for item in desk.replica.allItems { handles.insert(item) }
    for item in desk.replica.coldItems { handles.insert(item) }
    for row in rows where row.kind == Self.viewKind {
      views.append((String(decoding: row.key, as: UTF8.self), ViewRow.items(row.value ?? [])))
    }
    for row in rows {
      web.keys.restore(row)
      web.guests.restore(row, desk.agent.wall, desk.agent.now)
      restoreLAN(row, desk, &orders)
      if row.kind == NotifyRows.ruleKind, let rule = NotifyRows.rule(row) { _ = notifier.add(rule) }
      if row.kind == NotifyRows.settingsKind, let settings = NotifyRows.settings(row) {
        notifier.settings = settings
      }
    }
    for row in rows where row.kind == Self.useKind {
      guard let list = ViewRow.items(row.value ?? []).first else { continue }
      uses.append((String(decoding: row.key, as: UTF8.self), list))
    }
    journal = entries.suffix(Self.journalMax)
    lastJournalNumber = entries.last?.number ?? 0
    for row in rows where row.kind == UndoRow.kind {
      guard let entry = try? UndoRow.entry(row) else { continue }  // a damaged row is no way back
      forget(undoLog.add(entry), &orders)
    }
  }

  private mutating func restore(
    _ rows: [EventRow], _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    var entries: [EventFeed.Entry] = []
    for row in rows {
      let event = try? EventRowCodec.decode(row.bytes)  // an empty row is the mark of a start
      // One that cannot be read is a hole: its cursor is not known, all others are.
      if event == nil && !row.bytes.isEmpty { continue }
      entries.append(EventFeed.Entry(number: row.cursor, event: event))
    }
    let mark = feed.restore(entries, wall: UInt64(max(desk.agent.wall.milliseconds, 0)))
    revisionBase = mark.number << 20
    orders.append(
      .keepEvents([EventRow(cursor: mark.number, bytes: [])], forgetThrough: feed.trim()))
  }

  private mutating func forget(_ id: RequestID, _ orders: inout [ServiceOrder]) {
    counters.left(id)
    streams[id] = nil
    syncs[id] = nil
    waits[id] = nil
    revokes.removeAll { $0.reply.id == id }
    invites.forget(id)
    abandonJoin(id, &orders)
    if web.lanWaiter?.reply.id == id { web.lanWaiter = nil }
  }

  // MARK: Requests

  private mutating func take(
    _ request: HTTPRequest, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    if request.door == .web || request.door == .lan { return takeWeb(request, desk, &orders) }
    let context = RequestContext(request)
    let reply = PendingReply(id: request.id, context: context, place: NamedPlace(request))
    do throws(Problem) {
      try answer(try RequestDecoder.request(RequestForm(request)), reply, desk, &orders)
    } catch { refuse(error, reply, &orders) }
  }

  func refuse(_ problem: Problem, _ reply: PendingReply, _ orders: inout [ServiceOrder]) {
    orders.append(.reply(reply.id, Answer.reply(problem, reply.context)))
  }

  func send(
    _ answer: Reply, _ reply: PendingReply, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    orders.append(
      .reply(reply.id, Answer.reply(answer, reply.context, reply.place, desk.agent.wall)))
  }

  mutating func answer(
    _ request: Request, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let desk = desk.opened(for: request)
    switch request {
    case .overview, .lists, .items, .show, .trash, .status, .peers, .version, .agentStatus, .export,
      .changes:
      try read(request, reply, desk, &orders)
    case .columns, .find: try lookUp(request, reply, desk, &orders)
    case .log(let query): try log(query, reply, desk, &orders)
    case .wait(let request): try wait(request, reply, desk, &orders)
    case .members: send(.members(memberRows(desk)), reply, desk, &orders)
    case .changeMember(let change): try changeMember(change, reply, desk, &orders)
    case .use(let use): try self.use(use, reply, desk, &orders)
    case .transact(let transaction): try transact(transaction, reply, desk, &orders)
    case .undo(let request): try undo(request, reply, desk, &orders)
    case .undoSteps: send(undoSteps(reply, desk), reply, desk, &orders)
    case .conflicts(let list):
      send(try conflicts(list, reply, desk), reply, desk, &orders)
    case .takeConflict(let id, let isDryRun):
      try takeConflict(id, isDryRun, reply, desk, &orders)
    case .importFile(let file): try importFile(file, reply, desk, &orders)
    case .events(let query): try watch(query, reply, desk, &orders)
    case .addPeer(let address): try addPeer(address, reply, desk, &orders)
    case .removePeer(let address): try removePeer(address, reply, desk, &orders)
    case .sync(let peer): try sync(peer, reply, desk, &orders)
    case .pause:
      orders.append(.engine(.pause))
      send(.sync(SyncReply(isPaused: true)), reply, desk, &orders)
    case .resume:
      orders.append(.engine(.resume))
      send(.sync(SyncReply(isPaused: false, peers: desk.peerRows)), reply, desk, &orders)
    case .invite(let invite): try self.invite(invite, reply, desk, &orders)
    case .awaitJoiner(let invite): try awaitJoiner(invite, reply, desk, &orders)
    case .join(let request): try startJoin(request, reply, desk, &orders)
    case .inspect(let target): try inspect(target, reply, desk, &orders)
    case .stopAgent:
      send(.done(verb: "stopping", subject: "agent"), reply, desk, &orders)
      orders.append(.stop)
    case .reloadAgent:
      orders.append(.reload)
      send(.done(verb: "reloaded", subject: "agent"), reply, desk, &orders)
    case .health, .readiness:
      orders.append(
        .reply(reply.id, request == .health ? .text(200, "ok") : Self.readiness(desk)))
    case .notify(let request): try notify(request, reply, desk, &orders)
    case .web(let request): try web(request, reply, desk, &orders)
    case .openAPI:
      orders.append(
        .reply(
          reply.id,
          HTTPReply(status: 200, contentType: "application/json", body: OpenAPI.document)))
    case .metrics: metrics(reply, &orders)
    }
  }

  // MARK: Folds and alarms

  private mutating func changed(
    _ changes: [ReplicaEvent], _ origin: Origin, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) {
    count(changes, origin)
    for change in changes {
      handles.insert(change.item)
      guard case .overridden(let entry) = change.kind else { continue }
      lastJournalNumber += 1
      journal.append(NumberedEntry(number: lastJournalNumber, entry: entry))
    }
    if journal.count > Self.journalMax { journal.removeFirst(journal.count - Self.journalMax) }
    var client: String?
    var isMine = false
    if case .local(_, let name) = origin {
      isMine = true
      client = name.isEmpty ? nil : name
    }
    let entries = feed.take(
      changes, resolver(desk, nil), EventFeed.Source(isMine: isMine, client: client),
      nameOf: desk.name)
    guard !entries.isEmpty else { return }
    let events = entries.compactMap(\.event)
    publish(events, desk, &orders)
    hear(events, desk, &orders)
    let rows = entries.suffix(EventFeed.keptMax).map { entry in
      EventRow(cursor: entry.number, bytes: entry.event.map(EventRowCodec.encode) ?? [])
    }
    orders.append(.keepEvents(rows, forgetThrough: feed.trim()))
  }

  private mutating func count(_ changes: [ReplicaEvent], _ origin: Origin) {
    var last: Dot?
    var count: UInt64 = 0
    for change in changes where change.dot != last {
      last = change.dot
      count += 1
    }
    if case .local = origin { counters.ownChanges += count } else { counters.otherChanges += count }
  }

  private mutating func raise(_ alarm: Alarm, _ desk: ServiceDesk) {
    if case .clockAhead(let device, let minutes) = alarm {
      clocksAhead.removeAll { $0.device == device }
      clocksAhead.append((device, minutes))
      return
    }
    guard let warning = desk.warning(alarm), !warnings.contains(warning) else { return }
    warnings.append(warning)
    if warnings.count > 50 { warnings.removeFirst() }
  }

  // MARK: Views

  func resolver(_ desk: ServiceDesk, _ context: RequestContext?) -> Resolver {
    let terminal = context?.terminal
    return Resolver(
      replica: desk.replica, handles: handles,
      shown: terminal.flatMap { name in views.last { $0.terminal == name }?.items },
      used: terminal.flatMap { name in uses.last { $0.terminal == name }?.list },
      preset: context?.list)
  }

  func reader(_ desk: ServiceDesk, _ context: RequestContext) -> ListReader {
    var reader = ListReader(
      resolver(desk, context), cursor: feed.cursor, nameOf: desk.name)
    reader.revisionBase = revisionBase
    return reader
  }

  /// Remembers what a terminal shows, so that a number means that row.
  mutating func remember(
    _ items: [ItemID], _ terminal: String, _ orders: inout [ServiceOrder]
  ) {
    views.removeAll { $0.terminal == terminal }
    views.append((terminal, items))
    var rows = [
      LocalRow(kind: Self.viewKind, key: Array(terminal.utf8), value: ViewRow.bytes(items))
    ]
    if views.count > Self.viewsMax {
      let oldest = views.removeFirst()
      rows.append(LocalRow(kind: Self.viewKind, key: Array(oldest.terminal.utf8), value: nil))
    }
    orders.append(.keep(rows))
  }
}
