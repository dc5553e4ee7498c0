// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

extension Reply {
  /// The reply as one JSON document with a line feed at its end; an export is its own bytes.
  ///
  /// Every document starts with `v` and `kind`. Key order is fixed, unknown things are `null`.
  /// - Complexity: O(bytes written).
  public func json() -> [UInt8] {
    if case .exported(let export) = self { return export.bytes }
    var json = JSONWriter(capacity: 256)
    json.beginObject()
    json.member("v", count: Display.jsonVersion)
    json.member("kind", kindName)
    writeMembers(to: &json)
    json.endObject()
    json.endLine()
    return json.bytes
  }

  private var kindName: String {
    switch self {
    case .overview: "overview"
    case .lists: "lists"
    case .items: "items"
    case .item: "item"
    case .result: "result"
    case .status: "status"
    case .peers: "peers"
    case .sync: "sync"
    case .invite: "invite"
    case .joiner: "joiner"
    case .joined: "joined"
    case .inspection: "inspection"
    case .imported: "import"
    case .exported: "export"
    case .changes: "changes"
    case .notify: "notify"
    case .webLink: "web_link"
    case .webTokens: "web_tokens"
    case .webGuests: "web_guests"
    case .webGuest: "web_guest"
    case .webToken: "web_token"
    case .version: "version"
    case .agent: "agent"
    case .undone: "undo"
    case .undoSteps: "undo_steps"
    case .columns: "columns"
    case .found: "found"
    case .using: "using"
    case .log: "log"
    case .stored: "stored"
    case .members: "members"
    case .revoked: "revoked"
    case .trash: "trash"
    case .conflicts: "conflicts"
    case .done: "done"
    }
  }

  private func writeMembers(to json: inout JSONWriter) {
    switch self {
    case .overview(let overview):
      Self.write(overview.lists, to: &json)
      json.key("status")
      json.beginObject()
      overview.status.write(to: &json)
      json.endObject()
    case .lists(let rows): Self.write(rows, to: &json)
    case .items(let page): page.write(to: &json)
    case .item(let detail): detail.write(to: &json)
    case .result(let result): result.write(to: &json)
    case .status(let status): status.write(to: &json)
    case .peers(let reply):
      PeerRow.write(reply.peers, to: &json)
      json.member("addresses", strings: reply.addresses)
      json.key("removals")
      json.beginArray()
      for row in reply.removals {
        json.beginObject()
        row.write(to: &json)
        json.endObject()
      }
      json.endArray()
      json.member("removed_by", reply.removedBy)
    case .sync(let reply):
      json.member("paused", bool: reply.isPaused)
      PeerRow.write(reply.peers, to: &json)
    case .invite(let invite): invite.write(to: &json)
    case .joiner(let joiner):
      json.member("name", joiner.name)
      json.member("device", joiner.deviceGroups)
      json.member("role", joiner.role)
    case .joined(let reply): reply.write(to: &json)
    case .inspection(let inspection):
      json.member("target", inspection.target)
      for member in inspection.members { member.write(to: &json) }
    case .imported(let report): report.write(to: &json)
    case .exported: break
    case .changes(let events, let cursor):
      json.member("cursor", cursor)
      json.key("events")
      json.beginArray()
      for event in events { event.write(to: &json) }
      json.endArray()
    case .notify(let reply): reply.write(to: &json)
    case .webLink(let link): link.write(to: &json)
    case .webTokens(let tokens): WebTokenRow.write(tokens, to: &json)
    case .webGuests(let guests): WebGuestRow.write(guests, to: &json)
    case .webGuest(let guest): guest.write(to: &json)
    case .webToken(let token, let secret):
      token.writeMembers(to: &json)
      json.member("token", secret)
    case .version(let version): version.write(to: &json)
    case .agent(let agent): agent.write(to: &json)
    case .undone(let reply): reply.write(to: &json)
    case .columns(let list, let columns):
      json.key("list")
      list.write(to: &json)
      json.key("columns")
      json.beginArray()
      for column in columns { column.write(to: &json) }
      json.endArray()
    case .found(let found): found.write(to: &json)
    case .log(let rows): LogRow.write(rows, to: &json)
    case .stored(let peers): json.member("peers", strings: peers)
    case .members(let rows): MemberRow.write(rows, to: &json)
    case .revoked(let row): row.write(to: &json)
    case .using(let list):
      json.key("list")
      if let list { list.write(to: &json) } else { json.null() }
    case .undoSteps(let rows): UndoStepRow.write(rows, to: &json)
    case .trash(let reply): reply.write(to: &json)
    case .conflicts(let rows): ConflictRow.write(rows, to: &json)
    case .done(let verb, let subject):
      json.member("done", verb)
      json.member("subject", subject)
    }
  }

  private static func write(_ rows: [ListRow], to json: inout JSONWriter) {
    json.key("lists")
    json.beginArray()
    for row in rows { row.write(to: &json) }
    json.endArray()
  }
}

extension ListRow {
  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("id", list.id.hex)
    json.member("handle", list.handle)
    json.member("name", list.name)
    json.member("items", count: itemCount)
    json.member("open", count: itemCount - doneCount)
    json.member("done", count: doneCount)
    json.key("columns")
    json.beginArray()
    for column in columns { column.write(to: &json) }
    json.endArray()
    json.member("title", title)
    json.member("at", time: at)
    json.member("by", by)
    json.endObject()
  }
}

extension Column {
  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("name", name)
    json.member("type", type.spelling)
    json.member("required", bool: isRequired)
    json.member("default", defaultText)
    json.endObject()
  }
}

extension ItemsPage {
  func write(to json: inout JSONWriter) {
    json.key("list")
    list.write(to: &json)
    json.member("cursor", cursor)
    json.key("items")
    json.beginArray()
    for row in rows {
      write(row, to: &json) { if row.isContext { $0.member("context", bool: true) } }
    }
    json.endArray()
  }

  /// Appends one row as an object; `more` may add members at its end.
  func write(
    _ row: ItemRow, to json: inout JSONWriter, more: (inout JSONWriter) -> Void = { _ in }
  ) {
    json.beginObject()
    json.member("id", row.id.hex)
    json.member("handle", row.handle)
    json.member("state", row.isDone ? "done" : "open")
    json.member("text", row.text)
    json.member("parent", row.parent?.hex)
    if isTree { json.member("depth", count: row.depth) }
    json.key("cols")
    json.beginObject()
    if hasTitleColumn { json.member(title, row.text) }
    for (column, value) in zip(columns, row.cells) {
      if let value { json.member(column.name, value: value) }
    }
    json.endObject()
    json.member("children", count: row.childCount)
    json.member("at", time: row.at)
    json.member("by", row.by)
    more(&json)
    json.endObject()
  }
}

extension ListRef {
  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("id", id.hex)
    json.member("handle", handle)
    json.member("name", name)
    json.member("rev", tag)
    json.endObject()
  }
}

extension ItemDetail {
  func write(to json: inout JSONWriter) {
    json.key("item")
    guard let row = page.rows.first else {
      json.null()
      return
    }
    page.write(row, to: &json) { json in
      json.key("list")
      list.write(to: &json)
      json.member("depth", count: row.depth)
      json.member("status", status)
      json.member("position", int: position.map(Int64.init))
      if let placed {
        json.member("placed_by", placed.by)
        json.member("placed_at", time: placed.at)
      }
      json.key("fields")
      json.beginArray()
      for field in fields {
        json.beginObject()
        json.member("name", field.name)
        json.member("value", value: field.value)
        json.member("by", field.by)
        json.member("at", time: field.at)
        json.endObject()
      }
      json.endArray()
      json.key("overridden")
      json.beginArray()
      for entry in overridden {
        json.beginObject()
        json.member("name", entry.name)
        json.member("kept", entry.kept)
        json.member("kept_by", entry.keptBy)
        json.member("kept_at", time: entry.keptAt)
        json.member("dropped", entry.dropped)
        json.member("dropped_by", entry.droppedBy)
        json.member("dropped_at", time: entry.droppedAt)
        json.endObject()
      }
      json.endArray()
    }
  }
}

extension TransactionResult {
  func write(to json: inout JSONWriter) {
    json.member("txn", transaction)
    json.member("changed", count: touched.count)
    if isDryRun { json.member("dry_run", bool: true) }
    if let list {
      json.key("list")
      list.write(to: &json)
    }
    Self.write("items", touched, to: &json)
    Self.write("unchanged", unchanged, to: &json)
    Self.write("maybe_same", maybeSame, to: &json)
    guard !rejects.isEmpty else { return }
    json.key("rejected")
    json.beginArray()
    for reject in rejects {
      json.beginObject()
      json.member("id", reject.item.id?.hex)
      json.member("handle", reject.item.handle)
      json.member("text", reject.item.text)
      json.member("why", reject.reason)
      json.endObject()
    }
    json.endArray()
  }

  static func write(_ name: String, _ items: [Touched], to json: inout JSONWriter) {
    json.key(name)
    json.beginArray()
    for item in items {
      json.beginObject()
      json.member("id", item.id?.hex)
      json.member("handle", item.id == nil ? nil : item.handle)
      json.member("op", item.verb.rawValue)
      json.member("text", item.text)
      if let position = item.position { json.member("position", count: position) }
      if item.hiddenCount > 0 { json.member("hidden", count: item.hiddenCount) }
      json.endObject()
    }
    json.endArray()
  }
}

extension ImportReport {
  func write(to json: inout JSONWriter) {
    json.member("list", listName)
    json.member("txn", transaction)
    json.member("dry_run", bool: isDryRun)
    json.member("created", count: createdCount)
    json.member("updated", count: updatedCount)
    json.member("unchanged", count: unchangedCount)
    json.member("removed", count: removedCount)
    json.member("skipped", count: skips.count)
    json.key("columns")
    json.beginArray()
    for column in newColumns { column.write(to: &json) }
    json.endArray()
    json.key("skips")
    json.beginArray()
    for skip in skips {
      json.beginObject()
      json.member("line", count: skip.line)
      json.member("reason", skip.reason)
      json.endObject()
    }
    json.endArray()
    json.member("notes", strings: notes)
  }
}

extension Inspection.Member {
  func write(to json: inout JSONWriter) {
    json.key(name)
    fact.write(to: &json)
  }
}

extension Inspection.Fact {
  func write(to json: inout JSONWriter) {
    switch self {
    case .text(let text): json.string(text)
    case .number(let number): json.int(number)
    case .flag(let flag): json.bool(flag)
    case .value(let value): json.value(value)
    case .none: json.null()
    case .object(let members):
      json.beginObject()
      for member in members { member.write(to: &json) }
      json.endObject()
    case .array(let facts):
      json.beginArray()
      for fact in facts { fact.write(to: &json) }
      json.endArray()
    }
  }
}
