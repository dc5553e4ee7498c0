// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer

/// What the web door asks of a request before anybody looks at its credential (catalogue L4, L5).
///
/// Loopback is no boundary against a browser: any page may send requests here, and a name of its own
/// may lead here. So the request must be addressed to us by a name of ours, and what writes must come
/// from our own page or from no page at all.
struct WebGuard: Hashable, Sendable {
  let port: UInt16
  /// What a browser writes into `Host` when it means us.
  private let hosts: [String]
  private let scheme: String

  /// The door on loopback.
  init(port: UInt16) {
    self.port = port
    scheme = "http"
    hosts = ["127.0.0.1", "localhost"].flatMap {
      port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"]
    }
  }

  /// The door for other devices.
  init(_ page: LANPage) {
    (port, scheme, hosts) = (page.port, "https", page.hosts)
  }

  /// The name of the cookie: cookies do not keep the ports of a machine apart.
  var cookieName: String { "hedge-\(port)" }
  /// That of a guest: a browser may have both, and then is no guest.
  var guestCookieName: String { "hedge-guest-\(port)" }

  /// The header that gives a browser its credential.
  func setCookie(_ name: String, _ secret: String, seconds: Int64) -> HTTPReplyHeader {
    let isTLS = sameBytes(scheme, "https")
    return HTTPReplyHeader(
      "Set-Cookie",
      "\(name)=\(secret); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
        + (isTLS ? "; Secure" : ""))
  }

  /// Goes with every reply through the door.
  static let headers = [
    HTTPReplyHeader(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
    HTTPReplyHeader("Referrer-Policy", "no-referrer"),
    HTTPReplyHeader("Cross-Origin-Resource-Policy", "same-origin"),
  ]

  static func writes(_ method: HTTPMethod) -> Bool { method != .get && method != .head }

  /// Why the request is not answered at all.
  func refusal(of request: HTTPRequest) -> Problem? {
    let host = request.headers[.host]?.lowercased() ?? ""
    guard hosts.contains(where: { sameBytes($0, host) }) else {
      return Problem(
        .notAllowed, "this agent is not called \(host)",
        detail: "open the address that hedge web prints")
    }
    let site = request.headers[.secFetchSite]?.lowercased()
    let isOurs = site.map { sameBytes($0, "same-origin") } ?? false
    let isTyped = site.map { sameBytes($0, "none") } ?? false
    if let origin = request.headers[.origin]?.lowercased() {
      // A form of a page that sends no referrer has the origin `null`: the browser vouches for it.
      guard
        hosts.contains(where: { sameBytes("\(scheme)://\($0)", origin) })
          || (isOurs && sameBytes(origin, "null"))
      else { return Self.foreign }
    }
    let isPage = request.path.first.map { sameBytes($0, "api") } != true
    guard site == nil || isOurs || isTyped || (isPage && !Self.writes(request.method)) else {
      return Self.foreign
    }
    return nil
  }

  private static let foreign = Problem(
    .notAllowed, "another site cannot use this agent",
    detail: "nothing was done; open the page by hedge web")

  /// Whether a browser vouches that its own page sent this write: then a cookie counts for it.
  static func isVouchedFor(_ request: HTTPRequest) -> Bool {
    request.headers[.origin] != nil || request.headers[.secFetchSite] != nil
  }

  /// The value of our cookie with this name.
  func cookie(_ name: String, of request: HTTPRequest) -> String? {
    for part in request.headers[.cookie]?.split(separator: ";") ?? [] {
      let halves = part.drop { $0 == " " }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if halves.count == 2, sameBytes(String(halves[0]), name) { return String(halves[1]) }
    }
    return nil
  }

  /// The token of `Authorization: Bearer TOKEN`.
  static func bearer(of request: HTTPRequest) -> String? {
    let words = request.headers[.authorization]?.split(separator: " ") ?? []
    guard words.count == 2, sameBytes(words[0].lowercased(), "bearer") else { return nil }
    return String(words[1])
  }
}
