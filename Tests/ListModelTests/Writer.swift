// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Workbench

/// One device that writes into its own replica: everything an agent does around a fold, with
/// numbers in place of keys and hashes.
struct Writer {
  let name: UInt8
  var replica = Replica()
  var clock = HybridClock()
  var wall = WallTime(milliseconds: 1_800_000_000_000)
  var events: [ReplicaEvent] = []
  private var session: SessionID
  private var seq: UInt64 = 0
  private var last = ChangeHash.zero
  private var head: SessionHead
  private var seen: VersionVector?
  private var nonce: UInt64
  /// Whether forked sessions are split without their log.
  var splitsByTrail = false
  /// Which copy of a device this is; copies never give out the same salts and nonces.
  private var copy: UInt64 = 0

  init(_ name: UInt8) {
    self.name = name
    let device = DeviceID(UInt64(name) << 56 | 0xDE, 1, 2, 3)
    head = SessionHead(device: device, salt: UInt64(name), predecessor: nil)
    session = SessionID(high: UInt64(name), low: 1)
    nonce = UInt64(name) << 32
  }

  var tag: WriterTag { WriterTag(UInt32(name) << 16 | UInt32(truncatingIfNeeded: session.low)) }

  /// Ends the session; the next write opens one that continues it.
  mutating func restart() {
    let tip = seq > 0 ? Tip(session: session, seq: seq, hash: last) : head.predecessor
    var mixed = SplitMix64(seed: session.low ^ copy << 40, stream: "restart")
    let step = copy == 0 ? 1 : mixed.next() >> 8
    head = SessionHead(device: head.device, salt: head.salt &+ step, predecessor: tip)
    session = SessionID(high: session.high, low: session.low &+ step)
    (seq, seen) = (0, nil)
  }

  /// Plans, folds and logs `edits`; returns the ids of what they created.
  @discardableResult
  mutating func write(_ edits: [Edit]) throws -> [ItemID] {
    var left = edits
    var created: [ItemID] = []
    while !left.isEmpty {
      nonce += 1
      let own = left.first?.ownNonce ?? nonce
      let h = clock.tick(wall)
      let plan = try replica.plan(left, writer: tag, h: h, nonce: own)
      let prev = seq == 0 ? head.predecessor?.hash ?? .zero : last
      let entries = replica.seenEntries(since: seen).filter { $0.dot.session != session }
      seq += 1
      let change = Change(
        session: session, seq: seq, head: seq == 1 ? head : nil, prev: prev, h: h, seen: entries,
        nonce: own, group: nil, ops: plan.ops)
      seen = replica.vector
      var mixed = SplitMix64(seed: nonce, stream: "\(name) \(session.low) \(seq)")
      last = ChangeHash(mixed.next(), session.low, seq, nonce)
      let outcome = replica.fold(change, hash: last, events: &events)
      precondition(outcome == .folded, "own change: \(outcome)")
      held.append((change, last))
      created += plan.created
      left = plan.remaining
    }
    return created
  }

  /// One that holds both continuations of its session, which forked behind its second change: one change
  /// here, two of a copy.
  static func forked() throws -> Writer {
    var one = Writer(1)
    for _ in 0..<2 { try one.write([.create([row("a")], parent: .root, at: .bottom)]) }
    var two = one.copied(1)
    try one.write([.create([row("b")], parent: .root, at: .bottom)])
    for _ in 0..<2 { try two.write([.create([row("c")], parent: .root, at: .bottom)]) }
    one.meet(two)
    return one
  }

  /// Folds everything of `other` that is missing here.
  mutating func pull(_ other: Writer) {
    for range in other.replica.missing(from: other.replica.coverage(of: replica.vector)) {
      for (change, hash) in other.held
      where change.session == range.session && (range.first...range.last).contains(change.seq) {
        take(change, hash)
      }
    }
  }

  /// Own and taken changes, in order of arrival.
  private(set) var held: [(Change, ChangeHash)] = []

  mutating func take(_ change: Change, _ hash: ChangeHash) {
    let outcome = replica.fold(change, hash: hash, events: &events)
    // Who does not know a session cannot know what it implies, and sends that once more.
    if outcome == .alreadyCovered { return }
    precondition(outcome == .folded, "\(outcome)")
    _ = clock.observe(change.h, wall)
    held.append((change, hash))
  }

  // MARK: Copies

  /// Another process with the same state, as after a copy of a running machine.
  func copied(_ number: UInt64) -> Writer {
    var twin = self
    twin.copy = number
    var mixed = SplitMix64(seed: nonce, stream: "copy \(number)")
    twin.nonce = mixed.next() >> 8
    return twin
  }

  /// Folds everything of `other` that is missing here, and splits what turns out to be forked.
  mutating func meet(_ other: Writer) {
    var isNew = true
    while isNew { isNew = takeOnce(other) }
  }

  /// - Returns: Whether a session was split, so that there is more to take.
  private mutating func takeOnce(_ other: Writer) -> Bool {
    for tip in other.replica.vector.tips {
      if let mine = replica.tip(of: tip.session), mine.seq == tip.seq, mine.hash != tip.hash {
        return part(from: other, at: tip.hash)
      }
    }
    for range in other.replica.missing(from: other.replica.coverage(of: replica.vector)) {
      for (change, hash) in other.held
      where (range.first...range.last).contains(change.seq)
        && other.replica.line(of: Tip(session: change.session, seq: change.seq, hash: hash))
          == range.session
      {
        let isKnown = change.head?.predecessor.map { tip in held.contains { $0.1 == tip.hash } }
        switch replica.fold(change, hash: hash, isCompared: isKnown ?? true, events: &events) {
        case .unknownHash(let tip): return part(from: other, at: tip.hash)
        case .folded:
          _ = clock.observe(change.h, wall)
          held.append((change, hash))
          if change.session == session { restart() }
        case .alreadyCovered: break
        case .gap, .unknownPredecessor: return false
        case .fork:
          let isHead = change.head != nil && replica.tip(of: change.session) == nil
          return part(from: other, at: isHead ? change.prev : hash)
        case .invalid(let defect): preconditionFailure("\(defect)")
        }
      }
      // What was covered may be so by seq alone: a branch must be compared change by change.
      if let start = other.replica.branchStart(range.session), start == range.first,
        let (_, hash) = other.held.first(where: { held in
          other.replica.line(
            of: Tip(session: held.0.session, seq: held.0.seq, hash: held.1)) == range.session
            && held.0.seq == range.last
        }), !held.contains(where: { $0.1 == hash })
      {
        return part(from: other, at: hash)
      }
    }
    return false
  }

  /// Splits the session of the change `hash` of `other` where its past and this writer's part.
  private mutating func part(from other: Writer, at hash: ChangeHash) -> Bool {
    var at = hash
    while let (change, _) = other.held.first(where: { $0.1 == at }) {
      let (prev, point) = (change.prev, change.seq - 1)
      let session = change.session
      if point == 0 || held.contains(where: { $0.1 == prev }) {
        let name = replica.line(of: Tip(session: session, seq: point, hash: prev)) ?? session
        return split(name, point, session)
      }
      at = prev
    }
    return false
  }

  private mutating func split(_ line: SessionID, _ point: UInt64, _ session: SessionID) -> Bool {
    if splitsByTrail {
      guard let reading = replica.trailReading(of: line, point: point),
        replica.split(reading) != nil
      else { return false }
      if session == self.session { restart() }
      return true
    }
    guard var reading = replica.reading(of: line, point: point) else { return false }
    let own = held.filter { held in
      replica.line(of: Tip(session: held.0.session, seq: held.0.seq, hash: held.1)) == line
    }.sorted { $0.0.seq < $1.0.seq }
    for (change, hash) in own { reading.take(change, hash: hash) }
    guard replica.split(reading) != nil else { return false }
    if session == self.session { restart() }
    return true
  }

  func texts(_ parent: ItemID) -> [String] {
    replica.children(of: parent).map { id in
      if case .text(let text)? = replica.value(of: id, .text) { text.string } else { "?" }
    }
  }
}

func row(_ text: String) -> NewRow { NewRow([(.text, .text(text))]) }
