// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import Roster
package import WireCodec

/// The node: everything between bytes on links, rows on disk and edits of clients.
///
/// A value without clock, randomness, socket or lock of its own: inputs and moments in, ordered
/// effects out, in the same call. Equal inputs, moments and entropy give equal effects.
///
/// Bytes from peers never trap and never throw out of here: what breaks the protocol closes its link.
package struct Engine: Sendable {
  package let settings: EngineSettings
  let crypto: any CryptoSuite
  let packer: any Packer
  var entropy: Entropy
  /// Random per process start, and anew when a copy of this process was noticed.
  var bootNonce: UInt64
  /// Links that members closed in a row as second ones, where there was no first one here.
  var displacements: [DeviceID: Int] = [:]

  /// The lists as of now; changes still on their way to the disk are in it.
  package internal(set) var replica: Replica
  /// `nil` before this agent has founded or joined a space.
  package internal(set) var roster: MembershipGraph?
  var clock: HybridClock
  /// Wall time as last told.
  var wall: WallTime
  var authoring: Authoring
  var commit = GroupCommit()
  /// What the start could not read, as far as it has not come back yet (Engine+Mending.swift).
  var unread: Unread
  /// Whether the checkpoint on disk, which could not be read, must not be written over.
  var keepsCheckpoint: Bool
  /// All that is on disk.
  var durable: VersionVector
  var recent = RecentChanges()
  /// Ascending by id.
  var links: [Link] = []
  /// Pairs of links of which one must be dead (Engine+Duplicates.swift).
  var twinChecks: [TwinCheck] = []
  var reads: [(token: ReadToken, link: LinkID, first: UInt64)] = []
  var lastRead: UInt64 = 0
  /// Sessions in which two changes with one dot turned up.
  var searches: [ForkSearch] = []
  var splits: [SplitWork] = []
  var forkReads: [(token: ReadToken, purpose: ForkRead)] = []
  /// Sessions of which a fork alarm was given.
  var forkAlarms: [SessionID] = []
  var dialling: DialPolicy
  var lastDial: UInt64 = 0
  var isPaused = true
  var peers: [PeerRow]
  var sightings: [Sighting] = []
  var ownTag: DiscoveryTag?
  var inviter = Inviter()
  var joiner = Joiner()
  // History (Engine+Floor.swift, Engine+Statements.swift).
  var ages: AgeBook
  /// What of `ages` is on its way to the disk.
  var writtenAges: AgeBook
  /// When to look whether changes may leave the log; `nil`: nothing has happened since.
  var floorDue: Moment?
  var floorStep: FloorStep?
  /// When to sign anew what is held; `nil`: it is as it was said.
  var statementDue: Moment?
  // Removals (Engine+Removal.swift, Engine+Cut.swift).
  /// Whether something may be held that lies beyond a cutoff; looked at from the start on.
  var isCutDue = true
  var cutWork: CutWork?
  /// The log could not be read for it: when to try again, and how long to wait after the next failure.
  var cutRetryAt: Moment?
  var cutRetryDelay = Engine.storageRetryDelay
  /// Said by an admin: this device was removed.
  var ownNotice: RemovalNotice?
  var ownStatement: [UInt8] = []
  /// Devices of which a clock alarm was given.
  var clockAlarms: [DeviceID] = []
  /// Whether people know that the data of this device is not what it was: it is a copy, or damaged.
  var isDataSuspect: Bool
  /// What the start itself brought; told in the first turn.
  var opening: [ReplicaEvent] = []
  var hasOpening = false

  /// Starts from what the disk holds. The network stays untouched until `Input.resume`.
  ///
  /// - Parameters:
  ///   - restored: `Restored()` at the very first start.
  ///   - entropy: The kernel's, except in tests.
  package init(
    settings: EngineSettings, crypto: any CryptoSuite, packer: any Packer, entropy: Entropy,
    restored: Restored, wall: WallTime
  ) {
    self.settings = settings
    self.crypto = crypto
    self.packer = packer
    self.entropy = entropy
    bootNonce = self.entropy.next()
    replica = restored.replica
    replica.pack(with: ColdPacking(packer))
    roster = restored.roster
    clock = HybridClock(value: restored.clock)
    self.wall = wall
    durable = restored.replica.vector
    (unread, keepsCheckpoint) = (restored.unread, restored.keepsCheckpoint)
    isDataSuspect = restored.isIncomplete
    authoring = Authoring(device: crypto.deviceID, own: restored.own)
    peers = restored.peers
    (ages, writtenAges) = (restored.ages, restored.ages)
    ownNotice = restored.notice
    dialling = DialPolicy(settings: settings, device: crypto.deviceID)
    dialling.members(otherMembers.map(\.device))
    var events: [ReplicaEvent] = []
    hasOpening = awakeWaiting(&events) || (restored.hasVoidCheckpoint && !keepsCheckpoint)
    opening = events
    for row in peers where roster?.view.isMember(row.device) ?? false {
      for endpoint in row.endpoints.reversed() { dialling.proved(endpoint, owner: row.device) }
    }
    // A stop may have left changes in the log whose effect the checkpoint holds.
    if !keepsCheckpoint { dropFromLog() }
    meetMembers()
  }

  /// This value is a copy of a running engine, as when the image of a machine is started twice: the
  /// kernel gives the copy other numbers.
  package mutating func becameCopy(_ entropy: Entropy) { self.entropy = entropy }

  /// This device.
  package var device: DeviceID { crypto.deviceID }

  /// The other members, ascending by device.
  var otherMembers: [Member] {
    if ownNotice != nil { return [] }
    return roster?.view.members.filter { $0.device != device } ?? []
  }

  // MARK: Input

  /// Takes one input and appends what is to be done, in order.
  ///
  /// - Parameters:
  ///   - now: Never earlier than before.
  ///   - wall: The wall clock; `nil` keeps the last one.
  package mutating func handle(
    _ input: Input, at now: Moment, wall: WallTime? = nil, into effects: inout [Effect]
  ) {
    if let wall { self.wall = wall }
    var turn = Turn(now: now)
    tellOpening(&turn)
    if ages.observe(self.wall, held: durable) { dayPassed(&turn) }
    take(input, &turn)
    advance(&turn)
    effects.append(contentsOf: turn.effects)
  }

  private mutating func take(_ input: Input, _ turn: inout Turn) {
    switch input {
    case .linkUp(let id, let peerKey, let from): linkUp(id, peerKey, from, &turn)
    case .pairingLinkUp(let id, let peerKey, let exporter, let from):
      pairingLinkUp(PairingLink(id: id, peerKey: peerKey, exporter: exporter, from: from), &turn)
    case .linkDown(let id): linkDown(id, &turn)
    case .dialFailed(let id, let failure): dialFailed(id, failure, &turn)
    case .frame(let bytes, let id): received(bytes, on: id, &turn)
    case .edit(let request): edit(request, &turn)
    case .persisted(let token): persisted(token, &turn)
    case .persistFailed(let token): persistFailed(token, &turn)
    case .logRead(let token, let changes): logRead(token, changes, &turn)
    case .checkpoint: addCheckpoint()
    case .identityLost:
      authoring.abandon()
      isDataSuspect = true
      turn.effects.append(.alarm(.copied))
    case .foundSpace(let name, let recoveryKey): found(name, recoveryKey, &turn)
    case .fixedEndpoints(let endpoints): dialling.fixed(endpoints)
    case .discovered(let endpoint, let tag): discovered(endpoint, tag, &turn)
    case .discoveryLost(let endpoint): discoveryLost(endpoint)
    case .networkChanged: dialling.nudged(nil, at: turn.now)
    case .nudge(let device): nudge(device, &turn)
    case .pause: pause(&turn)
    case .resume: resume(&turn)
    case .openInvite(let role): openInvite(role, &turn)
    case .join(let code, let endpoints): join(code, endpoints, &turn)
    case .cancelJoin: failJoin(.cancelled, &turn)
    case .amend(let token, let act): amend(token, act, &turn)
    case .deadline: break
    }
  }

  // MARK: Time

  /// The next moment at which `deadline` is due; `nil`: only an input can change anything.
  package var nextDeadline: Moment? {
    var next = Earliest()
    if removedBy == nil { next.take(dialling.nextDeadline) }
    next.take(commit.retryAt)
    next.take(inviter.nextDeadline)
    next.take(joiner.nextDeadline(dialsMax: settings.dialsMax))
    next.take(floorDue)
    next.take(statementDeadline)
    next.take(cutRetryAt)
    next.take(twinCheckDeadline)
    for link in links { next.take(deadline(of: link)) }
    return next.moment
  }

  private func deadline(of link: Link) -> Moment? {
    var next = Earliest()
    guard link.phase == .streaming else { return link.openedAt + settings.greetingTimeMax }
    next.take(link.liveness.lastHeard + settings.silenceMax)
    next.take(link.liveness.nextPing)
    next.take(link.outbound.pumpAt)
    next.take(link.inbound.askAgainAt)
    next.take(link.surplusAt)
    return next.moment
  }

  private mutating func advance(_ turn: inout Turn) {
    commit.retry(at: turn.now)
    advanceTwinChecks(&turn)
    advanceCut(&turn)
    advanceSnapshots(&turn)
    advanceLinks(&turn)
    advancePairing(&turn)
    advanceDials(&turn)
    advanceFloor(&turn)
    advanceStatements(&turn)
    flush(&turn)
  }

  /// Hands the gathered batch to the disk if it is free.
  private mutating func flush(_ turn: inout Turn) {
    let replica = replica
    let fresh = ages == writtenAges ? nil : ages
    let isSent = commit.flush(
      clock: clock.value, own: authoring.last, ages: fresh, vector: { replica.vector },
      into: &turn.effects)
    if isSent { writtenAges = ages }
  }
}

/// One call of `handle`: when it happens and what it asks for.
struct Turn {
  let now: Moment
  var effects: [Effect] = []

  init(now: Moment) { self.now = now }

  mutating func send(_ frame: Frame, _ link: LinkID) {
    effects.append(.send(frame.bytes, link))
  }
}

/// The earliest of several moments.
struct Earliest {
  private(set) var moment: Moment?
  mutating func take(_ other: Moment?) {
    guard let other else { return }
    moment = moment.map { min($0, other) } ?? other
  }
}
