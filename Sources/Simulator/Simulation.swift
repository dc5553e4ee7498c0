// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Runs of whole worlds, one seed each.
package enum Simulation {
  /// What a number of runs came to.
  package struct Report: Sendable {
    package private(set) var seeds = 0
    package private(set) var ops = 0
    package private(set) var faults = 0
    /// For each seed that failed: the options drawn and what was wrong.
    package private(set) var failures: [Failure] = []
    package private(set) var digest = TraceDigest()

    /// Nothing ran yet.
    package init() {}

    mutating func add(_ world: World) {
      seeds += 1
      ops += world.ops
      faults += world.faults
      digest.add(world.digest.value)
      if !world.failures.isEmpty {
        failures.append(Failure(options: world.options, sentences: world.failures))
      }
    }

    /// The one line that a run ends with.
    package var summary: String {
      "sim: seeds \(seeds) ops \(ops) faults \(faults) failures \(failures.count) "
        + "digest \(digest.hex)"
    }
  }

  /// A seed that failed.
  package struct Failure: Sendable {
    package let options: SimulationOptions
    package let sentences: [String]

    /// What to paste to see it again.
    package var command: String { "swift run -c release dev sim --seed \(options.seed)" }
  }

  /// Runs `seeds` one after the other; equal seeds give an equal report on every machine.
  package static func run(
    seeds: some Sequence<UInt64>, each: (World) -> Void = { _ in }
  ) -> Report {
    var report = Report()
    for seed in seeds {
      var world = World(options: SimulationOptions(seed: seed))
      world.run()
      report.add(world)
      each(world)
    }
    return report
  }
}
