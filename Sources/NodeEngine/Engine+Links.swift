// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// Links from connection to end: greeting, pings, silence, duplicates.
extension Engine {
  func index(of id: LinkID) -> Int? { links.firstIndex { $0.id == id } }

  // MARK: Up and down

  mutating func linkUp(_ id: LinkID, _ peerKey: [UInt8], _ from: Endpoint, _ turn: inout Turn) {
    let dialled = dialling.answered(id)
    let device: DeviceID = crypto.hash32(peerKey)
    guard !isPaused, links.count < settings.linksMax, index(of: id) == nil else {
      if let dialled { dialling.refused(dialled, at: turn.now, using: &entropy) }
      turn.effects.append(.close(id, .goingAway))
      return
    }
    guard let roster, roster.view.isMember(device), removedBy == nil else {
      if removedBy == nil { sendFarewell(device, id, &turn) }
      if let dialled { dialling.refused(dialled, at: turn.now, using: &entropy) }
      turn.effects.append(.close(id, .notMember))
      return
    }
    var link = Link(id: id, device: device, endpoint: dialled ?? from, openedAt: turn.now)
    let hello = hello(roster)
    link.greeted = hello
    link.liveness.told = durable
    turn.send(.hello(hello), id)
    links.insert(link, at: links.firstIndex { id < $0.id } ?? links.count)
  }

  private func hello(_ roster: MembershipGraph) -> Hello {
    Hello(
      space: roster.space, device: device, bootNonce: bootNonce, listenPort: settings.listenPort,
      wall: wall, version: Text(String(settings.version.prefix(FrameLimits.versionBytesMax / 4))),
      rosterHeads: Self.wireHeads(of: roster),
      tips: durable.tips.prefix(FrameLimits.tipsMax).map {
        Hello.HeldTip(tip: $0, device: replica.head(of: $0.session)?.device ?? .zero)
      })
  }

  mutating func linkDown(_ id: LinkID, _ turn: inout Turn) {
    if let at = index(of: id) {
      forget(at, .transport, &turn)
    } else if !pairingLinkDown(id, &turn) {
      dialFailed(id, .unreachable, &turn)
    }
  }

  /// Ends a link from this side: the peer is told why.
  mutating func close(_ id: LinkID, _ reason: CloseReason, _ turn: inout Turn) {
    guard let at = index(of: id) else { return }
    turn.send(.bye(code: reason.rawValue), id)
    turn.effects.append(.close(id, reason))
    forget(at, reason, &turn)
  }

  private mutating func forget(_ at: Int, _ reason: CloseReason, _ turn: inout Turn) {
    let link = links.remove(at: at)
    reads.removeAll { $0.link == link.id }
    searches.removeAll { $0.link == link.id }
    splits.removeAll { $0.link == link.id }
    twinChecks.removeAll { $0.names(link.id) }
    remember(link)
    if link.inbound.log != nil { forgoLog() }
    noteFloor(turn.now)
    if !links.contains(where: { $0.device == link.device && $0.phase != .greeting }) {
      dialling.disconnected(
        link.device, peersFault: reason.isPeersFault, at: turn.now, using: &entropy)
    }
    turn.effects.append(.peersChanged)
  }

  /// Puts what outlasts the link into the next batch, if it was ever greeted on.
  mutating func remember(_ link: Link) {
    guard let hello = link.hello else { return }
    var row = row(of: link.device)
    row.endpoints = dialling.endpoints(of: link.device)
    row.acknowledge(link.outbound.told.tips)
    row.heardDay = ages.day
    row.lastContact = wall
    row.version = hello.version.string
    peers.removeAll { $0.device == link.device }
    peers.append(row)
    commit.add { $0.put(row) }
  }

  // MARK: Frames

  mutating func received(_ bytes: [UInt8], on id: LinkID, _ turn: inout Turn) {
    let frame: Frame
    do throws(DecodeError) {
      frame = try Frame(decoding: bytes)
    } catch {
      let isVersion = if case .unknownTag(_, at: 1) = error { true } else { false }
      if receivedPairing(nil, on: id, &turn) { return }
      return close(id, isVersion ? .wireVersion : .malformed, &turn)
    }
    if receivedPairing(frame, on: id, &turn) { return }
    guard let at = index(of: id) else { return }
    links[at].liveness.lastHeard = turn.now
    switch (links[at].phase, frame) {
    case (_, .bye(let code)):
      turn.effects.append(.close(id, .transport))
      let reason = CloseReason(rawValue: code) ?? .transport
      let peer = links[at].device
      forget(at, reason == .notMember ? .transport : reason, &turn)
      if reason == .duplicate { displaced(by: peer, &turn) }
    case (_, .unknown): break
    case (_, .farewell(let signer, let signature)):
      received(farewell: RemovalNotice(signer: signer, signature: signature), at, &turn)
    case (.greeting, .hello(let hello)): greeted(at, hello, &turn)
    case (.greeting, _), (_, .hello), (_, .pairProof), (_, .pairAnswer), (_, .pairRefused):
      close(id, .outOfOrder, &turn)
    case (_, .roster(let records, let isLast)): received(records, isLast, at, &turn)
    case (_, .ping(let nonce, let tips, let fingerprint)):
      pinged(at, nonce, tips, fingerprint, &turn)
    case (_, .pong(let nonce, let wall)): ponged(at, nonce, wall, &turn)
    case (_, .addresses(let addresses)): received(addresses, from: id, &turn)
    case (_, .ack(let tips)): acknowledged(at, tips, &turn)
    case (.exchangingRoster, _): close(id, .outOfOrder, &turn)
    case (.streaming, .run(let run)): received(run: run, at, &turn)
    case (.streaming, .branch(let run)): received(run: run, isBranch: true, at, &turn)
    case (.streaming, .hashAsk(let session, let seq)): asked(session, seq, at, &turn)
    case (.streaming, .hashTold(let session, let seq, let hash)):
      told(session, seq, hash, at, &turn)
    case (.streaming, .branchAsk(let session, let seq)): askedBranch(session, seq, at, &turn)
    case (.streaming, .ask):
      links[at].outbound.rewind()
      links[at].outbound.pumpAt = turn.now
    case (.streaming, .snapshot) where isReader(links[at].device):
      // Columns carry no signatures of their authors: they are only as good as their sender.
      close(id, .invalidSnapshot, &turn)
    case (.streaming, .snapshot(let tips, let blobs, let heads)):
      received(snapshot: tips, blobs, heads, at, &turn)
    case (.streaming, .snapshotLog(let run)): received(log: run, at, &turn)
    case (_, .confirmed(let tips)): reminded(of: tips, at, &turn)
    case (_, .setback): turn.effects.append(.alarm(.setback(links[at].device)))
    case (_, .held(let statement)): received(statement: statement, at, &turn)
    case (.streaming, .snapshotPart(let part, let isLast)):
      received(part: part, isLast, at, &turn)
    }
  }

  // MARK: Greeting

  private mutating func greeted(_ at: Int, _ hello: Hello, _ turn: inout Turn) {
    let link = links[at]
    guard let roster, hello.space == roster.space else { return close(link.id, .otherSpace, &turn) }
    guard hello.device == link.device else { return close(link.id, .notMember, &turn) }
    guard link.device != device else { return metMyself(link, hello, &turn) }
    links[at].hello = hello
    if let greeted = link.greeted {
      links[at].clockOffset = Link.offset(hello.wall, from: greeted.wall)
    }
    noteHeads(of: link.device, hello.rosterHeads)
    guard let at = settleDuplicates(at, &turn) else { return }
    links[at].confirmed = row(of: link.device).acknowledged
    links[at].outbound.told.raise(hello.tips.map(\.tip))
    noticeFork(hello, &turn)
    hold(at, hello, &turn)
    if let listening = links[at].listening {
      dialling.proved(listening, owner: link.device)
    }
    for other in dialling.connected(link.device) {
      turn.effects.append(.close(other, .duplicate))
    }
    remember(links[at])
    if links[at].greeted?.rosterHeads == hello.rosterHeads {
      startStreaming(at, &turn)
    } else {
      links[at].phase = .exchangingRoster
      sendRoster(
        roster.missing(for: hello.rosterHeads.map { RecordHash($0.a, $0.b, $0.c, $0.d) }),
        to: link.id, &turn)
    }
  }

  /// The roster that a member has, as it says itself.
  private mutating func noteHeads(of device: DeviceID, _ heads: [RosterHead]) {
    if let row = peers.firstIndex(where: { $0.device == device }) { peers[row].rosterHeads = heads }
  }

  private mutating func metMyself(_ link: Link, _ hello: Hello, _ turn: inout Turn) {
    if hello.bootNonce == bootNonce {
      if link.id.role == .dialled { dialling.provedOwn(link.endpoint) }
    } else {
      turn.effects.append(.alarm(.cloned(link.device)))
      if link.id.role == .dialled {
        dialling.refused(link.endpoint, at: turn.now, using: &entropy)
      }
    }
    close(link.id, .ourselves, &turn)
  }

  /// Somebody who knows more of the session this agent is writing than it does itself, or something
  /// else: this device was copied (reliability R1).
  private mutating func noticeFork(_ hello: Hello, _ turn: inout Turn) {
    guard let running = authoring.running, running.seq > 0 else { return }
    for held in hello.tips where held.tip.session == running.id {
      let isAhead = held.tip.seq > running.seq
      let isOther = held.tip.seq == running.seq && held.tip.hash != running.hash
      if isAhead || isOther { warnOfFork(running.id, hello.device, &turn) }
    }
  }

  /// The peer may hold earlier sessions of the devices whose newest it has and we do not know.
  private mutating func hold(_ at: Int, _ hello: Hello, _ turn: inout Turn) {
    let unknown = hello.tips.filter { replica.tip(of: $0.tip.session) == nil }
    links[at].outbound.heldDevices = unknown.map(\.device)
    links[at].outbound.heldUntil = turn.now + settings.askAgainAfter
  }

  mutating func startStreaming(_ at: Int, _ turn: inout Turn) {
    links[at].phase = .streaming
    let (met, crypto) = (links[at].device, crypto)
    forgetAdmissions(&turn) { crypto.hash32($0.link.peerKey) == met }
    links[at].liveness.nextPing = turn.now
    links[at].outbound.pumpAt = turn.now
    // Records that came over other links while this one was greeting.
    if let roster, let mine = links[at].greeted?.rosterHeads, let hello = links[at].hello {
      let known = (mine + hello.rosterHeads).map { RecordHash($0.a, $0.b, $0.c, $0.d) }
      let fresh = roster.missing(for: known)
      if !fresh.isEmpty { sendRoster(fresh, to: links[at].id, &turn) }
    }
    if wantsSnapshot(at) { startSnapshot(at, &turn) }
    exchangeAddresses(at, &turn)
    sendStatements(at, &turn)
    if let hello = links[at].hello { noticeForks(hello.tips.map(\.tip), at, &turn) }
    remindOfConfirmed(at, &turn)
    turn.effects.append(.peersChanged)
  }

  // MARK: Time

  mutating func advanceLinks(_ turn: inout Turn) {
    for id in links.map(\.id) {
      guard let at = index(of: id) else { continue }
      let link = links[at]
      if link.phase != .streaming {
        if link.openedAt + settings.greetingTimeMax <= turn.now { close(id, .tooSlow, &turn) }
        continue
      }
      if link.liveness.lastHeard + settings.silenceMax <= turn.now {
        close(id, .silent, &turn)
        continue
      }
      if isSurplus(at, turn.now) {
        close(id, .surplus, &turn)
        continue
      }
      if link.liveness.nextPing <= turn.now { ping(at, &turn) }
      if let ask = link.inbound.askAgainAt, ask <= turn.now { askAgain(at, &turn) }
      if let pumpAt = link.outbound.pumpAt, pumpAt <= turn.now { pump(at, &turn) }
    }
  }

  /// Whether a link of this side's making has been unwanted for a while and has nothing left to do.
  private mutating func isSurplus(_ at: Int, _ now: Moment) -> Bool {
    let link = links[at]
    guard link.id.role == .dialled, !dialling.isWanted(link.device) else {
      links[at].surplusAt = nil
      return false
    }
    if let due = link.surplusAt {
      if due > now { return false }
      if lacks(at) == 0, awaits(at) == 0 { return true }
    }
    links[at].surplusAt = now + settings.surplusTime
    return false
  }

  private mutating func ping(_ at: Int, _ turn: inout Turn) {
    let nonce = entropy.next()
    let rests = links[at].liveness.told == durable
    var fingerprint: Fingerprint?
    if rests, replica.waitingOps == 0, durable == replica.vector {
      fingerprint = replica.fingerprint { [crypto] in crypto.sha256Half($0) }
    }
    let tips = rests ? nil : Array(durable.tips.prefix(FrameLimits.tipsMax))
    turn.send(.ping(nonce: nonce, tips: tips, fingerprint: fingerprint), links[at].id)
    links[at].liveness.told = durable
    links[at].liveness.ping = (nonce, turn.now)
    links[at].liveness.nextPing = turn.now + settings.pingInterval
  }

  private mutating func pinged(
    _ at: Int, _ nonce: UInt64, _ tips: [Tip]?, _ fingerprint: Fingerprint?, _ turn: inout Turn
  ) {
    turn.send(.pong(nonce: nonce, wall: wall), links[at].id)
    if let tips { acknowledged(at, tips, &turn) }
    if let fingerprint { compare(fingerprint, at, &turn) }
    rewindIfStuck(at, &turn)
  }

  private mutating func ponged(
    _ at: Int, _ nonce: UInt64, _ theirs: WallTime, _ turn: inout Turn
  ) {
    answeredTwinCheck(links[at].id, nonce, &turn)
    displacements[links[at].device] = nil
    let isFirst = links[at].liveness.rtt == nil
    if let ping = links[at].liveness.ping, ping.nonce == nonce {
      let halfway = Int64(turn.now.since(ping.sentAt).wholeMilliseconds / 2)
      links[at].clockOffset = Link.offset(
        theirs, from: WallTime(milliseconds: wall.milliseconds - halfway))
    }
    links[at].liveness.heard(pong: nonce, at: turn.now)
    if isFirst { turn.effects.append(.peersChanged) }
    continueSnapshot(at, pong: nonce, &turn)
    continueTail(at, pong: nonce, &turn)
  }

  /// Equal vectors must give equal views (reliability R14).
  private mutating func compare(_ theirs: Fingerprint, _ at: Int, _ turn: inout Turn) {
    guard links[at].phase == .streaming, replica.waitingOps == 0, durable == replica.vector,
      lacks(at) == 0, awaits(at) == 0
    else { return }
    let mine = replica.fingerprint { [crypto] in crypto.sha256Half($0) }
    if mine != theirs { turn.effects.append(.alarm(.fingerprint(links[at].device))) }
  }
}
