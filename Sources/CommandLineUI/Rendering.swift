// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
import ListModel

/// A reply made ready for a terminal or a pipe.
package struct Rendered: Hashable, Sendable {
  /// For standard output.
  package var out: [UInt8]
  /// For standard error.
  package var err: [UInt8]
  package var exit: Int
  package init(out: [UInt8] = [], err: [UInt8] = [], exit: Int = 0) {
    (self.out, self.err, self.exit) = (out, err, exit)
  }
}

/// Makes replies, problems and events into text.
package struct Renderer: Sendable {
  let display: Display
  let phrases: Phrases

  /// - Parameter now: Milliseconds since 1970, for distances in time.
  package init(_ display: Display, now: Int64) {
    self.display = display
    phrases = Phrases(display: display, now: now)
  }

  /// Renders a reply in the format of the display.
  /// - Complexity: O(bytes written).
  package func render(_ reply: Reply) -> Rendered {
    var rendered = Rendered(exit: reply.exit)
    if case .exported(let export) = reply {
      rendered.out = export.bytes
      if let note = export.lossNote { rendered.err = Array("hedge: \(note)\n".utf8) }
      return rendered
    }
    switch display.format {
    case .json: rendered.out = reply.json()
    case .table: table(reply, &rendered)
    case .plain: plain(reply, &rendered)
    }
    return rendered
  }

  /// Renders why a request was refused: nothing for standard output, one line for standard error.
  package func render(_ problem: Problem) -> Rendered {
    guard !display.isJSON else {
      return Rendered(err: problem.json + [0x0A], exit: problem.kind.exit)
    }
    var line = "hedge: \(Phrases.text(problem.title))"
    if let detail = problem.detail { line += phrases.dot + Phrases.text(detail) }
    if let suggest = problem.suggest { line += ". Did you mean \(Phrases.text(suggest))?" }
    return Rendered(err: Array((line + "\n").utf8), exit: problem.kind.exit)
  }

  /// Renders one event of a stream as one line; nothing where the format has no line for it.
  package func render(_ event: Event) -> [UInt8] {
    switch display.format {
    case .json:
      var json = JSONWriter()
      event.write(to: &json)
      json.endLine()
      return json.bytes
    case .table: return Array(EventText(event, display).line.utf8)
    case .plain: return Array(EventText(event, display).fields.utf8)
    }
  }

  private func table(_ reply: Reply, _ rendered: inout Rendered) {
    switch reply {
    case .overview(let overview): overviewTable(overview, &rendered.out)
    case .lists(let rows): listsTable(rows, &rendered.out)
    case .items(let page): itemsTable(page, &rendered.out)
    case .item(let detail): itemTable(detail, &rendered.out)
    case .result(let result): resultLines(result, &rendered)
    case .status(let status): statusTable(status, &rendered)
    case .peers(let reply): peersTable(reply, &rendered.out)
    case .imported(let report): importLines(report, &rendered)
    case .undone(let reply): undoLines(reply, &rendered)
    case .columns(let list, let columns): columnsTable(list, columns, &rendered.out)
    case .found(let found): foundTable(found, &rendered.out)
    case .log(let rows): logTable(rows, &rendered.out)
    case .members(let rows): membersTable(rows, &rendered.out)
    case .revoked(let row): revokedLines(row, &rendered)
    case .undoSteps(let rows): undoStepLines(rows, &rendered.out)
    case .trash(let reply): trashTable(reply, &rendered.out)
    case .conflicts(let rows): conflictLines(rows, &rendered.out)
    default: simple(reply, &rendered)
    }
  }

  private func plain(_ reply: Reply, _ rendered: inout Rendered) {
    switch reply {
    case .overview(let overview): listsPlain(overview.lists, &rendered.out)
    case .lists(let rows): listsPlain(rows, &rendered.out)
    case .items(let page): itemsPlain(page, &rendered.out)
    case .item(let detail): itemPlain(detail, &rendered.out)
    case .result(let result): resultPlain(result, &rendered)
    case .status(let status): statusPlain(status, &rendered)
    case .peers(let reply): peersPlain(reply.peers, &rendered.out)
    case .imported(let report): importLines(report, &rendered)
    case .undone(let reply):
      resultPlain(reply.result, &rendered)
      stayLines(reply, &rendered.err)
    case .columns(_, let columns): columnsPlain(columns, &rendered.out)
    case .found(let found): foundPlain(found, &rendered.out)
    case .using(let list): Self.tabbed([list?.name ?? ""], &rendered.out)
    case .log(let rows): logPlain(rows, &rendered.out)
    case .members(let rows): membersPlain(rows, &rendered.out)
    case .revoked(let row): revokedLines(row, &rendered)
    case .stored(let peers): for peer in peers { Self.tabbed([peer], &rendered.out) }
    case .undoSteps(let rows): undoStepsPlain(rows, &rendered.out)
    case .trash(let reply): trashPlain(reply, &rendered.out)
    case .conflicts(let rows): conflictsPlain(rows, &rendered.out)
    default: simple(reply, &rendered)
    }
  }

  /// Replies that are the same short lines on a terminal and in a pipe.
  private func simple(_ reply: Reply, _ rendered: inout Rendered) {
    switch reply {
    case .sync(let sync):
      guard !display.isQuiet else { return }
      if sync.isPaused {
        Self.line(
          "sync is paused: other machines are not contacted until hedge sync resume", &rendered.out)
      } else {
        Self.line("sync is on\(phrases.dot)\(peersPhrase(sync.peers))", &rendered.out)
      }
    case .invite(let invite): inviteLines(invite, &rendered.out)
    case .joiner(let joiner):
      Self.line(
        "joined        \(Phrases.text(joiner.name))  \(joiner.deviceGroups)    \(joiner.role)",
        &rendered.out)
    case .joined(let join): joinLines(join, &rendered.out)
    case .inspection(let inspection):
      for member in inspection.members { facts(member.name, member.fact, &rendered.out) }
    case .changes(let events, _):
      for event in events { rendered.out += render(event) }
    case .notify(let reply): notifyLines(reply, &rendered.out)
    case .webLink(let link):
      Self.line(link.url, &rendered.out)
      if let lan = link.lan {
        Self.line(lan.url, &rendered.out)
        Self.tabbed(["certificate", lan.fingerprint], &rendered.out)
      }
      for line in link.qr ?? [] { Self.line(line, &rendered.out) }
      if case .table = display.format, !display.isQuiet {
        Self.line(
          "good once, for \((link.validSeconds + 59) / 60) min\(phrases.dot)anybody who has it gets in",
          &rendered.err)
      }
    case .webTokens(let tokens): tokenRows(tokens, &rendered.out)
    case .webToken(_, let secret): Self.line(secret, &rendered.out)
    case .webGuest(let guest): guestLines(guest, &rendered)
    case .webGuests(let guests): guestRows(guests, &rendered.out)
    case .version(let version): versionLines(version, &rendered.out)
    case .agent(let agent): agentLines(agent, &rendered.out)
    case .stored(let peers):
      guard !display.isQuiet else { return }
      Self.line(
        "stored on \(peers.map { Phrases.text($0) }.joined(separator: ", "))", &rendered.out)
    case .using(let list): usingLine(list, &rendered.out)
    case .done(let verb, let subject):
      guard !display.isQuiet else { return }
      Self.line(subject.isEmpty ? verb : "\(verb) \(Phrases.text(subject))", &rendered.out)
    default: break
    }
  }

  static func line(_ text: String, _ out: inout [UInt8]) {
    out.append(contentsOf: text.utf8)
    out.append(0x0A)
  }

  /// Appends printable cells with tabs between them.
  static func tabbed(_ cells: [String], _ out: inout [UInt8]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { out.append(0x09) }
      PrintSafety.append(Array(cell.utf8), to: &out)
    }
    out.append(0x0A)
  }

  private func facts(_ name: String, _ fact: Inspection.Fact, _ out: inout [UInt8]) {
    switch fact {
    case .object(let members):
      for member in members { facts("\(name).\(member.name)", member.fact, &out) }
    case .array(let facts):
      if facts.isEmpty { Self.tabbed([name, "(none)"], &out) }
      for (index, fact) in facts.enumerated() { self.facts("\(name)[\(index)]", fact, &out) }
    case .text(let text): Self.tabbed([name, text], &out)
    case .number(let number): Self.tabbed([name, String(number)], &out)
    case .flag(let flag): Self.tabbed([name, flag ? "true" : "false"], &out)
    case .value(let value): Self.tabbed([name, ValueText.print(value)], &out)
    case .none: Self.tabbed([name, "?"], &out)
    }
  }
}
