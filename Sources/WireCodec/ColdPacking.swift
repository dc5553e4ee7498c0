// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// Cold items lie in memory in the columns of an image, packed.
package struct ColdPacking: ChunkPacking {
  private let packer: any Packer

  package init(_ packer: any Packer) { self.packer = packer }

  package func pack(_ chunk: ItemChunk) -> [UInt8] {
    let plain = ImageCodec.columns(of: chunk)
    let packed = packer.pack(plain)
    var out = ByteWriter(reserving: packed.count + 8)
    let isPacked = packed.count < plain.count
    out.varint(isPacked ? plain.count : 0)
    out.raw(isPacked ? packed : plain)
    return out.bytes
  }

  package func unpack(_ bytes: [UInt8]) -> ItemChunk? {
    var reader = ByteReader(bytes)
    guard let size = try? reader.varint(max: ImageCodec.blockBytesMax),
      let rest = try? reader.take(reader.left)
    else { return nil }
    let plain = size == 0 ? Array(rest) : try? packer.unpack(Array(rest), size: size)
    guard let plain else { return nil }
    var columns = ByteReader(plain)
    return try? ChunkColumns.read(&columns)
  }
}
