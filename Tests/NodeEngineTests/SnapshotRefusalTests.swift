// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import WireCodec

@testable import NodeEngine

/// Snapshots that are out of order, too large, made up or come at a bad time.
@Suite struct SnapshotRefusalTests {
  /// anna and bert, who has written rows and sessions; anna keeps no history, so that whoever is
  /// behind needs a snapshot.
  private static func home(sessions: Int = 1) -> (Neighbourhood, list: ItemID) {
    var hood = Neighbourhood.keeping(days: 30, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    for number in 0..<sessions {
      hood.give(1, .identityLost)
      hood.create(1, ["a\(number)"], in: list)
      hood.create(1, ["b\(number)"], in: list)
    }
    hood.advance(milliseconds: 40_000)
    return (hood, list)
  }

  /// What `node` would send as a snapshot, with another header.
  private static func frames(
    _ hood: Neighbourhood, _ node: Int, _ change: (inout ReplicaHeader) -> Void = { _ in }
  ) -> [Frame] {
    let (engine, crypto) = (hood.nodes[node].engine, hood.nodes[node].crypto)
    var header = engine.replica.header()
    change(&header)
    let blobs =
      [ImageCodec.encode(header, crypto: crypto, packer: NoPacking())]
      + (0..<engine.replica.chunkCount).map {
        ImageCodec.encode(engine.replica.chunk(at: $0), crypto: crypto, packer: NoPacking())
      }
    return [
      .snapshot(
        tips: engine.replica.vector.tips, blobs: blobs.count, rosterHeads: engine.wireHeads ?? [])
    ]
      + blobs.flatMap { blob in
        stride(from: 0, to: blob.count, by: FrameLimits.payloadBytesMax).map { start in
          let end = min(start + FrameLimits.payloadBytesMax, blob.count)
          return Frame.snapshotPart(Array(blob[start..<end]), isLast: end == blob.count)
        }
      }
  }

  private static func waits(_ hood: Neighbourhood, _ node: Int) -> Bool {
    hood.nodes[node].engine.links.contains { $0.inbound.snapshot != nil }
  }

  /// Whether the link lives that was there before.
  private static func isLinked(_ hood: Neighbourhood, _ link: LinkID?) -> Bool {
    link != nil && hood.link(0, to: 1) == link
  }

  // MARK: Order and size

  @Test func `parts without a snapshot, and snapshots of nothing or within another, end the link`()
  {
    let part = Frame.snapshotPart([1, 2, 3], isLast: false)
    func opening(_ hood: Neighbourhood, _ blobs: Int) -> Frame {
      .snapshot(tips: [], blobs: blobs, rosterHeads: hood.nodes[0].engine.wireHeads ?? [])
    }
    for number in 0..<4 {
      var (hood, _) = Self.home()
      let link = hood.link(0, to: 1)
      let frames = [
        [part], [opening(hood, 0)], [opening(hood, 2), part, opening(hood, 2)],
        [opening(hood, 2), part, part],
      ][number]
      hood.sent = []
      for frame in frames { hood.inject(frame, from: 1, to: 0) }
      #expect(Self.isLinked(hood, link) == (number == 3), "case \(number)")
      let isTold = hood.sent?.contains {
        $0.frame == .bye(code: CloseReason.outOfOrder.rawValue)
      }
      #expect(isTold == (number < 3), "case \(number)")
    }
  }

  @Test func `a snapshot larger than is allowed, or of bytes that are no header, ends the link`() {
    for number in 0..<2 {
      var (hood, list) = Self.home()
      if number == 0 {
        hood.nodes[0].settings.snapshotBytesMax = 10
        #expect(throws: Never.self) { try hood.restart(0) }
        hood.advance(milliseconds: 5_000)
      }
      hood.sent = []
      let frames = Self.frames(hood, 1)
      let bad = number == 0 ? frames : [frames[0], .snapshotPart([9, 9, 9], isLast: true)]
      for frame in bad { hood.inject(frame, from: 1, to: 0) }
      let isTold = hood.sent?.contains {
        $0.frame == .bye(code: CloseReason.invalidSnapshot.rawValue)
      }
      #expect(isTold == true, "case \(number)")
      #expect(hood.texts(0, in: list) == ["a0", "b0"])
    }
  }

  @Test func `a snapshot whose header contradicts itself or its chunks ends the link`() {
    for number in 0..<3 {
      var (hood, list) = Self.home()
      let before = hood.vector(0)
      hood.sent = []
      let frames = Self.frames(hood, 1) { header in
        switch number {
        case 0: header.sessions[0] = header.sessions[0].changed(tipSeq: 0)
        case 1: header.chunkCount += 1
        default: header.deleteContexts = [.init(session: 99, seq: 1, context: 0)]
        }
      }
      for frame in frames { hood.inject(frame, from: 1, to: 0) }
      let isTold = hood.sent?.contains {
        $0.frame == .bye(code: CloseReason.invalidSnapshot.rawValue)
      }
      #expect(isTold == true, "case \(number)")
      #expect(hood.vector(0) == before && hood.texts(0, in: list) == ["a0", "b0"])
    }
  }

  @Test func `a snapshot goes out window by window, each after an answer`() {
    var hood = Neighbourhood.keeping(days: 0, nodes: 1)
    let list = hood.create(0, ["list"])[0]
    let long = String(repeating: "x", count: 10_000)
    for number in 0..<40 { hood.create(0, ["\(number)\(long)"], in: list) }
    hood.nodes[0].settings.snapshotWindowBytes = 100_000
    #expect(throws: Never.self) { try hood.restart(0) }
    hood.add("guest", Neighbourhood.settings(0, 60))
    hood.sent = []
    hood.pair(0, 1)
    hood.advance(milliseconds: 20_000)
    #expect(hood.texts(1, in: list).count == 40)
    var (ahead, most, total) = (0, 0, 0)
    for (from, frame) in hood.sent ?? [] {
      switch frame {
      case .snapshotPart(let bytes, _) where from == 0:
        ahead += bytes.count
        total += bytes.count
      case .pong where from == 1: ahead = 0
      default: break
      }
      most = max(most, ahead)
    }
    #expect(total > 400_000)
    #expect(most <= 100_000 + FrameLimits.payloadBytesMax)
  }

  // MARK: Forks

  /// The header that makes every session of bert look forked behind its first change.
  private static func forkAll(_ header: inout ReplicaHeader, _ hood: Neighbourhood) {
    for number in header.sessions.indices where header.sessions[number].tipSeq == 2 {
      let session = header.sessions[number]
      let first = hood.nodes[1].disk.written.first { $0.dot == Dot(session: session.id, seq: 1) }
      guard let head = session.head, let hash = first?.hash else { continue }
      header.sessions[number] = session.changed(tipSeq: 1, tipHash: hash, trail: .init())
      header.sessions.append(
        ReplicaHeader.Session(
          id: SessionID(high: session.id.high, low: 99),
          head: SessionHead(
            device: head.device, salt: head.salt,
            predecessor: Tip(session: session.id, seq: 1, hash: hash)),
          tipSeq: 2, tipHash: ChangeHash(99, 1, 1, 1), tipH: session.tipH, floor: 0,
          floorHash: .zero, floorH: 0, context: session.context,
          branch: .init(origin: UInt32(number), base: 1, hashes: [99])))
      header.arrival.append(UInt32(header.sessions.count - 1))
    }
  }

  @Test func `a snapshot that has more lines split than is allowed ends the link`() {
    var (hood, _) = Self.home(sessions: SnapshotReceiving.splitsMax + 6)
    hood.sent = []
    let frames = Self.frames(hood, 1) { Self.forkAll(&$0, hood) }
    for frame in frames { hood.inject(frame, from: 1, to: 0) }
    let isTold = hood.sent?.contains {
      $0.frame == .bye(code: CloseReason.invalidSnapshot.rawValue)
    }
    #expect(isTold == true)
    let replica = hood.nodes[0].engine.replica
    let forked = replica.vector.tips.filter { replica.isForked($0.session) }
    #expect(forked.count <= SnapshotReceiving.splitsMax)
    replica.checkInvariants()
  }

  @Test func `a snapshot whose split the log cannot give is dropped, and the link is not held up`()
    throws
  {
    var (hood, list) = Self.home()
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    let session = try #require(hood.nodes[1].disk.own?.session)
    hood.nodes[0].disk.log[session] = []
    let link = hood.link(0, to: 1)
    let frames = Self.frames(hood, 1) { Self.forkAll(&$0, hood) }
    for frame in frames { hood.inject(frame, from: 1, to: 0) }
    #expect(hood.isWarnedOfFork(0))
    #expect(!Self.waits(hood, 0))
    #expect(Self.isLinked(hood, link))
    hood.create(1, ["more"], in: list)
    hood.advance(milliseconds: 20_000)
    #expect(hood.texts(0, in: list) == ["a0", "b0", "more"])
    #expect(hood.state(0, of: 1) == .inSync)
  }

  @Test func `a snapshot that waits for the split of another link is joined though that link goes`()
    throws
  {
    var hood = Neighbourhood.keeping(days: 30, nodes: 3)
    let list = hood.create(0, ["list"])[0]
    hood.create(1, ["b1"], in: list)
    hood.create(1, ["b2"], in: list)
    hood.advance(milliseconds: 40_000)
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    let first = try #require(hood.tip(1, 1, at: 0))
    hood.nodes[0].holdsReads = true
    let other = hood.forged(by: 1, behind: first, ["c2"], in: list)
    // bert shows another continuation; the log is asked, and does not answer in time.
    hood.inject(Neighbourhood.branch(other), from: 1, to: 0)
    for (token, changes) in hood.nodes[0].heldReads { hood.give(0, .logRead(token, changes)) }
    hood.nodes[0].heldReads = []
    hood.settle()
    #expect(!hood.nodes[0].engine.splits.isEmpty)
    for frame in Self.frames(hood, 2) { hood.inject(frame, from: 2, to: 0) }
    #expect(Self.waits(hood, 0))
    hood.give(0, .linkDown(try #require(hood.link(0, to: 1))))
    hood.settle()
    #expect(hood.nodes[0].engine.splits.isEmpty)
    #expect(!Self.waits(hood, 0))
    hood.releaseReads(0)
    #expect(hood.texts(0, in: list) == ["b1", "b2"])
  }

  @Test func `a snapshot that parts below all that is held in memory is dropped`() throws {
    var hood = Neighbourhood.keeping(days: 0, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    hood.create(1, ["b1"], in: list)
    hood.create(1, ["b2"], in: list)
    hood.advance(milliseconds: 60_000)
    #expect(hood.logged(0) == 0)
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    let frames = Self.frames(hood, 1) { Self.forkAll(&$0, hood) }
    for frame in frames { hood.inject(frame, from: 1, to: 0) }
    #expect(hood.isWarnedOfFork(0))
    #expect(!Self.waits(hood, 0))
    #expect(hood.texts(0, in: list) == ["b1", "b2"])
  }

  // MARK: Removed members

  @Test func `a snapshot from before a removal is asked for once more`() {
    var hood = Neighbourhood.keeping(days: 0, nodes: 3)
    let list = hood.create(0, ["list"])[0]
    hood.advance(milliseconds: 40_000)
    hood.split([0], [1, 2])
    for number in 0..<20 { hood.create(2, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 40_000)
    // bert's snapshot is on its way to anna when she removes cleo, of whom she has nothing yet.
    let frames = Self.frames(hood, 1)
    hood.split([0, 1], [2])
    hood.tamper = { _, node, bytes in
      switch try? Frame(decoding: bytes) {
      case .run where node == 1, .snapshot where node == 1, .snapshotPart where node == 1,
        .roster where node == 0:
        bytes = [200]
      default: break
      }
    }
    hood.advance(milliseconds: 20_000)
    #expect(hood.texts(0, in: list) == [])
    hood.inject(frames[0], from: 1, to: 0)
    hood.give(0, .amend(token: 900, .remove(hood.nodes[2].engine.device)))
    hood.settle()
    hood.sent = []
    for frame in frames.dropFirst() { hood.inject(frame, from: 1, to: 0) }
    #expect(hood.sent?.contains { $0.from == 0 && $0.frame == .ask } == true)
    #expect(hood.texts(0, in: list) == [])
    hood.tamper = nil
    hood.cutAll(0)
    hood.advance(milliseconds: 60_000)
    #expect(hood.texts(0, in: list) == hood.texts(1, in: list))
  }
}
