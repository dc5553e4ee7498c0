// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What the authors of deletes had seen goes with the deleted items into the cold. Of each author's
/// sessions only the last ones are kept: the rest follows from what they continue.
extension Replica {
  /// Some items as a cold chunk.
  func coldChunk(of members: [UInt32]) -> ItemChunk {
    var writer = ChunkWriter()
    var out = chunk(of: members, &writer)
    var done: Set<LocalDot> = []
    for item in members where items[item].isDead {
      let dot = localDot(items[item].life)
      guard done.insert(dot).inserted, let seen = deleteContexts[dot]?.seen else { continue }
      let entries = tellingEntries(of: seen)
      let numbers = entries.map { Int(writer.session($0, self)) }
      var packed = [UInt64](repeating: 0, count: (numbers.max() ?? -1) + 1)
      for (entry, number) in zip(entries, numbers) {
        packed[number] = seen.entry(entry)
      }
      out.deleteContexts.append(
        ItemChunk.DeleteContext(
          session: writer.session(dot.session, self), seq: UInt64(dot.seq), seen: packed))
    }
    out.sessions = writer.sessions
    return out
  }

  /// The sessions in `seen` that do not follow from others: all of them if that is not certain.
  private func tellingEntries(of seen: SeenContext) -> [UInt32] {
    var named: [UInt32] = []
    seen.forEach { session, _ in named.append(session) }
    var implied = [UInt32](repeating: 0, count: named.last.map { Int($0) + 1 } ?? 0)
    // A session of which nothing is below the floor may be taken back whole.
    for session in named where sessions[session].floor > 0 {
      guard let before = sessions[session].predecessor, Int(before) < implied.count,
        let tip = sessions[session].head?.predecessor
      else { continue }
      let seq = UInt32(truncatingIfNeeded: tip.seq)
      implied[Int(before)] = max(implied[Int(before)], seq)
    }
    let telling = named.filter { implied[Int($0)] < seen[$0] }
    var again = SeenContext()
    for session in telling {
      sessions.raise(&again, session: session, to: seen[session], mark: seen.mark(session))
    }
    return again.differences(from: seen).isEmpty ? telling : named
  }

  /// Takes over what the authors of the deletes in a cold chunk had seen.
  mutating func joinDeletes(of chunk: ItemChunk) throws(ImageDefect) {
    for delete in chunk.deleteContexts {
      guard Int(delete.session) < chunk.sessions.count, delete.seen.count <= chunk.sessions.count,
        delete.seq > 0
      else { throw .shape }
      let session = sessions.ordinalMaking(chunk.sessions[Int(delete.session)])
      guard delete.seq <= UInt64(sessions[session].tip) else { throw .session }
      let dot = LocalDot(session: session, seq: UInt32(delete.seq))
      if deleteContexts[dot] != nil { continue }
      var seen = SeenContext()
      for (index, packed) in delete.seen.enumerated() where packed > 0 {
        let other = sessions.ordinalMaking(chunk.sessions[index])
        sessions.raise(
          &seen, session: other, to: UInt32(packed >> 32),
          mark: UInt32(truncatingIfNeeded: packed))
      }
      deleteContexts[dot] = DeleteContext(seen: seen, uses: 0)
    }
  }
}
