// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// What transactions came to.
extension ListReader {
  /// What a transaction came to, after it was folded.
  /// - Parameter created: Ids of the new items, in order.
  package func result(
    _ plan: TransactionPlan, created: [ItemID], transaction: String?, isDryRun: Bool
  ) -> TransactionResult {
    var touched: [TransactionResult.Touched] = []
    var unchanged: [TransactionResult.Touched] = []
    var list: ItemID?
    // What a dry run would make has no id: it is told by its text.
    let wished = isDryRun ? plan.wished : []
    for outcome in plan.outcomes {
      let item: ItemID
      switch outcome.subject {
      case .item(let id): item = id
      case .created(let number):
        if wished.indices.contains(number), let verb = outcome.verb.shown {
          let (text, parent) = wished[number]
          touched.append(.init(id: nil, handle: "", text: text, verb: verb))
          if list == nil, parent != .root { list = replica.list(of: parent) }
          continue
        }
        guard created.indices.contains(number) else { continue }
        item = created[number]
      }
      if list == nil { list = replica.list(of: item) }
      if let verb = outcome.verb.shown {
        var told = self.touched(item, verb)
        // Where it stands now is not where it would go.
        if isDryRun { (told.position, told.siblingCount) = (nil, nil) }
        touched.append(told)
      } else {
        unchanged.append(self.touched(item, .set))
      }
    }
    var result = TransactionResult(
      list: list.map(reference), transaction: transaction, touched: touched, unchanged: unchanged,
      maybeSame: plan.maybeSame.map { self.touched($0, .add) }, isDryRun: isDryRun)
    result.rejects = plan.rejects.map {
      TransactionResult.Reject(item: self.touched($0.item, .set), reason: $0.reason)
    }
    (result.notes, result.hasChangedList) = (plan.notes, plan.changesList)
    if result.touched.count + result.unchanged.count == 1 {
      result.revision = (result.touched + result.unchanged).first?.id.map(revision(of:))
    }
    return result
  }

  /// One item as results name it.
  func touched(
    _ item: ItemID, _ verb: TransactionResult.Verb
  ) -> TransactionResult.Touched {
    let text: Text
    if case .text(let held)? = replica.value(of: item, .text) {
      text = held
    } else {
      text = Text("")
    }
    let isMove = verb == .move
    return TransactionResult.Touched(
      id: item, handle: resolver.handles.handle(of: item), text: text, verb: verb,
      position: isMove ? replica.index(of: item).map { $0 + 1 } : nil,
      siblingCount: isMove ? replica.parent(of: item).map(replica.childCount) : nil,
      hiddenCount: verb == .remove ? replica.aliveDescendantCount(of: item) : 0)
  }

  // MARK: Undo

  /// One row of `undo --list`.
  package func step(_ entry: UndoLog.Entry) -> UndoStepRow {
    let (shown, count, alike) = entry.step.outcomes(
      isInverse: entry.isUndo, limit: Self.stepItemsMax)
    var items: [TransactionResult.Touched] = []
    var list: ItemID?
    for outcome in shown {
      guard case .item(let item) = outcome.subject, let verb = outcome.verb.shown else { continue }
      if list == nil { list = resolver.writtenChain(above: item).chain.last }
      let isList = verb == .add && replica.spot(of: item)?.parent == .root
      items.append(told(item, isList ? .new : verb))
    }
    return UndoStepRow(
      transaction: entry.name, at: entry.at, source: entry.source.isEmpty ? nil : entry.source,
      isUndone: entry.isUndo, hasStayed: entry.hasStayed, itemCount: count,
      alikeCount: alike, items: items,
      listName: list.map(resolver.title))
  }

  /// An item of something that is past: where it is now does not belong there.
  func told(
    _ item: ItemID, _ verb: TransactionResult.Verb
  ) -> TransactionResult.Touched {
    var touched = touched(item, verb)
    (touched.position, touched.siblingCount, touched.hiddenCount) = (nil, nil, 0)
    return touched
  }

  /// Items named in one row of `undo --list`.
  private static var stepItemsMax: Int { 8 }

  /// What an undo left alone, in words.
  package func stay(_ stay: UndoPlan.Stay) -> UndoReply.Stay {
    var by: String?
    let reason: String
    switch stay.reason {
    case .writtenBy(let device):
      let name = nameOf(device)
      by = name
      reason = "changed by \(name) since"
    case .holds: reason = "something that came later is in it"
    case .placeGone: reason = "the place it came from is gone"
    case .gone: reason = "it was set aside when its author was removed"
    }
    return UndoReply.Stay(
      id: stay.item, handle: resolver.handles.handle(of: stay.item),
      text: Text(resolver.title(of: stay.item)),
      column: stay.cell.map { ConflictReader(resolver, nameOf: nameOf).name($0, stay.item) },
      by: by,
      reason: reason)
  }
}

extension TransactionPlan {
  /// Texts and parents of the items that it would make, in the order of their creation.
  fileprivate var wished: [(text: Text, parent: ItemID)] {
    edits.flatMap { edit -> [(text: Text, parent: ItemID)] in
      guard case .create(let rows, let parent, _) = edit else { return [] }
      return rows.map { row in
        for case (.text, .text(let text)) in row.cells { return (text, parent) }
        return (Text(""), parent)
      }
    }
  }
}

extension ItemOutcome.Verb {
  /// As replies name it; `nil` where nothing was written.
  var shown: TransactionResult.Verb? {
    switch self {
    case .list: .new
    case .add: .add
    case .set: .set
    case .done: .done
    case .undone: .undone
    case .move: .move
    case .remove: .remove
    case .restore: .restore
    case .same: nil
    }
  }
}
