// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// The side that gives a code away.
///
/// A good proof spends the code on disk first, then the record that makes the joiner a member is
/// written, and only when that is on disk too is the proof answered (reliability 4). Wrong proofs
/// slow their sender down and burn nothing.
struct Inviter: Sendable {
  enum Stage: Hashable, Sendable {
    case idle
    case open(PairingCode, until: Moment)
    /// The code is being marked as used on disk.
    case spending(PairingCode, Guest)
    /// The record is being written.
    case adding(PairingCode, Guest)
  }

  /// Who proved the code.
  struct Guest: Hashable, Sendable {
    let link: PairingLink
    let name: Text
  }

  /// Wrong proofs of one address.
  struct Offender: Hashable, Sendable {
    let address: [UInt8]
    var wrong: Int
    var pausedUntil: Moment
  }

  static let linksMax = 10
  static let offendersMax = 64

  var stage = Stage.idle
  /// Connections that have not proved anything yet.
  var links: [PairingLink] = []
  var offenders: [Offender] = []

  var nextDeadline: Moment? {
    var next = Earliest()
    if case .open(_, let until) = stage { next.take(until) }
    for link in links { next.take(link.deadline) }
    return next.moment
  }

  func isPaused(_ address: [UInt8], at now: Moment) -> Bool {
    offenders.contains { $0.address == address && $0.pausedUntil > now }
  }

  mutating func wrongProof(from address: [UInt8], at now: Moment, _ settings: EngineSettings) {
    if !offenders.contains(where: { $0.address == address }) {
      if offenders.count == Self.offendersMax { offenders.removeFirst() }
      offenders.append(Offender(address: address, wrong: 0, pausedUntil: now))
    }
    for at in offenders.indices where offenders[at].address == address {
      offenders[at].wrong += 1
      guard offenders[at].wrong >= settings.wrongProofsMax else { continue }
      offenders[at].wrong = 0
      offenders[at].pausedUntil = now + settings.wrongProofsPause
    }
  }
}

extension Engine {
  /// Whether the listener may let strangers in under ALPN `hedgerow-pair/1`.
  package var isInviting: Bool {
    if case .open = inviter.stage { true } else { false }
  }

  mutating func openInvite(_ turn: inout Turn) {
    guard roster != nil, !isPaused else { return }
    switch inviter.stage {
    case .spending, .adding: return
    case .open: turn.effects.append(.pairing(.inviteClosed(.withdrawn)))
    case .idle: break
    }
    let code = PairingCode(using: &entropy)
    inviter.stage = .open(code, until: turn.now + settings.inviteTime)
    turn.effects.append(.pairing(.inviteOpened(code)))
    advertise(&turn)
  }

  mutating func closeInvite(_ end: InviteEnd, _ turn: inout Turn) {
    guard isInviting else { return }
    inviter.stage = .idle
    turn.effects.append(.pairing(.inviteClosed(end)))
    advertise(&turn)
  }

  /// A stranger knocks.
  mutating func guestArrived(_ link: PairingLink, _ turn: inout Turn) {
    guard isInviting, !isPaused, inviter.links.count < Inviter.linksMax,
      !inviter.isPaused(link.from.address, at: turn.now)
    else { return dismiss(link, &turn) }
    var link = link
    link.deadline = turn.now + settings.pairingTimeMax
    inviter.links.append(link)
  }

  private func dismiss(_ link: PairingLink, _ turn: inout Turn) {
    turn.send(.pairRefused, link.id)
    turn.effects.append(.close(link.id, .pairingDone))
  }

  /// The first frame of a stranger; anything but a good proof ends the connection.
  mutating func receivedFromGuest(_ frame: Frame?, _ at: Int, _ turn: inout Turn) {
    let link = inviter.links.remove(at: at)
    guard case .pairProof(let name, let proof) = frame else {
      turn.effects.append(.close(link.id, .malformed))
      return
    }
    guard case .open(let code, _) = inviter.stage,
      !inviter.isPaused(link.from.address, at: turn.now)
    else { return dismiss(link, &turn) }
    let expected = PairingProof(
      code: code, exporter: link.exporter, joinerKey: link.peerKey, inviterKey: crypto.publicKey,
      crypto: crypto)
    guard constantTimeEqual(expected.joiner, proof) else {
      inviter.wrongProof(from: link.from.address, at: turn.now, settings)
      return dismiss(link, &turn)
    }
    inviter.stage = .spending(code, Inviter.Guest(link: link, name: name))
    let spent = crypto.sha256(Array("hedgerow spent 1".utf8) + code.secret)
    commit.add { $0.spentInvites.append(spent) }
    commit.then(.inviteSpent)
    for other in inviter.links { dismiss(other, &turn) }
    inviter.links = []
    turn.effects.append(.pairing(.inviteClosed(.used)))
    advertise(&turn)
  }

  /// The code can never be used again: now the joiner becomes a member.
  mutating func inviteSpent(_ turn: inout Turn) {
    guard case .spending(let code, let guest) = inviter.stage, let heads = roster?.heads
    else { return }
    let record = MembershipRecord(
      signing: .add(publicKey: guest.link.peerKey, name: guest.name, role: .admin),
      parents: Array(heads.suffix(MembershipRecord.parentsMax)), crypto: crypto)
    _ = try? roster?.take(record, crypto: crypto)
    inviter.stage = .adding(code, guest)
    took([record], except: nil, &turn)
    commit.then(.memberAdded)
  }

  /// The joiner is a member on disk: tell it.
  mutating func memberAdded(_ turn: inout Turn) {
    guard case .adding(let code, let guest) = inviter.stage, let roster else { return }
    let proof = PairingProof(
      code: code, exporter: guest.link.exporter, joinerKey: guest.link.peerKey,
      inviterKey: crypto.publicKey, crypto: crypto)
    turn.send(.pairAnswer(proof: proof.inviter), guest.link.id)
    sendRoster(roster.records, to: guest.link.id, &turn)
    inviter.stage = .idle
    turn.effects.append(.close(guest.link.id, .pairingDone))
    turn.effects.append(
      .pairing(.memberAdded(crypto.hash32(guest.link.peerKey), name: guest.name.string)))
  }
}
