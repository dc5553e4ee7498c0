// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// What the authors of the deletes in a cold chunk had seen, each as difference to the one before.
enum DeleteColumns {
  static func write(_ chunk: ItemChunk, to out: inout ByteWriter) {
    out.flag(chunk.isContinued)
    out.varint(chunk.deleteContexts.count)
    var last: [UInt64] = []
    for delete in chunk.deleteContexts {
      out.varint(delete.session)
      out.varint(delete.seq)
      out.varint(delete.seen.count)
      let seen = delete.seen
      let moved = seen.indices.filter { seen[$0] != ($0 < last.count ? last[$0] : 0) }
      out.varint(moved.count)
      var next = 0
      for index in moved {
        out.varint(index - next)
        out.varint(seen[index] >> 32)
        if seen[index] >> 32 != 0 { out.bigEndian(UInt32(truncatingIfNeeded: seen[index])) }
        next = index + 1
      }
      last = seen
    }
  }

  static func read(_ reader: inout ByteReader, to chunk: inout ItemChunk) throws(DecodeError) {
    chunk.isContinued = try reader.flag()
    var last: [UInt64] = []
    var left = ItemChunk.seenCountMax
    let sessions = chunk.sessions.count
    for _ in 0..<(try reader.count(max: ItemChunk.itemCountMax, each: 4)) {
      let session = UInt32(try reader.varint(max: max(sessions - 1, 0)))
      let seq = try reader.varint()
      let count = try reader.varint(max: min(sessions, left))
      left -= count
      var seen = Array(last.prefix(count))
      seen += repeatElement(0, count: count - seen.count)
      var next = 0
      for _ in 0..<(try reader.count(max: count, each: 2)) {
        let at = reader.offset
        let index = next + (try reader.varint(max: count))
        guard index < count else { throw .badReference(at: at) }
        let reached = UInt64(try reader.varint(max: Int(UInt32.max)))
        let mark = reached == 0 ? 0 : try reader.bigEndian(UInt32.self)
        seen[index] = reached << 32 | UInt64(mark)
        next = index + 1
      }
      chunk.deleteContexts.append(
        ItemChunk.DeleteContext(session: session, seq: seq, seen: seen))
      last = seen
    }
  }
}
