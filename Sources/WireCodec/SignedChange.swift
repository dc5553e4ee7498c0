// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// A change as it is stored, sent and hashed: body and signature, byte for byte.
package struct SignedChange: Hashable, Sendable {
  /// Body ‖ 64 bytes of signature; at most `bytesMax`.
  package let bytes: [UInt8]
  /// SHA-256 of `bytes`.
  package let hash: ChangeHash
  package let change: Change

  package static let bytesMax = Limits.changeBytesMax + ChangeCodec.signatureBytes

  package var body: ArraySlice<UInt8> { bytes.dropLast(ChangeCodec.signatureBytes) }
  package var signature: ArraySlice<UInt8> { bytes.suffix(ChangeCodec.signatureBytes) }

  /// Encodes and signs. The body must not exceed `Limits.changeBytesMax`.
  package init(signing change: Change, space: SpaceID, crypto: some CryptoSuite) {
    let body = ChangeCodec.encode(change)
    precondition(body.count <= Limits.changeBytesMax, "a change of \(body.count) bytes")
    bytes = body + crypto.sign(Self.message(space: space, body: body))
    hash = crypto.hash32(bytes)
    self.change = change
  }

  /// Reads body and signature, and checks the session id of a first change. Does not verify the
  /// signature: a run is verified once, at its end (`core.md` 5.1).
  package init(decoding bytes: [UInt8], crypto: some CryptoSuite) throws(DecodeError) {
    guard bytes.count > ChangeCodec.signatureBytes else { throw .truncated(at: bytes.count) }
    guard bytes.count <= Self.bytesMax else {
      throw .overLimit(at: 0, limit: UInt64(Self.bytesMax))
    }
    let change = try ChangeCodec.decode(Array(bytes.dropLast(ChangeCodec.signatureBytes)))
    if let head = change.head, crypto.sessionID(head) != change.session { throw .sessionMismatch }
    self.bytes = bytes
    self.change = change
    hash = crypto.hash32(bytes)
  }

  /// Whether the signature is by `publicKey`, for this space.
  package func isSigned(
    by publicKey: [UInt8], space: SpaceID, crypto: some CryptoSuite
  ) -> Bool {
    crypto.verify(
      signature: Array(signature), message: Self.message(space: space, body: Array(body)),
      publicKey: publicKey)
  }

  private static func message(space: SpaceID, body: [UInt8]) -> [UInt8] {
    var message = Array("hedgerow change 1".utf8)
    space.append(to: &message)
    message.append(contentsOf: body)
    return message
  }
}

/// A stretch of one session on the wire: after the first change, what the receiver can rebuild
/// (session and `prev`) is left out (`docs/WIRE.md`, "Runs").
package enum RunCodec {
  /// Where the session ends in a body: behind the format byte.
  private static let sessionEnd = 17
  private static let prevBytes = 32

  /// The bytes of a run of consecutive changes of one session; not empty.
  package static func encode(_ changes: [[UInt8]]) -> [UInt8] {
    var out = ByteWriter(reserving: changes.reduce(16) { $0 + $1.count })
    out.varint(changes.count)
    for (at, bytes) in changes.enumerated() {
      if at == 0 {
        out.block(bytes)
        continue
      }
      var reader = ByteReader(Array(bytes[sessionEnd...]))
      let seqBytes: Int
      do {
        _ = try reader.varint()
        seqBytes = reader.offset
      } catch { preconditionFailure("a stored change without a seq") }
      let prevEnd = sessionEnd + seqBytes + prevBytes
      out.varint(bytes.count - (sessionEnd - 1) - prevBytes)
      out.byte(bytes[0])
      out.raw(bytes[sessionEnd..<sessionEnd + seqBytes])
      out.raw(bytes[prevEnd...])
    }
    return out.bytes
  }

  /// Rebuilds the changes of a run, in order. Checks shape and chain, no signature.
  package static func decode(
    _ bytes: [UInt8], crypto: some CryptoSuite
  ) throws(DecodeError) -> [SignedChange] {
    var reader = ByteReader(bytes)
    let count = try reader.count(max: bytes.count, each: 2)
    guard count > 0 else { throw .notCanonical(at: 0) }
    var out: [SignedChange] = []
    for at in 0..<count {
      let block = try reader.block(max: SignedChange.bytesMax)
      guard let last = out.last, at > 0 else {
        out.append(try SignedChange(decoding: block, crypto: crypto))
        continue
      }
      var inner = ByteReader(block)
      var whole: [UInt8] = [try inner.byte()]
      last.change.session.append(to: &whole)
      let seqStart = inner.offset
      let seq = try inner.varint()
      guard seq == last.change.seq &+ 1 else { throw .notCanonical(at: reader.offset) }
      whole.append(contentsOf: block[seqStart..<inner.offset])
      last.hash.append(to: &whole)
      whole.append(contentsOf: block[inner.offset...])
      out.append(try SignedChange(decoding: whole, crypto: crypto))
    }
    try reader.finish()
    return out
  }
}
