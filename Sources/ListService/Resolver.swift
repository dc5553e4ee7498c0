// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// Finds the lists and items that people name: by handle, by the number a terminal showed, by text.
///
/// A pure look at a replica. Names never decide anything but what is meant by a command.
package struct Resolver {
  package let replica: Replica
  package let handles: HandleIndex
  /// What the asking terminal showed last, row by row; `nil` if nothing is remembered.
  package let shown: [ItemID]?
  /// The list where none is named, by `hedge use`, and the one that the environment names.
  package let used: ItemID?
  package let preset: String?
  /// Where a text names several items, the only one that is done, or open, is meant; `nil`: none is.
  var prefersDone: Bool?

  package init(
    replica: Replica, handles: HandleIndex, shown: [ItemID]?, used: ItemID? = nil,
    preset: String? = nil
  ) {
    (self.replica, self.handles, self.shown) = (replica, handles, shown)
    (self.used, self.preset) = (used, preset)
  }

  // MARK: Lists

  /// The list that `selector` names; without one, the terminal's, the environment's, or the only list
  /// there is.
  package func list(_ selector: ListSelector?) throws(Problem) -> ItemID {
    guard let selector else {
      if let used, replica.status(of: used) == .visible { return used }
      if let preset { return try list(ListSelector(parsing: preset)) }
      return try onlyList()
    }
    var at = try child(selector.path[0], of: .root, selector)
    for part in selector.path.dropFirst() { at = try child(part, of: at, selector) }
    return at
  }

  /// The list that `selector` names in full, by name, id or whole handle: for what removes, shows
  /// to strangers, or makes what it does not find.
  package func exactList(_ selector: ListSelector, _ why: String) throws(Problem) -> ItemID {
    let found = try list(selector)
    let name = selector.path[selector.path.count - 1]
    // Three letters of a handle that name one thing are the whole of it.
    if sameBytes(title(of: found), name) || ItemID(hex: name) == found
      || handles.items(withPrefix: name).contains(found)
    {
      return found
    }
    let isRoot = selector.path.count == 1
    throw Problem(
      .unknownList, isRoot ? "no list \"\(name)\"" : "no item \"\(name)\" at \(selector.spelling)",
      detail: why, suggest: title(of: found))
  }

  private func onlyList() throws(Problem) -> ItemID {
    let lists = replica.children(of: .root)
    if lists.count == 1 { return lists[0] }
    if lists.isEmpty {
      throw Problem(.noList, "there is no list yet", detail: "make one: hedge new NAME")
    }
    throw Problem(
      .noList, "which list?", detail: "say one of \(names(lists)), as in @\(title(of: lists[0]))")
  }

  private func child(
    _ name: String, of parent: ItemID, _ selector: ListSelector
  ) throws(Problem) -> ItemID {
    let children = replica.children(of: parent)
    if let exact = children.first(where: { sameBytes(title(of: $0), name) }) { return exact }
    if let id = ItemID(hex: name), replica.isAlive(id), replica.parent(of: id) == parent {
      return id
    }
    let byHandle = handles.items(withPrefix: name).filter {
      replica.parent(of: $0) == parent && replica.isAlive($0)
    }
    if byHandle.count == 1 { return byHandle[0] }
    let lower = name.lowercased()
    let byPrefix = children.filter { title(of: $0).lowercased().hasPrefix(lower) }
    if byPrefix.count == 1 { return byPrefix[0] }
    if byPrefix.count > 1 {
      throw Problem(
        .ambiguous, "\(selector.spelling) could be several lists", detail: names(byPrefix))
    }
    let isRoot = parent == .root
    throw Problem(
      .unknownList,
      isRoot ? "no list \"\(name)\"" : "no item \"\(name)\" in \(title(of: parent))",
      detail: children.isEmpty ? nil : "there is \(names(children))",
      suggest: Suggestion.nearestText(to: name, among: children.map(title)))
  }

  func names(_ items: [ItemID]) -> String {
    let shown = items.prefix(8).map { title(of: $0) }.joined(separator: ", ")
    return items.count > 8 ? shown + " and \(items.count - 8) more" : shown
  }

  /// The text of an item; empty if it has none.
  package func title(of item: ItemID) -> String {
    if case .text(let text)? = replica.value(of: item, .text) { text.string } else { "" }
  }

  /// The columns that hold for children of `parent`: its own, else those of the nearest ancestor.
  package func schema(under parent: ItemID) -> ListSchema {
    var at: ItemID? = parent
    while let item = at, item != .root, item != .recovered {
      let declared = replica.fields(of: item).compactMap { field in
        replica.value(of: item, field).map { (field: field, value: $0) }
      }
      let schema = ListSchema(fields: declared)
      if !schema.columns.isEmpty { return schema }
      at = replica.parent(of: item)
    }
    return ListSchema()
  }

  /// What a field of `item` is called: as its column is called now, else as it is stored.
  /// - Complexity: O(depth).
  package func columnName(_ field: FieldName, of item: ItemID) -> String {
    guard case .named(let name) = field else { return "text" }
    let declaration = FieldName.named("col/" + name.string)
    var at = replica.parent(of: item)
    while let list = at, list != .root, list != .recovered {
      if case .text(let stored)? = replica.value(of: list, declaration) {
        return Column(key: name.string, stored: stored.string).name
      }
      at = replica.parent(of: list)
    }
    return name.string
  }

  // MARK: Items

  /// The items that `selectors` name, in that order, each once.
  ///
  /// - Parameter list: Where texts are looked up; `nil`: everywhere for handles, in the only list
  ///   for texts.
  package func items(
    _ selectors: [ItemSelector], in list: ListSelector?, includesDead: Bool = false
  ) throws(Problem) -> [ItemID] {
    var out: [ItemID] = []
    for selector in selectors {
      for item in try items(selector, in: list, includesDead) where !out.contains(item) {
        out.append(item)
      }
    }
    return out
  }

  /// The one item that `selector` names.
  package func item(_ selector: ItemSelector, in list: ListSelector?) throws(Problem) -> ItemID {
    let found = try items(selector, in: list, false)
    guard found.count == 1 else {
      throw Problem(.usage, "\(selector.spelling) names several items where one is needed")
    }
    return found[0]
  }

  func items(
    _ selector: ItemSelector, in list: ListSelector?, _ includesDead: Bool
  ) throws(Problem) -> [ItemID] {
    switch selector {
    case .number(let number): return [try numbered(number, includesDead)]
    case .range(let first, let last):
      var out: [ItemID] = []
      for number in first...last { out.append(try numbered(number, includesDead)) }
      return out
    case .id(let id):
      guard admits(id, includesDead) else {
        throw Problem(.unknownItem, "no item \(selector.spelling)")
      }
      return [id]
    case .word(let word): return [try worded(word, in: list, includesDead)]
    }
  }

  private func admits(_ id: ItemID, _ includesDead: Bool) -> Bool {
    includesDead ? replica.exists(id) : replica.isAlive(id)
  }

  private func numbered(_ number: Int, _ includesDead: Bool) throws(Problem) -> ItemID {
    guard let shown else {
      throw Problem(
        .noView, "this terminal has shown no numbers yet",
        detail: "list first (hedge ls), or use a handle")
    }
    guard shown.indices.contains(number - 1) else {
      throw Problem(
        .unknownItem, "no row \(number)",
        detail: shown.isEmpty ? "nothing was shown" : "this terminal showed rows 1-\(shown.count)")
    }
    guard admits(shown[number - 1], includesDead) else {
      throw Problem(.unknownItem, "row \(number) is gone meanwhile", detail: "list again: hedge ls")
    }
    return shown[number - 1]
  }

  private func worded(
    _ word: String, in list: ListSelector?, _ includesDead: Bool
  ) throws(Problem) -> ItemID {
    let byHandle = handles.items(withPrefix: word).filter { admits($0, includesDead) }
    var scope: ItemID?
    if let list { scope = try self.list(list) }
    let here = byHandle.filter { item in scope.map { isInside(item, $0) } ?? true }
    if here.count == 1 { return here[0] }
    let parent: ItemID
    if let scope { parent = scope } else { parent = try textScope(word, byHandle) }
    let children =
      replica.children(of: parent) + (includesDead ? replica.deadChildren(of: parent) : [])
    if let found = try match(word, among: children) { return found }
    // The list's own items come first; what is nested is meant only where nothing else is.
    let nested = below(children, includesDead)
    if let found = try match(word, among: nested) { return found }
    if here.count > 1 { throw ambiguous(word, here) }
    let near = Suggestion.nearestText(to: word, among: children.map(title))
    let suggestion = near.flatMap { near in
      children.first { sameBytes(title(of: $0), near) }.map { "\(handles.handle(of: $0)) \(near)" }
    }
    throw Problem(
      .unknownItem, "no item \"\(word)\" in \(title(of: parent))", suggest: suggestion)
  }

  /// The item with that text, else the only one whose text begins so; `nil` for none.
  private func match(_ word: String, among items: [ItemID]) throws(Problem) -> ItemID? {
    let exact = items.filter { sameBytes(title(of: $0), word) }
    if exact.count == 1 { return exact[0] }
    if exact.count > 1 {
      guard let meant = preferred(exact) else { throw ambiguous(word, exact) }
      return meant
    }
    let lower = word.lowercased()
    let byPrefix = items.filter { title(of: $0).lowercased().hasPrefix(lower) }
    if byPrefix.count > 1 {
      guard let meant = preferred(byPrefix) else { throw ambiguous(word, byPrefix) }
      return meant
    }
    return byPrefix.first
  }

  private func preferred(_ items: [ItemID]) -> ItemID? {
    guard let prefersDone else { return nil }
    let meant = items.filter { (replica.value(of: $0, .done) == .bool(true)) == prefersDone }
    return meant.count == 1 ? meant[0] : nil
  }

  /// Everything below `items`, level by level.
  private func below(_ items: [ItemID], _ includesDead: Bool) -> [ItemID] {
    var out: [ItemID] = []
    var level = items
    while !level.isEmpty {
      level = level.flatMap {
        replica.children(of: $0) + (includesDead ? replica.deadChildren(of: $0) : [])
      }
      out += level
    }
    return out
  }

  /// Without a list, a text is looked up in the only one; with several, a word that looks like a
  /// handle is told apart from a missing list.
  private func textScope(_ word: String, _ byHandle: [ItemID]) throws(Problem) -> ItemID {
    if byHandle.count > 1 { throw ambiguous(word, byHandle) }
    do throws(Problem) { return try list(nil) } catch {
      guard error.kind == .noList, replica.childCount(of: .root) > 1 else { throw error }
      guard Handle.keys(withPrefix: word) != nil else {
        throw Problem(
          .noList, "in which list is \"\(word)\"?",
          detail: "\(error.detail ?? ""); or name the item by its handle")
      }
      throw Problem(
        .unknownItem, "no item \"\(word)\"", detail: "to look for a text, say the list: @NAME")
    }
  }

  func ambiguous(_ word: String, _ items: [ItemID]) -> Problem {
    let shown = items.prefix(6).map { "\(handles.handle(of: $0)) \(title(of: $0))" }
    let more = items.count > 6 ? " and \(items.count - 6) more" : ""
    return Problem(
      .ambiguous, "\"\(word)\" could be several items",
      detail: shown.joined(separator: ", ") + more)
  }

  /// Whether `item` is below `ancestor`, or it.
  package func isInside(_ item: ItemID, _ ancestor: ItemID) -> Bool {
    var at: ItemID? = item
    while let now = at {
      if now == ancestor { return true }
      at = replica.parent(of: now)
    }
    return false
  }
}
