// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

extension Renderer {
  /// - Parameter hasNext: Whether the next useful command is told.
  func resultLines(
    _ result: TransactionResult, _ rendered: inout Rendered, hasNext: Bool = true
  ) {
    rejectLines(result, &rendered.err)
    sameLine(result, &rendered.err)
    guard !display.isQuiet else { return }
    let would = result.isDryRun ? "would have " : ""
    var index = 0
    while index < result.touched.count {
      let verb = result.touched[index].verb
      var end = index
      while end < result.touched.count, result.touched[end].verb == verb { end += 1 }
      let group = Array(result.touched[index..<end])
      let next = result.isDryRun || !hasNext ? "" : self.next(verb, group)
      var sentence = sentence(verb, group, result.list?.name)
      if case .move = verb, result.hasChangedList, !result.isDryRun, let list = result.list {
        sentence += " in \(Phrases.text(list.name))"
      }
      Self.line(would + sentence + next, &rendered.out)
      index = end
    }
    for note in result.notes { Self.line(Phrases.text(note), &rendered.out) }
    if !result.unchanged.isEmpty {
      let names = shortened(result.unchanged)
      Self.line("already so: \(names)", &rendered.out)
    } else if result.touched.isEmpty {
      Self.line("nothing to do", &rendered.out)
    }
  }

  /// A sentence on some of what was done; how much else there was stands in front, where a narrow
  /// terminal does not cut it off.
  func amongOthers(_ sentence: String, _ others: Int) -> String {
    others > 0 ? "with \(Phrases.count(others, "other change")): \(sentence)" : sentence
  }

  /// What was done to items, as a sentence without an end.
  /// - Parameter count: How many there were, if not all are named.
  func sentence(
    _ verb: TransactionResult.Verb, _ items: [TransactionResult.Touched], _ list: String?,
    count: Int? = nil
  ) -> String {
    let count = max(count ?? 0, items.count)
    // Where not all are named, their number stands in front: the end may be cut off.
    let names =
      (count > Self.namedMax && verb != .add ? "\(count): " : "") + shortened(items, of: count)
    let listName = Phrases.text(list ?? "")
    switch verb {
    case .new: return "made \(names)"
    case .add: return "added \(count) to \(listName): \(names)"
    case .set: return "changed \(names)"
    case .done: return "done \(names)"
    case .undone: return "open again \(names)"
    case .move:
      guard let first = items.first, let position = first.position else { return "moved \(names)" }
      let total = first.siblingCount ?? position
      if count == 1 { return "moved \(names) to \(position) of \(total)" }
      return "moved \(count) to \(position) of \(total): \(shortened(items, of: count))"
    case .remove:
      let hidden = items.reduce(0) { $0 + $1.hiddenCount }
      let under = hidden > 0 ? ", \(hidden) under \(count == 1 ? "it" : "them")" : ""
      return "removed \(names)\(under)"
    case .restore: return "restored \(names)"
    }
  }

  /// The command that is useful behind that one.
  private func next(
    _ verb: TransactionResult.Verb, _ items: [TransactionResult.Touched]
  ) -> String {
    switch verb {
    case .new:
      "\(phrases.dot)hedge add @\(items.first.map { Phrases.text($0.text) } ?? "") …"
    case .add, .remove: "          undo: hedge undo"
    case .set, .done, .undone, .move, .restore: ""
    }
  }

  func name(_ item: TransactionResult.Touched) -> String {
    let text = TextWidth.fitting(Phrases.text(item.text), 40, mark: "…")
    return item.id == nil ? text : "\(item.handle) \(text)"
  }

  /// So many items are named in a sentence.
  private static let namedMax = 8

  /// Names of at most eight items, and how many more there are.
  private func shortened(_ items: [TransactionResult.Touched], of count: Int? = nil) -> String {
    let count = count ?? items.count
    let named = items.prefix(Self.namedMax)
    let shown = named.map(name).joined(separator: phrases.dot)
    return count > named.count ? shown + " and \(count - named.count) more" : shown
  }

  /// Values that a new type cannot hold, at most a hundred of them.
  private func rejectLines(_ result: TransactionResult, _ err: inout [UInt8]) {
    for reject in result.rejects.prefix(100) {
      Self.line("hedge: stays as it is: \(name(reject.item)): \(Phrases.text(reject.reason))", &err)
    }
    if result.rejects.count > 100 {
      Self.line("hedge: and \(result.rejects.count - 100) more", &err)
    }
  }

  /// What the list had already, in one line, and how not to add it again.
  private func sameLine(_ result: TransactionResult, _ err: inout [UInt8]) {
    guard !result.maybeSame.isEmpty else { return }
    Self.line(
      "hedge: the list had it already: \(shortened(result.maybeSame)); --unique leaves such out",
      &err)
  }

  func resultPlain(_ result: TransactionResult, _ rendered: inout Rendered) {
    rejectLines(result, &rendered.err)
    sameLine(result, &rendered.err)
    guard !display.isQuiet else { return }
    for item in result.touched {
      // A dash where a dry run has no handle to tell.
      let handle = item.id == nil ? "-" : item.handle
      Self.tabbed([handle, item.verb.rawValue, item.text.string], &rendered.out)
    }
  }

  func importLines(_ report: ImportReport, _ rendered: inout Rendered) {
    let parts = [
      (report.isDryRun ? "create" : "created", report.createdCount),
      (report.isDryRun ? "update" : "updated", report.updatedCount),
      (report.isDryRun ? "leave" : "left", report.unchangedCount),
      (report.isDryRun ? "remove" : "removed", report.removedCount),
      (report.isDryRun ? "skip" : "skipped", report.skips.count),
    ].filter { $0.1 > 0 }.map { "\($0.0) \($0.1)" }
    let what = parts.isEmpty ? "nothing to do" : parts.joined(separator: ", ")
    let head = report.isDryRun ? "would " : ""
    if !display.isQuiet {
      Self.line(
        "\(parts.isEmpty ? "" : head)\(what) in \(Phrases.text(report.listName))", &rendered.out)
      if !report.newColumns.isEmpty {
        let columns = report.newColumns.map {
          "\(Phrases.text($0.name)) (\(Phrases.text($0.spec)))"
        }
        let verb = report.isDryRun ? "would make the columns" : "made the columns"
        Self.line("\(verb) \(columns.joined(separator: ", "))", &rendered.out)
      }
    }
    for note in report.notes { Self.line("hedge: \(Phrases.text(note))", &rendered.err) }
    for skip in report.skips.prefix(100) {
      Self.line("hedge: line \(skip.line): \(Phrases.text(skip.reason))", &rendered.err)
    }
    if report.skips.count > 100 {
      Self.line("hedge: and \(report.skips.count - 100) lines more", &rendered.err)
    }
  }

  func inviteLines(_ invite: InviteReply, _ out: inout [UInt8]) {
    if case .plain = display.format {
      Self.line(invite.code, &out)
      return
    }
    let minutes = (invite.validSeconds + 59) / 60
    Self.line(
      "code  \(phrases.bold(invite.code))   good for \(minutes) min, one use"
        + (sameBytes(invite.role, "member") ? "" : ", joins as \(invite.role)")
        + "      other machine: hedge join -", &out)
    for line in invite.qr ?? [] { Self.line(line, &out) }
    Self.line("this device   \(Phrases.text(invite.deviceName))  \(invite.deviceGroups)", &out)
  }

  func joinLines(_ join: JoinReply, _ out: inout [UInt8]) {
    let address = join.address.map { "  at \(Phrases.text($0))" } ?? ""
    Self.line(
      "found \(Phrases.text(join.inviterName))  \(join.inviterGroups)\(address)"
        + "      this device \(Phrases.text(join.deviceName))  \(join.deviceGroups)", &out)
    let members = join.members.map(Phrases.text).joined(separator: ", ")
    let with = members.isEmpty ? "" : " with \(members)"
    Self.line(
      "joined space \(Phrases.text(join.space))\(with)\(phrases.dot)fetched "
        + "\(Phrases.count(join.listCount, "list")), \(Phrases.count(join.itemCount, "item"))", &out
    )
  }

  func versionLines(_ version: VersionReply, _ out: inout [UInt8]) {
    var formats = ""
    if let wire = version.protocolVersion, let store = version.storeVersion {
      formats = " (wire \(wire), store \(store))"
    }
    Self.line("\(version.program) \(version.version)\(formats)", &out)
    guard display.isVerbose else { return }
    for library in version.libraries { Self.line("\(library.name) \(library.version)", &out) }
  }

  func agentLines(_ agent: AgentReply, _ out: inout [UInt8]) {
    var cells = [
      ("pid", String(agent.processID)), ("version", agent.version),
      ("up", Phrases.span(agent.uptimeSeconds)), ("data", agent.dataDirectory),
      ("socket", agent.socket), ("port", agent.peerPort.map(String.init) ?? phrases.none),
    ]
    if let bytes = agent.memoryBytes { cells.append(("memory", "\(bytes / 1_048_576) MiB")) }
    if agent.isPaused { cells.append(("sync", "paused")) }
    for (name, value) in cells { Self.tabbed([name, value], &out) }
  }
}
