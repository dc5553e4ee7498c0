// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import ListService
import NodeEngine
import Roster

/// A request whose edits are on their way to the disk.
struct PendingEdit {
  enum Work {
    case transaction(TransactionPlan)
    case undoing(UndoRequest, UndoLog.Entry, UndoPlan)
    /// With the name of its first change, once there is one.
    case importing(ImportPlan, ImportPlan.Round, String?)
  }
  let reply: ListAgentService.PendingReply
  var work: Work
  /// How the undo log will know it.
  let step: PendingStep
}

/// Requests that write.
extension ListAgentService {
  mutating func transact(
    _ transaction: Transaction, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    try refuseWithoutDisk(desk)
    try refuseReader(desk)
    let reader = reader(desk, reply.context)
    try check(transaction, reply.context, reply.place, reader)
    let nonce = random.next() | 1
    let plan = try TransactionPlanner(reader.resolver, freshNonce: nonce).plan(transaction)
    perform(plan, transaction.isDryRun, reader, reply, desk, &orders)
  }

  /// Writes a plan, or only tells what it comes to.
  mutating func perform(
    _ plan: TransactionPlan, _ isDryRun: Bool, _ reader: ListReader, _ reply: PendingReply,
    _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    if isDryRun || plan.isEmpty {
      let result = reader.result(plan, created: [], transaction: nil, isDryRun: isDryRun)
      return send(.result(result), reply, desk, &orders)
    }
    let step = freshStep(reply.context)
    submit(
      plan.edits, plan.nonce, PendingEdit(reply: reply, work: .transaction(plan), step: step), desk,
      &orders)
  }

  func refuseWithoutDisk(_ desk: ServiceDesk) throws(Problem) {
    if let trouble = desk.agent.storeTrouble {
      throw Problem(.storage, trouble, detail: "nothing was written; reading goes on")
    }
  }

  /// A plan that the engine would refuse is no plan: `-n` says so too.
  func refuseReader(_ desk: ServiceDesk) throws(Problem) {
    guard let roster = desk.roster else { return }
    guard desk.removedBy == nil, let own = roster.member(desk.device) else {
      throw Self.notMember(desk)
    }
    if own.role == .reader { throw Self.reader(desk) }
  }

  private static func reader(_ desk: ServiceDesk) -> Problem {
    let isWord = desk.ownName.utf8.allSatisfy { byte in
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".utf8.contains(byte)
    }
    // A shell takes the groups as they are, whatever the name has in it.
    let name = isWord && !desk.ownName.isEmpty ? desk.ownName : desk.device.groups
    return Problem(
      .notAllowed, "this device may only read here",
      detail: "on an admin's machine: hedge role \(name) member")
  }

  static func notMember(_ desk: ServiceDesk) -> Problem {
    guard let by = desk.removedBy else {
      return Problem(
        .notAllowed, "this device is no member of the space: its key is not the one that it had",
        detail:
          "put the old device.key back and start the agent anew, or export the lists, move data and "
          + "state away, join with a new code and import them")
    }
    return Problem(
      .notAllowed, "this device was removed from the space by \(desk.name(by))",
      detail: "its lists can still be read and exported")
  }

  mutating func submit(
    _ list: [Edit], _ nonce: UInt64?, _ pending: PendingEdit, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) {
    lastToken += 1
    edits[lastToken] = pending
    let step = pending.step
    let head = UndoRow.head(
      source: step.source, name: step.name, at: desk.agent.wall.milliseconds, isUndo: step.isUndo,
      hasStayed: false)
    orders.append(
      .edit(
        EditRequest(
          token: lastToken, edits: list, client: pending.reply.context.client ?? "", nonce: nonce,
          undo: UndoSlot(
            kind: UndoRow.kind, key: UndoRow.key(step.number, step.part), head: head),
          kept: step.kept)))
  }

  mutating func importFile(
    _ file: ImportRequest, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    try refuseWithoutDisk(desk)
    try refuseReader(desk)
    let plan = try ImportPlanner(resolver(desk, reply.context)).plan(file)
    if file.isDryRun { return send(.imported(plan.report), reply, desk, &orders) }
    next(plan, reply, desk, nil, freshStep(reply.context), &orders)
  }

  /// The next round of an import, or its report.
  private mutating func next(
    _ plan: ImportPlan, _ reply: PendingReply, _ desk: ServiceDesk, _ transaction: String?,
    _ step: PendingStep, _ orders: inout [ServiceOrder]
  ) {
    var plan = plan
    guard let round = plan.nextRound(nonce: random.next() | 1) else {
      if let list = plan.report.list {
        plan.report.list = reader(desk, reply.context).reference(list.id)
      }
      plan.report.transaction = transaction
      return send(.imported(plan.report), reply, desk, &orders)
    }
    submit(
      round.edits, round.nonce,
      PendingEdit(reply: reply, work: .importing(plan, round, transaction), step: step), desk,
      &orders)
  }

  mutating func edited(
    _ token: UInt64, _ result: EditResult, _ desk: ServiceDesk, _ orders: inout [ServiceOrder]
  ) {
    guard let pending = edits.removeValue(forKey: token) else { return }
    switch result {
    case .refused(let refusal):
      if let entry = pending.step.takesBack?.entry { undoLog.setUnderWay(entry.number, false) }
      refuse(problem(refusal, desk), pending.reply, &orders)
    case .done(let receipt):
      let name = receipt.dots.first.map(EventFeed.transaction)
      settle(pending.step, receipt.undo, desk, &orders)
      switch pending.work {
      case .transaction(let plan):
        let result = reader(desk, pending.reply.context).result(
          plan, created: receipt.created, transaction: name, isDryRun: false)
        send(.result(result), pending.reply, desk, &orders)
      case .undoing(let request, let entry, let plan):
        send(
          undoReply(request, entry, plan, name, pending.reply, desk), pending.reply, desk, &orders)
      case .importing(var plan, let round, let first):
        plan.created(receipt.created, round)
        var step = pending.step
        step.part += 1
        next(plan, pending.reply, desk, first ?? name, step, &orders)
      }
    }
  }

  private func problem(_ refusal: EditRefusal, _ desk: ServiceDesk) -> Problem {
    switch refusal {
    case .tooLarge: Problem(.tooLarge, "one value is too large for a change", detail: "split it")
    case .reader: Self.reader(desk)
    case .notMember: Self.notMember(desk)
    case .noSpace: Problem(.failed, "this agent has no space yet", detail: "try again in a moment")
    case .storage:
      Problem(
        .storage, desk.agent.storeTrouble ?? "the disk did not take the change",
        detail: "nothing was written; reading goes on")
    case .notOnDisk:
      Problem(
        .storage, desk.agent.storeTrouble ?? "the disk did not take the change",
        detail: "this change is kept in memory until the disk takes it: do not repeat it")
    case .plan(let error):
      switch error {
      case .noSuchItem(let item):
        Problem(.unknownItem, "no item \(handles.handle(of: item))", detail: "list again: hedge ls")
      case .insideItself: Problem(.conflict, "an item cannot go into itself")
      case .notAChild(let item, _):
        Problem(.conflict, "\(handles.handle(of: item)) is not in that list any more")
      case .limit: Problem(.tooLarge, "a value or a name is too long", detail: "shorten it")
      case .clockEnd(let item):
        Problem(
          .failed, "\(handles.handle(of: item)) was written with a stamp at the end of time",
          detail: "copy it to a new item")
      }
    }
  }
}

extension ItemOp {
  /// The list it names.
  var list: ListSelector? {
    switch self {
    case .newList: nil
    case .add(let add): add.list
    case .edit(let edit): edit.list
    case .tick(let tick): tick.list
    case .move(let move): move.list
    case .remove(let list, _), .restore(let list, _), .clear(let list), .columns(let list, _): list
    case .rename(let list, _), .drop(let list, _): list
    }
  }
}
