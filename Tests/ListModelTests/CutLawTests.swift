// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// Removal cutoffs on random histories (`core.md` 7.5, property 34).
@Suite struct CutLawTests {
  /// What a remover held when it removed one or two devices, and who may pass the floor then.
  private struct Removal {
    let cutoffs: [Cutoff]
    let held: Set<Int>

    init(_ history: RandomHistory, _ random: inout SplitMix64) {
      let order = history.deliveryOrder(&random)
      held = Set(order.prefix(random.below(order.count + 1)))
      let devices = Set(history.entries.compactMap { $0.change.head?.device }).sorted()
      let targets = Set((0...random.below(2)).map { _ in random.pick(devices) }).sorted()
      var remover = Replica()
      var events: [ReplicaEvent] = []
      for index in order where held.contains(index) {
        let entry = history.entries[index]
        _ = remover.fold(entry.change, hash: entry.hash, events: &events)
      }
      cutoffs = targets.map { remover.cutoff(for: $0, heldBy: remover.vector) }
    }

    func accepts(_ change: Change, by device: DeviceID?) -> Bool {
      guard let cutoff = cutoffs.first(where: { $0.device == device }) else { return true }
      return change.seq <= cutoff.last(of: change.session)
    }
  }

  private static func devices(_ history: RandomHistory) -> [SessionID: DeviceID] {
    let heads = history.entries.compactMap { entry in
      entry.change.head.map { (entry.change.session, $0.device) }
    }
    return Dictionary(uniqueKeysWithValues: heads)
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `after a cut the replica is the fold of what stays, wherever the excess was folded`(
    seed: UInt64
  ) throws {
    let history = RandomHistory(seed: seed, authorCount: 2 + Int(seed % 4), steps: 80)
    var random = SplitMix64(seed: seed, stream: "cuts")
    let removal = Removal(history, &random)
    let devices = Self.devices(history)
    let all = NaiveReplicaTests.folded(history.entries, Array(history.entries.indices))
    let closed = Set(
      devices.keys.filter { session in
        removal.cutoffs.contains { $0.device == devices[session] && $0.last(of: session) == 0 }
      })
    // All members hold what leaves the log, the remover too; what names a session of which it held
    // nothing has not gone by it.
    let ready = Set(
      removal.held.map { history.entries[$0].change }
        .filter { change in closed.allSatisfy { all.contexts[change.dot]?[$0] == nil } }
        .map(\.dot))
    var homes: [FloorHome] = []
    for _ in 0..<2 {
      var home = FloorHome()
      home.freezes = seed.isMultiple(of: 2)
      home.mayPass = { ready.contains($0.change.dot) }
      let order = history.deliveryOrder(&random)
      var rest = order[random.below(order.count + 1)...]
      for index in order.prefix(rest.startIndex) {
        home.fold(history.entries[index])
        if random.chance(20) { home.passOne(&random) }
        if random.chance(4) { try home.restart() }
      }
      home.cut(removal.cutoffs) { home in
        guard let index = rest.popFirst() else { return }
        let change = history.entries[index].change
        if removal.accepts(change, by: devices[change.session]) {
          home.fold(history.entries[index])
        }
      }
      #expect(home.replica.beyond(removal.cutoffs) == [])
      #expect(home.differences() == [], "seed \(seed), after the cut")
      if random.chance(30) { try home.restart() }
      homes.append(home)
    }
    // One that knew of the removal from the start, and those that did not, end up the same.
    var third = FloorHome()
    third.freezes = seed.isMultiple(of: 3)
    third.mayPass = { ready.contains($0.change.dot) }
    homes.append(third)
    for at in homes.indices {
      for index in history.deliveryOrder(&random) {
        let change = history.entries[index].change
        guard removal.accepts(change, by: devices[change.session]) else { continue }
        homes[at].fold(history.entries[index])
        if random.chance(20) { homes[at].passOne(&random) }
        if random.chance(4) { try homes[at].restart() }
        if random.chance(8) {
          #expect(homes[at].differences() == [], "seed \(seed), going on")
        }
      }
      #expect(homes[at].differences() == [], "seed \(seed), at the end")
    }
    #expect(homes[0].replica.vector == homes[2].replica.vector)
    #expect(homes[1].replica.vector == homes[2].replica.vector)
    #expect(homes[0].print == homes[2].print)
    #expect(homes[1].print == homes[2].print)
  }

  @Test func `no floor lies beyond a cutoff while it may sink yet`() throws {
    var writer = Writer(1)
    for _ in 0..<3 { try writer.write([.create([row("a")], parent: .root, at: .bottom)]) }
    let (first, hash) = writer.held[0]
    let hasMoved = writer.replica.passFloor(first, hash: hash)
    #expect(hasMoved)
    var newcomer = Replica()
    var events: [ReplicaEvent] = []
    let chunks = (0..<writer.replica.chunkCount).map(writer.replica.chunk(at:))
    try newcomer.join(writer.replica.header(), chunks, events: &events)
    #expect(newcomer.awaitedLog == [SessionRange(session: first.session, first: 2, last: 3)])
    let device = try #require(first.head).device
    let cutoff = Cutoff(device: device, tips: [Tip(session: first.session, seq: 2, hash: .zero)])
    #expect(newcomer.floors(beyond: [cutoff]) == [])
    var settled = newcomer
    settled.settleLog()
    #expect(settled.floors(beyond: [cutoff]) == [])
    newcomer.forgoLog()
    #expect(newcomer.floors(beyond: [cutoff]).map(\.seq) == [3])
  }

  @Test func `a change is read under the name of its line, in its turn`() throws {
    var writer = Writer(1)
    for _ in 0..<3 { try writer.write([.create([row("a")], parent: .root, at: .bottom)]) }
    let (first, hash) = writer.held[0]
    let device = try #require(first.head).device
    let cutoff = Cutoff(device: device, tips: [Tip(session: first.session, seq: 2, hash: .zero)])
    var reading = try #require(writer.replica.cutting([cutoff]))
    let awaited = writer.replica.unread(reading)
    let elsewhere = writer.replica.read(
      first, hash: hash, of: SessionID(high: 9, low: 9), into: &reading)
    let early = writer.replica.read(
      writer.held[1].0, hash: writer.held[1].1, of: first.session, into: &reading)
    #expect(!elsewhere && !early && writer.replica.unread(reading) == awaited)
    let inTurn = writer.replica.read(first, hash: hash, of: first.session, into: &reading)
    #expect(inTurn && writer.replica.unread(reading).map(\.first) == [2])
  }

  @Test func `the law above is tried on sessions cut short, taken whole and wiped out`() {
    var (cells, short, wiped, counters) = (0, 0, 0, 0)
    for seed in 1...60 as ClosedRange<UInt64> {
      let history = RandomHistory(seed: seed, authorCount: 2 + Int(seed % 4), steps: 80)
      var random = SplitMix64(seed: seed, stream: "cuts")
      let removal = Removal(history, &random)
      var replica = Replica()
      var events: [ReplicaEvent] = []
      for entry in history.entries {
        _ = replica.fold(entry.change, hash: entry.hash, events: &events)
      }
      for range in replica.beyond(removal.cutoffs) {
        if range.first == 1 { wiped += 1 } else { short += 1 }
        let excess = history.entries.map(\.change).filter {
          $0.session == range.session && $0.seq >= range.first
        }
        cells += excess.count
        counters += excess.flatMap(\.ops).count { if case .add = $0 { true } else { false } }
      }
    }
    #expect(short > 20 && wiped > 20 && cells > 200 && counters > 20)
  }
}
