// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Workbench

/// Writing and reading of the nodes' disks.
extension World {
  mutating func persist(_ batch: Batch, _ token: BatchToken, _ node: Int) {
    // Copies give one name to two changes: that is what they are tried for.
    if options.hasCopies {
      noteCopied(batch.changes, by: nodes[node].crypto)
    } else {
      failures += ledger.take(batch.changes, by: node, crypto: nodes[node].crypto)
    }
    let level = nodes[node].engine?.settings.foldLevel ?? .current
    let load = SimulatedDisk.Load(
      batch: batch, hasSnapshot: nodes[node].hasJoinedSnapshot, level: level)
    nodes[node].hasJoinedSnapshot = false
    nodes[node].disk.begin(load, token)
    let life = nodes[node].life
    let done = diskDone(node)
    let isRefused =
      !isCalm && options.has(.diskErrors)
      && (now < nodes[node].diskFullUntil || diskRandom.below(1_000) < options.diskErrorsPerMille)
    if isRefused { faults += 1 }
    schedule.add(
      isRefused
        ? .refused(node: node, life: life, token) : .synced(node: node, life: life, token), at: done
    )
  }

  mutating func readLog(_ request: LogRequest, _ token: ReadToken, _ node: Int) {
    nodes[node].reads.append((token, request))
    schedule.add(
      .logRead(node: node, life: nodes[node].life, token, request), at: diskDone(node))
  }

  mutating func refused(_ token: BatchToken, _ node: Int, _ life: Int) {
    guard isCurrent(node, life), let load = nodes[node].disk.refuse(token) else { return }
    if load.hasSnapshot { nodes[node].hasJoinedSnapshot = true }
    feed(.persistFailed(token), to: node)
  }

  mutating func diskDone(_ node: Int) -> Moment {
    let span = options.diskDelayMax.nanoseconds
    let free = max(nodes[node].diskFreeAt, now)
    let done = free + Delay(nanoseconds: 50_000 + diskRandom.next() % max(span, 1))
    nodes[node].diskFreeAt = done
    return done
  }

  // MARK: Wrong bits

  private mutating func flipsNow() -> Bool {
    !isCalm && options.has(.bitFlips) && diskRandom.below(1_000) < options.flipsPerMille
  }

  private mutating func flip(_ bytes: [UInt8]) -> [UInt8] {
    guard !bytes.isEmpty else { return bytes }
    faults += 1
    var bytes = bytes
    bytes[diskRandom.below(bytes.count)] ^= 1 << UInt8(diskRandom.below(8))
    return bytes
  }

  /// A stretch of the log as it is read: perhaps with a wrong bit in one change.
  mutating func flipped(_ changes: [LoggedChange]) -> [LoggedChange] {
    guard !changes.isEmpty, flipsNow() else { return changes }
    var changes = changes
    let at = diskRandom.below(changes.count)
    let change = changes[at]
    changes[at] = LoggedChange(
      dot: change.dot, hash: change.hash, bytes: flip(change.bytes),
      isVerified: change.isVerified)
    return changes
  }

  /// What a start reads: perhaps with a wrong bit in the checkpoint or in the log.
  mutating func read(_ node: Int) -> StoredLists {
    var stored = StoredLists()
    stored.header = nodes[node].disk.checkpointHeader
    stored.chunks = nodes[node].disk.checkpointChunks
    stored.tail = flipped(nodes[node].disk.tail)
    stored.level = nodes[node].disk.level
    stored.chunkCapacity = options.has(.tiny) ? 8 : ItemChunk.itemCountMax
    if let header = stored.header, flipsNow() {
      let number = diskRandom.below(stored.chunks.count + 1)
      if number == 0 {
        stored.header = flip(header)
      } else {
        stored.chunks[number - 1] = flip(stored.chunks[number - 1])
      }
    }
    return stored
  }
}
