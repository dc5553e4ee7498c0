// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
package import NodeEngine
import WireCodec
import Workbench

/// The whole simulated home: virtual time, machines, network, disks, people and faults.
///
/// Everything is drawn from the seed of `options`; a run is the same on every machine. Phases: all
/// join one space; edits and faults; then some are mended and must come to agree, and then all: within
/// `livenessTime` they must hold and show the same.
package struct World: Sendable {
  package let options: SimulationOptions
  package internal(set) var now = Moment(nanoseconds: 1_000_000_000)
  /// Edits that were acknowledged.
  package internal(set) var ops = 0
  /// Faults that were injected.
  package internal(set) var faults = 0
  /// How often a machine with cold items was looked at.
  package internal(set) var coldLooks = 0
  /// Edits and faults that were drawn, done or left out: what the minimiser counts in.
  package internal(set) var drawnEdits = 0
  package internal(set) var drawnFaults = 0
  /// Sentences about what must not be; a run without any is good.
  package internal(set) var failures: [String] = []
  package internal(set) var digest = TraceDigest()

  var schedule = Schedule<Happening>()
  var nodes: [SimulatedNode] = []
  var connections: [Connection] = []
  var network: SimulatedNetwork
  var ledger = Ledger()
  var diskRandom: SplitMix64
  var peopleRandom: SplitMix64
  var faultClock: SplitMix64
  var dayRandom: SplitMix64
  /// Days that have passed beside the virtual time (`World+Days.swift`).
  var dayOffset: Int64 = 0
  /// Changes whose edit was acknowledged: no crash may lose them.
  var promised: [Promise] = []
  /// Promised changes that were nowhere but in checkpoints that could not be read.
  var excused: Set<Dot> = []
  var lastToken: UInt64 = 0
  var acceptedLinks: UInt64 = 0
  /// Where machines are copied: all changes that ever were on their way to a disk.
  var copied: [ChangeHash: Change] = [:]
  /// Copies of machines that may come to life.
  var images: [MachineImage] = []
  /// Removals that were tried.
  var removalCount = 0
  /// Whether people still edit and things still break.
  var isCalm = false
  /// Until when nothing is done on purpose.
  var quietUntil = Moment(nanoseconds: 0)

  struct Promise: Sendable {
    let node: Int
    let dot: Dot
  }

  /// What can happen, always later than now.
  enum Happening: Sendable {
    case arrived(connection: Int, Direction, Parcel)
    case established(connection: Int)
    case dialFailed(node: Int, life: Int, LinkID, DialFailure)
    case linkDown(node: Int, life: Int, LinkID)
    case synced(node: Int, life: Int, BatchToken)
    case refused(node: Int, life: Int, BatchToken)
    case logRead(node: Int, life: Int, ReadToken, LogRequest)
    case announced(at: Int, Endpoint, DiscoveryTag)
    case wake(node: Int, life: Int)
    case start(node: Int)
    case heal
    case invite
    case edit
    case fault
    case look
  }

  package init(options: SimulationOptions) {
    self.options = options
    network = SimulatedNetwork(options)
    diskRandom = SplitMix64(seed: options.seed, stream: "disk")
    peopleRandom = SplitMix64(seed: options.seed, stream: "people")
    dayRandom = SplitMix64(seed: options.seed, stream: "absences")
    faultClock = SplitMix64(seed: options.seed, stream: "fault-clock")
    foundSpace()
  }

  /// Runs both phases and checks the end.
  package mutating func run() {
    for node in nodes.indices { start(node) }
    schedule.add(.edit, at: now + options.editInterval)
    schedule.add(.fault, at: now + options.faultInterval)
    schedule.add(.look, at: now + .seconds(1))
    if options.has(.lateJoiner) { schedule.add(.invite, at: now + .seconds(1)) }
    if options.has(.lulls) {
      advance(to: now + Delay(nanoseconds: options.safetyTime.nanoseconds / 2))
      lull()
    }
    advance(to: now + options.safetyTime)
    if let days = options.days { passDays(days) }
    isCalm = true
    network.hasFaults = false
    if !options.hasCopies { settleCore() }
    mend(nodes: Array(nodes.indices))
    settle(members)
    checkEnd()
    if let days = options.days { checkLogsEmpty(days) }
    for tip in nodes[members[0]].engine?.replica.vector.tips ?? [] { digest.add(tip.hash.bytes) }
  }

  mutating func advance(to end: Moment) {
    while let next = schedule.nextMoment, next <= end, failures.isEmpty {
      guard let (moment, event) = schedule.next() else { break }
      now = moment
      if let until = sleepEnd(of: event), until > now {
        schedule.add(event, at: until)
      } else {
        handle(event)
      }
    }
    now = max(now, end)
  }

  /// When the machine that `event` concerns wakes up.
  private func sleepEnd(of event: Happening) -> Moment? {
    guard options.has(.sleeps) else { return nil }
    switch event {
    case .arrived(let number, let direction, _):
      return connections[number].receiver(direction).map { nodes[$0.node].asleepUntil }
    case .established(let number): return nodes[connections[number].target].asleepUntil
    case .dialFailed(let node, _, _, _), .linkDown(let node, _, _), .synced(let node, _, _),
      .refused(let node, _, _), .logRead(let node, _, _, _), .wake(let node, _), .start(let node),
      .announced(let node, _, _):
      return nodes[node].asleepUntil
    case .heal, .invite, .edit, .fault, .look: return nil
    }
  }

  private mutating func handle(_ event: Happening) {
    switch event {
    case .arrived(let connection, let direction, let parcel):
      arrived(connection, direction, parcel)
    case .established(let connection): establish(connection)
    case .dialFailed(let node, let life, let link, let why):
      if isCurrent(node, life) { feed(.dialFailed(link, why), to: node) }
    case .linkDown(let node, let life, let link):
      if isCurrent(node, life) { feed(.linkDown(link), to: node) }
    case .synced(let node, let life, let token):
      if isCurrent(node, life), nodes[node].disk.finish(token) {
        feed(.persisted(token), to: node)
      }
    case .refused(let node, let life, let token): refused(token, node, life)
    case .logRead(let node, let life, let token, let request):
      if isCurrent(node, life) {
        nodes[node].reads.removeAll { $0.token == token }
        feed(.logRead(token, flipped(nodes[node].disk.changes(request))), to: node)
      }
    case .announced(let node, let endpoint, let tag):
      feed(.discovered(endpoint, tag), to: node)
    case .wake(let node, let life):
      if isCurrent(node, life) { wake(node) }
    case .start(let node): start(node)
    case .heal:
      if !isCalm { healNetwork(among: Array(nodes.indices)) }
    case .invite: tryToInvite()
    case .edit: editSomewhere()
    case .fault: injectFault()
    case .look:
      checkNow()
      let pause: UInt64 = now < quietUntil ? 3_600 : isCalm ? 15 : 3
      schedule.add(.look, at: now + .seconds(pause))
    }
  }

  func isCurrent(_ node: Int, _ life: Int) -> Bool {
    nodes[node].engine != nil && nodes[node].life == life
  }

  // MARK: one node

  /// Gives one input to a node's engine and does what it asks for.
  mutating func feed(_ input: Input, to node: Int) {
    guard nodes[node].engine != nil else { return }
    record(input, node)
    var effects: [Effect] = []
    let wall = wall(of: node)
    nodes[node].engine?.handle(input, at: now, wall: wall, into: &effects)
    for effect in effects {
      if nodes[node].effectsLeft == 0 { return crash(node, isKilled: peopleRandom.chance(50)) }
      if let left = nodes[node].effectsLeft { nodes[node].effectsLeft = left - 1 }
      perform(effect, for: node)
    }
    if let deadline = nodes[node].engine?.nextDeadline { wakeUp(node, at: deadline) }
  }

  private mutating func wakeUp(_ node: Int, at deadline: Moment) {
    let moment = max(deadline, now)
    if let planned = nodes[node].wakeAt, planned <= moment, planned >= now { return }
    nodes[node].wakeAt = moment
    schedule.add(.wake(node: node, life: nodes[node].life), at: moment)
  }

  private mutating func wake(_ node: Int) {
    // A machine that slept hears its timer late.
    guard let planned = nodes[node].wakeAt, planned <= now else { return }
    nodes[node].wakeAt = nil
    guard let deadline = nodes[node].engine?.nextDeadline else { return }
    if deadline <= now { feed(.deadline, to: node) } else { wakeUp(node, at: deadline) }
    guard let again = nodes[node].engine?.nextDeadline, again <= now else {
      nodes[node].wakesInPlace = 0
      return
    }
    // Work for the next call is fine; a deadline that stays in the past would stop the clock.
    nodes[node].wakesInPlace += 1
    if nodes[node].wakesInPlace > 100 {
      failures.append("node \(node): the deadline does not move on")
    }
  }

  func wall(of node: Int) -> WallTime {
    WallTime(
      milliseconds: 1_800_000_000_000 + Int64(now.nanoseconds / 1_000_000)
        + nodes[node].wallOffset + dayOffset * 86_400_000)
  }

  private mutating func perform(_ effect: Effect, for node: Int) {
    switch effect {
    case .send(let frame, let link):
      if !options.hasCopies { checkSent(frame, by: node) }
      send(frame, from: node, on: link)
    case .close(let link, _): close(link, at: node)
    case .dial(let link, let endpoint, let purpose): dial(link, endpoint, purpose, from: node)
    case .persist(let batch, let token): persist(batch, token, node)
    case .readLog(let request, let token): readLog(request, token, node)
    case .edited(_, let result): edited(result, at: node)
    case .alarm(let alarm): check(alarm, at: node)
    case .pairing(let event): paired(event, at: node)
    case .changed(_, let origin): changed(origin, at: node)
    case .advertise(let tag): advertise(tag, by: node)
    case .amended, .peersChanged, .rosterChanged: break
    }
  }

  private mutating func record(_ input: Input, _ node: Int) {
    digest.add(now.nanoseconds)
    digest.add(UInt64(node))
    switch input {
    case .frame(let bytes, let link):
      digest.add(link.number)
      digest.add(bytes)
    case .linkUp(let link, _, _), .linkDown(let link), .dialFailed(let link, _):
      digest.add(link.number)
    case .persisted(let token), .persistFailed(let token): digest.add(token.number)
    case .logRead(let token, let changes):
      digest.add(token.number)
      digest.add(UInt64(changes.count))
    default: break
    }
  }
}
