// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// The log that follows a snapshot on its way out: what the sender still has of what the snapshot
/// stands for (core 7.4).
struct LogTail: Sendable {
  /// What is still to be sent, predecessors first.
  var ranges: [SessionRange]
  var reading: ReadToken?
  /// Bytes that may still leave before the peer has answered the last ping.
  var budget: Int
  /// The ping whose answer renews the budget.
  var awaited: UInt64?
}

/// The same on its way in.
struct LogReceiving: Sendable {
  /// What is still awaited, predecessors first.
  var ranges: [SessionRange]
  /// The hash of the last change of each session that the snapshot stands for.
  let tips: [Tip]
  /// The change taken last.
  var last: Tip?
  var progressAt: Moment
}

extension Engine {
  // MARK: Sending

  /// The columns are out: their log follows, beside what is new.
  mutating func startTail(_ at: Int, _ sending: SnapshotSending, _ turn: inout Turn) {
    guard !sending.log.isEmpty else { return }
    links[at].outbound.tail = LogTail(
      ranges: sending.log, budget: settings.snapshotWindowBytes)
    readTail(at, &turn)
  }

  private mutating func readTail(_ at: Int, _ turn: inout Turn) {
    guard let tail = links[at].outbound.tail else { return }
    guard let range = tail.ranges.first else {
      links[at].outbound.tail = nil
      return noteFloor(turn.now)
    }
    guard tail.budget > 0 else {
      let nonce = entropy.next()
      links[at].outbound.tail?.awaited = nonce
      turn.send(.ping(nonce: nonce, tips: nil, fingerprint: nil), links[at].id)
      return
    }
    lastRead += 1
    let token = ReadToken(lastRead)
    reads.append((token, links[at].id, range.first))
    links[at].outbound.tail?.reading = token
    turn.effects.append(
      .readLog(
        LogRequest(
          session: range.session, first: range.first, last: range.last,
          bytesMax: FrameLimits.payloadBytesMax / 2), token))
  }

  mutating func continueTail(_ at: Int, pong nonce: UInt64, _ turn: inout Turn) {
    guard links[at].outbound.tail?.awaited == nonce else { return }
    links[at].outbound.tail?.awaited = nil
    let budget = settings.snapshotWindowBytes
    links[at].outbound.tail?.budget = budget
    readTail(at, &turn)
  }

  mutating func tailRead(_ at: Int, _ changes: [LoggedChange], _ turn: inout Turn) {
    links[at].outbound.tail?.reading = nil
    guard let range = links[at].outbound.tail?.ranges.first, let last = changes.last else {
      // A log that is not what the floor says: the peer keeps the floor of the snapshot.
      links[at].outbound.tail = nil
      return
    }
    var rest = ArraySlice(changes)
    while !rest.isEmpty {
      var (end, bytes) = (rest.startIndex, 0)
      while end < rest.endIndex {
        bytes += rest[end].bytes.count + 3
        if bytes > FrameLimits.payloadBytesMax && end > rest.startIndex { break }
        end += 1
      }
      let run = RunCodec.encode(rest[rest.startIndex..<end].map(\.bytes))
      turn.send(.snapshotLog(run), links[at].id)
      links[at].outbound.tail?.budget -= run.count
      rest = rest[end...]
    }
    links[at].outbound.tail?.ranges.removeFirst()
    if last.dot.seq < range.last {
      links[at].outbound.tail?.ranges.insert(
        SessionRange(session: range.session, first: last.dot.seq + 1, last: range.last), at: 0)
    }
    readTail(at, &turn)
  }

  // MARK: Receiving

  /// A snapshot is joined: what its sender's log still has is awaited on this link alone.
  mutating func awaitLog(_ at: Int, _ header: ReplicaHeader, _ turn: inout Turn) {
    for other in links.indices { links[other].inbound.log = nil }
    let ranges = replica.awaitedLog
    guard !ranges.isEmpty else { return dropFromLog() }
    links[at].inbound.log = LogReceiving(
      ranges: ranges,
      tips: header.sessions.map { Tip(session: $0.id, seq: $0.tipSeq, hash: $0.tipHash) },
      progressAt: turn.now)
  }

  mutating func received(log run: [UInt8], _ link: Int, _ turn: inout Turn) {
    guard var log = links[link].inbound.log else { return }
    let id = links[link].id
    // Nothing of a run is kept that its author has not signed: this log is sent on later.
    guard let changes = try? RunCodec.decode(run, crypto: crypto), let signed = changes.last,
      isSigned(signed)
    else { return close(id, .invalidSnapshot, &turn) }
    let session = signed.change.session
    // A stretch that is here already was sent because the sender did not know.
    guard let at = log.ranges.firstIndex(where: { $0.session == session }) else { return }
    let range = log.ranges.remove(at: at)
    var next = range.first
    var taken: [LoggedChange] = []
    for (number, signed) in changes.enumerated() where signed.change.seq == next {
      guard next <= range.last, isNext(signed, log) else {
        return close(id, .invalidSnapshot, &turn)
      }
      taken.append(
        LoggedChange(
          dot: signed.change.dot, hash: signed.hash, bytes: signed.bytes,
          isVerified: number == changes.count - 1))
      log.last = signed.tip
      next += 1
    }
    if next <= range.last {
      log.ranges.insert(SessionRange(session: session, first: next, last: range.last), at: at)
    } else if let tip = log.tips.first(where: { $0.session == session }), tip.seq == range.last,
      tip.hash != log.last?.hash
    {
      return close(id, .invalidSnapshot, &turn)
    }
    for change in taken { commit.add(change) }
    log.progressAt = turn.now
    links[link].inbound.log = log.ranges.isEmpty ? nil : log
    if log.ranges.isEmpty {
      replica.settleLog()
      dropFromLog()
      addCheckpoint()
      noteFloor(turn.now)
    }
  }

  private func isNext(_ signed: SignedChange, _ log: LogReceiving) -> Bool {
    guard let last = log.last, last.session == signed.change.session else { return true }
    return signed.change.prev == last.hash
  }

  private func isSigned(_ signed: SignedChange) -> Bool {
    guard let roster, let head = signed.change.head ?? replica.head(of: signed.change.session),
      let key = roster.view.author(head.device)?.publicKey
    else { return false }
    return signed.isSigned(by: key, space: roster.space, crypto: crypto)
  }

  /// What lies below the floor is not for this log.
  mutating func dropFromLog() {
    let tips = replica.floorTips
    if !tips.isEmpty { commit.add { $0.floor += tips } }
  }

  /// The log of a snapshot will not come any more: the link is gone, or its sender does not send.
  mutating func forgoLog() {
    guard !replica.awaitedLog.isEmpty else { return }
    replica.forgoLog()
    for at in links.indices { links[at].inbound.log = nil }
    dropFromLog()
  }

  mutating func endLateLog(_ turn: inout Turn) {
    for link in links {
      guard let log = link.inbound.log else { continue }
      if log.progressAt + settings.logTimeMax <= turn.now { return forgoLog() }
    }
  }
}
