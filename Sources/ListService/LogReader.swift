// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// Changes of the log as rows of `hedge log`.
package struct LogReader {
  /// What is looked for.
  package struct Scope: Sendable {
    /// The list, with all that is in it, or the item.
    package var item: ItemID?
    package var isList: Bool
    package var device: DeviceID?
    /// Milliseconds since 1970; what is older is left out.
    package var since: Int64?
    package init(item: ItemID?, isList: Bool, device: DeviceID?, since: Int64?) {
      (self.item, self.isList, self.device, self.since) = (item, isList, device, since)
    }
  }

  /// Items named in one row.
  static let itemsMax = 8

  let reader: ListReader
  let scope: Scope
  private var resolver: Resolver { reader.resolver }
  private var replica: Replica { reader.resolver.replica }

  package init(_ reader: ListReader, _ scope: Scope) { (self.reader, self.scope) = (reader, scope) }

  /// The row of a change; `nil` where it is not looked for.
  /// - Complexity: O(cells of the change · depth).
  package func row(_ change: Change) -> LogRow? {
    let milliseconds = Int64(change.h >> 16)
    if let since = scope.since, milliseconds < since { return nil }
    let device = replica.head(of: change.session)?.device ?? change.head?.device
    if let wanted = scope.device, device != wanted { return nil }
    var row = LogRow(
      transaction: EventFeed.transaction(change.dot), at: milliseconds,
      by: device.map(reader.nameOf) ?? "", listName: nil, items: [], itemCount: 0,
      alikeCount: 0)
    for op in change.ops { add(op, change.nonce, &row) }
    return row.itemCount == 0 ? nil : row
  }

  private func add(_ op: Op, _ nonce: UInt64, _ row: inout LogRow) {
    switch op {
    case .create(let first, let count, let parent, _, _):
      let verb: TransactionResult.Verb = parent == .root ? .new : .add
      for index in 0..<count {
        add(ItemID(nonce: nonce, index: first &+ index), verb, nil, nil, &row)
      }
    case .place(let item, _, _, _): add(item, .move, nil, nil, &row)
    case .blockPlace(let items, _, _, _):
      for item in items { add(item, .move, nil, nil, &row) }
    case .set(let item, .named(let name), let value, _) where FieldName.named(name) == .done:
      add(item, value == .bool(true) ? .done : .undone, nil, nil, &row)
    case .set(let item, let field, let value, _):
      add(item, .set, field, ValueText.print(value), &row)
    case .life(let item, let alive, _): add(item, alive ? .restore : .remove, nil, nil, &row)
    case .add(let item, let field, let delta):
      add(item, .set, field, delta < 0 ? "\(delta)" : "+\(delta)", &row)
    case .unknown: break
    }
  }

  private func add(
    _ item: ItemID, _ verb: TransactionResult.Verb, _ field: FieldName?, _ value: String?,
    _ row: inout LogRow
  ) {
    guard isWanted(item) else { return }
    row.itemCount += 1
    if row.items.first.map({ $0.touched.verb == verb }) ?? true { row.alikeCount += 1 }
    guard row.items.count < Self.itemsMax else { return }
    if row.listName == nil {
      row.listName = resolver.writtenChain(above: item).chain.last.map(resolver.title)
    }
    row.items.append(
      LogRow.Item(
        touched: reader.told(item, verb),
        column: field.map { resolver.columnName($0, of: item) }, value: value))
  }

  private func isWanted(_ item: ItemID) -> Bool {
    guard let wanted = scope.item, item != wanted else { return true }
    return scope.isList && resolver.writtenChain(above: item).chain.contains(wanted)
  }
}
