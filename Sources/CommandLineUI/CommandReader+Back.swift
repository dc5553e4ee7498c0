// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// Verbs that take back and bring back.
extension CommandReader {
  mutating func undo(isRedo: Bool) throws(Problem) -> Command {
    let transaction = arguments.takeWord()?.text
    try noMoreWords()
    if !isRedo, arguments.has("--list") {
      guard transaction == nil else { throw usage("--list shows all and takes no name") }
      return .request(.undoSteps)
    }
    return .request(
      .undo(
        UndoRequest(
          transaction: transaction, isRedo: isRedo, isForced: arguments.has("--force"),
          isDryRun: isDryRun)))
  }

  mutating func restore() throws(Problem) -> Command {
    let list = try arguments.takeList()
    if let list, arguments.words.isEmpty {
      guard list.path.count == 1 else {
        throw usage("\(list.spelling) is an item: name it by its handle")
      }
      return write(.restore(nil, [.word(list.path[0])]))
    }
    return try onItems { items in .restore(list, items) }
  }

  mutating func trash() throws(Problem) -> Command {
    let list = try arguments.takeList()
    try noMoreWords()
    let limit = min(try arguments.count("--limit") ?? TrashQuery.limitMax, TrashQuery.limitMax)
    return .request(.trash(TrashQuery(list: list, limit: limit)))
  }

  mutating func conflicts() throws(Problem) -> Command {
    if let list = try arguments.takeList() {
      try noMoreWords()
      return .request(.conflicts(list))
    }
    guard let word = arguments.takeWord()?.text else { return .request(.conflicts(nil)) }
    guard sameBytes(word, "take") else {
      throw Problem(
        .usage, "conflicts cannot \(ValueTextShort.quoted(word))",
        detail: "usage: hedge conflicts \(verb.usage)",
        suggest: Suggestion.nearest(to: word, among: verb.subverbs))
    }
    guard let id = arguments.takeWord()?.text else { throw usage("conflicts take needs an id") }
    try noMoreWords()
    return .request(.takeConflict(id: id, isDryRun: isDryRun))
  }
}
