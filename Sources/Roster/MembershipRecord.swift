// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import WireCodec

/// What a member may do.
package enum Role: UInt8, Hashable, Sendable, CaseIterable {
  /// May also change the roster.
  case admin = 1
  case member = 2
  /// Its changes are ignored by everyone.
  case reader = 3
}

/// The kind of a membership record's hash.
package enum RecordHashKind {}
/// SHA-256 of a record's body and signature.
package typealias RecordHash = Bytes32<RecordHashKind>

/// One signed fact about who belongs to a space (`docs/WIRE.md`, "Membership records").
package struct MembershipRecord: Hashable, Sendable {
  package enum Body: Hashable, Sendable {
    /// Opens a space. The signer is its first admin; `recoveryKey` outranks admins.
    case genesis(name: Text, recoveryKey: [UInt8], discoveryKey: [UInt8], salt: UInt64)
    case add(publicKey: [UInt8], name: Text, role: Role)
    /// The signer's own display name, or another member's by an admin.
    case rename(DeviceID, name: Text)
    case role(DeviceID, Role)
    /// Per session of the removed device the last accepted change; renews the discovery key. What
    /// the device itself is told is the notice (`RemovalNotice`): it gets no record any more.
    case remove(DeviceID, cutoffs: [Tip], discoveryKey: [UInt8], notice: [UInt8])
    /// Accepts more of a removed device: what has left the signer's log cannot be taken back.
    case raise(DeviceID, cutoffs: [Tip])
  }

  /// Ed25519 public key of the signer, 32 bytes.
  package let signer: [UInt8]
  /// Hashes of the records that the signer had as heads; empty only for genesis. Ascending.
  package let parents: [RecordHash]
  package let body: Body
  /// The bytes that are stored, sent and hashed: content ‖ signature.
  package let bytes: [UInt8]
  package let hash: RecordHash

  package static let format: UInt8 = 1
  package static let bytesMax = 16 * 1024
  package static let nameBytesMax = 128
  package static let parentsMax = 64
  package static let cutoffsMax = 240
  package static let keyBytes = 32
  package static let signatureBytes = 64

  /// Makes and signs a record with the suite's device key.
  package init(signing body: Body, parents: [RecordHash], crypto: some CryptoSuite) {
    self.body = body
    self.parents = parents.sorted()
    signer = crypto.publicKey
    let content = Self.encode(body, parents: self.parents, signer: signer)
    bytes = content + crypto.sign(Array("hedgerow member 1".utf8) + content)
    hash = crypto.hash32(bytes)
  }

  /// Reads a record and checks its signature.
  package init(decoding bytes: [UInt8], crypto: some CryptoSuite) throws(DecodeError) {
    guard bytes.count <= Self.bytesMax else {
      throw .overLimit(at: 0, limit: UInt64(Self.bytesMax))
    }
    guard bytes.count > 64 else { throw .truncated(at: bytes.count) }
    let content = Array(bytes.dropLast(64))
    var reader = ByteReader(content)
    let format = try reader.byte()
    guard format == Self.format else { throw .unknownTag(UInt64(format), at: 0) }
    signer = Array(try reader.take(Self.keyBytes))
    var parents: [RecordHash] = []
    for _ in 0..<(try reader.count(max: Self.parentsMax, each: 32)) {
      let at = reader.offset
      let parent = try reader.bytes32(RecordHash.self)
      if let last = parents.last, last >= parent { throw .notCanonical(at: at) }
      parents.append(parent)
    }
    self.parents = parents
    body = try Self.decodeBody(&reader)
    try reader.finish()
    guard
      crypto.verify(
        signature: Array(bytes.suffix(64)), message: Array("hedgerow member 1".utf8) + content,
        publicKey: signer)
    else { throw .badSignature }
    self.bytes = bytes
    hash = crypto.hash32(bytes)
  }

  private static func encode(_ body: Body, parents: [RecordHash], signer: [UInt8]) -> [UInt8] {
    var out = ByteWriter(reserving: 256)
    out.byte(format)
    out.raw(signer)
    out.varint(parents.count)
    for parent in parents { out.bytes32(parent) }
    switch body {
    case .genesis(let name, let recoveryKey, let discoveryKey, let salt):
      out.byte(1)
      out.block(name.utf8)
      out.raw(recoveryKey)
      out.raw(discoveryKey)
      out.bigEndian(salt)
    case .add(let publicKey, let name, let role):
      out.byte(2)
      out.raw(publicKey)
      out.block(name.utf8)
      out.byte(role.rawValue)
    case .rename(let device, let name):
      out.byte(3)
      out.bytes32(device)
      out.block(name.utf8)
    case .role(let device, let role):
      out.byte(4)
      out.bytes32(device)
      out.byte(role.rawValue)
    case .remove(let device, let cutoffs, let discoveryKey, let notice):
      out.byte(5)
      out.bytes32(device)
      out.varint(cutoffs.count)
      for tip in cutoffs { out.tip(tip) }
      out.raw(discoveryKey)
      out.raw(notice)
    case .raise(let device, let cutoffs):
      out.byte(6)
      out.bytes32(device)
      out.varint(cutoffs.count)
      for tip in cutoffs { out.tip(tip) }
    }
    return out.bytes
  }

  private static func decodeBody(_ reader: inout ByteReader) throws(DecodeError) -> Body {
    let at = reader.offset
    switch try reader.byte() {
    case 1:
      return .genesis(
        name: try reader.text(max: nameBytesMax), recoveryKey: Array(try reader.take(keyBytes)),
        discoveryKey: Array(try reader.take(keyBytes)), salt: try reader.bigEndian(UInt64.self))
    case 2:
      return .add(
        publicKey: Array(try reader.take(keyBytes)), name: try reader.text(max: nameBytesMax),
        role: try readRole(&reader))
    case 3:
      return .rename(
        try reader.bytes32(DeviceID.self), name: try reader.text(max: nameBytesMax))
    case 4: return .role(try reader.bytes32(DeviceID.self), try readRole(&reader))
    case 5:
      return .remove(
        try reader.bytes32(DeviceID.self), cutoffs: try readCutoffs(&reader),
        discoveryKey: Array(try reader.take(keyBytes)),
        notice: Array(try reader.take(signatureBytes)))
    case 6:
      return .raise(try reader.bytes32(DeviceID.self), cutoffs: try readCutoffs(&reader))
    case let other: throw .unknownTag(UInt64(other), at: at)
    }
  }

  private static func readCutoffs(_ reader: inout ByteReader) throws(DecodeError) -> [Tip] {
    var cutoffs: [Tip] = []
    for _ in 0..<(try reader.count(max: cutoffsMax, each: 56)) { cutoffs.append(try reader.tip()) }
    return cutoffs
  }

  private static func readRole(_ reader: inout ByteReader) throws(DecodeError) -> Role {
    let at = reader.offset
    let byte = try reader.byte()
    guard let role = Role(rawValue: byte) else { throw .unknownTag(UInt64(byte), at: at) }
    return role
  }
}
