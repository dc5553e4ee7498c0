// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Simulator

extension Verb {
  /// Runs simulated homes: `--seeds A..B` many, `--seed S` one, with its options first. Ends with
  /// one line; exit 0 if nothing failed.
  static let sim = Verb(name: "sim", usage: "sim --seeds A..B | --seed S") { arguments in
    guard let seeds = seeds(arguments) else {
      Main.complain("usage: dev sim --seeds A..B | --seed S\n")
      return 2
    }
    if seeds.count == 1 { print(SimulationOptions(seed: seeds.lowerBound)) }
    let report = Simulation.run(seeds: seeds)
    for failure in report.failures {
      print("seed \(failure.options.seed) failed: \(failure.options)")
      for sentence in failure.sentences.prefix(10) { print("  \(sentence)") }
      print("  again: \(failure.command)")
    }
    print(report.summary)
    return report.failures.isEmpty ? 0 : 1
  }

  private static func seeds(_ arguments: [String]) -> ClosedRange<UInt64>? {
    guard arguments.count == 2 else { return nil }
    if arguments[0] == "--seed" { return UInt64(arguments[1]).map { $0...$0 } }
    guard arguments[0] == "--seeds" else { return nil }
    let ends = arguments[1].split(separator: ".").compactMap { UInt64($0) }
    guard ends.count == 2, ends[0] <= ends[1] else { return nil }
    return ends[0]...ends[1]
  }
}
