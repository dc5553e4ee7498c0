// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine
import Simulator
import Testing

/// Some seeds in every test run; `dev sim --seeds A..B` runs the rest in `Packaging/check`.
@Suite struct SimulationTests {
  private static func complaints(_ report: Simulation.Report) -> [String] {
    report.failures.map { "seed \($0.seed): \($0.failures.prefix(3))" }
  }

  /// Short runs of small homes: a test build is slow.
  private static func small(_ seeds: ClosedRange<UInt64>) -> Simulation.Report {
    var report = Simulation.Report()
    for seed in seeds {
      var options = SimulationOptions(seed: seed)
      options.nodeCount = 3
      options.safetyTime = .seconds(4)
      options.traits.remove(.lulls)
      report.add(Simulation.run(options))
    }
    return report
  }

  @Test func `homes with faults end healed and equal`() {
    let report = Self.small(1...6)
    #expect(Self.complaints(report) == [])
    #expect(report.ops > 30)
    #expect(report.faults > 10)
  }

  @Test func `a space too large for a link to each ends healed and equal`() {
    var options = SimulationOptions(seed: 902)
    // Each knows two others only; the last one joins with a code in the middle of it.
    options.nodeCount = 18
    options.traits = [.crashes, .partitions, .sparse, .lateJoiner]
    options.safetyTime = .seconds(5)
    (options.editInterval, options.faultInterval) = (.milliseconds(500), .seconds(1))
    let run = Simulation.run(options)
    #expect(run.failures == [], "\(options)")
    #expect(run.ops > 3 && run.faults > 1)
  }

  @Test func `dead items become cold on half of the machines, and all show the same`() {
    var report = Simulation.Report()
    for seed in 1...6 as ClosedRange<UInt64> {
      var options = SimulationOptions(seed: seed)
      options.nodeCount = 3
      options.safetyTime = .seconds(8)
      options.traits = [.earlyCold, .checkpoints, .shortHistory, .tiny, .crashes]
      (options.editInterval, options.faultInterval) = (.milliseconds(80), .seconds(1))
      report.add(Simulation.run(options))
    }
    #expect(Self.complaints(report) == [])
    #expect(report.coldLooks > 10)
  }

  @Test func `a run is the same every time`() {
    #expect(Self.small(501...502).summary == Self.small(501...502).summary)
  }

  @Test func `what is left out of a run does not change what the rest wants`() {
    var options = SimulationOptions(seed: 7)
    options.nodeCount = 3
    options.safetyTime = .seconds(4)
    options.skippedEdits = [0...10_000]
    let silent = Simulation.run(options)
    #expect(silent.failures == [])
    #expect(silent.ops == 0)
  }
}
