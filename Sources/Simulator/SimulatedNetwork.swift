// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine
import Workbench

/// One of the two directions of a connection.
enum Direction: Int, CaseIterable, Sendable {
  case toDialer, toAcceptor

  var opposite: Direction { self == .toDialer ? .toAcceptor : .toDialer }
}

/// What travels in one direction of a connection, in order.
enum Parcel: Sendable {
  case frame([UInt8])
  /// The other side has closed: nothing comes behind.
  case end
}

/// One end of a connection: whose it is and what that node's engine calls it.
struct ConnectionEnd: Sendable {
  let node: Int
  /// The node's life (times started) that opened it.
  let life: Int
  let link: LinkID
  /// Whether this end takes and sends still.
  var isOpen = true
}

/// A connection between two nodes: like TCP, it keeps order, delays instead of losing, and may break.
struct Connection: Sendable {
  let purpose: LinkPurpose
  var dialer: ConnectionEnd
  /// `nil` until it stands.
  var acceptor: ConnectionEnd?
  let target: Int
  /// When the last parcel of each direction arrives: later ones never overtake it.
  var lastArrival: [Moment] = [Moment(nanoseconds: 0), Moment(nanoseconds: 0)]
  /// What waits for the end of a partition, in order.
  var stalled: [[Parcel]] = [[], []]

  func receiver(_ direction: Direction) -> ConnectionEnd? {
    direction == .toDialer ? dialer : acceptor
  }

  mutating func close(_ direction: Direction) {
    if direction == .toDialer { dialer.isOpen = false } else { acceptor?.isOpen = false }
  }
}

/// Who can reach whom, and how long it takes.
struct SimulatedNetwork: Sendable {
  private let options: SimulationOptions
  private var random: SplitMix64
  /// `blocked[a][b]`: what `a` sends does not arrive at `b`.
  private var blocked: [[Bool]]
  var hasFaults = true

  init(_ options: SimulationOptions) {
    self.options = options
    random = SplitMix64(seed: options.seed, stream: "network")
    blocked = Array(
      repeating: Array(repeating: false, count: options.nodeCount), count: options.nodeCount)
  }

  /// One machine more, which everybody reaches.
  mutating func add() {
    for a in blocked.indices { blocked[a].append(false) }
    blocked.append(Array(repeating: false, count: blocked.count + 1))
  }

  /// Whether what `a` sends arrives at `b`.
  func carries(from a: Int, to b: Int) -> Bool { !blocked[a][b] }

  mutating func block(from a: Int, to b: Int) { if a != b { blocked[a][b] = true } }

  /// Parts do not reach each other, in neither direction.
  mutating func split(into parts: [Int]) {
    for a in parts.indices {
      for b in parts.indices where parts[a] != parts[b] { block(from: a, to: b) }
    }
  }

  /// Everybody reaches everybody among `nodes`.
  mutating func heal(among nodes: [Int]) {
    for a in nodes { for b in nodes { blocked[a][b] = false } }
  }

  /// How long the next parcel travels.
  mutating func latency() -> Delay {
    let spread = options.latencyMax.nanoseconds - options.latencyMin.nanoseconds
    let base = options.latencyMin.nanoseconds + random.next() % max(spread, 1)
    // A lost packet costs a retransmission, and all behind it wait.
    let isLost = hasFaults && random.below(1_000) < options.lossPerMille
    return Delay(nanoseconds: base + (isLost ? 200_000_000 : 0))
  }

  /// Whether the connection breaks under the next parcel.
  mutating func breaksNow() -> Bool {
    hasFaults && random.below(10_000) < options.breakPerMyriad
  }

  /// When a second copy of a frame arrives, if there is one.
  mutating func echo() -> Delay? {
    guard hasFaults, options.has(.echoes), random.below(1_000) < options.echoesPerMille
    else { return nil }
    return .milliseconds(UInt64(random.pick([1, 100, 2_000, 20_000])))
  }

  /// By how much a frame is late, if it is.
  mutating func lateness() -> Delay? {
    guard hasFaults, options.has(.lateRuns), random.below(1_000) < options.latePerMille
    else { return nil }
    return .milliseconds(UInt64(random.pick([5, 300, 3_000])))
  }
}
