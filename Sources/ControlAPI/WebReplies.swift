// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Reply to `web`: an address that opens the page once.
public struct WebLinkReply: Hashable, Sendable {
  /// Holds a secret: for the person who asked, nobody else.
  public var url: String
  /// Milliseconds since 1970.
  public var expires: Int64
  public var validSeconds: Int64
  /// The address as QR code, line by line, for terminals.
  public var qr: [String]?
  public init(url: String, expires: Int64, validSeconds: Int64, qr: [String]? = nil) {
    (self.url, self.expires, self.validSeconds, self.qr) = (url, expires, validSeconds, qr)
  }

  func write(to json: inout JSONWriter) {
    json.member("url", url)
    json.member("expires", time: expires)
    json.member("valid_s", int: validSeconds)
    if let qr { json.member("qr", strings: qr) }
  }
}

/// A token of a script, without its secret.
public struct WebTokenRow: Hashable, Sendable {
  public var name: String
  public var isReadOnly: Bool
  /// Milliseconds since 1970.
  public var created: Int64
  public init(name: String, isReadOnly: Bool, created: Int64) {
    (self.name, self.isReadOnly, self.created) = (name, isReadOnly, created)
  }

  func writeMembers(to json: inout JSONWriter) {
    json.member("name", name)
    json.member("ro", bool: isReadOnly)
    json.member("created", time: created)
  }

  static func write(_ tokens: [WebTokenRow], to json: inout JSONWriter) {
    json.key("tokens")
    json.beginArray()
    for token in tokens {
      json.beginObject()
      token.writeMembers(to: &json)
      json.endObject()
    }
    json.endArray()
  }
}
