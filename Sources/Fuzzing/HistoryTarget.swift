// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Simulator
import Workbench

extension FuzzTargets {
  /// Bytes as the choices of a made-up history: what authors write, what they hear of, in which order
  /// a replica gets it. The live replica must agree with the oracle, and its journal with the past.
  static let history = WireFuzz.Target(
    name: "history",
    seeds: (0..<8).map { start in (0..<200).map { UInt8(truncatingIfNeeded: $0 * 37 + start * 91) }
    }
  ) { bytes in
    var random = SplitMix64(choices: bytes)
    let authors = 2 + random.below(3)
    let history = RandomHistory(random: random, authorCount: authors, steps: 6 + bytes.count / 16)
    var pair = ReplicaComparison()
    for index in history.deliveryOrder(&random) { pair.fold(history.entries[index]) }
    return (pair.differences() + pair.journalDifferences()).first
  }
}
