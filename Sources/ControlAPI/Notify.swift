// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// What a notification is wanted for: a list or one item, perhaps one column or a condition on one.
public struct NotifyTarget: Hashable, Sendable {
  public var list: ListSelector?
  public var item: ItemSelector?
  public var column: String?
  public var condition: Filter?
  public init(
    list: ListSelector? = nil, item: ItemSelector? = nil, column: String? = nil,
    condition: Filter? = nil
  ) {
    (self.list, self.item, self.column, self.condition) = (list, item, column, condition)
  }
}

/// A rule that somebody wants.
public struct NotifyWish: Hashable, Sendable {
  public var target: NotifyTarget
  /// Only when the condition begins to hold, not while it goes on.
  public var isEdge: Bool
  /// How far beyond its limit a value must go, in percent, before the edge counts again.
  public var hysteresisPercent: Int
  /// At most once in so many seconds for one list; `nil`: 30.
  public var everySeconds: Int?
  public init(
    target: NotifyTarget, isEdge: Bool = false, hysteresisPercent: Int = 0,
    everySeconds: Int? = nil
  ) {
    (self.target, self.isEdge) = (target, isEdge)
    (self.hysteresisPercent, self.everySeconds) = (hysteresisPercent, everySeconds)
  }
}

/// Hours in which nothing is told at once: minutes of the local day, over midnight where `start` is
/// greater.
public struct QuietHours: Hashable, Sendable {
  public var start: Int
  public var end: Int

  /// Reads `22:00-07:00`; `nil` for anything else.
  public init?(_ text: String) {
    let halves = text.split(separator: "-", omittingEmptySubsequences: false)
    guard halves.count == 2, let start = Self.minute(halves[0]), let end = Self.minute(halves[1]),
      start != end
    else { return nil }
    (self.start, self.end) = (start, end)
  }

  private static func minute(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let hour = Int(parts[0]), let minute = Int(parts[1]),
      parts[1].utf8.count == 2, (0...23).contains(hour), (0...59).contains(minute)
    else { return nil }
    return hour * 60 + minute
  }

  public func contains(_ minute: Int) -> Bool {
    start < end ? start <= minute && minute < end : minute >= start || minute < end
  }

  public var spelling: String { "\(Self.clock(start))-\(Self.clock(end))" }

  private static func clock(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }
}

/// Where notifications go on this device, and when not; all off at first.
public struct NotifySettings: Hashable, Sendable {
  /// The desktop's own notifications.
  public var isDesktop = false
  /// A command line for `/bin/sh -c`, which gets the notice as JSON on its standard input.
  public var command: String?
  /// `http://HOST[:PORT]/PATH`, which gets it as the body of a POST.
  public var address: String?
  public var quiet: QuietHours?
  /// Nothing is told before: milliseconds since 1970.
  public var mutedUntil: Int64?
  public init() {}
}

/// What to change of the settings; `nil` leaves as it is, an empty text switches off.
public struct NotifyChange: Hashable, Sendable {
  public var isDesktop: Bool?
  public var command: String?
  public var address: String?
  public var quiet: String?
  public init(
    isDesktop: Bool? = nil, command: String? = nil, address: String? = nil, quiet: String? = nil
  ) {
    (self.isDesktop, self.command) = (isDesktop, command)
    (self.address, self.quiet) = (address, quiet)
  }
}

/// All that can be asked about notifications.
public enum NotifyRequest: Hashable, Sendable {
  case show
  case on(NotifyWish)
  /// Takes away all rules of exactly that target; of a list or item alone: all rules on it.
  case off(NotifyTarget)
  /// 0 ends the silence.
  case mute(minutes: Int)
  case change(NotifyChange)
  /// Sends one notice to every sink.
  case test
}

/// A rule as it is shown.
public struct NotifyRow: Hashable, Sendable {
  public var list: String
  public var id: ItemID
  public var handle: String
  /// The item's text; `nil` for a rule on a list.
  public var text: Text?
  public var column: String?
  public var condition: String?
  public var isEdge: Bool
  public var hysteresisPercent: Int
  public var everySeconds: Int
  public init(
    list: String, id: ItemID, handle: String, text: Text?, column: String?, condition: String?,
    isEdge: Bool, hysteresisPercent: Int, everySeconds: Int
  ) {
    (self.list, self.id, self.handle, self.text) = (list, id, handle, text)
    (self.column, self.condition, self.isEdge) = (column, condition, isEdge)
    (self.hysteresisPercent, self.everySeconds) = (hysteresisPercent, everySeconds)
  }
}

/// Reply to all of `notify`.
public struct NotifyReply: Hashable, Sendable {
  public var rules: [NotifyRow]
  public var settings: NotifySettings
  public init(rules: [NotifyRow], settings: NotifySettings) {
    (self.rules, self.settings) = (rules, settings)
  }

  func write(to json: inout JSONWriter) {
    json.key("rules")
    json.beginArray()
    for rule in rules {
      json.beginObject()
      json.member("list", rule.list)
      json.member("id", rule.id.hex)
      json.member("handle", rule.handle)
      json.key("text")
      if let text = rule.text { json.string(text) } else { json.null() }
      json.member("col", rule.column)
      json.member("where", rule.condition)
      json.member("edge", bool: rule.isEdge)
      json.member("hysteresis", count: rule.hysteresisPercent)
      json.member("every_s", count: rule.everySeconds)
      json.endObject()
    }
    json.endArray()
    json.member("desktop", bool: settings.isDesktop)
    json.member("exec", settings.command)
    json.member("post", settings.address)
    json.member("quiet", settings.quiet?.spelling)
    json.member("muted_until", time: settings.mutedUntil)
  }
}

/// One notification, ready for people and programs.
public struct Notice: Hashable, Sendable {
  /// Events of a notice that programs get in full.
  public static let eventsMax = 20

  /// The list, or nothing for a digest: a newer notice with the same replaces the older.
  public var list: ItemID?
  public var title: String
  public var body: String
  /// How many events it stands for.
  public var count: Int
  public var isDigest: Bool
  /// The latest of them.
  public var events: [Event]
  public init(
    list: ItemID?, title: String, body: String, count: Int, isDigest: Bool, events: [Event]
  ) {
    (self.list, self.title, self.body) = (list, title, body)
    (self.count, self.isDigest, self.events) = (count, isDigest, events)
  }

  /// The notice as one JSON document without a line feed.
  public var json: [UInt8] {
    var json = JSONWriter(capacity: 256)
    json.beginObject()
    json.member("v", count: Display.jsonVersion)
    json.member("kind", "notice")
    json.member("list", list?.hex)
    json.member("title", title)
    json.member("body", body)
    json.member("count", count: count)
    json.member("digest", bool: isDigest)
    json.key("events")
    json.beginArray()
    for event in events { event.write(to: &json) }
    json.endArray()
    json.endObject()
    return json.bytes
  }
}
