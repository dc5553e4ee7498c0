// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// Copied devices: sessions that fork, and what all replicas make of them.
@Suite struct BranchLawTests {
  private static func print(_ replica: Replica) -> Fingerprint {
    var replica = replica
    return replica.fingerprint(sha256: ReplicaOracleTests.hash)
  }

  @Test(arguments: 1...120 as ClosedRange<UInt64>, [false, true])
  func `whoever met all branches shows the same, and every add counts once`(
    seed: UInt64, isByTrail: Bool
  ) throws {
    var home = ForkedHome(seed: seed, isByTrail: isByTrail)
    for _ in 0..<90 { try home.step() }
    home.meetUntilEqual()
    let first = home.writers[0].replica
    first.checkInvariants()
    for (number, writer) in home.writers.enumerated() {
      writer.replica.checkInvariants()
      #expect(writer.replica.vector == first.vector, "writer \(number)")
      #expect(Self.print(writer.replica) == Self.print(first), "writer \(number)")
      #expect(writer.replica.recoveredItems == first.recoveredItems, "writer \(number)")
      for counter in home.counters {
        let total = writer.replica.counterTotal(of: counter, .named(Text("n"))) ?? 0
        #expect(total == home.added[counter] ?? 0, "writer \(number)")
      }
      for item in home.created { #expect(writer.replica.exists(item), "writer \(number)") }
    }
    let chunks = (0..<first.chunkCount).map(first.chunk(at:))
    let again = try Replica(header: first.header(), chunks: chunks)
    again.checkInvariants()
    #expect(again.vector == first.vector)
    #expect(Self.print(again) == Self.print(first))
    #expect(again.recoveredItems == first.recoveredItems)
    let (one, two) = (again.header(), first.header())
    #expect(one.sessions.map(\.tipHash) == two.sessions.map(\.tipHash))
    #expect(one.sessions.map(\.branch) == two.sessions.map(\.branch))
    #expect(Set(one.arrival) == Set(two.arrival))
    #expect(one.deleteContexts == two.deleteContexts)
    for writer in home.writers {
      #expect(again.missing(from: again.coverage(of: writer.replica.vector)).isEmpty)
    }
  }

  @Test func `the laws above are tried on forks of forks and on three branches`() throws {
    var branches: [Int] = []
    for seed in 1...100 as ClosedRange<UInt64> {
      var home = ForkedHome(seed: seed)
      for _ in 0..<90 { try home.step() }
      home.meetUntilEqual()
      let header = home.writers[0].replica.header()
      branches.append(header.sessions.count { $0.branch != nil })
    }
    #expect(branches.contains { $0 == 2 })
    #expect(branches.contains { $0 >= 5 })
    #expect(branches.reduce(0, +) > 200)
  }

  @Test func `a session that never forked has no branch in its image, but its trail`() throws {
    var one = Writer(1)
    var two = Writer(2)
    try one.write([.create([row("a")], parent: .root, at: .bottom)])
    two.pull(one)
    try two.write([.create([row("b")], parent: .root, at: .bottom)])
    one.pull(two)
    #expect(!one.replica.hasForks)
    let sessions = one.replica.header().sessions
    #expect(sessions.allSatisfy { $0.branch == nil })
    #expect(sessions.allSatisfy { UInt64($0.trail.hashes.count) == $0.tipSeq })
    #expect(sessions.reduce(0) { $0 + $1.trail.seen.count } == 1)
  }

  @Test func `continuations that no trail reaches are told apart, and not joined`() throws {
    var one = Writer(1)
    try one.write([.create([row("a")], parent: .root, at: .bottom)])
    var two = one.copied(1)
    for _ in 0..<2 { try one.write([.create([row("b")], parent: .root, at: .bottom)]) }
    for _ in 0..<2 { try two.write([.create([row("c")], parent: .root, at: .bottom)]) }
    let header = two.replica.header()
    let session = header.sessions[0]
    #expect(try one.replica.readiness(for: header) == .splitMine(line: session.id, point: 1))
    var short = header
    short.sessions[0] = ReplicaHeader.Session(
      id: session.id, head: session.head, tipSeq: session.tipSeq, tipHash: session.tipHash,
      tipH: session.tipH, floor: 0, floorHash: .zero, floorH: 0, context: session.context,
      trail: ReplicaHeader.Trail(base: session.tipSeq))
    #expect(try one.replica.readiness(for: short) == .apart(line: session.id))
  }

  @Test func `trails that begin late or stop early tell where lines part, or that they cannot`()
    throws
  {
    var one = Writer(1)
    for _ in 0..<2 { try one.write([.create([row("a")], parent: .root, at: .bottom)]) }
    var two = one.copied(1)
    for _ in 0..<2 { try one.write([.create([row("b")], parent: .root, at: .bottom)]) }
    for _ in 0..<2 { try two.write([.create([row("c")], parent: .root, at: .bottom)]) }
    let whole = two.replica.header()
    func readiness(_ trail: ReplicaHeader.Trail) throws -> Replica.JoinReadiness {
      var (header, session) = (whole, SessionParts(whole.sessions[0]))
      session.trail = trail
      header.sessions[0] = session.session
      return try one.replica.readiness(for: header)
    }
    let (line, hashes) = (whole.sessions[0].id, whole.sessions[0].trail.hashes)
    let late = ReplicaHeader.Trail(base: 1, hashes: Array(hashes[1...]))
    #expect(try readiness(late) == .splitMine(line: line, point: 2))
    let short = ReplicaHeader.Trail(base: 0, hashes: [hashes[0]])
    #expect(try readiness(short) == .apart(line: line))
  }

  @Test(arguments: [(1, 1), (1, 3), (3, 1)])
  func `who holds another continuation of a line holds for certain what came before the line`(
    mine: Int, theirs: Int
  ) throws {
    var one = Writer(1)
    try one.write([.create([row("a")], parent: .root, at: .bottom)])
    one.restart()
    try one.write([.create([row("b")], parent: .root, at: .bottom)])
    var two = one.copied(1)
    for _ in 0..<mine { try one.write([.create([row("c")], parent: .root, at: .bottom)]) }
    for _ in 0..<theirs { try two.write([.create([row("d")], parent: .root, at: .bottom)]) }
    let (before, line) = (one.held[0].0, one.held[1].0)
    let held = one.replica.coverage(of: two.replica.vector)
    #expect(one.replica.contains(before.dot, held))
    if mine >= theirs {
      #expect(!one.replica.contains(line.dot, held) && held.isAhead)
      // So nothing of the line leaves the log on its word.
      let all = one.replica.leavable(heldBy: [held])
      #expect(all == [SessionRange(session: before.session, first: 1, last: 1)])
    }
  }

  @Test func `who holds a third continuation holds no more than what came before`() throws {
    var one = Writer(1)
    try one.write([.create([row("a")], parent: .root, at: .bottom)])
    one.restart()
    var two = one.copied(1)
    for _ in 0..<3 { try one.write([.create([row("b")], parent: .root, at: .bottom)]) }
    try two.write([.create([row("c")], parent: .root, at: .bottom)])
    var three = two.copied(2)
    for _ in 0..<4 { try two.write([.create([row("d")], parent: .root, at: .bottom)]) }
    try three.write([.create([row("e")], parent: .root, at: .bottom)])
    three.meet(one)
    one.meet(two)
    // Both name the branch of the second writer, and mean different changes by it.
    let branch = branchName(of: two.held[1].0.session, from: two.held[1].1)
    let named = [one.replica.tip(of: branch), three.replica.tip(of: branch)]
    #expect(named.map { $0?.seq } == [5, 2])
    let held = one.replica.coverage(of: three.replica.vector)
    #expect(held.isAhead && !one.replica.contains(Dot(session: branch, seq: 1), held))
    #expect(one.replica.contains(one.held[0].0.dot, held))
    // The same where it parts before a fork that is known here.
    var origin = Writer(4)
    for _ in 0..<3 { try origin.write([.create([row("f")], parent: .root, at: .bottom)]) }
    var other = origin.copied(1)
    try origin.write([.create([row("g")], parent: .root, at: .bottom)])
    try other.write([.create([row("h")], parent: .root, at: .bottom)])
    origin.meet(other)
    let first = origin.held[0].0.dot
    let third = VersionVector(
      tips: [Tip(session: first.session, seq: 2, hash: ChangeHash(9, 9, 9, 9))])
    #expect(!origin.replica.contains(first, origin.replica.coverage(of: third)))
  }

  @Test func `nothing continues a session of which nothing is held`() throws {
    var (one, two) = (Writer(1), Writer(2))
    try one.write([.create([row("a")], parent: .root, at: .bottom)])
    two.pull(one)
    try two.write([.create([row("b")], parent: .root, at: .bottom)])
    // It knows the first session by its name alone.
    var replica = Replica()
    let (change, hash) = two.held[1]
    #expect(replica.fold(change, hash: hash, events: &two.events) == .folded)
    let tip = try #require(one.replica.tip(of: one.held[0].0.session))
    #expect(replica.continuation(of: tip) == nil)
    #expect(one.replica.continuation(of: tip) == tip)
  }

  @Test(arguments: [
    (tip: 2, base: 1 << 33, hashes: 0), (tip: 2, base: Int(UInt32.max), hashes: 0),
    (tip: 1, base: 2, hashes: 1), (tip: 2, base: 1, hashes: 2),
    (tip: Int(UInt32.max), base: 0, hashes: 0),
  ])
  func `seqs that contradict each other are refused before they are reckoned with`(
    tip: Int, base: Int, hashes: Int
  ) throws {
    var one = Writer(1)
    for _ in 0..<3 { try one.write([.create([row("a")], parent: .root, at: .bottom)]) }
    var header = one.replica.header()
    let session = header.sessions[0]
    header.sessions[0] = ReplicaHeader.Session(
      id: session.id, head: session.head, tipSeq: UInt64(tip), tipHash: ChangeHash(7, 7, 7, 7),
      tipH: session.tipH, floor: 0, floorHash: .zero, floorH: 0, context: session.context,
      trail: ReplicaHeader.Trail(
        base: UInt64(base), hashes: (0..<hashes).map { UInt64($0) + 9 }))
    #expect(throws: ImageDefect.self) { try one.replica.readiness(for: header) }
    var events: [ReplicaEvent] = []
    #expect(throws: ImageDefect.self) { try one.replica.join(header, [], events: &events) }
  }

  @Test func `what came before its trail is nothing that a trail may tell`() throws {
    var one = Writer(1)
    try one.write([.create([row("a")], parent: .root, at: .bottom)])
    var header = one.replica.header()
    let session = header.sessions[0]
    header.sessions[0] = ReplicaHeader.Session(
      id: session.id, head: session.head, tipSeq: 1, tipHash: session.tipHash,
      tipH: session.tipH, floor: 0, floorHash: .zero, floorH: 0, context: session.context,
      trail: ReplicaHeader.Trail(
        base: 1, hashes: [],
        adds: [.init(seq: 1, item: ItemID(nonce: 1, index: 0), field: .named("left"), delta: 1)]))
    var other = Replica()
    var events: [ReplicaEvent] = []
    let chunks = (0..<one.replica.chunkCount).map(one.replica.chunk(at:))
    #expect(throws: ImageDefect.self) { try other.join(header, chunks, events: &events) }
  }
}

/// Writers of which some are copies of each other, still writing in one session.
struct ForkedHome {
  private(set) var writers: [Writer] = (1...3).map { Writer($0) }
  private(set) var created: [ItemID] = []
  private(set) var counters: [ItemID] = []
  private(set) var added: [ItemID: Int64] = [:]
  private var random: SplitMix64
  private var copies: UInt64 = 0

  /// - Parameter isByTrail: Whether every second writer splits sessions without reading their log.
  init(seed: UInt64, isByTrail: Bool = false) {
    random = SplitMix64(seed: seed, stream: "forks")
    for at in writers.indices { writers[at].splitsByTrail = isByTrail && at % 2 == 0 }
  }

  mutating func step() throws {
    let at = random.below(writers.count)
    switch random.below(20) {
    case 0 where writers.count < 6:
      copies += 1
      writers.append(writers[at].copied(copies))
    case 1: writers[at].restart()
    case 2...7:
      let other = random.below(writers.count)
      if other != at { writers[at].meet(writers[other]) }
    default: try write(at)
    }
  }

  /// Everybody meets everybody until nothing moves.
  mutating func meetUntilEqual() {
    for _ in 0..<40 {
      let before = writers.map(\.replica.vector)
      for one in writers.indices {
        for two in writers.indices where one != two { writers[one].meet(writers[two]) }
      }
      if writers.map(\.replica.vector) == before { return }
    }
  }

  private mutating func write(_ at: Int) throws {
    let replica = writers[at].replica
    let known = replica.allItems.sorted().filter { replica.status(of: $0) == .visible }
    writers[at].wall = WallTime(milliseconds: writers[at].wall.milliseconds + 1)
    guard !known.isEmpty, random.chance(75) else {
      let place = parent(known)
      let items = try writers[at].write([.create([row("x")], parent: place, at: .bottom)])
      created += items
      if let item = items.first, random.chance(30) { counters.append(item) }
      return
    }
    let item = random.pick(known)
    let counted = counters.filter(known.contains)
    switch random.below(4) {
    case 0 where !counted.isEmpty:
      let counter = random.pick(counted)
      let delta = Int64(random.below(100)) - 30
      try writers[at].write([.increment(counter, .named(Text("n")), by: delta)])
      added[counter, default: 0] += delta
    case 1: try writers[at].write([.setAlive(item, false)])
    case 2:
      let target = parent(known)
      do { try writers[at].write([.move([item], parent: target, at: .top)]) } catch EditError
        .insideItself
      { return }
    default: try writers[at].write([.set(item, .text, .text(Text("v\(random.below(9))")))])
    }
  }

  private mutating func parent(_ known: [ItemID]) -> ItemID {
    known.isEmpty || random.chance(40) ? .root : random.pick(known)
  }
}
