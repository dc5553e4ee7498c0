// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Reply to `web`: an address that opens the page once.
public struct WebLinkReply: Hashable, Sendable {
  /// Holds a secret: for the person who asked, nobody else.
  public var url: String
  /// Milliseconds since 1970.
  public var expires: Int64
  public var validSeconds: Int64
  /// The same for other devices of the LAN, and the SHA-256 of the certificate that they are shown;
  /// `nil` while the page is for this machine only.
  public var lan: LANAddress?
  /// The address as QR code, line by line, for terminals: that for other devices where there is one.
  public var qr: [String]?
  public init(
    url: String, expires: Int64, validSeconds: Int64, lan: LANAddress? = nil, qr: [String]? = nil
  ) {
    (self.url, self.expires, self.validSeconds) = (url, expires, validSeconds)
    (self.lan, self.qr) = (lan, qr)
  }

  func write(to json: inout JSONWriter) {
    json.member("url", url)
    json.member("lan_url", lan?.url)
    json.member("certificate", lan?.fingerprint)
    json.member("expires", time: expires)
    json.member("valid_s", int: validSeconds)
    if let qr { json.member("qr", strings: qr) }
  }
}

/// Where other devices of the LAN find the page.
public struct LANAddress: Hashable, Sendable {
  public var url: String
  /// SHA-256 of the certificate, as browsers show it: `0A:1B:…`.
  public var fingerprint: String
  public init(url: String, fingerprint: String) {
    (self.url, self.fingerprint) = (url, fingerprint)
  }
}

/// A guest link, without its secret.
public struct WebGuestRow: Hashable, Sendable {
  /// Chosen by the agent: `g-3f09ac`.
  public var name: String
  /// Name of the list; empty where it is gone.
  public var list: String
  public var role: GuestRole
  /// Milliseconds since 1970.
  public var created: Int64
  public var expires: Int64
  public init(name: String, list: String, role: GuestRole, created: Int64, expires: Int64) {
    (self.name, self.list, self.role) = (name, list, role)
    (self.created, self.expires) = (created, expires)
  }

  func writeMembers(to json: inout JSONWriter) {
    json.member("name", name)
    json.member("list", list)
    json.member("role", role.rawValue)
    json.member("created", time: created)
    json.member("expires", time: expires)
  }

  static func write(_ guests: [WebGuestRow], to json: inout JSONWriter) {
    json.key("guests")
    json.beginArray()
    for guest in guests {
      json.beginObject()
      guest.writeMembers(to: &json)
      json.endObject()
    }
    json.endArray()
  }
}

/// Reply to the making of a guest link.
public struct WebGuestReply: Hashable, Sendable {
  public var guest: WebGuestRow
  /// Holds the secret: for the guest.
  public var url: String
  /// SHA-256 of the certificate that the guest is shown; `nil` for an address of this machine only.
  public var fingerprint: String?
  /// The address as QR code, line by line, for terminals.
  public var qr: [String]?
  public init(guest: WebGuestRow, url: String, fingerprint: String?, qr: [String]? = nil) {
    (self.guest, self.url, self.fingerprint, self.qr) = (guest, url, fingerprint, qr)
  }

  func write(to json: inout JSONWriter) {
    guest.writeMembers(to: &json)
    json.member("url", url)
    json.member("certificate", fingerprint)
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
