// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import WireCodec

/// Lists as they stand on a disk, which may have changed a bit here or there.
package struct StoredLists: Sendable {
  /// The checkpoint in the bytes of `ImageCodec`; `nil` before the first.
  package var header: [UInt8]?
  /// All chunks, in order.
  package var chunks: [[UInt8]] = []
  /// The log behind the checkpoint, in the order of arrival; it may begin earlier.
  package var tail: [LoggedChange] = []
  /// What the version folded that wrote all this: what is new since then is folded as news.
  package var level = FoldLevel.current
  /// Items a chunk, see `Replica.chunkCapacity`.
  package var chunkCapacity = ItemChunk.itemCountMax

  package init() {}
}

/// What a start could not read.
package struct UnreadableRows: Hashable, Sendable {
  /// Why the checkpoint is void; `nil` if it is not.
  package var checkpoint: String?
  /// Changes that are damaged, or that continue a damaged one.
  package var changes = 0
}

extension LoggedChange {
  /// Whether this is the place of `change` in the log: under its session, or a branch of that.
  fileprivate func isNamedAfter(_ change: Change) -> Bool {
    dot.seq == change.seq
      && (dot.session == change.session || dot.session.high == change.session.high)
  }
}

extension Restored {
  /// Reads checkpoint and log; what is damaged is left out, never believed.
  ///
  /// Ops that the last version did not know wait still: the engine folds them, and tells of it.
  /// A void checkpoint costs the time to read the whole log. Changes that are left out come back from
  /// peers, and what continues them is folded then; until that `isIncomplete` keeps all in the log.
  /// - Parameter wholeLog: All changes there are, in the order of arrival.
  package mutating func read(
    _ stored: StoredLists, level: FoldLevel = .current, crypto: some CryptoSuite,
    packer: some Packer, wholeLog: () -> [LoggedChange]
  ) -> UnreadableRows {
    var unreadable = UnreadableRows()
    var log = stored.tail
    replica = Replica(chunkCapacity: stored.chunkCapacity)
    do {
      if let image = try Self.image(stored, crypto: crypto, packer: packer) { replica = image }
    } catch {
      unreadable.checkpoint = "\(error)"
      log = wholeLog()
    }
    var events: [ReplicaEvent] = []
    var stranded: [SignedChange] = []
    for (place, row) in log.enumerated() {
      events.removeAll(keepingCapacity: true)
      guard let signed = try? SignedChange(decoding: row.bytes, crypto: crypto),
        signed.hash == row.hash, row.isNamedAfter(signed.change)
      else {
        unread.lose(Tip(session: row.dot.session, seq: row.dot.seq, hash: row.hash))
        continue
      }
      if row.dot.session != signed.change.session {
        part(signed, behind: log[..<place], crypto: crypto)
      }
      let change = signed.change.read(at: level.common(with: stored.level))
      switch replica.fold(change, hash: signed.hash, bytes: signed.bytes, events: &events) {
      case .folded, .alreadyCovered: break
      case .gap, .unknownPredecessor: stranded.append(signed)
      default: unread.lose(signed.tip)
      }
    }
    // What came back from peers stands behind what continues it.
    unread.strand(stranded)
    _ = unread.retry(in: &replica, at: level.common(with: stored.level), &events)
    unreadable.changes = unread.changeCount
    if unreadable.checkpoint != nil { missCheckpoint(stored, crypto: crypto, packer: packer) }
    return unreadable
  }

  /// What a void checkpoint held is told by its header, if at least that is whole.
  private mutating func missCheckpoint(
    _ stored: StoredLists, crypto: some CryptoSuite, packer: some Packer
  ) {
    (hasVoidCheckpoint, keepsCheckpoint) = (true, true)
    guard let bytes = stored.header,
      let header = try? ImageCodec.decodeHeader(bytes, crypto: crypto, packer: packer)
    else { return unread.isBlind = true }
    for session in header.sessions where session.tipSeq > 0 {
      let tip = Tip(session: session.id, seq: session.tipSeq, hash: session.tipHash)
      if !replica.holds(tip) { unread.lose(tip) }
    }
  }

  /// A log that is read without its checkpoint: where a branch begins, what was read of its session
  /// before is split.
  private mutating func part(
    _ signed: SignedChange, behind log: ArraySlice<LoggedChange>, crypto: some CryptoSuite
  ) {
    let change = signed.change
    guard change.seq > 0, !replica.isForked(change.session) || replica.forkPoint(of: change) != nil,
      let tip = replica.tip(of: change.session), change.seq <= tip.seq || replica.hasForks
    else { return }
    let before = Tip(session: change.session, seq: change.seq - 1, hash: change.prev)
    guard let line = replica.line(of: before),
      var reading = replica.reading(of: line, point: before.seq)
    else { return }
    var isOther = false
    for row in log {
      guard let earlier = try? SignedChange(decoding: row.bytes, crypto: crypto),
        earlier.change.session == change.session, replica.line(of: earlier.tip) == line,
        earlier.change.seq == reading.next
      else { continue }
      if earlier.change.seq == change.seq { isOther = earlier.hash != signed.hash }
      reading.take(earlier.change, hash: earlier.hash)
    }
    if isOther { _ = replica.split(reading) }
  }

  private static func image(
    _ stored: StoredLists, crypto: some CryptoSuite, packer: some Packer
  ) throws -> Replica? {
    guard let bytes = stored.header else { return nil }
    let header = try ImageCodec.decodeHeader(bytes, crypto: crypto, packer: packer)
    var cold = stored.chunks.prefix(Int(clamping: header.coldCount))
    let warm = stored.chunks.dropFirst(cold.count)
    var chunks: [ItemChunk] = []
    for chunk in warm {
      chunks.append(try ImageCodec.decodeChunk(chunk, crypto: crypto, packer: packer))
    }
    return try Replica(
      header: header, chunks: chunks, chunkCapacity: stored.chunkCapacity,
      packing: ColdPacking(packer)
    ) { () throws(ImageDefect) -> ItemChunk? in
      guard let bytes = cold.popFirst() else { return nil }
      let chunk = try? ImageCodec.decodeChunk(bytes, crypto: crypto, packer: packer)
      guard let chunk else { throw .shape }
      return chunk
    }
  }
}
