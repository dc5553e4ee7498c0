// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// Forked sessions: two changes with one dot (core 7.3). They are found, their last common change is
/// searched for, and from there on the session is held as branches.
extension Engine {
  /// Sessions that are looked into at the same time: 64; more wait for the next occasion.
  static var forksAtOnceMax: Int { 64 }

  // MARK: Finding

  /// Compares tips that a peer told with what is held here.
  mutating func noticeForks(_ tips: [Tip], _ at: Int, _ turn: inout Turn) {
    for tip in tips {
      guard replica.hashStart(of: tip.session, at: tip.seq) != nil, !replica.holds(tip),
        !replica.isForked(tip.session)
      else { continue }
      search(for: tip, run: nil, at, &turn)
    }
  }

  /// A run of which this replica holds other changes, or may do so, at the same places.
  /// - Returns: Whether the run is kept for later.
  mutating func examine(
    _ changes: [SignedChange], run bytes: [UInt8], _ at: Int, _ turn: inout Turn
  ) -> Bool {
    guard let first = changes.first?.change, let tip = replica.tip(of: first.session),
      first.seq >= 1, first.seq <= tip.seq + 1, isFree(first.session, turn.now)
    else { return false }
    searches.append(
      ForkSearch(
        line: first.session, link: links[at].id, at: turn.now, run: bytes, from: first.seq,
        hashes: [first.prev] + changes.map(\.hash), tip: tip.seq,
        lowest: replica.comparableStart(of: first.session)))
    continueSearch(of: first.session, &turn)
    return true
  }

  /// A change that the peer holds, and of which this replica holds another one, or may do so.
  /// - Parameter run: What waits for the comparison: taken if there is no difference.
  @discardableResult
  mutating func search(
    for tip: Tip, run: [UInt8]?, _ at: Int, _ turn: inout Turn
  ) -> Bool {
    guard isFree(tip.session, turn.now), replica.tip(of: tip.session) != nil else { return false }
    searches.append(
      ForkSearch(
        line: tip.session, link: links[at].id, at: turn.now, other: tip, run: run,
        lowest: replica.comparableStart(of: tip.session)))
    continueSearch(of: tip.session, &turn)
    return true
  }

  /// Whether nothing is under way for `line`; what never ended is dropped.
  private mutating func isFree(_ line: SessionID, _ now: Moment) -> Bool {
    let patience = settings.askAgainAfter
    // Nobody who does not answer keeps others from being looked into.
    let isFull = searches.count + splits.count >= Self.forksAtOnceMax
    searches.removeAll { (isFull || $0.line == line) && $0.startedAt + patience <= now }
    guard searches.count + splits.count < Self.forksAtOnceMax else { return false }
    return !searches.contains { $0.line == line } && !splits.contains { $0.reading.line == line }
  }

  // MARK: Searching

  private mutating func continueSearch(of line: SessionID, _ turn: inout Turn) {
    while let number = searches.firstIndex(where: { $0.line == line }),
      let at = index(of: searches[number].link)
    {
      let search = searches[number]
      switch search.next {
      case .same:
        searches.remove(at: number)
        guard let run = search.run else { return }
        return received(run: run, isCompared: true, at, &turn)
      case .parted(let point):
        searches.remove(at: number)
        return parted(search, point, at, &turn)
      case .apart:
        searches.remove(at: number)
        return warnOfFork(replica.session(ofLine: line), links[at].device, &turn)
      case .compare(let seq):
        guard let theirs = search.theirHash(at: seq) else {
          return turn.send(.hashAsk(session: line, seq: seq), search.link)
        }
        if let mine = heldHash(line, seq) {
          searches[number].compared(seq, isSame: mine == theirs)
        } else {
          return readFork(line, from: seq, through: seq, for: .compare(line, seq: seq), &turn)
        }
      }
    }
  }

  /// First eight bytes of a hash, as far as memory has it.
  private func heldHash(_ line: SessionID, _ seq: UInt64) -> UInt64? {
    replica.hashStart(of: line, at: seq)
      ?? recent.changes(of: line, from: seq, through: seq, bytesMax: 1).first?.hash.a
  }

  private mutating func readFork(
    _ line: SessionID, from first: UInt64, through last: UInt64, for purpose: ForkRead,
    _ turn: inout Turn
  ) {
    lastRead += 1
    let token = ReadToken(lastRead)
    forkReads.append((token, purpose))
    turn.effects.append(
      .readLog(
        LogRequest(session: line, first: first, last: last, bytesMax: Self.readBytesMax), token))
  }

  /// - Returns: Whether the read was for a fork.
  mutating func forkRead(
    _ token: ReadToken, _ changes: [LoggedChange], _ turn: inout Turn
  ) -> Bool {
    guard let number = forkReads.firstIndex(where: { $0.token == token }) else { return false }
    switch forkReads.remove(at: number).purpose {
    case .compare(let line, let seq):
      guard let number = searches.firstIndex(where: { $0.line == line }),
        searches[number].next == .compare(seq), let theirs = searches[number].theirHash(at: seq)
      else { return true }
      if let mine = changes.first?.hash.a {
        searches[number].compared(seq, isSame: mine == theirs)
        continueSearch(of: line, &turn)
      } else {
        isGone(seq, number, &turn)
      }
    case .split(let line): readOn(line, changes, &turn)
    case .answer(let link, let session, let seq):
      if index(of: link) != nil {
        turn.send(.hashTold(session: session, seq: seq, hash: changes.first?.hash), link)
      }
    case .branch(let link, let seq):
      if let at = index(of: link) { sendBranch(Self.unbroken(changes, from: seq), at, &turn) }
    }
    return true
  }

  mutating func told(
    _ session: SessionID, _ seq: UInt64, _ hash: ChangeHash?, _ at: Int, _ turn: inout Turn
  ) {
    guard
      let number = searches.firstIndex(where: {
        $0.line == session && $0.link == links[at].id && $0.next == .compare(seq)
      })
    else { return }
    guard let hash else { return isGone(seq, number, &turn) }
    searches[number].told(seq, hash.a)
    continueSearch(of: session, &turn)
  }

  /// What is to be compared has left the log, here or there.
  private mutating func isGone(_ seq: UInt64, _ number: Int, _ turn: inout Turn) {
    let line = searches[number].line
    if searches[number].isPredecessor {
      // That others had acknowledged what a session continues is enough.
      searches[number].compared(seq, isSame: true)
      return continueSearch(of: line, &turn)
    }
    let search = searches.remove(at: number)
    if let at = index(of: search.link) {
      warnOfFork(replica.session(ofLine: line), links[at].device, &turn)
    }
  }

  /// The last common change is known: split if the peer's next one is here, else ask for it.
  private mutating func parted(
    _ search: ForkSearch, _ point: UInt64, _ at: Int, _ turn: inout Turn
  ) {
    guard search.runReaches(point) else {
      turn.send(.branchAsk(session: search.line, seq: point + 1), search.link)
      return
    }
    split(search.line, at: point, then: search.run, at, &turn)
  }

  // MARK: Answering

  /// Whether the disk is to be read for one more answer to this link. No peer looks into more sessions
  /// at once, so who asks more often gets no answer.
  private func mayRead(for id: LinkID) -> Bool {
    forkReads.count { $0.purpose.link == id } < Self.forksAtOnceMax
  }

  mutating func asked(_ session: SessionID, _ seq: UInt64, _ at: Int, _ turn: inout Turn) {
    let id = links[at].id
    guard let tip = replica.tip(of: session), seq > 0, seq <= tip.seq else {
      // Here it is branches: the peer learns that from the branches themselves.
      links[at].outbound.sent = nil
      links[at].outbound.pumpAt = turn.now
      return
    }
    let cached = recent.changes(of: session, from: seq, through: seq, bytesMax: 1).first
    // Only the first eight bytes are compared: memory may have no more.
    let short = replica.hashStart(of: session, at: seq).map { ChangeHash($0, 0, 0, 0) }
    if let hash = seq == tip.seq ? tip.hash : cached?.hash ?? short {
      turn.send(.hashTold(session: session, seq: seq, hash: hash), id)
    } else if mayRead(for: id) {
      readFork(session, from: seq, through: seq, for: .answer(id, session, seq: seq), &turn)
    }
  }

  mutating func askedBranch(_ session: SessionID, _ seq: UInt64, _ at: Int, _ turn: inout Turn) {
    guard let tip = replica.tip(of: session), seq > 0, seq <= tip.seq else {
      links[at].outbound.sent = nil
      links[at].outbound.pumpAt = turn.now
      return
    }
    // What has left the log goes out as columns; the receiver compares them with what it holds.
    if seq <= replica.floor(of: session)?.seq ?? 0 { return startSnapshot(at, &turn) }
    let cached = recent.changes(
      of: session, from: seq, through: tip.seq, bytesMax: FrameLimits.payloadBytesMax)
    if !cached.isEmpty {
      sendBranch(cached, at, &turn)
    } else if mayRead(for: links[at].id) {
      readFork(session, from: seq, through: tip.seq, for: .branch(links[at].id, seq: seq), &turn)
    }
  }

  private mutating func sendBranch(_ changes: [LoggedChange], _ at: Int, _ turn: inout Turn) {
    guard let end = send(ArraySlice(changes), asBranch: true, at, &turn) else { return }
    // What comes behind it flows once the peer has acknowledged or asked.
    if end < changes.count { links[at].outbound.pumpAt = turn.now }
  }

  // MARK: Splitting

  /// Reads the line, splits it, then takes the run that showed its other continuation.
  /// - Returns: Whether that is under way; if not, the two continuations part below the log.
  @discardableResult
  mutating func split(
    _ line: SessionID, at point: UInt64, then run: [UInt8]?, _ at: Int, _ turn: inout Turn
  ) -> Bool {
    let link = links[at]
    warnOfFork(replica.session(ofLine: line), link.device, &turn)
    if let reading = replica.reading(of: line, point: point) {
      splits.append(SplitWork(reading: reading, seen: link.device, link: link.id, run: run))
      readOn(line, nil, &turn)
      return true
    }
    guard let reading = replica.trailReading(of: line, point: point) else { return false }
    forgoLog()
    finish(SplitWork(reading: reading, seen: link.device, link: link.id, run: run), &turn)
    return true
  }

  /// - Parameter answer: What the disk has brought; `nil` at the beginning.
  private mutating func readOn(
    _ line: SessionID, _ answer: [LoggedChange]?, _ turn: inout Turn
  ) {
    guard let number = splits.firstIndex(where: { $0.reading.line == line }) else { return }
    let start = splits[number].reading.next
    var found = answer ?? []
    while true {
      for logged in found where logged.dot.seq == splits[number].reading.next {
        guard let signed = try? SignedChange(decoding: logged.bytes, crypto: crypto),
          signed.change.seq == logged.dot.seq
        else { break }
        splits[number].reading.take(signed.change, hash: signed.hash)
      }
      let next = splits[number].reading.next
      guard let tip = replica.tip(of: line), next <= tip.seq else { break }
      found = recent.changes(of: line, from: next, through: tip.seq, bytesMax: .max)
      if found.isEmpty {
        // The log lacks what the split needs: there is another occasion, or none.
        if answer != nil && next == start {
          var work = splits.remove(at: number)
          if let reading = replica.trailReading(of: line, point: work.reading.point) {
            forgoLog()
            work.reading = reading
          }
          return finish(work, &turn)
        }
        let last = min(tip.seq, (recent.first(of: line) ?? .max) - 1)
        return readFork(line, from: next, through: max(next, last), for: .split(line), &turn)
      }
    }
    finish(splits.remove(at: number), &turn)
  }

  private mutating func finish(_ work: SplitWork, _ turn: inout Turn) {
    let line = work.reading.line
    guard let name = replica.split(work.reading) else {
      // A snapshot that waited for it is of no use; one that still comes is another one.
      if let at = index(of: work.link), links[at].inbound.snapshot?.isComplete == true {
        links[at].inbound.snapshot = nil
      }
      return
    }
    recent.split(line, beyond: work.reading.point, as: name)
    commit.split(line, beyond: work.reading.point, as: name)
    addCheckpoint()
    for at in links.indices {
      links[at].outbound.rewind()
      links[at].outbound.reading = nil
      if links[at].phase == .streaming { links[at].outbound.pumpAt = turn.now }
    }
    turn.effects.append(.peersChanged)
    if let run = work.run, let at = index(of: work.link) { received(run: run, at, &turn) }
    for id in links.map(\.id) { retryParked(id, &turn) }
  }

  /// People hear of it once a session; nothing is written in a forked session any more.
  mutating func warnOfFork(_ session: SessionID, _ seen: DeviceID, _ turn: inout Turn) {
    if session == authoring.running?.id { authoring.abandon() }
    guard !forkAlarms.contains(session), forkAlarms.count < Self.forksAtOnceMax,
      let author = replica.head(of: session)?.device
    else { return }
    forkAlarms.append(session)
    turn.effects.append(.alarm(.fork(session: session, author: author, seen: seen)))
  }
}
