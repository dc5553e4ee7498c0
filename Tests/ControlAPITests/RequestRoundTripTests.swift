// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ControlJSON
import ListModel
import Testing

@Suite struct RequestRoundTripTests {
  static let list = ListSelector(path: ["gro", "party süß"])
  static let cells = [
    CellWrite(column: "qty", input: .number("2")), CellWrite(column: "a b", input: .text("é\n\"")),
    CellWrite(column: "ok", input: .bool(true)), CellWrite(column: "x", input: .clear),
    CellWrite(column: "n", input: .increment("-1")),
    CellWrite(column: "on", input: .timed("tomorrow", date: "2026-12-01", time: nil)),
    CellWrite(column: "at", input: .timed("18:00", date: nil, time: "2026-12-01T17:00:00Z")),
  ]
  static let transaction = Transaction(
    [
      .newList(
        NewList(
          name: "stocks", columns: [Column(name: "price", type: .num, isRequired: true)],
          under: list)),
      .add(
        AddItems(
          list: list,
          items: [
            NewItem(
              text: "milk", cells: cells, note: "cold", isDone: true, id: ItemID(nonce: 7, index: 0)
            ),
            NewItem(text: nil, cells: []),
          ], place: .after(.word("k7m")), onlyNew: true)),
      .edit(
        EditItems(
          items: [.number(2), .range(3, 5), .id(ItemID(nonce: 1, index: 9))], text: "x", note: "",
          cells: cells, conditions: [cells[0]])),
      .tick(TickItems(items: [.word("oat milk")], isDone: false, withChildren: true)),
      .move(MoveItems(items: [.number(1)], place: .bottom, to: list)),
      .remove(list, [.number(1)]), .restore(nil, [.word("k7m")]),
    ], isDryRun: true)

  static let requests: [Request] = [
    .overview, .lists, .items(ItemsQuery()),
    .items(
      ItemsQuery(
        list: list, words: ["oat", "a&b=c"], show: .all,
        filters: [Filter(column: "price", test: .atLeast, operand: "1.5")],
        sort: [SortKey(column: "price", isDescending: true)], columns: ["a", "b c"], shape: .tree,
        limit: 10, after: .word("k7m"))),
    .show(list, .word("50% off/now?")), .transact(transaction), .status(isCheck: true),
    .peers(name: "den"), .addPeer(address: "[fe80::1%eth0]:7644"), .removePeer(address: "h:1"),
    .sync(peer: nil), .sync(peer: "den"), .pause, .resume, .invite(InviteRequest(role: "reader")),
    .awaitJoiner(invite: "i-1"), .join(JoinRequest(code: "7QF2K-9XMVD", address: "h:7644")),
    .inspect(.store), .inspect(.list(list)), .inspect(.item(list, .number(3))),
    .inspect(.peer("den")),
    .importFile(
      ImportRequest(
        list: list, format: .csv, map: [("Unit=price", "price")], key: "sku",
        removesMissing: true, isDryRun: true, bytes: [1, 2, 3])),
    .export(ExportRequest(lists: [list], format: .csv, acceptsLoss: true)),
    .export(ExportRequest(isAll: true)),
    .events(
      EventsQuery(
        lists: [list], since: "c-1", hasInitial: false, onlyOthers: true, kinds: ["add", "mv"],
        count: 3, until: Filter(column: "text", test: .contains, operand: "x"))),
    .columns(nil), .columns(list), .find(FindQuery(words: ["oat", "a&b"], show: .all, limit: 3)),
    .log(LogQuery()),
    .log(LogQuery(list: list, item: .word("k7m"), by: "den", since: "2h", limit: 9)),
    .wait(WaitRequest()), .wait(WaitRequest(whom: .all, transaction: "t-1-2")),
    .wait(WaitRequest(whom: .peer("den"))), .wait(WaitRequest(whom: .any(3))), .members,
    .changeMember(.role(peer: "den", role: "reader")),
    .changeMember(.alias(peer: "den", name: "old den")),
    .changeMember(.remove(peer: "den")), .changeMember(.remove(peer: "den", isDryRun: true)),
    .use(.show), .use(.set(list)), .use(.clear),
    .transact(
      Transaction([
        .clear(nil), .clear(list), .rename(list, to: "food"), .drop(list, name: nil),
        .drop(list, name: "groceries"), .columns(list, .add([Column(name: "qty", type: .int)])),
        .columns(nil, .rename("qty", to: "amount")), .columns(list, .drop("qty")),
        .columns(
          list, .retype("qty", to: Column(name: "qty", type: .num, isRequired: true))),
        .columns(list, .order(["b", "a"])),
      ])),
    .undo(UndoRequest()), .undo(UndoRequest(transaction: "t-1-2", isForced: true, isDryRun: true)),
    .undo(UndoRequest(transaction: "t-1-2", isRedo: true)), .undoSteps, .trash(TrashQuery()),
    .trash(TrashQuery(list: list, limit: 7)), .conflicts(nil), .conflicts(list),
    .takeConflict(id: "c-12", isDryRun: false), .takeConflict(id: "c-1", isDryRun: true),
    .changes(since: "c-4", lists: [list]), .version, .agentStatus, .stopAgent, .reloadAgent,
    .notify(.show), .notify(.test), .notify(.mute(minutes: 5)),
    .notify(
      .on(
        NotifyWish(
          target: NotifyTarget(
            list: list, condition: Filter(column: "price", test: .less, operand: "100")),
          isEdge: true, hysteresisPercent: 1, everySeconds: 300))),
    .notify(.off(NotifyTarget(item: .word("m2k"), column: "price"))),
    .notify(.change(NotifyChange(isDesktop: false, command: "a b", address: "", quiet: "x"))),
    .web(.link(hasQR: true)), .web(.tokens), .web(.addToken(name: "a b", isReadOnly: true)),
    .web(.removeToken(name: "a b")), .web(.lan(isOn: true, hasQR: true)),
    .web(.lan(isOn: false, hasQR: false)), .web(.guests), .web(.removeGuest(name: "g-1")),
    .web(.addGuest(GuestRequest(list: list, role: .tick, seconds: 60, hasQR: true))),
    .web(.addGuest(GuestRequest(list: nil, role: .readOnly))), .health, .readiness, .metrics,
    .openAPI,
  ]

  @Test(arguments: requests)
  func `what a client sends is what the agent reads`(request: Request) throws {
    #expect(try RequestDecoder.request(RequestForm(request)) == request)
  }

  @Test func `every place survives the way`() throws {
    let places: [PlaceSelector] = [
      .top, .bottom, .up(2), .down(1), .before(.number(3)), .after(.word("x y")),
      .under(.word("k7m")), .out, .position(1),
    ]
    for place in places {
      let request = Request.transact(
        Transaction([.move(MoveItems(items: [.number(1)], place: place))]))
      #expect(try RequestDecoder.request(RequestForm(request)) == request)
    }
  }

  @Test func `displays survive their header`() {
    let display = Display(
      .table, width: 120, hasColor: true, isAbsolute: true, isQuiet: true, isVerbose: true,
      utcOffsetMinutes: -90)
    #expect(Display(header: display.header) == display)
    #expect(Display(header: Display.json.header).isJSON)
    #expect(Display(header: "table width=999999999 nonsense").width == 1000)
  }

  static func post(_ path: [String], _ body: String, method: String = "POST") -> RequestForm {
    RequestForm(
      method, ["api", "v1"] + path, body: Array(body.utf8), contentType: "application/json")
  }

  @Test func `unknown fields are refused by name, with the nearest known one`() {
    let problem = #expect(throws: Problem.self) {
      try RequestDecoder.request(
        Self.post(["txn"], #"{"ops":[{"op":"add","text":"x","colls":{}}]}"#))
    }
    #expect(problem?.kind == .unknownField)
    #expect(problem?.title == "ops[0] has an unknown field colls")
    #expect(problem?.suggest == "cols")
  }

  @Test func `item routes are transactions`() throws {
    #expect(
      try RequestDecoder.request(
        Self.post(
          ["lists", "widgets", "items", "k7m"], #"{"state":"done","cols":{"n":{"inc":1}}}"#,
          method: "PATCH"))
        == .transact(
          Transaction([
            .edit(
              EditItems(
                list: ListSelector(path: ["widgets"]), items: [.word("k7m")],
                cells: [CellWrite(column: "n", input: .increment("1"))])),
            .tick(TickItems(list: ListSelector(path: ["widgets"]), items: [.word("k7m")])),
          ])))
    #expect(
      try RequestDecoder.request(
        Self.post(
          ["lists", "widgets", "items", "000000000000002a00000000"], #"{"text":"x"}"#,
          method: "PUT"))
        == .transact(
          Transaction([
            .add(
              AddItems(
                list: ListSelector(path: ["widgets"]),
                items: [NewItem(text: "x", id: ItemID(nonce: 42, index: 0))]))
          ])))
  }

  @Test(arguments: [
    (#"{"ops":[{"op":"fly"}]}"#, Problem.Kind.malformed), (#"{"ops":{}}"#, .malformed),
    (#"{"#, .malformed), (#"{"ops":[{"op":"rm"}]}"#, .missingValue), (#"{}"#, .missingValue),
    (#"{"ops":[{"op":"move","item":"a","after":"top","up":1}]}"#, .malformed),
    (#"{"ops":[],"ops":[]}"#, .malformed),
    (#"{"ops":[{"op":"add","cols":{"a":[1]}}]}"#, .invalidValue),
    ("[1]", .malformed), ("", .malformed),
  ])
  func `bad bodies are refused with their reason`(body: String, kind: Problem.Kind) {
    let problem = #expect(throws: Problem.self) {
      try RequestDecoder.request(Self.post(["txn"], body))
    }
    #expect(problem?.kind == kind)
  }

  @Test func `routes and methods that do not exist are told apart`() {
    let none = #expect(throws: Problem.self) {
      try RequestDecoder.request(RequestForm("GET", ["api", "v1", "nothing"]))
    }
    #expect(none?.kind == .unknownRoute)
    let method = #expect(throws: Problem.self) {
      try RequestDecoder.request(RequestForm("DELETE", ["api", "v1", "status"]))
    }
    #expect(method?.kind == .methodNotAllowed)
    let media = #expect(throws: Problem.self) {
      try RequestDecoder.request(RequestForm("POST", ["api", "v1", "txn"], body: [0x7B, 0x7D]))
    }
    #expect(media?.kind == .unsupportedMedia)
  }
}
