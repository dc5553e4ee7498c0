// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Simulator
import Workbench

extension Verb {
  /// Gives mutated bytes to every decoder; prints each finding with its input and exits 1 if any.
  static let fuzz = Verb(name: "fuzz", usage: "fuzz COUNT [SEED]") { arguments in
    guard (1...2).contains(arguments.count), let count = Int(arguments[0]),
      let seed = arguments.count == 2 ? UInt64(arguments[1]) : 1
    else {
      Main.complain("usage: dev fuzz COUNT [SEED]\n")
      return 2
    }
    var findings = 0
    for target in WireFuzz.targets {
      var random = SplitMix64(seed: seed, stream: target.name)
      for _ in 0..<count {
        let bytes = WireFuzz.mutated(random.pick(target.seeds), &random)
        guard let finding = target.body(bytes) else { continue }
        findings += 1
        print("\(target.name): \(finding): \(bytes)")
      }
      Main.complain("\(target.name): \(count) inputs\n")
    }
    return findings == 0 ? 0 : 1
  }
}
