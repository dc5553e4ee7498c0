// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import ListService
import NodeEngine
import SQLiteStore
import WireCodec

/// A transaction on its way to the disk, as the undo log will know it.
struct PendingStep {
  let number: UInt64
  let source: String
  /// Empty: called after its own first change.
  var name = ""
  var isUndo = false
  /// Which request of one import it is, from 0.
  var part = 0
  /// Undone entries that this makes void.
  var voids: [UndoLog.Entry] = []
  /// What this takes back, and what of it stays.
  var takesBack: (entry: UndoLog.Entry, left: UndoStep?)?

  /// What else is written with it: entries that go, and what is left of one.
  var kept: [KeptRow] {
    var rows = voids.flatMap(UndoRow.removal)
    if let (entry, left) = takesBack {
      rows += UndoRow.removal(entry)
      if let left {
        rows.append(
          KeptRow(
            kind: UndoRow.kind, key: UndoRow.key(entry.number, 0),
            value: UndoRow.head(
              source: entry.source, name: entry.name, at: entry.at, isUndo: entry.isUndo,
              hasStayed: true) + UndoStepCodec.encode(left)))
      }
    }
    return rows
  }
}

/// Entries of the undo log as rows: one for each request that a transaction needed.
enum UndoRow {
  static let kind = StoreBatch.spaceKindPrefix + "undo"
  private static let headBytesMax = 1_024

  static func key(_ number: UInt64, _ part: Int) -> [UInt8] {
    var out: [UInt8] = []
    appendBigEndian(number, to: &out)
    appendBigEndian(UInt32(clamping: part), to: &out)
    return out
  }

  static func removal(_ entry: UndoLog.Entry) -> [KeptRow] {
    (0..<entry.partCount).map { KeptRow(kind: kind, key: key(entry.number, $0), value: nil) }
  }

  /// What stands before the bytes of the step.
  static func head(
    source: String, name: String, at: Int64, isUndo: Bool, hasStayed: Bool
  ) -> [UInt8] {
    var head = ByteWriter()
    head.block(source.utf8)
    head.block(name.utf8)
    head.bigEndian(UInt64(bitPattern: at))
    head.flag(isUndo)
    head.flag(hasStayed)
    var out = ByteWriter()
    out.block(head.bytes)
    return out.bytes
  }

  /// Reads a row; other bytes throw.
  static func entry(_ row: LocalRow) throws(DecodeError) -> UndoLog.Entry {
    var key = ByteReader(row.key)
    let number = try key.bigEndian(UInt64.self)
    var whole = ByteReader(row.value ?? [])
    var head = ByteReader(try whole.block(max: headBytesMax))
    let source = try head.text(max: headBytesMax).string
    var name = try head.text(max: headBytesMax).string
    let at = Int64(bitPattern: try head.bigEndian(UInt64.self))
    let (isUndo, hasStayed) = (try head.flag(), try head.flag())
    let step = try UndoStepCodec.decode(Array(try whole.take(whole.left)))
    if name.isEmpty, let dot = step.dots.first { name = EventFeed.transaction(dot) }
    return UndoLog.Entry(
      number: number, source: source, name: name, at: at, isUndo: isUndo, hasStayed: hasStayed,
      step: step)
  }
}

extension RequestContext {
  /// Whose commands these are: a terminal's, a client's, or nobody's in particular.
  var source: String { String((terminal ?? client ?? "").prefix(200)) }
}

/// Undo and redo.
extension ListAgentService {
  /// The step of a fresh transaction.
  mutating func freshStep(_ context: RequestContext) -> PendingStep {
    PendingStep(
      number: undoLog.nextNumber(), source: context.source,
      voids: undoLog.void(by: context.source))
  }

  mutating func undo(
    _ request: UndoRequest, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    try refuseWithoutDisk(desk)
    try refuseReader(desk)
    guard let entry = try entry(request, reply.context.source) else {
      let none = TransactionResult(
        list: nil, transaction: nil, touched: [], isDryRun: request.isDryRun)
      return send(
        .undone(UndoReply(isRedo: request.isRedo, undone: nil, result: none)), reply, desk,
        &orders)
    }
    let plan = UndoPlanner(
      entry.step, resolver(desk, reply.context), device: desk.device,
      isForced: request.isForced
    ).plan()
    var step = PendingStep(
      number: undoLog.nextNumber(), source: reply.context.source, name: entry.name,
      isUndo: !entry.isUndo)
    step.takesBack = (entry, plan.left.isEmpty ? nil : entry.step.keeping(plan.left))
    if request.isDryRun || plan.edits.isEmpty {
      if !request.isDryRun {
        settle(step, nil, desk, &orders)
        orders.append(
          .keep(step.kept.map { LocalRow(kind: $0.kind, key: $0.key, value: $0.value) }))
      }
      return send(
        undoReply(request, entry, plan, nil, reply, desk), reply, desk, &orders)
    }
    undoLog.setUnderWay(entry.number, true)
    submit(
      plan.edits, nil, PendingEdit(reply: reply, work: .undoing(request, entry, plan), step: step),
      desk, &orders)
  }

  /// The entry that is meant; `nil` where there is nothing to do.
  private func entry(_ request: UndoRequest, _ source: String) throws(Problem) -> UndoLog.Entry? {
    guard let name = request.transaction else {
      return undoLog.newest(source, isUndo: request.isRedo, isForced: request.isForced)
    }
    if request.isRedo {
      if let entry = undoLog.undone(name) { return entry }
      if undoLog.named(name) != nil { return nil }
    } else {
      if let entry = undoLog.named(name) { return entry }
      if undoLog.undone(name) != nil { return nil }
    }
    throw Problem(
      .unknownTransaction, "no transaction \(name) of this machine is remembered",
      detail: "see hedge undo --list")
  }

  func undoReply(
    _ request: UndoRequest, _ entry: UndoLog.Entry, _ plan: UndoPlan, _ transaction: String?,
    _ reply: PendingReply, _ desk: ServiceDesk
  ) -> Reply {
    let reader = reader(desk, reply.context)
    let result = reader.result(
      TransactionPlan(edits: plan.edits, outcomes: plan.outcomes), created: [],
      transaction: transaction, isDryRun: request.isDryRun)
    return .undone(
      UndoReply(
        isRedo: request.isRedo, undone: entry.name, result: result,
        stays: plan.stays.map(reader.stay)))
  }

  /// The transaction is on disk, or there was nothing to write: brings the log up to date.
  mutating func settle(
    _ step: PendingStep, _ written: UndoStep?, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) {
    for entry in step.voids { undoLog.remove(entry.number) }
    if let (entry, left) = step.takesBack {
      if let left {
        var rest = entry
        (rest.step, rest.hasStayed, rest.partCount) = (left, true, 1)
        rest.isUnderWay = false
        undoLog.replace(rest)
      } else {
        undoLog.remove(entry.number)
      }
    }
    guard let written, !written.cells.isEmpty, let dot = written.dots.first else { return }
    let gone = undoLog.add(
      UndoLog.Entry(
        number: step.number, source: step.source,
        name: step.name.isEmpty ? EventFeed.transaction(dot) : step.name,
        at: desk.agent.wall.milliseconds, isUndo: step.isUndo, step: written))
    forget(gone, &orders)
  }

  /// Removes entries that had to go from the disk.
  func forget(_ gone: [UndoLog.Entry], _ orders: inout [ServiceOrder]) {
    if gone.isEmpty { return }
    orders.append(
      .keep(
        gone.flatMap(UndoRow.removal).map { LocalRow(kind: $0.kind, key: $0.key, value: $0.value) })
    )
  }

  func undoSteps(_ reply: PendingReply, _ desk: ServiceDesk) -> Reply {
    let reader = reader(desk, reply.context)
    return .undoSteps(undoLog.entries.reversed().map(reader.step))
  }

  // MARK: Conflicts

  func conflicts(
    _ selector: ListSelector?, _ reply: PendingReply, _ desk: ServiceDesk
  ) throws(Problem) -> Reply {
    let resolver = resolver(desk, reply.context)
    let reader = ConflictReader(resolver, nameOf: desk.name)
    var list: ItemID?
    if let selector { list = try resolver.anyList(selector) }
    let rows = journal.reversed().filter { list == nil || reader.list(of: $0.entry) == list }
    return .conflicts(rows.map { reader.row($0.number, $0.entry) })
  }

  mutating func takeConflict(
    _ id: String, _ isDryRun: Bool, _ reply: PendingReply, _ desk: ServiceDesk,
    _ orders: inout [ServiceOrder]
  ) throws(Problem) {
    try refuseWithoutDisk(desk)
    try refuseReader(desk)
    let number = ConflictReader.number(id)
    guard let found = journal.first(where: { $0.number == number }) else {
      throw Problem(
        .unknownConflict, "no merge decision \(id)", detail: "see hedge conflicts")
    }
    let reader = reader(desk, reply.context)
    let plan = try ConflictReader(reader.resolver, nameOf: desk.name).plan(found.entry)
    perform(plan, isDryRun, reader, reply, desk, &orders)
  }
}
