// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListFormats

/// Reads the bodies of `notify`.
enum NotifyDecoder {
  /// Seconds between two notices of a list at most, minutes of silence at most.
  static let everySecondsMax = 86_400
  static let muteMinutesMax = 7 * 1_440

  static func request(
    _ method: String, _ action: String?, _ body: JSONValue
  ) throws(Problem) -> NotifyRequest {
    var reader = try ObjectReader(body, at: "the body")
    let request: NotifyRequest
    switch (method, action) {
    case ("PATCH", nil): request = .change(try change(&reader))
    case (_, nil): request = .on(try wish(&reader))
    case (_, "off"?): request = .off(try target(&reader))
    case (_, "mute"?):
      guard let minutes = try reader.count("minutes"), minutes <= muteMinutesMax else {
        throw Problem(.invalidValue, "minutes is a number up to \(muteMinutesMax)")
      }
      request = .mute(minutes: minutes)
    default: request = .test
    }
    try reader.finish()
    return request
  }

  private static func wish(_ reader: inout ObjectReader) throws(Problem) -> NotifyWish {
    var wish = NotifyWish(target: try target(&reader))
    wish.isEdge = try reader.flag("edge")
    wish.hysteresisPercent = try reader.count("hysteresis") ?? 0
    wish.everySeconds = try reader.count("every_s")
    guard (0...100).contains(wish.hysteresisPercent) else {
      throw Problem(.invalidValue, "hysteresis is a percentage from 0 to 100")
    }
    guard (1...everySecondsMax).contains(wish.everySeconds ?? 1) else {
      throw Problem(.invalidValue, "every_s is a number from 1 to \(everySecondsMax)")
    }
    guard !wish.isEdge || wish.target.condition != nil else {
      throw Problem(.missingValue, "an edge needs a condition", detail: "such as 'price<100'")
    }
    return wish
  }

  private static func target(_ reader: inout ObjectReader) throws(Problem) -> NotifyTarget {
    var target = NotifyTarget()
    if let list = try reader.text("list") { target.list = try ListSelector(parsing: list) }
    if let item = try reader.text("item") { target.item = try ItemSelector(parsing: item) }
    target.column = try reader.text("col")
    if let condition = try reader.text("where") {
      target.condition = try Filter(parsing: condition)
    }
    guard target.column == nil || target.condition == nil else {
      throw Problem(.malformed, "col and where are given both", detail: "choose one")
    }
    return target
  }

  private static func change(_ reader: inout ObjectReader) throws(Problem) -> NotifyChange {
    var change = NotifyChange()
    if let isDesktop = reader.take("desktop"), isDesktop != .null {
      guard case .bool(let flag) = isDesktop else {
        throw Problem(.malformed, "desktop is not true or false")
      }
      change.isDesktop = flag
    }
    change.command = try reader.text("exec")
    change.address = try reader.text("post")
    change.quiet = try reader.text("quiet")
    return change
  }
}
