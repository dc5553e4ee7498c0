// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// The canonical bytes of a change (`docs/WIRE.md`, "Change"): one encoding per content.
package enum ChangeCodec {
  package static let format: UInt8 = 1
  package static let signatureBytes = 64

  /// The body: everything but the signature.
  ///
  /// Keys, names and counts must satisfy `Change.defect == nil`.
  package static func encode(_ change: Change) -> [UInt8] {
    var tables = ChangeTables(own: change.nonce)
    var ops = ByteWriter(reserving: 256)
    ops.varint(change.ops.count)
    for op in change.ops { OpCodec.write(op, &tables, to: &ops) }
    var out = ByteWriter(reserving: ops.bytes.count + 256)
    writeHead(change, to: &out)
    tables.write(to: &out)
    out.raw(ops.bytes)
    return out.bytes
  }

  private static func writeHead(_ change: Change, to out: inout ByteWriter) {
    out.byte(format)
    out.bytes16(change.session)
    out.varint(change.seq)
    if let head = change.head {
      out.bytes32(head.device)
      out.bigEndian(head.salt)
      out.flag(head.predecessor != nil)
      if let predecessor = head.predecessor { out.tip(predecessor) }
    }
    out.bytes32(change.prev)
    out.bigEndian(change.h)
    out.varint(change.seen.count)
    for entry in change.seen {
      out.bytes16(entry.dot.session)
      out.varint(entry.dot.seq)
      out.bigEndian(entry.hashPrefix)
    }
    out.bigEndian(change.nonce)
    out.flag(change.group != nil)
    if let group = change.group {
      out.bigEndian(group.id)
      out.varint(group.part)
      out.varint(group.parts)
    }
  }

  /// Reads a body; refuses every encoding that `encode` would not have written.
  ///
  /// Changes with ops of unknown kinds are the exception: what those ops use of the tables cannot be
  /// known, so their tables are taken as they are.
  package static func decode(_ body: [UInt8]) throws(DecodeError) -> Change {
    guard body.count <= Limits.changeBytesMax else {
      throw .overLimit(at: 0, limit: UInt64(Limits.changeBytesMax))
    }
    var reader = ByteReader(body)
    var change = try readHead(&reader)
    let tables = try ChangeTables(own: change.nonce, reading: &reader)
    let count = try reader.count(max: Limits.opsPerChangeMax, each: 2)
    var isKnown = true
    var cells = Limits.cellsPerChangeMax
    for _ in 0..<count {
      let op = try OpCodec.read(&reader, tables, cells: &cells)
      if case .unknown = op { isKnown = false }
      change.ops.append(op)
    }
    try reader.finish()
    if isKnown && encode(change) != body { throw .notCanonical(at: 0) }
    return change
  }

  private static func readHead(_ reader: inout ByteReader) throws(DecodeError) -> Change {
    let format = try reader.byte()
    guard format == Self.format else { throw .unknownTag(UInt64(format), at: 0) }
    let session = try reader.bytes16(SessionID.self)
    let seq = try reader.varint()
    var head: SessionHead?
    if seq == 1 {
      let device = try reader.bytes32(DeviceID.self)
      let salt = try reader.bigEndian(UInt64.self)
      head = SessionHead(
        device: device, salt: salt, predecessor: try reader.flag() ? try reader.tip() : nil)
    }
    let prev = try reader.bytes32(ChangeHash.self)
    let h = try reader.bigEndian(UInt64.self)
    var seen: [SeenEntry] = []
    for _ in 0..<(try reader.count(max: Limits.seenEntriesMax, each: 21)) {
      let at = reader.offset
      let dot = Dot(session: try reader.bytes16(SessionID.self), seq: try reader.varint())
      if let last = seen.last, last.dot.session >= dot.session { throw .notCanonical(at: at) }
      seen.append(SeenEntry(dot: dot, hashPrefix: try reader.bigEndian(UInt32.self)))
    }
    let nonce = try reader.bigEndian(UInt64.self)
    var group: ChangeGroup?
    if try reader.flag() {
      let at = reader.offset
      let id = try reader.bigEndian(UInt64.self)
      let part = try reader.varint(max: Int(UInt32.max))
      let parts = try reader.varint(max: Int(UInt32.max))
      guard part < parts else { throw .badReference(at: at) }
      group = ChangeGroup(id: id, part: UInt32(part), parts: UInt32(parts))
    }
    return Change(
      session: session, seq: seq, head: head, prev: prev, h: h, seen: seen, nonce: nonce,
      group: group, ops: [])
  }
}

/// What ops refer to more than once in a change: nonces, position prefixes, field names, each in
/// order of first use.
struct ChangeTables {
  /// References below this are: own nonce, root, Recovered.
  private static let nonceBase = 3

  let own: UInt64
  private var nonces: [UInt64] = []
  private var prefixes: [Prefix] = []
  private var names: [Text] = []
  private var nonceIndex: [UInt64: Int] = [:]
  private var prefixIndex: [Prefix: Int] = [:]
  private var nameIndex: [Text: Int] = [:]

  struct Prefix: Hashable {
    let bytes: [UInt8]
    let continuesBunch: Bool
  }

  init(own: UInt64) { self.own = own }

  // MARK: Writing

  mutating func write(item: ItemID, to out: inout ByteWriter) {
    if item == .root { return out.varint(1) }
    if item == .recovered { return out.varint(2) }
    if item.nonce == own {
      out.varint(0)
    } else if let known = nonceIndex[item.nonce] {
      out.varint(Self.nonceBase + known)
    } else {
      nonceIndex[item.nonce] = nonces.count
      out.varint(Self.nonceBase + nonces.count)
      nonces.append(item.nonce)
    }
    out.varint(item.index)
  }

  mutating func write(key: PositionKey, to out: inout ByteWriter) {
    guard let run = try? PositionRun(first: key) else {
      preconditionFailure("a key of \(key.bytes.count) bytes that does not parse")
    }
    let prefix = Prefix(bytes: run.prefix, continuesBunch: run.continuesBunch)
    if let known = prefixIndex[prefix] {
      out.varint(known)
    } else {
      prefixIndex[prefix] = prefixes.count
      out.varint(prefixes.count)
      prefixes.append(prefix)
    }
    out.zigzag(run.first)
  }

  mutating func write(field: FieldName, to out: inout ByteWriter) {
    guard case .named(let name) = field else { return out.varint(0) }
    if let known = nameIndex[name] {
      out.varint(1 + known)
    } else {
      nameIndex[name] = names.count
      out.varint(1 + names.count)
      names.append(name)
    }
  }

  func write(to out: inout ByteWriter) {
    out.varint(nonces.count)
    for nonce in nonces { out.bigEndian(nonce) }
    out.varint(prefixes.count)
    for prefix in prefixes {
      out.varint(prefix.bytes.count * 2 + (prefix.continuesBunch ? 1 : 0))
      out.raw(prefix.bytes)
    }
    out.varint(names.count)
    for name in names { out.block(name.utf8) }
  }

  // MARK: Reading

  init(own: UInt64, reading reader: inout ByteReader) throws(DecodeError) {
    self.own = own
    for _ in 0..<(try reader.count(max: Limits.changeBytesMax, each: 8)) {
      nonces.append(try reader.bigEndian(UInt64.self))
    }
    for _ in 0..<(try reader.count(max: Limits.changeBytesMax)) {
      let length = try reader.varint(max: Limits.positionBytesMax * 2 + 1)
      prefixes.append(
        Prefix(bytes: Array(try reader.take(length / 2)), continuesBunch: length % 2 == 1))
    }
    for _ in 0..<(try reader.count(max: Limits.changeBytesMax)) {
      let at = reader.offset
      let name = try reader.text(max: Limits.fieldNameBytesMax)
      guard !name.utf8.isEmpty else { throw .notCanonical(at: at) }
      names.append(name)
    }
  }

  func item(_ reader: inout ByteReader) throws(DecodeError) -> ItemID {
    let at = reader.offset
    let reference = try reader.varint(max: Limits.changeBytesMax)
    if reference == 1 { return .root }
    if reference == 2 { return .recovered }
    var nonce = own
    if reference != 0 {
      guard reference - Self.nonceBase < nonces.count else { throw .badReference(at: at) }
      nonce = nonces[reference - Self.nonceBase]
    }
    return ItemID(nonce: nonce, index: UInt32(try reader.varint(max: Int(UInt32.max))))
  }

  func key(_ reader: inout ByteReader) throws(DecodeError) -> PositionKey {
    let at = reader.offset
    let reference = try reader.varint(max: Limits.changeBytesMax)
    guard reference < prefixes.count else { throw .badReference(at: at) }
    let prefix = prefixes[reference]
    let integer = try reader.zigzag()
    guard PositionCodec.integers.contains(integer) else { throw .badPosition(at: at) }
    let key = PositionRun(
      prefix: prefix.bytes, continuesBunch: prefix.continuesBunch, first: integer, count: 1
    ).key(at: 0)
    guard let run = try? PositionRun(first: key), run.prefix == prefix.bytes,
      run.continuesBunch == prefix.continuesBunch, run.first == integer
    else { throw .badPosition(at: at) }
    return key
  }

  func field(_ reader: inout ByteReader) throws(DecodeError) -> FieldName {
    let at = reader.offset
    let reference = try reader.varint(max: Limits.changeBytesMax)
    if reference == 0 { return .text }
    guard reference - 1 < names.count else { throw .badReference(at: at) }
    return .named(names[reference - 1])
  }
}
