// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Fuzzing
import Simulator
import Workbench

extension Verb {
  /// Gives mutated bytes to every decoder, or to one; prints each finding with its input and exits 1
  /// if any. An input that takes longer than a second is a finding too.
  static let fuzz = Verb(name: "fuzz", usage: "fuzz COUNT [SEED [TARGET]]") { arguments in
    let named = arguments.count == 3 ? FuzzTargets.named(arguments[2]) : nil
    guard (1...3).contains(arguments.count), let count = Int(arguments[0]),
      let seed = arguments.count > 1 ? UInt64(arguments[1]) : 1,
      arguments.count < 3 || named != nil
    else {
      Main.complain(
        "usage: dev fuzz COUNT [SEED [TARGET]]   "
          + "targets: \(FuzzTargets.all.map(\.name).joined(separator: " "))\n")
      return 2
    }
    var findings = 0
    for target in named.map({ [$0] }) ?? FuzzTargets.all {
      var random = SplitMix64(seed: seed, stream: target.name)
      for _ in 0..<count {
        let bytes = WireFuzz.mutated(random.pick(target.seeds), &random)
        let clock = ContinuousClock()
        let start = clock.now
        let finding = target.body(bytes)
        let isSlow = clock.now - start > .seconds(1)
        guard let sentence = finding ?? (isSlow ? "slow" : nil) else { continue }
        findings += 1
        print("\(target.name): \(sentence): \(bytes)")
      }
      Main.complain("\(target.name): \(count) inputs\n")
    }
    return findings == 0 ? 0 : 1
  }
}
