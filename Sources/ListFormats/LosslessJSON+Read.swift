// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// One item of a lossless export, as read back.
package struct ExportedItem: Hashable, Sendable {
  package let id: ItemID
  package let parent: ItemID
  package let cells: [(field: FieldName, value: Value)]
  package let counts: [(field: FieldName, total: Int64)]

  package static func == (a: Self, b: Self) -> Bool {
    a.id == b.id && a.parent == b.parent
      && a.cells.elementsEqual(b.cells) { $0.field == $1.field && $0.value == $1.value }
      && a.counts.elementsEqual(b.counts) { $0.field == $1.field && $0.total == $1.total }
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension LosslessJSON {
  /// Reads an export: items in the order of the file, parents before their children.
  package static func read(_ bytes: [UInt8]) throws(FormatError) -> [ExportedItem] {
    let document = try JSONReader.read(bytes)
    guard document["format"]?.text == Text(format), let items = document["items"]?.elements else {
      throw .json(offset: 0, "no \"format\": \"\(format)\"")
    }
    guard items.count <= CSV.rowsMax else { throw .tooManyRows(limit: CSV.rowsMax) }
    var out: [ExportedItem] = []
    for (at, item) in items.enumerated() {
      guard let id = item["id"]?.text.flatMap(itemID), !id.isReserved,
        let parent = item["parent"]?.text.flatMap(itemID), let cells = item["cells"]?.elements
      else { throw .json(offset: 0, "item \(at) without id, parent or cells") }
      var values: [(field: FieldName, value: Value)] = []
      var counts: [(field: FieldName, total: Int64)] = []
      for cell in cells {
        guard let field = cell["field"]?.text.flatMap(fieldName) else {
          throw .json(offset: 0, "item \(at) with a cell without a field")
        }
        if let type = cell["type"]?.text, let text = cell["value"]?.text {
          guard let value = value(type.string, text) else {
            throw .json(offset: 0, "item \(at) with a value that is no \(type.string)")
          }
          values.append((field, value))
        }
        if let total = cell["count"]?.text.flatMap({ Int64($0.string) }) {
          counts.append((field, total))
        }
      }
      out.append(ExportedItem(id: id, parent: parent, cells: values, counts: counts))
    }
    return out
  }

  private static func fieldName(_ text: Text) -> FieldName? {
    if text == Text("text") { return .text }
    guard text.utf8.first == UInt8(ascii: "."), let name = Text(utf8: Array(text.utf8.dropFirst()))
    else { return nil }
    let field = FieldName.named(name)
    return field.isValid ? field : nil
  }

  private static func itemID(_ text: Text) -> ItemID? {
    guard let bytes = bytes(text.utf8), bytes.count == 12 else { return nil }
    return ItemID(
      nonce: bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) },
      index: bytes[8...].reduce(0) { $0 << 8 | UInt32($1) })
  }

  private static func bytes(_ hex: [UInt8]) -> [UInt8]? {
    guard hex.count % 2 == 0 else { return nil }
    var out: [UInt8] = []
    for at in stride(from: 0, to: hex.count, by: 2) {
      guard let high = nibble(hex[at]), let low = nibble(hex[at + 1]) else { return nil }
      out.append(high << 4 | low)
    }
    return out
  }

  private static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 97...102: byte - 87
    default: nil
    }
  }

  private static func value(_ type: String, _ text: Text) -> Value? {
    let plain = text.string
    switch Text(type) {
    case Text("null"): return .null
    case Text("bool"): return text == Text("true") ? .bool(true) : .bool(false)
    case Text("int"): return Int64(plain).map(Value.int)
    case Text("time"): return Int64(plain).map(Value.time)
    case Text("date"): return Int32(plain).map(Value.date)
    case Text("text"): return text.utf8.count <= Limits.valueBytesMax ? .text(text) : nil
    case Text("bytes"): return bytes(text.utf8).map(Value.bytes)
    case Text("ref"): return itemID(text).map(Value.ref)
    case Text("decimal"):
      let parts = text.utf8.split(separator: UInt8(ascii: "e"))
      guard parts.count == 2, let mantissa = Int64(String(decoding: parts[0], as: UTF8.self)),
        let scale = Int(String(decoding: parts[1], as: UTF8.self)), (-18...0).contains(scale),
        scale == 0 || mantissa % 10 != 0
      else { return nil }
      return .decimal(mantissa: mantissa, scale: UInt8(-scale))
    default:
      guard let tag = UInt8(plain.isEmpty ? "" : type.dropFirst(3)), (10...127).contains(tag),
        let bytes = bytes(text.utf8)
      else { return nil }
      return .opaque(tag: tag, bytes)
    }
  }
}
