// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// Acknowledgements for members that are not linked to each other: each one signs what it holds now
/// and then, everybody passes them on. On a link the unsigned ones are enough.
extension Engine {
  /// When the next statement of this device is due; `nil`: what it says still holds.
  var statementDeadline: Moment? {
    guard let due = statementDue, !otherMembers.isEmpty else { return nil }
    return due
  }

  /// What is on disk, or the roster, differs from what was said last.
  mutating func noteStatement(_ now: Moment) {
    if statementDue == nil { statementDue = now + settings.statementInterval }
  }

  mutating func advanceStatements(_ turn: inout Turn) {
    guard let due = statementDeadline, due <= turn.now, let roster, let heads = wireHeads
    else { return }
    statementDue = nil
    let statement = Acknowledgement(
      number: clock.tick(wall), rosterHeads: heads,
      tips: Array(durable.tips.prefix(FrameLimits.tipsMax)), space: roster.space, crypto: crypto)
    ownStatement = statement.bytes
    for link in links where link.phase == .streaming {
      turn.send(.held(statement.bytes), link.id)
    }
  }

  /// Tells a new peer what is known of all others and of this device.
  func sendStatements(_ at: Int, _ turn: inout Turn) {
    let peer = links[at].device
    for member in otherMembers where member.device != peer {
      guard let row = peers.first(where: { $0.device == member.device }), !row.statement.isEmpty
      else { continue }
      turn.send(.held(row.statement), links[at].id)
    }
    if !ownStatement.isEmpty { turn.send(.held(ownStatement), links[at].id) }
  }

  mutating func received(statement bytes: [UInt8], _ at: Int, _ turn: inout Turn) {
    let id = links[at].id
    guard let statement = try? Acknowledgement(decoding: bytes) else {
      return close(id, .malformed, &turn)
    }
    guard let roster, let row = peers.firstIndex(where: { $0.device == statement.device }),
      statement.number > peers[row].statementNumber,
      let key = roster.view.member(statement.device)?.publicKey
    else { return }
    guard statement.isSigned(by: key, space: roster.space, crypto: crypto) else {
      return close(id, .malformed, &turn)
    }
    peers[row].statement = bytes
    peers[row].statementNumber = statement.number
    peers[row].rosterHeads = statement.rosterHeads
    peers[row].heardDay = ages.day
    peers[row].acknowledge(statement.tips)
    let written = peers[row]
    commit.add { $0.put(written) }
    for link in links
    where link.id != id && link.phase == .streaming && link.device != statement.device {
      turn.send(.held(bytes), link.id)
    }
    noteFloor(turn.now)
  }
}
