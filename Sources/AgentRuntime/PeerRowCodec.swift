// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec

/// Rows of the `peers` table and the list of fixed peers, as bytes (`docs/STORAGE.md`, "Peers").
enum PeerRowCodec {
  static let format: UInt8 = 1
  private static let endpointsMax = 64
  private static let tipsMax = 1 << 20

  static func encode(_ row: PeerRow) -> [UInt8] {
    var out = ByteWriter(reserving: 128)
    out.byte(format)
    out.bytes32(row.device)
    write(row.endpoints, to: &out)
    out.varint(row.acknowledged.tips.count)
    for tip in row.acknowledged.tips { out.tip(tip) }
    out.flag(row.lastContact != nil)
    out.zigzag(row.lastContact?.milliseconds ?? 0)
    out.block(row.version.utf8)
    out.varint(row.heardDay)
    out.varint(row.rosterHeads.count)
    for head in row.rosterHeads { out.bytes32(head) }
    out.block(row.statement)
    return out.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(DecodeError) -> PeerRow {
    var reader = ByteReader(bytes)
    let format = try reader.byte()
    guard format == Self.format else { throw .unknownTag(UInt64(format), at: 0) }
    var row = PeerRow(device: try reader.bytes32(DeviceID.self))
    row.endpoints = try readEndpoints(&reader)
    var tips: [Tip] = []
    for _ in 0..<(try reader.count(max: tipsMax, each: 56)) { tips.append(try reader.tip()) }
    row.acknowledged = VersionVector(tips: tips)
    let hasContact = try reader.flag()
    let contact = try reader.zigzag()
    if hasContact { row.lastContact = WallTime(milliseconds: contact) }
    row.version = String(decoding: try reader.block(max: 64), as: UTF8.self)
    row.heardDay = UInt32(try reader.varint(max: Int(UInt32.max)))
    for _ in 0..<(try reader.count(max: FrameLimits.rosterHeadsMax, each: 32)) {
      row.rosterHeads.append(try reader.bytes32(RosterHead.self))
    }
    row.statement = try reader.block(max: FrameLimits.frameBytesMax)
    if !row.statement.isEmpty {
      row.statementNumber = try Acknowledgement(decoding: row.statement).number
    }
    try reader.finish()
    return row
  }

  static func encode(_ endpoints: [Endpoint]) -> [UInt8] {
    var out = ByteWriter()
    write(endpoints, to: &out)
    return out.bytes
  }

  static func decodeEndpoints(_ bytes: [UInt8]) throws(DecodeError) -> [Endpoint] {
    var reader = ByteReader(bytes)
    let endpoints = try readEndpoints(&reader)
    try reader.finish()
    return endpoints
  }

  private static func write(_ endpoints: [Endpoint], to out: inout ByteWriter) {
    let kept = endpoints.prefix(endpointsMax)
    out.varint(kept.count)
    for endpoint in kept {
      out.block(endpoint.address)
      out.bigEndian(endpoint.port)
      out.bigEndian(endpoint.scope)
    }
  }

  private static func readEndpoints(_ reader: inout ByteReader) throws(DecodeError) -> [Endpoint] {
    var endpoints: [Endpoint] = []
    for _ in 0..<(try reader.count(max: endpointsMax, each: 11)) {
      let at = reader.offset
      let address = try reader.block(max: 16)
      let (port, scope) = (try reader.bigEndian(UInt16.self), try reader.bigEndian(UInt32.self))
      guard let endpoint = Endpoint(address: address, port: port, scope: scope) else {
        throw .notCanonical(at: at)
      }
      endpoints.append(endpoint)
    }
    return endpoints
  }
}
