// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// The log floor on random histories (`core.md` 6.1, 7.4): what cells held there, joins of replicas
/// with different floors.
@Suite struct FloorLawTests {
  @Test(arguments: 1...25 as ClosedRange<UInt64>)
  func `what cells held at the floor is the fold at the floor of what shows from above it`(
    seed: UInt64
  ) throws {
    let history = RandomHistory(seed: seed, authorCount: 2 + Int(seed % 4), steps: 80)
    var random = SplitMix64(seed: seed, stream: "floors")
    var home = FloorHome()
    home.freezes = seed.isMultiple(of: 2)
    for index in history.deliveryOrder(&random) {
      home.fold(history.entries[index])
      while random.chance(45) { home.passOne(&random) }
      if random.chance(8) { try home.restart() }
      if random.chance(25) { #expect(home.differences() == [], "seed \(seed)") }
    }
    while home.passOne(&random) {}
    #expect(home.differences() == [], "seed \(seed)")
    #expect(home.replica.floorCellCount == 0)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a join of replicas with any floors is the fold of both, at both floors`(
    seed: UInt64
  ) throws {
    let history = RandomHistory(seed: seed, authorCount: 4, steps: 80)
    var random = SplitMix64(seed: seed, stream: "halves")
    var halves: [FloorHome] = []
    for _ in 0..<3 {
      var half = FloorHome()
      half.freezes = seed.isMultiple(of: 2) || halves.count == 1
      let order = history.deliveryOrder(&random)
      for index in order.prefix(random.below(order.count + 1)) {
        half.fold(history.entries[index])
        while random.chance(40) { half.passOne(&random) }
      }
      halves.append(half)
    }
    // Two halves below each other's floor, each in its order, and a third that follows.
    let before = halves
    try halves[0].join(before[1])
    try halves[1].join(before[0])
    for at in 0..<2 {
      #expect(halves[at].differences() == [], "seed \(seed), before the log came")
      if random.chance(20) { halves[at].replica.forgoLog() } else { halves[at].receiveLog() }
      #expect(halves[at].differences() == [], "seed \(seed), after the log came")
    }
    #expect(halves[0].print == halves[1].print)
    let third = halves[2]
    try halves[2].join(halves[0])
    if random.chance(50) { halves[2].receiveLog() }
    try halves[0].join(third)
    halves[0].receiveLog()
    #expect(halves[2].print == halves[0].print)
    // All go on: what is left of the history, further floors.
    for at in [0, 2] {
      for index in history.deliveryOrder(&random) {
        halves[at].fold(history.entries[index])
        if random.chance(30) { halves[at].passOne(&random) }
        if random.chance(5) { try halves[at].restart() }
        if random.chance(15) {
          #expect(halves[at].differences() == [], "seed \(seed), going on")
        }
      }
      #expect(halves[at].differences() == [], "seed \(seed), at the end")
    }
    #expect(halves[0].print == halves[2].print)
  }

  @Test func `a change with ops of a later version stays in the log`() throws {
    var writer = Writer(1)
    try writer.write([.create([row("list")], parent: .root, at: .bottom)])
    var (change, hash) = writer.held[0]
    change.ops.append(.unknown(kind: 99, payload: []))
    var replica = Replica()
    var events: [ReplicaEvent] = []
    #expect(replica.fold(change, hash: hash, events: &events) == .folded)
    let hasMoved = replica.passFloor(change, hash: hash)
    #expect(!hasMoved)
    #expect(replica.floorTips == [])
  }

  @Test func `what all hold may leave the log, a session never before what it continues`() throws {
    var (one, two) = (Writer(1), Writer(2))
    try one.write([.create([row("list")], parent: .root, at: .bottom)])
    two.pull(one)
    let early = two.replica.coverage(of: two.replica.vector)
    one.restart()
    try one.write([.create([row("later")], parent: .root, at: .bottom)])
    two.pull(one)
    let all = two.replica.coverage(of: one.replica.vector)
    #expect(two.replica.leavable(heldBy: [all]).map(\.last) == [1, 1])
    #expect(two.replica.leavable(heldBy: [all, early]).count == 1)
    #expect(two.replica.leavable(heldBy: [all, Replica().coverage(of: VersionVector())]) == [])
    for (change, hash) in two.held {
      let hasMoved = two.replica.passFloor(change, hash: hash)
      #expect(hasMoved)
    }
    #expect(two.replica.leavable(heldBy: [all]) == [])
    #expect(!two.replica.reachesFloor(early))
  }
}

/// A replica, the log that it would have on disk, and the oracle.
struct FloorHome {
  private(set) var pair = ReplicaComparison()
  var replica: Replica {
    get { pair.replica }
    set { pair.replace { $0 = newValue } }
  }
  /// All that was ever folded here, in order; the log is what lies above the floor.
  private(set) var entries: [RandomHistory.Entry] = []
  /// Whether what is dead below the floor becomes cold at once.
  var freezes = false
  /// How many items became cold here.
  private(set) var frozen = 0
  /// Which changes all members are taken to hold.
  var mayPass: (RandomHistory.Entry) -> Bool = { _ in true }
  /// What the other side of the last join has in its log.
  private var offered: [RandomHistory.Entry] = []

  var print: Fingerprint { Self.print(replica) }

  static func print(_ replica: Replica) -> Fingerprint {
    var copy = replica
    return copy.fingerprint(sha256: ReplicaOracleTests.hash)
  }

  mutating func fold(_ entry: RandomHistory.Entry) {
    if level == .current {
      guard pair.fold(entry) == .folded else { return }
    } else {
      var events: [ReplicaEvent] = []
      var outcome = FoldOutcome.alreadyCovered
      let change = entry.change.read(at: level)
      pair.replace {
        outcome = $0.fold(
          change, hash: entry.hash, bytes: Self.name(entry.change), events: &events)
      }
      guard outcome == .folded else { return }
      needsOracle = true
    }
    entries.append(entry)
  }

  /// What this version folds; the rest waits.
  var level = FoldLevel.current

  /// Stands for the bytes of a change.
  private static func name(_ change: Change) -> [UInt8] {
    [change.session.high, change.session.low, change.seq].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
  }

  /// Folds what waited, as far as `level` goes.
  mutating func foldWaiting() {
    var events: [ReplicaEvent] = []
    let changes = Dictionary(
      uniqueKeysWithValues: entries.map { (Self.name($0.change), $0.change) })
    pair.replace { replica in
      _ = replica.foldWaiting(events: &events) { [level] in changes[$0]?.read(at: level) }
    }
  }

  /// Takes back what lies beyond the cutoffs, reading the log in between other things.
  /// - Parameter meanwhile: Called between two reads.
  mutating func cut(_ cutoffs: [Cutoff], meanwhile: (inout FloorHome) -> Void) {
    guard var reading = replica.cutting(cutoffs) else { return }
    while let range = replica.unread(reading).first {
      for entry in entries where entry.change.session == range.session {
        guard (range.first...range.last).contains(entry.change.seq) else { continue }
        var isNext = false
        pair.replace {
          isNext = $0.read(entry.change, hash: entry.hash, of: range.session, into: &reading)
        }
        precondition(isNext, "a log with a gap")
      }
      meanwhile(&self)
    }
    let gone = Set(
      replica.beyond(cutoffs).flatMap { range in
        (range.first...range.last).map { Dot(session: range.session, seq: $0) }
      })
    pair.replace { _ = $0.cut(reading) }
    entries.removeAll { gone.contains($0.change.dot) }
    pair = ReplicaComparison(
      oracle: NaiveReplicaTests.folded(entries, Array(entries.indices)), replica: replica)
    needsOracle = true
  }

  private func isInLog(_ entry: RandomHistory.Entry) -> Bool {
    entry.change.seq > replica.floor(of: entry.change.session)?.seq ?? 0
  }

  /// Lets one change leave the log that may.
  @discardableResult
  mutating func passOne(_ random: inout SplitMix64) -> Bool {
    let all = replica.coverage(of: replica.vector)
    let next = Set(replica.leavable(heldBy: [all]).map { Dot(session: $0.session, seq: $0.first) })
    let ready = entries.filter { entry in
      guard next.contains(entry.change.dot), mayPass(entry) else { return false }
      guard let before = entry.change.head?.predecessor else { return true }
      return replica.floor(of: before.session)?.seq ?? 0 >= before.seq
    }
    guard !ready.isEmpty else { return false }
    let entry = random.pick(ready)
    let change = entry.change.read(at: level)
    var hasMoved = false
    pair.replace { hasMoved = $0.passFloor(change, hash: entry.hash) }
    if freezes { pair.replace { frozen += $0.freeze(atLeast: 1) } }
    return hasMoved
  }

  mutating func restart() throws {
    try pair.replace { replica in
      replica.forgoLog()
      let chunks = (0..<replica.chunkCount).map(replica.chunk(at:))
      replica = try Replica(header: replica.header(), chunks: chunks)
      precondition((0..<replica.chunkCount).map(replica.chunk(at:)) == chunks, "another image")
    }
  }

  /// Joins a snapshot of `other`; its log is offered.
  mutating func join(_ other: FloorHome) throws {
    let header = other.replica.header()
    let chunks = (0..<other.replica.chunkCount).map(other.replica.chunk(at:))
    var events: [ReplicaEvent] = []
    try pair.replace { try $0.join(header, chunks, events: &events) }
    let held = Set(entries.map(\.change.dot))
    let fresh = other.entries.filter { !held.contains($0.change.dot) }
    offered = fresh.filter(other.isInLog)
    entries += fresh
    pair = ReplicaComparison(
      oracle: NaiveReplicaTests.folded(entries, Array(entries.indices)), replica: replica)
    needsOracle = true
    foldWaiting()
  }

  /// Whether the oracle must be made anew before it is compared with.
  private var needsOracle = false

  /// What is awaited must be exactly what the other side offers.
  mutating func receiveLog() {
    let awaited = replica.awaitedLog
    for range in awaited {
      let seqs = offered.filter { $0.change.session == range.session }.map(\.change.seq)
      precondition(
        (range.first...range.last).allSatisfy { seqs.contains($0) }, "awaited and not offered")
    }
    pair.replace { $0.settleLog() }
  }

  /// Sentences about what differs: the view, and what cells held at the floor.
  mutating func differences() -> [String] {
    if needsOracle {
      let oracle = NaiveReplicaTests.folded(entries, Array(entries.indices))
      pair = ReplicaComparison(oracle: oracle, replica: replica)
    }
    let cells = cellDifferences(pair.oracle) + counterDifferences()
    guard replica.coldItemCount > 0 else { return pair.differences() + cells }
    replica.checkInvariants()
    let warm = ReplicaComparison(oracle: pair.oracle, replica: replica.thawed)
    var out = warm.differences() + cells
    for item in pair.oracle.allItems
    where replica.status(of: item) != warm.replica.status(of: item) {
      out.append("\(item) shows \(replica.status(of: item)), not \(warm.replica.status(of: item))")
    }
    if replica.recoveredItems != warm.replica.recoveredItems { out.append("Recovered") }
    if FloorHome.print(warm.replica) != print { out.append("the fingerprint") }
    return out
  }

  private func isBelow(_ dot: Dot) -> Bool {
    dot.seq <= replica.floor(of: dot.session)?.seq ?? 0
  }

  private func cellDifferences(_ oracle: NaiveReplica) -> [String] {
    var out: [String] = []
    for (place, writes) in oracle.writes {
      guard let shown = writes.last else { continue }
      let expected = isBelow(shown.dot) ? nil : writes.last { isBelow($0.dot) }
      let held = replica.heldAtFloor(place.item, place.cell.name)
      if held?.written.dot != expected?.dot || held?.written.h != expected?.stamp.h {
        out.append("\(place) held \(held as Any) for \(expected as Any)")
      } else if let expected, let held, held.value != expected.content.cellValue {
        out.append("\(place) held \(held.value) for \(expected.content)")
      }
    }
    return out
  }

  private struct Counter: Hashable {
    let item: ItemID
    let field: FieldName
    let session: SessionID
  }

  private func counterDifferences() -> [String] {
    var adds: [Counter: [(seq: UInt64, delta: Int64)]] = [:]
    for entry in entries {
      for case .add(let item, let field, let delta) in entry.change.ops {
        let counter = Counter(item: item, field: field, session: entry.change.session)
        adds[counter, default: []].append((entry.change.seq, delta))
      }
    }
    return adds.compactMap { counter, list in
      let floor = replica.floor(of: counter.session)?.seq ?? 0
      let below = list.filter { $0.seq <= floor }
      let isSplit = !below.isEmpty && below.count < list.count
      let expected = isSplit ? below.reduce(0) { $0 &+ $1.delta } : nil
      let held = replica.addedAtFloor(counter.item, counter.field, by: counter.session)
      return held?.total == expected && held?.seq == (isSplit ? below.map(\.seq).max() : nil)
        ? nil : "\(counter) had added \(held as Any), not \(expected as Any)"
    }
  }
}

extension NaiveReplica.Cell {
  fileprivate var name: CellName {
    switch self {
    case .create: .create
    case .place: .place
    case .life: .life
    case .field(let field): .field(field)
    }
  }
}

extension NaiveReplica.Content {
  fileprivate var cellValue: CellValue {
    switch self {
    case .created: .life(alive: true)
    case .place(let parent, let key): .place(parent: parent, key: key)
    case .alive(let alive): .life(alive: alive)
    case .value(let value): .value(value)
    }
  }
}
