// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// Sending changes: what a peer lacks, in runs, as far as its window goes.
extension Engine {
  /// How much of the log is read at once.
  static var readBytesMax: Int { 512 * 1024 }

  /// Looks for what the peer lacks and sends it.
  mutating func pump(_ at: Int, _ turn: inout Turn) {
    links[at].outbound.pumpAt = nil
    guard links[at].phase == .streaming, links[at].outbound.snapshot == nil,
      links[at].outbound.reading == nil
    else { return }
    let sent = sentCoverage(at)
    guard replica.reachesFloor(sent) else { return startSnapshot(at, &turn) }
    for range in replica.missing(from: sent) {
      if isHeld(range.session, at, turn.now) {
        links[at].outbound.pumpAt = links[at].outbound.heldUntil
        continue
      }
      guard send(range, at, &turn) else { return }
    }
  }

  /// Sends a stretch out of memory, or starts to read it.
  /// - Returns: Whether it is on its way entirely.
  private mutating func send(_ range: SessionRange, _ at: Int, _ turn: inout Turn) -> Bool {
    var next = range.first
    while next <= range.last {
      guard links[at].outbound.frameBytes < settings.windowBytesMax else { return false }
      let changes = recent.changes(
        of: range.session, from: next, through: range.last,
        bytesMax: FrameLimits.payloadBytesMax)
      if changes.isEmpty {
        // A branch is to be found under its name once the batch that split it is on disk.
        if commit.isPending(Dot(session: range.session, seq: next)) { return false }
        read(range.session, from: next, through: range.last, at, &turn)
        return false
      }
      let isStart = replica.branchStart(range.session) == next
      guard let end = send(ArraySlice(changes), asBranch: isStart, at, &turn) else {
        // Not one change of it can end a run: it goes as columns.
        startSnapshot(at, &turn)
        return false
      }
      next = changes[end - 1].dot.seq + 1
    }
    return true
  }

  private mutating func read(
    _ session: SessionID, from first: UInt64, through last: UInt64, _ at: Int, _ turn: inout Turn
  ) {
    var last = last
    if let cached = recent.first(of: session), cached > first { last = min(last, cached - 1) }
    lastRead += 1
    let token = ReadToken(lastRead)
    reads.append((token, links[at].id, first))
    links[at].outbound.reading = token
    turn.effects.append(
      .readLog(
        LogRequest(session: session, first: first, last: last, bytesMax: Self.readBytesMax), token))
  }

  /// - Parameter read: The stretch as the disk gave it. What does not have the hash of its row, and
  ///   all behind it, counts as not there: it is neither sent nor folded (reliability D4).
  mutating func logRead(_ token: ReadToken, _ read: [LoggedChange], _ turn: inout Turn) {
    let sound = Array(read.prefix { crypto.hash32($0.bytes) == $0.hash })
    if forkRead(token, sound, &turn) { return }
    if readFloor(token, sound, &turn) { return }
    if readCut(token, sound, &turn) { return }
    guard let number = reads.firstIndex(where: { $0.token == token }) else { return }
    let (_, id, first) = reads.remove(at: number)
    let changes = Self.unbroken(sound, from: first)
    if let at = index(of: id), links[at].outbound.tail?.reading == token {
      return tailRead(at, changes, &turn)
    }
    guard let at = index(of: id), links[at].outbound.reading == token else { return }
    links[at].outbound.reading = nil
    var rest = ArraySlice(changes)
    while let first = rest.first {
      let isStart = replica.branchStart(first.dot.session) == first.dot.seq
      guard let end = send(rest, asBranch: isStart, at, &turn) else { break }
      rest = rest[end...]
    }
    // What can not be read, or where no run can end, goes as columns.
    if rest.count == changes.count { return startSnapshot(at, &turn) }
    links[at].outbound.pumpAt = turn.now
  }

  /// The changes of a stretch up to the first that the log lacks.
  static func unbroken(_ changes: [LoggedChange], from first: UInt64) -> [LoggedChange] {
    var next = first
    return Array(
      changes.prefix { change in
        defer { next &+= 1 }
        return change.dot.seq == next
      })
  }

  /// Sends the longest run at the front of `changes` that fits a frame and ends at a good signature.
  /// - Parameter asBranch: Whether the peer may hold another continuation of what is before it.
  /// - Returns: The index behind it; `nil` if no run can end here.
  mutating func send(
    _ changes: ArraySlice<LoggedChange>, asBranch: Bool, _ at: Int, _ turn: inout Turn
  ) -> Int? {
    var end = changes.startIndex
    var bytes = 0
    while end < changes.endIndex {
      bytes += changes[end].bytes.count + 3
      if bytes > FrameLimits.payloadBytesMax && end > changes.startIndex { break }
      end += 1
    }
    while end > changes.startIndex, !isVerified(changes[end - 1]) { end -= 1 }
    guard end > changes.startIndex else { return nil }
    let run = RunCodec.encode(changes[changes.startIndex..<end].map(\.bytes))
    turn.send(asBranch ? .branch(run) : .run(run), links[at].id)
    let last = changes[end - 1]
    links[at].outbound.book(
      Tip(session: last.dot.session, seq: last.dot.seq, hash: last.hash), bytes: run.count)
    if links[at].outbound.sent != nil { replica.note(last.dot, in: &links[at].outbound.sent!) }
    return end
  }

  /// Runs end only where this agent has seen a good signature (core 5.1).
  private func isVerified(_ change: LoggedChange) -> Bool {
    if change.isVerified { return true }
    guard let roster, let head = replica.head(of: change.dot.session),
      let key = roster.view.author(head.device)?.publicKey,
      let signed = try? SignedChange(decoding: change.bytes, crypto: crypto)
    else { return false }
    return signed.isSigned(by: key, space: roster.space, crypto: crypto)
  }

  private func isHeld(_ session: SessionID, _ at: Int, _ now: Moment) -> Bool {
    guard !links[at].outbound.heldDevices.isEmpty, now < links[at].outbound.heldUntil,
      let device = replica.head(of: session)?.device
    else { return false }
    return links[at].outbound.heldDevices.contains(device)
  }

  /// Once the tips it told are known here, what they imply is known too.
  mutating func releaseHeld(_ at: Int, _ turn: inout Turn) {
    guard !links[at].outbound.heldDevices.isEmpty, let hello = links[at].hello else { return }
    let unknown = hello.tips.filter { replica.tip(of: $0.tip.session) == nil }
    links[at].outbound.heldDevices = unknown.map(\.device)
    links[at].outbound.heldUntil = turn.now + settings.askAgainAfter
    links[at].outbound.sent = nil
    links[at].outbound.pumpAt = turn.now
  }

  private mutating func sentCoverage(_ at: Int) -> Coverage {
    if let sent = links[at].outbound.sent { return sent }
    let sent = replica.coverage(
      of: VersionVector(tips: links[at].outbound.told.tips + links[at].outbound.underWay.tips))
    links[at].outbound.sent = sent
    return sent
  }

  // MARK: Acknowledgements

  mutating func acknowledged(_ at: Int, _ tips: [Tip], _ turn: inout Turn) {
    let wasBusy = !links[at].outbound.frames.isEmpty
    let isFreed = links[at].outbound.acknowledged(tips)
    if links[at].phase == .streaming { noticeForks(tips, at, &turn) }
    if replica.hasForks { links[at].outbound.sent = nil }
    for tip in tips where links[at].outbound.sent != nil {
      replica.note(tip.dot, in: &links[at].outbound.sent!)
    }
    if isFreed { links[at].outbound.pumpAt = turn.now }
    noteFloor(turn.now)
    if wasBusy && links[at].outbound.frames.isEmpty { turn.effects.append(.peersChanged) }
  }

  /// What was sent and not acknowledged from one ping of the peer to its next is sent again.
  mutating func rewindIfStuck(_ at: Int, _ turn: inout Turn) {
    let first = links[at].outbound.frames.first?.last
    if let first, first == links[at].outbound.firstAtPing {
      links[at].outbound.rewind()
      links[at].outbound.pumpAt = turn.now
      links[at].outbound.firstAtPing = nil
    } else {
      links[at].outbound.firstAtPing = first
    }
  }

  // MARK: Queries

  /// How many changes the peer has not acknowledged.
  func lacks(_ at: Int) -> UInt64 {
    let coverage = replica.coverage(of: VersionVector(tips: links[at].outbound.told.tips))
    return replica.missing(from: coverage).reduce(0) { $0 + $1.last - $1.first + 1 }
  }

  /// How many changes the peer is known to have that are not here.
  func awaits(_ at: Int) -> UInt64 {
    links[at].outbound.told.tips.reduce(0) { sum, tip in
      if replica.holds(tip) { return sum }
      let held = replica.tip(of: tip.session)?.seq ?? 0
      return tip.seq > held ? sum &+ (tip.seq - held) : sum
    }
  }
}
