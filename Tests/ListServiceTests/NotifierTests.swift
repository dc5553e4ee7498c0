// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import ListService
import Testing

@Suite struct NotifierTests {
  private static let stocks = ItemID(nonce: 1, index: 0)
  private static let other = ItemID(nonce: 2, index: 0)
  private static let acme = ItemID(nonce: 3, index: 0)
  private static let wall: Int64 = 1_800_000_000_000

  private func at(_ seconds: Double, minute: Int = 720) -> Notifier.Moments {
    Notifier.Moments(
      now: UInt64(seconds * 1_000_000_000) + 1_000_000_000,
      wall: Self.wall + Int64(seconds * 1_000), minute: minute)
  }

  private func event(
    _ kind: Event.Kind = .add, _ item: ItemID = acme, in list: ItemID = stocks, by: String = "den",
    isMine: Bool = false, after seconds: Double = 0, _ detail: Event.Detail = .none
  ) -> Event {
    var event = Event(
      kind: kind, cursor: "c-1", list: "stocks", item: item, handle: "k7m", text: Text("ACME"),
      by: by,
      isMine: isMine, at: Self.wall + Int64(seconds * 1_000), detail: detail)
    event.scope = [list]
    return event
  }

  private func price(_ old: Int64?, _ new: Int64) -> Event {
    event(.set, .set(column: "price", old: old.map(Value.int), new: .int(new)))
  }

  private func event(_ kind: Event.Kind, _ detail: Event.Detail) -> Event {
    event(kind, Self.acme, in: Self.stocks, by: "den", isMine: false, after: 0, detail)
  }

  private func notifier(_ rules: NotifyRule...) -> Notifier {
    var notifier = Notifier()
    for rule in rules {
      let hasRoom = notifier.add(rule)
      #expect(hasRoom)
    }
    return notifier
  }

  private func take(_ notifier: inout Notifier, _ events: [Event], _ moments: Notifier.Moments)
    -> [Notice]
  {
    notifier.take(events, moments) { _, name in name == "price" ? .num : nil }
  }

  private func due(_ notifier: inout Notifier, _ moments: Notifier.Moments) -> [Notice] {
    notifier.due(moments)
  }

  private let whole = NotifyRule(subject: stocks, isItem: false)

  @Test func `without a rule nothing is told, and never what this device did`() {
    var none = Notifier()
    #expect(take(&none, [event()], at(0)).isEmpty && none.deadline == nil)
    var notifier = notifier(whole)
    #expect(take(&notifier, [event(isMine: true)], at(0)).isEmpty && notifier.deadline == nil)
    #expect(take(&notifier, [event(in: Self.other)], at(0)).isEmpty)
  }

  @Test func `the first is told at once, the rest of half a minute together`() {
    var notifier = notifier(whole)
    let first = take(&notifier, [event()], at(0))
    #expect(first.map(\.body) == ["den added ACME"] && first.map(\.title) == ["stocks"])
    let more = (1...12).map { _ in event(by: "kitchen") } + [event(.done, .none), event()]
    #expect(take(&notifier, more, at(1)).isEmpty)
    #expect(due(&notifier, at(29)).isEmpty)
    let summary = due(&notifier, at(30))
    #expect(summary.map(\.body) == ["kitchen added 12; den ticked 1, added 1"])
    #expect(summary.map(\.count) == [14] && summary[0].events.count == 14)
    #expect(due(&notifier, at(60)).isEmpty && notifier.deadline == nil)
    #expect(take(&notifier, [event(after: 61)], at(61)).count == 1)
  }

  @Test func `a rule may ask for a slower pace, and the fastest of a list counts`() {
    var slow = notifier(NotifyRule(subject: Self.stocks, isItem: false, everySeconds: 300))
    #expect(take(&slow, [event()], at(0)).count == 1)
    #expect(take(&slow, [event()], at(1)).isEmpty && due(&slow, at(200)).isEmpty)
    #expect(due(&slow, at(300)).count == 1)
  }

  @Test func `a rule on an item or a column hears of that alone`() {
    var row = notifier(NotifyRule(subject: Self.acme, isItem: true))
    #expect(take(&row, [event(.add, Self.other)], at(0)).isEmpty)
    #expect(take(&row, [event(.done, .none)], at(0)).map(\.body) == ["den ticked ACME"])
    var column = notifier(NotifyRule(subject: Self.stocks, isItem: false, column: "price"))
    let text = event(.set, .set(column: "text", old: nil, new: .text("x")))
    #expect(take(&column, [event(), text], at(0)).isEmpty)
    #expect(take(&column, [price(1, 2)], at(0)).map(\.body) == ["ACME: price 1 → 2, by den"])
  }

  @Test func `a condition tells while it holds, an edge when it begins to`() {
    let below = Filter(column: "price", test: .less, operand: "100")
    var level = notifier(NotifyRule(subject: Self.stocks, isItem: false, condition: below))
    #expect(take(&level, [price(99, 120)], at(0)).isEmpty)
    #expect(take(&level, [price(99, 98)], at(0)).count == 1)
    var edge = notifier(
      NotifyRule(
        subject: Self.stocks, isItem: false, condition: below, isEdge: true, hysteresisPercent: 5))
    var told: [Int] = []
    let prices: [Int64] = [120, 99, 98, 101, 97, 104, 96, 105, 95]
    for (step, pair) in zip(prices, prices.dropFirst()).enumerated() {
      let seconds = Double(step * 100)
      var change = price(pair.0, pair.1)
      change.at = Self.wall + Int64(seconds * 1_000)
      if !take(&edge, [change], at(seconds)).isEmpty { told.append(Int(pair.1)) }
      _ = due(&edge, at(seconds + 60))
    }
    #expect(told == [99, 95], "101 and 104 are not 5 % beyond the limit, 105 is")
  }

  @Test func `what is old when it comes is told as one digest`() {
    var notifier = notifier(whole, NotifyRule(subject: Self.other, isItem: false))
    let late = (0..<40).map { _ in event(after: -3_600) } + [event(in: Self.other, after: -7_200)]
    #expect(take(&notifier, late, at(0)).isEmpty)
    let early = take(&notifier, [event(after: -100)], at(3)) + due(&notifier, at(5))
    #expect(early.isEmpty)
    let digest = due(&notifier, at(8))
    #expect(digest.count == 1 && digest[0].isDigest && digest[0].count == 42)
    #expect(digest[0].body == "stocks: den added 41; stocks: den added 1")
    #expect(digest[0].events.count == Notice.eventsMax && notifier.deadline == nil)
  }

  @Test func `quiet hours hold everything back for one digest`() {
    var notifier = notifier(whole)
    notifier.settings.quiet = QuietHours("22:00-07:00")
    #expect(take(&notifier, [event()], at(0, minute: 1_319)).count == 1)
    #expect(take(&notifier, [event()], at(1, minute: 1_319)).isEmpty)
    #expect(due(&notifier, at(30, minute: 1_320)).isEmpty, "gathered before, due in quiet hours")
    #expect(take(&notifier, [event(after: 40)], at(40, minute: 1_321)).isEmpty)
    #expect(due(&notifier, at(100, minute: 419)).isEmpty)
    let digest = due(&notifier, at(160, minute: 420))
    #expect(digest.map(\.count) == [2] && digest[0].isDigest)
  }

  @Test func `in muted hours nothing is told, and not later either`() {
    var notifier = notifier(whole)
    notifier.settings.mutedUntil = Self.wall + 60_000
    #expect(take(&notifier, [event()], at(0)).isEmpty && notifier.deadline == nil)
    #expect(take(&notifier, [event(after: 61)], at(61)).count == 1)
  }

  @Test func `rules are kept once, bounded, and can be taken away`() {
    var notifier = notifier(whole, whole)
    #expect(notifier.rules.count == 1)
    for number in 1..<UInt64(Notifier.rulesMax) {
      let hasRoom = notifier.add(
        NotifyRule(subject: ItemID(nonce: number + 9, index: 0), isItem: true))
      #expect(hasRoom)
    }
    let hasRoom = notifier.add(NotifyRule(subject: Self.other, isItem: true))
    let gone = notifier.remove { $0.subject == Self.stocks }
    #expect(!hasRoom && gone == [whole])
    #expect(take(&notifier, [event()], at(0)).isEmpty)
  }

  @Test(arguments: ["", "22:00", "22-7", "24:00-07:00", "7:5-8:00", "07:00-07:00", "a:00-b:00"])
  func `hours that are none are not read`(text: String) { #expect(QuietHours(text) == nil) }

  @Test func `quiet hours know the middle of the night and of the day`() {
    let night = QuietHours("22:00-7:00")
    #expect(night?.spelling == "22:00-07:00" && night?.contains(0) == true)
    #expect(night?.contains(419) == true && night?.contains(420) == false)
    let noon = QuietHours("12:00-13:30")
    #expect(noon?.contains(720) == true && noon?.contains(810) == false)
  }
}
