// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import ListService
import NodeEngine
import Roster
import SQLiteStore

/// `inspect`: raw ids, stamps and vectors, for bug reports and tests. No item text beyond what the
/// asker named.
extension ListAgentService {
  mutating func inspect(
    _ target: InspectTarget, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let resolver = resolver(desk, reply.context)
    switch target {
    case .store:
      lastToken += 1
      measures[lastToken] = reply
      orders.append(.measureStore(token: lastToken))
    case .list(let selector):
      let list = try resolver.list(selector)
      send(
        .inspection(Inspection(target: "list", members: cells(list, desk))), reply, desk, &orders)
    case .item(let list, let selector):
      let item = try resolver.item(selector, in: list)
      var members = cells(item, desk)
      members.append(Inspection.Member("overridden", journalFacts(item, desk)))
      send(.inspection(Inspection(target: "item", members: members)), reply, desk, &orders)
    case .peer(let name):
      let device = try desk.member(named: name)
      send(
        .inspection(Inspection(target: "peer", members: peerFacts(device, desk))), reply, desk,
        &orders)
    }
  }

  mutating func measured(
    _ token: UInt64, _ sizes: StoreSizes, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    if let scrape = scrapes.removeValue(forKey: token) {
      return orders.append(.reply(scrape, figures(sizes.bytes, desk)))
    }
    guard let reply = measures.removeValue(forKey: token) else { return }
    let tips = desk.replica.vector.tips.map(fact)
    let holders = desk.floorHolders.map { holder in
      Inspection.Fact.object([
        .init("name", .text(desk.name(holder.device))),
        .init("changes", .number(Int64(clamping: holder.changes))),
        .init("silent_days", .number(Int64(holder.silentDays))),
      ])
    }
    let members: [Inspection.Member] = [
      .init("device", .text(desk.device.hex)),
      .init("items", .number(Int64(desk.replica.itemCount))),
      .init("cold_items", .number(Int64(desk.replica.coldItemCount))),
      .init("cold_bytes", .number(Int64(desk.replica.coldByteCount))),
      .init("recovered", .number(Int64(desk.replica.recoveredItems.count))),
      .init("waiting_ops", .number(Int64(desk.replica.waitingOps))),
      .init("log_changes", .number(sizes.changes)), .init("log_bytes", .number(sizes.logBytes)),
      .init("database_bytes", .number(sizes.bytes)),
      .init("database_free_bytes", .number(sizes.freeBytes)),
      .init("merge_decisions", .number(Int64(journal.count))),
      .init("cursor", .text(feed.cursor)), .init("vector", .array(tips)),
      .init("floor", .array(desk.replica.floorTips.map(fact))),
      .init("floor_cells", .number(Int64(desk.replica.floorCellCount))),
      .init("floor_held_by", .array(holders)),
    ]
    send(.inspection(Inspection(target: "store", members: members)), reply, desk, &orders)
  }

  private func fact(_ tip: Tip) -> Inspection.Fact {
    .object([
      .init("session", .text(tip.session.hex)), .init("seq", .number(Int64(clamping: tip.seq))),
      .init("hash", .text(tip.hash.hex)),
    ])
  }

  private func cells(_ item: ItemID, _ desk: ServiceDesk) -> [Inspection.Member] {
    let replica = desk.replica
    var cells: [Inspection.Fact] = []
    if let placed = replica.placed(item) {
      cells.append(
        cell(
          "place", .text(replica.position(of: item).map { Hex.encode($0.bytes) } ?? ""), placed,
          desk))
    }
    if let life = replica.lifeWritten(item) {
      cells.append(cell("life", .flag(replica.isAlive(item)), life, desk))
    }
    for field in replica.fields(of: item) {
      guard let value = replica.value(of: item, field), let by = replica.written(of: item, field)
      else { continue }
      let name =
        switch field {
        case .text: "text"
        case .named(let text): text.string
        }
      cells.append(cell(name, .value(value), by, desk))
    }
    return [
      .init("id", .text(item.hex)), .init("handle", .text(handles.handle(of: item))),
      .init("parent", replica.parent(of: item).map { .text($0.hex) } ?? .none),
      .init("status", .text("\(replica.status(of: item))")),
      .init("children", .number(Int64(replica.childCount(of: item)))),
      .init("cells", .array(cells)),
    ]
  }

  private func cell(
    _ name: String, _ fact: Inspection.Fact, _ by: Written, _ desk: ServiceDesk
  ) -> Inspection.Fact {
    .object([
      .init("name", .text(name)), .init("value", fact), .init("by", .text(desk.name(by.device))),
      .init("session", .text(by.dot.session.hex)),
      .init("seq", .number(Int64(clamping: by.dot.seq))),
      .init("h", .text(String(by.h))),
    ])
  }

  private func journalFacts(_ item: ItemID, _ desk: ServiceDesk) -> Inspection.Fact {
    .array(
      overridden(item, desk).map { entry in
        .object([
          .init("name", .text(entry.name)), .init("kept", .text(entry.kept)),
          .init("kept_by", .text(entry.keptBy)), .init("dropped", .text(entry.dropped)),
          .init("dropped_by", .text(entry.droppedBy)),
        ])
      })
  }

  private func peerFacts(_ device: DeviceID, _ desk: ServiceDesk) -> [Inspection.Member] {
    let member = desk.roster?.member(device)
    return [
      .init("device", .text(device.hex)), .init("name", .text(desk.name(device))),
      .init("role", .text(member.map { "\($0.role)" } ?? "unknown")),
      .init("added_by", member.map { .text(desk.name($0.addedBy)) } ?? .none),
    ]
  }
}
