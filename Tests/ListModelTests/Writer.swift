// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

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
    guard seq > 0 else { return }
    let tip = Tip(session: session, seq: seq, hash: last)
    head = SessionHead(device: head.device, salt: head.salt + 1, predecessor: tip)
    session = SessionID(high: session.high, low: session.low + 1)
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
      last = ChangeHash(UInt64(name), session.low, seq, nonce)
      let outcome = replica.fold(change, hash: last, events: &events)
      precondition(outcome == .folded, "own change: \(outcome)")
      held.append((change, last))
      created += plan.created
      left = plan.remaining
    }
    return created
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

  func texts(_ parent: ItemID) -> [String] {
    replica.children(of: parent).map { id in
      if case .text(let text)? = replica.value(of: id, .text) { text.string } else { "?" }
    }
  }
}

func row(_ text: String) -> NewRow { NewRow([(.text, .text(text))]) }
