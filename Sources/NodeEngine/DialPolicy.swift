// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// Decides whom to dial, where and when.
///
/// A *target* is a member, or an address of which nobody has proven whose it is. Each target that
/// has no link is dialled in rounds: one address every `raceStagger`, until one answers, so a dead
/// address costs a quarter of a second and never stalls the rest. A round without success is followed
/// by a pause that doubles up to `backoffMax`, with jitter. Nothing here depends on who dials whom
/// from the other side.
///
/// In a large space not every member is a target: `MeshShape` says which, and one more in turn is
/// visited, so that everybody's acknowledgements come by now and then.
struct DialPolicy: Sendable {
  struct Dial: Hashable, Sendable {
    let link: LinkID
    let endpoint: Endpoint
    let deadline: Moment
  }

  private(set) var targets: DialTargets
  private(set) var dials: [Dial] = []
  /// Members with a live link: not dialled.
  private(set) var linked: [DeviceID] = []
  /// Addresses that turned out to be this agent itself; at most 16, oldest out.
  private var own: [Endpoint] = []
  private(set) var isPaused = true
  /// In a large space: the members to be linked to. `nil`: all of them.
  private(set) var wanted: Set<DeviceID>?
  /// The member whose turn it is to be visited, and when it ends.
  private var visit: (device: DeviceID, until: Moment)?
  private let settings: EngineSettings
  private let device: DeviceID

  /// - Parameter device: This device, which has its place among the members.
  init(settings: EngineSettings, device: DeviceID) {
    (self.settings, self.device) = (settings, device)
    targets = DialTargets(
      addressesMax: settings.addressesPerMemberMax, unknownMax: settings.unknownCandidatesMax)
  }

  // MARK: Inputs

  /// Members are the targets that exist even without any address.
  mutating func members(_ devices: [DeviceID]) {
    targets.members(devices)
    reshape()
  }

  /// Somebody names an address; `owner` only from an authenticated source.
  /// - Returns: Whether it is new and was kept.
  @discardableResult
  mutating func found(
    _ endpoint: Endpoint, _ source: CandidateSource, owner: DeviceID? = nil
  ) -> Bool {
    guard endpoint.port != 0, !own.contains(endpoint) else { return false }
    defer { if owner != nil { reshape() } }
    return targets.add(endpoint, source, owner: owner)
  }

  /// A source takes an address back; it goes when no other source is left.
  mutating func lost(_ endpoint: Endpoint, _ source: CandidateSource) {
    targets.remove(endpoint, source)
    reshape()
  }

  /// The user's list; replaces the former one.
  mutating func fixed(_ endpoints: [Endpoint]) {
    targets.keepFixed(endpoints)
    reshape()
    for endpoint in endpoints { found(endpoint, .fixed) }
  }

  /// An authenticated link proved whose address this is: it moves there, to the front.
  mutating func proved(_ endpoint: Endpoint, owner: DeviceID) {
    guard endpoint.port != 0 else { return }
    targets.prove(endpoint, owner: owner)
    reshape()
  }

  /// The address leads back here.
  mutating func provedOwn(_ endpoint: Endpoint) {
    targets.remove(endpoint)
    own.append(endpoint)
    if own.count > 16 { own.removeFirst() }
  }

  /// A member has a link: its other dials are given up.
  /// - Returns: The dials to close.
  mutating func connected(_ device: DeviceID) -> [LinkID] {
    if !linked.contains(device) { linked.append(device) }
    defer { reshape() }
    guard let entry = targets.index(of: .member(device)) else { return [] }
    targets[entry].failures = 0
    targets[entry].started = 0
    let rest = targets[entry].underWay
    targets[entry].underWay = []
    dials.removeAll { rest.contains($0.link) }
    return rest
  }

  /// The last link of a member is gone. It is dialled again almost at once, unless it broke the
  /// protocol.
  mutating func disconnected(
    _ device: DeviceID, peersFault: Bool, at now: Moment, using random: inout some EntropySource
  ) {
    linked.removeAll { $0 == device }
    defer { reshape() }
    guard let entry = targets.index(of: .member(device)) else { return }
    targets[entry].started = 0
    if peersFault {
      targets[entry].failures = 16
      targets[entry].nextStart = now + backoff(16, &random)
    } else {
      targets[entry].failures = 0
      targets[entry].nextStart = now + jittered(settings.raceStagger, &random)
    }
  }

  /// The connection stands; its greeting decides the rest.
  /// - Returns: The address that was dialled.
  mutating func answered(_ link: LinkID) -> Endpoint? {
    guard let dial = dials.firstIndex(where: { $0.link == link }) else { return nil }
    let endpoint = dials.remove(at: dial).endpoint
    for entry in targets.indices { targets[entry].underWay.removeAll { $0 == link } }
    return endpoint
  }

  /// A dial failed, or what it reached was of no use.
  mutating func failed(
    _ link: LinkID, at now: Moment, using random: inout some EntropySource
  ) {
    dials.removeAll { $0.link == link }
    for entry in targets.indices where targets[entry].underWay.contains(link) {
      targets[entry].underWay.removeAll { $0 == link }
      finishRound(entry, at: now, &random)
      if targets[entry].started > 0 {
        targets[entry].nextStart = min(targets[entry].nextStart, now)
      }
    }
    reshape()
  }

  /// What answered at an address was of no use (wrong key, wrong space): pause it like a failure.
  mutating func refused(
    _ endpoint: Endpoint, at now: Moment, using random: inout some EntropySource
  ) {
    guard let at = targets.place(of: endpoint) else { return }
    targets[at.entry].failures += 1
    targets[at.entry].started = 0
    targets[at.entry].nextStart = now + backoff(targets[at.entry].failures, &random)
    reshape()
  }

  /// Forget all pauses: of one member, or of everybody.
  mutating func nudged(_ device: DeviceID?, at now: Moment) {
    for entry in targets.indices where device == nil || targets[entry].target == .member(device!) {
      targets[entry].failures = 0
      targets[entry].nextStart = now
      if targets[entry].underWay.isEmpty { targets[entry].started = 0 }
    }
    reshape()
  }

  /// - Returns: The dials to close.
  mutating func paused() -> [LinkID] {
    isPaused = true
    let links = dials.map(\.link)
    dials = []
    for entry in targets.indices {
      targets[entry].underWay = []
      targets[entry].started = 0
    }
    return links
  }

  mutating func resumed(at now: Moment) {
    isPaused = false
    nudged(nil, at: now)
  }

  // MARK: Time

  struct Started: Sendable {
    var dials: [(link: LinkID, endpoint: Endpoint)] = []
    var givenUp: [LinkID] = []
  }

  /// Starts what is due and gives up what took too long.
  mutating func advance(
    to now: Moment, numbers: inout UInt64, using random: inout some EntropySource
  ) -> Started {
    var out = Started()
    for dial in dials where dial.deadline <= now {
      out.givenUp.append(dial.link)
    }
    for link in out.givenUp { failed(link, at: now, using: &random) }
    guard !isPaused else { return out }
    advanceVisit(to: now)
    for entry in targets.indices {
      guard dials.count < settings.dialsMax, isDue(entry, now) else { continue }
      let endpoint = targets[entry].addresses[targets[entry].started].endpoint
      numbers += 1
      let link = LinkID(.dialled, numbers)
      targets[entry].underWay.append(link)
      targets[entry].started += 1
      targets[entry].nextStart = now + settings.raceStagger
      dials.append(Dial(link: link, endpoint: endpoint, deadline: now + settings.dialTimeMax))
      out.dials.append((link, endpoint))
    }
    return out
  }

  /// When `advance` has something to do; `nil` if only an input can change that.
  var nextDeadline: Moment? {
    var next = dials.map(\.deadline).min()
    guard !isPaused else { return next }
    if let visit { next = min(next ?? visit.until, visit.until) }
    guard dials.count < settings.dialsMax else { return next }
    for entry in targets.indices where wantsDial(entry) {
      next = min(next ?? targets[entry].nextStart, targets[entry].nextStart)
    }
    return next
  }

  // MARK: Queries

  /// Whether a link to this member is worth keeping for this side.
  func isWanted(_ device: DeviceID) -> Bool {
    wanted?.contains(device) ?? true || visit?.device == device
  }

  /// Whether the last round of dials to this member failed.
  func isAway(_ device: DeviceID) -> Bool { reach(device) == .away }

  /// Whether a dial to this member is under way or due.
  func isConnecting(_ device: DeviceID) -> Bool {
    targets.index(of: .member(device)).map { !targets[$0].underWay.isEmpty } ?? false
  }

  /// The addresses of a member, best first.
  func endpoints(of device: DeviceID) -> [Endpoint] { targets.endpoints(of: device) }

  // MARK: Shape

  private func reach(_ device: DeviceID) -> MeshShape.Reach {
    if linked.contains(device) { return .linked }
    guard let entry = targets.index(of: .member(device)).map({ targets[$0] }),
      !entry.addresses.isEmpty, entry.failures == 0
    else { return .away }
    return .untried
  }

  private mutating func reshape() {
    let members = targets.members
    guard members.count >= settings.fullMeshMembersMax else {
      (wanted, visit) = (nil, nil)
      return
    }
    wanted = MeshShape.wanted(
      by: device, among: members, links: settings.meshLinks, reach: reach)
  }

  /// Each member that is not linked to has its turn, in the order of the ring.
  private mutating func advanceVisit(to now: Moment) {
    guard let wanted, visit.map({ $0.until <= now }) ?? true else { return }
    let last = visit?.device ?? device
    let waiting = targets.members.filter { !wanted.contains($0) && !endpoints(of: $0).isEmpty }
    guard let next = waiting.first(where: { $0 > last }) ?? waiting.first else {
      visit = nil
      return
    }
    visit = (next, now + settings.visitInterval)
  }

  // MARK: Private

  private func wantsDial(_ entry: Int) -> Bool {
    if case .member(let device) = targets[entry].target {
      guard !linked.contains(device), isWanted(device) else { return false }
    }
    return targets[entry].started < targets[entry].addresses.count
  }

  private func isDue(_ entry: Int, _ now: Moment) -> Bool {
    wantsDial(entry) && targets[entry].nextStart <= now
  }

  private mutating func finishRound(
    _ entry: Int, at now: Moment, _ random: inout some EntropySource
  ) {
    guard targets[entry].underWay.isEmpty,
      targets[entry].started >= targets[entry].addresses.count
    else { return }
    targets[entry].started = 0
    targets[entry].failures += 1
    targets[entry].nextStart = now + backoff(targets[entry].failures, &random)
  }

  private func backoff(_ failures: Int, _ random: inout some EntropySource) -> Delay {
    let doublings = UInt64(min(max(failures - 1, 0), 16))
    let full = settings.backoffFirst.nanoseconds << doublings
    return jittered(min(Delay(nanoseconds: full), settings.backoffMax), &random)
  }

  /// Between half and all of `delay`.
  private func jittered(_ delay: Delay, _ random: inout some EntropySource) -> Delay {
    let half = delay.nanoseconds / 2
    return Delay(nanoseconds: half + UInt64.random(in: 0...half, using: &random))
  }
}
