// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// The side that was given a code: knocks everywhere until one inviter proves that it knows it too.
struct Joiner: Sendable {
  /// A connection on which the proof is out.
  struct Visit: Sendable {
    let link: PairingLink
    let endpoint: Endpoint
    /// The inviter has proved the code; its roster comes.
    var isProved = false
    var records: [[UInt8]] = []
  }

  struct Dial: Hashable, Sendable {
    let link: LinkID
    let endpoint: Endpoint
    let deadline: Moment
  }

  struct Attempt: Sendable {
    let code: PairingCode
    let until: Moment
    /// Whether the addresses were named: no other one is looked for.
    let isDirect: Bool
    /// From then on the word of an inviter ends the attempt, if nothing better is in sight.
    let refusableFrom: Moment
    var endpoints: [Endpoint]
    /// Endpoints of the present round that were dialled.
    var started = 0
    var rounds = 0
    var nextStart: Moment
    var dials: [Dial] = []
    var visits: [Visit] = []
    /// Where an inviter refused the code: it is no better there a second time.
    var refusedAt: [Endpoint] = []
    /// Where at the last try nobody let strangers in, or nobody was.
    var closedAt: [Endpoint] = []
    /// Whether somebody was reached who had no invite open.
    var hasMetMembers = false
    /// Inviters that hung up without a word: they let nobody try for a while.
    var silences = 0

    var isIdle: Bool { dials.isEmpty && visits.isEmpty }

    /// Takes an endpoint out of the rounds.
    mutating func refused(at endpoint: Endpoint) {
      refusedAt.append(endpoint)
      if let at = endpoints.firstIndex(of: endpoint) {
        endpoints.remove(at: at)
        if at < started { started -= 1 }
      }
    }

    /// Nobody was there, or nobody who has an invite open now.
    mutating func closed(at endpoint: Endpoint, isMember: Bool) {
      if isMember { hasMetMembers = true }
      if !closedAt.contains(endpoint) { closedAt.append(endpoint) }
    }

    /// The time is over: what it was.
    var failure: JoinFailure {
      if !refusedAt.isEmpty { return .refused }
      if silences > 0 { return .unanswered }
      // Whoever was too slow to answer may have been the inviter: nothing is said of the code then.
      return hasMetMembers && endpoints.allSatisfy(closedAt.contains) ? .refused : .nobodyFound
    }
  }

  static let endpointsMax = 64
  static let recordBytesMax = 8 << 20

  var attempt: Attempt?
  /// Whose code it was, until the new roster is on disk.
  var adopted: (inviter: Member, endpoint: Endpoint)?

  /// - Parameter dialsMax: With so many dials under way none is started.
  func nextDeadline(dialsMax: Int) -> Moment? {
    guard let attempt else { return nil }
    var next = Earliest()
    next.take(attempt.until)
    for dial in attempt.dials { next.take(dial.deadline) }
    for visit in attempt.visits { next.take(visit.link.deadline) }
    if attempt.started < attempt.endpoints.count, attempt.dials.count < dialsMax {
      next.take(attempt.nextStart)
    }
    if attempt.isIdle, !attempt.refusedAt.isEmpty, attempt.endpoints.isEmpty {
      next.take(attempt.refusableFrom)
    }
    return next.moment
  }
}

extension Engine {
  mutating func join(_ code: PairingCode, _ endpoints: [Endpoint], _ turn: inout Turn) {
    failJoin(.cancelled, &turn)
    guard replica.vector.tips.isEmpty, otherMembers.isEmpty, joiner.adopted == nil else {
      turn.effects.append(.pairing(.joinFailed(.spaceInUse)))
      return
    }
    var attempt = Joiner.Attempt(
      code: code, until: turn.now + settings.joinTimeMax, isDirect: !endpoints.isEmpty,
      refusableFrom: turn.now + (endpoints.isEmpty ? settings.dialTimeMax : .zero),
      endpoints: Array(endpoints.prefix(Joiner.endpointsMax)), nextStart: turn.now)
    // Whoever says that an invite is open comes first.
    for sighting in sightings.filter(\.tag.isInviting) + sightings.filter({ !$0.tag.isInviting })
    where endpoints.isEmpty && !attempt.endpoints.contains(sighting.endpoint) {
      attempt.endpoints.append(sighting.endpoint)
    }
    joiner.attempt = attempt
  }

  mutating func joinSighted(_ sighting: Sighting) {
    guard let attempt = joiner.attempt, attempt.endpoints.count < Joiner.endpointsMax,
      !attempt.endpoints.contains(sighting.endpoint), !attempt.refusedAt.contains(sighting.endpoint)
    else { return }
    joiner.attempt?.endpoints.insert(sighting.endpoint, at: attempt.started)
  }

  mutating func failJoin(_ failure: JoinFailure, _ turn: inout Turn) {
    guard let attempt = joiner.attempt else { return }
    endAttempt(attempt, &turn)
    turn.effects.append(.pairing(.joinFailed(failure)))
  }

  private mutating func endAttempt(_ attempt: Joiner.Attempt, _ turn: inout Turn) {
    for dial in attempt.dials { turn.effects.append(.close(dial.link, .pairingDone)) }
    for visit in attempt.visits { turn.effects.append(.close(visit.link.id, .pairingDone)) }
    joiner.attempt = nil
  }

  // MARK: Connections

  mutating func pairingLinkUp(_ link: PairingLink, _ turn: inout Turn) {
    guard link.id.role == .dialled else { return guestArrived(link, &turn) }
    guard var attempt = joiner.attempt,
      let dial = attempt.dials.firstIndex(where: { $0.link == link.id })
    else {
      turn.effects.append(.close(link.id, .pairingDone))
      return
    }
    let endpoint = attempt.dials.remove(at: dial).endpoint
    var link = link
    link.deadline = turn.now + settings.pairingTimeMax
    let proof = PairingProof(
      code: attempt.code, exporter: link.exporter, joinerKey: crypto.publicKey,
      inviterKey: link.peerKey, crypto: crypto)
    turn.send(.pairProof(name: settings.deviceName, proof: proof.joiner), link.id)
    attempt.visits.append(Joiner.Visit(link: link, endpoint: endpoint))
    joiner.attempt = attempt
  }

  /// - Returns: Whether it was a pairing connection.
  mutating func pairingLinkDown(_ id: LinkID, _ turn: inout Turn) -> Bool {
    if let at = inviter.links.firstIndex(where: { $0.id == id }) {
      inviter.links.remove(at: at)
      return true
    }
    guard let at = joiner.attempt?.visits.firstIndex(where: { $0.link.id == id }) else {
      return false
    }
    joiner.attempt?.visits.remove(at: at)
    joiner.attempt?.silences += 1
    return true
  }

  /// - Returns: Whether it was a dial of a join.
  mutating func joinDialFailed(
    _ id: LinkID, _ failure: DialFailure, _ turn: inout Turn
  ) -> Bool {
    guard let at = joiner.attempt?.dials.firstIndex(where: { $0.link == id }) else { return false }
    if let dial = joiner.attempt?.dials.remove(at: at) {
      joiner.attempt?.closed(at: dial.endpoint, isMember: failure == .refused)
    }
    return true
  }

  /// - Parameter frame: `nil` for bytes that are no frame.
  /// - Returns: Whether `id` is a pairing connection.
  mutating func receivedPairing(_ frame: Frame?, on id: LinkID, _ turn: inout Turn) -> Bool {
    if let at = inviter.links.firstIndex(where: { $0.id == id }) {
      receivedFromGuest(frame, at, &turn)
      return true
    }
    guard let attempt = joiner.attempt,
      let at = attempt.visits.firstIndex(where: { $0.link.id == id })
    else { return false }
    receivedFromInviter(frame, attempt, at, &turn)
    return true
  }

  private mutating func receivedFromInviter(
    _ frame: Frame?, _ attempt: Joiner.Attempt, _ at: Int, _ turn: inout Turn
  ) {
    var attempt = attempt
    var visit = attempt.visits[at]
    switch frame {
    case .pairAnswer(let proof) where !visit.isProved:
      let expected = PairingProof(
        code: attempt.code, exporter: visit.link.exporter, joinerKey: crypto.publicKey,
        inviterKey: visit.link.peerKey, crypto: crypto)
      visit.isProved = constantTimeEqual(expected.inviter, proof)
    case .roster(let records, let isLast) where visit.isProved:
      visit.records += records
      let bytes = visit.records.reduce(0) { $0 + $1.count }
      if isLast { return adopt(visit, attempt, &turn) }
      if bytes > Joiner.recordBytesMax { visit.isProved = false }
    case .pairRefused:
      attempt.refused(at: visit.endpoint)
      visit.isProved = false
    default: visit.isProved = false
    }
    if visit.isProved {
      attempt.visits[at] = visit
    } else {
      turn.effects.append(.close(visit.link.id, .pairingDone))
      attempt.visits.remove(at: at)
    }
    joiner.attempt = attempt
  }

  /// The inviter knows the code and has made this device a member: take its space over.
  private mutating func adopt(
    _ visit: Joiner.Visit, _ attempt: Joiner.Attempt, _ turn: inout Turn
  ) {
    guard let graph = Self.graph(of: visit.records, crypto), graph.view.isMember(device),
      let host = graph.view.member(crypto.hash32(visit.link.peerKey))
    else { return failJoin(.protocolBroken, &turn) }
    // Somebody may have begun to write here meanwhile, or to come in: nobody is left behind.
    guard replica.vector.tips.isEmpty, otherMembers.isEmpty, inviter.admissions.isEmpty else {
      return failJoin(.spaceInUse, &turn)
    }
    endAttempt(attempt, &turn)
    for link in links { close(link.id, .goingAway, &turn) }
    closeInvites(.withdrawn, &turn)
    roster = graph
    replica = Replica(chunkCapacity: replica.chunkCapacity)
    replica.pack(with: ColdPacking(packer))
    (unread, keepsCheckpoint, ownNotice) = (Unread(), false, nil)
    durable = VersionVector()
    recent = RecentChanges()
    authoring.forget()
    // Where the inviter is must outlast a restart right after this.
    var inviter = PeerRow(device: host.device)
    inviter.endpoints = [visit.endpoint]
    inviter.heardDay = ages.day
    (peers, floorStep, floorDue, ownStatement) = ([inviter], nil, nil, [])
    ages.forgetMarks()
    writtenAges = AgeBook()
    commit.add { batch in
      batch.replacesSpace = true
      (batch.journal, batch.kept) = ([], [])
      batch.peers = [inviter]
      batch.rosterRecords = graph.records.map(\.bytes)
    }
    meetMembers()
    commit.then(.joined)
    joiner.adopted = (host, visit.endpoint)
  }

  /// Builds a roster out of records that came parents first; `nil` if one is invalid.
  private static func graph(of records: [[UInt8]], _ crypto: any CryptoSuite) -> MembershipGraph? {
    var graph: MembershipGraph?
    for bytes in records {
      guard let record = try? MembershipRecord(decoding: bytes, crypto: crypto) else { return nil }
      if graph == nil {
        graph = try? MembershipGraph(genesis: record, crypto: crypto)
        guard graph != nil else { return nil }
      } else if (try? graph?.take(record, crypto: crypto)) == nil {
        return nil
      }
    }
    return graph
  }

  /// The new roster is on disk: meet the others.
  mutating func joined(_ turn: inout Turn) {
    guard let (host, endpoint) = joiner.adopted, let roster else { return }
    joiner.adopted = nil
    turn.effects.append(
      .pairing(
        .joined(roster.space, inviter: host.device, inviterName: host.name.string)))
    dialling.members(otherMembers.map(\.device))
    dialling.proved(endpoint, owner: host.device)
    rosterChanged(&turn)
  }

  // MARK: Time

  mutating func advancePairing(_ turn: inout Turn) {
    let now = turn.now
    closeInvites(.expired, &turn) { $0.until <= now }
    forgetAdmissions(&turn) { $0.invite.until <= now }
    for link in inviter.links where link.deadline <= turn.now {
      turn.effects.append(.close(link.id, .tooSlow))
    }
    inviter.links.removeAll { $0.deadline <= turn.now }
    advanceJoin(&turn)
  }

  private mutating func advanceJoin(_ turn: inout Turn) {
    guard var attempt = joiner.attempt else { return }
    for dial in attempt.dials where dial.deadline <= turn.now {
      attempt.closedAt.removeAll { $0 == dial.endpoint }
      turn.effects.append(.close(dial.link, .tooSlow))
    }
    attempt.dials.removeAll { $0.deadline <= turn.now }
    for visit in attempt.visits where visit.link.deadline <= turn.now {
      turn.effects.append(.close(visit.link.id, .tooSlow))
    }
    attempt.visits.removeAll { $0.link.deadline <= turn.now }
    if attempt.started >= attempt.endpoints.count, attempt.isIdle, !attempt.endpoints.isEmpty {
      attempt.started = 0
      attempt.rounds += 1
      attempt.nextStart = turn.now + settings.backoffFirst
    }
    joiner.attempt = attempt
    if attempt.until <= turn.now { return failJoin(attempt.failure, &turn) }
    let isTried = attempt.rounds >= 2 || attempt.endpoints.isEmpty
    if !attempt.refusedAt.isEmpty, attempt.isIdle, isTried, attempt.refusableFrom <= turn.now {
      return failJoin(.refused, &turn)
    }
    // Who is at the named addresses lets nobody in, at the second try as at the first.
    if attempt.isDirect, attempt.isIdle, attempt.rounds >= 2, attempt.hasMetMembers,
      attempt.endpoints.allSatisfy(attempt.closedAt.contains)
    {
      return failJoin(attempt.failure, &turn)
    }
    startJoinDial(&turn)
  }

  private mutating func startJoinDial(_ turn: inout Turn) {
    guard var attempt = joiner.attempt, attempt.nextStart <= turn.now,
      attempt.started < attempt.endpoints.count, attempt.dials.count < settings.dialsMax
    else { return }
    lastDial += 1
    let dial = Joiner.Dial(
      link: LinkID(.dialled, lastDial), endpoint: attempt.endpoints[attempt.started],
      deadline: turn.now + settings.dialTimeMax)
    attempt.started += 1
    attempt.nextStart = turn.now + settings.raceStagger
    attempt.dials.append(dial)
    joiner.attempt = attempt
    turn.effects.append(.dial(dial.link, dial.endpoint, .pairing))
  }
}
