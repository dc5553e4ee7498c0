// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// Verbs about who did what, and about the devices.
extension CommandReader {
  mutating func log() throws(Problem) -> Command {
    var query = LogQuery(list: try arguments.takeList())
    if let word = arguments.takeWord() { query.item = try ItemSelector(parsing: word.text) }
    try noMoreWords()
    query.by = arguments.value("--by")
    if let since = arguments.value("--since") {
      // Refused here already, whatever the time is.
      _ = try LogQuery.moment(since, now: 0)
      query.since = since
    }
    query.limit = min(
      try arguments.count("--limit") ?? LogQuery.limitDefault, LogQuery.limitMax)
    return .request(.log(query))
  }

  mutating func wait() throws(Problem) -> Command {
    var choices: [WaitRequest.Whom] = []
    if let peer = arguments.value("--peer") { choices.append(.peer(peer)) }
    if arguments.has("--all") { choices.append(.all) }
    if let count = try arguments.count("--any") { choices.append(.any(count)) }
    guard choices.count <= 1 else { throw usage("choose one of --peer, --all and --any") }
    let transaction = arguments.takeWord()?.text
    try noMoreWords()
    return .request(.wait(WaitRequest(whom: choices.first ?? .any(1), transaction: transaction)))
  }

  mutating func role() throws(Problem) -> Command {
    guard let peer = arguments.takeWord()?.text, let role = arguments.takeWord()?.text else {
      throw usage("role needs a device and a role")
    }
    try noMoreWords()
    return .request(.changeMember(.role(peer: peer, role: role)))
  }

  mutating func revoke() throws(Problem) -> Command {
    guard let peer = arguments.takeWord()?.text else { throw usage("revoke needs a device") }
    try noMoreWords()
    return .revoke(peer: peer, isDryRun: isDryRun)
  }

  mutating func alias() throws(Problem) -> Command {
    guard let peer = arguments.takeWord()?.text, !arguments.words.isEmpty else {
      throw usage("alias needs a device and a name")
    }
    let name = arguments.words.map(\.text).joined(separator: " ")
    if let defect = NameRule.deviceDefect(of: name) {
      let kind: Problem.Kind = defect.hasSuffix("empty") ? .emptyText : .invalidName
      throw Problem(kind, "the device name \(ValueTextShort.quoted(name)) \(defect)")
    }
    return .request(.changeMember(.alias(peer: peer, name: name)))
  }
}
