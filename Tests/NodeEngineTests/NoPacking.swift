// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import WireCodec

/// Blocks stay as they are.
struct NoPacking: Packer {
  func pack(_ bytes: [UInt8]) -> [UInt8] { bytes + [0] }
  func unpack(_ bytes: [UInt8], size: Int) throws(DecodeError) -> [UInt8] {
    guard bytes.count == size else { throw .badPacking }
    return bytes
  }
}
