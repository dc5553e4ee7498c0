// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer
import ListModel
import ListService
import NodeEngine
import SQLiteStore

/// Somebody who watches: a browser, a script, `hedge watch`.
struct Watcher {
  /// How events are written.
  enum Form: Hashable {
    /// Server-sent events: the cursor as id, the kind as event.
    case serverSent
    /// One JSON document a line.
    case lines
    /// Ready text for a terminal or a pipe.
    case text(Display)
  }

  let query: EventsQuery
  let form: Form
  let lists: Set<ItemID>
  let isWeb: Bool
  /// Who may see one list alone, and only so long.
  let guest: GuestBook.Guest?
  let end: Moment?
  var left: Int?
}

/// Streams of events.
extension ListAgentService {
  /// Silence after which a comment is sent: the HTTP library notices a gone client only by writing.
  static let heartbeat: UInt64 = 15_000_000_000
  static let lookAgain: UInt64 = 20_000_000

  mutating func watch(
    _ query: EventsQuery, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let resolver = resolver(desk, reply.context)
    var lists = Set<ItemID>()
    for selector in query.lists { lists.insert(try resolver.list(selector)) }
    let form = form(reply.context)
    let watcher = Watcher(
      query: query, form: form, lists: lists, isWeb: reply.isWeb, guest: reply.guest,
      end: reply.guest.map { web.guests.end(of: $0) ?? desk.agent.now }, left: query.count)
    orders.append(
      .openStream(
        reply.id, contentType: Answer.contentType(form),
        headers: [HTTPReplyHeader("Cache-Control", "no-store")]))
    if streams.isEmpty { lastBeat = desk.agent.now.nanoseconds }
    streams[reply.id] = watcher
    // Whoever stores the cursor of each line may be cut off after any of them.
    let missed = query.since.flatMap(feed.events)
    let start = missed == nil ? feed.cursor : query.since ?? feed.cursor
    var opening = [Event(kind: .hello, cursor: start, detail: .hello(device: desk.ownName))]
    if query.since != nil && missed == nil {
      opening.append(
        Event(kind: .gap, cursor: feed.cursor, detail: .gap(reason: "cursor too old")))
    }
    if missed == nil && (query.hasInitial || query.since != nil) {
      opening += initial(lists, resolver)
    }
    let isSnapshot = opening.contains { $0.kind == .item || $0.kind == .gap }
    if form == .serverSent { orders.append(.push(reply.id, Answer.retry)) }
    tell(opening, form, hasID: !isSnapshot, reply.id, &orders)
    push(missed ?? [], to: reply.id, desk, &orders)
    if streams[reply.id] != nil, query.hasInitial || query.since != nil {
      tell([Event(kind: .live, cursor: feed.cursor)], form, hasID: true, reply.id, &orders)
    }
    orders.append(.wakeAt(nextWake(desk)))
  }

  /// - Parameter hasID: Whether a browser may go on behind these events. Not behind a part of a
  ///   snapshot: it would never get the rest.
  private func tell(
    _ events: [Event], _ form: Watcher.Form, hasID: Bool, _ id: RequestID,
    _ orders: inout [ServiceOrder]
  ) {
    let bytes = events.flatMap { Answer.event($0, form, hasID: hasID) }
    if !bytes.isEmpty { orders.append(.push(id, bytes)) }
  }

  private func form(_ context: RequestContext) -> Watcher.Form {
    if let display = context.display, !display.isJSON { return .text(display) }
    let wantsLines = context.accept?.contains("ndjson") ?? false
    return context.display != nil || wantsLines ? .lines : .serverSent
  }

  private func initial(_ lists: Set<ItemID>, _ resolver: Resolver) -> [Event] {
    let replica = resolver.replica
    let tops = lists.isEmpty ? replica.children(of: .root) : lists.sorted()
    var out: [Event] = []
    for list in tops {
      var open = Array(replica.children(of: list).reversed())
      let name = resolver.title(of: list)
      while let item = open.popLast() {
        out.append(
          Event(
            kind: .item, cursor: feed.cursor, list: name, item: item,
            handle: handles.handle(of: item), text: Text(resolver.title(of: item)),
            detail: EventFeed.snapshot(item, resolver)))
        open += replica.children(of: item).reversed()
      }
    }
    return out
  }

  /// Sends fresh events to everybody who wants them.
  mutating func publish(
    _ events: [Event], _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    if events.isEmpty { return }
    for id in streams.keys.sorted() { push(events, to: id, desk, &orders) }
  }

  private mutating func push(
    _ events: [Event], to id: RequestID, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    guard var watcher = streams[id] else { return }
    var bytes: [UInt8] = []
    var isOver = false
    let gate = watcher.guest.map { GuestGate(guest: $0, resolver: resolver(desk, nil)) }
    for event in events where wants(watcher, event) {
      guard let event = gate.map({ $0.heard(event) }) ?? event else { continue }
      bytes += Answer.event(event, watcher.form)
      if let left = watcher.left { watcher.left = left - 1 }
      isOver = watcher.left == 0 || fulfils(watcher, event, desk)
      if isOver { break }
    }
    streams[id] = watcher
    if !bytes.isEmpty { orders.append(.push(id, bytes)) }
    if isOver {
      orders.append(.endStream(id))
      streams[id] = nil
    }
  }

  private func wants(_ watcher: Watcher, _ event: Event) -> Bool {
    if watcher.query.onlyOthers && event.isMine { return false }
    if !watcher.query.kinds.isEmpty && !watcher.query.kinds.contains(event.kind.rawValue) {
      return false
    }
    guard !watcher.lists.isEmpty, let item = event.item else { return true }
    return watcher.lists.contains(item) || event.scope.contains(where: watcher.lists.contains)
  }

  /// Whether an item that changed fulfils `--until`; a condition that does not fit its list never is.
  private func fulfils(_ watcher: Watcher, _ event: Event, _ desk: ServiceDesk) -> Bool {
    guard let until = watcher.query.until, let item = event.item,
      let parent = desk.replica.parent(of: item)
    else { return false }
    let resolver = resolver(desk, nil)
    if until.column == "text" {
      let held = desk.replica.value(of: item, .text)
      return (try? until.accepts(held, .text)) ?? false  // no value of that type: not fulfilled
    }
    guard let column = resolver.schema(under: parent).column(named: until.column) else {
      return false
    }
    let held =
      column.type == .counter
      ? desk.replica.counterTotal(of: item, column.field).map(Value.int)
      : desk.replica.value(of: item, column.field)
    return (try? until.accepts(held, column.type)) ?? false  // no value of that type: not fulfilled
  }

  // MARK: Time

  /// Forgets guests whose time is over, for good.
  mutating func sweepGuests(_ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    var rows: [LocalRow] = []
    web.guests.sweep(desk.agent.wall, desk.agent.now) { rows.append($0) }
    if !rows.isEmpty { orders.append(.keep(rows)) }
  }

  /// Ends the streams of those who may not listen any more.
  mutating func endStreams(
    _ orders: inout [ServiceOrder], where isOver: (Watcher) -> Bool
  ) {
    for (id, watcher) in streams.sorted(by: { $0.key < $1.key }) where isOver(watcher) {
      orders.append(.endStream(id))
      streams[id] = nil
    }
  }

  /// The next moment at which this service has something to do.
  func nextWake(_ desk: ServiceDesk) -> Moment? {
    var due: [UInt64] = syncs.values.map(\.deadline.nanoseconds)
    // A peer comes into step without an event of its own: look again while somebody waits for it.
    if joins.waiting?.deadline != nil || !syncs.isEmpty || !revokes.isEmpty {
      due.append(desk.agent.now.nanoseconds + Self.lookAgain)
    }
    if !waits.isEmpty { due.append(desk.agent.now.nanoseconds + Self.waitLookAgain) }
    if streams.values.contains(where: { $0.form == .serverSent }) {
      due.append(max(lastBeat + Self.heartbeat, desk.agent.now.nanoseconds))
    }
    if let deadline = notifier.deadline { due.append(deadline) }
    due += streams.values.compactMap(\.end?.nanoseconds)
    if let end = web.guests.nextEnd { due.append(end.nanoseconds) }
    return due.min().map(Moment.init(nanoseconds:))
  }

  mutating func due(_ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    settleSyncs(desk, &orders)
    settleJoin(desk, &orders)
    settleWaits(desk, &orders)
    settleRevokes(desk, &orders)
    tellGathered(desk, &orders)
    sweepGuests(desk, &orders)
    endStreams(&orders) { watcher in watcher.end.map { $0 <= desk.agent.now } ?? false }
    let isBeat = desk.agent.now.nanoseconds >= lastBeat + Self.heartbeat
    if isBeat { lastBeat = desk.agent.now.nanoseconds }
    for (id, watcher) in streams.sorted(by: { $0.key < $1.key })
    where isBeat && watcher.form == .serverSent {
      orders.append(.push(id, Array(": still here\n\n".utf8)))
    }
    orders.append(.wakeAt(nextWake(desk)))
  }
}
