// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// Property 33: a replica whose dead items become cold as soon as they may shows at every step what
/// one shows that never freezes anything, and tells of the same.
@Suite struct ColdLawTests {
  /// A replica that freezes and one that does not, fed alike.
  private struct Twins {
    var warm = Replica(chunkCapacity: 4)
    var cold = Replica(chunkCapacity: 4)
    var frozen = 0
    var thawed = 0

    /// - Returns: What differed.
    mutating func fold(_ entry: RandomHistory.Entry) -> String? {
      var told: [ReplicaEvent] = []
      var toldCold: [ReplicaEvent] = []
      let before = cold.coldItemCount
      let one = warm.fold(entry.change, hash: entry.hash, events: &told)
      let two = cold.fold(entry.change, hash: entry.hash, events: &toldCold)
      thawed += before - cold.coldItemCount
      return one != two || told != toldCold ? "\(told), not \(toldCold)" : nil
    }

    mutating func pass(_ entry: RandomHistory.Entry) {
      let isNext = warm.passFloor(entry.change, hash: entry.hash)
      precondition(cold.passFloor(entry.change, hash: entry.hash) == isNext)
      frozen += cold.freeze(atLeast: 1)
    }

    mutating func restart() throws {
      let chunks = (0..<cold.chunkCount).map(cold.chunk(at:))
      cold = try Replica(header: cold.header(), chunks: chunks, chunkCapacity: 4)
    }

    func differences(_ items: [ItemID]) -> [String] {
      cold.checkInvariants()
      var out: [String] = []
      if FloorHome.print(warm) != FloorHome.print(cold) { out.append("the fingerprint") }
      if warm.recoveredItems != cold.recoveredItems { out.append("Recovered") }
      if warm.vector != cold.vector || warm.floorTips != cold.floorTips { out.append("the floor") }
      if warm.itemCount != cold.itemCount { out.append("the count of items") }
      for item in items {
        if warm.status(of: item) != cold.status(of: item) { out.append("status of \(item)") }
        if warm.exists(item) != cold.exists(item) { out.append("\(item) exists") }
        if warm.status(of: item) == .visible, warm.children(of: item) != cold.children(of: item) {
          out.append("children of \(item)")
        }
        // What is above an item in the columns is in the columns.
        if !cold.isCold(item), let parent = cold.spot(of: item)?.parent, cold.isCold(parent) {
          out.append("\(item) hangs under a cold one")
        }
      }
      let again = cold.thawed
      again.checkInvariants()
      if ImageLook(again) != ImageLook(warm) { out.append("the cells once thawed") }
      return out
    }
  }

  /// All cells of a replica, without ordinals.
  private struct ImageLook: Equatable {
    var items: [ItemID: [String]] = [:]
    var deletes: Set<String> = []

    init(_ replica: Replica) {
      let header = replica.header()
      for delete in header.deleteContexts {
        let seen = header.seen(delete.context).map { "\($0) \($1)" }.sorted()
        deletes.insert("\(header.sessions[Int(delete.session)].id) \(delete.seq) \(seen)")
      }
      for number in 0..<replica.chunkCount { add(replica.chunk(at: number)) }
    }

    private mutating func add(_ chunk: ItemChunk) {
      func stamp(_ number: UInt32) -> String {
        if number == 0 { return "-" }
        let row = chunk.stamps[Int(number) - 1]
        return "\(chunk.sessions[Int(row.session)]) \(row.seq) \(row.h) \(row.op)"
      }
      for at in chunk.ids.indices {
        items[chunk.ids[at]] = [
          stamp(chunk.create[at]), stamp(chunk.place[at]), stamp(chunk.life[at]),
          "\(chunk.dead[at]) \(chunk.parents[at]) \(chunk.keys[at])",
        ]
      }
      for cells in chunk.fields {
        for (at, row) in cells.rows.enumerated() {
          items[chunk.ids[Int(row)]]?.append(
            "\(cells.name) \(stamp(cells.stamps[at])) \(cells.values[at])")
        }
      }
      for cell in chunk.counters + chunk.floorCounters {
        items[chunk.ids[Int(cell.row)]]?.append(
          "\(cell.field) \(chunk.sessions[Int(cell.session)]) \(cell.total) \(cell.seq)")
      }
      for cell in chunk.floorCells {
        items[chunk.ids[Int(cell.row)]]?.append("\(cell.name) \(stamp(cell.stamp)) \(cell.value)")
      }
      for id in chunk.ids { items[id]?.sort() }
    }
  }

  private static func run(_ seed: UInt64) throws -> Twins {
    let history = RandomHistory(seed: seed, authorCount: 2 + Int(seed % 4), steps: 90)
    var random = SplitMix64(seed: seed, stream: "cold")
    let items = NaiveReplicaTests.folded(history.entries, Array(history.entries.indices)).allItems
    var twins = Twins()
    let entries = Dictionary(
      uniqueKeysWithValues: history.entries.map { ($0.change.dot, $0) })
    let order = history.deliveryOrder(&random)
    // Some come late: what they name may have been deleted and cold for long.
    let late = Set(
      order.filter { _ in random.chance(20) }.map { history.entries[$0].change.session })
    for isLate in [false, true] {
      for index in order where late.contains(history.entries[index].change.session) == isLate {
        let entry = history.entries[index]
        if let difference = twins.fold(entry) {
          Issue.record("seed \(seed): \(difference)")
        }
        while random.chance(75) {
          let all = twins.warm.coverage(of: twins.warm.vector)
          guard let next = twins.warm.leavable(heldBy: [all]).first,
            let entry = entries[Dot(session: next.session, seq: next.first)]
          else { break }
          twins.pass(entry)
        }
        if random.chance(5) { try twins.restart() }
        if random.chance(30) { #expect(twins.differences(items) == [], "seed \(seed)") }
      }
    }
    #expect(twins.differences(items) == [], "seed \(seed), at the end")
    return twins
  }

  @Test(arguments: 1...120 as ClosedRange<UInt64>)
  func `freezing at once changes nothing that is shown or told`(seed: UInt64) throws {
    _ = try Self.run(seed)
  }

  @Test func `the law above is tried on many items that become cold and come back`() throws {
    var (frozen, thawed) = (0, 0)
    for seed in 1...30 as ClosedRange<UInt64> {
      let twins = try Self.run(seed)
      frozen += twins.frozen
      thawed += twins.thawed
    }
    #expect(frozen > 300 && thawed > 100, "\(frozen) and \(thawed)")
  }

  /// A list with a subtree that was deleted below the floor.
  private func withDeadSubtree(_ count: Int) throws -> (Writer, list: ItemID, top: ItemID) {
    var writer = Writer(1)
    writer.replica = Replica(chunkCapacity: 4)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    let top = try writer.write([.create([row("top")], parent: list, at: .bottom)])[0]
    let rows = (0..<count).map { row("\($0)") }
    try writer.write([.create(rows, parent: top, at: .bottom)])
    try writer.write([.setAlive(top, false)])
    return (writer, list, top)
  }

  private func passAll(_ writer: inout Writer) {
    for (change, hash) in writer.held { _ = writer.replica.passFloor(change, hash: hash) }
  }

  @Test func `an undelete after any time brings back what was buried, over many chunks`() throws {
    var (writer, list, top) = try withDeadSubtree(11)
    #expect(writer.replica.freeze(atLeast: 1) == 0)
    passAll(&writer)
    #expect(writer.replica.freeze(atLeast: 13) == 0)
    #expect(writer.replica.freeze(atLeast: 12) == 12)
    #expect(writer.replica.coldItemCount == 12 && writer.replica.itemCount == 13)
    #expect(writer.replica.header().deleteContexts == [])
    #expect(writer.replica.status(of: top) == .hidden && writer.replica.deadItems == [])
    #expect(writer.replica.thawed.deadItems == [top])
    // In memory and on disk: another replica that reads the image.
    let chunks = (0..<writer.replica.chunkCount).map(writer.replica.chunk(at:))
    #expect(chunks.map(\.isContinued) == [true, true, false, false])
    writer.replica = try Replica(
      header: writer.replica.header(), chunks: chunks, chunkCapacity: 4)
    #expect(writer.replica.coldItemCount == 12 && writer.replica.dirtyChunks == [])
    writer.replica.thaw([top])
    #expect(writer.replica.dirtyChunks == [0, 1, 2, 3, 4, 5, 6])
    try writer.write([.setAlive(top, true)])
    #expect(writer.replica.children(of: list) == [top])
    #expect(writer.texts(top) == (0..<11).map(String.init))
    #expect(writer.replica.coldItemCount == 0)
  }

  @Test func `what may lie above the floor again once a log has come does not stay cold`() throws {
    var (writer, _, top) = try withDeadSubtree(3)
    passAll(&writer)
    #expect(writer.replica.freeze(atLeast: 1) == 4)
    var header = writer.replica.header()
    let chunks = (0..<writer.replica.chunkCount).map(writer.replica.chunk(at:))
    let session = header.sessions[0]
    for (floor, staysCold) in [(session.floor, true), (session.floor - 1, false)] {
      // Of the sender's floor nothing else is known: its log from there on is on the way.
      header.sessions[0] = ReplicaHeader.Session(
        id: session.id, head: session.head, tipSeq: session.tipSeq, tipHash: session.tipHash,
        tipH: session.tipH, floor: floor,
        floorHash: ChangeHash(session.trail.hashes[Int(floor) - 1], 0, 0, 0),
        floorH: session.floorH, context: session.context, trail: session.trail)
      var newcomer = Replica(chunkCapacity: 4)
      var events: [ReplicaEvent] = []
      try newcomer.join(header, chunks, events: &events)
      #expect(newcomer.awaitedLog.isEmpty == staysCold)
      #expect(newcomer.coldItemCount == (staysCold ? 4 : 0))
      newcomer.settleLog()
      newcomer.checkInvariants()
      #expect(newcomer.freeze(atLeast: 1) == 0)
      #expect(newcomer.thawed.deadItems == [top])
    }
  }

  @Test func `what is placed under a cold item is recovered`() throws {
    var (writer, list, top) = try withDeadSubtree(2)
    var other = Writer(2)
    other.pull(writer)
    passAll(&writer)
    writer.replica.freeze(atLeast: 1)
    let lost = try other.write([.create([row("lost")], parent: top, at: .bottom)])[0]
    writer.pull(other)
    #expect(writer.replica.recoveredItems == [lost])
    #expect(writer.replica.coldItemCount == 0)
    #expect(writer.replica.children(of: list) == [])
  }

  @Test func `a snapshot passes cold items on as they are to whoever knows nothing of them`() throws
  {
    var (writer, list, top) = try withDeadSubtree(9)
    var other = Writer(2)
    other.pull(writer)
    passAll(&writer)
    writer.replica.freeze(atLeast: 1)
    let chunks = (0..<writer.replica.chunkCount).map(writer.replica.chunk(at:))
    var events: [ReplicaEvent] = []
    var newcomer = Replica(chunkCapacity: 4)
    try newcomer.join(writer.replica.header(), chunks, events: &events)
    newcomer.settleLog()
    #expect(newcomer.coldItemCount == 10 && newcomer.children(of: .root) == [list])
    #expect(newcomer.thawed.deadItems == [top])
    // One that has them in its columns joins them like any others.
    try other.replica.join(writer.replica.header(), chunks, events: &events)
    other.replica.settleLog()
    #expect(other.replica.coldItemCount == 0 && other.replica.deadItems == [top])
    #expect(other.replica.itemCount == 11)
    // Chunks that say they go on, and do not; cold chunks with something that lives.
    var header = writer.replica.header()
    header.chunkCount = 1
    header.coldCount = 1
    #expect(throws: ImageDefect.self) { try newcomer.join(header, [chunks[0]], events: &events) }
    #expect(throws: ImageDefect.self) {
      _ = try Replica(header: header, chunks: [chunks[3]], chunkCapacity: 4)
    }
    var live = Replica(chunkCapacity: 4)
    try live.join(header, [chunks[3]], events: &events)
    #expect(live.coldItemCount == 0 && live.children(of: .root) == [list])
    header.coldCount = 2
    #expect(throws: ImageDefect.self) { try newcomer.join(header, [chunks[3]], events: &events) }
    // Parts of a subtree that are empty, or larger than a chunk can be.
    for count in [0, UInt32(ItemChunk.itemCountMax) + 1] {
      for at in 0...1 {
        var lie = chunks
        lie[at] = ItemChunk()
        lie[at].ids = (0..<count).map { ItemID(nonce: 77, index: $0) }
        lie[at].isContinued = true
        var stranger = Replica(chunkCapacity: 4)
        #expect(throws: ImageDefect.shape) {
          try stranger.join(writer.replica.header(), lie, events: &events)
        }
      }
    }
  }

  @Test func `what a change makes and deletes at once is cold and comes back like anything`() throws
  {
    let item = ItemID(nonce: 40, index: 0)
    let key = PositionGenerator.between(nil, nil, tag: WriterTag(1)) { _ in nil }
    let change = Change(
      session: SessionID(high: 4, low: 4), seq: 1,
      head: SessionHead(device: DeviceID(4, 4, 4, 4), salt: 1, predecessor: nil), prev: .zero,
      h: 1 << 20, seen: [], nonce: 40, group: nil,
      ops: [
        .create(firstIndex: 0, count: 1, parent: .root, firstKey: key, columns: []),
        .life(item: item, alive: false, h: nil),
      ])
    var writer = Writer(1)
    writer.take(change, ChangeHash(4, 4, 4, 4))
    let before = ImageLook(writer.replica)
    passAll(&writer)
    #expect(writer.replica.freeze(atLeast: 1) == 1)
    // Its author had seen nothing at all.
    #expect(writer.replica.chunk(at: 0).deleteContexts.map(\.seen) == [[]])
    #expect(ImageLook(writer.replica.thawed) == before)
    writer.replica.thaw([item])
    try writer.write([.setAlive(item, true)])
    #expect(writer.replica.children(of: .root) == [item])
  }

  @Test func `what an author had seen comes back from the cold as it was named, also wrongly`()
    throws
  {
    var one = Writer(1)
    let item = try one.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    one.restart()
    try one.write([.set(item, .note, .int(1))])
    let tips = one.held.map { Tip(session: $0.0.session, seq: 1, hash: $0.1) }
    // Names the first session by bytes of a hash that it has not, then the one that continues it.
    let session = SessionID(high: 6, low: 6)
    let head = SessionHead(device: DeviceID(6, 6, 6, 6), salt: 1, predecessor: nil)
    let marks = [tips[0].hash.prefix32 ^ 1, tips[1].hash.prefix32]
    var last = ChangeHash.zero
    for seq in 1...2 as ClosedRange<UInt64> {
      let at = Int(seq) - 1
      let entry = SeenEntry(dot: Dot(session: tips[at].session, seq: 1), hashPrefix: marks[at])
      let change = Change(
        session: session, seq: seq, head: seq == 1 ? head : nil, prev: last, h: 1 << 58 + seq,
        seen: [entry], nonce: 60 + seq, group: nil,
        ops: seq == 1 ? [] : [.life(item: item, alive: false, h: nil)])
      last = ChangeHash(6, seq, 6, 6)
      one.take(change, last)
    }
    let before = ImageLook(one.replica)
    passAll(&one)
    #expect(one.replica.freeze(atLeast: 1) == 1)
    let deletes = one.replica.chunk(at: 0).deleteContexts
    #expect(deletes.map { $0.seen.count { $0 > 0 } } == [3])
    #expect(ImageLook(one.replica.thawed) == before)
  }

  @Test func `stamps that no cell bears are forgotten, and nothing else`() throws {
    var writer = Writer(1)
    let list = try writer.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    for number in 0..<3_000 {
      try writer.write([.set(list, .text, .text(Text("\(number)")))])
    }
    let before = ImageLook(writer.replica)
    let rows = writer.replica.stampCount
    writer.replica.forgetStamps()
    #expect(writer.replica.stampCount == rows, "too few to be worth it")
    writer.replica.forgetStamps(beyond: 1_000)
    #expect(writer.replica.stampCount < 10 && rows > 3_000)
    #expect(ImageLook(writer.replica) == before)
    #expect(writer.replica.dirtyChunks == [0])
    writer.replica.markClean()
    for number in 0..<3_000 {
      try writer.write([.set(list, .text, .text(Text("\(number)")))])
    }
    writer.replica.forgetStamps(beyond: 1_000)
    #expect(writer.replica.dirtyChunks == [0])
    writer.replica.markClean()
    for (change, hash) in writer.held { _ = writer.replica.passFloor(change, hash: hash) }
    writer.replica.forgetStamps(beyond: 1_000)
    #expect(writer.texts(.root) == ["2999"])
  }
}
