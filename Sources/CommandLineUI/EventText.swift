// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// One event as a line for people, or as fields for a pipe.
struct EventText {
  let event: Event
  let display: Display

  init(_ event: Event, _ display: Display) { (self.event, self.display) = (event, display) }

  /// `14:03:22 den  stocks  ACME  price 101.40 → 102.10`; empty for hello, item and live.
  var line: String {
    if event.kind == .gap, case .gap(let reason) = event.detail {
      return "some changes are missing: \(Phrases.text(reason))\n"
    }
    guard event.kind.isChange else { return "" }
    let clock = CivilTime.localClock(
      event.at, offsetMinutes: display.utcOffsetMinutes, seconds: true)
    let name = event.text.map { "  \(Phrases.text($0))" } ?? ""
    return
      "\(clock) \(padded(Phrases.text(event.by), 8)) \(Phrases.text(event.list))\(name)  \(what)\n"
  }

  /// Time, device, list, handle, kind, and what: tab-separated; empty as `line`.
  var fields: String {
    guard event.kind.isChange else { return "" }
    var out: [UInt8] = []
    Renderer.tabbed(
      [
        CivilTime.rfc3339(event.at), event.by, event.list, event.handle, event.kind.rawValue,
        event.text?.string ?? "", value,
      ], &out)
    return String(decoding: out, as: UTF8.self)
  }

  private var value: String {
    switch event.detail {
    case .set(let column, _, let new): "\(column)=\(ValueText.print(new))"
    case .list(let change): change
    default: ""
    }
  }

  private var what: String {
    switch event.kind {
    case .add: return "added"
    case .done: return "done"
    case .undone: return "open again"
    case .move: return "moved"
    case .remove: return "removed"
    case .restore: return "restored"
    case .list:
      if case .list(let change) = event.detail { return "list: \(change)" }
      return "list"
    case .set: return change
    case .hello, .item, .live, .gap: return ""
    }
  }

  private var change: String {
    guard case .set(let column, let old, let new) = event.detail else { return "" }
    let arrow = display.hasUnicode ? "→" : "->"
    let before = old.map { Phrases.value($0) } ?? ""
    let name = Phrases.text(column)
    let after = new == .null ? "(cleared)" : Phrases.value(new)
    return before.isEmpty
      ? "\(name) \(after)\(delta(old, new))"
      : "\(name) \(before) \(arrow) \(after)\(delta(old, new))"
  }

  /// `  ▲ +0.70` where both values are numbers.
  private func delta(_ old: Value?, _ new: Value) -> String {
    ValueDelta.text(from: old, to: new, hasUnicode: display.hasUnicode).map { "  " + $0 } ?? ""
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - TextWidth.columns(text)))
  }
}
