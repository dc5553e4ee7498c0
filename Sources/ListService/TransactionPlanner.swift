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
  /// Values that a column's new type cannot hold, and why; they stay as they are.
  package var rejects: [(item: ItemID, reason: String)] = []
  /// Sentences for people on what was made of the wish.
  package var notes: [String] = []
  /// Items go to another list than the one they are in.
  package var changesList = false
  /// Texts of new items that were open in their list already.
  package var maybeSame: [ItemID] = []
  /// The nonce that the first change must have, where items were named before they exist.
  package var nonce: UInt64?
  var createdCount = 0
  /// So many of the first created items have ids that the client chose.
  var promisedCount = 0
  /// Items are made under items of the same change.
  var isNested = false

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
    plan.nonce = try clientNonce(transaction)
    for op in transaction.ops { try take(op, &plan) }
    try keepPromises(plan)
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
    case .clear(let list): try clear(list, &plan)
    case .rename(let list, let name): try rename(list, name, &plan)
    case .drop(let list, let name): try drop(list, name, &plan)
    case .columns(let list, let change): try take(list, change, &plan)
    }
  }
}

extension TransactionPlan {
  mutating func created(_ verb: ItemOutcome.Verb) {
    outcomes.append(ItemOutcome(subject: .created(createdCount), verb: verb))
    createdCount += 1
  }
}
