// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
import ListFormats
import ListModel

/// Reads HTTP requests of the local API: routes, queries and JSON bodies.
package enum RequestDecoder {
  /// Bytes of a body at most, by path: files of `import` may be larger.
  package static func bodyBytesMax(path: [String]) -> Int {
    path.count == 3 && sameBytes(path[2], "import") ? 64 << 20 : 1 << 20
  }

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - path: Decoded parts, as in `RequestForm.path`.
  ///   - query: Decoded; unknown names are ignored.
  /// - Throws: `unknownRoute`, `methodNotAllowed`, `unsupportedMedia`, and what is wrong with
  ///   parameters or body.
  package static func request(_ form: RequestForm) throws(Problem) -> Request {
    let path = form.path
    guard case .route = RouteTable.place(form.method, path) else { throw unknown(form) }
    if path.count == 1 { return try root(form) }
    guard path.count >= 3, sameBytes(path[0], "api"), sameBytes(path[1], "v1") else {
      throw unknown(form)
    }
    switch path.count {
    case 3: return try short(form, path[2])
    case 4: return try long(form, path[2], path[3])
    default: return try listRoute(form)
    }
  }

  private static func root(_ form: RequestForm) throws(Problem) -> Request {
    switch (form.method, form.path[0]) {
    case ("GET", "healthz"): return .health
    case ("GET", "readyz"): return .readiness
    case ("GET", "metrics"): return .metrics
    default: throw unknown(form)
    }
  }

  private static func short(_ form: RequestForm, _ name: String) throws(Problem) -> Request {
    let query = QueryReader(form.query)
    switch (form.method, name) {
    case ("GET", "overview"): return .overview
    case ("GET", "lists"): return .lists
    case ("POST", "lists"):
      return try edit(form) { r throws(Problem) in .newList(try TransactionDecoder.newList(&r)) }
    case ("GET", "items"): return .items(try query.items(list: query.list()))
    case ("POST", "txn"): return .transact(try TransactionDecoder.transaction(body(form)))
    case ("POST", "undo"): return .undo(try undo(form, isRedo: false))
    case ("POST", "redo"): return .undo(try undo(form, isRedo: true))
    case ("GET", "undo"): return .undoSteps
    case ("GET", "columns"): return .columns(try query.list())
    case ("GET", "find"): return .find(try query.find())
    case ("GET", "log"): return .log(try query.log())
    case ("GET", "wait"): return .wait(try query.wait())
    case ("GET", "members"): return .members
    case ("GET", "use"): return .use(.show)
    case ("DELETE", "use"): return .use(.clear)
    case ("POST", "use"):
      let list = try members(form) { r throws(Problem) in try r.needText("list") }
      return .use(.set(try ListSelector(parsing: list)))
    case ("GET", "trash"): return .trash(try query.trash())
    case ("GET", "conflicts"): return .conflicts(try query.list())
    case ("GET", "notify"): return .notify(.show)
    case ("POST", "notify"), ("PATCH", "notify"):
      return .notify(try NotifyDecoder.request(form.method, nil, body(form)))
    case ("GET", "status"): return .status(isCheck: try query.flag("check"))
    case ("GET", "peers"): return .peers(name: query.first("name"))
    case ("POST", "peers"):
      return .addPeer(address: try members(form) { r throws(Problem) in try r.needText("address") })
    case ("DELETE", "peers"): return .removePeer(address: try query.need("address"))
    case ("POST", "sync"):
      return .sync(peer: try members(form) { r throws(Problem) in try r.text("peer") })
    case ("POST", "invite"):
      let role = try members(form) { r throws(Problem) in try r.text("role") } ?? "member"
      guard ["admin", "member", "reader"].contains(where: { sameBytes($0, role) }) else {
        throw Problem(.invalidValue, "no role \(role)", detail: "roles: admin, member, reader")
      }
      return .invite(InviteRequest(role: role))
    case ("POST", "join"):
      return try members(form) { r throws(Problem) in
        .join(JoinRequest(code: try r.needText("code"), address: try r.text("at")))
      }
    case ("GET", "inspect"): return .inspect(try query.inspectTarget())
    case ("POST", "import"): return .importFile(try query.importRequest(form.body))
    case ("GET", "export"): return .export(try query.export())
    case ("GET", "events"): return .events(try query.events())
    case ("GET", "changes"): return .changes(since: query.first("since"), lists: try query.lists())
    case ("GET", "version"): return .version
    case ("GET", "agent"): return .agentStatus
    case ("GET", "openapi.json"): return .openAPI
    default: throw unknown(form)
    }
  }

  private static func long(
    _ form: RequestForm, _ first: String, _ second: String
  ) throws(Problem) -> Request {
    switch (form.method, first, second) {
    case ("GET", "items", _):
      return .show(try QueryReader(form.query).list(), try ItemSelector(parsing: second))
    case ("PATCH", "members", _):
      return .changeMember(
        try members(form) { r throws(Problem) in
          let (name, role) = (try r.text("name"), try r.text("role"))
          if let name, role == nil { return .alias(peer: second, name: name) }
          if let role, name == nil { return .role(peer: second, role: role) }
          throw Problem(.malformed, "one of name and role is needed")
        })
    case ("DELETE", "members", _):
      try nothing(form)
      let isDryRun = try QueryReader(form.query).flag("dry_run")
      return .changeMember(.remove(peer: second, isDryRun: isDryRun))
    case ("DELETE", "lists", _):
      return .transact(Transaction([.drop(ListSelector(path: [second]), name: nil)]))
    case ("PATCH", "lists", _):
      return try edit(form) { r throws(Problem) in
        .rename(ListSelector(path: [second]), to: try r.needText("name"))
      }
    case ("POST", "sync", "pause"):
      try nothing(form)
      return .pause
    case ("POST", "sync", "resume"):
      try nothing(form)
      return .resume
    case ("GET", "invite", _): return .awaitJoiner(invite: second)
    case ("POST", "notify", _):
      return .notify(try NotifyDecoder.request(form.method, second, body(form)))
    case ("POST", "web", "link"):
      return try members(form) { r throws(Problem) in .web(.link(hasQR: try r.flag("qr"))) }
    case ("GET", "web", "tokens"): return .web(.tokens)
    case ("POST", "web", "tokens"):
      return try members(form) { r throws(Problem) in
        .web(.addToken(name: try r.needText("name"), isReadOnly: try r.flag("ro")))
      }
    case ("POST", "web", "lan"):
      return try members(form) { r throws(Problem) in
        .web(.lan(isOn: try r.flag("on"), hasQR: try r.flag("qr")))
      }
    case ("GET", "web", "guests"): return .web(.guests)
    case ("POST", "web", "guests"): return .web(.addGuest(try members(form, guest)))
    case ("POST", "agent", "stop"):
      try nothing(form)
      return .stopAgent
    case ("POST", "agent", "reload"):
      try nothing(form)
      return .reloadAgent
    default: throw unknown(form)
    }
  }

  private static func guest(_ reader: inout ObjectReader) throws(Problem) -> GuestRequest {
    let word = try reader.needText("role")
    guard let role = GuestRole.allCases.first(where: { sameBytes($0.rawValue, word) }) else {
      throw Problem(.invalidValue, "no role \(word)", detail: "roles of guests: tick, ro")
    }
    var guest = GuestRequest(list: try TransactionDecoder.list(&reader), role: role)
    guest.hasQR = try reader.flag("qr")
    if let seconds = try reader.count("ttl_s") { guest.seconds = Int64(seconds) }
    guard GuestRequest.secondsRange.contains(guest.seconds) else {
      throw Problem(
        .invalidValue, "a guest link is good for 1 minute to 90 days",
        detail: "ttl_s is 60 to 7776000")
    }
    return guest
  }

  private static func undo(_ form: RequestForm, isRedo: Bool) throws(Problem) -> UndoRequest {
    try members(form) { r throws(Problem) in
      UndoRequest(
        transaction: try r.text("txn"), isRedo: isRedo, isForced: try r.flag("force"),
        isDryRun: try r.flag("dry_run"))
    }
  }

  /// `lists/{l}/items`, `lists/{l}/items/{i}`, `lists/{l}/items/{i}/move`.
  private static func listRoute(_ form: RequestForm) throws(Problem) -> Request {
    let path = form.path
    if path.count == 5, sameBytes(path[2], "web"), sameBytes(form.method, "DELETE") {
      if sameBytes(path[3], "tokens") { return .web(.removeToken(name: path[4])) }
      if sameBytes(path[3], "guests") { return .web(.removeGuest(name: path[4])) }
    }
    if path.count == 5, sameBytes(path[2], "conflicts"), sameBytes(path[4], "take"),
      sameBytes(form.method, "POST")
    {
      let isDryRun = try members(form) { r throws(Problem) in try r.flag("dry_run") }
      return .takeConflict(id: path[3], isDryRun: isDryRun)
    }
    guard (5...7).contains(path.count), sameBytes(path[2], "lists"), sameBytes(path[4], "items")
    else { throw unknown(form) }
    let list = ListSelector(path: [path[3]])
    if path.count == 5 {
      switch form.method {
      case "GET": return .items(try QueryReader(form.query).items(list: list))
      case "POST":
        return try edit(form) { r throws(Problem) in
          .add(try TransactionDecoder.add(&r, list: list))
        }
      default: throw unknown(form)
      }
    }
    let item = try ItemSelector(parsing: path[5])
    if path.count == 7 {
      guard sameBytes(form.method, "POST"), sameBytes(path[6], "move") else { throw unknown(form) }
      return try edit(form) { r throws(Problem) in
        let target = try TransactionDecoder.list(&r)
        var move = try TransactionDecoder.move(&r, list: list, items: [item])
        if let target { move.to = target }
        return .move(move)
      }
    }
    switch form.method {
    case "GET": return .show(list, item)
    case "DELETE": return .transact(Transaction([.remove(list, [item])]))
    case "PUT":
      return try edit(form) { r throws(Problem) in
        var add = try TransactionDecoder.add(&r, list: list)
        add.items[0].id = try TransactionDecoder.id(path[5], isAlone: true)
        return .add(add)
      }
    case "PATCH": return try patch(form, list, item)
    default: throw unknown(form)
    }
  }

  private static func patch(
    _ form: RequestForm, _ list: ListSelector, _ item: ItemSelector
  ) throws(Problem) -> Request {
    var reader = try ObjectReader(body(form), at: "the body")
    let isDone = try TransactionDecoder.state(&reader)
    let edit = try TransactionDecoder.edit(&reader, list: list, items: [item])
    try reader.finish()
    var ops: [ItemOp] = []
    let writes = edit.text != nil || edit.note != nil || !edit.cells.isEmpty
    if writes || isDone == nil { ops.append(.edit(edit)) }
    if let isDone { ops.append(.tick(TickItems(list: list, items: [item], isDone: isDone))) }
    return .transact(Transaction(ops))
  }

  private static func edit(
    _ form: RequestForm, _ read: (inout ObjectReader) throws(Problem) -> ItemOp
  ) throws(Problem) -> Request {
    .transact(Transaction([try members(form, read)]))
  }

  private static func members<T>(
    _ form: RequestForm, _ read: (inout ObjectReader) throws(Problem) -> T
  ) throws(Problem) -> T {
    var reader = try ObjectReader(body(form), at: "the body")
    let value = try read(&reader)
    try reader.finish()
    return value
  }

  /// A body where none is wanted: none, or an empty object.
  private static func nothing(_ form: RequestForm) throws(Problem) {
    if !form.body.isEmpty { try members(form) { r throws(Problem) in () } }
  }

  private static func body(_ form: RequestForm) throws(Problem) -> JSONValue {
    let type = form.contentType?.split(separator: ";").first.map { String($0).lowercased() }
    guard let type, type.hasSuffix("json") else {
      throw Problem(
        .unsupportedMedia, "the body is not declared as JSON",
        detail: "send Content-Type: application/json")
    }
    do {
      return try JSONReader.read(form.body)
    } catch {
      throw Problem(.malformed, "the body is not JSON", detail: error.message)
    }
  }

  /// Why a form is at no route: another method, or nothing there.
  private static func unknown(_ form: RequestForm) -> Problem {
    let path = "/" + form.path.joined(separator: "/")
    if case .methods(let methods) = RouteTable.place(form.method, form.path) {
      return Problem(
        .methodNotAllowed, "\(form.method) is not possible on \(path)",
        suggest: methods.joined(separator: ", "))
    }
    return Problem(.unknownRoute, "no route \(path)", detail: "see /api/v1/openapi.json")
  }
}
