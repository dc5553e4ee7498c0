// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine
import WireCodec

/// Blocks stay as they are.
struct NoPacking: Packer {
  func pack(_ bytes: [UInt8]) -> [UInt8] { bytes + [0] }
  func unpack(_ bytes: [UInt8], size: Int) throws(DecodeError) -> [UInt8] {
    guard bytes.count == size else { throw .badPacking }
    return bytes
  }
}

/// Numbers that follow from a seed.
struct SeededEntropy: EntropySource {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
