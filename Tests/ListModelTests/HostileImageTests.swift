// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// Headers and chunks of a liar: refused or joined, never a trap, and never half.
@Suite struct HostileImageTests {
  private static func image(_ replica: Replica) -> (header: ReplicaHeader, chunks: [ItemChunk]) {
    (replica.header(), (0..<replica.chunkCount).map(replica.chunk(at:)))
  }

  @Test(arguments: 1...300 as ClosedRange<UInt64>)
  func `no lie in an image traps, and what was joined can be read back`(seed: UInt64) throws {
    let (sender, receiver) = try Liar.home(seed: seed % 40)
    let honest = Self.image(sender.replica)
    var liar = Liar(seed: seed)
    for _ in 0..<8 {
      var (header, chunks) = honest
      for _ in 0...liar.random.below(3) { liar.lie(&header, &chunks) }
      for target in [receiver.replica, Replica(chunkCapacity: 4)] {
        _ = try? target.readiness(for: header)
        var joined = target
        var events: [ReplicaEvent] = []
        do throws(ImageDefect) {
          try joined.join(header, chunks, events: &events)
        } catch {
          #expect(joined.vector == target.vector)
          continue
        }
        use(joined, sender, &liar.random)
      }
    }
  }

  /// A session that forked behind its second change, as one header has it.
  private static func forked() throws -> (Writer, ReplicaHeader, branch: Int) {
    let one = try Writer.forked()
    let header = one.replica.header()
    return (one, header, try #require(header.sessions.firstIndex { $0.branch?.hashes.count == 2 }))
  }

  private static func isRefused(_ header: ReplicaHeader, _ chunks: [ItemChunk]) -> Bool {
    var replica = Replica()
    var events: [ReplicaEvent] = []
    return (try? replica.join(header, chunks, events: &events)) == nil
  }

  @Test func `a branch that continues itself is refused, and nobody walks it for ever`() throws {
    let (writer, honest, at) = try Self.forked()
    let chunks = Self.image(writer.replica).chunks
    #expect(!Self.isRefused(honest, chunks))
    var header = honest
    var branch = SessionParts(honest.sessions[at])
    let head = try #require(branch.head)
    let origin = honest.sessions[Int(try #require(branch.branch).origin)].id
    branch.head = SessionHead(
      device: head.device, salt: head.salt,
      predecessor: Tip(session: origin, seq: branch.tipSeq, hash: branch.tipHash))
    header.sessions[at] = branch.session
    // Somebody has seen that change under the name of the session.
    header.contexts.append(
      .init(
        base: branch.context,
        entries: [
          .init(
            session: UInt32(header.sessions.firstIndex { $0.id == origin } ?? 0),
            seen: branch.tipSeq << 32 | UInt64(branch.tipHash.prefix32))
        ]))
    branch.context = UInt32(header.contexts.count)
    header.sessions[at] = branch.session
    #expect(Self.isRefused(header, chunks))
  }

  @Test func `hashes of one change that differ in one header are refused`() throws {
    let (writer, honest, at) = try Self.forked()
    let chunks = Self.image(writer.replica).chunks
    for number in honest.sessions.indices where honest.sessions[number].tipSeq > 0 {
      var (tip, floor) = (honest, honest)
      var lie = SessionParts(honest.sessions[number])
      lie.tipHash = ChangeHash(5, 5, 5, 5)
      tip.sessions[number] = lie.session
      #expect(Self.isRefused(tip, chunks), "the tip of \(number)")
      lie = SessionParts(honest.sessions[number])
      (lie.floor, lie.floorHash, lie.floorH) = (lie.tipSeq, ChangeHash(5, 5, 5, 5), 1)
      floor.sessions[number] = lie.session
      #expect(Self.isRefused(floor, chunks), "the floor of \(number)")
    }
    #expect(honest.sessions[at].branch?.hashes.last == honest.sessions[at].tipHash.a)
  }

  @Test func `a branch that is another one in the header than here is refused`() throws {
    var one = Writer(1)
    for _ in 0..<2 { try one.write([.create([row("a")], parent: .root, at: .bottom)]) }
    var two = one.copied(1)
    try one.write([.create([row("b")], parent: .root, at: .bottom)])
    try two.write([.create([row("c")], parent: .root, at: .bottom)])
    one.meet(two)
    let receiver = one.replica
    try two.write([.create([row("c")], parent: .root, at: .bottom)])
    one.meet(two)
    let (honest, chunks) = Self.image(one.replica)
    let at = try #require(honest.sessions.firstIndex { $0.branch?.hashes.count == 2 })
    let branch = try #require(honest.sessions[at].branch)
    func isRefused(_ body: (inout ReplicaHeader, inout SessionParts) -> Void) -> Bool {
      var (header, parts, joined) = (honest, SessionParts(honest.sessions[at]), receiver)
      body(&header, &parts)
      header.sessions[at] = parts.session
      var events: [ReplicaEvent] = []
      if (try? joined.join(header, chunks, events: &events)) != nil { return false }
      return joined.vector == receiver.vector && joined.header() == receiver.header()
    }
    #expect(!isRefused { _, _ in })
    let longer = ReplicaHeader.Branch(
      origin: branch.origin, base: 1, hashes: [branch.hashes[0]] + branch.hashes)
    #expect(
      isRefused { header, parts in
        parts.branch = longer
        parts.head = parts.head.map {
          SessionHead(
            device: $0.device, salt: $0.salt,
            predecessor: $0.predecessor.map { Tip(session: $0.session, seq: 1, hash: $0.hash) })
        }
      }, "it begins elsewhere")
    #expect(
      isRefused { header, parts in
        parts.branch = longer
        header.arrival.removeAll { $0 == UInt32(at) }
      }, "and has not arrived")
    #expect(isRefused { $1.branch = nil }, "it is a session")
    #expect(
      isRefused { $1.trail = ReplicaHeader.Trail(base: 3, hashes: [7]) }, "its hashes come twice")
  }

  @Test func `of contexts of early changes no header has more than the limit`() throws {
    let (writer, honest, _) = try Self.forked()
    let chunks = Self.image(writer.replica).chunks
    let at = try #require(honest.sessions.firstIndex { $0.tipSeq > 0 })
    var header = honest
    let one = ReplicaHeader.SeenBy(session: UInt32(at), seq: 1, context: 0)
    header.early = Array(repeating: one, count: ReplicaHeader.earlyMax)
    #expect(!Self.isRefused(header, chunks))
    header.early.append(one)
    #expect(Self.isRefused(header, chunks))
  }

  @Test func `a checkpoint in which something that shows hangs under a cold item is void`() throws {
    var writer = Writer(1)
    let lists = try writer.write([.create([row("a"), row("b")], parent: .root, at: .bottom)])
    try writer.write([.setAlive(lists[0], false)])
    for (change, hash) in writer.held { _ = writer.replica.passFloor(change, hash: hash) }
    #expect(writer.replica.freeze(atLeast: 1) == 1)
    var (header, chunks) = Self.image(writer.replica)
    #expect(try Replica(header: header, chunks: chunks).isCold(lists[0]))
    let last = chunks.count - 1
    #expect(chunks[last].ids == [lists[1]])
    chunks[last].parents[0] = lists[0]
    #expect(throws: ImageDefect.value) { _ = try Replica(header: header, chunks: chunks) }
    chunks[last].parents[0] = .root
    chunks[last].ids[0] = .recovered
    #expect(throws: ImageDefect.value) { _ = try Replica(header: header, chunks: chunks) }
  }

  @Test func `cells by changes that the sender does not hold are refused`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("a")], parent: .root, at: .bottom)])[0]
    try writer.write([.increment(list, .named("n"), by: 4), .setAlive(list, false)])
    let (honest, chunks) = Self.image(writer.replica)
    #expect(!Self.isRefused(honest, chunks))
    var stamped = chunks
    stamped[0].stamps[0] = .init(session: 0, seq: 3, h: chunks[0].stamps[0].h, op: 0)
    #expect(Self.isRefused(honest, stamped))
    var counted = chunks
    counted[0].counters[0] = .init(row: 0, field: .named("n"), session: 0, total: 4, seq: 3)
    #expect(Self.isRefused(honest, counted))
    var deleted = honest
    deleted.deleteContexts[0] = .init(session: 0, seq: 3, context: 1)
    #expect(Self.isRefused(deleted, chunks))
    // Nor does a session come twice, or without having seen its own changes.
    var twice = honest
    twice.sessions.append(honest.sessions[0])
    #expect(Self.isRefused(twice, chunks))
    var blind = honest
    var session = SessionParts(honest.sessions[0])
    session.context = 0
    blind.sessions[0] = session.session
    #expect(Self.isRefused(blind, chunks))
  }

  @Test func `a snapshot that leaves out what its vector covers keeps nothing behind`() throws {
    var one = Writer(1)
    let list = try one.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    var two = Writer(2)
    two.pull(one)
    try one.write([.set(list, .text, .text("new")), .increment(list, .named("n"), by: 1)])
    try one.write([.setAlive(list, false), .increment(list, .named("n"), by: 1)])
    for (change, hash) in one.held.prefix(2) {
      let hasMoved = one.replica.passFloor(change, hash: hash)
      #expect(hasMoved)
    }
    try one.write([.set(list, .text, .text("newest")), .increment(list, .named("n"), by: 1)])
    #expect(one.replica.floorCellCount == 2)
    two.pull(one)
    for (change, hash) in two.held { _ = two.replica.passFloor(change, hash: hash) }
    var (header, chunks) = Self.image(two.replica)
    (chunks[0].fields, chunks[0].counters, chunks[0].life) = ([], [], [0])
    var events: [ReplicaEvent] = []
    try one.replica.join(header, chunks, events: &events)
    one.replica.checkInvariants()
    one.replica.freeze(atLeast: 1)
    (header, chunks) = Self.image(one.replica)
    #expect(throws: Never.self) { _ = try Replica(header: header, chunks: chunks) }
  }

  @Test func `waiting bytes of another change fold nothing, before the floor and behind it`() throws
  {
    let old = FoldLevel(kinds: [1, 2, 3, 4, 5])
    var writer = Writer(1)
    let list = try writer.write([.create([row("a")], parent: .root, at: .bottom)])[0]
    try writer.write([.increment(list, .named("n"), by: 4)])
    var behind = Replica()
    var events: [ReplicaEvent] = []
    for (change, hash) in writer.held {
      _ = behind.fold(change.read(at: old), hash: hash, bytes: [9], events: &events)
    }
    let chunks = Self.image(behind).chunks
    // No bytes of a change, those of another one, and one that no replica takes.
    var invalid = writer.held[1].0
    invalid.ops = [
      .create(
        firstIndex: 0, count: 0, parent: .root, firstKey: PositionKey(bytes: []), columns: [])
    ]
    for lie in [nil, writer.held[0].0, invalid] {
      var newcomer = Replica()
      try newcomer.join(behind.header(), chunks, events: &events)
      #expect(newcomer.foldWaiting(events: &events) { _ in lie } == 0)
      #expect(newcomer.waitingOps == 1)
      var known = writer.replica
      try known.join(behind.header(), chunks, events: &events)
      #expect(known.foldWaiting(events: &events) { _ in lie } == 0)
      #expect(known.waitingOps == 0 && known.counterTotal(of: list, .named("n")) == 4)
      known.checkInvariants()
    }
  }

  /// All that an agent does with a replica after a join.
  private func use(_ joined: Replica, _ sender: Writer, _ random: inout SplitMix64) {
    var joined = joined
    var events: [ReplicaEvent] = []
    joined.checkInvariants()
    if random.chance(50) { joined.settleLog() } else { joined.forgoLog() }
    _ = joined.foldWaiting(events: &events) { bytes in
      sender.held.first { $0.0.seq == UInt64(bytes.first ?? 1) }?.0
    }
    _ = joined.missing(from: joined.coverage(of: sender.replica.vector))
    for line in joined.header().sessions {
      for point in [line.tipSeq / 2, line.tipSeq &- 1] {
        if let reading = joined.trailReading(of: line.id, point: point), random.chance(20) {
          _ = joined.split(reading)
        }
      }
    }
    for (change, hash) in sender.held {
      _ = joined.fold(change, hash: hash, bytes: [1], events: &events)
      if random.chance(20) { _ = joined.passFloor(change, hash: hash) }
    }
    joined.freeze(atLeast: 1)
    if let device = sender.replica.header().sessions.first?.head?.device {
      let cutoff = Cutoff(device: device, tips: [])
      if var reading = joined.cutting([cutoff]) {
        for (change, hash) in sender.held {
          _ = joined.read(change, hash: hash, of: change.session, into: &reading)
        }
        if joined.isCurrent(reading), joined.unread(reading).isEmpty { _ = joined.cut(reading) }
      }
    }
    _ = joined.recoveredItems
    _ = FloorHome.print(joined)
    let (header, chunks) = Self.image(joined)
    #expect(throws: Never.self) {
      _ = try Replica(header: header, chunks: chunks, chunkCapacity: joined.chunkCapacity)
    }
    var writer = Writer(77)
    writer.replica = joined
    _ = try? writer.write([.create([row("own")], parent: .root, at: .top)])
    for item in joined.allItems.sorted().prefix(3) {
      _ = try? writer.write([.set(item, .text, .text("mine")), .setAlive(item, false)])
    }
  }
}
