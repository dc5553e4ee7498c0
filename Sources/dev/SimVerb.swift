// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Simulator

extension Verb {
  /// Runs simulated homes: many, one, or as many as fit into some hours. Ends with one line; exit 0 if
  /// nothing failed.
  static let sim = Verb(name: "sim", usage: SimArguments.usage) { words in
    guard let arguments = SimArguments(words) else {
      Main.complain("usage: dev \(SimArguments.usage)\n")
      return 2
    }
    switch arguments.task {
    case .worker(let first, let last, let step):
      for seed in stride(from: first, through: last, by: Int(step)) {
        SimWire.write(running: seed)
        SimWire.write(Simulation.run(arguments.options(seed)))
      }
      return 0
    case .one(let seed) where arguments.isMinimising:
      return SimMinimiser(arguments.options(seed)).run()
    case .one(let seed):
      print(arguments.options(seed))
      var report = Simulation.Report()
      report.add(Simulation.run(arguments.options(seed)))
      return finish(report, arguments)
    case .many(let first, let last):
      return finish(many(first, last, arguments), arguments)
    case .hours(let hours, let first):
      let end = Date(timeIntervalSinceNow: hours * 3_600)
      var report = Simulation.Report()
      var next = first
      while Date() < end {
        let outcomes = SimWorkers(arguments).run(next, next + 999)
        for outcome in outcomes { report.add(outcome) }
        Main.complain(report.summary + "\n")
        next += 1_000
      }
      return finish(report, arguments)
    }
  }

  /// Runs the seeds in all workers, and one in a hundred again in another process.
  private static func many(
    _ first: UInt64, _ last: UInt64, _ arguments: SimArguments
  ) -> Simulation.Report {
    let workers = SimWorkers(arguments)
    let outcomes = workers.run(first, last)
    var report = Simulation.Report()
    for outcome in outcomes { report.add(outcome) }
    Main.complain(report.summary + "\n")
    guard last - first >= 99 else { return report }
    let twice = workers.run(first, last, step: 100)
    let digests = Dictionary(uniqueKeysWithValues: outcomes.map { ($0.seed, $0.digest) })
    for again in twice where digests[again.seed] != again.digest {
      report.fail(again.seed, "a second process comes to another digest")
    }
    print("sim: \(twice.count) seeds ran twice")
    return report
  }

  private static func finish(_ report: Simulation.Report, _ arguments: SimArguments) -> Int32 {
    for failure in report.failures {
      print("seed \(failure.seed) failed: \(arguments.options(failure.seed))")
      for sentence in failure.failures.prefix(10) { print("  \(sentence)") }
      print("  again:   \(arguments.command(failure.seed))")
      print("  smaller: \(arguments.command(failure.seed)) --minimise")
    }
    print(report.summary)
    return report.failures.isEmpty ? 0 : 1
  }
}
