// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// The merge journal as JSON rows on disk and as words for people.
enum JournalRow {
  static func encode(_ entry: JournalEntry) -> [UInt8] {
    var out: [UInt8] = []
    entry.item.append(to: &out)
    append(name(entry.cell), to: &out)
    for (value, written) in [(entry.kept, entry.keptBy), (entry.dropped, entry.droppedBy)] {
      append(text(value), to: &out)
      written.device.append(to: &out)
      written.dot.session.append(to: &out)
      appendBigEndian(written.dot.seq, to: &out)
      appendBigEndian(written.h, to: &out)
    }
    return out
  }

  /// `nil` for bytes of another shape. Values come back as text.
  static func decode(_ bytes: [UInt8]) -> JournalEntry? {
    var at = 0
    func take(_ count: Int) -> ArraySlice<UInt8>? {
      guard at + count <= bytes.count else { return nil }
      defer { at += count }
      return bytes[at..<at + count]
    }
    func number(_ count: Int) -> UInt64? {
      take(count).map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
    }
    func text() -> String? {
      number(4).flatMap { take(Int($0)) }.map { String(decoding: $0, as: UTF8.self) }
    }
    func side() -> (String, Written)? {
      guard let value = text(), let device = take(32).flatMap({ DeviceID($0) }),
        let session = take(16).flatMap({ SessionID($0) }), let seq = number(8), let h = number(8)
      else { return nil }
      return (value, Written(device: device, dot: Dot(session: session, seq: seq), h: h))
    }
    guard let nonce = number(8), let index = number(4), let name = text(), let kept = side(),
      let dropped = side()
    else { return nil }
    return JournalEntry(
      item: ItemID(nonce: nonce, index: UInt32(index)), cell: .field(.named(name)),
      kept: .value(.text(kept.0)), keptBy: kept.1, dropped: .value(.text(dropped.0)),
      droppedBy: dropped.1)
  }

  private static func append(_ text: String, to out: inout [UInt8]) {
    appendBigEndian(UInt32(text.utf8.count), to: &out)
    out.append(contentsOf: text.utf8)
  }

  static func name(_ cell: CellName) -> String {
    switch cell {
    case .create: "create"
    case .place: "place"
    case .life: "life"
    case .field(.text): "text"
    case .field(.named(let name)): name.string
    }
  }

  static func text(_ value: CellValue) -> String {
    switch value {
    case .place(let parent, _): parent == .recovered ? "recovered" : "a place under \(parent.hex)"
    case .life(let alive): alive ? "alive" : "deleted"
    case .value(let value): ValueText.print(value)
    }
  }
}
