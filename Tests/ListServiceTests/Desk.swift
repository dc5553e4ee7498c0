// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing

@testable import ListService

/// A replica that is written by plans, as the engine would; several of them are several devices.
struct Desk {
  var replica = Replica()
  var handles = HandleIndex()
  var feed = EventFeed(start: 100)
  var shown: [ItemID]?
  var undoLog = UndoLog()
  var journal: [JournalEntry] = []
  let device: DeviceID
  private let name: UInt64
  private var seq: UInt64 = 0
  private var time: UInt64 = 0
  private var last = ChangeHash.zero
  private var seen: VersionVector?
  private var held: [(Change, ChangeHash)] = []

  init(_ name: UInt64 = 1) {
    self.name = name
    device = DeviceID(name, 2, 3, 4)
  }

  /// Everything that is held, in the order of arrival.
  var changes: [Change] { held.map(\.0) }

  var resolver: Resolver { Resolver(replica: replica, handles: handles, shown: shown) }
  var reader: ListReader {
    ListReader(resolver, cursor: feed.cursor) { $0.a == 1 ? "study" : "den" }
  }
  var conflicts: ConflictReader {
    ConflictReader(resolver) { $0.a == 1 ? "study" : "den" }
  }
  var nextNonce: UInt64 { name * 1_000_000 + 1000 + seq }

  private mutating func took(_ changes: [ReplicaEvent]) -> [Event] {
    for change in changes {
      handles.insert(change.item)
      if case .overridden(let entry) = change.kind { journal.append(entry) }
    }
    return feed.take(changes, resolver, EventFeed.Source(isMine: true, client: nil)) { _ in "study"
    }.compactMap(\.event)
  }

  @discardableResult
  mutating func write(_ edits: [Edit], nonce: UInt64? = nil) throws -> (
    created: [ItemID], events: [Event], step: UndoStep
  ) {
    var left = edits
    var created: [ItemID] = []
    var events: [Event] = []
    var cells: [UndoCell] = []
    var dots: [Dot] = []
    let before = replica.vector
    var first = nonce
    let session = SessionID(high: name, low: 1)
    while !left.isEmpty {
      let own = left.first?.ownNonce ?? first ?? nextNonce
      first = nil
      time += 1
      let h = (1_800_000_000_000 + time) << 16
      let plan = try replica.plan(left, writer: WriterTag(UInt32(name)), h: h, nonce: own)
      seq += 1
      let head = SessionHead(device: device, salt: name, predecessor: nil)
      let entries = replica.seenEntries(since: seen).filter { $0.dot.session != session }
      let change = Change(
        session: session, seq: seq, head: seq == 1 ? head : nil, prev: last, h: h, seen: entries,
        nonce: own, group: nil, ops: plan.ops)
      seen = replica.vector
      last = ChangeHash(name, seq, own, 0)
      cells += replica.undoCells(of: plan.ops, nonce: own)
      dots.append(change.dot)
      var changes: [ReplicaEvent] = []
      #expect(replica.fold(change, hash: last, events: &changes) == .folded)
      held.append((change, last))
      events += took(changes)
      created += plan.created
      left = plan.remaining
    }
    return (created, events, UndoStep(dots: dots, seen: before, cells: cells))
  }

  /// Takes everything that another desk holds.
  mutating func pull(_ other: Desk) {
    for (change, hash) in other.held where !replica.covers(change.dot) {
      var changes: [ReplicaEvent] = []
      #expect(replica.fold(change, hash: hash, events: &changes) == .folded)
      held.append((change, hash))
      _ = took(changes)
    }
    time = max(time, other.time)
  }

  mutating func note(_ step: UndoStep, isUndo: Bool = false, name: String? = nil) {
    guard let dot = step.dots.first, !step.cells.isEmpty else { return }
    _ = undoLog.add(
      UndoLog.Entry(
        number: undoLog.nextNumber(), source: "", name: name ?? EventFeed.transaction(dot), at: 0,
        isUndo: isUndo, step: step))
  }

  @discardableResult
  mutating func run(_ ops: ItemOp...) throws -> TransactionResult {
    let plan = try TransactionPlanner(resolver, freshNonce: name * 77_000_000 + seq).plan(
      Transaction(ops))
    let written = try write(plan.edits, nonce: plan.nonce)
    note(written.step)
    return reader.result(plan, created: written.created, transaction: nil, isDryRun: false)
  }

  /// What a dry run of the ops tells.
  func trying(_ ops: ItemOp...) throws -> TransactionResult {
    let plan = try TransactionPlanner(resolver, freshNonce: name * 77_000_000 + seq).plan(
      Transaction(ops, isDryRun: true))
    return reader.result(plan, created: [], transaction: nil, isDryRun: true)
  }

  /// Takes the newest step back, or does the newest undo again.
  mutating func undo(isRedo: Bool = false, isForced: Bool = false) throws -> UndoPlan {
    let entry = try #require(undoLog.newest("", isUndo: isRedo, isForced: isForced))
    let plan = UndoPlanner(entry.step, resolver, device: device, isForced: isForced).plan()
    let written = try write(plan.edits)
    if plan.left.isEmpty {
      undoLog.remove(entry.number)
    } else {
      var rest = entry
      (rest.step, rest.hasStayed) = (entry.step.keeping(plan.left), true)
      undoLog.replace(rest)
    }
    note(written.step, isUndo: !isRedo, name: entry.name)
    return plan
  }

  mutating func importing(_ request: ImportRequest) throws -> ImportReport {
    var plan = try ImportPlanner(resolver).plan(request)
    var whole: UndoStep?
    while let round = plan.nextRound(nonce: name * 88_000_000 + seq) {
      let written = try write(round.edits, nonce: round.nonce)
      plan.created(written.created, round)
      if whole == nil { whole = written.step } else { whole?.append(written.step) }
    }
    if let whole { note(whole) }
    return plan.report
  }

  func texts(_ list: String) throws -> [String] {
    try reader.page(ItemsQuery(list: ListSelector(path: [list]), show: .all)).rows.map(
      \.text.string)
  }
}
