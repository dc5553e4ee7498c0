// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// What was removed, and what lost its place: finding and naming it.
extension Resolver {
  /// What is written above `item`, the nearest first, the root not among it; and whether that ends at
  /// the root. Cut cycles, Recovered and unknown parents end it earlier.
  /// - Complexity: O(depth).
  package func writtenChain(above item: ItemID) -> (chain: [ItemID], reachesRoot: Bool) {
    var chain: [ItemID] = []
    var seen: Set<ItemID> = [item]
    var at = item
    while let parent = replica.spot(of: at)?.parent {
      if parent == .root { return (chain, true) }
      guard parent != .recovered, replica.exists(parent), seen.insert(parent).inserted else {
        return (chain, false)
      }
      chain.append(parent)
      at = parent
    }
    return (chain, false)
  }

  /// Items that can be restored: without a list the removed ones that nothing removed is above, and
  /// all in Recovered; with one all that was removed or lost inside it. Ascending by id.
  /// - Complexity: O(items · depth of what was removed).
  package func trash(in list: ListSelector?) throws(Problem) -> [ItemID] {
    var scope: ItemID?
    if let list { scope = try anyList(list) }
    let all = replica.deadItems + replica.recoveredItems
    return all.filter { item in
      let chain = writtenChain(above: item).chain
      if let scope { return chain.contains(scope) }
      return !replica.isAlive(item) ? !chain.contains { !replica.isAlive($0) } : true
    }.sorted()
  }

  /// A list, be it removed or not.
  package func anyList(_ selector: ListSelector) throws(Problem) -> ItemID {
    do throws(Problem) { return try list(selector) } catch {
      guard selector.path.count == 1 else { throw error }
      let name = selector.path[0]
      let removed = replica.deadChildren(of: .root).filter {
        sameBytes(title(of: $0), name)
          || handles.items(withPrefix: name).contains($0)
      }
      if removed.count == 1 { return removed[0] }
      if removed.count > 1 { throw ambiguous(name, removed) }
      throw error
    }
  }

  /// The items that `selectors` name for a restore: hidden ones before visible ones, by handle, by
  /// number, or by the text that the trash shows.
  package func trashed(
    _ selectors: [ItemSelector], in list: ListSelector?
  ) throws(Problem) -> [ItemID] {
    var out: [ItemID] = []
    for selector in selectors {
      for item in try trashed(selector, in: list) where !out.contains(item) { out.append(item) }
    }
    return out
  }

  /// One item, be it there or removed.
  package func everItem(
    _ selector: ItemSelector, in list: ListSelector?
  ) throws(Problem) -> ItemID {
    do throws(Problem) { return try item(selector, in: list) } catch {
      let there = error
      // What is wrong with the word is said by who looks among what is there.
      do throws(Problem) {
        let found = try trashed(selector, in: list)
        if found.count == 1 { return found[0] }
      } catch { throw there }
      throw there
    }
  }

  private func trashed(
    _ selector: ItemSelector, in list: ListSelector?
  ) throws(Problem) -> [ItemID] {
    guard case .word(let word) = selector else { return try items(selector, in: list, true) }
    let byHandle = handles.items(withPrefix: word).filter { replica.exists($0) }
    let hidden = byHandle.filter { replica.status(of: $0) != .visible }
    if hidden.count == 1 { return hidden }
    if hidden.isEmpty, byHandle.count == 1 { return byHandle }
    // What the trash shows first, then what was removed inside that.
    var candidates = try trash(in: list)
    if let found = try unique(word, candidates) { return [found] }
    if list == nil {
      candidates = replica.deadItems
      if let found = try unique(word, candidates) { return [found] }
    }
    if hidden.count > 1 { throw ambiguous(word, hidden) }
    let isThere = replica.children(of: .root).contains { sameBytes(title(of: $0), word) }
    if isThere { return [try self.list(ListSelector(path: [word]))] }
    throw Problem(
      .unknownItem, "nothing removed is called \"\(word)\"", detail: "see hedge trash",
      suggest: Suggestion.nearest(to: word, among: candidates.map(title)))
  }
}

extension Resolver {
  /// The one item with that text, or with that beginning; `nil` if there is none.
  private func unique(_ word: String, _ candidates: [ItemID]) throws(Problem) -> ItemID? {
    let exact = candidates.filter { sameBytes(title(of: $0), word) }
    if exact.count > 1 { throw ambiguous(word, exact) }
    if let one = exact.first { return one }
    let lower = word.lowercased()
    let byPrefix = candidates.filter { title(of: $0).lowercased().hasPrefix(lower) }
    if byPrefix.count > 1 { throw ambiguous(word, byPrefix) }
    return byPrefix.first
  }
}

extension ListReader {
  /// What can be restored, the newest removals first.
  package func trash(_ query: TrashQuery) throws(Problem) -> TrashReply {
    let items = try resolver.trash(in: query.list).map { (item: $0, at: leftAt($0)) }
    let sorted = items.sorted { a, b in a.at != b.at ? a.at > b.at : a.item < b.item }
    return TrashReply(
      rows: sorted.prefix(query.limit).map { trashRow($0.item) }, count: items.count)
  }

  /// When an item was removed, or put where it has no place.
  private func leftAt(_ item: ItemID) -> Int64 {
    let by = replica.isAlive(item) ? replica.placed(item) : replica.lifeWritten(item)
    return by?.milliseconds ?? 0
  }

  private func trashRow(_ item: ItemID) -> TrashRow {
    let isRecovered = replica.isAlive(item)
    let (chain, _) = resolver.writtenChain(above: item)
    let by = isRecovered ? replica.placed(item) : replica.lifeWritten(item)
    let parent = chain.count > 1 ? chain.first : nil
    return TrashRow(
      id: item, handle: resolver.handles.handle(of: item), text: Text(resolver.title(of: item)),
      list: chain.last.map(resolver.title), parent: parent.map(resolver.title),
      isRecovered: isRecovered, hiddenCount: replica.aliveDescendantCount(of: item),
      at: by?.milliseconds ?? 0, by: by.map { nameOf($0.device) } ?? "")
  }
}
