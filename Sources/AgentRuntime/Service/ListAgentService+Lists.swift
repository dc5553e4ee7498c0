// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import ListService
import SQLiteStore

/// Whole lists: their columns, looking across them, which one a terminal means.
extension ListAgentService {
  static var useKind: String { StoreBatch.spaceKindPrefix + "use" }

  mutating func lookUp(
    _ request: Request, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let reader = reader(desk, reply.context)
    if case .columns(let selector) = request {
      let list = try reader.resolver.list(selector)
      let columns = reader.resolver.schema(under: list).columns
      return send(.columns(reader.reference(list), columns), reply, desk, &orders)
    }
    guard case .find(let query) = request else { return }
    var found = reader.find(query)
    let context = reply.context
    if let terminal = desk.numbering(context) {
      for at in found.rows.indices { found.rows[at].row.number = at + 1 }
      remember(found.rows.map(\.row.id), terminal, &orders)
    }
    send(.found(found), reply, desk, &orders)
  }

  mutating func use(
    _ request: UseRequest, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let reader = reader(desk, reply.context)
    let used = reader.resolver.used.flatMap {
      desk.replica.status(of: $0) == .visible ? $0 : nil
    }
    if request == .show {
      return send(.using(used.map(reader.reference)), reply, desk, &orders)
    }
    guard let terminal = reply.context.terminal else {
      throw Problem(
        .usage, "a list is chosen for a terminal, and this is none",
        detail: "set HEDGE_LIST, or name the list: @NAME")
    }
    var chosen: ItemID?
    if case .set(let selector) = request { chosen = try reader.resolver.list(selector) }
    choose(chosen, terminal, &orders)
    send(.using(chosen.map(reader.reference)), reply, desk, &orders)
  }

  private mutating func choose(
    _ list: ItemID?, _ terminal: String, _ orders: inout [ServiceOrder]
  ) {
    uses.removeAll { $0.terminal == terminal }
    var rows = [
      LocalRow(
        kind: Self.useKind, key: Array(terminal.utf8), value: list.map { ViewRow.bytes([$0]) })
    ]
    if let list { uses.append((terminal, list)) }
    if uses.count > Self.viewsMax {
      rows.append(
        LocalRow(kind: Self.useKind, key: Array(uses.removeFirst().terminal.utf8), value: nil))
    }
    orders.append(.keep(rows))
  }
}
