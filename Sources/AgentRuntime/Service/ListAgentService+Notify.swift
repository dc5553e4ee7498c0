// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer
import ListModel
import ListService
import NodeEngine

/// Notifications and hooks: what the machine decides is handed to programs and browsers.
extension ListAgentService {
  mutating func notify(
    _ request: NotifyRequest, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    switch request {
    case .show: break
    case .on(let wish):
      let rule = try rule(wish, reply, desk)
      guard notifier.add(rule) else {
        throw Problem(.conflict, "there are \(Notifier.rulesMax) notification rules already")
      }
      orders.append(.keep([NotifyRows.row(rule)]))
    case .off(let target):
      let meant = try rule(NotifyWish(target: target), reply, desk)
      let isAll = target.column == nil && target.condition == nil
      let gone = notifier.remove { rule in
        rule.subject == meant.subject
          && (isAll || rule.column == meant.column && rule.condition == meant.condition)
      }
      guard !gone.isEmpty else {
        throw Problem(.unknownItem, "there is no such rule", detail: "see hedge notify ls")
      }
      orders.append(.keep(gone.map { NotifyRows.row($0, isGone: true) }))
    case .mute(let minutes):
      let end = desk.agent.wall.milliseconds + Int64(minutes) * 60_000
      notifier.settings.mutedUntil = minutes == 0 ? nil : end
      orders.append(.keep([NotifyRows.row(notifier.settings)]))
    case .change(let change):
      if reply.isWeb, change.command != nil || change.address != nil {
        throw Problem(
          .notAllowed, "where notices go is decided in a terminal", detail: "see hedge help notify")
      }
      notifier.settings = try settings(change)
      orders.append(.keep([NotifyRows.row(notifier.settings)]))
    case .test:
      deliver(
        Notice(
          list: nil, title: "hedgerow on \(desk.ownName)", body: "notifications work", count: 0,
          isDigest: false, events: []), &orders)
    }
    send(.notify(notifyReply(desk)), reply, desk, &orders)
  }

  private func rule(
    _ wish: NotifyWish, _ reply: PendingReply, _ desk: ServiceDesk
  ) throws(Problem) -> NotifyRule {
    let resolver = resolver(desk, reply.context)
    var target = wish.target
    if target.item == nil, let word = target.column {
      // `@stocks price` and `@stocks m2k` look the same: a column goes first.
      let list = try resolver.list(target.list)
      let selector = try ItemSelector(parsing: word)
      if (try? resolver.schema(under: list).field(named: word, list: "")) == nil,
        (try? resolver.item(selector, in: target.list)) != nil  // else the column is what is wrong
      {
        (target.item, target.column) = (selector, nil)
      }
    }
    var subject: ItemID
    var parent: ItemID
    if let item = target.item {
      subject = try resolver.item(item, in: target.list)
      parent = desk.replica.parent(of: subject) ?? .root
    } else {
      subject = try resolver.list(target.list)
      parent = subject
    }
    for name in [target.column, target.condition?.column].compactMap(\.self)
    where !sameBytes(name, "text") {
      let (column, _) = try resolver.schema(under: parent).field(
        named: name, list: resolver.title(of: parent))
      try target.condition?.check(column.type)
    }
    return NotifyRule(
      subject: subject, isItem: target.item != nil, column: target.column,
      condition: target.condition, isEdge: wish.isEdge,
      hysteresisPercent: wish.hysteresisPercent,
      everySeconds: wish.everySeconds ?? Notifier.everySeconds)
  }

  private func settings(_ change: NotifyChange) throws(Problem) -> NotifySettings {
    var settings = notifier.settings
    if let isDesktop = change.isDesktop { settings.isDesktop = isDesktop }
    if let command = change.command { settings.command = command.isEmpty ? nil : command }
    if let address = change.address {
      guard address.isEmpty || WebHook(address) != nil else {
        throw Problem(
          .invalidValue, "\(address) is no address for notices",
          detail: "write http://HOST:PORT/PATH; for anything else use --exec")
      }
      settings.address = address.isEmpty ? nil : address
    }
    if let quiet = change.quiet {
      guard quiet.isEmpty || QuietHours(quiet) != nil else {
        throw Problem(
          .invalidValue, "\(quiet) are no hours", detail: "write them as 22:00-07:00")
      }
      settings.quiet = QuietHours(quiet)
    }
    return settings
  }

  private func notifyReply(_ desk: ServiceDesk) -> NotifyReply {
    let resolver = resolver(desk, nil)
    // In the same order before and after a restart: by list, text, column, condition, the rest.
    var rows = notifier.rules.map { rule in
      let list = desk.replica.list(of: rule.subject) ?? rule.subject
      return NotifyRow(
        list: resolver.title(of: list), id: rule.subject,
        handle: handles.handle(of: rule.subject),
        text: rule.isItem ? Text(resolver.title(of: rule.subject)) : nil, column: rule.column,
        condition: rule.condition?.spelling, isEdge: rule.isEdge,
        hysteresisPercent: rule.hysteresisPercent, everySeconds: rule.everySeconds)
    }
    rows.sort { $0.order.lexicographicallyPrecedes($1.order) { $0.lexicographicallyPrecedes($1) } }
    return NotifyReply(rules: rows, settings: notifier.settings)
  }

  // MARK: Events

  /// Lets rules and hooks see what was published.
  mutating func hear(_ events: [Event], _ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    if desk.agent.hasHooks {
      for start in stride(from: 0, to: events.count, by: Hooks.eventsMax) {
        let part = events[start..<min(start + Hooks.eventsMax, events.count)]
        orders.append(.runHooks(Hooks.document(part)))
      }
    }
    let resolver = resolver(desk, nil)
    let notices = notifier.take(events, moments(desk)) { list, name in
      resolver.schema(under: list).column(named: name)?.type
    }
    for notice in notices { deliver(notice, &orders) }
    if notifier.deadline != nil { orders.append(.wakeAt(nextWake(desk))) }
  }

  mutating func tellGathered(_ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    for notice in notifier.due(moments(desk)) { deliver(notice, &orders) }
  }

  private func moments(_ desk: ServiceDesk) -> Notifier.Moments {
    Notifier.Moments(
      now: desk.agent.now.nanoseconds, wall: desk.agent.wall.milliseconds,
      minute: desk.agent.localMinute)
  }

  private mutating func deliver(_ notice: Notice, _ orders: inout [ServiceOrder]) {
    let json = notice.json
    let message = Array("event: notice\ndata: ".utf8) + json + [10, 10]
    for (id, watcher) in streams.sorted(by: { $0.key < $1.key })
    where watcher.form == .serverSent && watcher.guest == nil {
      orders.append(.push(id, message))
    }
    let settings = notifier.settings
    if settings.isDesktop { orders.append(.tell(.desktop(key: notice.list?.hex ?? ""), json)) }
    if let command = settings.command { orders.append(.tell(.command(command), json)) }
    if let address = settings.address { orders.append(.tell(.post(address), json)) }
  }

  /// A program that was told something, or a hook, has ended.
  mutating func told(_ who: Told, why: String?) {
    guard let why else { return }
    counters.hookFailures += 1
    let warning = Warning(code: .hookFailed, text: "\(who.name) \(why)")
    warnings.removeAll { $0.code == .hookFailed && $0.text.hasPrefix(who.name + " ") }
    warnings.append(warning)
  }
}

extension NotifyRow {
  /// What rules are told in the order of.
  fileprivate var order: [[UInt8]] {
    [list, text?.string ?? "", column ?? "", condition ?? "", id.hex, isEdge ? "1" : "0"].map {
      Array($0.utf8)
    }
  }
}

/// The documents that hooks get.
enum Hooks {
  /// Events of one run at most.
  static let eventsMax = 1_000

  static func document(_ events: ArraySlice<Event>) -> [UInt8] {
    var json = JSONWriter(capacity: 512)
    json.beginObject()
    json.member("v", count: Display.jsonVersion)
    json.member("kind", "events")
    json.key("events")
    json.beginArray()
    for event in events { event.write(to: &json) }
    json.endArray()
    json.endObject()
    json.endLine()
    return json.bytes
  }
}
