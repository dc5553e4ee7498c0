// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What authors had seen, in a header: each by its difference to an earlier one, which is short
/// because who goes on has seen what it had seen before. So a header grows with the sessions, not
/// with their square.
struct ContextWriter {
  private let sessions: SessionTable
  private(set) var contexts: [ReplicaHeader.Context] = []
  /// Numbers of what was seen at the tips, by ordinal.
  private(set) var numbers: ContiguousArray<UInt32>

  init(_ sessions: SessionTable) {
    self.sessions = sessions
    numbers = ContiguousArray(repeating: 0, count: sessions.rows.count)
    for line in sessions.arrival {
      let (context, number) = base(of: line)
      numbers[Int(line)] = write(sessions[line].context, behind: context, number)
    }
  }

  /// What the author had seen before `line` began, as far as that was written already.
  private func base(of line: UInt32) -> (SeenContext, UInt32) {
    guard let before = sessions[line].predecessor, numbers[Int(before)] > 0 else {
      return (SeenContext(), 0)
    }
    return (sessions[before].context, numbers[Int(before)])
  }

  private mutating func write(
    _ seen: SeenContext, behind base: SeenContext, _ number: UInt32
  ) -> UInt32 {
    let moved = seen.differences(from: base)
    if moved.isEmpty { return number }
    contexts.append(
      ReplicaHeader.Context(
        base: number,
        entries: moved.map { ReplicaHeader.Context.Entry(session: $0.session, seen: $0.entry) }))
    return UInt32(contexts.count)
  }

  /// - Parameter changes: Ascending by session and seq.
  /// - Returns: Their numbers, in that order.
  mutating func write(_ changes: [(dot: Replica.LocalDot, seen: SeenContext)]) -> [UInt32] {
    var last: (session: UInt32, seen: SeenContext, number: UInt32)?
    return changes.map { dot, seen in
      let (context, number) =
        last?.session == dot.session ? (last!.seen, last!.number) : base(of: dot.session)
      let made = write(seen, behind: context, number)
      last = (dot.session, seen, made)
      return made
    }
  }
}

extension Replica {
  /// - Parameter changes: In any order; of more than `max` the first.
  static func exported(
    _ changes: [LocalDot: SeenContext], max: Int = .max, _ writer: inout ContextWriter
  ) -> [ReplicaHeader.SeenBy] {
    let written = changes.sorted { ($0.key.session, $0.key.seq) < ($1.key.session, $1.key.seq) }
      .prefix(max)
    let numbers = writer.write(written.map { ($0.key, $0.value) })
    return zip(written, numbers).map { change, number in
      ReplicaHeader.SeenBy(
        session: change.key.session, seq: UInt64(change.key.seq), context: number)
    }
  }

  /// The contexts of `header` by their numbers, with the ordinals of `map`.
  /// - Complexity: O(sessions + contexts + entries).
  static func contexts(
    of header: ReplicaHeader, _ map: [UInt32]
  ) throws(ImageDefect) -> [SeenContext] {
    guard header.contexts.count * max(map.count, 1) <= ReplicaHeader.contextReachMax,
      header.contexts.reduce(0, { $0 + $1.entries.count }) <= ReplicaHeader.contextEntriesMax
    else { throw .shape }
    var out = [SeenContext()]
    out.reserveCapacity(header.contexts.count + 1)
    for context in header.contexts {
      guard Int(context.base) < out.count else { throw .shape }
      var seen = out[Int(context.base)]
      for entry in context.entries {
        guard Int(entry.session) < map.count else { throw .shape }
        seen.put(map[Int(entry.session)], entry.seen >> 32 == 0 ? 0 : entry.seen)
      }
      out.append(seen)
    }
    return out
  }
}

extension [SeenContext] {
  /// The context of that number.
  func numbered(_ number: UInt32) throws(ImageDefect) -> SeenContext {
    guard Int(number) < count else { throw .shape }
    return self[Int(number)]
  }
}
