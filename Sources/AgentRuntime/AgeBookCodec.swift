// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec

/// The book of days as the fact `ages` (`docs/STORAGE.md`, "History").
enum AgeBookCodec {
  static let format: UInt8 = 1
  private static let marksMax = 1 << 16
  private static let tipsMax = 1 << 20

  static func encode(_ book: AgeBook) -> [UInt8] {
    var out = ByteWriter(reserving: 256)
    out.byte(format)
    out.varint(book.day)
    out.flag(book.date != nil)
    out.zigzag(book.date ?? 0)
    out.varint(book.marks.count)
    for mark in book.marks {
      out.varint(mark.day)
      out.varint(mark.tips.count)
      for tip in mark.tips { out.tip(tip) }
    }
    return out.bytes
  }

  static func decode(_ bytes: [UInt8]) throws(DecodeError) -> AgeBook {
    var reader = ByteReader(bytes)
    let format = try reader.byte()
    guard format == Self.format else { throw .unknownTag(UInt64(format), at: 0) }
    let day = UInt32(try reader.varint(max: Int(UInt32.max)))
    let isDated = try reader.flag()
    let date = try reader.zigzag()
    var marks: [AgeBook.Mark] = []
    for _ in 0..<(try reader.count(max: marksMax, each: 2)) {
      let at = reader.offset
      let marked = UInt32(try reader.varint(max: Int(UInt32.max)))
      guard marked <= day else { throw .badReference(at: at) }
      var tips: [Tip] = []
      for _ in 0..<(try reader.count(max: tipsMax, each: 56)) { tips.append(try reader.tip()) }
      marks.append(AgeBook.Mark(day: marked, tips: tips))
    }
    try reader.finish()
    return AgeBook(day: day, date: isDated ? date : nil, marks: marks)
  }
}
