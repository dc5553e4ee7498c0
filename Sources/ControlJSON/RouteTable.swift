// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// Every route of the API. A request that is not in here is answered by 404 or 405; the OpenAPI
/// document and the labels of the request counter are made from it.
package enum RouteTable {
  package static let routes: [Route] = lists + items + back + network + agent + others

  private static func api(
    _ method: String, _ path: String, _ name: String, _ summary: String,
    query: [Route.Parameter] = [], body: String? = nil, _ answers: [Route.Answer]
  ) -> Route {
    Route(
      method, "/api/v1/\(path)", name, summary, query: query, body: body.map(Schema.named), answers)
  }

  private static func open(_ route: Route) -> Route {
    var route = route
    route.isOpen = true
    return route
  }

  /// A JSON document.
  private static func json(_ schema: String, _ status: Int = 200) -> Route.Answer {
    Route.Answer(status: status, contentType: "application/json", schema: .named(schema))
  }

  private static func plain(_ contentType: String, _ status: Int = 200) -> Route.Answer {
    Route.Answer(status: status, contentType: contentType, schema: nil)
  }

  /// On or off in a query; without a value it is on.
  private static let flag = Schema.words(["1", "0", "true", "false", ""])

  /// What `If-None-Match` names is what is there.
  private static let unchanged = Route.Answer(status: 304, contentType: "", schema: nil)

  private static let itemQuery: [Route.Parameter] = [
    .many("word"), .one("show", .words(ItemsQuery.Show.allCases.map(\.rawValue))),
    .one("shape", .words(ItemsQuery.Shape.allCases.map(\.rawValue))), .many("where"),
    .many("sort"), .many("col"), .one("limit", .atLeast(1)), .one("after"),
  ]

  private static let lists: [Route] = [
    api("GET", "overview", "overview", "lists and status", [json("overview")]),
    api("GET", "lists", "lists", "all lists with counts", [json("lists"), unchanged]),
    api(
      "POST", "lists", "newList", "make a list", body: "new_list",
      [json("result", 201), json("result")]),
    api(
      "GET", "items", "itemsOf", "items of a list that the query names",
      query: [.one("list")] + itemQuery, [json("items"), unchanged]),
    api(
      "GET", "items/{item}", "show", "one item with all its fields", query: [.one("list")],
      [json("show"), unchanged]),
    api(
      "POST", "txn", "transact", "several operations, all or nothing, one undo step", body: "txn",
      [json("result")]),
  ]

  private static let items: [Route] = [
    api(
      "GET", "lists/{list}/items", "items", "items of a list in its order", query: itemQuery,
      [json("items"), unchanged]),
    api(
      "POST", "lists/{list}/items", "add", "add an item", body: "new_item",
      [json("result", 201), json("result")]),
    api(
      "GET", "lists/{list}/items/{item}", "item", "one item with all its fields",
      [json("show"), unchanged]),
    api(
      "PUT", "lists/{list}/items/{item}", "put", "make an item of that id; safe to repeat",
      body: "put_item", [json("result", 201), json("result")]),
    api(
      "PATCH", "lists/{list}/items/{item}", "patch", "change fields of an item",
      body: "patch_item", [json("result")]),
    api(
      "DELETE", "lists/{list}/items/{item}", "remove", "hide an item with all that is under it",
      [json("result")]),
    api(
      "POST", "lists/{list}/items/{item}/move", "move", "move an item", body: "move",
      [json("result")]),
  ]

  private static let back: [Route] = [
    api(
      "POST", "undo", "undo", "take the last command of this machine back", body: "undo_choice",
      [json("undo")]),
    api(
      "POST", "redo", "redo", "do again what undo took back", body: "undo_choice", [json("undo")]),
    api(
      "PATCH", "lists/{list}", "renameList", "rename a list", body: "new_name", [json("result")]),
    api("DELETE", "lists/{list}", "dropList", "remove a list", [json("result")]),
    api(
      "GET", "columns", "columns", "the columns of a list", query: [.one("list")],
      [json("columns")]),
    api(
      "GET", "find", "find", "items of all lists that have these words",
      query: [
        Route.Parameter(name: "word", schema: .string, isList: true, isRequired: true),
        .one("show", .words(ItemsQuery.Show.allCases.map(\.rawValue))), .one("limit", .atLeast(1)),
      ], [json("found")]),
    api(
      "GET", "log", "log", "who did what, the newest first",
      query: [
        .one("list"), .one("item"), .one("by"), .one("since"), .one("limit", .atLeast(1)),
      ], [json("log")]),
    api(
      "GET", "wait", "wait", "answered when changes are stored elsewhere",
      query: [
        .one("peer"), .one("all", flag), .one("any", .atLeast(1)), .one("txn"),
      ], [json("stored")]),
    api("GET", "members", "members", "devices of the space", [json("members")]),
    api(
      "PATCH", "members/{member}", "changeMember", "give a device another role or name",
      body: "member_change", [json("done")]),
    api(
      "DELETE", "members/{member}", "removeMember", "remove a device from the space for good",
      query: [.one("dry_run", flag)], [json("revoked"), json("done")]),
    api("GET", "use", "used", "the list that a terminal uses", [json("using")]),
    api(
      "POST", "use", "use", "choose the list of a terminal", body: "list_choice", [json("using")]),
    api("DELETE", "use", "useNone", "choose no list for a terminal", [json("using")]),
    api("GET", "undo", "undoSteps", "what can be taken back or redone", [json("undo_steps")]),
    api(
      "GET", "trash", "trash", "what was removed, and Recovered",
      query: [.one("list"), .one("limit", .atLeast(1))], [json("trash")]),
    api(
      "GET", "conflicts", "conflicts", "merge decisions of this machine", query: [.one("list")],
      [json("conflicts")]),
    api(
      "POST", "conflicts/{conflict}/take", "takeConflict", "write the value that was dropped",
      body: "dry_choice", [json("result")]),
  ]

  private static let whichLists: [Route.Parameter] = [.many("list"), .one("lists")]

  private static let network: [Route] = [
    api("GET", "notify", "notify", "rules and sinks of notifications", [json("notify")]),
    api("POST", "notify", "notifyOn", "add a rule", body: "notify_rule", [json("notify")]),
    api(
      "PATCH", "notify", "notifyTo", "where notices go; exec and post over the socket file only",
      body: "notify_sinks", [json("notify")]),
    api(
      "POST", "notify/off", "notifyOff", "take rules away", body: "notify_target",
      [json("notify")]),
    api("POST", "notify/mute", "notifyMute", "silence for a while", body: "mute", [json("notify")]),
    api(
      "POST", "notify/test", "notifyTest", "one notice to every sink", body: "nothing",
      [json("notify")]),
    api(
      "GET", "events", "events", "a stream of events",
      query: whichLists + [
        .one("since"), .one("initial", flag), .one("not_mine", flag),
        .many("only", .words(Event.Kind.allCases.filter(\.isChange).map(\.rawValue))),
        .one("count", .atLeast(1)), .one("until"),
      ], [plain("text/event-stream")]),
    api(
      "GET", "changes", "changes", "events since a cursor, at once",
      query: [.one("since")] + whichLists, [json("changes")]),
    api(
      "GET", "status", "status", "is everything safe and current",
      query: [.one("check", flag)], [json("status")]),
    api("GET", "peers", "peers", "the other machines", query: [.one("name")], [json("peers")]),
    api("POST", "peers", "addPeer", "keep a static address", body: "address", [json("done")]),
    api(
      "DELETE", "peers", "removePeer", "forget a static address",
      query: [.one("address", isRequired: true)], [json("done")]),
    api("POST", "sync", "sync", "exchange now", body: "peer_choice", [json("sync")]),
    api("POST", "sync/pause", "pause", "stop exchanging", body: "nothing", [json("sync")]),
    api("POST", "sync/resume", "resume", "start exchanging", body: "nothing", [json("sync")]),
    api("POST", "invite", "invite", "a one-time code", body: "role_choice", [json("invite")]),
    api("GET", "invite/{invite}", "awaitJoiner", "wait for who uses a code", [json("joiner")]),
    api(
      "POST", "join", "join", "join the space of another machine", body: "join", [json("joined")]),
  ]

  private static let agent: [Route] = [
    api(
      "GET", "inspect", "inspect", "raw facts for bug reports",
      query: [.one("list"), .one("item"), .one("peer")], [json("inspection")]),
    Route(
      "POST", "/api/v1/import", "importFile", "read items from a file",
      query: [
        .one("list"), .one("format", .words(FileFormat.allCases.map(\.rawValue)), isRequired: true),
        .many("map"), .one("key"), .one("prune", flag),
        .one("dry_run", flag),
      ], body: .anything, [json("import")]),
    api(
      "GET", "export", "export", "write lists to a file",
      query: whichLists + [
        .one("all", flag),
        .one("format", .words(FileFormat.allCases.map(\.rawValue))),
        .one("lossy_ok", flag),
      ],
      [
        Route.Answer(
          status: 200, contentType: "application/json", otherTypes: ["text/csv", "text/plain"],
          schema: nil)
      ]),
    api("GET", "version", "version", "versions of the agent", [json("version")]),
    api("GET", "agent", "agent", "the agent's process", [json("agent")]),
    api("POST", "agent/stop", "stopAgent", "stop the agent", body: "nothing", [json("done")]),
    api(
      "POST", "agent/reload", "reloadAgent", "read the configuration again", body: "nothing",
      [json("done")]),
    api(
      "POST", "web/link", "webLink", "an address that opens the page once; socket file only",
      body: "link_choice", [json("web_link")]),
    api(
      "GET", "web/tokens", "webTokens", "tokens of scripts; socket file only", [json("web_tokens")]),
    api(
      "POST", "web/tokens", "addWebToken", "make a token; socket file only", body: "token_choice",
      [json("web_token")]),
    api(
      "DELETE", "web/tokens/{name}", "removeWebToken", "take a token back; socket file only",
      [json("done")]),
    api(
      "POST", "web/lan", "webLAN",
      "open the page to other devices of the LAN (answered by web_link), or close it (done); "
        + "socket file only",
      body: "lan_choice", [json("web_lan")]),
    api("GET", "web/guests", "webGuests", "guest links; socket file only", [json("web_guests")]),
    api(
      "POST", "web/guests", "addWebGuest", "make a guest link to one list; socket file only",
      body: "guest_choice", [json("web_guest")]),
    api(
      "DELETE", "web/guests/{name}", "removeWebGuest", "take a guest link back; socket file only",
      [json("done")]),
    api("GET", "openapi.json", "openapi", "this document", [plain("application/json")]),
  ]

  private static let others: [Route] = [
    open(
      Route("GET", "/healthz", "health", "whether the process works", [plain("text/plain")])),
    open(
      Route(
        "GET", "/readyz", "readiness", "whether store and port are open",
        [plain("text/plain"), plain("text/plain", 503)])),
    Route("GET", "/metrics", "metrics", "figures for Prometheus", [plain("text/plain")]),
  ]
}
