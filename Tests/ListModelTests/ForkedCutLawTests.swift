// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// Removal cutoffs where sessions are forked: all branches are cut at one seq.
@Suite struct ForkedCutLawTests {
  private static func print(_ replica: Replica) -> Fingerprint {
    var replica = replica
    return replica.fingerprint(sha256: ReplicaOracleTests.hash)
  }

  /// `writer` with everything beyond `cutoff` taken back; `nil` where nothing is.
  private static func cut(_ writer: Writer, _ cutoff: Cutoff) -> Writer? {
    var out = writer
    guard var reading = out.replica.cutting([cutoff]) else { return nil }
    while let range = out.replica.unread(reading).first {
      for seq in range.first...range.last {
        for (change, hash) in writer.held where change.seq == seq {
          let tip = Tip(session: change.session, seq: seq, hash: hash)
          guard out.replica.line(of: tip) == range.session else { continue }
          _ = out.replica.read(change, hash: hash, of: range.session, into: &reading)
        }
      }
    }
    _ = out.replica.cut(reading)
    return out
  }

  /// - Returns: How many branches the cut replica has lost, and how many it has.
  @discardableResult
  private func run(_ seed: UInt64) throws -> (lost: Int, left: Int) {
    var home = ForkedHome(seed: seed)
    var random = SplitMix64(seed: seed, stream: "forked cuts")
    for _ in 0..<20 + random.below(50) { try home.step() }
    let remover = home.writers[random.below(home.writers.count)].replica.vector
    for _ in 0..<40 { try home.step() }
    home.meetUntilEqual()
    let whole = home.writers[0].replica.header()
    let device = random.pick(whole.sessions.compactMap { $0.head?.device })
    let cutoff = home.writers[0].replica.cutoff(for: device, heldBy: remover)
    guard let one = Self.cut(home.writers[0], cutoff), let two = Self.cut(home.writers[1], cutoff)
    else { return (0, 0) }
    var fresh = Writer(99)
    for _ in 0..<20 where fresh.replica.vector != one.replica.vector { fresh.meet(one) }
    for writer in [one, two, fresh] {
      writer.replica.checkInvariants()
      #expect(writer.replica.beyond([cutoff]) == [], "seed \(seed)")
      #expect(writer.replica.vector == one.replica.vector, "seed \(seed)")
      #expect(Self.print(writer.replica) == Self.print(one.replica), "seed \(seed)")
      for item in home.counters {
        #expect(
          writer.replica.counterTotal(of: item, .named("n")) ?? 0
            == one.replica.counterTotal(of: item, .named("n")) ?? 0, "seed \(seed)")
      }
    }
    #expect(two.replica.recoveredItems == one.replica.recoveredItems, "seed \(seed)")
    #expect(fresh.replica.recoveredItems == one.replica.recoveredItems, "seed \(seed), anew")
    let chunks = (0..<one.replica.chunkCount).map(one.replica.chunk(at:))
    let again = try Replica(header: one.replica.header(), chunks: chunks)
    #expect(again.vector == one.replica.vector)
    let left = one.replica.header().sessions.count { $0.branch != nil }
    return (whole.sessions.count { $0.branch != nil } - left, left)
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `after a cut of forked sessions the replica is the fold of what stays`(
    seed: UInt64
  ) throws {
    try run(seed)
  }

  @Test func `a snapshot with a branch is beyond a cutoff where its session would be`() throws {
    let one = try Writer.forked()
    var header = one.replica.header()
    let session = one.held[0].0.session
    let device = try #require(one.held[0].0.head).device
    func cutoff(_ seq: UInt64) -> Cutoff {
      Cutoff(device: device, tips: [Tip(session: session, seq: seq, hash: .zero)])
    }
    #expect(header.isBeyond([cutoff(3)]) && !header.isBeyond([cutoff(4)]))
    // A liar's branch of nothing is held to be a session of its own, of which nothing is accepted.
    let at = try #require(header.sessions.firstIndex { $0.branch != nil })
    var lie = SessionParts(header.sessions[at])
    lie.branch = lie.branch.map { .init(origin: .max, base: $0.base, hashes: $0.hashes) }
    header.sessions[at] = lie.session
    #expect(header.isBeyond([cutoff(4)]))
  }

  @Test func `the law above is tried on branches that go, and on some that stay`() throws {
    let runs = try (1...40 as ClosedRange<UInt64>).map(run)
    #expect(runs.reduce(0) { $0 + $1.lost } > 10, "\(runs)")
    #expect(runs.reduce(0) { $0 + $1.left } > 10, "\(runs)")
  }
}
