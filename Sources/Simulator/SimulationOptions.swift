// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import NodeEngine
import Workbench

/// What one run is like: all of it drawn from the seed, so that runs differ in kind, not only in
/// detail (swarm testing).
package struct SimulationOptions: Hashable, Sendable {
  package let seed: UInt64
  /// 3...6 when drawn; at most 64.
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
  /// Batches of a thousand that the disk refuses; reads of a thousand with a wrong bit.
  package var diskErrorsPerMille: Int
  package var flipsPerMille: Int
  package var echoesPerMille: Int
  package var latePerMille: Int
  package var traits: Set<SimulationTrait>
  /// Whether machines are copied. What counts changes by their names is not looked at then.
  package var hasCopies = false
  /// Whether members are removed at random, by others, while anything goes on.
  package var hasRemovals = false
  /// Edits and faults, by number, that are left out: how the minimiser shrinks a run.
  package var skippedEdits: [ClosedRange<Int>] = []
  package var skippedFaults: [ClosedRange<Int>] = []

  /// How days go by; `nil`: all happens on one day.
  package var days: DayOptions?

  /// One seed in so many is large: at least 2,000 edits and 200 faults.
  package static let largeEvery: UInt64 = 250

  /// Draws everything from `seed`.
  package init(seed: UInt64) {
    var random = SplitMix64(seed: seed, stream: "options")
    self.seed = seed
    nodeCount = 3 + random.below(4)
    safetyTime = .seconds(UInt64(4 + random.below(24)))
    editInterval = .milliseconds(UInt64(random.pick([60, 100, 300, 800])))
    faultInterval = .milliseconds(UInt64(random.pick([300, 1_000, 2_000, 5_000])))
    latencyMin = .milliseconds(UInt64(random.pick([0, 1, 20])))
    latencyMax = latencyMin + .milliseconds(UInt64(random.pick([1, 30, 400])))
    lossPerMille = random.pick([0, 10, 100, 400])
    breakPerMyriad = random.pick([0, 0, 20, 200])
    diskDelayMax = .milliseconds(UInt64(random.pick([1, 10, 300])))
    diskErrorsPerMille = random.pick([2, 20, 200])
    flipsPerMille = random.pick([5, 50, 300])
    echoesPerMille = random.pick([5, 50, 300])
    latePerMille = random.pick([5, 50, 300])
    traits = []
    for trait in SimulationTrait.allCases where random.chance(trait.percent) {
      traits.insert(trait)
    }
    days = DayOptions(seed: seed)
    if seed % Self.largeEvery == 0 {
      safetyTime = .seconds(300)
      editInterval = .milliseconds(120)
      faultInterval = .milliseconds(1_000)
    }
  }

  /// As drawn from `seed`, with copied machines: backups put back, folders copied, images resumed; also
  /// with days that go by (decision 29).
  package static func copies(seed: UInt64) -> Self {
    var options = Self(seed: seed)
    options.hasCopies = true
    options.traits.formIntersection([
      .crashes, .partitions, .oneWay, .checkpoints, .tiny, .earlyCold, .shortHistory,
    ])
    options.editInterval = min(options.editInterval, .milliseconds(300))
    options.faultInterval = .seconds(1)
    return options
  }

  /// As drawn from `seed`, with one or two members that are removed. All are members from the start,
  /// since a joiner that is removed with its inviter has no one to ask.
  package static func removals(seed: UInt64) -> Self {
    var options = Self(seed: seed)
    options.hasRemovals = true
    options.traits.remove(.lateJoiner)
    options.traits.remove(.sparse)
    return options
  }

  package func has(_ trait: SimulationTrait) -> Bool { traits.contains(trait) }
}

extension SimulationOptions: CustomStringConvertible {
  package var description: String {
    let names = SimulationTrait.allCases.filter(has).map(\.rawValue)
    return [
      "seed \(seed)", "nodes \(nodeCount)", "safety \(safetyTime.wholeMilliseconds / 1_000) s",
      "edit every \(editInterval.wholeMilliseconds) ms",
      "fault every \(faultInterval.wholeMilliseconds) ms",
      "latency \(latencyMin.wholeMilliseconds)-\(latencyMax.wholeMilliseconds) ms",
      "loss \(lossPerMille)/1000", "breaks \(breakPerMyriad)/10000",
      "disk to \(diskDelayMax.wholeMilliseconds) ms",
      "with \(names.joined(separator: ","))",
      days.map {
        "days: history \($0.historyDays), silent \($0.silentDays), stretches \($0.stretches)"
      } ?? "no days",
    ].joined(separator: ", ")
  }
}

/// `earlier` + `later`, stopping at the end of the range.
func + (earlier: Delay, later: Delay) -> Delay {
  let (sum, overflow) = earlier.nanoseconds.addingReportingOverflow(later.nanoseconds)
  return Delay(nanoseconds: overflow ? .max : sum)
}
