// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

extension ListReader {
  /// All lists in their order.
  /// - Complexity: O(items).
  package func lists() -> [ListRow] {
    replica.children(of: .root).map { list in
      let schema = resolver.schema(under: list)
      var row = ListRow(list: reference(list), columns: schema.columns)
      row.title = schema.titleColumn?.name
      let (open, done) = counts(below: list)
      (row.itemCount, row.doneCount) = (open + done, done)
      let last = lastWrite(in: list)
      row.at = last?.milliseconds
      row.by = last.map { nameOf($0.device) }
      return row
    }
  }

  private func lastWrite(in list: ItemID) -> Written? {
    var best = replica.lastWritten(of: list)
    replica.forEachChild(of: list) { item in
      if let other = replica.lastWritten(of: item), other.h > best?.h ?? 0 { best = other }
      return true
    }
    return best
  }

  package func reference(_ list: ItemID) -> ListRef {
    let top = replica.list(of: list) ?? list
    return ListRef(
      id: list, handle: resolver.handles.handle(of: list), name: resolver.title(of: list),
      revision: revisionBase &+ replica.revision(ofList: top))
  }
}
