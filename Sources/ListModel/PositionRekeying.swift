// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Shortens the keys of a crowded place by giving its items one fresh run.
///
/// Every dense order whose keys never change has a pattern that grows them without end; the caps
/// in `Limits` and this are the way out (`docs/decisions/0003-positions.md`). Done only where a new
/// key would pass the hard cap. Each item is written as an ordinary `place` with own h = its old
/// h + 1, so that any real concurrent move wins.
enum PositionRekeying {
  /// From this length on a key next to a full place is re-keyed with it: the fresh run hangs between
  /// neighbours that are short enough for it not to be long again at once.
  static let crowdedBytes = Limits.positionBytesSoft / 2
  /// At most so many items on each side of a full place get new keys.
  static let reachMax = 4_096

  static func isCrowded(_ key: PositionKey) -> Bool { key.bytes.count > crowdedBytes }

  /// Fresh keys for `count` items between the two neighbours of their region, `nil` at a list's end.
  ///
  /// - Returns: `nil` if even the fresh keys would be long or do not fit between the neighbours.
  /// - Complexity: O(key bytes).
  static func run(
    of count: Int, between lower: PositionKey?, _ upper: PositionKey?, tag: WriterTag
  ) -> PositionRun? {
    // Equal neighbours, of which an undo can make some, leave no gap; then it is given up.
    let first = PositionGenerator.run(of: count, between: lower, upper, tag: tag) { _ in nil }
    guard let run = try? PositionRun(first: first, count: count) else { return nil }
    let last = run.key(at: count - 1)
    guard !last.isLong, !first.isLong, lower.map({ $0 < first }) ?? true,
      upper.map({ last < $0 }) ?? true
    else { return nil }
    return run
  }
}

extension Replica {
  /// Edits that make room beside `item`: its crowded neighbourhood in order, dead items too.
  ///
  /// - Throws: `.limit` if no shorter keys can be had.
  /// - Complexity: O(items of the region · 512), at most `PositionRekeying.reachMax` on each side.
  func rekeying(beside item: ItemID, writer: WriterTag) throws(EditError) -> [Edit] {
    guard let middle = items.ordinal(of: item), order.contains(middle) else { throw .limit }
    let parent = items.id(items[middle].effective)
    let (before, lower) = crowd(from: middle, step: -1)
    let (behind, upper) = crowd(from: middle, step: 1)
    let region = before.reversed() + [middle] + behind
    guard
      let run = PositionRekeying.run(
        of: region.count, between: lower.map(items.key), upper.map(items.key), tag: writer)
    else { throw .limit }
    return region.enumerated().map { at, member in
      .rekey(items.id(member), Spot(parent: parent, key: run.key(at: at)))
    }
  }

  /// The crowded items on one side of `middle`, nearest first, and the item beyond them.
  private func crowd(from middle: UInt32, step: Int) -> (region: [UInt32], beyond: UInt32?) {
    var region: [UInt32] = []
    var at = order.neighbour(of: middle, step: step)
    while let member = at, region.count < PositionRekeying.reachMax,
      PositionRekeying.isCrowded(items.key(member))
    {
      region.append(member)
      at = order.neighbour(of: member, step: step)
    }
    return (region, at)
  }
}

extension Planner {
  /// One item gets a shorter key where it is. Its stamp is only just above its old one.
  mutating func rekey(
    _ replica: Replica, _ item: ItemID, _ spot: Spot
  ) throws(EditError) -> Taken {
    guard makesRoom || ops.isEmpty, admit(item, .place, 40 + spot.key.bytes.count)
    else { return .none }
    makesRoom = true
    let ordinal = try existing(replica, item)
    let own = replica.stamps.h(replica.items[ordinal].place) + 1
    guard own < Limits.clockEnd else { throw .clockEnd(item) }
    ops.append(.place(item: item, parent: spot.parent, key: spot.key, h: own))
    return .whole
  }
}
