// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// What became of one item in a transaction.
package struct ItemOutcome: Hashable, Sendable {
  package enum Verb: String, Hashable, Sendable {
    case list = "list"
    case add, set, done, undone, move = "mv", remove = "rm", restore
    /// Nothing had to be written.
    case same
  }

  package enum Subject: Hashable, Sendable {
    case item(ItemID)
    /// The n-th item that the transaction creates, from 0.
    case created(Int)
  }

  package let subject: Subject
  package let verb: Verb
}

/// A transaction made ready for the engine: edits, and what to tell about them.
package struct TransactionPlan: Sendable {
  package var edits: [Edit] = []
  package var outcomes: [ItemOutcome] = []
  /// Texts of new items that were open in their list already.
  package var maybeSame: [ItemID] = []
  /// The nonce that the first change must have, where items were named before they exist.
  package var nonce: UInt64?
  var createdCount = 0

  /// Edits with what they come to, where nothing is created.
  package init(edits: [Edit] = [], outcomes: [ItemOutcome] = []) {
    (self.edits, self.outcomes) = (edits, outcomes)
  }

  package var isEmpty: Bool { edits.isEmpty }
}

/// Turns the operations of a request into edits, all or nothing.
package struct TransactionPlanner {
  package let resolver: Resolver
  /// A fresh nonce for items that need a name before they are created.
  let freshNonce: UInt64
  var replica: Replica { resolver.replica }

  package init(_ resolver: Resolver, freshNonce: UInt64) {
    (self.resolver, self.freshNonce) = (resolver, freshNonce)
  }

  package func plan(_ transaction: Transaction) throws(Problem) -> TransactionPlan {
    var plan = TransactionPlan()
    for op in transaction.ops { try take(op, &plan) }
    return plan
  }

  private func take(_ op: ItemOp, _ plan: inout TransactionPlan) throws(Problem) {
    switch op {
    case .newList(let list): try take(list, &plan)
    case .add(let add): try take(add, &plan)
    case .edit(let edit): try take(edit, &plan)
    case .tick(let tick): try take(tick, &plan)
    case .move(let move): try take(move, &plan)
    case .remove(let list, let items): try remove(list, items, &plan)
    case .restore(let list, let items): try restore(list, items, &plan)
    }
  }

  // MARK: Lists

  private func take(_ list: NewList, _ plan: inout TransactionPlan) throws(Problem) {
    if let defect = NameRule.defect(of: list.name) {
      throw Problem(.invalidName, "the list name \"\(list.name)\" \(defect)")
    }
    var parent = ItemID.root
    if let under = list.under { parent = try resolver.list(under) }
    for other in replica.children(of: parent)
    where sameBytes(resolver.title(of: other), list.name) {
      throw Problem(
        .nameTaken, "there is a list \(list.name) already",
        detail: "it has the handle \(resolver.handles.handle(of: other))")
    }
    var seen: [String] = []
    for column in list.columns {
      guard !seen.contains(where: { sameBytes($0, column.name) }) else {
        throw Problem(.invalidName, "two columns are called \(column.name)")
      }
      seen.append(column.name)
    }
    let cells = [(field: FieldName.text, value: Value.text(list.name))]
    let schema = ListSchema(columns: list.columns).fields
    plan.edits.append(.create([NewRow(cells + schema)], parent: parent, at: .bottom))
    plan.created(.list)
  }
}

extension TransactionPlan {
  mutating func created(_ verb: ItemOutcome.Verb) {
    outcomes.append(ItemOutcome(subject: .created(createdCount), verb: verb))
    createdCount += 1
  }
}
