// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

extension Renderer {
  /// Rules, then sinks, one a line, tab-separated.
  func notifyLines(_ reply: NotifyReply, _ out: inout [UInt8]) {
    if display.isQuiet { return }
    for rule in reply.rules {
      let what = rule.text.map { "\(rule.handle) \($0.string)" } ?? "all"
      let when = rule.condition ?? rule.column ?? "any change"
      let edge = rule.isEdge ? " (edge)" : ""
      Self.tabbed([rule.list, what, when + edge, "every \(rule.everySeconds) s"], &out)
    }
    let settings = reply.settings
    if settings.isDesktop { Self.tabbed(["to", "desktop"], &out) }
    if let command = settings.command { Self.tabbed(["to", "exec", command], &out) }
    if let address = settings.address { Self.tabbed(["to", "post", address], &out) }
    if let quiet = settings.quiet { Self.tabbed(["quiet", quiet.spelling], &out) }
    if let until = settings.mutedUntil {
      Self.tabbed(["muted until", CivilTime.rfc3339(until)], &out)
    }
    if case .table = display.format {
      if reply.rules.isEmpty { Self.line("no rule yet: hedge notify on @LIST", &out) }
      if !settings.isDesktop, settings.command == nil, settings.address == nil {
        Self.line("shown on the web page only: hedge notify to --desktop on", &out)
      }
    }
  }
}
