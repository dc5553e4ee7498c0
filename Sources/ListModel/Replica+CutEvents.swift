// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What viewers are told of changes that were taken back.
extension Replica {
  /// The difference between this replica and a later state of it, in the order of `items`.
  ///
  /// Each event names the write that an item shows last now; where none is left, the one it showed.
  /// - Complexity: O(items · (fields of the space + depth)).
  public func events(to later: Replica, of items: [ItemID]) -> [ReplicaEvent] {
    var out: [ReplicaEvent] = []
    for item in items {
      guard let by = later.lastWritten(of: item) ?? lastWritten(of: item) else { continue }
      func tell(_ kind: ReplicaEvent.Kind) {
        out.append(ReplicaEvent(dot: by.dot, device: by.device, h: by.h, item: item, kind: kind))
      }
      switch (status(of: item), later.status(of: item)) {
      case (.visible, .visible): tellDifferences(later, item, tell)
      case (.visible, .recovered), (.hidden, .recovered):
        tell(.recovered(from: parent(of: item)))
      case (.visible, _): tell(.removed)
      case (_, .visible): tell(.restored)
      default: break
      }
    }
    return out
  }

  private func tellDifferences(
    _ later: Replica, _ item: ItemID, _ tell: (ReplicaEvent.Kind) -> Void
  ) {
    if let from = parent(of: item), let to = later.parent(of: item),
      from != to || position(of: item) != later.position(of: item)
    {
      tell(.moved(from: from, to: to))
    }
    for field in fields(of: item) {
      let (old, new) = (value(of: item, field), later.value(of: item, field))
      if old != new { tell(.set(field, old: old, new: new ?? .null)) }
      let (sum, total) = (counterTotal(of: item, field), later.counterTotal(of: item, field))
      if let sum, sum != total { tell(.counted(field, old: sum, new: total ?? 0)) }
    }
  }
}
