// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
package import NodeEngine
import WireCodec
import Workbench

/// One machine of the simulated home: an agent, its disk, its wall clock.
struct SimulatedNode: Sendable {
  let crypto: ToyCrypto
  let endpoint: Endpoint
  /// `nil` while the machine is off.
  var engine: Engine?
  var disk = SimulatedDisk()
  /// How often it was started: what belongs to an earlier life is dropped.
  var life = 0
  /// How far its wall clock is off, in milliseconds.
  var wallOffset: Int64 = 0
  /// The deadline for which a wake-up is scheduled.
  var wakeAt: Moment?
  /// Wake-ups in a row after which the deadline was not later than now.
  var wakesInPlace = 0
  /// The disk does one thing after the other.
  var diskFreeAt = Moment(nanoseconds: 0)
}

/// The whole simulated home: virtual time, machines, network, disks, people and faults.
///
/// Everything is drawn from the seed of `options`; a run is the same on every machine. Phases: all
/// join one space; edits and faults; then everything is mended, and within `livenessTime` all nodes
/// must hold and show the same.
package struct World: Sendable {
  package let options: SimulationOptions
  package internal(set) var now = Moment(nanoseconds: 1_000_000_000)
  /// Edits that were acknowledged.
  package internal(set) var ops = 0
  /// Faults that were injected.
  package internal(set) var faults = 0
  /// Sentences about what must not be; a run without any is good.
  package internal(set) var failures: [String] = []
  package internal(set) var digest = TraceDigest()

  var schedule = Schedule<Happening>()
  var nodes: [SimulatedNode] = []
  var connections: [Connection] = []
  var network: SimulatedNetwork
  var workload: Workload
  var diskRandom: SplitMix64
  var faultRandom: SplitMix64
  var peopleRandom: SplitMix64
  /// Changes whose edit was acknowledged: no crash may lose them.
  var promised: [Promise] = []
  var lastToken: UInt64 = 0
  var acceptedLinks: UInt64 = 0
  /// Whether people still edit and things still break.
  var isCalm = false

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
    case logRead(node: Int, life: Int, ReadToken, LogRequest)
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
    workload = Workload(seed: options.seed)
    diskRandom = SplitMix64(seed: options.seed, stream: "disk")
    faultRandom = SplitMix64(seed: options.seed, stream: "faults")
    peopleRandom = SplitMix64(seed: options.seed, stream: "people")
    foundSpace()
  }

  /// Runs both phases and checks the end.
  package mutating func run() {
    for node in nodes.indices { start(node) }
    schedule.add(.edit, at: now + options.editInterval)
    schedule.add(.fault, at: now + options.faultInterval)
    schedule.add(.look, at: now + .seconds(1))
    if options.hasLateJoiner { schedule.add(.invite, at: now + .seconds(1)) }
    advance(to: now + options.safetyTime)
    mend()
    let end = now + options.livenessTime
    while now < end && failures.isEmpty && !isSettled { advance(to: now + .seconds(1)) }
    checkEnd()
    for tip in nodes[0].engine?.replica.vector.tips ?? [] { digest.add(tip.hash.bytes) }
  }

  private mutating func advance(to end: Moment) {
    while let next = schedule.nextMoment, next <= end, failures.isEmpty {
      guard let (moment, event) = schedule.next() else { break }
      now = moment
      handle(event)
    }
    now = max(now, end)
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
    case .logRead(let node, let life, let token, let request):
      if isCurrent(node, life) {
        feed(.logRead(token, nodes[node].disk.changes(request)), to: node)
      }
    case .wake(let node, let life):
      if isCurrent(node, life) { wake(node) }
    case .start(let node): start(node)
    case .heal: healNetwork()
    case .invite: tryToInvite()
    case .edit: editSomewhere()
    case .fault: injectFault()
    case .look:
      checkNow()
      schedule.add(.look, at: now + .seconds(2))
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
    for effect in effects { perform(effect, for: node) }
    if let deadline = nodes[node].engine?.nextDeadline { wakeUp(node, at: deadline) }
  }

  private mutating func wakeUp(_ node: Int, at deadline: Moment) {
    let moment = max(deadline, now)
    if let planned = nodes[node].wakeAt, planned <= moment, planned >= now { return }
    nodes[node].wakeAt = moment
    schedule.add(.wake(node: node, life: nodes[node].life), at: moment)
  }

  private mutating func wake(_ node: Int) {
    guard nodes[node].wakeAt == now else { return }
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
        + nodes[node].wallOffset)
  }

  private mutating func perform(_ effect: Effect, for node: Int) {
    switch effect {
    case .send(let frame, let link): send(frame, from: node, on: link)
    case .close(let link, _): close(link, at: node)
    case .dial(let link, let endpoint, let purpose): dial(link, endpoint, purpose, from: node)
    case .persist(let batch, let token):
      nodes[node].disk.begin(batch, token)
      schedule.add(.synced(node: node, life: nodes[node].life, token), at: diskDone(node))
    case .readLog(let request, let token):
      schedule.add(
        .logRead(node: node, life: nodes[node].life, token, request), at: diskDone(node))
    case .edited(_, let result): edited(result, at: node)
    case .alarm(let alarm): check(alarm, at: node)
    case .pairing(let event): paired(event, at: node)
    case .changed, .peersChanged, .rosterChanged, .advertise: break
    }
  }

  private mutating func diskDone(_ node: Int) -> Moment {
    let span = options.diskDelayMax.nanoseconds
    let free = max(nodes[node].diskFreeAt, now)
    let done = free + Delay(nanoseconds: 50_000 + diskRandom.next() % max(span, 1))
    nodes[node].diskFreeAt = done
    return done
  }

  // MARK: people

  private mutating func editSomewhere() {
    guard !isCalm else { return }
    let up = nodes.indices.filter { nodes[$0].engine != nil }
    if !up.isEmpty {
      let node = peopleRandom.pick(up)
      if let engine = nodes[node].engine {
        lastToken += 1
        let edits = workload.transaction(on: engine.replica)
        if !edits.isEmpty { feed(.edit(EditRequest(token: lastToken, edits: edits)), to: node) }
      }
    }
    let mean = options.editInterval.nanoseconds
    schedule.add(.edit, at: now + Delay(nanoseconds: 1 + peopleRandom.next() % (2 * mean)))
  }

  private mutating func edited(_ result: EditResult, at node: Int) {
    switch result {
    case .done(let receipt):
      ops += 1
      promised += receipt.dots.map { Promise(node: node, dot: $0) }
    case .refused(.plan): break
    case .refused(.noSpace) where node == outsider: break
    case .refused(let refusal): failures.append("node \(node): an edit is refused: \(refusal)")
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
