// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

/// The trail that every line keeps of its newest changes (decision 29): what it tells, and how far back.
@Suite struct TrailTests {
  private static let field = FieldName.named("n")

  private static func adds(_ count: Int) -> [Op] {
    (0..<count).map {
      .add(item: ItemID(nonce: 77, index: UInt32($0)), field: field, delta: 1)
    }
  }

  private static func trail(_ replica: Replica, _ session: SessionID) throws -> ReplicaHeader.Trail
  {
    try #require(replica.header().sessions.first { $0.id == session }).trail
  }

  private static func reread(_ replica: Replica) throws -> Replica {
    let chunks = (0..<replica.chunkCount).map(replica.chunk(at:))
    return try Replica(header: replica.header(), chunks: chunks)
  }

  /// The header of `replica`, as one whose trail of `session` begins behind `base` would have it.
  private static func header(
    of replica: Replica, _ session: SessionID, behind base: UInt64
  ) throws -> ReplicaHeader {
    var header = replica.header()
    let at = try #require(header.sessions.firstIndex { $0.id == session })
    var parts = SessionParts(header.sessions[at])
    parts.trail = ReplicaHeader.Trail(
      base: base, hashes: Array(parts.trail.hashes.dropFirst(Int(base))),
      adds: parts.trail.adds.filter { $0.seq > base },
      seen: parts.trail.seen.filter { $0.seq > base })
    header.sessions[at] = parts.session
    return header
  }

  // MARK: Limits

  @Test func `of too many adds the older half leaves the trail, and the rest still splits`() throws
  {
    var line = Line()
    for _ in 0..<18 { line.write(Self.adds(1_000)) }
    let trail = try Self.trail(line.replica, line.session)
    #expect(trail.base == 9 && trail.hashes.count == 9)
    #expect(trail.adds.count == 9_000 && trail.adds.allSatisfy { $0.seq > 9 })
    #expect(line.replica.trailReading(of: line.session, point: 8) == nil)
    let reading = try #require(line.replica.trailReading(of: line.session, point: 12))
    let made = line.replica.split(reading)
    let branch = try #require(made)
    line.replica.checkInvariants()
    #expect(line.replica.counterTotal(of: ItemID(nonce: 77, index: 3), Self.field) == 18)
    let chunk = line.replica.chunk(at: 0)
    let sums = chunk.counters.filter { $0.row == 3 }
      .map { (chunk.sessions[Int($0.session)], $0.total) }
    #expect(sums.count == 2)
    #expect(sums.contains { $0 == (line.session, 12) } && sums.contains { $0 == (branch, 6) })
  }

  @Test func `of too much that was seen the older half leaves the trail`() throws {
    var line = Line()
    for seq in 1...18 as ClosedRange<UInt64> {
      let seen = (0..<1_000).map {
        SeenEntry(
          dot: Dot(session: SessionID(high: 9, low: $0), seq: seq), hashPrefix: UInt32(seq))
      }
      line.write([], seen: seen)
    }
    let trail = try Self.trail(line.replica, line.session)
    #expect(trail.base == 9 && trail.hashes.count == 9)
    #expect(trail.seen.count == 9_000 && trail.seen.allSatisfy { $0.seq > 9 })
    #expect(try Self.trail(Self.reread(line.replica), line.session) == trail)
  }

  @Test func `an add that was folded after its change had left the trail is none of it`() throws {
    var line = Line(level: FoldLevel(kinds: [1, 2, 3, 4, 5]))
    line.write(Self.adds(1))
    for _ in 0..<3 { line.write([]) }
    let chunks = (0..<line.replica.chunkCount).map(line.replica.chunk(at:))
    let header = try Self.header(of: line.replica, line.session, behind: 3)
    var replica = try Replica(header: header, chunks: chunks)
    var events: [ReplicaEvent] = []
    #expect(replica.foldWaiting(events: &events) { _ in line.held[0].0 } == 1)
    #expect(replica.counterTotal(of: ItemID(nonce: 77, index: 0), Self.field) == 1)
    #expect(try Self.trail(replica, line.session).adds == [])
    // What an image tells of changes before its trail is refused.
    #expect(throws: Never.self) { _ = try Self.reread(replica) }
  }

  @Test func `what is folded late makes no trail longer than an image may have it`() throws {
    var line = Line(level: FoldLevel(kinds: [1, 2, 3, 4, 5]))
    for _ in 0..<3 { line.write(Self.adds(12_000)) }
    var events: [ReplicaEvent] = []
    let folded = line.replica.foldWaiting(events: &events) { [line] bytes in
      line.held[Int(bytes[0]) - 1].0
    }
    #expect(folded == 36_000)
    let trail = try Self.trail(line.replica, line.session)
    #expect(trail.adds.count <= ReplicaHeader.Trail.detailsMax)
    #expect(trail.adds.allSatisfy { $0.seq > trail.base })
    line.replica.checkInvariants()
  }

  // MARK: Joins and floors

  @Test func `a trail grows by that of a snapshot which begins inside it`() throws {
    var (one, two) = (Writer(1), Writer(2))
    try two.write([.create([row("b")], parent: .root, at: .bottom)])
    one.pull(two)
    let list = try one.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    for _ in 0..<2 { try one.write([.increment(list, Self.field, by: 5)]) }
    var joined = one.replica
    try two.write([.create([row("c")], parent: .root, at: .bottom)])
    one.pull(two)
    for _ in 0..<2 { try one.write([.increment(list, Self.field, by: 1)]) }
    let session = one.held[1].0.session
    let whole = try Self.trail(one.replica, session)
    #expect(whole.base == 0 && whole.adds.count == 4 && whole.seen.map(\.seq) == [1, 4])
    let header = try Self.header(of: one.replica, session, behind: 2)
    var events: [ReplicaEvent] = []
    let chunks = (0..<one.replica.chunkCount).map(one.replica.chunk(at:))
    try joined.join(header, chunks, events: &events)
    #expect(try Self.trail(joined, session) == whole)
    // So it is split as far back as before.
    let reading = try #require(joined.trailReading(of: session, point: 2))
    let branch = joined.split(reading)
    #expect(branch == branchName(of: session, from: ChangeHash(whole.hashes[2], 0, 0, 0)))
    joined.checkInvariants()
    #expect(joined.counterTotal(of: list, Self.field) == 12)
  }

  @Test func `what a branch had added by the floor is told from what it added since`() throws {
    var one = Writer(1)
    let list = try one.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    var twin = one.copied(1)
    for delta in [5, 2, 1] as [Int64] { try one.write([.increment(list, Self.field, by: delta)]) }
    for (change, hash) in one.held.prefix(3) {
      let hasMoved = one.replica.passFloor(change, hash: hash)
      #expect(hasMoved)
    }
    let session = one.held[0].0.session
    let reading = try #require(one.replica.trailReading(of: session, point: 1))
    let made = one.replica.split(reading)
    let branch = try #require(made)
    one.replica.checkInvariants()
    let held = try #require(one.replica.addedAtFloor(list, Self.field, by: branch))
    #expect(held == (7, 3))
    #expect(one.replica.addedAtFloor(list, Self.field, by: session) == nil)
    #expect(one.replica.counterTotal(of: list, Self.field) == 8)
    let again = try Self.reread(one.replica)
    #expect(try #require(again.addedAtFloor(list, Self.field, by: branch)) == (7, 3))
    try twin.write([.increment(list, Self.field, by: 100)])
    let (change, hash) = twin.held[1]
    #expect(one.replica.fold(change, hash: hash, events: &one.events) == .folded)
    #expect(one.replica.counterTotal(of: list, Self.field) == 108)
  }

  @Test func `below floor and trail an author had seen what has left every log`() throws {
    var (one, two) = (Writer(1), Writer(2))
    let list = try two.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let child = try two.write([.create([row("child")], parent: list, at: .bottom)])[0]
    one.pull(two)
    for _ in 0..<2 { try one.write([.create([row("own")], parent: .root, at: .bottom)]) }
    var twin = one.copied(1)
    var keeper = one.replica
    for (change, hash) in one.held {
      let hasMoved = keeper.passFloor(change, hash: hash)
      #expect(hasMoved)
    }
    let session = one.held[2].0.session
    let chunks = (0..<keeper.chunkCount).map(keeper.chunk(at:))
    keeper = try Replica(header: Self.header(of: keeper, session, behind: 2), chunks: chunks)
    try one.write([.create([row("more")], parent: .root, at: .bottom)])
    try twin.write([.setAlive(list, false)])
    // One that has all of the log, and one that has only what came after the floor.
    let (mine, theirs) = (one.held[4], twin.held[4])
    one.meet(twin)
    #expect(one.replica.status(of: child) == .hidden)
    var events: [ReplicaEvent] = []
    #expect(keeper.fold(mine.0, hash: mine.1, events: &events) == .folded)
    #expect(keeper.fold(theirs.0, hash: theirs.1, events: &events) == .fork)
    var reading = try #require(keeper.reading(of: session, point: 2))
    reading.take(mine.0, hash: mine.1)
    let branch = keeper.split(reading)
    #expect(branch == branchName(of: session, from: mine.1))
    #expect(keeper.fold(theirs.0, hash: theirs.1, events: &events) == .folded)
    keeper.checkInvariants()
    #expect(keeper.vector == one.replica.vector)
    #expect(keeper.status(of: child) == .hidden)
    #expect(keeper.recoveredItems == one.replica.recoveredItems)
  }
}

/// One session, written change by change with ops as they come.
private struct Line {
  let session = SessionID(high: 5, low: 5)
  let level: FoldLevel
  var replica = Replica()
  private(set) var held: [(Change, ChangeHash)] = []

  init(level: FoldLevel = .current) { self.level = level }

  mutating func write(_ ops: [Op], seen: [SeenEntry] = []) {
    let seq = UInt64(held.count) + 1
    let head = SessionHead(device: DeviceID(5, 5, 5, 5), salt: 5, predecessor: nil)
    let change = Change(
      session: session, seq: seq, head: seq == 1 ? head : nil, prev: held.last?.1 ?? .zero,
      h: 1_800_000_000_000 << 16 + seq, seen: seen, nonce: seq, group: nil, ops: ops)
    let hash = ChangeHash(seq << 40 | 0xAB, 1, 2, seq)
    var events: [ReplicaEvent] = []
    let outcome = replica.fold(
      change.read(at: level), hash: hash, bytes: [UInt8(seq)], events: &events)
    #expect(outcome == .folded)
    held.append((change, hash))
  }
}
