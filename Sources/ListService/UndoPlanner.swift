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
  private var replica: Replica { resolver.replica }

  package init(_ step: UndoStep, _ resolver: Resolver, device: DeviceID, isForced: Bool) {
    (self.step, self.resolver) = (step, resolver)
    (self.device, self.isForced) = (device, isForced)
    seen = resolver.replica.coverage(of: step.seen)
  }

  /// - Complexity: O(cells of the step + items under those that were made or brought back).
  package func plan() -> UndoPlan {
    var plan = UndoPlan()
    var made = Made()
    var leaving: Set<ItemID> = []
    for cell in step.cells {
      switch cell {
      case .created(let nonce, let first, let count): made.insert(nonce, first, count)
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
    unmake(made, leaving, &plan)
    return plan
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
      || step.cells.contains(.life(old.parent, alive: false)) || wasGone(old.parent)
    guard isThere, !resolver.isInside(old.parent, item) else {
      plan.stay(cell, item, .place, .placeGone)
      return false
    }
    plan.write(.place(item, old), item, .move)
    return true
  }

  /// Whether `parent` was removed when the step was made: the item came out of Recovered then.
  private func wasGone(_ parent: ItemID) -> Bool {
    ([parent] + resolver.writtenChain(above: parent).chain).contains { item in
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

extension UndoStep {
  /// The items that the step is about and what it did to each, each once a verb.
  ///
  /// - Parameters:
  ///   - isInverse: Tell what taking the step back does instead.
  ///   - limit: Stop after so many items.
  package func outcomes(isInverse: Bool, limit: Int) -> (shown: [ItemOutcome], count: Int) {
    var shown: [ItemOutcome] = []
    var count = 0
    func add(_ item: ItemID, _ verb: ItemOutcome.Verb) {
      let outcome = ItemOutcome(subject: .item(item), verb: verb)
      if shown.last == outcome { return }
      count += 1
      if shown.count < limit { shown.append(outcome) }
    }
    for cell in cells {
      switch cell {
      case .created(let nonce, let first, let number):
        for index in 0..<min(number, UInt32(max(limit - shown.count, 0))) {
          add(ItemID(nonce: nonce, index: first &+ index), isInverse ? .remove : .add)
          count -= 1
        }
        count += Int(number)
      case .placed(let item, _, _): add(item, .move)
      case .life(let item, let alive): add(item, alive == isInverse ? .remove : .restore)
      case .set(let item, .named(let name), let old, let new) where FieldName.named(name) == .done:
        let value = isInverse ? old ?? .null : new
        add(item, value == .bool(true) ? .done : .undone)
      case .set(let item, _, _, _), .counted(let item, _, _): add(item, .set)
      }
    }
    return (shown, count)
  }
}
