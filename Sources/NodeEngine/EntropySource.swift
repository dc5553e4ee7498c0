// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Where the engine's randomness comes from: the kernel in the agent, a seed in tests.
package protocol EntropySource: RandomNumberGenerator, Sendable {}

/// Holds any source, so that the engine is one type.
package struct Entropy: EntropySource {
  private var source: any EntropySource

  package init(_ source: any EntropySource) { self.source = source }

  package mutating func next() -> UInt64 { source.next() }

  /// `count` fresh bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }

  /// A nonce for a change: neither 0 nor all ones.
  package mutating func nonce() -> UInt64 {
    var word = next()
    while word == 0 || word == .max { word = next() }
    return word
  }
}
