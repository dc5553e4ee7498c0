// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CZstd
package import WireCodec

/// `Packer` by zstd, level 1: blocks are packed on the way to a disk or a peer, in the loop.
package struct ZstdPacker: Packer {
  private let level: Int32

  /// - Parameter level: 1...19 as of `ZSTD_compress`; 1 is the default of the product.
  package init(level: Int32 = 1) { self.level = level }

  /// `ZSTD_compress` in one call.
  package func pack(_ bytes: [UInt8]) -> [UInt8] {
    let room = ZSTD_compressBound(bytes.count)
    return unsafe [UInt8](unsafeUninitializedCapacity: room) { out, count in
      let written = unsafe bytes.withUnsafeBytes {
        unsafe ZSTD_compress(out.baseAddress, room, $0.baseAddress, $0.count, level)
      }
      // Cannot fail with a buffer of `ZSTD_compressBound`.
      precondition(ZSTD_isError(written) == 0, "ZSTD_compress")
      count = written
    }
  }

  /// `ZSTD_decompress` into a buffer of exactly `size` bytes.
  package func unpack(_ bytes: [UInt8], size: Int) throws(DecodeError) -> [UInt8] {
    var isWhole = false
    let out = unsafe [UInt8](unsafeUninitializedCapacity: max(size, 1)) { out, count in
      let written = unsafe bytes.withUnsafeBytes {
        unsafe ZSTD_decompress(out.baseAddress, size, $0.baseAddress, $0.count)
      }
      isWhole = ZSTD_isError(written) == 0 && written == size
      count = isWhole ? size : 0
    }
    guard isWhole else { throw .badPacking }
    return out
  }
}
