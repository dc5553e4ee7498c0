// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine

/// Runs of whole worlds, one seed each.
package enum Simulation {
  /// What one run came to.
  package struct Outcome: Hashable, Sendable {
    package let seed: UInt64
    package let ops: Int
    package let faults: Int
    /// Edits and faults that were drawn, done or not.
    package let drawnEdits: Int
    package let drawnFaults: Int
    package let digest: UInt64
    /// Simulated time.
    package let seconds: UInt64
    /// How often a machine with cold items was looked at.
    package let coldLooks: Int
    /// What was wrong; empty for a good run.
    package let failures: [String]

    package init(
      seed: UInt64, ops: Int, faults: Int, drawnEdits: Int, drawnFaults: Int, digest: UInt64,
      seconds: UInt64, coldLooks: Int, failures: [String]
    ) {
      (self.seed, self.ops, self.faults) = (seed, ops, faults)
      (self.drawnEdits, self.drawnFaults) = (drawnEdits, drawnFaults)
      (self.digest, self.seconds, self.coldLooks) = (digest, seconds, coldLooks)
      self.failures = failures
    }
  }

  /// What a number of runs came to.
  package struct Report: Sendable {
    package private(set) var seeds = 0
    package private(set) var ops = 0
    package private(set) var faults = 0
    package private(set) var seconds: UInt64 = 0
    package private(set) var coldLooks = 0
    /// The runs that failed.
    package private(set) var failures: [Outcome] = []
    package private(set) var digest = TraceDigest()

    /// Nothing ran yet.
    package init() {}

    /// Adds a run; in order of seeds the digest is the same whoever ran them.
    package mutating func add(_ outcome: Outcome) {
      seeds += 1
      ops += outcome.ops
      faults += outcome.faults
      seconds += outcome.seconds
      coldLooks += outcome.coldLooks
      digest.add(outcome.digest)
      if !outcome.failures.isEmpty { failures.append(outcome) }
    }

    /// Counts a seed as failed for a reason that shows outside of its run.
    package mutating func fail(_ seed: UInt64, _ sentence: String) {
      failures.append(
        Outcome(
          seed: seed, ops: 0, faults: 0, drawnEdits: 0, drawnFaults: 0, digest: 0, seconds: 0,
          coldLooks: 0, failures: [sentence]))
    }

    /// The one line that a run ends with.
    package var summary: String {
      "sim: seeds \(seeds) ops \(ops) faults \(faults) hours \(seconds / 3_600) "
        + "cold \(coldLooks) failures \(failures.count) digest \(digest.hex)"
    }
  }

  /// Runs one world; equal options give an equal outcome on every machine.
  package static func run(_ options: SimulationOptions) -> Outcome {
    var world = World(options: options)
    let start = world.now
    world.run()
    return Outcome(
      seed: options.seed, ops: world.ops, faults: world.faults, drawnEdits: world.drawnEdits,
      drawnFaults: world.drawnFaults, digest: world.digest.value,
      seconds: world.now.since(start).wholeMilliseconds / 1_000, coldLooks: world.coldLooks,
      failures: world.failures)
  }

  /// Runs `seeds` one after the other.
  package static func run(seeds: some Sequence<UInt64>) -> Report {
    var report = Report()
    for seed in seeds { report.add(run(SimulationOptions(seed: seed))) }
    return report
  }
}
