// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// Reads the words of one verb.
struct CommandReader {
  let verb: VerbSpec
  var arguments: Arguments
  /// The words behind the verb that choose what it does, as far as they were read.
  var chosen: [String] = []

  init(verb: VerbSpec, arguments: Arguments) {
    (self.verb, self.arguments) = (verb, arguments)
    if let word = arguments.words.first, !word.isLiteral,
      let subverb = verb.subverbs.first(where: { sameBytes($0, word.text) })
    {
      chosen = [subverb]
    }
  }

  mutating func command() throws(Problem) -> Command {
    switch verb.name {
    case "new": return try newList()
    case "add": return try add()
    case "done", "undone": return try tick(isDone: sameBytes(verb.name, "done"))
    case "edit": return try edit()
    case "set": return try set()
    case "mv": return try move()
    case "rm": return try remove()
    case "find": return try find()
    case "clear": return try clear()
    case "rename": return try rename()
    case "drop": return try drop()
    case "cols": return try columns()
    case "use": return try use()
    case "log": return try log()
    case "wait": return try wait()
    case "members":
      try noMoreWords()
      return .request(.members)
    case "role": return try role()
    case "alias": return try alias()
    case "revoke": return try revoke()
    case "undo": return try undo(isRedo: false)
    case "redo": return try undo(isRedo: true)
    case "restore": return try restore()
    case "trash": return try trash()
    case "conflicts": return try conflicts()
    case "lists":
      try noMoreWords()
      return .request(.lists)
    case "ls": return try list()
    case "show": return try show()
    case "watch": return try watch()
    case "inspect": return try inspect()
    case "import": return try importFile()
    case "export": return try export()
    default: return try otherCommand()
    }
  }

  /// A dry run is asked for.
  var isDryRun: Bool { arguments.has("--dry-run") }

  func write(_ op: ItemOp) -> Command {
    .request(.transact(Transaction([op], isDryRun: isDryRun)))
  }

  func noMoreWords() throws(Problem) {
    guard let word = arguments.words.first else { return }
    throw usage("\(verb.name) does not take \(ValueTextShort.quoted(word.text))")
  }

  func usage(_ title: String) -> Problem {
    let usage = verb.usage.isEmpty ? "" : " " + verb.usage
    return Problem(.usage, title, detail: "usage: hedge \(verb.name)\(usage)")
  }

  private mutating func newList() throws(Problem) -> Command {
    guard let name = arguments.takeWord() else { throw usage("new needs a name") }
    let bare = name.text.utf8.first == 0x40 ? String(name.text.dropFirst()) : name.text
    if !name.isLiteral, bare.contains(":"), (try? Column(parsing: bare)) != nil {
      throw Problem(
        .usage, "\(bare) is a column, and the name of the list is missing",
        detail: "hedge new NAME \(bare); as a name it goes behind --")
    }
    if let defect = NameRule.defect(of: bare) {
      let kind: Problem.Kind = defect.hasSuffix("empty") ? .emptyText : .invalidName
      throw Problem(kind, "the list name \(ValueTextShort.quoted(bare)) \(defect)")
    }
    var columns: [Column] = []
    for word in arguments.words {
      let column = try Column(parsing: word.text)
      guard !columns.contains(where: { sameBytes($0.name, column.name) }) else {
        throw usage("the column \(column.name) stands there twice")
      }
      columns.append(column)
    }
    var under: ListSelector?
    if let text = arguments.value("--under") { under = try ListSelector(parsing: text) }
    return write(.newList(NewList(name: bare, columns: columns, under: under)))
  }

  private mutating func add() throws(Problem) -> Command {
    let list = try arguments.takeList()
    let place = try place()
    let words = arguments.words
    if words.count == 1, let word = words.first, !word.isLiteral, sameBytes(word.text, "-") {
      return .addFromInput(
        AddItems(list: list, items: [], place: place, onlyNew: arguments.has("--unique")),
        isDryRun: isDryRun)
    }
    let items = Self.items(Self.withClocks(words))
    guard !items.isEmpty else { throw usage("add needs a text") }
    guard items.allSatisfy({ $0.text != nil || !$0.cells.isEmpty }) else {
      throw Problem(.emptyText, "an item needs a text")
    }
    return write(
      .add(AddItems(list: list, items: items, place: place, onlyNew: arguments.has("--unique"))))
  }

  /// Words as items: a comma at the end of a word ends the item, `name=value` is a column.
  static func items(_ words: [Arguments.Word]) -> [NewItem] {
    var items: [NewItem] = []
    var texts: [String] = []
    var cells: [CellWrite] = []
    func flush() {
      let text = texts.joined(separator: " ")
      let isBlank = text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 }
      if !isBlank || !cells.isEmpty {
        items.append(NewItem(text: isBlank ? nil : text, cells: cells))
      }
      (texts, cells) = ([], [])
    }
    for word in words {
      let endsItem = word.text.utf8.last == 0x2C
      let text = endsItem ? String(word.text.dropLast()) : word.text
      if !word.isLiteral, let cell = CellWrite(parsing: text) {
        cells.append(cell)
      } else if !text.isEmpty {
        texts.append(text)
      }
      if endsItem { flush() }
    }
    flush()
    return items
  }

  /// `due=tomorrow 18:00` as one word: a clock behind the day of a column belongs to it.
  static func withClocks(_ words: [Arguments.Word]) -> [Arguments.Word] {
    var out: [Arguments.Word] = []
    for word in words {
      let clock = word.text.utf8.last == 0x2C ? String(word.text.dropLast()) : word.text
      if !word.isLiteral, TimeWords.isClock(clock), let last = out.last, !last.isLiteral,
        case .text(let value)? = CellWrite(parsing: last.text)?.input, TimeWords.isDay(value)
      {
        out[out.count - 1] = Arguments.Word(text: last.text + " " + word.text, isLiteral: false)
      } else {
        out.append(word)
      }
    }
    return out
  }

  private mutating func tick(isDone: Bool) throws(Problem) -> Command {
    let list = try arguments.takeList()
    return try onItems { items in
      .tick(
        TickItems(
          list: list, items: items, isDone: isDone,
          withChildren: arguments.has("--children")))
    }
  }

  private mutating func remove() throws(Problem) -> Command {
    let list = try arguments.takeList()
    let command = try onItems { items in .remove(list, items) }
    guard case .request(let request) = command, case .transact(let transaction) = request,
      case .remove(_, let items)? = transaction.ops.first, !isDryRun
    else { return command }
    let count = items.reduce(0) { sum, item in
      if case .range(let first, let last) = item { sum + last - first + 1 } else { sum + 1 }
    }
    return count > 10 ? .confirmed(request, count: count) : command
  }

  /// A write on the items that the remaining words name, or that standard input names.
  func onItems(_ op: ([ItemSelector]) -> ItemOp) throws(Problem) -> Command {
    if arguments.words.count == 1, let word = arguments.words.first, !word.isLiteral,
      sameBytes(word.text, "-")
    {
      return .itemsFromInput(op([]), isDryRun: isDryRun)
    }
    return write(op(try selectors(arguments.words)))
  }

  func selectors(_ words: [Arguments.Word]) throws(Problem) -> [ItemSelector] {
    guard !words.isEmpty else { throw usage("\(verb.name) needs an item") }
    var items: [ItemSelector] = []
    for word in words {
      let text = word.text.utf8.last == 0x2C ? String(word.text.dropLast()) : word.text
      items.append(try ItemSelector(parsing: text))
    }
    return items
  }

  private mutating func edit() throws(Problem) -> Command {
    let list = try arguments.takeList()
    guard let first = arguments.takeWord() else { throw usage("edit needs an item") }
    let item = try ItemSelector(parsing: first.text)
    var texts: [String] = []
    var cells: [CellWrite] = []
    for word in Self.withClocks(arguments.words) {
      if !word.isLiteral, let cell = CellWrite(parsing: word.text) {
        cells.append(cell)
      } else {
        texts.append(word.text)
      }
    }
    let note = arguments.value("--note")
    let text = texts.isEmpty ? nil : texts.joined(separator: " ")
    guard text != nil || note != nil || !cells.isEmpty else {
      throw usage("edit needs a new text, a column or --note")
    }
    if let text, text.utf8.allSatisfy({ $0 == 0x20 }) {
      throw Problem(.emptyText, "the new text is empty", detail: "remove the item with hedge rm")
    }
    return write(
      .edit(EditItems(list: list, items: [item], text: text, note: note, cells: cells)))
  }

  private mutating func set() throws(Problem) -> Command {
    let list = try arguments.takeList()
    var items: [Arguments.Word] = []
    var cells: [CellWrite] = []
    for word in Self.withClocks(arguments.words) {
      if !word.isLiteral, let cell = CellWrite(parsing: word.text) {
        cells.append(cell)
      } else {
        items.append(word)
      }
    }
    guard !cells.isEmpty else { throw usage("set needs COLUMN=VALUE") }
    var conditions: [CellWrite] = []
    for text in arguments.all("--if") {
      guard let condition = CellWrite(parsing: text) else {
        throw usage("--if needs COLUMN=OLD, not \(ValueTextShort.quoted(text))")
      }
      conditions.append(condition)
    }
    if items.count == 1, !items[0].isLiteral, sameBytes(items[0].text, "-") {
      return .itemsFromInput(
        .edit(EditItems(list: list, items: [], cells: cells, conditions: conditions)),
        isDryRun: isDryRun)
    }
    return write(
      .edit(
        EditItems(
          list: list, items: try selectors(items), cells: cells, conditions: conditions)))
  }

  private mutating func move() throws(Problem) -> Command {
    let list = try arguments.takeList()
    var to: ListSelector?
    if let text = arguments.value("--to") { to = try ListSelector(parsing: text) }
    var place = try place()
    if place == nil, to == nil {
      guard arguments.words.count >= 2, let last = arguments.takeLast() else {
        throw usage("mv needs items and a place")
      }
      guard let position = Int(last.text), position >= 1 else {
        throw usage("\(ValueTextShort.quoted(last.text)) is no position")
      }
      place = .position(position)
    }
    let target = place ?? .bottom
    return try onItems { items in
      .move(MoveItems(list: list, items: items, place: target, to: to))
    }
  }

  /// The place that the flags name; `nil` without one.
  private func place() throws(Problem) -> PlaceSelector? {
    var places: [PlaceSelector] = []
    if arguments.has("--top") { places.append(.top) }
    if arguments.has("--bottom") { places.append(.bottom) }
    if arguments.has("--out") { places.append(.out) }
    if let text = arguments.value("--before") {
      places.append(.before(try ItemSelector(parsing: text)))
    }
    if let text = arguments.value("--after") {
      places.append(.after(try ItemSelector(parsing: text)))
    }
    if let text = arguments.value("--under") {
      places.append(.under(try ItemSelector(parsing: text)))
    }
    if let count = try arguments.count("--up") { places.append(.up(count)) }
    if let count = try arguments.count("--down") { places.append(.down(count)) }
    guard places.count <= 1 else { throw usage("only one place at a time") }
    return places.first
  }
}
