// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer
import ListModel
import NodeEngine
import SQLiteStore
import Testing

@testable import AgentRuntime

private struct Counter: RandomNumberGenerator, Sendable {
  var last: UInt64 = 0
  mutating func next() -> UInt64 {
    last += 1
    return last
  }
}

private func seconds(_ number: UInt64) -> Moment { Moment(nanoseconds: number * 1_000_000_000) }

@Suite struct WebGuardTests {
  private let guardian = WebGuard(port: 7643)

  private func request(
    _ method: HTTPMethod = .get, _ path: String = "/api/v1/lists",
    _ headers: [HTTPHeader: String] = [:], host: String? = "127.0.0.1:7643"
  ) -> HTTPRequest {
    var headers = headers
    headers[.host] = host
    return HTTPRequest(
      id: RequestID(1), method: method,
      path: path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        .map(String.init), headers: headers, door: .web)
  }

  @Test(
    arguments: [
      nil, "", "evil.example", "evil.example:7643", "127.0.0.1", "127.0.0.1:7644",
      "127.0.0.1.evil.example:7643", "localhost:7643.evil.example", "[::1]:7643", "0.0.0.0:7643",
    ] as [String?])
  func `a name that is not ours is refused on every path`(host: String?) {
    for path in ["/", "/app.js", "/healthz", "/enter/x", "/api/v1/lists"] {
      #expect(guardian.refusal(of: request(.get, path, host: host))?.kind == .notAllowed)
    }
  }

  @Test func `our own names pass, in any case`() {
    for host in ["127.0.0.1:7643", "localhost:7643", "LOCALHOST:7643"] {
      #expect(guardian.refusal(of: request(host: host)) == nil)
    }
    #expect(WebGuard(port: 80).refusal(of: request(host: "localhost")) == nil)
  }

  @Test(arguments: [
    "http://evil.example", "http://localhost:3000", "https://127.0.0.1:7643", "null",
    "http://127.0.0.1:7643.evil.example", "",
  ])
  func `a write from another origin is refused`(origin: String) {
    for method in [HTTPMethod.post, .put, .patch, .delete, .get] {
      #expect(guardian.refusal(of: request(method, "/api/v1/txn", [.origin: origin])) != nil)
    }
    #expect(guardian.refusal(of: request(.post, "/lists/a", [.origin: origin])) != nil)
  }

  @Test(arguments: ["cross-site", "same-site", "odd"])
  func `what the browser calls another site is refused but for a look at the page`(site: String) {
    let fetched = [HTTPHeader.secFetchSite: site]
    #expect(guardian.refusal(of: request(.get, "/api/v1/lists", fetched)) != nil)
    #expect(guardian.refusal(of: request(.post, "/lists/a", fetched)) != nil)
    #expect(guardian.refusal(of: request(.get, "/", fetched)) == nil)
  }

  @Test func `our own page and plain programs pass`() {
    let own: [[HTTPHeader: String]] = [
      [:], [.origin: "http://127.0.0.1:7643"], [.secFetchSite: "same-origin"],
      [.origin: "http://localhost:7643", .secFetchSite: "same-origin"],
      [.origin: "null", .secFetchSite: "same-origin"],
    ]
    for headers in own {
      #expect(guardian.refusal(of: request(.post, "/api/v1/txn", headers)) == nil)
    }
    #expect(guardian.refusal(of: request(.get, "/", [.secFetchSite: "none"])) == nil)
  }

  @Test func `the cookie is found among others, by the port's own name`() {
    let cookies = [HTTPHeader.cookie: "a=b; hedge-7643=abc; hedge-7644=def;x"]
    #expect(guardian.cookie("hedge-7643", of: request(.get, "/", cookies)) == "abc")
    #expect(guardian.cookieName == "hedge-7643")
    #expect(guardian.cookie(guardian.guestCookieName, of: request(.get, "/", cookies)) == nil)
    #expect(WebGuard.bearer(of: request(.get, "/", [.authorization: "Bearer t"])) == "t")
    #expect(WebGuard.bearer(of: request(.get, "/", [.authorization: "Basic t"])) == nil)
  }
}

@Suite struct LANGuardTests {
  private let guardian = WebGuard(
    LANPage(
      port: 7645, fingerprint: "0A",
      hosts: ["192.0.2.7:7645", "[2001:db8::7]:7645", "den.local:7645"],
      host: "192.0.2.7:7645"))

  private func refuses(_ headers: [HTTPHeader: String]) -> Bool {
    guardian.refusal(
      of: HTTPRequest(
        id: RequestID(1), method: .post, path: ["api", "v1", "txn"], headers: headers, door: .lan))
      != nil
  }

  @Test func `addresses and names of this machine pass, by TLS only`() {
    for host in ["192.0.2.7:7645", "[2001:DB8::7]:7645", "den.local:7645"] {
      #expect(!refuses([.host: host]))
      #expect(!refuses([.host: host, .origin: "https://\(host)"]))
      #expect(refuses([.host: host, .origin: "http://\(host)"]))
      #expect(refuses([.host: host, .origin: "https://evil.example"]))
    }
    for host in ["127.0.0.1:7643", "192.0.2.8:7645", "den.evil.example:7645", "192.0.2.7", ""] {
      #expect(refuses([.host: host]))
    }
  }

  @Test func `its cookie does not travel without TLS`() {
    #expect(guardian.setCookie("a", "b", seconds: 5).value.hasSuffix("; SameSite=Strict; Secure"))
    #expect(!WebGuard(port: 7643).setCookie("a", "b", seconds: 5).value.contains("Secure"))
  }
}

@Suite struct GuestBookTests {
  private let list = ItemID(nonce: 7, index: 0)

  private func wall(_ seconds: Int64) -> WallTime { WallTime(milliseconds: seconds * 1_000) }
  private func at(_ seconds: UInt64) -> Moment { Moment(nanoseconds: seconds * 1_000_000_000) }

  /// A book with one link of 60 s, made at second 1,000 of the wall and second 5 of the machine.
  private func made() throws -> (book: GuestBook, secret: String, rows: [LocalRow]) {
    var (book, rows) = (GuestBook(), [LocalRow]())
    var random: any RandomNumberGenerator & Sendable = Counter()
    let secret = try book.add(list, .tick, seconds: 60, wall(1_000), at(5), &random) {
      rows.append($0)
    }.secret
    return (book, secret, rows)
  }

  @Test func `a link is good until its time is over, and comes back from its row`() throws {
    let (book, secret, rows) = try made()
    var again = GuestBook()
    for row in rows { again.restore(row, wall(1_000), at(5)) }
    for var book in [book, again] {
      let guest = try #require(book.guest(secret))
      #expect(guest.list == list && guest.role == .tick && book.end(of: guest) == at(65))
      #expect(book.guest("") == nil && book.guest(guest.name) == nil)
      book.sweep(wall(1_059), at(64)) { _ in Issue.record("it is not over yet") }
      #expect(book.guest(secret) == guest)
      book.sweep(wall(1_060), at(64)) { row in #expect(row.key == rows[0].key && row.value == nil) }
      #expect(book.guest(secret) == nil && book.current.isEmpty && book.end(of: guest) == nil)
    }
    for row in rows { #expect(!(row.value ?? []).starts(with: Array(secret.utf8))) }
    again.restore(LocalRow(kind: GuestBook.kind, key: [1], value: [1, 2, 3]), wall(0), at(0))
    #expect(again.current.count == 1)
  }

  @Test func `a clock that is set back neither revives a link nor keeps it alive`() throws {
    var (book, secret, rows) = try made()
    #expect(book.nextEnd == at(65))
    book.sweep(wall(10), at(64)) { rows.append($0) }
    #expect(book.guest(secret) != nil && rows.count == 1)
    book.sweep(wall(11), at(65)) { rows.append($0) }
    #expect(book.guest(secret) == nil && rows.count == 2 && rows[1].value == nil)
    // Over by the wall, and the clock goes back: it was forgotten.
    (book, secret, _) = try made()
    book.sweep(wall(2_000), at(6)) { _ in }
    book.sweep(wall(1_001), at(7)) { _ in }
    #expect(book.guest(secret) == nil)
    // After a start by a clock before its making it has the time it was made for, not more.
    var later = GuestBook()
    later.restore(rows[0], wall(10), at(500))
    #expect(later.nextEnd == at(560))
  }

  @Test func `a link is taken back by its name, its row too`() throws {
    var (book, secret, rows) = try made()
    let guest = try #require(book.guest(secret))
    #expect(throws: Problem.self) { try book.remove("g-000000") { _ in } }
    try book.remove(guest.name) { rows.append($0) }
    #expect(rows.count == 2 && rows[1].value == nil && rows[1].key == rows[0].key)
    #expect(book.guest(secret) == nil)
  }

  @Test func `there are so many links at most, and those that are over do not count`() throws {
    var book = GuestBook()
    var random: any RandomNumberGenerator & Sendable = Counter()
    for _ in 0..<GuestBook.guestsMax {
      _ = try book.add(list, .tick, seconds: 60, wall(0), at(0), &random) { _ in }
    }
    #expect(throws: Problem.self) {
      try book.add(list, .tick, seconds: 60, wall(59), at(59), &random) { _ in }
    }
    var gone = 0
    book.sweep(wall(60), at(60)) { _ in gone += 1 }
    #expect(gone == GuestBook.guestsMax && book.current.isEmpty && book.nextEnd == nil)
  }
}

@Suite struct WebKeysTests {
  private var random: any RandomNumberGenerator & Sendable = Counter()
  private let day: Int64 = 86_400_000

  private func wall(_ milliseconds: Int64) -> WallTime { WallTime(milliseconds: milliseconds) }

  @Test func `a link is good once and for ten minutes`() {
    var (keys, random) = (WebKeys(), random)
    let link = keys.makeLink(seconds(0), &random)
    let other = keys.makeLink(seconds(0), &random)
    #expect(keys.spend("", seconds(1), wall(0), &random) { _ in } == nil)
    let cookie = keys.spend(link, seconds(1), wall(0), &random) { _ in }
    #expect(cookie != nil && cookie != link)
    #expect(keys.spend(link, seconds(1), wall(0), &random) { _ in } == nil)
    #expect(keys.spend(other, seconds(600), wall(0), &random) { _ in } == nil)
    #expect(keys.knows(cookie: cookie ?? "", wall(0)) { _ in })
    #expect(!keys.knows(cookie: link, wall(0)) { _ in })
  }

  @Test func `browsers and tokens come back from their rows, secrets are not in them`() throws {
    var (keys, random, rows) = (WebKeys(), random, [LocalRow]())
    let link = keys.makeLink(seconds(0), &random)
    let cookie = try #require(keys.spend(link, seconds(1), wall(5), &random) { rows.append($0) })
    let token = try keys.addToken("grafana", .readOnly, wall(6), &random) { rows.append($0) }
    for row in rows {
      #expect(!(row.value ?? []).starts(with: Array(cookie.utf8)) && row.key != Array(token.utf8))
    }
    var again = WebKeys()
    for row in rows { again.restore(row) }
    #expect(again.knows(cookie: cookie, wall(7)) { _ in })
    #expect(again.token(token)?.rights == .readOnly && again.tokens == keys.tokens)
    #expect(again.token(token + "0") == nil)
    again.restore(LocalRow(kind: WebKeys.tokenKind, key: [1], value: [9, 9]))
    #expect(again.tokens.count == 1)
  }

  @Test func `a browser that stays away for a month is forgotten, one that comes is not`() {
    var (keys, random, kept) = (WebKeys(), random, 0)
    let link = keys.makeLink(seconds(0), &random)
    let cookie = keys.spend(link, seconds(1), wall(0), &random) { _ in } ?? ""
    #expect(keys.knows(cookie: cookie, wall(day / 2)) { _ in kept += 1 } && kept == 0)
    #expect(keys.knows(cookie: cookie, wall(20 * day)) { _ in kept += 1 } && kept == 1)
    #expect(keys.knows(cookie: cookie, wall(49 * day)) { _ in })
    #expect(!keys.knows(cookie: cookie, wall(80 * day)) { _ in })
  }

  @Test func `of too many browsers the one that was away longest goes, its row too`() {
    var (keys, random, gone) = (WebKeys(), random, 0)
    var cookies: [String] = []
    for number in 0...WebKeys.sessionsMax {
      let link = keys.makeLink(seconds(0), &random)
      let cookie = keys.spend(link, seconds(1), wall(Int64(number)), &random) { row in
        if row.value == nil { gone += 1 }
      }
      cookies.append(cookie ?? "")
    }
    #expect(gone == 1 && !keys.knows(cookie: cookies[0], wall(99)) { _ in })
    #expect(keys.knows(cookie: cookies[1], wall(99)) { _ in })
  }

  @Test func `a token has a name of its own and can be taken back`() throws {
    var (keys, random, rows) = (WebKeys(), random, [LocalRow]())
    let secret = try keys.addToken("a", .full, wall(0), &random) { _ in }
    for name in ["a", "", "x/y", "\u{1B}"] {
      #expect(throws: Problem.self) { try keys.addToken(name, .full, wall(0), &random) { _ in } }
    }
    #expect(throws: Problem.self) { try keys.removeToken("b") { _ in } }
    try keys.removeToken("a") { rows.append($0) }
    #expect(rows.map(\.value) == [nil] && keys.token(secret) == nil)
  }
}

@Suite struct RateGateTests {
  @Test func `a burst passes, then so many a second, and it says when to come again`() {
    var gate = RateGate(burst: 3, perSecond: 2, now: seconds(10))
    for _ in 0..<3 { #expect(gate.take(seconds(10)) == nil) }
    #expect(gate.take(seconds(10)) == 1)
    #expect(gate.take(seconds(11)) == nil && gate.take(seconds(11)) == nil)
    #expect(gate.take(seconds(11)) != nil)
    for _ in 0..<3 { #expect(gate.take(seconds(1_000)) == nil) }
    #expect(gate.take(seconds(999)) == 1)
  }
}

@Suite struct PageFormTests {
  private func form(_ body: String, _ type: String = "application/x-www-form-urlencoded")
    throws -> Transaction
  {
    try PageForm.transaction(
      HTTPRequest(
        id: RequestID(1), method: .post, path: ["lists", "gro"], headers: [.contentType: type],
        body: Array(body.utf8), door: .web), list: "gro")
  }

  @Test func `the forms of the page are transactions`() throws {
    let list = ListSelector(path: ["gro"])
    #expect(
      try form("text=oat+milk%21&do=add")
        == Transaction([.add(AddItems(list: list, items: [NewItem(text: "oat milk!")]))]))
    #expect(
      try form("text=tea&do=add&col:qty=2&col:store=")
        == Transaction([
          .add(
            AddItems(
              list: list,
              items: [
                NewItem(text: "tea", cells: [CellWrite(column: "qty", input: .text("2"))])
              ]))
        ]))
    #expect(try form("do=rm&item=k7m") == Transaction([.remove(list, [.word("k7m")])]))
    #expect(
      try form("do=up&item=k7m")
        == Transaction([.move(MoveItems(list: list, items: [.word("k7m")], place: .up(1)))]))
  }

  @Test(arguments: ["", "do=fly", "do=rm", "do=%zz", "text=a"])
  func `what is no form of the page is refused`(body: String) {
    #expect(throws: Problem.self) { try form(body) }
    #expect(throws: Problem.self) { try form("do=add&text=x", "text/plain") }
  }
}
