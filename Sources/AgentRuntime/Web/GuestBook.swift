// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import NodeEngine
import SQLiteStore

/// Links that open one list to people who have no access otherwise, each until its time is over.
///
/// A link may be opened often and by many; what it is good for is decided here, by the agent that
/// serves it, at each request. Only hashes of the secrets are kept.
struct GuestBook: Sendable {
  struct Guest: Hashable, Sendable {
    /// `g-3f09ac`: what a person calls it.
    let name: String
    let hash: [UInt8]
    let list: ItemID
    let role: GuestRole
    let created: WallTime
    let end: WallTime

    func isOver(_ wall: WallTime) -> Bool { end.milliseconds <= wall.milliseconds }
  }

  static let guestsMax = 64
  static let kind = "web-guest"

  private var guests: [Guest] = []

  /// Those whose time is not over, oldest first.
  func current(_ wall: WallTime) -> [Guest] { guests.filter { !$0.isOver(wall) } }

  /// The guest whose link has this secret.
  func guest(_ secret: String, _ wall: WallTime) -> Guest? {
    let hash = WebKeys.hash(secret)
    return guests.first { $0.hash == hash && !$0.isOver(wall) }
  }

  /// Makes a link; the answer holds its secret for the only time.
  mutating func add(
    _ list: ItemID, _ role: GuestRole, seconds: Int64, _ wall: WallTime,
    _ random: inout any RandomNumberGenerator & Sendable, keep: (LocalRow) -> Void
  ) throws(Problem) -> (guest: Guest, secret: String) {
    dropOld(wall, keep)
    guard guests.count < Self.guestsMax else {
      throw Problem(
        .conflict, "there are \(Self.guestsMax) guest links already",
        detail: "take one back: hedge web guest rm NAME")
    }
    let secret = WebKeys.secret(&random)
    let hash = WebKeys.hash(secret)
    let guest = Guest(
      name: "g-" + Hex.encode(Array(hash.prefix(3))), hash: hash, list: list, role: role,
      created: wall, end: WallTime(milliseconds: wall.milliseconds + seconds * 1_000))
    guests.append(guest)
    keep(guest.row)
    return (guest, secret)
  }

  mutating func remove(
    _ name: String, _ wall: WallTime, keep: (LocalRow) -> Void
  ) throws(Problem) {
    dropOld(wall, keep)
    guard let at = guests.firstIndex(where: { sameBytes($0.name, name) }) else {
      throw Problem(
        .unknownItem, "no guest link \(name)",
        suggest: Suggestion.nearest(to: name, among: guests.map(\.name)))
    }
    keep(guests.remove(at: at).noRow)
  }

  private mutating func dropOld(_ wall: WallTime, _ keep: (LocalRow) -> Void) {
    for guest in guests where guest.isOver(wall) { keep(guest.noRow) }
    guests.removeAll { $0.isOver(wall) }
  }

  mutating func restore(_ row: LocalRow) {
    guard row.kind == Self.kind, let value = row.value, let guest = Guest(key: row.key, value)
    else { return }
    guests.append(guest)
  }
}

extension GuestBook.Guest {
  fileprivate var row: LocalRow {
    var value: [UInt8] = [role == .tick ? 1 : 0]
    appendBigEndian(UInt64(bitPattern: created.milliseconds), to: &value)
    appendBigEndian(UInt64(bitPattern: end.milliseconds), to: &value)
    list.append(to: &value)
    return LocalRow(kind: GuestBook.kind, key: Array(name.utf8), value: value + hash)
  }

  fileprivate var noRow: LocalRow {
    LocalRow(kind: GuestBook.kind, key: Array(name.utf8), value: nil)
  }

  fileprivate init?(key: [UInt8], _ value: [UInt8]) {
    guard value.count == 61, value[0] <= 1, let list = ViewRow.items(Array(value[17..<29])).first
    else { return nil }
    self.init(
      name: String(decoding: key, as: UTF8.self), hash: Array(value[29...]), list: list,
      role: value[0] == 1 ? .tick : .readOnly,
      created: WallTime(milliseconds: Int64(bitPattern: Facts.number(Array(value[1..<9])))),
      end: WallTime(milliseconds: Int64(bitPattern: Facts.number(Array(value[9..<17])))))
  }
}
