// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine
import Workbench

/// How days go by in a run, drawn from a stream of its own so that other options keep their seeds.
package struct DayOptions: Hashable, Sendable {
  package var historyDays: UInt32
  package var silentDays: UInt32
  /// Stretches of days after the faults of the first phase.
  package var stretches: Int

  /// `nil` in most runs: all of it happens on one day then.
  package init?(seed: UInt64) {
    var random = SplitMix64(seed: seed, stream: "days")
    guard random.chance(20) else { return nil }
    historyDays = random.pick([0, 1, 1, 30])
    silentDays = random.pick([0, 1, 3, 60])
    stretches = 1 + random.below(2)
  }
}

/// Days that go by: machines that are off for a year, halves that do not meet for months.
extension World {
  private enum Absence {
    case nobody, machine(Int), halves
  }

  /// Lets days pass between the phase of faults and the mending; people go on editing.
  mutating func passDays(_ days: DayOptions) {
    for _ in 0..<days.stretches {
      let count = dayRandom.pick([2, 8, 40, 70, 400])
      let absence: Absence = dayRandom.pick([
        .nobody, .machine(dayRandom.below(nodes.count)), .machine(dayRandom.below(nodes.count)),
        .halves,
      ])
      begin(absence)
      for _ in 0..<count where failures.isEmpty {
        passDay()
        advance(to: now + .milliseconds(count > 100 ? 50 : 200))
      }
      end(absence)
      advance(to: now + .seconds(UInt64(dayRandom.pick([1, 20]))))
    }
  }

  /// The date moves on, and every machine that runs looks at the clock.
  mutating func passDay() {
    dayOffset += 1
    for node in nodes.indices { feed(.deadline, to: node) }
  }

  private mutating func begin(_ absence: Absence) {
    faults += 1
    switch absence {
    case .nobody: break
    case .machine(let node): stop(node, isKilled: dayRandom.chance(50))
    case .halves: network.split(into: nodes.indices.map { _ in dayRandom.below(2) })
    }
  }

  private mutating func end(_ absence: Absence) {
    switch absence {
    case .nobody: break
    case .machine(let node): start(node)
    case .halves: healNetwork(among: Array(nodes.indices))
    }
  }

  /// When all are equal and history is short, a few more days empty every log.
  mutating func checkLogsEmpty(_ days: DayOptions) {
    // One that was removed by somebody who is gone himself holds the log, as any silent member does.
    guard days.historyDays <= 1, failures.isEmpty, outsider == nil, !options.hasRemovals,
      !options.has(.bitFlips),
      !options.has(.diskErrors)
    else { return }
    for _ in 0..<2 {
      passDay()
      advance(to: now + .seconds(30))
    }
    advance(to: now + .seconds(60))
    // The log of a snapshot that does not come is given up after a while.
    if nodes.contains(where: { !$0.disk.changes.isEmpty }) {
      advance(to: now + EngineSettings().logTimeMax + .seconds(60))
    }
    for node in nodes.indices {
      let count = nodes[node].disk.changes.count
      if count > 0 { failures.append("node \(node) keeps \(count) changes that all have") }
    }
  }
}
