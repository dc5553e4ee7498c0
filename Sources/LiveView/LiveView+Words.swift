// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI

/// Sentences about events, and the line that says how current all is.
extension LiveView {
  /// `▲ +0.70` for a number that changed.
  static func delta(_ event: LiveEvent, _ hasUnicode: Bool) -> String? {
    guard event.kind == "set", let new = event.new.flatMap(ValueText.decimal) else { return nil }
    return ValueDelta.text(
      from: event.old.flatMap(ValueText.decimal), to: new, hasUnicode: hasUnicode)
  }

  /// `den: oat milk, price 2.10 → 2.30`.
  static func sentence(_ event: LiveEvent, _ text: String, _ hasUnicode: Bool) -> String {
    let name = text.isEmpty ? event.new ?? "an item" : text
    switch event.kind {
    case "add": return "\(event.by) added an item"
    case "done": return "\(event.by) ticked \(name)"
    case "undone": return "\(event.by) opened \(name) again"
    case "mv": return "\(event.by) moved \(name)"
    case "rm": return "\(event.by) deleted \(name)"
    case "restore": return "\(event.by) brought \(name) back"
    case "set":
      let arrow = hasUnicode ? "→" : "->"
      let column = event.column == "text" ? "" : "\(event.column ?? "") "
      return "\(event.by): \(name), \(column)\(event.old ?? "") \(arrow) \(event.new ?? "")"
    default: return "\(event.by) changed the list"
    }
  }

  /// `live · den in sync · loft offline, 14 unsent`.
  var statusText: String {
    guard isConnected else { return "agent stopped: what is shown may be old, trying again" }
    let dot = hasUnicode ? " · " : " | "
    if peers.isEmpty { return "live\(dot)no other device yet: hedge invite" }
    let shown = peers.map { peer in
      let state = PeerState(rawValue: peer.state)?.words ?? peer.state
      guard let unsent = peer.unsentCount, unsent > 0 else { return "\(peer.name) \(state)" }
      return "\(peer.name) \(state), \(unsent) unsent"
    }
    return "live" + dot + shown.joined(separator: dot)
  }
}
