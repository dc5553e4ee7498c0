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
///
/// A link is over when its time has passed by the clock of the wall or by the one that does not jump,
/// whichever is first, and then it is forgotten: a clock that is set back revives none, and lengthens
/// none beyond the time that it was made for after the last start of the agent.
struct GuestBook: Sendable {
  struct Guest: Hashable, Sendable {
    /// `g-3f09ac`: what a person calls it.
    let name: String
    let hash: [UInt8]
    let list: ItemID
    let role: GuestRole
    let created: WallTime
    let end: WallTime
  }

  private struct Held: Sendable {
    let guest: Guest
    let end: Moment

    /// - Parameter now: The moment at which it was made, or read from the disk.
    init(_ guest: Guest, _ wall: WallTime, _ now: Moment) {
      let (start, end) = (guest.created.milliseconds, guest.end.milliseconds)
      let left = end.subtractingReportingOverflow(max(wall.milliseconds, start)).partialValue
      self.guest = guest
      self.end = Moment(
        nanoseconds: now.nanoseconds + UInt64(min(max(left, 0), 1 << 43)) * 1_000_000)
    }

    func isOver(_ wall: WallTime, _ now: Moment) -> Bool {
      guest.end.milliseconds <= wall.milliseconds || end <= now
    }
  }

  static let guestsMax = 64
  static let kind = "web-guest"

  private var held: [Held] = []

  /// All links that were not over when `sweep` looked last, oldest first.
  var current: [Guest] { held.map(\.guest) }

  /// When the next link is over, unless the clock of the wall is first.
  var nextEnd: Moment? { held.map(\.end).min() }

  /// When a link is over by the clock that does not jump; `nil` for one that is.
  func end(of guest: Guest) -> Moment? { held.first { $0.guest == guest }?.end }

  /// The guest whose link has this secret.
  func guest(_ secret: String) -> Guest? {
    let hash = WebKeys.hash(secret)
    return held.first { $0.guest.hash == hash }?.guest
  }

  /// Forgets the links that are over; to be called before anything is asked.
  mutating func sweep(_ wall: WallTime, _ now: Moment, keep: (LocalRow) -> Void) {
    for held in held where held.isOver(wall, now) { keep(held.guest.noRow) }
    held.removeAll { $0.isOver(wall, now) }
  }

  /// Makes a link; the answer holds its secret for the only time.
  mutating func add(
    _ list: ItemID, _ role: GuestRole, seconds: Int64, _ wall: WallTime, _ now: Moment,
    _ random: inout any RandomNumberGenerator & Sendable, keep: (LocalRow) -> Void
  ) throws(Problem) -> (guest: Guest, secret: String) {
    guard held.count < Self.guestsMax else {
      throw Problem(
        .conflict, "there are \(Self.guestsMax) guest links already",
        detail: "take one back: hedge web guest rm NAME")
    }
    let secret = WebKeys.secret(&random)
    let hash = WebKeys.hash(secret)
    let guest = Guest(
      name: "g-" + Hex.encode(Array(hash.prefix(3))), hash: hash, list: list, role: role,
      created: wall, end: WallTime(milliseconds: wall.milliseconds + seconds * 1_000))
    held.append(Held(guest, wall, now))
    keep(guest.row)
    return (guest, secret)
  }

  mutating func remove(_ name: String, keep: (LocalRow) -> Void) throws(Problem) {
    guard let at = held.firstIndex(where: { sameBytes($0.guest.name, name) }) else {
      throw Problem(
        .unknownItem, "no guest link \(name)",
        suggest: Suggestion.nearest(to: name, among: current.map(\.name)))
    }
    keep(held.remove(at: at).guest.noRow)
  }

  mutating func restore(_ row: LocalRow, _ wall: WallTime, _ now: Moment) {
    guard row.kind == Self.kind, let value = row.value, let guest = Guest(key: row.key, value)
    else { return }
    held.append(Held(guest, wall, now))
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
