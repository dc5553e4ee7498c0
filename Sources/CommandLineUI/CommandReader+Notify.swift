// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

extension CommandReader {
  mutating func notify() throws(Problem) -> NotifyRequest {
    let isInFront = arguments.words.first?.text.utf8.first == 0x40 || arguments.has("--list")
    let list = isInFront ? try arguments.takeList() : nil
    let word = arguments.takeWord()?.text ?? "ls"
    switch word {
    case "on":
      var wish = NotifyWish(target: try target(list))
      wish.isEdge = arguments.has("--edge")
      if let text = arguments.value("--hysteresis") {
        guard let percent = Int(text.hasSuffix("%") ? String(text.dropLast()) : text) else {
          throw usage("--hysteresis needs a percentage, not \(ValueTextShort.quoted(text))")
        }
        guard wish.isEdge else { throw usage("--hysteresis goes with --edge") }
        wish.hysteresisPercent = percent
      }
      if let text = arguments.value("--every") { wish.everySeconds = try seconds(text) }
      return .on(wish)
    case "off": return .off(try target(list))
    case "to":
      try noMoreWords()
      return .change(try sinks())
    case "ls":
      try noMoreWords()
      return .show
    case "mute":
      guard let time = arguments.takeWord()?.text else { throw usage("mute needs a time, or off") }
      try noMoreWords()
      return .mute(minutes: sameBytes(time, "off") ? 0 : max(1, try seconds(time) / 60))
    case "test":
      try noMoreWords()
      return .test
    default:
      throw Problem(
        .usage, "notify cannot \(ValueTextShort.quoted(word))",
        detail: "usage: hedge notify \(verb.usage)",
        suggest: Suggestion.nearest(to: word, among: verb.subverbs))
    }
  }

  /// `@LIST`, or an item, then perhaps a column or a condition.
  private mutating func target(_ before: ListSelector?) throws(Problem) -> NotifyTarget {
    var target = NotifyTarget(list: before)
    if target.list == nil { target.list = try arguments.takeList() }
    if target.list == nil || arguments.words.count == 2 {
      guard let item = arguments.takeWord() else { throw usage("which list or item?") }
      target.item = try ItemSelector(parsing: item.text)
    }
    guard let word = arguments.takeWord()?.text else { return target }
    try noMoreWords()
    if let condition = try? Filter(parsing: word) {  // a word without an operator is a column
      target.condition = condition
    } else {
      target.column = word
    }
    return target
  }

  private func sinks() throws(Problem) -> NotifyChange {
    var change = NotifyChange(
      command: arguments.value("--exec"), address: arguments.value("--post"),
      quiet: arguments.value("--quiet-hours"))
    switch arguments.value("--desktop") {
    case nil: break
    case "on"?: change.isDesktop = true
    case "off"?: change.isDesktop = false
    case let other?: throw usage("--desktop is on or off, not \(ValueTextShort.quoted(other))")
    }
    if let quiet = change.quiet, sameBytes(quiet, "off") { change.quiet = "" }
    guard change != NotifyChange() else {
      throw usage("to needs one of --desktop, --exec, --post, --quiet-hours")
    }
    return change
  }

  /// Reads `90`, `30s`, `5m`, `2h`, `7d`.
  func seconds(_ text: String) throws(Problem) -> Int {
    let units: [UInt8: Int] = [0x73: 1, 0x6D: 60, 0x68: 3_600, 0x64: 86_400]
    let unit = text.utf8.last.flatMap { units[$0] }
    guard let number = Int(unit == nil ? text : String(text.dropLast())),
      (1...1_000_000).contains(number)
    else { throw usage("\(ValueTextShort.quoted(text)) is no time; write 30s, 5m, 2h or 7d") }
    return number * (unit ?? 1)
  }
}
