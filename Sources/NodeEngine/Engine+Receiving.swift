// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// Taking changes in: shape, chain and signature first, then fold, disk, and on to others.
extension Engine {
  private enum Taken {
    /// All of it is held now.
    case settled
    /// Something before it is missing.
    case waits
    /// The link is closed.
    case refused
  }

  /// - Parameters:
  ///   - isBranch: The peer knows, or thinks, that the receiver holds another continuation.
  ///   - isCompared: The changes up to which this replica is blind were compared with those here.
  mutating func received(
    run bytes: [UInt8], isBranch: Bool = false, isCompared: Bool = false, _ at: Int,
    _ turn: inout Turn
  ) {
    let id = links[at].id
    switch take(run: bytes, isBranch: isBranch, isCompared: isCompared, at, &turn) {
    case .refused: return
    case .waits: park(bytes, at, &turn)
    case .settled: retryParked(id, &turn)
    }
    guard let at = index(of: id) else { return }
    acknowledgeOwed(at, &turn)
    releaseHeld(at, &turn)
  }

  private mutating func take(
    run bytes: [UInt8], isBranch: Bool, isCompared: Bool, _ at: Int, _ turn: inout Turn
  ) -> Taken {
    let link = links[at]
    guard let roster, var changes = try? RunCodec.decode(bytes, crypto: crypto),
      let first = changes.first?.change, let last = changes.last
    else { return refuse(.malformed, link, nil, &turn) }
    guard let author = (first.head ?? replica.head(of: first.session))?.device else {
      return .waits
    }
    // Of what no fork is known, only the tip can be compared at once.
    let isBlind = isBranch && first.seq <= replica.tip(of: first.session)?.seq ?? 0
    if !isBlind && replica.holds(last.tip) {
      noteHeld(last.tip, at)
      return .settled
    }
    let member = roster.view.author(author)
    if let member, !member.mayHaveWritten {
      turn.effects.append(.alarm(.readerWrote(author)))
      return .settled
    }
    guard let member, last.isSigned(by: member.publicKey, space: roster.space, crypto: crypto)
    else { return refuse(.invalidChange, link, author, &turn) }
    changes = accepted(changes, by: author)
    // Nobody who knows of a removal takes more; a run that is cut short must be good where it ends.
    guard let end = changes.last else { return .settled }
    guard
      end.hash == last.hash
        || end.isSigned(by: member.publicKey, space: roster.space, crypto: crypto)
    else { return .settled }
    if isBlind { return examine(changes, run: bytes, at, &turn) ? .settled : .waits }
    return fold(changes, run: bytes, by: author, isCompared: isCompared, at, &turn)
  }

  private mutating func fold(
    _ changes: [SignedChange], run bytes: [UInt8], by author: DeviceID, isCompared: Bool,
    _ at: Int, _ turn: inout Turn
  ) -> Taken {
    let link = links[at]
    var events: [ReplicaEvent] = []
    var taken = Taken.settled
    var isNew = false
    loop: for (number, signed) in changes.enumerated() {
      let change = signed.change.read(at: settings.foldLevel)
      let outcome = replica.fold(
        change, hash: signed.hash, bytes: signed.bytes, isCompared: isCompared, events: &events)
      switch outcome {
      case .folded:
        isNew = true
        if signed.change.session == authoring.running?.id {
          warnOfFork(signed.change.session, link.device, &turn)
        }
        book(signed, isVerified: number == changes.count - 1)
        noteClock(signed.change.h, author, &turn)
        noteHeld(signed.tip, at)
      case .alreadyCovered: noteHeld(signed.tip, at)
      case .gap, .unknownPredecessor:
        taken = .waits
        break loop
      case .unknownHash(let tip):
        taken = search(for: tip, run: bytes, at, &turn) ? .settled : .waits
        break loop
      case .fork:
        // What was compared and found the same cannot differ but by design: hashes made to agree in
        // the bytes that are compared.
        taken =
          isCompared
          ? refuse(.invalidChange, link, author, &turn)
          : forked(signed.change, changes, run: bytes, at, &turn)
        break loop
      case .invalid:
        taken = refuse(.invalidChange, link, author, &turn)
        break loop
      }
    }
    if isNew { mend(&events, &turn) }
    if !events.isEmpty { tell(events, .peer(link.device), &turn) }
    if isNew { relay(except: link.id, &turn) }
    return taken
  }

  /// A change of a run has the place of another one.
  private mutating func forked(
    _ change: Change, _ changes: [SignedChange], run bytes: [UInt8], _ at: Int,
    _ turn: inout Turn
  ) -> Taken {
    if let tip = change.head?.predecessor, replica.head(of: change.session) == nil {
      search(for: tip, run: nil, at, &turn)
      return .waits
    }
    if let (line, point) = replica.forkPoint(of: change) {
      if splits.contains(where: { $0.reading.line == line }) { return .waits }
      split(line, at: point, then: bytes, at, &turn)
      return .settled
    }
    return examine(changes, run: bytes, at, &turn) ? .settled : .waits
  }

  /// Came from the peer, so it needs no copy, and wants an acknowledgement.
  private mutating func noteHeld(_ tip: Tip, _ at: Int) {
    let tip = Tip(session: replica.line(of: tip) ?? tip.session, seq: tip.seq, hash: tip.hash)
    links[at].inbound.owed.raise(tip)
    links[at].outbound.underWay.raise(tip)
    if links[at].outbound.sent != nil {
      replica.note(tip.dot, in: &links[at].outbound.sent!)
    }
  }

  /// Whoever lacks what just came gets it a little later, unless its author serves it by then.
  mutating func relay(except id: LinkID?, _ turn: inout Turn) {
    let at = turn.now + settings.relayDelay
    for other in links.indices where links[other].id != id && links[other].phase == .streaming {
      links[other].outbound.pumpAt = min(links[other].outbound.pumpAt ?? at, at)
    }
  }

  private mutating func refuse(
    _ reason: CloseReason, _ link: Link, _ author: DeviceID?, _ turn: inout Turn
  ) -> Taken {
    if reason == .invalidChange {
      turn.effects.append(.alarm(.invalidChange(author: author, from: link.device)))
    }
    close(link.id, reason, &turn)
    return .refused
  }

  /// A stamp far ahead is kept but does not pull the clock; people hear of it once a device.
  private mutating func noteClock(_ h: UInt64, _ author: DeviceID, _ turn: inout Turn) {
    guard !clock.observe(h, wall), !clockAlarms.contains(author) else { return }
    clockAlarms.append(author)
    let ahead = Int64(h >> 16) - wall.milliseconds
    turn.effects.append(.alarm(.clockAhead(author, minutes: UInt64(max(ahead, 0) / 60_000))))
  }

  // MARK: Parked runs

  private mutating func park(_ bytes: [UInt8], _ at: Int, _ turn: inout Turn) {
    if links[at].inbound.parked.count < settings.parkedChangesMax {
      links[at].inbound.parked.append(bytes)
    }
    if links[at].inbound.askAgainAt == nil { askAgain(at, &turn) }
  }

  /// One question for what is missing; repeated while something is parked.
  mutating func askAgain(_ at: Int, _ turn: inout Turn) {
    turn.send(.ask, links[at].id)
    links[at].inbound.askAgainAt = turn.now + settings.askAgainAfter
  }

  mutating func retryParked(_ id: LinkID, _ turn: inout Turn) {
    guard let at = index(of: id), !links[at].inbound.parked.isEmpty else { return }
    var hasProgress = true
    while hasProgress, let at = index(of: id) {
      hasProgress = false
      let parked = links[at].inbound.parked
      links[at].inbound.parked = []
      for bytes in parked {
        guard let at = index(of: id) else { return }
        switch take(run: bytes, isBranch: false, isCompared: false, at, &turn) {
        case .refused: break  // the link is closed
        case .waits: links[at].inbound.parked.append(bytes)
        case .settled: hasProgress = true
        }
      }
    }
    if let at = index(of: id), links[at].inbound.parked.isEmpty {
      links[at].inbound.askAgainAt = nil
    }
  }
}

extension SignedChange {
  var tip: Tip { Tip(session: change.session, seq: change.seq, hash: hash) }
}
