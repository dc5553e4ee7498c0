// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
package import ListModel

extension UndoStep {
  /// The items that the step is about and what it did to each, each once a verb.
  ///
  /// - Parameters:
  ///   - isInverse: Tell what taking the step back does instead.
  ///   - limit: Stop after so many items.
  package func outcomes(isInverse: Bool, limit: Int) -> (
    shown: [ItemOutcome], count: Int, alike: Int
  ) {
    var shown: [ItemOutcome] = []
    var (count, alike) = (0, 0)
    func add(_ item: ItemID, _ verb: ItemOutcome.Verb) {
      let outcome = ItemOutcome(subject: .item(item), verb: verb)
      if shown.last == outcome { return }
      count += 1
      if shown.first.map({ $0.verb == verb }) ?? true { alike += 1 }
      if shown.count < limit { shown.append(outcome) }
    }
    for cell in cells {
      switch cell {
      case .created(let nonce, let first, let number):
        let verb = isInverse ? ItemOutcome.Verb.remove : .add
        let named = min(number, UInt32(max(limit - shown.count, 0)))
        for index in 0..<named { add(ItemID(nonce: nonce, index: first &+ index), verb) }
        count += Int(number - named)
        if shown.first?.verb == verb { alike += Int(number - named) }
      case .placed(let item, _, _): add(item, .move)
      case .life(let item, let alive): add(item, alive == isInverse ? .remove : .restore)
      case .set(let item, .named(let name), let old, let new) where FieldName.named(name) == .done:
        let value = isInverse ? old ?? .null : new
        add(item, value == .bool(true) ? .done : .undone)
      case .set(let item, _, _, _), .counted(let item, _, _): add(item, .set)
      case .unlost: break  // who restored the one above it is told of that
      }
    }
    return (shown, count, alike)
  }
}
