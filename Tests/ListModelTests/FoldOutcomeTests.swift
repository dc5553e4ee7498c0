// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

/// Where a change does not fit, and what the fold says of it.
@Suite struct FoldOutcomeTests {
  private let device = DeviceID(1, 1, 1, 1)
  private let session = SessionID(high: 1, low: 1)
  private let first = ChangeHash(1, 1, 1, 1)

  private func change(
    _ seq: UInt64, of session: SessionID? = nil, head: SessionHead? = nil, prev: ChangeHash = .zero,
    h: UInt64? = nil, seen: [SeenEntry] = []
  ) -> Change {
    Change(
      session: session ?? self.session, seq: seq, head: head, prev: prev, h: h ?? 100 + seq,
      seen: seen, nonce: 10 + seq, group: nil, ops: [])
  }

  private func head(_ device: DeviceID? = nil, behind tip: Tip? = nil) -> SessionHead {
    SessionHead(device: device ?? self.device, salt: 1, predecessor: tip)
  }

  private func outcome(_ change: Change, _ hash: ChangeHash, _ replica: Replica) -> FoldOutcome {
    var (after, events) = (replica, [] as [ReplicaEvent])
    let outcome = after.fold(change, hash: hash, events: &events)
    #expect(outcome == .folded || after.vector == replica.vector)
    return outcome
  }

  @Test func `each way not to continue a session has its name`() {
    var (replica, events) = (Replica(), [] as [ReplicaEvent])
    #expect(replica.fold(change(1, head: head()), hash: first, events: &events) == .folded)
    let other = ChangeHash(2, 2, 2, 2)
    let new = SessionID(high: 2, low: 2)
    let cases: [(Change, ChangeHash, FoldOutcome)] = [
      (change(0, head: head()), other, .invalid(.limit)),
      (change(UInt64(UInt32.max)), other, .invalid(.limit)),
      (change(1), other, .invalid(.head)), (change(2, head: head()), other, .invalid(.head)),
      (change(1, head: head()), first, .alreadyCovered), (change(1, head: head()), other, .fork),
      (change(3, prev: other), other, .gap(next: 2)), (change(2, prev: other), other, .fork),
      (change(2, prev: first, h: 101), other, .invalid(.clock)),
      (change(2, of: new), other, .gap(next: 1)),
      (change(1, of: new, head: head(), prev: first), other, .invalid(.chain)),
    ]
    for (change, hash, expected) in cases {
      #expect(outcome(change, hash, replica) == expected, "\(change.dot)")
    }
    let tip = Tip(session: session, seq: 1, hash: first)
    let continuing: [(SessionHead, ChangeHash, FoldOutcome)] = [
      (head(behind: tip), first, .folded), (head(behind: tip), other, .invalid(.chain)),
      (head(other: other, behind: tip), first, .invalid(.head)),
      (head(behind: Tip(session: session, seq: 1, hash: other)), other, .fork),
      (head(behind: Tip(session: session, seq: 2, hash: other)), other, .unknownPredecessor),
      (head(behind: Tip(session: new, seq: 2, hash: other)), other, .unknownPredecessor),
      (
        head(behind: Tip(session: session, seq: 1 << 40, hash: other)), other, .unknownPredecessor
      ),
    ]
    for (head, prev, expected) in continuing {
      let change = change(1, of: SessionID(high: 3, low: 3), head: head, prev: prev)
      #expect(outcome(change, other, replica) == expected, "\(head)")
    }
  }

  private func head(other: ChangeHash, behind tip: Tip) -> SessionHead {
    SessionHead(device: DeviceID(9, 9, 9, 9), salt: 1, predecessor: tip)
  }

  @Test func `a branch is no session, and its changes come under the name of that`() throws {
    var one = Writer(1)
    try one.write([.create([row("a")], parent: .root, at: .bottom)])
    var two = one.copied(1)
    try one.write([.create([row("b")], parent: .root, at: .bottom)])
    try two.write([.create([row("c")], parent: .root, at: .bottom)])
    one.meet(two)
    let branches = one.replica.header().sessions.filter { $0.branch != nil }
    #expect(branches.count == 2)
    let tip = try #require(branches.first)
    let named = change(3, of: tip.id, prev: tip.tipHash, h: tip.tipH + 1)
    #expect(outcome(named, first, one.replica) == .invalid(.chain))
    let origin = one.replica.session(ofLine: tip.id)
    let next = change(3, of: origin, prev: tip.tipHash, h: tip.tipH + 1)
    #expect(outcome(next, first, one.replica) == .folded)
    #expect(
      outcome(change(3, of: origin, prev: tip.tipHash, h: 1), first, one.replica)
        == .invalid(.clock))
    // What would be a branch of a name that is taken goes nowhere.
    var replica = one.replica
    var events: [ReplicaEvent] = []
    let taken = SessionID(high: origin.high, low: 77)
    #expect(
      replica.fold(
        change(1, of: taken, head: head()), hash: ChangeHash(8, 8, 8, 8), events: &events)
        == .folded)
    let point = try #require(one.held.first).1
    let third = change(2, of: origin, prev: point, h: 1 << 60)
    #expect(outcome(third, ChangeHash(77, 1, 1, 1), replica) == .invalid(.chain))
    #expect(outcome(third, ChangeHash(78, 1, 1, 1), replica) == .folded)
    let stray = change(9, of: origin, prev: ChangeHash(6, 6, 6, 6))
    #expect(outcome(stray, first, replica) == .gap(next: 2))
  }

  @Test
  func `a session that is forked from its first change on takes no third that continues another`()
    throws
  {
    var one = Writer(1)
    var two = one.copied(1)
    try one.write([.create([row("a")], parent: .root, at: .bottom)])
    try two.write([.create([row("b")], parent: .root, at: .bottom)])
    one.meet(two)
    let forked = try #require(one.held.first).0
    let tip = Tip(session: SessionID(high: 5, low: 5), seq: 1, hash: first)
    let own = try #require(forked.head)
    let head = SessionHead(device: own.device, salt: own.salt, predecessor: tip)
    let third = change(1, of: forked.session, head: head, h: 1 << 60)
    #expect(outcome(third, first, one.replica) == .invalid(.chain))
    #expect(
      outcome(
        change(1, of: forked.session, head: own, h: 1 << 60), ChangeHash(78, 1, 1, 1), one.replica)
        == .folded)
  }

  @Test func `where no hash is in memory a session that goes on there is not taken untold`() throws
  {
    var writer = Writer(1)
    for _ in 0..<3 { try writer.write([.create([row("a")], parent: .root, at: .bottom)]) }
    var header = writer.replica.header()
    var short = SessionParts(header.sessions[0])
    short.trail = ReplicaHeader.Trail(base: 3)
    header.sessions[0] = short.session
    let chunks = (0..<writer.replica.chunkCount).map(writer.replica.chunk(at:))
    var (replica, events) = (try Replica(header: header, chunks: chunks), [] as [ReplicaEvent])
    let (change, hash) = writer.held[1]
    let tip = Tip(session: change.session, seq: 2, hash: hash)
    let next = self.change(
      1, of: SessionID(high: 4, low: 4),
      head: SessionHead(device: try #require(short.head).device, salt: 5, predecessor: tip),
      prev: hash)
    #expect(
      replica.fold(next, hash: first, isCompared: false, events: &events) == .unknownHash(tip))
    #expect(replica.fold(next, hash: first, events: &events) == .folded)
    #expect(outcome(change, ChangeHash(5, 5, 5, 5), replica) == .alreadyCovered)
  }

  @Test func `contexts of changes whose past never comes do not pile up`() {
    var (replica, events) = (Replica(), [] as [ReplicaEvent])
    let lost = SeenEntry(dot: Dot(session: SessionID(high: 9, low: 9), seq: 1), hashPrefix: 1)
    var prev = ChangeHash.zero
    for seq in 1...4_200 as ClosedRange<UInt64> {
      let hash = ChangeHash(seq, 5, 5, 5)
      let change = change(
        seq, head: seq == 1 ? head() : nil, prev: prev, seen: seq == 1 ? [lost] : [])
      #expect(replica.fold(change, hash: hash, events: &events) == .folded)
      prev = hash
    }
    #expect(replica.header().early.count < 200)
  }
}
