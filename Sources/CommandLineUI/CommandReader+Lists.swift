// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// Verbs about whole lists.
extension CommandReader {
  mutating func find() throws(Problem) -> Command {
    let words = arguments.words.map(\.text)
    guard words.contains(where: { !$0.isEmpty }) else { throw usage("find needs words") }
    var query = FindQuery(words: words)
    query.show = try shown()
    query.limit = min(try arguments.count("--limit") ?? FindQuery.limitMax, FindQuery.limitMax)
    return .request(.find(query))
  }

  mutating func clear() throws(Problem) -> Command {
    let list = try arguments.takeList()
    try noMoreWords()
    return isDryRun ? write(.clear(list)) : .counted(.clear(list), question: "remove")
  }

  /// The list that a verb cannot do without; its `@` may be left out.
  private mutating func needList() throws(Problem) -> ListSelector {
    if let list = try arguments.takeList() { return list }
    guard let word = arguments.takeWord() else { throw usage("\(verb.name) needs a list") }
    return try ListSelector(parsing: word.text)
  }

  mutating func rename() throws(Problem) -> Command {
    let list = try needList()
    let name = arguments.words.map(\.text).joined(separator: " ")
    guard !arguments.words.isEmpty else { throw usage("rename needs a new name") }
    if let defect = NameRule.defect(of: name) {
      let kind: Problem.Kind = defect.hasSuffix("empty") ? .emptyText : .invalidName
      throw Problem(kind, "the list name \(ValueTextShort.quoted(name)) \(defect)")
    }
    return write(.rename(list, to: name))
  }

  mutating func drop() throws(Problem) -> Command {
    let list = try needList()
    try noMoreWords()
    return isDryRun ? write(.drop(list, name: nil)) : .drop(list)
  }

  mutating func use() throws(Problem) -> Command {
    let list = try arguments.takeList()
    let word = arguments.takeWord()
    try noMoreWords()
    if arguments.has("--none") {
      guard list == nil, word == nil else { throw usage("--none takes no list") }
      return .request(.use(.clear))
    }
    if let list { return .request(.use(.set(list))) }
    guard let word else { return .request(.use(.show)) }
    return .request(.use(.set(try ListSelector(parsing: word.text))))
  }

  mutating func columns() throws(Problem) -> Command {
    let list = try arguments.takeList()
    guard let word = arguments.takeWord()?.text else { return .request(.columns(list)) }
    let words = arguments.words.map(\.text)
    let change: ColumnChange
    switch word {
    case "add":
      guard !words.isEmpty else { throw usage("cols add needs COLUMN:TYPE") }
      var columns: [Column] = []
      for text in words { columns.append(try Column(parsing: text)) }
      change = .add(columns)
    case "rename":
      guard words.count == 2 else { throw usage("cols rename needs the old and the new name") }
      change = .rename(words[0], to: words[1])
    case "drop":
      guard words.count == 1 else { throw usage("cols drop needs one name") }
      change = .drop(words[0])
    case "retype":
      guard words.count == 2 else { throw usage("cols retype needs a name and a type") }
      change = .retype(words[0], to: try Column(parsing: "\(words[0]):\(words[1])"))
    case "order":
      guard !words.isEmpty else { throw usage("cols order needs names") }
      change = .order(words)
    default:
      throw Problem(
        .usage, "cols cannot \(ValueTextShort.quoted(word))",
        detail: "usage: hedge cols \(verb.usage)",
        suggest: Suggestion.nearest(to: word, among: verb.subverbs))
    }
    return write(.columns(list, change))
  }
}
