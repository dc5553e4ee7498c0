// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// Guest links and tokens for terminals and pipes.
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

  func guestRows(_ guests: [WebGuestRow], _ out: inout [UInt8]) {
    guard case .table = display.format else {
      for guest in guests {
        Self.tabbed(
          [
            guest.name, Phrases.text(guest.list), Self.words(guest.role),
            "until \(phrases.moment(guest.expires))",
          ], &out)
      }
      return
    }
    guard !guests.isEmpty else { return Self.line("no guest links: hedge web --guest @LIST", &out) }
    var layout = TableLayout([
      .init(heading: "link"), .init(heading: "list", isFlexible: true), .init(heading: "may"),
      .init(heading: "until"),
    ])
    for guest in guests {
      layout.add([
        Phrases.text(guest.name), Phrases.text(guest.list), Self.words(guest.role),
        phrases.moment(guest.expires),
      ])
    }
    layout.write(display, to: &out)
  }

  func tokenRows(_ tokens: [WebTokenRow], _ out: inout [UInt8]) {
    let rows = tokens.map { token in
      (token.name, token.isReadOnly ? "reads" : "reads and writes", phrases.when(token.created))
    }
    guard case .table = display.format else {
      for (name, may, made) in rows { Self.tabbed([name, may, made], &out) }
      return
    }
    guard !rows.isEmpty else { return Self.line("no tokens: hedge web token add NAME", &out) }
    var layout = TableLayout([
      .init(heading: "token", isFlexible: true), .init(heading: "may"), .init(heading: "made"),
    ])
    for (name, may, made) in rows { layout.add([Phrases.text(name), may, made]) }
    layout.write(display, to: &out)
  }

  static func words(_ role: GuestRole) -> String {
    switch role {
    case .tick: "ticks"
    case .readOnly: "reads"
    }
  }
}
