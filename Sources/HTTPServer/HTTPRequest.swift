// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Names one request until its reply is complete; ascending, never used again.
package struct RequestID: Hashable, Comparable, Sendable {
  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
  package static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}

/// The request methods that the local API knows.
package enum HTTPMethod: String, Hashable, Sendable, CaseIterable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
  /// Any other: no route has it.
  case other = "OTHER"
}

/// Which listening socket a request came in by; decides what is checked.
package enum HTTPDoor: Hashable, Sendable {
  /// The socket file; the kernel names the user at the other end.
  case local(user: UInt32)
  /// TCP on loopback.
  case web
  /// TLS on the addresses of this machine.
  case lan
}

/// What a listening socket is for.
package enum DoorKind: Hashable, Sendable {
  /// A socket file of our own user.
  case local
  /// TCP on loopback: browsers and scripts, but also everything else on this machine.
  case web
  /// TLS for browsers of the LAN, and whoever else is there.
  case lan
}

/// The headers that the agent reads; all others are not copied.
package enum HTTPHeader: String, Hashable, Sendable, CaseIterable {
  case accept = "Accept"
  case authorization = "Authorization"
  case contentType = "Content-Type"
  case cookie = "Cookie"
  case host = "Host"
  case ifMatch = "If-Match"
  case ifNoneMatch = "If-None-Match"
  case acceptEncoding = "Accept-Encoding"
  case lastEventID = "Last-Event-ID"
  case origin = "Origin"
  case secFetchSite = "Sec-Fetch-Site"
  case client = "X-Hedge-Client"
  case display = "X-Hedge-Display"
  case terminal = "X-Hedge-Terminal"
  case list = "X-Hedge-List"
}

/// One whole request, as a value.
package struct HTTPRequest: Hashable, Sendable {
  package var id: RequestID
  package var method: HTTPMethod
  /// The parts between the slashes, percent-decoded, valid UTF-8; empty ones are kept, so `/` is
  /// `[""]` and `/a/` is `["a", ""]`.
  package var path: [String]
  /// Decoded, in order; a name without `=` has an empty value. `+` is a space.
  package var query: [HTTPQueryItem]
  package var headers: [HTTPHeader: String]
  package var body: [UInt8]
  package var door: HTTPDoor

  package init(
    id: RequestID, method: HTTPMethod, path: [String], query: [HTTPQueryItem] = [],
    headers: [HTTPHeader: String] = [:], body: [UInt8] = [], door: HTTPDoor
  ) {
    (self.id, self.method, self.path, self.query) = (id, method, path, query)
    (self.headers, self.body, self.door) = (headers, body, door)
  }

  /// The first value of a query name.
  package func query(_ name: String) -> String? { query.first { $0.name == name }?.value }
}

/// One `name=value` of a query, decoded.
package struct HTTPQueryItem: Hashable, Sendable {
  package var name: String
  package var value: String
  package init(name: String, value: String) { (self.name, self.value) = (name, value) }

  /// Reads the body of a form (`application/x-www-form-urlencoded`), 64 fields at most; `nil` for
  /// anything that cannot be decoded.
  package static func form(_ body: [UInt8]) -> [HTTPQueryItem]? { RequestTarget.pairs(body[...]) }
}

/// A whole reply.
package struct HTTPReply: Hashable, Sendable {
  /// 200...599.
  package var status: Int
  package var contentType: String
  /// Further headers: `ETag`, `Retry-After` and so on. Names and values of printable ASCII.
  package var headers: [HTTPReplyHeader]
  package var body: [UInt8]

  package init(
    status: Int, contentType: String, headers: [HTTPReplyHeader] = [], body: [UInt8] = []
  ) {
    (self.status, self.contentType) = (status, contentType)
    (self.headers, self.body) = (headers, body)
  }

  /// Plain text, for replies that no program reads.
  package static func text(_ status: Int, _ text: String) -> HTTPReply {
    HTTPReply(
      status: status, contentType: "text/plain; charset=utf-8", body: Array("\(text)\n".utf8))
  }
}

/// One header of a reply.
package struct HTTPReplyHeader: Hashable, Sendable {
  package var name: String
  package var value: String
  package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
}
