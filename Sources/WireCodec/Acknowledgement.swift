// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// What one member says to hold on its disk, signed, so that others can pass it on
/// (`docs/WIRE.md`, "Acknowledgements"). Good for the log floor and for nothing else: a restored or
/// copied device may say what another copy of it holds.
package struct Acknowledgement: Hashable, Sendable {
  package static let format: UInt8 = 1
  package static let signatureBytes = 64

  package let device: DeviceID
  /// Of two by one device the higher one counts.
  package let number: UInt64
  /// The roster under which it holds them.
  package let rosterHeads: [RosterHead]
  /// At most `FrameLimits.tipsMax`.
  package let tips: [Tip]
  /// All of it with its signature.
  package let bytes: [UInt8]

  /// Signs what this device holds.
  package init(
    number: UInt64, rosterHeads: [RosterHead], tips: [Tip], space: SpaceID,
    crypto: some CryptoSuite
  ) {
    (device, self.number, self.rosterHeads, self.tips) = (
      crypto.deviceID, number, rosterHeads, tips
    )
    var out = ByteWriter(reserving: 128 + 56 * tips.count)
    out.byte(Self.format)
    out.bytes32(device)
    out.bigEndian(number)
    out.varint(rosterHeads.count)
    for head in rosterHeads { out.bytes32(head) }
    out.varint(tips.count)
    for tip in tips { out.tip(tip) }
    bytes = out.bytes + crypto.sign(Self.message(space, out.bytes))
  }

  /// Reads one; whether it is signed is for `isSigned` to say.
  package init(decoding bytes: [UInt8]) throws(DecodeError) {
    guard bytes.count > Self.signatureBytes else { throw .truncated(at: bytes.count) }
    var reader = ByteReader(Array(bytes.dropLast(Self.signatureBytes)))
    let format = try reader.byte()
    guard format == Self.format else { throw .unknownTag(UInt64(format), at: 0) }
    device = try reader.bytes32(DeviceID.self)
    number = try reader.bigEndian(UInt64.self)
    var heads: [RosterHead] = []
    for _ in 0..<(try reader.count(max: FrameLimits.rosterHeadsMax, each: 32)) {
      heads.append(try reader.bytes32(RosterHead.self))
    }
    var tips: [Tip] = []
    for _ in 0..<(try reader.count(max: FrameLimits.tipsMax, each: 56)) {
      tips.append(try reader.tip())
    }
    try reader.finish()
    (rosterHeads, self.tips, self.bytes) = (heads, tips, bytes)
  }

  /// Whether the holder of `publicKey` signed it, for this space.
  package func isSigned(
    by publicKey: [UInt8], space: SpaceID, crypto: some CryptoSuite
  ) -> Bool {
    crypto.verify(
      signature: Array(bytes.suffix(Self.signatureBytes)),
      message: Self.message(space, Array(bytes.dropLast(Self.signatureBytes))),
      publicKey: publicKey)
  }

  private static func message(_ space: SpaceID, _ body: [UInt8]) -> [UInt8] {
    var message = Array("hedgerow held 1".utf8)
    space.append(to: &message)
    message.append(contentsOf: body)
    return message
  }
}
