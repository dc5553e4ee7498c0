// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// Changes of removed devices that were taken in before the news came are taken back: the log is read
/// once, then replica, log and checkpoint change together (core 7.5).
struct CutWork: Sendable {
  var reading: CutReading
  /// The read under way.
  var token: ReadToken?
  var range: SessionRange?
}

extension Engine {
  /// What stays of removed devices. A device that was removed itself keeps what it has.
  var cutoffs: [Cutoff] {
    roster?.view.removals.filter { $0.device != device }.map(\.cutoff) ?? []
  }

  /// Whether something may lie beyond a cutoff: then no snapshot may go out and no floor may rise.
  var isCutting: Bool { isCutDue || cutWork != nil || cutRetryAt != nil }

  /// The cutoffs may have changed, or what is held: look again.
  mutating func noteCut() {
    (isCutDue, cutWork, cutRetryAt) = (true, nil, nil)
    cutRetryDelay = Self.storageRetryDelay
  }

  /// The changes at the front of a run that no cutoff forbids.
  func accepted(_ changes: [SignedChange], by author: DeviceID) -> [SignedChange] {
    guard let removal = roster?.view.removal(of: author), author != device,
      let session = changes.first?.change.session
    else { return changes }
    let last = removal.cutoff.last(of: session)
    return Array(changes.prefix { $0.change.seq <= last })
  }

  mutating func advanceCut(_ turn: inout Turn) {
    if let at = cutRetryAt, at <= turn.now { (cutRetryAt, isCutDue) = (nil, true) }
    guard isCutDue || cutWork != nil, roster != nil else { return }
    let cutoffs = cutoffs
    if cutoffs.isEmpty {
      isCutDue = false
      return
    }
    // Whoever gets a snapshot gets its log too, and a floor that rises is at one place at a time.
    guard floorStep == nil, replica.awaitedLog.isEmpty, splits.isEmpty, !isSendingSnapshot else {
      return
    }
    if let work = cutWork, !replica.isCurrent(work.reading) { cutWork = nil }
    if cutWork == nil {
      if raise(replica.floors(beyond: cutoffs), &turn) { return }
      isCutDue = false
      guard let reading = replica.cutting(cutoffs) else { return snapshotsMayLeave(turn.now) }
      cutWork = CutWork(reading: reading)
    }
    readForCut(&turn)
  }

  /// Nothing lies beyond a cutoff: who waited for a snapshot may get it.
  private mutating func snapshotsMayLeave(_ now: Moment) {
    for at in links.indices where links[at].phase == .streaming { links[at].outbound.pumpAt = now }
  }

  /// What has left the log cannot be taken back: everybody is to accept as much.
  /// - Returns: Whether the cutoffs are different now.
  private mutating func raise(_ floors: [Tip], _ turn: inout Turn) -> Bool {
    guard !floors.isEmpty, let roster, let own = roster.view.member(device), own.role != .reader
    else { return false }
    let records = sign(
      roster.view.removals.flatMap { removal in
        raises(
          removal.device,
          floors.filter { replica.head(of: $0.session)?.device == removal.device })
      })
    if !records.isEmpty { took(records, except: nil, &turn) }
    return !records.isEmpty
  }

  /// As many records as it takes to raise the cutoffs of `target` to `tips`.
  func raises(_ target: DeviceID, _ tips: [Tip]) -> [MembershipRecord.Body] {
    let step = MembershipRecord.cutoffsMax
    return stride(from: 0, to: tips.count, by: step).map {
      .raise(target, cutoffs: Array(tips[$0..<min($0 + step, tips.count)]))
    }
  }

  private mutating func readForCut(_ turn: inout Turn) {
    while let work = cutWork, work.token == nil {
      guard let range = replica.unread(work.reading).first else { return finish(work, &turn) }
      let held = recent.changes(
        of: range.session, from: range.first, through: range.last,
        bytesMax: Self.floorReadBytesMax)
      if held.isEmpty {
        // What waits for the disk is found there once it has arrived.
        if commit.isPending(Dot(session: range.session, seq: range.first)) { return }
        lastRead += 1
        cutWork?.token = ReadToken(lastRead)
        cutWork?.range = range
        turn.effects.append(
          .readLog(
            LogRequest(
              session: range.session, first: range.first, last: range.last,
              bytesMax: Self.floorReadBytesMax), ReadToken(lastRead)))
      } else {
        take(held, of: range, work, &turn)
      }
    }
  }

  private mutating func take(
    _ changes: [LoggedChange], of range: SessionRange, _ work: CutWork, _ turn: inout Turn
  ) {
    var work = work
    cutWork = nil
    var next = range.first
    for logged in changes {
      guard logged.dot == Dot(session: range.session, seq: next),
        let signed = try? SignedChange(decoding: logged.bytes, crypto: crypto),
        replica.read(
          signed.change.read(at: settings.foldLevel), hash: signed.hash, of: range.session,
          into: &work.reading)
      else { break }
      next += 1
    }
    guard next > range.first else { return putCutOff(&turn) }
    work.token = nil
    cutWork = work
  }

  /// - Returns: Whether the answer was for the cut.
  mutating func readCut(
    _ token: ReadToken, _ changes: [LoggedChange], _ turn: inout Turn
  ) -> Bool {
    guard let work = cutWork, work.token == token, let range = work.range else { return false }
    cutWork?.token = nil
    if replica.isCurrent(work.reading) { take(changes, of: range, work, &turn) }
    return true
  }

  /// The log cannot be read just now: what lies beyond stays until it can. Meanwhile no snapshot goes
  /// out and no floor rises. A disk that is damaged for good is asked every hour.
  private mutating func putCutOff(_ turn: inout Turn) {
    cutRetryAt = turn.now + cutRetryDelay
    let longest = Delay.seconds(3_600)
    if cutRetryDelay.nanoseconds >= longest.nanoseconds / 2 {
      turn.effects.append(.alarm(.storage))
      cutRetryDelay = longest
    } else {
      cutRetryDelay = Delay(nanoseconds: cutRetryDelay.nanoseconds * 2)
    }
  }

  private mutating func finish(_ work: CutWork, _ turn: inout Turn) {
    cutWork = nil
    let cutoffs = cutoffs
    let ranges = replica.beyond(cutoffs)
    var counts: [DeviceID: UInt64] = [:]
    for range in ranges {
      if let author = replica.head(of: range.session)?.device {
        counts[author, default: 0] += range.last - range.first + 1
      }
      recent.drop(range.session, from: range.first)
    }
    let before = replica
    let touched = replica.cut(work.reading)
    commit.add {
      $0.cuts += ranges.map { LogCut(line: $0.session, first: $0.first) }
    }
    addCheckpoint()
    commit.then(.cutBack)
    for at in links.indices { links[at].outbound.sent = nil }
    let events = before.events(to: replica, of: touched)
    for cutoff in cutoffs {
      guard let count = counts[cutoff.device] else { continue }
      turn.effects.append(.alarm(.setAside(cutoff.device, changes: count)))
    }
    if !events.isEmpty { turn.effects.append(.changed(events, .removal)) }
    turn.effects.append(.peersChanged)
  }

  /// What was told to others no longer holds: they are greeted anew.
  mutating func cutIsDurable(_ turn: inout Turn) {
    for link in links { close(link.id, .recounted, &turn) }
    noteFloor(turn.now)
    noteStatement(turn.now)
  }
}
