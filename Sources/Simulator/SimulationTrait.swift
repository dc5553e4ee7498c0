// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What a run may have or not have: each seed draws some of it (swarm testing).
package enum SimulationTrait: String, CaseIterable, Sendable {
  /// Machines stop and come back; the write under way is there or is not.
  case crashes
  /// They stop between two effects of one turn: between disk, peers and answer.
  case tornTurns = "torn-turns"
  /// The network falls into two halves.
  case partitions
  /// What one machine sends does not arrive at some others; what they send does.
  case oneWay = "one-way"
  /// Hours or days pass while the network is cut.
  case lulls
  /// A machine sleeps with all its links and wakes up later.
  case sleeps
  /// Runs and acknowledgements arrive a second time, later.
  case echoes
  /// Runs are overtaken by what was sent after them.
  case lateRuns = "late-runs"
  /// Wall clocks are up to fifty years off and jump.
  case badClocks = "bad-clocks"
  /// The disk refuses batches, for a while or one in a hundred; a refused one may still be there
  /// after a crash.
  case diskErrors = "disk-errors"
  /// Reads bring a wrong bit now and then.
  case bitFlips = "bit-flips"
  /// Strangers and stale caches tell wrong addresses and tags.
  case lies
  /// Machines find each other by announcements only.
  case discovery
  /// Some machines run a version that does not know an op kind of the others.
  case oldVersions = "old-versions"
  /// Nodes write checkpoints.
  case checkpoints
  /// Buffers, windows and chunks are so small that every limit is met.
  case tiny
  /// Each node is told of two others only: changes must be relayed.
  case sparse
  /// Changes leave the log as soon as everybody has them.
  case shortHistory = "short-history"
  /// The last node is no member at first and joins with a code.
  case lateJoiner = "late-joiner"
  /// Transactions that need several changes.
  case groups
  /// On every second machine dead items become cold as soon as they may.
  case earlyCold = "early-cold"

  /// In how many of a hundred seeds.
  var percent: Int {
    switch self {
    case .crashes, .partitions, .earlyCold: 60
    case .checkpoints, .tiny: 50
    case .tornTurns, .sparse, .echoes: 40
    case .oneWay, .lateRuns, .badClocks, .diskErrors, .lies, .shortHistory, .lateJoiner: 30
    case .bitFlips, .oldVersions, .discovery, .sleeps: 25
    case .groups: 10
    case .lulls: 4
    }
  }
}
