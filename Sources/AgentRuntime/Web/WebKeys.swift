// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import NodeEngine
import OpenSSLCrypto
import SQLiteStore

/// Who may come in by the web door: links that are good once, browsers that followed one, and tokens
/// of scripts.
///
/// Only hashes of the secrets are kept; a secret is 32 random bytes, so that nobody guesses one.
struct WebKeys: Sendable {
  /// What a credential allows.
  enum Rights: UInt8, Hashable, Sendable {
    case full = 0
    case readOnly = 1
  }

  /// A browser.
  struct Session: Hashable, Sendable {
    let hash: [UInt8]
    let created: WallTime
    /// To the day.
    var used: WallTime
  }

  /// A script.
  struct Token: Hashable, Sendable {
    let name: String
    let hash: [UInt8]
    let rights: Rights
    let created: WallTime
  }

  private struct Link: Hashable, Sendable {
    let hash: [UInt8]
    let end: Moment
  }

  static let linkSeconds: UInt64 = 600
  static let linksMax = 16
  static let sessionsMax = 64
  static let tokensMax = 64
  /// A browser that did not come for so long has to sign in again.
  static let sessionMilliseconds: Int64 = 30 * 86_400_000
  static let tokenPrefix = "hedge_"

  private var links: [Link] = []
  private var sessions: [Session] = []
  private(set) var tokens: [Token] = []

  static func hash(_ secret: String) -> [UInt8] { OpenSSLSuite.digest(Array(secret.utf8)) }

  static func secret(_ random: inout any RandomNumberGenerator & Sendable) -> String {
    Hex.encode((0..<4).flatMap { _ in bigEndian(random.next()) })
  }

  private static func bigEndian(_ number: UInt64) -> [UInt8] {
    var out: [UInt8] = []
    appendBigEndian(number, to: &out)
    return out
  }

  // MARK: Links and browsers

  /// Makes a link's secret; the oldest of too many is void.
  mutating func makeLink(
    _ now: Moment, _ random: inout any RandomNumberGenerator & Sendable
  ) -> String {
    let secret = Self.secret(&random)
    links.removeAll { $0.end <= now }
    if links.count >= Self.linksMax { links.removeFirst() }
    links.append(
      Link(
        hash: Self.hash(secret),
        end: Moment(nanoseconds: now.nanoseconds + Self.linkSeconds * 1_000_000_000)))
    return secret
  }

  /// Takes a link's secret for the secret of a cookie; `nil` if it was used, or its time is over.
  mutating func spend(
    _ link: String, _ now: Moment, _ wall: WallTime,
    _ random: inout any RandomNumberGenerator & Sendable, keep: (LocalRow) -> Void
  ) -> String? {
    let hash = Self.hash(link)
    guard let at = links.firstIndex(where: { $0.hash == hash }) else { return nil }
    let found = links.remove(at: at)
    guard found.end > now else { return nil }
    let secret = Self.secret(&random)
    let session = Session(hash: Self.hash(secret), created: wall, used: wall)
    sessions.append(session)
    keep(session.row)
    dropOldSessions(wall, keep)
    return secret
  }

  private mutating func dropOldSessions(_ wall: WallTime, _ keep: (LocalRow) -> Void) {
    sessions.sort {
      ($0.used.milliseconds, $0.created.milliseconds) < (
        $1.used.milliseconds, $1.created.milliseconds
      )
    }
    let excess = max(0, sessions.count - Self.sessionsMax)
    for (at, session) in sessions.enumerated() where at < excess || session.isOver(wall) {
      keep(session.noRow)
    }
    sessions = sessions.enumerated().filter { $0.offset >= excess && !$0.element.isOver(wall) }
      .map(\.element)
  }

  /// Whether a cookie is one of ours; notes once a day that it came.
  mutating func knows(cookie: String, _ wall: WallTime, keep: (LocalRow) -> Void) -> Bool {
    let hash = Self.hash(cookie)
    guard let at = sessions.firstIndex(where: { $0.hash == hash }), !sessions[at].isOver(wall)
    else { return false }
    if wall.milliseconds - sessions[at].used.milliseconds > 86_400_000 {
      sessions[at].used = wall
      keep(sessions[at].row)
    }
    return true
  }

  // MARK: Scripts

  /// Makes a token; the answer holds its secret for the only time.
  mutating func addToken(
    _ name: String, _ rights: Rights, _ wall: WallTime,
    _ random: inout any RandomNumberGenerator & Sendable, keep: (LocalRow) -> Void
  ) throws(Problem) -> String {
    if let defect = NameRule.defect(of: name) {
      throw Problem(.invalidName, "the token name \"\(name)\" \(defect)")
    }
    guard !tokens.contains(where: { sameBytes($0.name, name) }) else {
      throw Problem(
        .nameTaken, "there is a token \(name) already", suggest: "hedge web token rm \(name)")
    }
    guard tokens.count < Self.tokensMax else {
      throw Problem(.conflict, "there are \(Self.tokensMax) tokens already")
    }
    let secret = Self.tokenPrefix + Self.secret(&random)
    let token = Token(name: name, hash: Self.hash(secret), rights: rights, created: wall)
    tokens.append(token)
    keep(token.row)
    return secret
  }

  mutating func removeToken(_ name: String, keep: (LocalRow) -> Void) throws(Problem) {
    guard let at = tokens.firstIndex(where: { sameBytes($0.name, name) }) else {
      throw Problem(
        .unknownItem, "no token \(name)",
        suggest: Suggestion.nearest(to: name, among: tokens.map(\.name)))
    }
    keep(tokens.remove(at: at).noRow)
  }

  func token(_ secret: String) -> Token? {
    let hash = Self.hash(secret)
    return tokens.first { $0.hash == hash }
  }

  // MARK: Rows

  static let sessionKind = "web-session"
  static let tokenKind = "web-token"

  mutating func restore(_ row: LocalRow) {
    guard let value = row.value else { return }
    if row.kind == Self.sessionKind, let session = Session(key: row.key, value) {
      sessions.append(session)
    }
    if row.kind == Self.tokenKind, let token = Token(key: row.key, value) { tokens.append(token) }
  }
}

extension WebKeys.Session {
  fileprivate func isOver(_ wall: WallTime) -> Bool {
    wall.milliseconds - used.milliseconds > WebKeys.sessionMilliseconds
  }

  fileprivate var row: LocalRow {
    var value: [UInt8] = []
    appendBigEndian(UInt64(bitPattern: created.milliseconds), to: &value)
    appendBigEndian(UInt64(bitPattern: used.milliseconds), to: &value)
    return LocalRow(kind: WebKeys.sessionKind, key: hash, value: value)
  }

  fileprivate var noRow: LocalRow { LocalRow(kind: WebKeys.sessionKind, key: hash, value: nil) }

  fileprivate init?(key: [UInt8], _ value: [UInt8]) {
    guard value.count == 16 else { return nil }
    self.init(
      hash: key, created: WallTime(milliseconds: Int64(bitPattern: Facts.number(value))),
      used: WallTime(milliseconds: Int64(bitPattern: Facts.number(Array(value[8...])))))
  }
}

extension WebKeys.Token {
  fileprivate var row: LocalRow {
    var value: [UInt8] = [rights.rawValue]
    appendBigEndian(UInt64(bitPattern: created.milliseconds), to: &value)
    return LocalRow(kind: WebKeys.tokenKind, key: Array(name.utf8), value: value + hash)
  }

  fileprivate var noRow: LocalRow {
    LocalRow(kind: WebKeys.tokenKind, key: Array(name.utf8), value: nil)
  }

  fileprivate init?(key: [UInt8], _ value: [UInt8]) {
    guard value.count == 41, let rights = WebKeys.Rights(rawValue: value[0]) else { return nil }
    self.init(
      name: String(decoding: key, as: UTF8.self), hash: Array(value[9...]), rights: rights,
      created: WallTime(milliseconds: Int64(bitPattern: Facts.number(Array(value[1..<9])))))
  }
}
