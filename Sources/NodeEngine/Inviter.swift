// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// The side that gives codes away.
///
/// A good proof spends its code on disk first, then the record that makes the joiner a member is
/// written, and only when that is on disk too is the proof answered (reliability 4). Wrong proofs
/// slow their sender down, many of them everybody, and burn nothing.
struct Inviter: Sendable {
  /// A code that nobody has used yet.
  struct Invite: Hashable, Sendable {
    let code: PairingCode
    let role: Role
    let until: Moment
  }

  /// Who proved a code: on the way to being a member, then until it is met as one.
  ///
  /// An answer may reach nobody, because the joiner gave up. Until the invite would have ended, the same
  /// device may prove the same code once more and is answered again.
  struct Admission: Hashable, Sendable {
    let invite: Invite
    /// The newest connection on which the code was proved.
    var link: PairingLink
    let name: Text
    /// The record is on disk, and the joiner was told.
    var isAnswered = false
  }

  static let linksMax = 10

  /// Oldest first; at most `EngineSettings.invitesMax`.
  var open: [Invite] = []
  /// Oldest first; at most `EngineSettings.invitesMax` of them answered.
  var admissions: [Admission] = []
  /// Connections that have not proved anything yet.
  var links: [PairingLink] = []
  var wrongProofs = WrongProofs()

  var nextDeadline: Moment? {
    var next = Earliest()
    for invite in open { next.take(invite.until) }
    for link in links { next.take(link.deadline) }
    for admission in admissions where admission.isAnswered { next.take(admission.invite.until) }
    return next.moment
  }

  /// Marks an admission as answered; the oldest answered one makes room.
  mutating func answered(_ at: Int, max: Int) {
    admissions[at].isAnswered = true
    if admissions.count(where: \.isAnswered) > max,
      let oldest = admissions.firstIndex(where: \.isAnswered)
    {
      admissions.remove(at: oldest)
    }
  }
}

/// Counts wrong proofs, of each address and of all together, and says who has to wait.
///
/// Counts start anew with each window. Whoever waits is not answered at all, so that an honest joiner
/// tries again instead of taking the silence for a verdict on its code.
struct WrongProofs: Hashable, Sendable {
  private struct Count: Hashable, Sendable {
    /// Empty for all addresses together.
    let address: [UInt8]
    var wrong = 0
    var since: Moment
    var pausedUntil: Moment

    mutating func add(_ now: Moment, max: Int, _ settings: EngineSettings) {
      if since + settings.wrongProofsWindow <= now { (wrong, since) = (0, now) }
      wrong += 1
      guard wrong >= max else { return }
      (wrong, since) = (0, now)
      pausedUntil = now + settings.wrongProofsPause
    }
  }

  static let addressesMax = 64

  private var all: Count?
  private var counts: [Count] = []

  func mustWait(_ address: [UInt8], at now: Moment) -> Bool {
    if let all, all.pausedUntil > now { return true }
    return counts.contains { $0.address == address && $0.pausedUntil > now }
  }

  mutating func add(from address: [UInt8], at now: Moment, _ settings: EngineSettings) {
    var all = all ?? Count(address: [], since: now, pausedUntil: now)
    all.add(now, max: settings.wrongProofsOverallMax, settings)
    self.all = all
    let at = counts.firstIndex { $0.address == address }
    var count =
      at.map { counts.remove(at: $0) } ?? Count(address: address, since: now, pausedUntil: now)
    count.add(now, max: settings.wrongProofsMax, settings)
    if counts.count == Self.addressesMax { counts.removeFirst() }
    counts.append(count)
  }
}

extension Engine {
  /// Whether a code is open that nobody has used yet.
  package var isInviting: Bool { !inviter.open.isEmpty }

  /// Whether the listener may let strangers in under ALPN `hedgerow-pair/1`: for an open code, or for
  /// one whose joiner has not been met as a member yet.
  package var hearsGuests: Bool { isInviting || !inviter.admissions.isEmpty }

  mutating func openInvite(_ role: Role, _ turn: inout Turn) {
    if let refusal = inviteRefusal {
      return turn.effects.append(.pairing(.inviteRefused(refusal)))
    }
    // The oldest code makes room: whoever lost eight codes can still invite.
    if inviter.open.count == settings.invitesMax {
      let oldest = inviter.open[0]
      closeInvites(.withdrawn, &turn) { $0 == oldest }
    }
    let invite = Inviter.Invite(
      code: PairingCode(using: &entropy), role: role, until: turn.now + settings.inviteTime)
    inviter.open.append(invite)
    turn.effects.append(.pairing(.inviteOpened(invite.code, role)))
    if inviter.open.count == 1 { advertise(&turn) }
  }

  private var inviteRefusal: InviteRefusal? {
    if isPaused { return .paused }
    return removedBy == nil && roster?.view.member(device)?.role == .admin ? nil : .notAdmin
  }

  /// Ends the invites that `isOver` says; their codes are good for nothing from now on.
  mutating func closeInvites(
    _ end: InviteEnd, _ turn: inout Turn, where isOver: (Inviter.Invite) -> Bool = { _ in true }
  ) {
    let over = inviter.open.filter(isOver)
    guard !over.isEmpty else { return }
    inviter.open.removeAll { over.contains($0) }
    for invite in over { turn.effects.append(.pairing(.inviteClosed(invite.code, end))) }
    guard inviter.open.isEmpty else { return }
    dismissGuests(&turn)
    advertise(&turn)
  }

  /// Nobody is expected any more: whoever waits is told so.
  private mutating func dismissGuests(_ turn: inout Turn) {
    guard !hearsGuests else { return }
    for link in inviter.links { dismiss(link, &turn) }
    inviter.links = []
  }

  /// The joiners that `isOver` says cannot ask again.
  mutating func forgetAdmissions(
    _ turn: inout Turn, where isOver: (Inviter.Admission) -> Bool
  ) {
    let count = inviter.admissions.count
    inviter.admissions.removeAll { $0.isAnswered && isOver($0) }
    if inviter.admissions.count < count { dismissGuests(&turn) }
  }

  /// A stranger knocks.
  mutating func guestArrived(_ link: PairingLink, _ turn: inout Turn) {
    guard hearsGuests, !isPaused else { return dismiss(link, &turn) }
    guard inviter.links.count < Inviter.linksMax,
      !inviter.wrongProofs.mustWait(link.from.address, at: turn.now)
    else { return turn.effects.append(.close(link.id, .tooSlow)) }
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
    guard !inviter.wrongProofs.mustWait(link.from.address, at: turn.now) else {
      return turn.effects.append(.close(link.id, .tooSlow))
    }
    let back = inviter.admissions.firstIndex { admission in
      admission.link.peerKey == link.peerKey
        && constantTimeEqual(self.proof(of: admission.invite.code, link).joiner, proof)
    }
    if let back {
      inviter.admissions[back].link = link
      if inviter.admissions[back].isAnswered { _ = answer(inviter.admissions[back], &turn) }
      return
    }
    // All of them, so that time tells nothing about which one it is.
    let proved = inviter.open.filter { invite in
      constantTimeEqual(self.proof(of: invite.code, link).joiner, proof)
    }
    guard let invite = proved.first else {
      inviter.wrongProofs.add(from: link.from.address, at: turn.now, settings)
      return dismiss(link, &turn)
    }
    inviter.admissions.append(Inviter.Admission(invite: invite, link: link, name: name))
    let spent = crypto.sha256(Array("hedgerow spent 1".utf8) + invite.code.secret)
    commit.add { $0.spentInvites.append(spent) }
    commit.then(.inviteSpent(invite.code))
    closeInvites(.used, &turn) { $0 == invite }
  }

  private func proof(of code: PairingCode, _ link: PairingLink) -> PairingProof {
    PairingProof(
      code: code, exporter: link.exporter, joinerKey: link.peerKey, inviterKey: crypto.publicKey,
      crypto: crypto)
  }

  /// The code can never be used again: now the joiner becomes a member.
  mutating func inviteSpent(_ code: PairingCode, _ turn: inout Turn) {
    guard let admission = inviter.admissions.first(where: { $0.invite.code == code }) else {
      return
    }
    let records = sign([
      .add(publicKey: admission.link.peerKey, name: admission.name, role: admission.invite.role)
    ])
    // A full roster takes no more: the joiner is told that it is no member.
    if !records.isEmpty { took(records, except: nil, &turn) }
    commit.then(.memberAdded(code))
  }

  /// The joiner is a member on disk: tell it.
  mutating func memberAdded(_ code: PairingCode, _ turn: inout Turn) {
    guard let at = inviter.admissions.firstIndex(where: { $0.invite.code == code }) else { return }
    let admission = inviter.admissions[at]
    inviter.answered(at, max: settings.invitesMax)
    guard answer(admission, &turn) else {
      return forgetAdmissions(&turn) { $0.invite.code == code }
    }
    let joiner: DeviceID = crypto.hash32(admission.link.peerKey)
    turn.effects.append(.pairing(.memberAdded(code, joiner, name: admission.name.string)))
  }

  /// - Returns: Whether the joiner is a member: somebody may have taken the right to add members from
  ///   this device meanwhile, or have removed the joiner.
  private func answer(_ admission: Inviter.Admission, _ turn: inout Turn) -> Bool {
    let link = admission.link
    guard let roster, roster.view.isMember(crypto.hash32(link.peerKey)) else {
      dismiss(link, &turn)
      return false
    }
    turn.send(.pairAnswer(proof: proof(of: admission.invite.code, link).inviter), link.id)
    sendRoster(roster.records, to: link.id, &turn)
    turn.effects.append(.close(link.id, .pairingDone))
    return true
  }
}
