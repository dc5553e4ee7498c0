// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
import Roster
import WireCodec

/// The log floor on its way up: changes whose ops are read from the log once more, so that what
/// cells held at the floor is known (core 6.1).
struct FloorStep: Sendable {
  /// What is still to pass, predecessors first.
  var ranges: [SessionRange]
  /// The read under way.
  var token = ReadToken(0)
  /// Sessions of which something has passed.
  var moved: [SessionID] = []
}

/// A member that keeps changes in the log which are old enough to leave it.
package struct FloorHolder: Hashable, Sendable {
  package let device: DeviceID
  /// Changes that wait for this member; others may hold some of them as well.
  package let changes: UInt64
  /// Local days since it was heard; 0 while it is connected.
  package let silentDays: UInt32
}

/// Which changes may leave the log, and when they do. Decided here, as of the day and the
/// acknowledgements known; the disk removes them with the checkpoint that holds their effect.
extension Engine {
  /// How much of the log is read at once for the floor.
  static var floorReadBytesMax: Int { 64 * 1024 }

  // MARK: Days

  /// A local day has passed.
  mutating func dayPassed(_ turn: inout Turn) {
    for link in links { remember(link) }
    noteFloor(turn.now)
    statementDue = turn.now
  }

  /// Local days since a member was heard; 0 while it is connected.
  func silentDays(_ device: DeviceID) -> UInt32 {
    if links.contains(where: { $0.device == device && $0.hello != nil }) { return 0 }
    guard let row = peers.first(where: { $0.device == device }), row.heardDay < ages.day
    else { return 0 }
    return ages.day - row.heardDay
  }

  /// Whether a member holds the log: it is connected, or was heard lately.
  func isActive(_ device: DeviceID) -> Bool {
    links.contains { $0.device == device && $0.hello != nil }
      || silentDays(device) < settings.silentDays
  }

  /// What is kept of a member.
  func row(of device: DeviceID) -> PeerRow {
    peers.first { $0.device == device } ?? PeerRow(device: device)
  }

  /// Members of whom nothing is known yet count as heard today.
  mutating func meetMembers() {
    for member in otherMembers where !peers.contains(where: { $0.device == member.device }) {
      var row = PeerRow(device: member.device)
      row.heardDay = ages.day
      peers.append(row)
      commit.add { $0.peers.append(row) }
    }
  }

  // MARK: Where the floor may be

  /// All that a member is known to have on disk: from itself, or signed by it.
  private func acknowledged(by device: DeviceID) -> Coverage {
    var tips = row(of: device).acknowledged.tips
    for link in links where link.device == device { tips += link.outbound.told.tips }
    return replica.coverage(of: VersionVector(tips: tips))
  }

  /// What is on disk here and old enough.
  private var ripe: [Coverage] {
    let held = replica.coverage(of: durable)
    guard settings.historyDays > 0 else { return [held] }
    let old = VersionVector(tips: ages.held(daysAgo: settings.historyDays))
    return [held, replica.coverage(of: old)]
  }

  /// Changes that are old enough and that every active member has. An acknowledgement counts while
  /// its member had the roster that is known here: a removal on its way may take changes back.
  func leavable() -> [SessionRange] {
    guard let heads = wireHeads else { return [] }
    var holders = ripe
    for member in otherMembers where isActive(member.device) {
      guard let row = peers.first(where: { $0.device == member.device }), row.rosterHeads == heads
      else { return [] }
      holders.append(acknowledged(by: member.device))
    }
    return replica.leavable(heldBy: holders)
  }

  /// The heads of the roster as frames carry them.
  var wireHeads: [RosterHead]? { roster.map(Self.wireHeads(of:)) }

  static func wireHeads(of roster: MembershipGraph) -> [RosterHead] {
    roster.heads.prefix(FrameLimits.rosterHeadsMax).map { RosterHead($0.a, $0.b, $0.c, $0.d) }
  }

  /// Who keeps ripe changes in the log, ascending by device.
  /// - Complexity: O(members · sessions).
  package func floorHolders() -> [FloorHolder] {
    let all = Self.count(replica.leavable(heldBy: ripe))
    guard all > 0 else { return [] }
    return otherMembers.compactMap { member in
      guard isActive(member.device) else { return nil }
      let left = replica.leavable(heldBy: ripe + [acknowledged(by: member.device)])
      let waiting = all - Self.count(left)
      return waiting == 0
        ? nil
        : FloorHolder(
          device: member.device, changes: waiting, silentDays: silentDays(member.device))
    }
  }

  private static func count(_ ranges: [SessionRange]) -> UInt64 {
    ranges.reduce(0) { $0 + $1.last - $1.first + 1 }
  }

  // MARK: Moving it

  /// Something happened that may let changes leave the log: look a little later.
  mutating func noteFloor(_ now: Moment) {
    if floorDue == nil { floorDue = now + settings.floorInterval }
  }

  mutating func advanceFloor(_ turn: inout Turn) {
    guard let due = floorDue, due <= turn.now else { return }
    floorDue = nil
    endLateLog(&turn)
    guard floorStep == nil, !isCutting, !commit.hasFailed, !keepsCheckpoint,
      replica.awaitedLog.isEmpty,
      !isSendingSnapshot
    else { return noteFloor(turn.now) }
    let ranges = leavable()
    guard !ranges.isEmpty else { return }
    read(FloorStep(ranges: ranges), &turn)
  }

  /// A snapshot on its way out stands for a floor and for the log above it: both must stay.
  var isSendingSnapshot: Bool {
    links.contains { $0.outbound.snapshot != nil || $0.outbound.tail != nil }
  }

  private mutating func read(_ step: FloorStep, _ turn: inout Turn) {
    var step = step
    // What a session continues may have stopped at ops of a later version.
    while let range = step.ranges.first, !replica.hasPredecessorLeft(range.session) {
      step.ranges.removeFirst()
    }
    guard let range = step.ranges.first, !isSendingSnapshot else { return end(step) }
    lastRead += 1
    step.token = ReadToken(lastRead)
    floorStep = step
    turn.effects.append(
      .readLog(
        LogRequest(
          session: range.session, first: range.first, last: range.last,
          bytesMax: Self.floorReadBytesMax), ReadToken(lastRead)))
  }

  /// - Returns: Whether the answer was for the floor.
  mutating func readFloor(
    _ token: ReadToken, _ changes: [LoggedChange], _ turn: inout Turn
  ) -> Bool {
    guard var step = floorStep, step.token == token, let range = step.ranges.first else {
      return false
    }
    if isSendingSnapshot {
      // One began since: what it says of floor and log must stay as it is.
      end(step)
      noteFloor(turn.now)
      return true
    }
    floorStep = nil
    var next = range.first
    for logged in changes {
      // The line may have been split since the read began.
      guard logged.dot == Dot(session: range.session, seq: next),
        let signed = try? SignedChange(decoding: logged.bytes, crypto: crypto),
        replica.line(of: signed.tip) == range.session,
        replica.passFloor(signed.change.read(at: settings.foldLevel), hash: logged.hash)
      else { break }
      next += 1
    }
    if next > range.first, step.moved.last != range.session { step.moved.append(range.session) }
    step.ranges.removeFirst()
    if let last = changes.last?.dot.seq, next > range.first, next > last, next <= range.last {
      step.ranges.insert(
        SessionRange(session: range.session, first: next, last: range.last), at: 0)
    }
    read(step, &turn)
    return true
  }

  /// Old dead items become cold where they are many enough to be worth building the columns anew.
  private mutating func freezeDead() {
    let warm = replica.itemCount - replica.coldItemCount
    replica.freeze(atLeast: max(settings.coldItemsMin, warm / settings.warmItemsPerColdMax))
  }

  /// To be called before a snapshot is joined: that raises floors for a while, and what the step left
  /// behind then would leave the log with them.
  mutating func endFloorStep() {
    if let floorStep { end(floorStep) }
  }

  /// What has passed leaves the log together with the checkpoint that holds it.
  private mutating func end(_ step: FloorStep) {
    floorStep = nil
    let tips = step.moved.compactMap(replica.floor(of:))
    guard !tips.isEmpty else { return }
    freezeDead()
    addCheckpoint()
    commit.add { $0.floor += tips }
    let replica = replica
    ages.prune(daysMax: settings.historyDays) { tip in
      replica.floor(of: tip.session)?.seq ?? 0 >= tip.seq
    }
  }
}
