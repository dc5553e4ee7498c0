// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// Ids that clients choose, so that a request may be repeated: all of them hold, or nothing is done.
///
/// The ids of a request belong to one change: one nonce, and numbers from 0 in the order in which items
/// are made. A repeated request finds its items and does nothing; the rows behind a first one with an id
/// have theirs by implication.
extension TransactionPlanner {
  /// The nonce of the new items that have ids of the client; `nil` where none has one, or where all are
  /// there.
  func clientNonce(_ transaction: Transaction) throws(Problem) -> UInt64? {
    for op in transaction.ops {
      guard case .add(let add) = op else { continue }
      for item in add.items {
        guard let id = item.id, !replica.exists(id) else { continue }
        // Items are numbered from 0: the nonce was used before if the first one is there.
        if replica.exists(ItemID(nonce: id.nonce, index: 0)) { throw Self.halfThere(id) }
        return id.nonce
      }
    }
    return nil
  }

  /// Whether the rows of an operation were made by an earlier request with the same ids; where only
  /// some of them were, it is refused. Not asked where rows may be left out: then each row is looked at
  /// by itself.
  func areThere(_ add: AddItems, _ plan: inout TransactionPlan) throws(Problem) -> Bool {
    if add.onlyNew { return false }
    let ids = add.items.enumerated().map { at, item -> ItemID? in
      guard item.id == nil, let first = add.items[0].id else { return item.id }
      return ItemID(nonce: first.nonce, index: first.index &+ UInt32(clamping: at))
    }
    let there = ids.compactMap(\.self).filter(replica.exists)
    guard let known = there.first else { return false }
    guard there.count == ids.count else { throw Self.halfThere(known) }
    plan.outcomes += there.map { ItemOutcome(subject: .item($0), verb: .same) }
    return true
  }

  private static func halfThere(_ id: ItemID) -> Problem {
    Problem(
      .conflict, "some ids of this request are taken, others are not, as \(id.hex)",
      detail: "repeat a request as it was, or choose 8 fresh random bytes")
  }

  /// Books that the item which is made next has this id.
  func promise(_ id: ItemID, _ plan: inout TransactionPlan) throws(Problem) {
    guard id.nonce == plan.nonce, id.index == UInt32(clamping: plan.createdCount) else {
      throw Problem(
        .invalidValue, "the id \(id.hex) cannot be given to this item",
        detail:
          "ids of one request share their first 16 digits; the last 8 count the items that it "
          + "makes, from 0, in their order")
    }
    plan.promisedCount = plan.createdCount + 1
  }

  /// Refuses what would be cut into several changes before all promised ids are given: only the first
  /// change has the client's nonce.
  func keepPromises(_ plan: TransactionPlan) throws(Problem) {
    guard plan.promisedCount > 0, let nonce = plan.nonce else { return }
    let first = try? replica.plan(
      plan.edits, writer: WriterTag(0), h: Limits.clockEnd - 2, nonce: nonce)
    // What cannot be planned at all is refused by the engine, with its reason.
    guard let first, !first.makesRoom, first.created.count < plan.promisedCount else { return }
    if plan.isNested {
      throw Problem(
        .tooLarge, "\(plan.promisedCount) items of several levels do not fit into one step",
        detail: "import them: hedge import @LIST FILE; or add fewer at once")
    }
    throw Problem(
      .invalidValue,
      "\(plan.promisedCount) items with ids cannot be made in one step, the first "
        + "\(first.created.count) can",
      detail: "new rows of one list go into one operation; send fewer of them at once")
  }
}
