// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// Turns what folds did into events with cursors, and keeps the latest for those who resume.
///
/// The order of cursors is this agent's own; another agent may order concurrent events differently.
/// Cursors rise for ever. Each start begins above all that an earlier run may have given out, so a
/// cursor names an event that is known here, the start of a run, or nothing: then it is too old, or it
/// was told to somebody in the moment before a crash and never reached the disk.
package struct EventFeed: Sendable {
  /// So many events are kept for resuming, in memory and on disk.
  package static let keptMax = 10_000
  /// An earlier run gave out fewer cursors than this beyond the last that reached the disk.
  static let startStep: UInt64 = 1 << 21

  /// One cursor; `nil` marks the start of a run.
  package struct Entry: Hashable, Sendable {
    package let number: UInt64
    package private(set) var event: Event?
    /// The event gets the cursor of that number.
    package init(number: UInt64, event: Event?) {
      (self.number, self.event) = (number, event)
      self.event?.cursor = EventFeed.spelling(number)
    }
  }

  package private(set) var last: UInt64
  private var kept: [Entry]

  /// A feed that knows of nothing before `start`.
  package init(start: UInt64) {
    last = start
    kept = [Entry(number: start, event: nil)]
  }

  /// Goes on behind an earlier run.
  ///
  /// - Parameters:
  ///   - entries: What that run kept on disk, ascending.
  ///   - wall: Milliseconds since 1970.
  /// - Returns: The mark of this run, to be kept on disk too.
  package mutating func restore(_ entries: [Entry], wall: UInt64) -> Entry {
    last = max(wall, (entries.last?.number ?? 0) + Self.startStep)
    let mark = Entry(number: last, event: nil)
    kept = entries.suffix(Self.keptMax) + [mark]
    return mark
  }

  package var cursor: String { Self.spelling(last) }

  fileprivate static func spelling(_ number: UInt64) -> String { "c-\(number)" }

  /// The events behind `cursor`; `nil` for one that is not known here.
  /// - Complexity: O(log kept + result).
  package func events(since cursor: String) -> [Event]? {
    guard cursor.hasPrefix("c-"), let number = UInt64(cursor.dropFirst(2)) else { return nil }
    var (low, high) = (0, kept.count)
    while low < high {
      let middle = (low + high) / 2
      if kept[middle].number < number { low = middle + 1 } else { high = middle }
    }
    guard low < kept.count, kept[low].number == number else { return nil }
    return kept[(low + 1)...].compactMap(\.event)
  }

  /// Drops the oldest once a quarter more than `keptMax` is there.
  /// - Returns: The greatest cursor that was dropped; `nil` if nothing was.
  package mutating func trim() -> UInt64? {
    let excess = kept.count - Self.keptMax
    guard excess > Self.keptMax / 4 else { return nil }
    let floor = kept[excess - 1].number
    kept.removeFirst(excess)
    return floor
  }

  /// Where a change came from, for its events.
  package struct Source {
    package let isMine: Bool
    package let client: String?
    package init(isMine: Bool, client: String?) { (self.isMine, self.client) = (isMine, client) }
  }

  /// Takes what a fold changed and returns it as events.
  /// - Complexity: O(changes · depth).
  package mutating func take(
    _ changes: [ReplicaEvent], _ resolver: Resolver, _ source: Source,
    nameOf: (DeviceID) -> String
  ) -> [Entry] {
    var out: [Entry] = []
    for change in changes {
      guard var event = Self.event(change, resolver) else { continue }
      last += 1
      event.by = nameOf(change.device)
      event.isMine = source.isMine
      event.client = source.client
      event.transaction = Self.transaction(change.dot)
      event.at = Int64(change.h >> 16)
      event.scope = scope(change, resolver.replica)
      out.append(Entry(number: last, event: event))
    }
    kept += out
    return out
  }

  private func scope(_ change: ReplicaEvent, _ replica: Replica) -> [ItemID] {
    var out = replica.ancestors(of: change.item)
    // Where it was concerns those who listen there; what a cut cycle left is in no list any more.
    guard let from = Self.origin(change), !out.contains(from) else { return out }
    for item in [from] + replica.ancestors(of: from) where !out.contains(item) { out.append(item) }
    return out
  }

  /// The parent that an item had before a change took it from there.
  private static func origin(_ change: ReplicaEvent) -> ItemID? {
    switch change.kind {
    case .moved(let from, _), .recovered(let from?):
      from == .root || from == .recovered ? nil : from
    default: nil
    }
  }

  /// The name of a change in events and results.
  package static func transaction(_ dot: Dot) -> String {
    var hex = String(dot.session.high, radix: 16)
    hex = String(repeating: "0", count: 16 - hex.utf8.count) + hex
    return "t-\(hex.prefix(8))-\(dot.seq)"
  }

  private static func event(_ change: ReplicaEvent, _ resolver: Resolver) -> Event? {
    let item = change.item
    let replica = resolver.replica
    let parent = replica.parent(of: item)
    if parent == .root { return listEvent(change, resolver) }
    guard let (kind, detail) = detail(change, resolver) else { return nil }
    // What a cut cycle left is told in the list where it was.
    let list = replica.list(of: item) ?? origin(change).flatMap(replica.list(of:))
    return Event(
      kind: kind, cursor: "", list: list.map(resolver.title) ?? "", item: item,
      handle: resolver.handles.handle(of: item),
      text: Text(resolver.title(of: item)), detail: detail)
  }

  private static func listEvent(_ change: ReplicaEvent, _ resolver: Resolver) -> Event? {
    let what: String
    switch change.kind {
    case .added: what = "new"
    case .removed, .recovered: what = "drop"
    case .restored: what = "restore"
    case .set(.text, _, _): what = "rename"
    case .set, .counted: what = "cols"
    case .moved: what = "move"
    case .overridden: return nil
    }
    return Event(
      kind: .list, cursor: "", list: resolver.title(of: change.item), item: change.item,
      handle: resolver.handles.handle(of: change.item), detail: .list(change: what))
  }

  private static func detail(
    _ change: ReplicaEvent, _ resolver: Resolver
  ) -> (Event.Kind, Event.Detail)? {
    switch change.kind {
    case .added: return (.add, snapshot(change.item, resolver))
    case .removed, .recovered: return (.remove, .none)
    case .restored: return (.restore, snapshot(change.item, resolver))
    case .moved:
      return (
        .move,
        .move(parent: shownParent(change.item, resolver), after: neighbour(change.item, resolver))
      )
    case .set(.done, _, let new):
      return (new == .bool(true) ? .done : .undone, .none)
    case .set(let field, let old, let new):
      return (.set, .set(column: resolver.columnName(field, of: change.item), old: old, new: new))
    case .counted(let field, let old, let new):
      return (
        .set,
        .set(column: resolver.columnName(field, of: change.item), old: .int(old), new: .int(new))
      )
    case .overridden: return nil
    }
  }

  /// An item as an event shows it.
  package static func snapshot(_ item: ItemID, _ resolver: Resolver) -> Event.Detail {
    let replica = resolver.replica
    let schema = resolver.schema(under: replica.parent(of: item) ?? .root)
    var cells: [(column: String, value: Value)] = []
    if let title = schema.titleColumn {
      cells.append((title.name, .text(resolver.title(of: item))))
    }
    for column in schema.valueColumns {
      let held =
        column.type == .counter
        ? replica.counterTotal(of: item, column.field).map(Value.int)
        : replica.value(of: item, column.field)
      if let held { cells.append((column.name, held)) }
    }
    return .item(
      text: Text(resolver.title(of: item)),
      isDone: replica.value(of: item, .done) == .bool(true), cells: cells,
      parent: shownParent(item, resolver), after: neighbour(item, resolver))
  }

  /// The parent, where it is not the list itself.
  private static func shownParent(_ item: ItemID, _ resolver: Resolver) -> ItemID? {
    guard let parent = resolver.replica.parent(of: item), parent != .root,
      resolver.replica.parent(of: parent) != .root
    else { return nil }
    return parent
  }

  private static func neighbour(_ item: ItemID, _ resolver: Resolver) -> ItemID? {
    guard let parent = resolver.replica.parent(of: item),
      let index = resolver.replica.index(of: item), index > 0
    else { return nil }
    return resolver.replica.child(of: parent, at: index - 1)
  }
}

extension Replica {
  /// The items above `item`, nearest first, without the root.
  fileprivate func ancestors(of item: ItemID) -> [ItemID] {
    var out: [ItemID] = []
    var at = parent(of: item)
    while let next = at, next != .root, next != .recovered {
      out.append(next)
      at = parent(of: next)
    }
    return out
  }
}
