// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
import ListModel

/// Looking across lists.
extension ListReader {
  /// Items of all lists that have all words in text, note or columns, in the order of the lists.
  /// - Complexity: O(items · fields).
  package func find(_ query: FindQuery) -> FoundReply {
    let words = query.words.map { $0.lowercased() }
    var reply = FoundReply(rows: [], count: 0)
    for list in replica.children(of: .root) {
      let page = emptyPage(list)
      var open = Array(replica.children(of: list).reversed())
      while let item = open.popLast() {
        open += replica.children(of: item).reversed()
        guard holds(item, words) else { continue }
        guard shows(item, query.show) else {
          if query.show == .open { reply.doneCount += 1 }
          continue
        }
        reply.count += 1
        if reply.rows.count >= query.limit { continue }
        reply.rows.append(
          FoundReply.Row(
            list: page.list, path: path(to: item, in: list), row: row(item, depth: 0, page.columns))
        )
      }
    }
    return reply
  }

  private func holds(_ item: ItemID, _ words: [String]) -> Bool {
    if matches(item, words) { return true }
    var text = resolver.title(of: item).lowercased()
    for field in replica.fields(of: item) where field != .text && field != .done {
      guard let value = replica.value(of: item, field) else { continue }
      text += "\n" + ValueText.print(value).lowercased()
    }
    return words.allSatisfy { text.contains($0) }
  }

  private func path(to item: ItemID, in list: ItemID) -> [String] {
    var path: [String] = []
    var at = replica.parent(of: item)
    while let parent = at, parent != list, parent != .root {
      path.append(resolver.title(of: parent))
      at = replica.parent(of: parent)
    }
    return path.reversed()
  }
}
