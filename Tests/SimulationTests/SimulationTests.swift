// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine
import Simulator
import Testing

/// Some seeds in every test run; `dev sim --seeds 1..500` runs the rest in `Packaging/check`.
@Suite struct SimulationTests {
  private static func complaints(_ report: Simulation.Report) -> [String] {
    report.failures.map { "seed \($0.seed): \($0.failures.prefix(3))" }
  }

  @Test func `homes with faults end healed and equal`() {
    let report = Simulation.run(seeds: 1...30 as ClosedRange<UInt64>)
    #expect(Self.complaints(report) == [])
    #expect(report.ops > 200)
    #expect(report.faults > 100)
  }

  @Test func `a run is the same every time`() {
    let once = Simulation.run(seeds: 501...503 as ClosedRange<UInt64>)
    let again = Simulation.run(seeds: 501...503 as ClosedRange<UInt64>)
    #expect(once.summary == again.summary)
  }
}
