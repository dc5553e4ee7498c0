// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine
import Simulator

/// Shrinks a run that fails: leaves out traits, machines, faults and edits as long as it still fails.
///
/// Every try is a process of its own, so that runs which trap can be shrunk too. At most `triesMax`
/// tries.
struct SimMinimiser {
  private static let triesMax = 400

  private var options: SimulationOptions
  private var tries = 0

  init(_ options: SimulationOptions) { self.options = options }

  /// - Returns: 1 with the smallest command found; 0 if the run does not fail at all.
  func run() -> Int32 {
    var search = self
    guard let whole = search.failing(options) else {
      print("seed \(options.seed) does not fail")
      return 0
    }
    search.dropTraits()
    search.dropRanges(\.skippedFaults, count: max(whole.drawnFaults, 400))
    search.dropRanges(\.skippedEdits, count: max(whole.drawnEdits, 400))
    let last = search.failing(search.options)
    for sentence in last?.failures.prefix(5) ?? [] { print("  \(sentence)") }
    print("after \(search.tries) tries: \(search.options)")
    print("swift run -c release dev sim " + Self.words(search.options).joined(separator: " "))
    return 1
  }

  /// The outcome of a failing run, else `nil`.
  private mutating func failing(_ options: SimulationOptions) -> Simulation.Outcome? {
    guard tries < Self.triesMax else { return nil }
    tries += 1
    let workers = SimWorkers(shaping: Array(Self.words(options).dropFirst(2)))
    let outcome = workers.run(options.seed, options.seed).first
    return outcome.flatMap { $0.failures.isEmpty ? nil : $0 }
  }

  private mutating func dropTraits() {
    for trait in SimulationTrait.allCases where options.has(trait) {
      var smaller = options
      smaller.traits.remove(trait)
      if failing(smaller) != nil { options = smaller }
    }
    for nodes in 3..<options.nodeCount {
      var smaller = options
      smaller.nodeCount = nodes
      if failing(smaller) != nil {
        options = smaller
        break
      }
    }
  }

  /// Leaves out stretches of 0..<`count`, half of it first, then ever smaller ones.
  private mutating func dropRanges(
    _ path: WritableKeyPath<SimulationOptions, [ClosedRange<Int>]>, count: Int
  ) {
    var size = (count + 1) / 2
    while size >= 1 && tries < Self.triesMax {
      var start = 0
      while start < count {
        let range = start...min(start + size, count) - 1
        start += size
        if options[keyPath: path].contains(where: { $0.contains(range.lowerBound) }) { continue }
        var smaller = options
        smaller[keyPath: path] = Self.adding(range, to: options[keyPath: path])
        if failing(smaller) != nil { options = smaller }
      }
      size /= 2
    }
  }

  private static func adding(
    _ range: ClosedRange<Int>, to ranges: [ClosedRange<Int>]
  ) -> [ClosedRange<Int>] {
    var out: [ClosedRange<Int>] = []
    for next in (ranges + [range]).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = out.last, next.lowerBound <= last.upperBound + 1 {
        out[out.count - 1] = last.lowerBound...max(last.upperBound, next.upperBound)
      } else {
        out.append(next)
      }
    }
    return out
  }

  /// The words that say how `options` differ from what their seed draws.
  private static func words(_ options: SimulationOptions) -> [String] {
    let drawn =
      options.hasCopies
      ? SimulationOptions.copies(seed: options.seed) : SimulationOptions(seed: options.seed)
    let without = SimulationTrait.allCases.filter { drawn.has($0) && !options.has($0) }
    func text(_ ranges: [ClosedRange<Int>]) -> String {
      ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
    }
    var words = ["--seed", "\(options.seed)"]
    if options.hasCopies { words += ["--copies", "yes"] }
    if options.nodeCount != drawn.nodeCount { words += ["--nodes", "\(options.nodeCount)"] }
    if options.safetyTime != drawn.safetyTime {
      words += ["--safety", "\(options.safetyTime.wholeMilliseconds / 1_000)"]
    }
    if !without.isEmpty {
      words += ["--without", without.map(\.rawValue).joined(separator: ",")]
    }
    if !options.skippedEdits.isEmpty { words += ["--skip-edits", text(options.skippedEdits)] }
    if !options.skippedFaults.isEmpty { words += ["--skip-faults", text(options.skippedFaults)] }
    return words
  }
}
