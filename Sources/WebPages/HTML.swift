// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// HTML as it is put together; what comes from data is escaped by the only way in for it.
struct HTML {
  private(set) var bytes: [UInt8] = []

  /// Appends markup of our own.
  mutating func raw(_ markup: StaticString) { bytes.append(contentsOf: markup.description.utf8) }

  /// Appends another piece.
  mutating func raw(_ piece: HTML) { bytes.append(contentsOf: piece.bytes) }

  /// Appends data: fit for text and for attribute values in double quotes.
  mutating func text(_ data: String) {
    for byte in data.utf8 {
      switch byte {
      case 0x26: bytes.append(contentsOf: "&amp;".utf8)
      case 0x3C: bytes.append(contentsOf: "&lt;".utf8)
      case 0x3E: bytes.append(contentsOf: "&gt;".utf8)
      case 0x22: bytes.append(contentsOf: "&quot;".utf8)
      case 0x27: bytes.append(contentsOf: "&#39;".utf8)
      default: bytes.append(byte)
      }
    }
  }

  /// Appends a template of our own with its slots filled: `<!--hedge:NAME-->`.
  mutating func fill(_ template: String, _ slots: [(name: String, piece: HTML)]) {
    let mark = Array("<!--hedge:".utf8)
    let end = Array("-->".utf8)
    let source = Array(template.utf8)
    var at = 0
    while at < source.count {
      guard source[at...].starts(with: mark) else {
        bytes.append(source[at])
        at += 1
        continue
      }
      at += mark.count
      var name: [UInt8] = []
      while at < source.count, !source[at...].starts(with: end) {
        name.append(source[at])
        at += 1
      }
      at += end.count
      for slot in slots where slot.name.utf8.elementsEqual(name) { raw(slot.piece) }
    }
  }
}
