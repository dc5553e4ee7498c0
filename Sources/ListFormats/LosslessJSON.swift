// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// The lossless export: every cell of every living item with its stamp, as JSON that is equal byte
/// for byte on replicas that show the same.
///
/// Nothing local is in it: no handles, no ordinals, no time of export. Items stand in list order,
/// children behind their parent; fields are ascending by name; values are typed text.
package enum LosslessJSON {
  package static let format = "hedgerow export 1"

  /// - Parameter tops: The lists (or other items) to write, in this order.
  /// - Complexity: O(items and cells).
  package static func write(_ replica: Replica, _ tops: [ItemID]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(1 << 16)
    out.append(contentsOf: "{\"format\":\"\(format)\",\"items\":[".utf8)
    var isFirst = true
    for top in tops { append(top, replica, &isFirst, to: &out) }
    out.append(contentsOf: "\n]}\n".utf8)
    return out
  }

  private static func append(
    _ top: ItemID, _ replica: Replica, _ isFirst: inout Bool, to out: inout [UInt8]
  ) {
    // Depth first by an own stack: depth is unlimited.
    var open = [top]
    while let item = open.popLast() {
      out.append(contentsOf: (isFirst ? "\n" : ",\n").utf8)
      isFirst = false
      append(item, replica, to: &out)
      open.append(contentsOf: replica.children(of: item).reversed())
    }
  }

  private static func append(_ item: ItemID, _ replica: Replica, to out: inout [UInt8]) {
    out.append(contentsOf: "{\"id\":\"".utf8)
    append(hex: item, to: &out)
    out.append(contentsOf: "\",\"parent\":\"".utf8)
    append(hex: replica.parent(of: item) ?? .root, to: &out)
    out.append(contentsOf: "\",\"position\":\"".utf8)
    append(hex: replica.position(of: item)?.bytes ?? [], to: &out)
    out.append(contentsOf: "\",\"placed\":\"".utf8)
    append(replica.placeStamp(of: item), to: &out)
    out.append(contentsOf: "\",\"cells\":[".utf8)
    var isFirst = true
    for field in replica.fields(of: item) {
      if !isFirst { out.append(UInt8(ascii: ",")) }
      isFirst = false
      append(field, item, replica, to: &out)
    }
    out.append(contentsOf: "]}".utf8)
  }

  private static func append(
    _ field: FieldName, _ item: ItemID, _ replica: Replica, to out: inout [UInt8]
  ) {
    out.append(contentsOf: "{\"field\":".utf8)
    switch field {
    case .text: out.append(contentsOf: "\"text\"".utf8)
    case .named(let name): append(quoted: [UInt8(ascii: ".")] + name.utf8, to: &out)
    }
    if let value = replica.value(of: item, field) {
      let (type, text) = typed(value)
      out.append(contentsOf: ",\"type\":\"\(type)\",\"value\":".utf8)
      append(quoted: text, to: &out)
      out.append(contentsOf: ",\"at\":\"".utf8)
      append(replica.stamp(of: item, field), to: &out)
      out.append(UInt8(ascii: "\""))
    }
    if let total = replica.counterTotal(of: item, field) {
      out.append(contentsOf: ",\"count\":\"\(total)\"".utf8)
    }
    out.append(UInt8(ascii: "}"))
  }

  /// The type's name and the value as text.
  private static func typed(_ value: Value) -> (String, [UInt8]) {
    switch value {
    case .null: ("null", [])
    case .bool(let flag): ("bool", Array((flag ? "true" : "false").utf8))
    case .int(let number): ("int", Array("\(number)".utf8))
    case .decimal(let mantissa, let scale): ("decimal", Array("\(mantissa)e-\(scale)".utf8))
    case .time(let milliseconds): ("time", Array("\(milliseconds)".utf8))
    case .text(let text): ("text", text.utf8)
    case .bytes(let bytes): ("bytes", hex(bytes))
    case .date(let day): ("date", Array("\(day)".utf8))
    case .ref(let item):
      ("ref", hex { item.append(to: &$0) })
    case .opaque(let tag, let bytes): ("tag\(tag)", hex(bytes))
    }
  }

  private static func append(_ stamp: Stamp?, to out: inout [UInt8]) {
    guard let stamp else { return }
    append(
      hex: hexBytes {
        appendBigEndian(stamp.h, to: &$0)
        stamp.device.append(to: &$0)
        appendBigEndian(stamp.salt, to: &$0)
        appendBigEndian(stamp.seq, to: &$0)
        appendBigEndian(stamp.op, to: &$0)
      }, to: &out)
  }

  private static func hexBytes(_ body: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    body(&bytes)
    return bytes
  }

  private static func hex(_ body: (inout [UInt8]) -> Void) -> [UInt8] { hex(hexBytes(body)) }

  private static func hex(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    append(hex: bytes, to: &out)
    return out
  }

  private static func append(hex item: ItemID, to out: inout [UInt8]) {
    append(hex: hexBytes { item.append(to: &$0) }, to: &out)
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func append(hex bytes: [UInt8], to out: inout [UInt8]) {
    for byte in bytes {
      out.append(digits[Int(byte >> 4)])
      out.append(digits[Int(byte & 15)])
    }
  }

  /// A JSON string: quotes, backslashes and C0 controls escaped, all else as it is.
  private static func append(quoted bytes: [UInt8], to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        out.append(UInt8(ascii: "\\"))
        out.append(byte)
      case 0..<32, 127:
        out.append(contentsOf: "\\u00".utf8)
        append(hex: [byte], to: &out)
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }
}
