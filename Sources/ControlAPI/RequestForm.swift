// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A request as HTTP: what a client sends, and what the agent's decoder reads back.
public struct RequestForm: Hashable, Sendable {
  public struct QueryItem: Hashable, Sendable {
    public var name: String
    public var value: String
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  public var method: String
  /// Parts between the slashes, not yet percent-encoded.
  public var path: [String]
  public var query: [QueryItem]
  public var body: [UInt8]
  /// `nil` where there is no body.
  public var contentType: String?

  public init(
    _ method: String, _ path: [String], query: [QueryItem] = [], body: [UInt8] = [],
    contentType: String? = nil
  ) {
    (self.method, self.path, self.query) = (method, path, query)
    (self.body, self.contentType) = (body, contentType)
  }

  /// Path and query, percent-encoded: the target of the request line.
  public var target: String {
    let names = path.map { "/" + PercentCoding.encode($0) }.joined()
    let items = query.map { PercentCoding.encode($0.name) + "=" + PercentCoding.encode($0.value) }
    return items.isEmpty ? names : names + "?" + items.joined(separator: "&")
  }

  /// The form of a request over the local API.
  public init(_ request: Request) {
    let form = Self.form(of: request)
    self = form
    if method != "GET", contentType == nil {
      contentType = "application/json"
      if body.isEmpty { body = Array("{}".utf8) }
    }
  }

  static func api(_ method: String, _ parts: String..., query: [QueryItem] = [])
    -> RequestForm
  {
    RequestForm(method, ["api", "v1"] + parts, query: query)
  }

  private static func form(of request: Request) -> RequestForm {
    switch request {
    case .overview: api("GET", "overview")
    case .lists: api("GET", "lists")
    case .items(let query): api("GET", "items", query: query.queryItems)
    case .show(let list, let item):
      api("GET", "items", item.spelling, query: Self.list(list))
    case .transact(let transaction): transaction.form
    case .undo(let undo): undo.form
    case .undoSteps: api("GET", "undo")
    case .columns(let list): api("GET", "columns", query: Self.list(list))
    case .find(let query): api("GET", "find", query: query.queryItems)
    case .use(.show): api("GET", "use")
    case .use(.set(let list)): body(api("POST", "use"), [("list", list.spelling)])
    case .use(.clear): api("DELETE", "use")
    case .log(let query): api("GET", "log", query: query.queryItems)
    case .wait(let wait): api("GET", "wait", query: wait.queryItems)
    case .members: api("GET", "members")
    case .changeMember(.role(let peer, let role)):
      body(api("PATCH", "members", peer), [("role", role)])
    case .changeMember(.alias(let peer, let name)):
      body(api("PATCH", "members", peer), [("name", name)])
    case .changeMember(.remove(let peer, let isDryRun)):
      api("DELETE", "members", peer, query: isDryRun ? [.init("dry_run", "1")] : [])
    case .trash(let query):
      api(
        "GET", "trash",
        query: Self.list(query.list)
          + (query.limit == TrashQuery.limitMax ? [] : [QueryItem("limit", String(query.limit))]))
    case .conflicts(let list): api("GET", "conflicts", query: Self.list(list))
    case .takeConflict(let id, let isDryRun):
      body(api("POST", "conflicts", id, "take"), flags: isDryRun ? ["dry_run"] : [])
    case .status(let isCheck):
      api("GET", "status", query: isCheck ? [QueryItem("check", "1")] : [])
    case .peers(let name):
      api("GET", "peers", query: name.map { [QueryItem("name", $0)] } ?? [])
    case .addPeer(let address): body(api("POST", "peers"), [("address", address)])
    case .removePeer(let address):
      api("DELETE", "peers", query: [QueryItem("address", address)])
    case .sync(let peer): body(api("POST", "sync"), peer.map { [("peer", $0)] } ?? [])
    case .pause: api("POST", "sync", "pause")
    case .resume: api("POST", "sync", "resume")
    case .invite(let invite): body(api("POST", "invite"), [("role", invite.role)])
    case .awaitJoiner(let invite): api("GET", "invite", invite)
    case .join(let join):
      body(
        api("POST", "join"), [("code", join.code)] + (join.address.map { [("at", $0)] } ?? []))
    case .inspect(let target): api("GET", "inspect", query: target.queryItems)
    case .importFile(let file): file.form
    case .export(let export): api("GET", "export", query: export.queryItems)
    case .events(let events): api("GET", "events", query: events.queryItems)
    case .changes(let since, let lists):
      api(
        "GET", "changes",
        query: (since.map { [QueryItem("since", $0)] } ?? [])
          + lists.map { QueryItem("list", $0.spelling) })
    case .version: api("GET", "version")
    case .agentStatus: api("GET", "agent")
    case .stopAgent: api("POST", "agent", "stop")
    case .reloadAgent: api("POST", "agent", "reload")
    case .web(let web): form(of: web)
    case .notify(let notify): form(of: notify)
    case .health: RequestForm("GET", ["healthz"])
    case .readiness: RequestForm("GET", ["readyz"])
    case .metrics: RequestForm("GET", ["metrics"])
    case .openAPI: api("GET", "openapi.json")
    }
  }

  private static func form(of request: NotifyRequest) -> RequestForm {
    var json = JSONWriter()
    json.beginObject()
    var path = ["notify"]
    var method = "POST"
    switch request {
    case .show: return api("GET", "notify")
    case .on(let wish):
      write(wish.target, to: &json)
      if wish.isEdge { json.member("edge", bool: true) }
      if wish.hysteresisPercent > 0 { json.member("hysteresis", count: wish.hysteresisPercent) }
      if let seconds = wish.everySeconds { json.member("every_s", count: seconds) }
    case .off(let target):
      path.append("off")
      write(target, to: &json)
    case .mute(let minutes):
      path.append("mute")
      json.member("minutes", count: minutes)
    case .change(let change):
      method = "PATCH"
      if let isDesktop = change.isDesktop { json.member("desktop", bool: isDesktop) }
      if let command = change.command { json.member("exec", command) }
      if let address = change.address { json.member("post", address) }
      if let quiet = change.quiet { json.member("quiet", quiet) }
    case .test: path.append("test")
    }
    json.endObject()
    var form = RequestForm(method, ["api", "v1"] + path)
    form.body = json.bytes
    return form
  }

  private static func write(_ target: NotifyTarget, to json: inout JSONWriter) {
    if let list = target.list { json.member("list", list.spelling) }
    if let item = target.item { json.member("item", item.spelling) }
    if let column = target.column { json.member("col", column) }
    if let condition = target.condition { json.member("where", condition.spelling) }
  }

  private static func form(of request: WebRequest) -> RequestForm {
    switch request {
    case .link(let hasQR):
      var json = JSONWriter()
      json.beginObject()
      json.member("qr", bool: hasQR)
      json.endObject()
      var form = api("POST", "web", "link")
      form.body = json.bytes
      return form
    case .tokens: return api("GET", "web", "tokens")
    case .addToken(let name, let isReadOnly):
      var json = JSONWriter()
      json.beginObject()
      json.member("name", name)
      json.member("ro", bool: isReadOnly)
      json.endObject()
      var form = api("POST", "web", "tokens")
      form.body = json.bytes
      return form
    case .removeToken(let name): return api("DELETE", "web", "tokens", name)
    case .lan(let isOn, let hasQR):
      var json = JSONWriter()
      json.beginObject()
      json.member("on", bool: isOn)
      json.member("qr", bool: hasQR)
      json.endObject()
      var form = api("POST", "web", "lan")
      form.body = json.bytes
      return form
    case .guests: return api("GET", "web", "guests")
    case .addGuest(let guest):
      var json = JSONWriter()
      json.beginObject()
      if let list = guest.list { json.member("list", list.spelling) }
      json.member("role", guest.role.rawValue)
      json.member("ttl_s", int: guest.seconds)
      json.member("qr", bool: guest.hasQR)
      json.endObject()
      var form = api("POST", "web", "guests")
      form.body = json.bytes
      return form
    case .removeGuest(let name): return api("DELETE", "web", "guests", name)
    }
  }

  static func list(_ list: ListSelector?) -> [QueryItem] {
    list.map { [QueryItem("list", $0.spelling)] } ?? []
  }

  static func body(
    _ form: RequestForm, _ members: [(String, String)] = [], flags: [String] = []
  ) -> RequestForm {
    var json = JSONWriter()
    json.beginObject()
    for (name, value) in members { json.member(name, value) }
    for name in flags { json.member(name, bool: true) }
    json.endObject()
    var form = form
    form.body = json.bytes
    return form
  }
}

extension ItemsQuery {
  var queryItems: [RequestForm.QueryItem] {
    var items = RequestForm.list(list)
    items += words.map { .init("word", $0) }
    if show != .open { items.append(.init("show", show.rawValue)) }
    items += filters.map { .init("where", $0.spelling) }
    items += sort.map { .init("sort", $0.spelling) }
    items += columns.map { .init("col", $0) }
    if shape != .flat { items.append(.init("shape", shape.rawValue)) }
    if let limit { items.append(.init("limit", String(limit))) }
    if let after { items.append(.init("after", after.spelling)) }
    return items
  }
}

extension LogQuery {
  var queryItems: [RequestForm.QueryItem] {
    var items = RequestForm.list(list)
    if let item { items.append(.init("item", item.spelling)) }
    if let by { items.append(.init("by", by)) }
    if let since { items.append(.init("since", since)) }
    if limit != Self.limitDefault { items.append(.init("limit", String(limit))) }
    return items
  }
}

extension WaitRequest {
  var queryItems: [RequestForm.QueryItem] {
    var items: [RequestForm.QueryItem] = []
    switch whom {
    case .peer(let name): items.append(.init("peer", name))
    case .all: items.append(.init("all", "1"))
    case .any(let count): items.append(.init("any", String(count)))
    }
    if let transaction { items.append(.init("txn", transaction)) }
    return items
  }
}

extension FindQuery {
  var queryItems: [RequestForm.QueryItem] {
    var items = words.map { RequestForm.QueryItem("word", $0) }
    if show != .open { items.append(.init("show", show.rawValue)) }
    if limit != Self.limitMax { items.append(.init("limit", String(limit))) }
    return items
  }
}

extension UndoRequest {
  var form: RequestForm {
    var flags: [String] = []
    if isForced { flags.append("force") }
    if isDryRun { flags.append("dry_run") }
    return RequestForm.body(
      RequestForm.api("POST", isRedo ? "redo" : "undo"), transaction.map { [("txn", $0)] } ?? [],
      flags: flags)
  }
}

extension InspectTarget {
  var queryItems: [RequestForm.QueryItem] {
    switch self {
    case .store: []
    case .list(let list): RequestForm.list(list)
    case .item(let list, let item): RequestForm.list(list) + [.init("item", item.spelling)]
    case .peer(let name): [.init("peer", name)]
    }
  }
}

extension ImportRequest {
  var form: RequestForm {
    var query = RequestForm.list(list) + [.init("format", format.rawValue)]
    query += map.map { .init("map", "\($0.heading)=\($0.column)") }
    if let key { query.append(.init("key", key)) }
    if removesMissing { query.append(.init("prune", "1")) }
    if isDryRun { query.append(.init("dry_run", "1")) }
    let types: [FileFormat: String] = [
      .lines: "text/plain", .csv: "text/csv", .json: "application/json",
    ]
    return RequestForm(
      "POST", ["api", "v1", "import"], query: query, body: bytes, contentType: types[format])
  }
}

extension ExportRequest {
  var queryItems: [RequestForm.QueryItem] {
    var items: [RequestForm.QueryItem] = lists.map { .init("list", $0.spelling) }
    if isAll { items.append(.init("all", "1")) }
    items.append(.init("format", format.rawValue))
    if acceptsLoss { items.append(.init("lossy_ok", "1")) }
    return items
  }
}

extension EventsQuery {
  var queryItems: [RequestForm.QueryItem] {
    var items: [RequestForm.QueryItem] = lists.map { .init("list", $0.spelling) }
    if let since { items.append(.init("since", since)) }
    if !hasInitial { items.append(.init("initial", "0")) }
    if onlyOthers { items.append(.init("not_mine", "1")) }
    items += kinds.map { .init("only", $0) }
    if let count { items.append(.init("count", String(count))) }
    if let until { items.append(.init("until", until.spelling)) }
    return items
  }
}

/// Percent-encoding of RFC 3986.
public enum PercentCoding {
  /// Encodes everything but unreserved characters.
  public static func encode(_ text: String) -> String {
    var out: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: out.append(byte)
      default:
        out.append(0x25)
        out.append(contentsOf: Hex.encode([byte]).utf8)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
