// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ControlJSON
import HTTPServer
import ListModel
import ListService
import NodeEngine
import SQLiteStore
import WebPages
import ZstdPacking

/// What the web door knows of its visitors.
struct WebDesk {
  var keys = WebKeys()
  var guests = GuestBook()
  /// The request that waits until the page for other devices is open or closed.
  var lanWaiter: (reply: ListAgentService.PendingReply, hasQR: Bool)?
  /// Requests with a credential, by its hash or cookie; and all others together.
  private var gates: [String: RateGate] = [:]

  /// Files of the page as browsers that know zstd get them; each is packed when it is asked for first.
  private var packed: [String: [UInt8]] = [:]

  /// A fixed file, packed where the browser takes that, or word that it has not changed.
  mutating func file(_ asset: WebAsset, _ request: HTTPRequest) -> HTTPReply {
    var reply = HTTPReply(
      status: 200, contentType: asset.contentType,
      headers: [
        HTTPReplyHeader("ETag", "\"\(asset.tag)\""), HTTPReplyHeader("Cache-Control", "no-cache"),
        HTTPReplyHeader("Vary", "Accept-Encoding"),
      ])
    if EntityTag.matches(request.headers[.ifNoneMatch], asset.tag) {
      reply.status = 304
      return reply
    }
    let codings = request.headers[.acceptEncoding]?.split(separator: ",") ?? []
    guard codings.contains(where: { Self.coding($0).elementsEqual("zstd".utf8) }) else {
      reply.body = asset.bytes
      return reply
    }
    let bytes = packed[asset.name] ?? ZstdPacker(level: Self.packingLevel).pack(asset.bytes)
    packed[asset.name] = bytes
    reply.headers.append(HTTPReplyHeader("Content-Encoding", "zstd"))
    reply.body = bytes
    return reply
  }

  /// The name of a coding in a list of them, without spaces and weight.
  private static func coding(_ entry: Substring) -> Substring.UTF8View {
    (entry.split(separator: ";").first ?? "").drop { $0 == " " }.utf8
  }

  /// A few milliseconds a file.
  private static let packingLevel: Int32 = 12
  /// Visitors whose pace is kept track of; with more of them the memory starts anew.
  static let gatesMax = 256
  /// Event streams through the web door.
  static let streamsMax = 48

  /// Notes a request of a visitor; else says after how many seconds to come again.
  /// - Parameters:
  ///   - visitor: Who has a gate of its own; `nil` for all strangers of this machine.
  ///   - isKnown: Whether that is a credential, and not a crowd of strangers.
  mutating func pace(_ visitor: String?, isKnown: Bool, _ now: Moment) -> UInt64? {
    let name = visitor ?? ""
    if gates[name] == nil {
      if gates.count >= Self.gatesMax { gates = [:] }
      gates[name] =
        isKnown
        ? RateGate(burst: 2_000, perSecond: 500, now: now)
        : RateGate(burst: 100, perSecond: 20, now: now)
    }
    return gates[name]?.take(now)
  }
}

/// Requests through the web door: pages, and the API behind a credential.
extension ListAgentService {
  mutating func takeWeb(
    _ request: HTTPRequest, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    let guardian =
      request.door == .lan
      ? desk.agent.lanPage.map { WebGuard($0) } : desk.agent.webPort.map { WebGuard(port: $0) }
    // A request that was under way while its door was closed.
    guard let guardian else { return orders.append(.reply(request.id, .text(503, "closing"))) }
    sweepGuests(desk, &orders)
    var reply = PendingReply(
      id: request.id, context: RequestContext(request), isWeb: true, place: NamedPlace(request))
    reply.context.display = nil
    do throws(Problem) {
      if let refusal = guardian.refusal(of: request) { throw refusal }
      if let open = openPage(request, guardian, desk, &orders) {
        orders.append(.reply(request.id, open))
        return
      }
      reply.guest = try admit(request, guardian, desk, &orders)
      if let guest = reply.guest { reply.context.terminal = "guest \(guest.name)" }
      if isPage(request) {
        try page(request, reply, desk, &orders)
      } else {
        var asked = try RequestDecoder.request(RequestForm(request))
        try refuseWithoutMedia(request)
        if let gate = gate(reply, desk) { asked = try gate.admitted(asked) }
        if case .web = asked {
          throw Problem(
            .notAllowed, "who may come in is decided in a terminal", detail: "see hedge help web")
        }
        if case .metrics = asked, request.door == .lan {
          throw Problem(.notAllowed, "figures are for this machine only")
        }
        if case .events = asked, webStreams >= WebDesk.streamsMax {
          throw Problem(.busy, "there are \(webStreams) event streams already")
        }
        try answer(asked, reply, desk, &orders)
      }
    } catch {
      if error.kind == .notSignedIn, isPage(request) {
        let wasGuest = guardian.cookie(guardian.guestCookieName, of: request) != nil
        orders.append(
          .reply(
            request.id, Self.html(401, wasGuest ? WebPages.guestIsOver() : WebPages.signIn())))
      } else if reply.guest != nil, isPage(request), request.method != .post {
        orders.append(
          .reply(
            request.id, Self.html(error.kind.status, WebPages.refused(error.title, backTo: "/"))))
      } else {
        refuse(error, reply, &orders)
      }
    }
  }

  /// What a guest may ask; `nil` for everybody else.
  private func gate(_ reply: PendingReply, _ desk: ServiceDesk) -> GuestGate? {
    reply.guest.map { GuestGate(guest: $0, resolver: resolver(desk, nil)) }
  }

  /// Event streams that browsers and scripts hold open.
  private var webStreams: Int { streams.values.count { $0.isWeb } }

  private func isPage(_ request: HTTPRequest) -> Bool {
    guard let first = request.path.first else { return false }
    return request.path.count == 1 && first.isEmpty
      || request.path.count == 2 && sameBytes(first, "lists")
  }

  // MARK: Without a credential

  /// What everybody may have who got past the guard: fixed files, health, one-time links.
  private mutating func openPage(
    _ request: HTTPRequest, _ guardian: WebGuard, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) -> HTTPReply? {
    guard !WebGuard.writes(request.method), let first = request.path.first else { return nil }
    if request.path.count == 2, sameBytes(first, "enter") || sameBytes(first, "guest") {
      let visitor = request.door == .lan ? "enter lan" : nil
      if web.pace(visitor, isKnown: false, desk.agent.now) != nil {
        return .text(429, "too many tries: wait a moment")
      }
      return sameBytes(first, "enter")
        ? enter(request.path[1], guardian, desk, &orders)
        : enterAsGuest(request.path[1], guardian, desk)
    }
    guard request.path.count == 1 else { return nil }
    if sameBytes(first, "healthz") { return .text(200, "ok") }
    if sameBytes(first, "readyz") { return Self.readiness(desk) }
    return WebAsset.served(first).map { web.file($0, request) }
  }

  static func readiness(_ desk: ServiceDesk) -> HTTPReply {
    if let trouble = desk.agent.storeTrouble { return .text(503, trouble) }
    return desk.agent.peerPort == 0 ? .text(503, "no port for peers is bound") : .text(200, "ok")
  }

  private mutating func enter(
    _ link: String, _ guardian: WebGuard, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) -> HTTPReply {
    var rows: [LocalRow] = []
    let secret = web.keys.spend(link, desk.agent.now, desk.agent.wall, &random) { rows.append($0) }
    if !rows.isEmpty { orders.append(.keep(rows)) }
    guard let secret else { return Self.html(401, WebPages.linkIsOver()) }
    var reply = Self.html(200, WebPages.entered())
    reply.headers.append(
      guardian.setCookie(guardian.cookieName, secret, seconds: 34_560_000))
    return reply
  }

  /// A guest link is good until its time is over; the cookie is its secret.
  private func enterAsGuest(
    _ secret: String, _ guardian: WebGuard, _ desk: ServiceDesk
  ) -> HTTPReply {
    guard let guest = web.guests.guest(secret) else {
      return Self.html(401, WebPages.guestIsOver())
    }
    var reply = Self.html(200, WebPages.entered())
    // It stays longer than it is good for: who comes too late is told so.
    let left = (guest.end.milliseconds - desk.agent.wall.milliseconds) / 1_000
    reply.headers.append(
      guardian.setCookie(guardian.guestCookieName, secret, seconds: left + 30 * 86_400))
    return reply
  }

  // MARK: With one

  /// Lets a request pass that has a credential good for it, at a pace that the agent keeps up with.
  /// - Returns: The guest who sent it; `nil` for somebody who may do more.
  private mutating func admit(
    _ request: HTTPRequest, _ guardian: WebGuard, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) -> GuestBook.Guest? {
    var visitor: String?
    var isReader = false
    var guest: GuestBook.Guest?
    if let secret = WebGuard.bearer(of: request) {
      if let token = web.keys.token(secret) {
        visitor = "token " + token.name
        isReader = token.rights == .readOnly
      }
    } else {
      var rows: [LocalRow] = []
      if let cookie = guardian.cookie(guardian.cookieName, of: request),
        web.keys.knows(cookie: cookie, desk.agent.wall, keep: { rows.append($0) })
      {
        visitor = "cookie " + cookie
      } else if let secret = guardian.cookie(guardian.guestCookieName, of: request) {
        guest = web.guests.guest(secret)
        visitor = guest.map { "guest " + $0.name }
      }
      if !rows.isEmpty { orders.append(.keep(rows)) }
      guard visitor == nil || !WebGuard.writes(request.method) || WebGuard.isVouchedFor(request)
      else {
        throw Problem(
          .notAllowed, "this write does not say which page sent it",
          detail: "scripts use a token: hedge web token add NAME")
      }
    }
    let stranger = request.door == .lan ? "lan" : nil
    if let seconds = web.pace(visitor ?? stranger, isKnown: visitor != nil, desk.agent.now) {
      throw Problem(.tooMany, "too many requests", detail: "come again in \(seconds) s")
    }
    guard visitor != nil else {
      throw Problem(
        .notSignedIn, "sign in first",
        detail: "browsers: open what hedge web prints; scripts: hedge web token add NAME")
    }
    if isReader, WebGuard.writes(request.method) {
      throw Problem(.notAllowed, "this token only reads", detail: "hedge web token ls shows them")
    }
    return guest
  }

  /// A browser sends JSON to another origin only after asking, which is never granted.
  private func refuseWithoutMedia(_ request: HTTPRequest) throws(Problem) {
    guard [.post, .put, .patch].contains(request.method),
      request.path.count < 3 || !sameBytes(request.path[2], "import")
    else { return }
    let type = request.headers[.contentType]?.split(separator: ";").first
    guard let type, type.lowercased().hasSuffix("json") else {
      throw Problem(
        .unsupportedMedia, "the body is not declared as JSON",
        detail: "send Content-Type: application/json")
    }
  }

  // MARK: Pages

  private mutating func page(
    _ request: HTTPRequest, _ pending: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    var name = request.path.count == 2 ? request.path[1] : nil
    let gate = gate(pending, desk)
    if let gate { name = try gate.list(name.map { ListSelector(path: [$0]) }).path[0] }
    switch request.method {
    case .get, .head:
      let after = request.query.first { sameBytes($0.name, "after") }?.value
      let bytes = WebPages.page(try snapshot(name, after, pending, desk))
      orders.append(.reply(pending.id, Self.html(200, bytes)))
    case .post:
      guard let name else { throw Self.notHere(request) }
      var reply = pending
      reply.context.formPath = "/lists/\(PercentCoding.encode(name))"
      do throws(Problem) {
        var asked = Request.transact(try PageForm.transaction(request, list: name))
        if let gate { asked = try gate.admitted(asked) }
        try answer(asked, reply, desk, &orders)
      } catch { refuse(error, reply, &orders) }
    default:
      throw Self.notHere(request)
    }
  }

  private static func notHere(_ request: HTTPRequest) -> Problem {
    Problem(
      .methodNotAllowed, "\(request.method.rawValue) is not possible here",
      suggest: request.path.count == 2 ? "GET, HEAD, POST" : "GET, HEAD")
  }

  private func snapshot(
    _ name: String?, _ after: String?, _ pending: PendingReply, _ desk: ServiceDesk
  ) throws(Problem) -> PageSnapshot {
    let reader = reader(desk, pending.context)
    let lists = reader.lists().filter { pending.guest == nil || $0.list.id == pending.guest?.list }
    var snapshot = PageSnapshot(
      device: desk.ownName, version: desk.agent.version, lists: lists)
    if let guest = pending.guest {
      snapshot.guest = guest.role
    } else {
      snapshot.lan = desk.agent.lanPage.map {
        LANAddress(url: $0.origin, fingerprint: $0.fingerprint)
      }
    }
    if let selector = name ?? lists.first?.list.handle {
      var query = ItemsQuery(list: ListSelector(path: [selector]), show: .all, shape: .tree)
      query.limit = WebPages.rowsMax + 1
      if let after { query.after = try ItemSelector(parsing: after) }
      snapshot.page = try reader.page(query)
    }
    return snapshot
  }

  static func html(_ status: Int, _ bytes: [UInt8]) -> HTTPReply {
    HTTPReply(
      status: status, contentType: "text/html; charset=utf-8",
      headers: [HTTPReplyHeader("Cache-Control", "private, no-cache")], body: bytes)
  }
}
