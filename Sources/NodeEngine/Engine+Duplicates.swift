// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// Two links to one device, of which one may be dead or a copy's, and what shows which of them
/// lives: each was pinged after both had greeted.
///
/// Greetings come in any order, so neither says which process is the older one. An answer proves that
/// its process was alive when both had been started; two answers prove two copies of the device.
struct TwinCheck: Sendable {
  struct Side: Sendable {
    let link: LinkID
    let nonce: UInt64
    var hasAnswered = false
  }

  var sides: [Side]
  let sentAt: Moment

  var hasAnswer: Bool { sides.contains(where: \.hasAnswered) }

  func names(_ link: LinkID) -> Bool { sides.contains { $0.link == link } }
}

/// Several links to one device: one stays, or the device was copied.
extension Engine {
  /// Leaves one link to the device of `links[at]` (reliability S3).
  ///
  /// A peer that was restarted has another boot nonce: which of its links is dead shows by a ping on
  /// each. If both are answered, two copies of the device are alive (R1): both keep their link. Of two
  /// links to one process the one opened by the lower device id stays; of two by one side, that side
  /// keeps the older.
  /// - Returns: Where the link is now; `nil` if it lost.
  mutating func settleDuplicates(_ at: Int, _ turn: inout Turn) -> Int? {
    let link = links[at]
    for other in links
    where other.id != link.id && other.device == link.device && other.hello != nil {
      guard index(of: link.id) != nil else { return nil }
      if other.hello?.bootNonce != link.hello?.bootNonce {
        checkTwins(other.id, link.id, &turn)
      } else if other.id.role != link.id.role {
        let mine = device < link.device
        let loser = (link.id.role == .dialled) == mine ? other : link
        close(loser.id, .duplicate, &turn)
      } else if link.id.role == .dialled {
        close(link.id, .duplicate, &turn)
      } else {
        // The one process that dialled twice closes the second; where both go on, it runs twice.
        checkTwins(other.id, link.id, &turn)
      }
    }
    return index(of: link.id)
  }

  private mutating func checkTwins(_ one: LinkID, _ two: LinkID, _ turn: inout Turn) {
    let sides = [one, two].map { TwinCheck.Side(link: $0, nonce: entropy.next()) }
    for side in sides {
      turn.send(.ping(nonce: side.nonce, tips: nil, fingerprint: nil), side.link)
    }
    twinChecks.append(TwinCheck(sides: sides, sentAt: turn.now))
  }

  /// A ping was answered on `id`.
  mutating func answeredTwinCheck(_ id: LinkID, _ nonce: UInt64, _ turn: inout Turn) {
    for at in twinChecks.indices {
      for side in twinChecks[at].sides.indices
      where twinChecks[at].sides[side].link == id && twinChecks[at].sides[side].nonce == nonce {
        twinChecks[at].sides[side].hasAnswered = true
      }
    }
    guard let at = twinChecks.firstIndex(where: { $0.sides.allSatisfy(\.hasAnswered) }),
      let link = index(of: id)
    else { return }
    twinChecks.remove(at: at)
    turn.effects.append(.alarm(.cloned(links[link].device)))
  }

  /// Where one link has answered and the other has not in time, that one is dead. Where neither has,
  /// silence ends both.
  mutating func advanceTwinChecks(_ turn: inout Turn) {
    let late = twinChecks.filter {
      $0.hasAnswer && $0.sentAt + settings.duplicateTimeMax <= turn.now
    }
    for check in late {
      for side in check.sides where !side.hasAnswered { close(side.link, .duplicate, &turn) }
    }
  }

  /// When the next check is over.
  var twinCheckDeadline: Moment? {
    twinChecks.filter(\.hasAnswer).map { $0.sentAt + settings.duplicateTimeMax }.min()
  }
}
