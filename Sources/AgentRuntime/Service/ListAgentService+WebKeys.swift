// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer
import ListModel
import ListService
import NodeEngine
import QRCodes
import SQLiteStore

/// `hedge web`: links, tokens, guests, the page for the LAN. Over the socket file only.
extension ListAgentService {
  static let lanKind = "web-lan"
  /// Beside the port for peers; any other where it is taken.
  static let lanPort: UInt16 = 7_645

  mutating func web(
    _ request: WebRequest, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    guard let port = desk.agent.webPort else {
      throw Problem(
        .conflict, "the web page is off", detail: "start the agent without --web-port off")
    }
    sweepGuests(desk, &orders)
    var rows: [LocalRow] = []
    switch request {
    case .link(let hasQR): sendLink(port, hasQR, reply, desk, &orders)
    case .lan(let isOn, let hasQR): try setLAN(isOn, hasQR, reply, desk, &orders)
    case .tokens:
      send(.webTokens(web.keys.tokens.map(\.shown)), reply, desk, &orders)
    case .addToken(let name, let isReadOnly):
      let secret = try web.keys.addToken(
        name, isReadOnly ? .readOnly : .full, desk.agent.wall, &random
      ) { rows.append($0) }
      let row = WebTokenRow(
        name: name, isReadOnly: isReadOnly, created: desk.agent.wall.milliseconds)
      send(.webToken(row, secret: secret), reply, desk, &orders)
    case .removeToken(let name):
      try web.keys.removeToken(name) { rows.append($0) }
      send(.done(verb: "removed", subject: name), reply, desk, &orders)
    case .guests:
      let shown = web.guests.current.map { row(of: $0, desk) }
      send(.webGuests(shown), reply, desk, &orders)
    case .addGuest(let wish):
      let resolver = resolver(desk, reply.context)
      let list: ItemID
      if let selector = wish.list {
        list = try resolver.exactList(selector, "what a guest may see is named in full")
      } else {
        list = try resolver.list(nil)
      }
      guard desk.replica.parent(of: list) == .root else {
        throw Problem(.usage, "a guest link is for a whole list, not for an item in one")
      }
      let made = try web.guests.add(
        list, wish.role, seconds: wish.seconds, desk.agent.wall, desk.agent.now, &random
      ) { rows.append($0) }
      orders.append(.wakeAt(nextWake(desk)))
      let url = "\(desk.agent.lanPage?.origin ?? "http://127.0.0.1:\(port)")/guest/\(made.secret)"
      send(
        .webGuest(
          WebGuestReply(
            guest: row(of: made.guest, desk), url: url,
            fingerprint: desk.agent.lanPage?.fingerprint,
            qr: wish.hasQR ? QRCode(url)?.lines : nil)), reply, desk, &orders)
    case .removeGuest(let name):
      try web.guests.remove(name) { rows.append($0) }
      endStreams(&orders) { sameBytes($0.guest?.name ?? "", name) }
      send(.done(verb: "removed", subject: name), reply, desk, &orders)
    }
    if !rows.isEmpty { orders.append(.keep(rows)) }
  }

  private mutating func sendLink(
    _ port: UInt16, _ hasQR: Bool, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) {
    let secret = web.keys.makeLink(desk.agent.now, &random)
    let url = "http://127.0.0.1:\(port)/enter/\(secret)"
    let lan = desk.agent.lanPage.map {
      LANAddress(url: "\($0.origin)/enter/\(secret)", fingerprint: $0.fingerprint)
    }
    let seconds = Int64(WebKeys.linkSeconds)
    send(
      .webLink(
        WebLinkReply(
          url: url, expires: desk.agent.wall.milliseconds + seconds * 1_000,
          validSeconds: seconds, lan: lan,
          qr: hasQR ? QRCode(lan?.url ?? url)?.lines : nil)), reply, desk, &orders)
  }

  private func row(of guest: GuestBook.Guest, _ desk: ServiceDesk) -> WebGuestRow {
    WebGuestRow(
      name: guest.name,
      list: desk.replica.isAlive(guest.list) ? resolver(desk, nil).title(of: guest.list) : "",
      role: guest.role, created: guest.created.milliseconds, expires: guest.end.milliseconds)
  }

  // MARK: The page for other devices

  private mutating func setLAN(
    _ isOn: Bool, _ hasQR: Bool, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    guard web.lanWaiter == nil else {
      throw Problem(.busy, "the page for the LAN is being opened or closed")
    }
    if isOn == (desk.agent.lanPage != nil) {
      return sayLAN(reply, hasQR, desk, &orders)
    }
    web.lanWaiter = (reply, hasQR)
    orders.append(.setLANPage(port: isOn ? Self.lanPort : nil))
  }

  /// The page for other devices is open or closed now, or could not be opened.
  mutating func lanPageSet(
    why: String?, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    guard let waiter = web.lanWaiter else { return }
    web.lanWaiter = nil
    if let why {
      return refuse(
        Problem(.failed, "the page cannot be opened to the LAN", detail: why), waiter.reply, &orders
      )
    }
    var value: [UInt8]?
    if let page = desk.agent.lanPage { value = [UInt8(page.port >> 8), UInt8(page.port & 0xFF)] }
    orders.append(.keep([LocalRow(kind: Self.lanKind, key: [], value: value)]))
    sayLAN(waiter.reply, waiter.hasQR, desk, &orders)
  }

  private mutating func sayLAN(
    _ reply: PendingReply, _ hasQR: Bool, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    if desk.agent.lanPage == nil {
      send(.done(verb: "closed", subject: "the page for the LAN"), reply, desk, &orders)
    } else {
      sendLink(desk.agent.webPort ?? 0, hasQR, reply, desk, &orders)
    }
  }

  /// Opens the page again that was open when the agent stopped.
  func restoreLAN(_ row: LocalRow, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    guard row.kind == Self.lanKind, let value = row.value, value.count == 2,
      desk.agent.webPort != nil
    else { return }
    orders.append(.setLANPage(port: UInt16(value[0]) << 8 | UInt16(value[1])))
  }
}

extension WebKeys.Token {
  var shown: WebTokenRow {
    WebTokenRow(name: name, isReadOnly: rights == .readOnly, created: created.milliseconds)
  }
}
