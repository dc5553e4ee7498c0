// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// The bytes of checkpoints and snapshots: a header and chunks of items as columns
/// (`docs/WIRE.md`, "Images").
///
/// Columns are written as differences to what they usually follow, so that equal neighbours become
/// runs of small numbers, and each block is packed where that makes it smaller.
package enum ImageCodec {
  package static let format: UInt8 = 1
  /// What one block may unpack to.
  package static let blockBytesMax = 256 * 1024 * 1024
  package static let sessionsMax = 1 << 20

  package static func encode(
    _ header: ReplicaHeader, crypto: some CryptoSuite, packer: some Packer
  ) -> [UInt8] {
    seal(columns(of: header), crypto: crypto, packer: packer)
  }

  package static func encode(
    _ chunk: ItemChunk, crypto: some CryptoSuite, packer: some Packer
  ) -> [UInt8] {
    seal(columns(of: chunk), crypto: crypto, packer: packer)
  }

  /// Reads what `encode` made of a header; bounded, never traps.
  package static func decodeHeader(
    _ bytes: [UInt8], crypto: some CryptoSuite, packer: some Packer
  ) throws(DecodeError) -> ReplicaHeader {
    var reader = ByteReader(try open(bytes, crypto: crypto, packer: packer))
    let header = try HeaderColumns.read(&reader)
    try reader.finish()
    return header
  }

  /// Reads what `encode` made of a chunk; bounded, never traps.
  package static func decodeChunk(
    _ bytes: [UInt8], crypto: some CryptoSuite, packer: some Packer
  ) throws(DecodeError) -> ItemChunk {
    var reader = ByteReader(try open(bytes, crypto: crypto, packer: packer))
    let chunk = try ChunkColumns.read(&reader)
    try reader.finish()
    return chunk
  }

  /// What the block of a header holds once it is unpacked.
  package static func columns(of header: ReplicaHeader) -> [UInt8] {
    var out = ByteWriter(reserving: 4096)
    HeaderColumns.write(header, to: &out)
    return out.bytes
  }

  /// What the block of a chunk holds once it is unpacked.
  package static func columns(of chunk: ItemChunk) -> [UInt8] {
    var out = ByteWriter(reserving: 64 * 1024)
    ChunkColumns.write(chunk, to: &out)
    return out.bytes
  }

  // MARK: Blocks

  /// Puts columns into a block: format, size, packed or not, hash of the plain bytes, bytes.
  package static func seal(
    _ plain: [UInt8], crypto: some CryptoSuite, packer: some Packer
  ) -> [UInt8] {
    let packed = packer.pack(plain)
    let isPacked = packed.count < plain.count
    var out = ByteWriter(reserving: min(packed.count, plain.count) + 48)
    out.byte(format)
    out.varint(plain.count)
    out.flag(isPacked)
    out.raw(crypto.sha256(plain))
    out.raw(isPacked ? packed : plain)
    return out.bytes
  }

  private static func open(
    _ bytes: [UInt8], crypto: some CryptoSuite, packer: some Packer
  ) throws(DecodeError) -> [UInt8] {
    var reader = ByteReader(bytes)
    let format = try reader.byte()
    guard format == Self.format else { throw .unknownTag(UInt64(format), at: 0) }
    let size = try reader.varint(max: blockBytesMax)
    let isPacked = try reader.flag()
    let hash = Array(try reader.take(32))
    let rest = Array(try reader.take(reader.left))
    let plain = isPacked ? try packer.unpack(rest, size: size) : rest
    guard plain.count == size, crypto.sha256(plain) == hash else { throw .badPacking }
    return plain
  }
}
