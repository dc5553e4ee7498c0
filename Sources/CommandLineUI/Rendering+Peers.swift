// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

extension Renderer {
  /// One line on how current everything is.
  func peersPhrase(_ peers: [PeerRow]) -> String {
    guard !peers.isEmpty else { return "no other machine yet: hedge invite" }
    guard peers.contains(where: { $0.state != .neverMet }) else { return "no peer met yet" }
    let current = peers.filter { $0.state == .inSync }.count
    if current == peers.count { return "in sync with \(allOf(peers.count))" }
    return "in sync with \(current) of \(Phrases.count(peers.count, "peer"))"
  }

  private func allOf(_ count: Int) -> String { count == 1 ? "1 peer" : "all \(count) peers" }

  func statusTable(_ status: StatusReply, _ rendered: inout Rendered) {
    if status.isCheck {
      for finding in status.findings { Self.line("hedge: \(Phrases.text(finding))", &rendered.err) }
      if status.findings.isEmpty, !display.isQuiet { Self.line("all is well", &rendered.out) }
      return
    }
    Self.line(
      "hedgerow on \(Phrases.text(status.name))\(phrases.dot)space \(Phrases.text(status.space))"
        + "\(phrases.dot)agent "
        + (status.uptimeSeconds.map { "\(status.version), up \(Phrases.span($0))" } ?? "stopped")
        + (status.web.map { "\(phrases.dot)web \($0)" } ?? ""),
      &rendered.out)
    if status.isRemoved {
      // The warning below says it.
    } else if status.peers.isEmpty {
      Self.line("no other machine yet: hedge invite", &rendered.out)
    } else {
      let total = status.peers.count
      let all =
        status.changesOn == total
        ? allOf(total) : "\(status.changesOn) of \(Phrases.count(total, "peer"))"
      Self.line("all my changes are on \(all)", &rendered.out)
      peersLayout(status.peers).write(display, to: &rendered.out)
    }
    if status.isPaused {
      Self.line("! sync is paused: hedge sync resume", &rendered.out)
    }
    if status.recoveredCount > 0 {
      Self.line(
        "! \(Phrases.count(status.recoveredCount, "item")) in Recovered, without a place: hedge trash",
        &rendered.out)
    }
    if status.mergeDecisionCount > 0 {
      Self.line(
        "! \(Phrases.count(status.mergeDecisionCount, "automatic merge decision")) since yesterday: hedge conflicts",
        &rendered.out)
    }
    for warning in status.warnings { Self.line("! \(Phrases.text(warning.text))", &rendered.out) }
  }

  func statusPlain(_ status: StatusReply, _ rendered: inout Rendered) {
    if status.isCheck {
      statusTable(status, &rendered)
      return
    }
    Self.tabbed(["name", status.name], &rendered.out)
    Self.tabbed(["device", status.deviceGroups], &rendered.out)
    Self.tabbed(["space", status.space], &rendered.out)
    Self.tabbed(["version", status.version], &rendered.out)
    if let web = status.web { Self.tabbed(["web", web], &rendered.out) }
    if let lan = status.lan { Self.tabbed(["lan", lan.url], &rendered.out) }
    Self.tabbed(["changes_on", String(status.changesOn)], &rendered.out)
    Self.tabbed(["peers", String(status.peers.count)], &rendered.out)
    Self.tabbed(["all_arrived", status.hasAllArrived ? "true" : "false"], &rendered.out)
    Self.tabbed(["paused", status.isPaused ? "true" : "false"], &rendered.out)
    Self.tabbed(["recovered", String(status.recoveredCount)], &rendered.out)
    for warning in status.warnings {
      Self.tabbed(["warning", warning.code.rawValue, warning.text], &rendered.out)
    }
  }

  func peersTable(_ reply: PeersReply, _ out: inout [UInt8]) {
    if let by = reply.removedBy {
      Self.line("this device was removed from the space by \(Phrases.text(by))", &out)
    } else if reply.peers.isEmpty {
      Self.line("no other machine yet: hedge invite", &out)
    } else if reply.isDetail {
      for peer in reply.peers { peerFacts(peer, &out) }
      return
    } else {
      // Narrower than that, round trip and device id are left to `hedge peers NAME`.
      let isWide = display.width == 0 || display.width >= 110
      peersLayout(reply.peers, isWide: isWide).write(display, to: &out)
    }
    if !reply.addresses.isEmpty {
      Self.line(
        "static addresses: \(reply.addresses.map(Phrases.text).joined(separator: ", "))", &out)
    }
    for removal in reply.removals { removalLine(removal, &out) }
  }

  private func peersLayout(_ peers: [PeerRow], isWide: Bool = false) -> TableLayout {
    var styles: [TableLayout.ColumnStyle] = [
      .init(heading: "peer", isFlexible: true), .init(heading: "state"),
      .init(heading: "to send", isRight: true), .init(heading: "to get", isRight: true),
      .init(heading: "last contact"), .init(heading: "via"), .init(heading: "version"),
    ]
    if isWide {
      styles += [.init(heading: "rtt", isRight: true), .init(heading: "device")]
    }
    var layout = TableLayout(styles)
    for peer in peers {
      let route = [peer.interface, peer.via].compactMap(\.self).joined(separator: " ")
      var cells = [
        Phrases.text(peer.name), peer.state.words, peer.toSend.map { String($0) } ?? "?",
        peer.toGet.map { String($0) } ?? "?",
        peer.lastContact.map(phrases.when) ?? "never",
        route.isEmpty ? phrases.none : Phrases.text(route), Phrases.text(peer.version ?? "?"),
      ]
      if isWide {
        cells.append(roundTrip(peer) ?? "?")
        cells.append(peer.device)
      }
      layout.add(cells)
    }
    return layout
  }

  /// All that is known of one peer, a line each; what is not known is not there.
  private func peerFacts(_ peer: PeerRow, _ out: inout [UInt8]) {
    Self.line(
      phrases.bold(Phrases.text(peer.name)) + phrases.dot + peer.state.words + phrases.dot
        + Phrases.text(peer.role), &out)
    let route = [peer.address, peer.interface.map { "on \($0)" }, peer.via].compactMap(\.self)
    let facts: [(String, String?)] = [
      ("device", peer.device),
      ("address", route.isEmpty ? nil : route.joined(separator: " ")),
      ("round trip", roundTrip(peer)),
      ("last contact", peer.lastContact.map(phrases.when) ?? "never"),
      ("to send", peer.toSend.map { Phrases.count(Int($0), "change") } ?? "?"),
      ("to get", peer.toGet.map { Phrases.count(Int($0), "change") } ?? "?"),
      ("version", peer.version),
      ("clock", peer.clockOffsetMilliseconds.map { "\(ValueText.decimalText($0, 3)) s from ours" }),
    ]
    for (name, value) in facts {
      guard let value else { continue }
      let pad = String(repeating: " ", count: 12 - name.utf8.count)
      Self.line(" \(name)\(pad)  \(Phrases.text(value))", &out)
    }
  }

  private func roundTrip(_ peer: PeerRow) -> String? {
    peer.rttMicroseconds.map { "\(ValueText.decimalText($0 / 10, 2)) ms" }
  }

  func peersPlain(_ peers: [PeerRow], _ out: inout [UInt8]) {
    for peer in peers {
      Self.tabbed(
        [
          peer.name, peer.state.rawValue, peer.toSend.map { String($0) } ?? "?",
          peer.toGet.map { String($0) } ?? "?", peer.lastContact.map(CivilTime.rfc3339) ?? "",
          peer.address ?? "", peer.device,
        ], &out)
    }
  }
}
