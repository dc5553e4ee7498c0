// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ControlJSON
import HTTPServer
import ListModel
import ListService
import NodeEngine
import QRCodes
import SQLiteStore
import WebPages
import ZstdPacking

/// What the web door knows of its visitors.
struct WebDesk {
  var keys = WebKeys()
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
  mutating func pace(_ visitor: String?, _ now: Moment) -> UInt64? {
    let name = visitor ?? ""
    if gates[name] == nil {
      if gates.count >= Self.gatesMax { gates = [:] }
      gates[name] =
        visitor == nil
        ? RateGate(burst: 100, perSecond: 20, now: now)
        : RateGate(burst: 2_000, perSecond: 500, now: now)
    }
    return gates[name]?.take(now)
  }
}

/// Requests through the web door: pages, and the API behind a credential.
extension ListAgentService {
  mutating func takeWeb(
    _ request: HTTPRequest, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    let guardian = WebGuard(port: desk.agent.webPort ?? 0)
    var reply = PendingReply(
      id: request.id, context: RequestContext(request), isWeb: true, place: NamedPlace(request))
    reply.context.display = nil
    do throws(Problem) {
      if let refusal = guardian.refusal(of: request) { throw refusal }
      if let open = openPage(request, guardian, desk, &orders) {
        orders.append(.reply(request.id, open))
        return
      }
      try admit(request, guardian, desk, &orders)
      if isPage(request) {
        try page(request, reply, desk, &orders)
      } else {
        let asked = try RequestDecoder.request(RequestForm(request))
        try refuseWithoutMedia(request)
        if case .web = asked {
          throw Problem(
            .notAllowed, "who may come in is decided in a terminal", detail: "see hedge help web")
        }
        if case .events = asked, webStreams >= WebDesk.streamsMax {
          throw Problem(.busy, "there are \(webStreams) event streams already")
        }
        try answer(asked, reply, desk, &orders)
      }
    } catch {
      if error.kind == .notSignedIn, isPage(request) {
        orders.append(.reply(request.id, Self.html(401, WebPages.signIn())))
      } else {
        refuse(error, reply, &orders)
      }
    }
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
    if request.path.count == 2, sameBytes(first, "enter") {
      return enter(request.path[1], guardian, desk, &orders)
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
    if web.pace(nil, desk.agent.now) != nil { return .text(429, "too many tries: wait a moment") }
    var rows: [LocalRow] = []
    let secret = web.keys.spend(link, desk.agent.now, desk.agent.wall, &random) { rows.append($0) }
    if !rows.isEmpty { orders.append(.keep(rows)) }
    guard let secret else { return Self.html(401, WebPages.linkIsOver()) }
    var reply = Self.html(200, WebPages.entered())
    reply.headers.append(
      HTTPReplyHeader(
        "Set-Cookie",
        "\(guardian.cookieName)=\(secret); Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict"))
    return reply
  }

  // MARK: With one

  /// Lets a request pass that has a credential good for it, at a pace that the agent keeps up with.
  private mutating func admit(
    _ request: HTTPRequest, _ guardian: WebGuard, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    var visitor: String?
    var isReader = false
    if let secret = WebGuard.bearer(of: request) {
      if let token = web.keys.token(secret) {
        visitor = "token " + token.name
        isReader = token.rights == .readOnly
      }
    } else if let cookie = guardian.cookie(of: request) {
      var rows: [LocalRow] = []
      if web.keys.knows(cookie: cookie, desk.agent.wall, keep: { rows.append($0) }) {
        guard !WebGuard.writes(request.method) || WebGuard.isVouchedFor(request) else {
          throw Problem(
            .notAllowed, "this write does not say which page sent it",
            detail: "scripts use a token: hedge web token add NAME")
        }
        visitor = "cookie " + cookie
      }
      if !rows.isEmpty { orders.append(.keep(rows)) }
    }
    if let seconds = web.pace(visitor, desk.agent.now) {
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
    let name = request.path.count == 2 ? request.path[1] : nil
    switch request.method {
    case .get, .head:
      let after = request.query.first { sameBytes($0.name, "after") }?.value
      let bytes = WebPages.page(try snapshot(name, after, pending.context, desk))
      orders.append(.reply(pending.id, Self.html(200, bytes)))
    case .post:
      guard let name else { throw Self.notHere(request) }
      var reply = pending
      reply.context.formPath = "/lists/\(PercentCoding.encode(name))"
      do throws(Problem) {
        try transact(try PageForm.transaction(request, list: name), reply, desk, &orders)
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
    _ name: String?, _ after: String?, _ context: RequestContext, _ desk: ServiceDesk
  ) throws(Problem) -> PageSnapshot {
    let reader = reader(desk, context)
    let lists = reader.lists()
    var snapshot = PageSnapshot(
      device: desk.ownName, version: desk.agent.version, lists: lists)
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

  // MARK: Keys

  /// `hedge web`: over the socket file only.
  mutating func web(
    _ request: WebRequest, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    guard let port = desk.agent.webPort else {
      throw Problem(
        .conflict, "the web page is off", detail: "start the agent without --web-port off")
    }
    var rows: [LocalRow] = []
    switch request {
    case .link(let hasQR):
      let secret = web.keys.makeLink(desk.agent.now, &random)
      let url = "http://127.0.0.1:\(port)/enter/\(secret)"
      let seconds = Int64(WebKeys.linkSeconds)
      send(
        .webLink(
          WebLinkReply(
            url: url, expires: desk.agent.wall.milliseconds + seconds * 1_000,
            validSeconds: seconds,
            qr: hasQR ? QRCode(url)?.lines : nil)), reply, desk, &orders)
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
    }
    if !rows.isEmpty { orders.append(.keep(rows)) }
  }
}

extension WebKeys.Token {
  var shown: WebTokenRow {
    WebTokenRow(name: name, isReadOnly: rights == .readOnly, created: created.milliseconds)
  }
}
