// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine
package import Workbench

/// A seed in the place of the kernel's randomness: not fit for secrets.
package struct SeededEntropy: EntropySource {
  private var generator: SplitMix64

  package init(_ generator: SplitMix64) { self.generator = generator }

  /// Equal seeds give equal numbers.
  package init(seed: UInt64) { self.init(SplitMix64(seed: seed)) }

  package mutating func next() -> UInt64 { generator.next() }
}
