// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
package import ListModel

/// How a step is taken back, and what of it has to stay.
package struct UndoPlan: Sendable {
  /// A cell that somebody has written since, so that it is left alone.
  package struct Stay: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
      /// The value, the place or the life was written again by that device.
      case writtenBy(DeviceID)
      /// Something that came later is in it.
      case holds
      /// The place it came from is not there any more.
      case placeGone
      /// The item is not there any more: its author was removed, and it was set aside.
      case gone
    }
    package let item: ItemID
    /// `nil` for an item that was made.
    package let cell: CellName?
    package let reason: Reason
  }

  package private(set) var edits: [Edit] = []
  package private(set) var outcomes: [ItemOutcome] = []
  package private(set) var stays: [Stay] = []
  /// The cells that stay, as they are in the step.
  package private(set) var left: [UndoCell] = []

  fileprivate mutating func write(_ edit: Edit, _ item: ItemID, _ verb: ItemOutcome.Verb) {
    edits.append(edit)
    let outcome = ItemOutcome(subject: .item(item), verb: verb)
    if outcomes.last != outcome { outcomes.append(outcome) }
  }

  fileprivate mutating func stay(
    _ cell: UndoCell, _ item: ItemID, _ name: CellName?, _ reason: Stay.Reason
  ) {
    stays.append(Stay(item: item, cell: name, reason: reason))
    left.append(cell)
  }
}

/// Takes steps of this device back without touching what anybody did later.
///
/// A cell goes back only if this device wrote what it holds now; an item that was made is removed only
/// if nobody else wrote in it or put something under it. Counters go back by the amount, whatever others
/// added.
package struct UndoPlanner {
  let resolver: Resolver
  let device: DeviceID
  /// Take back whatever came later, too.
  let isForced: Bool
  private let step: UndoStep
  private let seen: Coverage
  /// What the step removed, and what it brought back.
  private let removed: Set<ItemID>
  private let revived: Set<ItemID>
  private var replica: Replica { resolver.replica }

  package init(_ step: UndoStep, _ resolver: Resolver, device: DeviceID, isForced: Bool) {
    (self.step, self.resolver) = (step, resolver)
    (self.device, self.isForced) = (device, isForced)
    seen = resolver.replica.coverage(of: step.seen)
    removed = Set(
      step.cells.compactMap { if case .life(let item, alive: false) = $0 { item } else { nil } })
    revived = Set(
      step.cells.compactMap { if case .life(let item, alive: true) = $0 { item } else { nil } })
  }

  /// - Complexity: O(cells of the step + items under those that were made or brought back).
  package func plan() -> UndoPlan {
    var plan = UndoPlan()
    var made = Made()
    var leaving: Set<ItemID> = []
    var unlost: [ItemID] = []
    for cell in step.cells {
      if let subject = cell.subject, !replica.exists(subject.item) {
        plan.stay(cell, subject.item, subject.cell, .gone)
        continue
      }
      switch cell {
      case .created(let nonce, let first, let count): made.insert(nonce, first, count)
      case .unlost(let item): unlost.append(item)
      case .placed(let item, let old?, _) where old.parent == .recovered && isUnderRevived(item):
        unlost.append(item)
      case .placed(let item, let old, let new):
        if putBack(cell, item, old, new, &plan) { leaving.insert(item) }
      case .life(let item, let alive): turnBack(cell, item, alive, &plan)
      case .set(let item, let field, let old, let new):
        reset(cell, item, field, old, new, &plan)
      case .counted(let item, let field, let by):
        guard by != .min else { continue }
        plan.write(.increment(item, field, by: -by), item, .set)
      }
    }
    returnToRecovered(unlost, &plan)
    unmake(made, leaving, &plan)
    return plan
  }

  /// What was in Recovered before something above it was restored goes back there where that is deleted
  /// again, and not into the trash with it: its author had never seen the first delete.
  private func returnToRecovered(_ unlost: [ItemID], _ plan: inout UndoPlan) {
    let deleted = Set(
      plan.edits.compactMap { if case .setAlive(let item, false) = $0 { item } else { nil } })
    for item in unlost {
      guard let spot = replica.spot(of: item), let by = replica.placed(item),
        isForced || by.device == device || replica.contains(by.dot, seen),
        resolver.writtenChain(above: item).chain.contains(where: deleted.contains)
      else { continue }
      plan.write(.place(item, Spot(parent: .recovered, key: spot.key)), item, .move)
    }
  }

  /// Whether the step brought something back that `item` is put under.
  private func isUnderRevived(_ item: ItemID) -> Bool {
    resolver.writtenChain(above: item).chain.contains(where: revived.contains)
  }

  // MARK: Single cells

  /// Returns whether the item goes away from where it is.
  private func putBack(
    _ cell: UndoCell, _ item: ItemID, _ old: Spot?, _ new: Spot, _ plan: inout UndoPlan
  ) -> Bool {
    guard let old, let now = replica.spot(of: item), let by = replica.placed(item), now != old
    else { return false }
    if !isForced, by.device != device || now != new {
      plan.stay(cell, item, .place, .writtenBy(by.device))
      return false
    }
    let isThere =
      old.parent == .root || old.parent == .recovered
      || replica.status(of: old.parent) == .visible
      || wasGone(old.parent)
    guard isThere, !resolver.isInside(old.parent, item) else {
      plan.stay(cell, item, .place, .placeGone)
      return false
    }
    plan.write(.place(item, old), item, .move)
    return true
  }

  /// Whether `parent` was removed by the step itself, or when it was made: the item came out of
  /// Recovered then.
  private func wasGone(_ parent: ItemID) -> Bool {
    ([parent] + resolver.writtenChain(above: parent).chain).contains { item in
      if removed.contains(item) { return true }
      guard !replica.isAlive(item), let life = replica.lifeWritten(item) else { return false }
      return replica.contains(life.dot, seen)
    }
  }

  private func turnBack(
    _ cell: UndoCell, _ item: ItemID, _ alive: Bool, _ plan: inout UndoPlan
  ) {
    guard replica.isAlive(item) == alive, let by = replica.lifeWritten(item) else { return }
    if !isForced {
      if by.device != device { return plan.stay(cell, item, .life, .writtenBy(by.device)) }
      if alive, let other = laterWriter(under: item) {
        return plan.stay(cell, item, .life, .writtenBy(other))
      }
    }
    plan.write(.setAlive(item, !alive), item, alive ? .remove : .restore)
  }

  private func reset(
    _ cell: UndoCell, _ item: ItemID, _ field: FieldName, _ old: Value?, _ new: Value,
    _ plan: inout UndoPlan
  ) {
    let target = old ?? defaultValue(of: item, field)
    guard let now = replica.value(of: item, field), let by = replica.written(of: item, field),
      now != target
    else { return }
    if !isForced, by.device != device || now != new {
      return plan.stay(cell, item, .field(field), .writtenBy(by.device))
    }
    var verb = ItemOutcome.Verb.set
    if field == .done { verb = target == .bool(true) ? .done : .undone }
    plan.write(.set(item, field, target), item, verb)
  }

  /// What a cell that was never written showed.
  private func defaultValue(of item: ItemID, _ field: FieldName) -> Value {
    let schema = resolver.schema(under: replica.parent(of: item) ?? .root)
    for column in schema.valueColumns where column.field == field {
      if let text = column.defaultText { return ValueText.value(of: text, column.type) ?? .null }
    }
    return .null
  }

  // MARK: Items that were made

  /// Items that the step made.
  private struct Made {
    private(set) var ranges: [(nonce: UInt64, first: UInt32, count: UInt32)] = []
    private var byNonce: [UInt64: [Range<UInt32>]] = [:]

    mutating func insert(_ nonce: UInt64, _ first: UInt32, _ count: UInt32) {
      let (end, over) = first.addingReportingOverflow(count)
      if over { return }
      ranges.append((nonce, first, count))
      byNonce[nonce, default: []].append(first..<end)
    }

    func contains(_ item: ItemID) -> Bool {
      byNonce[item.nonce]?.contains { $0.contains(item.index) } ?? false
    }

    /// Calls `body` for each, in the order they were made.
    func forEach(_ body: (ItemID) -> Void) {
      for range in ranges {
        for index in range.first..<range.first + range.count {
          body(ItemID(nonce: range.nonce, index: index))
        }
      }
    }
  }

  /// Removes the items that were made, whole branches at once; what others were at stays, and all that
  /// it is under.
  private func unmake(_ made: Made, _ leaving: Set<ItemID>, _ plan: inout UndoPlan) {
    var tops: [ItemID] = []
    made.forEach { item in
      guard replica.isAlive(item) else { return }
      if !made.contains(replica.parent(of: item) ?? .root) { tops.append(item) }
    }
    var order: [ItemID] = []
    var open = Array(tops.reversed())
    while let item = open.popLast() {
      order.append(item)
      let children = replica.children(of: item).filter { !leaving.contains($0) }
      open += children.reversed()
    }
    var reasons: [ItemID: UndoPlan.Stay.Reason] = [:]
    if !isForced {
      for item in order.reversed() {
        if let other = laterWriter(of: item) {
          reasons[item] = .writtenBy(other)
        } else if !made.contains(item)
          || replica.children(of: item).contains(where: { reasons[$0] != nil })
        {
          reasons[item] = .holds
        }
      }
    }
    var removed: Set<ItemID> = []
    for item in order where made.contains(item) {
      if let reason = reasons[item] {
        plan.stay(
          .created(nonce: item.nonce, first: item.index, count: 1), item, nil, reason)
      } else if removed.insert(item).inserted, !removed.contains(replica.parent(of: item) ?? .root)
      {
        plan.write(.setAlive(item, false), item, .remove)
      }
    }
  }

  /// Another device that wrote in `item` what this one had not seen when it made the step.
  private func laterWriter(of item: ItemID) -> DeviceID? {
    replica.writers(of: item).first {
      $0.device != device && !replica.contains($0.dot, seen)
    }?.device
  }

  private func laterWriter(under item: ItemID) -> DeviceID? {
    var open = [item]
    while let next = open.popLast() {
      if let other = laterWriter(of: next) { return other }
      open += replica.children(of: next)
    }
    return nil
  }
}

extension UndoCell {
  /// What it is about; `nil` for items that were made.
  fileprivate var subject: (item: ItemID, cell: CellName)? {
    switch self {
    case .created: nil
    case .placed(let item, _, _), .unlost(let item): (item, .place)
    case .life(let item, _): (item, .life)
    case .set(let item, let field, _, _), .counted(let item, let field, _): (item, .field(field))
    }
  }
}
