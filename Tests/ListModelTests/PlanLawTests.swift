// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// Planned edits of several devices with clocks that are right, decades off, or jumping.
@Suite struct PlanLawTests {
  private static let year: Int64 = 31_557_600_000

  /// What each edit must have come to on the device that made it, right away.
  private static func disappointments(_ edits: [Edit], _ replica: Replica) -> [String] {
    edits.compactMap { edit in
      switch edit {
      case .set(let item, let field, let value):
        replica.value(of: item, field) == value ? nil : "\(edit) does not show"
      case .setAlive(let item, let alive):
        replica.isAlive(item) == alive ? nil : "\(edit) does not show"
      case .move(let items, let parent, _):
        items.allSatisfy { replica.parent(of: $0) == parent } ? nil : "\(edit) does not show"
      case .place(let item, let spot), .rekey(let item, let spot):
        replica.spot(of: item) == spot ? nil : "\(edit) does not show"
      case .recreate(let first, _, let parent, _):
        replica.parent(of: first) == parent ? nil : "\(edit) does not show"
      case .create, .increment: nil
      }
    }
  }

  @Test func `items made again under their ids in two places are the same items everywhere`()
    throws
  {
    var writers = [Writer(1), Writer(2)]
    let first = ItemID(nonce: 77, index: 3)
    for at in 0..<2 {
      let rows = [NewRow([(.text, .text("of \(at)"))]), NewRow([(.text, .text("b"))])]
      try writers[at].write([
        .recreate(first: first, rows[...], parent: .root, at: .bottom),
        .set(first, .named("n"), .int(Int64(at))),
      ])
    }
    for at in [0, 1, 0] { writers[at].pull(writers[1 - at]) }
    var oracle = NaiveReplica()
    for (change, hash) in writers[0].held { oracle.add(change, hash: hash) }
    for writer in writers {
      #expect(writer.replica.childCount(of: .root) == 2)
      #expect(ReplicaComparison(oracle: oracle, replica: writer.replica).differences() == [])
    }
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `an edit always shows where it was made, and everywhere the same in the end`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed, stream: "plan")
    var workload = Workload(seed: seed)
    var writers = (0..<3).map { Writer(UInt8($0 + 1)) }
    let skews: [Int64] = [0, -50 * Self.year, 70 * Self.year]
    for step in 0..<60 {
      let at = random.below(writers.count)
      let skew = random.chance(10) ? random.pick(skews) : skews[at]
      writers[at].wall = WallTime(milliseconds: 1_800_000_000_000 + Int64(step) * 1_000 + skew)
      if random.chance(40) {
        writers[at].pull(writers[random.below(writers.count)])
        continue
      }
      if random.chance(10) { writers[at].restart() }
      let edits = Array(workload.transaction(on: writers[at].replica).prefix(1))
      do {
        try writers[at].write(edits)
        #expect(Self.disappointments(edits, writers[at].replica) == [])
      } catch is EditError {}
    }
    for _ in 0..<3 { for at in 0..<3 { writers[at].pull(writers[(at + 1) % 3]) } }
    var oracle = NaiveReplica()
    for (change, hash) in writers[0].held { oracle.add(change, hash: hash) }
    for writer in writers {
      #expect(writer.replica.vector == writers[0].replica.vector)
      #expect(ReplicaComparison(oracle: oracle, replica: writer.replica).differences() == [])
    }
  }

  @Test func `one device ten years ahead pulls nobody's clock and owns no cell`() throws {
    var right = Writer(1)
    var ahead = Writer(2)
    ahead.wall = WallTime(milliseconds: right.wall.milliseconds + 10 * Self.year)
    let list = try right.write([.create([NewRow([])], parent: .root, at: .bottom)])[0]
    let items = try right.write([
      .create([NewRow([]), NewRow([])], parent: list, at: .bottom)
    ])
    ahead.pull(right)
    try ahead.write([.set(items[0], .text, .text("from the future"))])
    right.pull(ahead)
    try right.write([.set(items[0], .text, .text("now")), .set(items[1], .text, .text("now"))])
    #expect(right.replica.value(of: items[0], .text) == .text("now"))
    let limit = right.wall.milliseconds + 600_000
    #expect(Int64(right.clock.value >> 16) <= limit)
    let other = try #require(right.replica.written(of: items[1], .text))
    #expect(other.milliseconds <= limit)
    // Nor do later changes inherit it.
    try right.write([.set(items[1], .note, .text("later"))])
    let later = try #require(right.replica.written(of: items[1], .note))
    #expect(later.milliseconds <= limit)
    ahead.pull(right)
    #expect(ahead.replica.value(of: items[0], .text) == .text("now"))
  }
}
