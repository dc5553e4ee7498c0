// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
package import ListModel

/// A rule with what it is about resolved.
package struct NotifyRule: Hashable, Sendable {
  /// The list, or the item.
  package let subject: ItemID
  package let isItem: Bool
  package let column: String?
  package let condition: Filter?
  package let isEdge: Bool
  package let hysteresisPercent: Int
  package let everySeconds: Int

  package init(
    subject: ItemID, isItem: Bool, column: String? = nil, condition: Filter? = nil,
    isEdge: Bool = false, hysteresisPercent: Int = 0, everySeconds: Int = Notifier.everySeconds
  ) {
    (self.subject, self.isItem, self.column) = (subject, isItem, column)
    (self.condition, self.isEdge) = (condition, isEdge)
    (self.hysteresisPercent, self.everySeconds) = (hysteresisPercent, everySeconds)
  }
}

/// Decides what a person hears of, and when: a pure machine, time is an argument.
///
/// The first event of a list is told at once; what follows within the rule's time is told together at
/// its end. What is old when it comes (this machine was away) and what comes in quiet hours waits for
/// one digest. Own writes and muted hours are told to nobody.
package struct Notifier: Sendable {
  package static let rulesMax = 256
  package static let everySeconds = 30
  /// An event older than this when it comes is part of a catch-up.
  static let lateMilliseconds: Int64 = 60_000
  /// A digest of a catch-up goes out when nothing late came for so long.
  static let digestSeconds: UInt64 = 5
  /// Items whose edge is remembered.
  static let firedMax = 10_000
  /// Lists that are told of one by one; more of them share the digest.
  static let listsMax = 256

  /// When something happens.
  package struct Moments: Hashable, Sendable {
    /// Monotonic nanoseconds.
    package let now: UInt64
    /// Milliseconds since 1970.
    package let wall: Int64
    /// Minute of the local day.
    package let minute: Int
    package init(now: UInt64, wall: Int64, minute: Int) {
      (self.now, self.wall, self.minute) = (now, wall, minute)
    }
  }

  /// What has gathered for one notice.
  private struct Gathering: Sendable {
    var name: String
    var count = 0
    var tallies: [(by: String, kind: Event.Kind, count: Int)] = []
    var events: [Event] = []

    mutating func take(_ event: Event) {
      count += 1
      tally(event.by, event.kind, 1)
      events.append(event)
      if events.count > Notice.eventsMax { events.removeFirst() }
    }

    mutating func merge(_ other: Gathering) {
      count += other.count
      for part in other.tallies { tally(part.by, part.kind, part.count) }
      events = Array((events + other.events).suffix(Notice.eventsMax))
      name = other.name
    }

    private mutating func tally(_ by: String, _ kind: Event.Kind, _ more: Int) {
      if let at = tallies.firstIndex(where: { $0.kind == kind && sameBytes($0.by, by) }) {
        tallies[at].count += more
      } else if tallies.count < 32 {
        tallies.append((by, kind, more))
      }
    }
  }

  private struct Pace: Sendable {
    let list: ItemID
    var gathering: Gathering
    /// Nothing is told before.
    var next: UInt64
  }

  package private(set) var rules: [NotifyRule] = []
  package var settings = NotifySettings()
  private var paces: [Pace] = []
  private var digest: [(list: ItemID, gathering: Gathering)] = []
  private var digestAt: UInt64?
  private var fired: Set<Fired> = []

  private struct Fired: Hashable, Sendable {
    let rule: NotifyRule
    let item: ItemID
  }

  /// Without rules.
  package init() {}

  // MARK: Rules

  /// Adds a rule; one that is there already stays as it is.
  /// - Returns: Whether there was room.
  package mutating func add(_ rule: NotifyRule) -> Bool {
    if rules.contains(rule) { return true }
    guard rules.count < Self.rulesMax else { return false }
    rules.append(rule)
    return true
  }

  /// Takes rules away; returns them.
  package mutating func remove(where isMeant: (NotifyRule) -> Bool) -> [NotifyRule] {
    let gone = rules.filter(isMeant)
    rules.removeAll(where: isMeant)
    fired = fired.filter { !gone.contains($0.rule) }
    return gone
  }

  // MARK: Events

  /// Takes events as they are published.
  /// - Parameter typeOf: The type of a column for the items under a parent; `nil` where there is none.
  /// - Complexity: O(events · rules).
  package mutating func take(
    _ events: [Event], _ at: Moments, typeOf: (ItemID, String) -> ColumnType?
  ) -> [Notice] {
    guard !rules.isEmpty else { return [] }
    var notices: [Notice] = []
    for event in events where event.kind.isChange && !event.isMine {
      guard let list = event.scope.last ?? event.item, let seconds = wanted(event, typeOf) else {
        continue
      }
      if let until = settings.mutedUntil, at.wall < until { continue }
      let isQuiet = settings.quiet?.contains(at.minute) ?? false
      if isQuiet || at.wall - event.at > Self.lateMilliseconds {
        postpone(event, list, isQuiet: isQuiet, at)
      } else if let notice = tell(event, list, seconds, at) {
        notices.append(notice)
      }
    }
    return notices
  }

  /// The shortest pace of the rules that want the event; `nil` if none does.
  private mutating func wanted(
    _ event: Event, _ typeOf: (ItemID, String) -> ColumnType?
  ) -> Int? {
    var seconds: Int?
    for rule in rules where fits(rule, event, typeOf) {
      seconds = min(seconds ?? .max, rule.everySeconds)
    }
    return seconds
  }

  private mutating func fits(
    _ rule: NotifyRule, _ event: Event, _ typeOf: (ItemID, String) -> ColumnType?
  ) -> Bool {
    guard event.item == rule.subject || event.scope.contains(rule.subject) else { return false }
    if let condition = rule.condition { return fires(rule, condition, event, typeOf) }
    guard let column = rule.column else { return true }
    guard case .set(let written, _, _) = event.detail else { return false }
    return sameBytes(written, column)
  }

  private mutating func fires(
    _ rule: NotifyRule, _ condition: Filter, _ event: Event,
    _ typeOf: (ItemID, String) -> ColumnType?
  ) -> Bool {
    var change: (old: Value?, new: Value?)?
    switch event.detail {
    case .set(let column, let old, let new):
      if sameBytes(column, condition.column) { change = (old, new) }
    case .item(_, _, let cells, _, _) where event.kind == .add:
      if let cell = cells.first(where: { sameBytes($0.column, condition.column) }) {
        change = (nil, cell.value)
      }
    default: break
    }
    guard let change, let item = event.item, let parent = event.scope.first,
      let type = sameBytes(condition.column, "text") ? .text : typeOf(parent, condition.column)
    else { return false }
    // A condition that does not fit its column any more never holds.
    let holds = (try? condition.accepts(change.new, type)) ?? false
    let held = (try? condition.accepts(change.old, type)) ?? false
    guard rule.isEdge else { return holds }
    let mark = Fired(rule: rule, item: item)
    if !holds {
      if isBeyond(change.new, condition, rule.hysteresisPercent) { fired.remove(mark) }
      return false
    }
    guard !held, !fired.contains(mark) else { return false }
    if fired.count < Self.firedMax { fired.insert(mark) }
    return true
  }

  /// Whether a value that does not fulfil the condition is away from it far enough for a new edge.
  private func isBeyond(_ value: Value?, _ condition: Filter, _ percent: Int) -> Bool {
    guard percent > 0, let value, let number = Double(ValueText.print(value)),
      let limit = Double(condition.operand)
    else { return true }
    let margin = limit.magnitude * Double(percent) / 100
    switch condition.test {
    case .less, .atMost: return number >= limit + margin
    case .greater, .atLeast: return number <= limit - margin
    case .equal, .notEqual, .contains: return true
    }
  }

  // MARK: Pace

  private mutating func tell(
    _ event: Event, _ list: ItemID, _ seconds: Int, _ at: Moments
  ) -> Notice? {
    let next = at.now + UInt64(seconds) * 1_000_000_000
    if let index = paces.firstIndex(where: { $0.list == list }) {
      paces[index].gathering.take(event)
      paces[index].gathering.name = event.list
      // A rule that wants to hear more often shortens the wait.
      paces[index].next = min(paces[index].next, next)
      return nil
    }
    guard paces.count < Self.listsMax else {
      postpone(event, list, isQuiet: false, at)
      return nil
    }
    paces.append(Pace(list: list, gathering: Gathering(name: event.list), next: next))
    var gathering = Gathering(name: event.list)
    gathering.take(event)
    return notice(list, gathering)
  }

  private mutating func postpone(_ event: Event, _ list: ItemID, isQuiet: Bool, _ at: Moments) {
    var gathering = Gathering(name: event.list)
    gathering.take(event)
    postpone(gathering, list)
    // Quiet hours end on the minute: it is looked at again each minute.
    digestAt = at.now + (isQuiet ? 60 : Self.digestSeconds) * 1_000_000_000
  }

  private mutating func postpone(_ gathering: Gathering, _ list: ItemID) {
    if let index = digest.firstIndex(where: { $0.list == list }) {
      digest[index].gathering.merge(gathering)
    } else if digest.count < Self.listsMax {
      digest.append((list, gathering))
    }
  }

  // MARK: Time

  /// When `due` wants to be called: monotonic nanoseconds.
  package var deadline: UInt64? { (paces.map(\.next) + [digestAt].compactMap(\.self)).min() }

  /// What is to be told now that was not told at once.
  package mutating func due(_ at: Moments) -> [Notice] {
    let isQuiet = settings.quiet?.contains(at.minute) ?? false
    var notices: [Notice] = []
    for index in paces.indices where paces[index].next <= at.now {
      let pace = paces[index]
      guard pace.gathering.count > 0 else { continue }
      if isQuiet {
        postpone(pace.gathering, pace.list)
        digestAt = digestAt ?? at.now + 60_000_000_000
      } else {
        notices.append(notice(pace.list, pace.gathering))
      }
      paces[index].gathering = Gathering(name: pace.gathering.name)
      paces[index].next = at.now + UInt64(Self.everySeconds) * 1_000_000_000
    }
    paces.removeAll { $0.next <= at.now }
    if let due = digestAt, due <= at.now {
      if isQuiet {
        digestAt = at.now + 60_000_000_000
      } else {
        if !digest.isEmpty { notices.append(digestNotice()) }
        (digest, digestAt) = ([], nil)
      }
    }
    return notices
  }

  // MARK: Words

  private func notice(_ list: ItemID, _ gathering: Gathering) -> Notice {
    let body =
      gathering.count == 1 ? Self.words(gathering.events[0]) : Self.words(gathering.tallies)
    return Notice(
      list: list, title: gathering.name, body: body, count: gathering.count, isDigest: false,
      events: gathering.events)
  }

  private func digestNotice() -> Notice {
    let parts = digest.map { "\($0.gathering.name): \(Self.words($0.gathering.tallies))" }
    let events = digest.flatMap(\.gathering.events).suffix(Notice.eventsMax)
    return Notice(
      list: nil, title: "while you were away", body: parts.joined(separator: "; "),
      count: digest.reduce(0) { $0 + $1.gathering.count }, isDigest: true, events: Array(events))
  }

  /// `kitchen added 12, ticked 3; den changed 1`.
  private static func words(_ tallies: [(by: String, kind: Event.Kind, count: Int)]) -> String {
    var people: [(by: String, words: [String])] = []
    for tally in tallies {
      let words = "\(verb(tally.kind)) \(tally.count)"
      if let at = people.firstIndex(where: { sameBytes($0.by, tally.by) }) {
        people[at].words.append(words)
      } else {
        people.append((tally.by, [words]))
      }
    }
    return people.map { "\($0.by) \($0.words.joined(separator: ", "))" }.joined(separator: "; ")
  }

  private static func words(_ event: Event) -> String {
    let text = event.text?.string ?? event.list
    if case .set(let column, let old, let new) = event.detail, !sameBytes(column, "text") {
      let before = old.map(ValueText.print) ?? ""
      return
        "\(text): \(column) \(before.isEmpty ? "" : "\(before) → ")\(ValueText.print(new)), by \(event.by)"
    }
    return "\(event.by) \(verb(event.kind)) \(text)"
  }

  private static func verb(_ kind: Event.Kind) -> String {
    switch kind {
    case .add: "added"
    case .set: "changed"
    case .done: "ticked"
    case .undone: "reopened"
    case .move: "moved"
    case .remove: "removed"
    case .restore: "restored"
    case .list: "changed the list"
    case .hello, .item, .live, .gap: "told"
    }
  }
}
