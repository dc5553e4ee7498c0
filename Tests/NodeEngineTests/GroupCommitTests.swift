// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

@testable import NodeEngine

/// One batch under way, the next one gathering.
@Suite struct GroupCommitTests {
  private func change(_ seq: UInt64) -> LoggedChange {
    LoggedChange(
      dot: Dot(session: SessionID(high: 1, low: 1), seq: seq), hash: .zero, bytes: [1, 2],
      isVerified: true)
  }

  private func flush(_ commit: inout GroupCommit) -> [Effect] {
    var effects: [Effect] = []
    _ = commit.flush(clock: 5, own: nil, ages: nil, vector: { VersionVector() }, into: &effects)
    return effects
  }

  @Test func `what comes while the disk is busy leaves together afterwards`() {
    var commit = GroupCommit()
    #expect(flush(&commit).isEmpty)
    commit.add(change(1))
    #expect(flush(&commit).count == 1)
    commit.add(change(2))
    commit.add(change(3))
    #expect(flush(&commit).isEmpty)
    #expect(commit.isPending(change(1).dot) && commit.isPending(change(3).dot))
    #expect(commit.persisted(BatchToken(9)) == nil)
    #expect(commit.persisted(BatchToken(1))?.batch.changes.count == 1)
    #expect(!commit.isPending(change(1).dot))
    guard case .persist(let batch, BatchToken(2))? = flush(&commit).first else {
      Issue.record("no second batch")
      return
    }
    #expect(batch.changes.map(\.dot.seq) == [2, 3])
  }

  @Test func `while a snapshot waits for the disk nothing counts as being there`() {
    // Found as seed 91 of the simulator: a joiner acknowledged what only its snapshot held.
    var commit = GroupCommit()
    commit.then(.snapshotJoined)
    #expect(commit.isPending(change(7).dot))
    #expect(flush(&commit).count == 1)
    #expect(commit.isPending(change(7).dot))
    #expect(commit.persisted(BatchToken(1)) != nil)
    #expect(!commit.isPending(change(7).dot))
  }

  @Test func `a failed batch is tried again with all that came since, its edits are refused`() {
    var commit = GroupCommit()
    commit.add(change(1))
    commit.then(.edited(token: 4, EditReceipt(dots: [], created: [])))
    _ = flush(&commit)
    commit.add(change(2))
    let later = Moment(nanoseconds: 10)
    #expect(commit.failed(BatchToken(1), retryAt: later) == [4])
    #expect(commit.hasFailed)
    #expect(flush(&commit).isEmpty)
    commit.retry(at: later)
    guard case .persist(let batch, _)? = flush(&commit).first else {
      Issue.record("no second try")
      return
    }
    #expect(batch.changes.map(\.dot.seq) == [1, 2])
  }
}

/// Checkpoints that wait for a busy disk.
@Suite struct WaitingCheckpointTests {
  @Test func `the chunks of both stay when two wait for one batch`() {
    var batch = Batch()
    batch.put(Checkpoint(header: [1], chunks: [(0, [1]), (1, [1])], chunkCount: 2))
    batch.put(Checkpoint(header: [2], chunks: [(1, [2]), (2, [2])], chunkCount: 3))
    #expect(
      batch.checkpoint
        == Checkpoint(header: [2], chunks: [(0, [1]), (1, [2]), (2, [2])], chunkCount: 3))
  }
}

/// Changes kept in memory.
@Suite struct RecentChangesTests {
  private func change(_ session: UInt64, _ seq: UInt64) -> LoggedChange {
    LoggedChange(
      dot: Dot(session: SessionID(high: session, low: 1), seq: seq), hash: .zero,
      bytes: [UInt8](repeating: 0, count: 10), isVerified: true)
  }

  @Test func `the oldest go first, but none that is not on disk`() {
    var recent = RecentChanges()
    for seq in 1...100 as ClosedRange<UInt64> { recent.append(change(seq % 2, (seq + 1) / 2)) }
    recent.trim(to: 500) { _ in true }
    #expect(recent.byteCount <= 500)
    let odd = SessionID(high: 1, low: 1)
    #expect(recent.changes(of: odd, from: 1, through: 50, bytesMax: 1000).isEmpty)
    let kept = recent.changes(of: odd, from: 40, through: 45, bytesMax: 1000)
    #expect(kept.map(\.dot.seq) == Array(40...45))
    #expect(recent.changes(of: odd, from: 40, through: 50, bytesMax: 25).count == 2)
    recent.trim(to: 0) { _ in false }
    #expect(!recent.changes(of: odd, from: 50, through: 50, bytesMax: 1000).isEmpty)
    recent.trim(to: 0) { _ in true }
    #expect(recent.byteCount == 0)
  }
}
