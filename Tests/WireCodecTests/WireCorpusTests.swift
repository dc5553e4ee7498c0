// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Simulator
import Testing
import Workbench

/// Bytes that nobody wrote in earnest: cut, flipped, mutated. Nothing traps, and what is taken means
/// what it says.
@Suite struct WireCorpusTests {
  @Test(arguments: WireFuzz.targets.map(\.name))
  func `every prefix and every changed byte is refused or read as written`(_ name: String) throws {
    let target = try #require(WireFuzz.targets.first { $0.name == name })
    for seed in target.seeds {
      #expect(target.body(seed) == nil)
      for end in seed.indices { #expect(target.body(Array(seed[..<end])) == nil, "cut at \(end)") }
      for at in seed.indices {
        for flip: UInt8 in [0x01, 0x80, 0xFF] {
          var bytes = seed
          bytes[at] ^= flip
          #expect(target.body(bytes) == nil, "byte \(at) flipped by \(flip)")
        }
      }
    }
  }

  @Test(arguments: WireFuzz.targets.map(\.name))
  func `mutated bytes are refused or read as written`(_ name: String) throws {
    let target = try #require(WireFuzz.targets.first { $0.name == name })
    var random = SplitMix64(seed: 20, stream: name)
    for _ in 0..<4000 {
      let bytes = WireFuzz.mutated(random.pick(target.seeds), &random)
      #expect(target.body(bytes) == nil, "\(bytes)")
    }
  }
}
