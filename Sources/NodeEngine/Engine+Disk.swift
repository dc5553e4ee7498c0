// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// What the disk answers.
extension Engine {
  static var storageRetryDelay: Delay { .seconds(2) }

  mutating func persisted(_ token: BatchToken, _ turn: inout Turn) {
    guard let done = commit.persisted(token) else { return }
    if durable != done.vector {
      noteFloor(turn.now)
      noteStatement(turn.now)
    }
    durable = done.vector
    // What waited for a new name of its line, or behind a snapshot, is to be found on disk now.
    if !done.batch.splits.isEmpty || done.steps.contains(.snapshotJoined) {
      for at in links.indices where links[at].phase == .streaming {
        links[at].outbound.pumpAt = turn.now
      }
    }
    // What was taken back in the same batch is in it still; all links begin anew then.
    if done.batch.cuts.isEmpty { acknowledge(done.batch, &turn) }
    for step in done.steps {
      switch step {
      case .edited(let token, let receipt):
        turn.effects.append(.edited(token: token, .done(receipt)))
      case .amended(let token): turn.effects.append(.amended(token: token, isDone: true))
      case .inviteSpent(let code): inviteSpent(code, &turn)
      case .memberAdded(let code): memberAdded(code, &turn)
      case .joined: joined(&turn)
      case .snapshotJoined: acknowledgeAll(&turn)
      case .snapshotKept(let link): snapshotKept(link, &turn)
      case .removal(let token, let target): signRemoval(token, target, &turn)
      case .cutBack: cutIsDurable(&turn)
      }
    }
    let commit = commit
    recent.trim(to: settings.recentBytesMax) { !commit.isPending($0) }
  }

  mutating func persistFailed(_ token: BatchToken, _ turn: inout Turn) {
    let refused = commit.failed(token, retryAt: turn.now + Self.storageRetryDelay)
    turn.effects.append(.alarm(.storage))
    for token in refused {
      turn.effects.append(.edited(token: token, .refused(.notOnDisk)))
    }
  }

  /// Puts the dirty chunks into the next batch.
  mutating func addCheckpoint() {
    if keepsCheckpoint { return }
    if !isCutting { replica.forgetStamps() }
    let numbers = replica.dirtyChunks
    var checkpoint = Checkpoint(
      header: ImageCodec.encode(replica.header(), crypto: crypto, packer: packer),
      chunks: numbers.map {
        ($0, ImageCodec.encode(replica.chunk(at: $0), crypto: crypto, packer: packer))
      },
      chunkCount: replica.chunkCount)
    checkpoint.standsForLog = !isIncomplete
    replica.markClean()
    commit.add { $0.put(checkpoint) }
  }

  /// Tells every link what reached the disk, so that nobody sends it here or relays it in vain.
  private mutating func acknowledge(_ batch: Batch, _ turn: inout Turn) {
    var moved = HeldTips()
    for change in batch.changes {
      moved.raise(Tip(session: change.dot.session, seq: change.dot.seq, hash: change.hash))
    }
    for at in links.indices where links[at].phase == .streaming {
      var tips = moved
      tips.raise(links[at].inbound.owed.tips.filter { !commit.isPending($0.dot) })
      settleOwed(at, tips, &turn)
    }
  }

  /// Acknowledges what came twice: it is on disk already.
  mutating func acknowledgeOwed(_ at: Int, _ turn: inout Turn) {
    var tips = HeldTips()
    tips.raise(links[at].inbound.owed.tips.filter { !commit.isPending($0.dot) })
    settleOwed(at, tips, &turn)
  }

  private mutating func settleOwed(_ at: Int, _ tips: HeldTips, _ turn: inout Turn) {
    guard !tips.tips.isEmpty else { return }
    var start = 0
    while start < tips.tips.count {
      let end = min(start + FrameLimits.tipsMax, tips.tips.count)
      turn.send(.ack(Array(tips.tips[start..<end])), links[at].id)
      start = end
    }
    links[at].inbound.owed.remove(where: { tips.seq(of: $0.session) >= $0.seq })
  }

  /// Tells every link all that is held.
  private mutating func acknowledgeAll(_ turn: inout Turn) {
    for at in links.indices where links[at].phase == .streaming {
      turn.send(.ack(Array(durable.tips.prefix(FrameLimits.tipsMax))), links[at].id)
    }
  }
}
