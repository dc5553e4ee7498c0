// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Simulator

extension Verb {
  /// Checks the laws of keys, clock, codecs and roster that a simulated home meets too seldom, over
  /// so many seeds (20 unless told otherwise). Prints what is broken and exits 1 if anything is.
  static let laws = Verb(name: "laws", usage: "laws [SEEDS]") { arguments in
    guard arguments.count <= 1, let seeds = arguments.first.map({ UInt64($0) }) ?? 20, seeds > 0
    else {
      Main.complain("usage: dev laws [SEEDS]\n")
      return 2
    }
    var broken = 0
    for law in CoreLaws.all {
      for seed in 1...seeds {
        guard let finding = law.check(seed) else { continue }
        broken += 1
        print("law of \(law.name) broken at seed \(seed):\n  \(finding)")
        break
      }
    }
    print("laws: \(CoreLaws.all.count) over \(seeds) seeds, broken \(broken)")
    return broken == 0 ? 0 : 1
  }
}
