// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import ListService
import NodeEngine
import SQLiteStore
import WireCodec

/// A `log` that reads the change log page by page.
struct PendingLog {
  let reply: ListAgentService.PendingReply
  let scope: LogReader.Scope
  let limit: Int
  var rows: [LogRow] = []
  var pages = 0
}

/// A `wait` whose changes are not yet where they shall be.
struct PendingWait {
  let reply: ListAgentService.PendingReply
  let dots: [Dot]
  /// The devices that are meant, and how many of them are enough.
  let devices: [DeviceID]
  let count: Int
}

/// Who did what, and where it is by now.
extension ListAgentService {
  /// Changes read at once, and how many pages one `log` reads.
  static let logPageMax = 500
  static let logPagesMax = 200
  /// How often waits are looked at beside the news of links.
  static let waitLookAgain: UInt64 = 200_000_000

  mutating func log(
    _ query: LogQuery, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let resolver = resolver(desk, reply.context)
    var scope = LogReader.Scope(item: nil, isList: false, device: nil, since: nil)
    if let selector = query.item {
      scope.item = try resolver.everItem(selector, in: query.list)
      scope.isList = scope.item.map { desk.replica.spot(of: $0)?.parent == .root } ?? false
    } else if let list = query.list {
      scope.item = try resolver.anyList(list)
      scope.isList = true
    }
    if let by = query.by { scope.device = try desk.device(named: by) }
    if let since = query.since {
      scope.since = try LogQuery.moment(since, now: desk.agent.wall.milliseconds)
    }
    lastToken += 1
    logs[lastToken] = PendingLog(reply: reply, scope: scope, limit: query.limit)
    orders.append(.readChanges(token: lastToken, before: .max, limit: Self.logPageMax))
  }

  /// A page of the change log, the newest first.
  mutating func readLog(
    _ token: UInt64, _ page: [ArrivedChange], _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) {
    guard var pending = logs.removeValue(forKey: token) else { return }
    let reader = LogReader(reader(desk, pending.reply.context), pending.scope)
    for arrived in page where pending.rows.count < pending.limit {
      let body = Array(arrived.row.bytes.dropLast(ChangeCodec.signatureBytes))
      guard let change = try? ChangeCodec.decode(body) else { continue }  // shown by no version
      if let row = reader.row(change) { pending.rows.append(row) }
    }
    pending.pages += 1
    guard let last = page.last, page.count == Self.logPageMax,
      pending.rows.count < pending.limit, pending.pages < Self.logPagesMax
    else { return send(.log(pending.rows), pending.reply, desk, &orders) }
    logs[token] = pending
    orders.append(
      .readChanges(token: token, before: last.arrival, limit: Self.logPageMax))
  }

  // MARK: Waiting

  mutating func wait(
    _ request: WaitRequest, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    let dots = try dots(request.transaction, desk)
    var devices = desk.held.map(\.device)
    var count = 1
    switch request.whom {
    case .peer(let name): devices = [try desk.member(named: name)]
    case .all: count = devices.count
    case .any(let number): count = number
    }
    guard count <= devices.count else {
      throw Problem(
        .unknownPeer,
        devices.isEmpty
          ? "there is no other machine yet"
          : devices.count == 1
            ? "there is only 1 other machine" : "there are only \(devices.count) other machines",
        detail: "another one joins with: hedge invite")
    }
    waits[reply.id] = PendingWait(reply: reply, dots: dots, devices: devices, count: count)
    settleWaits(desk, &orders)
    orders.append(.wakeAt(nextWake(desk)))
  }

  private func dots(_ transaction: String?, _ desk: ServiceDesk) throws(Problem) -> [Dot] {
    guard let transaction else { return desk.ownTip.map { [$0.dot] } ?? [] }
    if let entry = undoLog.named(transaction) { return entry.step.dots }
    for tip in desk.replica.vector.tips {
      guard let number = transaction.split(separator: "-").last.flatMap({ UInt64($0) }),
        number >= 1, number <= tip.seq
      else { continue }
      let dot = Dot(session: tip.session, seq: number)
      if sameBytes(EventFeed.transaction(dot), transaction) { return [dot] }
    }
    throw Problem(
      .unknownTransaction, "no transaction \(transaction) is known here",
      detail: "see hedge log")
  }

  mutating func settleWaits(_ desk: ServiceDesk, _ orders: inout [ServiceOrder]) {
    for (id, pending) in waits.sorted(by: { $0.key < $1.key }) {
      let there = desk.held.filter { held in
        pending.devices.contains(held.device)
          && pending.dots.allSatisfy { desk.replica.contains($0, held.coverage) }
      }
      guard there.count >= pending.count else { continue }
      waits[id] = nil
      send(.stored(there.map { desk.name($0.device) }), pending.reply, desk, &orders)
    }
  }
}
