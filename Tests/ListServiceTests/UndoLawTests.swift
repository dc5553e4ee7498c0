// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

@testable import ListService

/// Undo over random work of one and of two devices.
@Suite struct UndoLawTests {
  /// All that a viewer could tell of an item: what was never written shows as what was cleared.
  private struct Look: Hashable {
    let isAlive: Bool
    let spot: Spot?
    let values: [FieldName: Value]
    let totals: [FieldName: Int64]

    init(_ item: ItemID, _ replica: Replica) {
      isAlive = replica.isAlive(item)
      spot = replica.spot(of: item)
      var values: [FieldName: Value] = [:]
      var totals: [FieldName: Int64] = [:]
      for field in replica.fields(of: item) {
        if let value = replica.value(of: item, field), value != .null { values[field] = value }
        if let total = replica.counterTotal(of: item, field), total != 0 { totals[field] = total }
      }
      (self.values, self.totals) = (values, totals)
    }
  }

  private func looks(_ replica: Replica) -> [ItemID: Look] {
    Dictionary(uniqueKeysWithValues: replica.allItems.map { ($0, Look($0, replica)) })
  }

  /// Writes one transaction that the workload wants; `false` where it cannot be done.
  private func work(_ desk: inout Desk, _ workload: inout Workload) throws -> Bool {
    let edits = workload.transaction(on: desk.replica)
    do { desk.note(try desk.write(edits).step) } catch is EditError { return false }
    return true
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `undone in turn, everything is as it was, and redone as it became`(seed: UInt64) throws {
    var desk = Desk()
    var workload = Workload(seed: seed)
    var before: [[ItemID: Look]] = []
    for _ in 0..<60 {
      let state = looks(desk.replica)
      let count = desk.undoLog.entries.count
      guard try work(&desk, &workload) else { continue }
      if desk.undoLog.entries.count > count { before.append(state) }
    }
    let end = looks(desk.replica)
    var undone = 0
    while let state = before.popLast() {
      #expect(try desk.undo().stays.isEmpty, "seed \(seed)")
      for (item, look) in looks(desk.replica) {
        if let old = state[item] {
          #expect(look == old, "seed \(seed): \(item)")
        } else {
          #expect(!look.isAlive, "seed \(seed): \(item) was not there")
        }
      }
      undone += 1
    }
    for _ in 0..<undone { #expect(try desk.undo(isRedo: true).stays.isEmpty, "seed \(seed)") }
    #expect(looks(desk.replica) == end, "seed \(seed)")
  }

  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func `no undo touches a cell that somebody else wrote last`(seed: UInt64) throws {
    var (mine, theirs) = (Desk(1), Desk(2))
    var (own, other) = (Workload(seed: seed), Workload(seed: seed &+ 1_000))
    for round in 0..<40 {
      _ = try work(&mine, &own)
      if round % 3 == 0 {
        theirs.pull(mine)
        for _ in 0..<3 { _ = try work(&theirs, &other) }
        mine.pull(theirs)
      }
      guard round % 4 == 3,
        let entry = mine.undoLog.newest("", isUndo: false, isForced: false)
      else { continue }
      // Who takes a restore back hides again what was hidden before it.
      let isRestore = entry.step.cells.contains {
        if case .life(_, alive: true) = $0 { true } else { false }
      }
      let before = mine.replica
      _ = try mine.undo()
      for item in before.allItems {
        if let by = before.placed(item), by.device != mine.device {
          #expect(mine.replica.spot(of: item) == before.spot(of: item), "seed \(seed)")
        }
        if let by = before.lifeWritten(item), by.device != mine.device {
          #expect(mine.replica.isAlive(item) == before.isAlive(item), "seed \(seed)")
        }
        for field in before.fields(of: item) {
          guard let by = before.written(of: item, field), by.device != mine.device else { continue }
          #expect(
            mine.replica.value(of: item, field) == before.value(of: item, field), "seed \(seed)")
        }
        // What somebody else made and everybody saw is still to be seen, or in Recovered.
        if let by = before.created(item), by.device != mine.device,
          before.status(of: item) == .visible, !isRestore
        {
          let status = mine.replica.status(of: item)
          #expect(status == .visible || status == .recovered, "seed \(seed): \(item) \(status)")
        }
      }
    }
    theirs.pull(mine)
    #expect(looks(theirs.replica) == looks(mine.replica), "seed \(seed)")
  }
}
