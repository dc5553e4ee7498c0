// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// A snapshot on its way out: one state of the replica, cut into parts.
struct SnapshotSending: Sendable {
  /// The state that is sent; later edits do not enter it.
  let source: Replica
  let tips: [Tip]
  /// What follows it: the log that the peer lacks.
  let log: [SessionRange]
  /// The heads of the roster when it was taken.
  let rosterHeads: [RosterHead]
  /// The blob that is being cut; 0 is the header.
  private var blob = 0
  private var bytes: [UInt8] = []
  private var offset = 0
  /// Bytes that may still leave before the peer has answered the last ping.
  var budget: Int
  /// The ping whose answer renews the budget.
  var awaited: UInt64?
  /// Whether something that is in it is, or may be, not on disk here yet.
  var isPending = true

  init(of replica: Replica, log: [SessionRange], rosterHeads: [RosterHead], budget: Int) {
    source = replica
    (self.log, self.rosterHeads) = (log, rosterHeads)
    tips = replica.vector.tips
    self.budget = budget
  }

  var blobCount: Int { source.chunkCount + 1 }

  /// The next part; `nil` when all is cut.
  mutating func next(
    crypto: some CryptoSuite, packer: some Packer
  ) -> (bytes: [UInt8], isLast: Bool)? {
    if offset == bytes.count {
      guard blob < blobCount else { return nil }
      bytes =
        blob == 0
        ? ImageCodec.encode(source.header(), crypto: crypto, packer: packer)
        : ImageCodec.encode(source.chunk(at: blob - 1), crypto: crypto, packer: packer)
      offset = 0
      blob += 1
    }
    let end = min(offset + FrameLimits.payloadBytesMax, bytes.count)
    let part = Array(bytes[offset..<end])
    offset = end
    return (part, end == bytes.count)
  }
}

/// A snapshot on its way in: nothing of it counts before all of it is here.
struct SnapshotReceiving: Sendable {
  static let blobBytesMax = 64 << 20
  /// Lines that are split here for one snapshot: 64. Each costs a checkpoint of everything.
  static let splitsMax = 64

  let tips: [Tip]
  let blobs: Int
  /// Whether nothing will come of it: the rosters differed when it began.
  let isRefused: Bool
  private(set) var header: ReplicaHeader?
  private(set) var chunks: [ItemChunk] = []
  private var bytes: [UInt8] = []
  private var total: UInt64 = 0
  private var blobsLeft: Int
  /// Lines that were split here so that it can be joined.
  var splits = 0

  init(tips: [Tip], blobs: Int, isRefused: Bool) {
    (self.tips, self.blobs, self.isRefused) = (tips, blobs, isRefused)
    blobsLeft = blobs
  }

  var isComplete: Bool { blobsLeft == 0 }

  /// Takes the next part.
  mutating func take(
    _ part: [UInt8], isLast: Bool, bytesMax: UInt64, crypto: some CryptoSuite,
    packer: some Packer
  ) throws(DecodeError) {
    total += UInt64(part.count)
    guard total <= bytesMax, bytes.count + part.count <= Self.blobBytesMax else {
      throw .overLimit(at: bytes.count, limit: bytesMax)
    }
    if isLast { blobsLeft -= 1 }
    if isRefused { return }
    bytes.append(contentsOf: part)
    guard isLast else { return }
    if header == nil {
      header = try ImageCodec.decodeHeader(bytes, crypto: crypto, packer: packer)
    } else {
      chunks.append(try ImageCodec.decodeChunk(bytes, crypto: crypto, packer: packer))
    }
    bytes = []
  }
}

extension Engine {
  /// A newcomer gets columns instead of a long log; below the floor there is no other way.
  func wantsSnapshot(_ at: Int) -> Bool {
    guard links[at].outbound.told.tips.isEmpty else { return false }
    return lacks(at) > settings.snapshotChangesMin
  }

  /// A snapshot leaves once all that is in it is on disk: a change that a crash takes back here would
  /// live on elsewhere as an effect that no log has.
  mutating func startSnapshot(_ at: Int, _ turn: inout Turn) {
    guard links[at].outbound.snapshot == nil, replica.itemCount > 0, !isReader(device),
      !isCutting,
      let heads = wireHeads
    else { return }
    let held = replica.coverage(of: VersionVector(tips: links[at].outbound.told.tips))
    let log = replica.logged(beyond: held).filter { !replica.isForked($0.session) }
    links[at].outbound.tail = nil
    links[at].outbound.snapshot = SnapshotSending(
      of: replica, log: log, rosterHeads: heads, budget: settings.snapshotWindowBytes)
    if commit.isIdle {
      snapshotKept(links[at].id, &turn)
    } else {
      commit.then(.snapshotKept(links[at].id))
    }
  }

  /// All that was held when it began is on disk.
  mutating func snapshotKept(_ id: LinkID, _ turn: inout Turn) {
    guard let at = index(of: id), var sending = links[at].outbound.snapshot, sending.isPending
    else { return }
    sending.isPending = false
    turn.send(
      .snapshot(
        tips: Array(sending.tips.prefix(FrameLimits.tipsMax)), blobs: sending.blobCount,
        rosterHeads: sending.rosterHeads), id)
    pump(sending, at, &turn)
  }

  private mutating func pump(_ sending: SnapshotSending, _ at: Int, _ turn: inout Turn) {
    let id = links[at].id
    var sending = sending
    links[at].outbound.snapshot = nil
    while sending.budget > 0 {
      guard let part = sending.next(crypto: crypto, packer: packer) else {
        links[at].outbound.underWay.raise(sending.tips)
        links[at].outbound.sent = nil
        links[at].outbound.pumpAt = turn.now
        return startTail(at, sending, &turn)
      }
      sending.budget -= part.bytes.count
      turn.send(.snapshotPart(part.bytes, isLast: part.isLast), id)
    }
    let nonce = entropy.next()
    sending.awaited = nonce
    links[at].outbound.snapshot = sending
    turn.send(.ping(nonce: nonce, tips: nil, fingerprint: nil), id)
  }

  mutating func continueSnapshot(_ at: Int, pong nonce: UInt64, _ turn: inout Turn) {
    guard var sending = links[at].outbound.snapshot, sending.awaited == nonce else { return }
    sending.awaited = nil
    sending.budget = settings.snapshotWindowBytes
    pump(sending, at, &turn)
  }

  /// Refused while the rosters differ: the sender may have folded what a removal takes back here. It
  /// is asked again when the records have been exchanged.
  mutating func received(
    snapshot tips: [Tip], _ blobs: Int, _ heads: [RosterHead], _ at: Int, _ turn: inout Turn
  ) {
    guard links[at].inbound.snapshot?.isComplete ?? true, blobs > 0 else {
      return close(links[at].id, .outOfOrder, &turn)
    }
    links[at].inbound.snapshot = SnapshotReceiving(
      tips: tips, blobs: blobs, isRefused: heads != wireHeads)
  }

  mutating func received(part: [UInt8], _ isLast: Bool, _ at: Int, _ turn: inout Turn) {
    let id = links[at].id
    guard var snapshot = links[at].inbound.snapshot else { return close(id, .outOfOrder, &turn) }
    links[at].inbound.snapshot = nil
    do throws(DecodeError) {
      try snapshot.take(
        part, isLast: isLast, bytesMax: settings.snapshotBytesMax, crypto: crypto, packer: packer)
    } catch {
      return close(id, .invalidSnapshot, &turn)
    }
    if snapshot.isComplete, snapshot.isRefused { return turn.send(.ask, id) }
    links[at].inbound.snapshot = snapshot
  }

  /// Joins what has come, once no line is being split any more for it or for another one: that was
  /// done, or came to nothing because the log lacks it or the link is gone that it was done for.
  mutating func advanceSnapshots(_ turn: inout Turn) {
    for id in links.map(\.id) {
      while splits.isEmpty, let at = index(of: id), let snapshot = links[at].inbound.snapshot,
        snapshot.isComplete
      {
        links[at].inbound.snapshot = nil
        join(snapshot, at, &turn)
      }
    }
  }

  private mutating func join(_ snapshot: SnapshotReceiving, _ at: Int, _ turn: inout Turn) {
    let link = links[at]
    // Its sender has not cut back yet.
    guard let header = snapshot.header, !header.isBeyond(cutoffs) else {
      return turn.send(.ask, link.id)
    }
    guard UInt64(snapshot.chunks.count) == header.chunkCount else {
      return close(link.id, .invalidSnapshot, &turn)
    }
    let readiness: Replica.JoinReadiness
    do throws(ImageDefect) { readiness = try replica.readiness(for: header) } catch {
      return close(link.id, .invalidSnapshot, &turn)
    }
    switch readiness {
    case .ready: break
    case .splitMine(let line, let point):
      var waiting = snapshot
      waiting.splits += 1
      guard waiting.splits <= SnapshotReceiving.splitsMax else {
        return close(link.id, .invalidSnapshot, &turn)
      }
      links[at].inbound.snapshot = waiting
      if !split(line, at: point, then: nil, at, &turn) { links[at].inbound.snapshot = nil }
      return
    case .splitTheirs(let line), .apart(let line):
      // The branches are on their way to the sender, which then begins anew.
      return warnOfFork(replica.session(ofLine: line), link.device, &turn)
    }
    endFloorStep()
    var events: [ReplicaEvent] = []
    do throws(ImageDefect) {
      try replica.join(header, snapshot.chunks, events: &events)
    } catch {
      return close(link.id, .invalidSnapshot, &turn)
    }
    awakeWaiting(&events)
    for session in header.sessions { _ = clock.observe(session.tipH, wall) }
    awaitLog(at, header, &turn)
    (keepsCheckpoint, unread.isBlind) = (false, false)
    mend(&events, &turn)
    addCheckpoint()
    commit.then(.snapshotJoined)
    noteCut()
    links[at].outbound.underWay.raise(snapshot.tips)
    for other in links.indices { links[other].outbound.sent = nil }
    tell(events, .snapshot(link.device), &turn)
    turn.effects.append(.peersChanged)
    relay(except: link.id, &turn)
    retryParked(link.id, &turn)
    if let at = index(of: link.id) { releaseHeld(at, &turn) }
  }
}
