// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// Guest links for terminals and pipes.
extension Renderer {
  /// The address alone goes to standard output, so that it can be sent on.
  func guestLines(_ reply: WebGuestReply, _ rendered: inout Rendered) {
    Self.line(reply.url, &rendered.out)
    if let fingerprint = reply.fingerprint {
      Self.tabbed(["certificate", fingerprint], &rendered.out)
    }
    for line in reply.qr ?? [] { Self.line(line, &rendered.out) }
    guard case .table = display.format, !display.isQuiet else { return }
    let guest = reply.guest
    Self.line(
      "\(guest.name) \(Self.words(guest.role)) \(Phrases.text(guest.list)) until "
        + "\(phrases.moment(guest.expires))\(phrases.dot)take it back: hedge web guest rm \(guest.name)",
      &rendered.err)
    if reply.fingerprint == nil {
      Self.line("opens on this machine only\(phrases.dot)hedge web --lan on", &rendered.err)
    }
  }

  static func words(_ role: GuestRole) -> String {
    switch role {
    case .tick: "ticks"
    case .readOnly: "reads"
    }
  }
}
