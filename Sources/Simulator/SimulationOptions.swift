// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import NodeEngine
import Workbench

/// What one run is like: all of it drawn from the seed, so that runs differ in kind, not only in
/// detail (swarm testing).
package struct SimulationOptions: Hashable, Sendable {
  package var seed: UInt64
  /// 3...6.
  package var nodeCount: Int
  /// How long the phase with faults takes.
  package var safetyTime: Delay
  /// How soon after the last fault all must be equal.
  package var livenessTime: Delay = .seconds(240)
  /// Mean time between two edits anywhere.
  package var editInterval: Delay
  /// Mean time between two faults.
  package var faultInterval: Delay
  package var latencyMin: Delay
  package var latencyMax: Delay
  /// Frames of a thousand that take a retransmission.
  package var lossPerMille: Int
  /// Frames of ten thousand at which the connection breaks.
  package var breakPerMyriad: Int
  package var diskDelayMax: Delay
  /// Whether machines stop and come back.
  package var hasCrashes: Bool
  package var hasPartitions: Bool
  /// Whether wall clocks are years off or jump.
  package var hasBadClocks: Bool
  /// Whether nodes write checkpoints.
  package var hasCheckpoints: Bool
  /// Whether buffers and windows are so small that every limit is met.
  package var isTiny: Bool
  /// Whether each node knows two others only: changes must be relayed.
  package var isSparse: Bool
  /// Whether changes leave the log as soon as everybody has them, so that restored or late nodes
  /// need snapshots.
  package var hasShortHistory: Bool

  /// Whether the last node is no member at first and joins with a code.
  package var hasLateJoiner: Bool

  /// Draws everything from `seed`.
  package init(seed: UInt64) {
    var random = SplitMix64(seed: seed, stream: "options")
    self.seed = seed
    nodeCount = 3 + random.below(4)
    safetyTime = .seconds(UInt64(4 + random.below(24)))
    editInterval = .milliseconds(UInt64(random.pick([100, 300, 800])))
    faultInterval = .seconds(UInt64(random.pick([1, 2, 5])))
    latencyMin = .milliseconds(UInt64(random.pick([0, 1, 20])))
    latencyMax = latencyMin + .milliseconds(UInt64(random.pick([1, 30, 400])))
    lossPerMille = random.pick([0, 10, 100])
    breakPerMyriad = random.pick([0, 0, 20, 200])
    diskDelayMax = .milliseconds(UInt64(random.pick([1, 10, 300])))
    hasCrashes = random.chance(70)
    hasPartitions = random.chance(70)
    hasBadClocks = random.chance(30)
    hasCheckpoints = random.chance(60)
    isTiny = random.chance(50)
    isSparse = random.chance(40)
    hasShortHistory = random.chance(30)
    hasLateJoiner = random.chance(30)
  }
}

extension SimulationOptions: CustomStringConvertible {
  package var description: String {
    [
      "seed \(seed)", "nodes \(nodeCount)", "safety \(safetyTime.wholeMilliseconds / 1_000) s",
      "edit every \(editInterval.wholeMilliseconds) ms",
      "fault every \(faultInterval.wholeMilliseconds) ms",
      "latency \(latencyMin.wholeMilliseconds)-\(latencyMax.wholeMilliseconds) ms",
      "loss \(lossPerMille)/1000", "breaks \(breakPerMyriad)/10000",
      "disk to \(diskDelayMax.wholeMilliseconds) ms", "crashes \(hasCrashes)",
      "partitions \(hasPartitions)", "bad clocks \(hasBadClocks)",
      "checkpoints \(hasCheckpoints)", "tiny \(isTiny)", "sparse \(isSparse)",
      "short history \(hasShortHistory)", "late joiner \(hasLateJoiner)",
    ].joined(separator: ", ")
  }
}

/// `earlier` + `later`, stopping at the end of the range.
func + (earlier: Delay, later: Delay) -> Delay {
  let (sum, overflow) = earlier.nanoseconds.addingReportingOverflow(later.nanoseconds)
  return Delay(nanoseconds: overflow ? .max : sum)
}
