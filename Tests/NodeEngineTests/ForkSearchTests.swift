// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import WireCodec

@testable import NodeEngine

/// Where two continuations of a session part: what is compared with memory, with the log and with the
/// peer, and what becomes of a search that cannot be ended.
@Suite struct ForkSearchTests {
  private static let line = SessionID(high: 1, low: 2)
  private static let link = LinkID(.dialled, 1)

  private static func hash(_ number: UInt64) -> ChangeHash { ChangeHash(number, 1, 1, 1) }

  /// anna and bert; bert has written six rows of `list`. What anna knows of single changes is in her
  /// log only.
  private static func home(
    _ build: () -> Neighbourhood = { Neighbourhood.keeping(days: 30, nodes: 2) }
  ) throws -> (Neighbourhood, list: ItemID) {
    var hood = build()
    let list = hood.create(0, ["list"])[0]
    for number in 1...6 { hood.create(1, ["b\(number)"], in: list) }
    hood.advance(milliseconds: 40_000)
    return (hood, list)
  }

  // MARK: The search itself

  @Test func `lines that part below all that can be compared are apart`() {
    for seq in [3, 10] as [UInt64] {
      var search = ForkSearch(
        line: Self.line, link: Self.link, at: Moment(nanoseconds: 0),
        other: Tip(session: Self.line, seq: seq, hash: Self.hash(9)), run: nil, lowest: 10)
      #expect(search.next == .compare(seq))
      search.compared(seq, isSame: false)
      #expect(search.next == .apart)
    }
  }

  @Test func `a run that begins behind the fork point does not reach it`() {
    for (start, reaches) in [(3, false), (2, true)] as [(UInt64, Bool)] {
      let hashes = (start - 1...4).map { Self.hash($0 + 100) }
      var search = ForkSearch(
        line: Self.line, link: Self.link, at: Moment(nanoseconds: 0), run: [1], from: start,
        hashes: hashes, tip: 6, lowest: 0)
      while case .compare(let seq) = search.next {
        search.told(seq, seq)
        search.compared(seq, isSame: seq == 1)
      }
      #expect(search.next == .parted(1))
      #expect(search.runReaches(1) == reaches)
    }
  }

  // MARK: Continuing an older change

  @Test
  func `a session that continues an older change is taken once the log has shown that change`()
    throws
  {
    var (hood, list) = try Self.home()
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    let third = try #require(hood.tip(1, 3, at: 0))
    hood.inject(
      Neighbourhood.run(hood.forged(by: 1, continuing: third, ["later"], in: list)), from: 1, to: 0)
    #expect(hood.texts(0, in: list).contains("later"))
    #expect(!hood.isWarnedOfFork(0))
  }

  @Test func `a session that continues what nobody wrote is not taken`() throws {
    var (hood, list) = try Self.home()
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    let third = try #require(hood.tip(1, 3, at: 0))
    let wrong = Tip(session: third.session, seq: 3, hash: Self.hash(3))
    hood.inject(
      Neighbourhood.run(hood.forged(by: 1, continuing: wrong, ["later"], in: list)), from: 1, to: 0)
    hood.advance(milliseconds: 60_000)
    #expect(!hood.texts(0, in: list).contains("later"))
    #expect(hood.texts(0, in: list).count == 6)
    #expect(hood.state(0, of: 1) == .inSync)
  }

  /// The floor has risen over the change, and the log that still has it is about to lose it.
  @Test func `what continues another change below the floor is a fork that nobody can mend`() throws
  {
    var (hood, list) = try Self.home { Neighbourhood.keeping(days: 2, nodes: 2) }
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    let third = try #require(hood.tip(1, 3, at: 0))
    hood.nodes[0].holdsDisk = true
    hood.pass(days: 3)
    #expect(hood.nodes[0].engine.replica.floor(of: third.session)?.seq == 6)
    #expect(hood.nodes[0].disk.log[third.session]?.count == 6)
    let wrong = Tip(session: third.session, seq: 3, hash: Self.hash(3))
    hood.inject(
      Neighbourhood.run(hood.forged(by: 1, continuing: wrong, ["later"], in: list)), from: 1, to: 0)
    #expect(hood.isWarnedOfFork(0))
    #expect(!hood.texts(0, in: list).contains("later"))
  }

  @Test func `a session that continues what has left the log is taken`() throws {
    var (hood, list) = try Self.home { Neighbourhood.keeping(days: 0, nodes: 2) }
    let session = try #require(hood.nodes[1].disk.own?.session)
    let third = try #require(hood.tip(1, 3, at: 0))
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    #expect(hood.nodes[0].disk.log[session]?.isEmpty == true)
    hood.inject(
      Neighbourhood.run(hood.forged(by: 1, continuing: third, ["later"], in: list)), from: 1, to: 0)
    #expect(hood.texts(0, in: list).contains("later"))
  }

  @Test
  func `what the peer cannot compare any more counts as the same for what a session continues`()
    throws
  {
    var (hood, list) = try Self.home()
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    let third = try #require(hood.tip(1, 3, at: 0))
    hood.tamper = { _, node, bytes in
      if node == 1, case .hashTold(let session, let seq, _)? = try? Frame(decoding: bytes) {
        bytes = Frame.hashTold(session: session, seq: seq, hash: nil).bytes
      }
    }
    hood.sent = []
    let wrong = Tip(session: third.session, seq: 3, hash: Self.hash(3))
    hood.inject(
      Neighbourhood.run(hood.forged(by: 1, continuing: wrong, ["later"], in: list)), from: 1, to: 0)
    let asked = hood.sent?.filter { $0.from == 0 }.compactMap { message -> UInt64? in
      if case .branchAsk(_, let seq) = message.frame { seq } else { nil }
    }
    #expect(asked == [3], "the first two are the same, so the lines part behind the second")
    #expect(!hood.texts(0, in: list).contains("later"))
  }

  // MARK: Another continuation

  @Test
  func `a continuation that parts where the peer cannot tell is told to people and not taken`()
    throws
  {
    var (hood, list) = try Self.home()
    let third = try #require(hood.tip(1, 3, at: 0))
    hood.tamper = { _, node, bytes in
      if node == 1, case .hashTold(let session, let seq, _)? = try? Frame(decoding: bytes) {
        bytes = Frame.hashTold(session: session, seq: seq, hash: nil).bytes
      }
    }
    let other = hood.forged(by: 1, behind: third, ["c4", "c5", "c6"], in: list)
    hood.inject(Neighbourhood.branch(Array(other.dropFirst())), from: 1, to: 0)
    #expect(hood.isWarnedOfFork(0))
    #expect(hood.texts(0, in: list).count == 6)
  }

  @Test func `a continuation that parts below the log is told to people and not taken`() throws {
    var (hood, list) = try Self.home { Neighbourhood.keeping(days: 0, nodes: 2) }
    let second = try #require(hood.tip(1, 2, at: 0))
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    hood.inject(
      Neighbourhood.branch(hood.forged(by: 1, behind: second, ["c3"], in: list)), from: 1, to: 0)
    #expect(hood.isWarnedOfFork(0))
    #expect(hood.texts(0, in: list).count == 6)
  }

  @Test func `a third continuation from within a branch parts that branch`() throws {
    var (hood, list) = try Self.home()
    let second = try #require(hood.tip(1, 2, at: 0))
    let other = hood.forged(by: 1, behind: second, ["c3", "c4", "c5"], in: list)
    hood.inject(Neighbourhood.branch(other), from: 1, to: 0)
    #expect(hood.texts(0, in: list).count == 9)
    let point = Tip(session: second.session, seq: 3, hash: other[0].hash)
    let third = hood.forged(by: 1, behind: point, ["d4", "d5"], in: list)
    hood.inject(Neighbourhood.run(third), from: 1, to: 0)
    #expect(hood.texts(0, in: list).count == 11)
    hood.nodes[0].engine.replica.checkInvariants()
    let before = hood.vector(0)
    try hood.restart(0)
    #expect(hood.vector(0) == before)
  }

  @Test func `what comes while its line is looked into, or split, is taken when that is done`()
    throws
  {
    var (hood, list) = try Self.home()
    let second = try #require(hood.tip(1, 2, at: 0))
    let third = try #require(hood.tip(1, 3, at: 0))
    hood.nodes[0].settings.recentBytesMax = 0
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    hood.nodes[0].holdsReads = true
    let one = hood.forged(by: 1, continuing: third, ["one"], in: list)
    let two = hood.forged(by: 1, continuing: second, ["two", "three"], in: list)
    for run in [one, two] { hood.inject(Neighbourhood.run(run), from: 1, to: 0) }
    hood.releaseReads(0)
    hood.advance(milliseconds: 5_000)
    #expect(hood.texts(0, in: list).count == 9)
    let other = hood.forged(by: 1, behind: second, ["c3", "c4", "c5"], in: list)
    hood.inject(Neighbourhood.branch(other), from: 1, to: 0)
    #expect(hood.texts(0, in: list).count == 12)
    let point = Tip(session: second.session, seq: 3, hash: other[0].hash)
    hood.nodes[0].holdsReads = true
    for text in ["d4", "e4"] {
      let run = hood.forged(by: 1, behind: point, [text], in: list)
      hood.inject(Neighbourhood.run(run), from: 1, to: 0)
    }
    hood.releaseReads(0)
    hood.advance(milliseconds: 5_000)
    #expect(hood.texts(0, in: list).count == 14)
    hood.nodes[0].engine.replica.checkInvariants()
  }

  @Test func `rows of the log that have changed places do not split a line, and nothing traps`()
    throws
  {
    var (hood, list) = try Self.home()
    let second = try #require(hood.tip(1, 2, at: 0))
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    let rows = try #require(hood.nodes[0].disk.log[second.session])
    func moved(_ row: LoggedChange, to seq: UInt64) -> LoggedChange {
      LoggedChange(
        dot: Dot(session: second.session, seq: seq), hash: row.hash, bytes: row.bytes,
        isVerified: row.isVerified)
    }
    hood.nodes[0].disk.log[second.session] =
      rows.prefix(3) + [moved(rows[4], to: 4), moved(rows[3], to: 5)] + rows.suffix(1)
    let other = hood.forged(by: 1, behind: second, ["c3"], in: list)
    hood.inject(Neighbourhood.branch(other), from: 1, to: 0)
    #expect(hood.isWarnedOfFork(0))
    #expect(!hood.nodes[0].engine.replica.isForked(second.session))
    #expect(hood.texts(0, in: list).count == 6)
    // There is another occasion, with a log that is whole.
    hood.nodes[0].disk.log[second.session] = rows
    hood.inject(Neighbourhood.branch(other), from: 1, to: 0)
    #expect(hood.texts(0, in: list).count == 7)
  }

  @Test func `a line whose rows are gone is split by what its trail tells`() throws {
    var (hood, list) = try Self.home()
    let second = try #require(hood.tip(1, 2, at: 0))
    hood.nodes[0].settings.recentBytesMax = 0
    hood.give(0, .checkpoint)
    hood.settle()
    try hood.restart(0)
    hood.advance(milliseconds: 20_000)
    hood.nodes[0].disk.log[second.session] = []
    let other = hood.forged(by: 1, behind: second, ["c3"], in: list)
    hood.inject(Neighbourhood.branch(other), from: 1, to: 0)
    #expect(hood.nodes[0].engine.replica.isForked(second.session))
    #expect(hood.texts(0, in: list).sorted() == ["b1", "b2", "b3", "b4", "b5", "b6", "c3"])
    hood.nodes[0].engine.replica.checkInvariants()
  }

  @Test func `a split whose link is gone when the log answers waits for another occasion`() throws {
    var (hood, list) = try Self.home()
    let second = try #require(hood.tip(1, 2, at: 0))
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    let other = hood.forged(by: 1, behind: second, ["c3"], in: list)
    hood.nodes[0].holdsReads = true
    hood.inject(Neighbourhood.branch(other), from: 1, to: 0)
    // The first read compares, the second is for the split.
    hood.releaseReads(0)
    hood.cutAll(0)
    hood.advance(milliseconds: 5_000)
    #expect(
      hood.texts(0, in: list).count == 7 || !hood.nodes[0].engine.replica.isForked(second.session))
    hood.inject(Neighbourhood.branch(other), from: 1, to: 0)
    hood.advance(milliseconds: 5_000)
    #expect(hood.texts(0, in: list).count == 7)
  }

  @Test func `an answer of the log for a link that is gone goes nowhere`() throws {
    var (hood, list) = try Self.home()
    let third = try #require(hood.tip(1, 3, at: 0))
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    hood.nodes[0].holdsReads = true
    let later = Neighbourhood.run(hood.forged(by: 1, continuing: third, ["later"], in: list))
    hood.inject(later, from: 1, to: 0)
    hood.inject(.hashAsk(session: third.session, seq: 3), from: 1, to: 0)
    hood.inject(.branchAsk(session: third.session, seq: 3), from: 1, to: 0)
    #expect(hood.nodes[0].heldReads.count == 3)
    hood.cutAll(0)
    hood.sent = []
    hood.releaseReads(0)
    #expect(hood.sent?.contains { if case .hashTold = $0.frame { true } else { false } } == false)
    #expect(!hood.texts(0, in: list).contains("later"))
    hood.advance(milliseconds: 5_000)
    hood.inject(later, from: 1, to: 0)
    #expect(hood.texts(0, in: list).contains("later"))
  }

  // MARK: Answering

  @Test func `a peer is told what is in the log alone, and that what is gone is gone`() throws {
    var (hood, _) = try Self.home()
    let third = try #require(hood.tip(1, 3, at: 0))
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    func told(_ hood: Neighbourhood) -> [ChangeHash?] {
      (hood.sent ?? []).compactMap {
        if $0.from == 0, case .hashTold(_, 3, let hash) = $0.frame { .some(hash) } else { nil }
      }
    }
    hood.sent = []
    hood.inject(.hashAsk(session: third.session, seq: 3), from: 1, to: 0)
    #expect(told(hood) == [third.hash])
    hood.sent = []
    hood.nodes[0].disk.log[third.session]?.removeAll { $0.dot.seq == 3 }
    hood.inject(.hashAsk(session: third.session, seq: 3), from: 1, to: 0)
    #expect(told(hood) == [nil])
    // Of a continuation whose first change is gone nothing can be sent.
    hood.sent = []
    hood.inject(.branchAsk(session: third.session, seq: 3), from: 1, to: 0)
    #expect(hood.sent?.contains { if case .branch = $0.frame { true } else { false } } == false)
  }

  @Test func `a continuation that was asked for comes in frames of the size that is allowed`()
    throws
  {
    var (hood, list) = try Self.home()
    let long = String(repeating: "x", count: 15_000)
    for number in 0..<6 { hood.create(1, ["\(number)\(long)"], in: list) }
    hood.advance(milliseconds: 20_000)
    let session = try #require(hood.nodes[1].disk.own?.session)
    hood.nodes[1].settings.recentBytesMax = 0
    try hood.restart(1)
    hood.advance(milliseconds: 20_000)
    hood.sent = []
    hood.inject(.branchAsk(session: session, seq: 1), from: 0, to: 1)
    let sizes = (hood.sent ?? []).compactMap {
      if $0.from == 1, case .branch(let run) = $0.frame { run.count } else { nil }
    }
    #expect(sizes.count == 1)
    #expect(sizes.allSatisfy { $0 > 40_000 && $0 <= FrameLimits.payloadBytesMax })
  }

  // MARK: Limits

  @Test func `who asks more often than anybody needs does not make the disk read more`() throws {
    var (hood, _) = try Self.home()
    let third = try #require(hood.tip(1, 3, at: 0))
    try hood.forgetTrails(0)
    hood.advance(milliseconds: 20_000)
    hood.nodes[0].holdsReads = true
    for _ in 0..<100 {
      hood.inject(.hashAsk(session: third.session, seq: 3), from: 1, to: 0)
      hood.inject(.branchAsk(session: third.session, seq: 3), from: 1, to: 0)
    }
    #expect(hood.nodes[0].heldReads.count == Engine.forksAtOnceMax)
    hood.sent = []
    hood.releaseReads(0)
    let answers = (hood.sent ?? []).count { message in
      switch message.frame {
      case .hashTold, .branch: message.from == 0
      default: false
      }
    }
    #expect(answers == Engine.forksAtOnceMax)
    hood.inject(.hashAsk(session: third.session, seq: 3), from: 1, to: 0)
    #expect(hood.sent?.last?.frame == .hashTold(session: third.session, seq: 3, hash: third.hash))
  }

  @Test func `a member that answers nothing holds up so many searches, and not for long`() throws {
    var (hood, list) = try Self.home()
    var sessions: [SessionID] = []
    for _ in 0..<70 {
      hood.give(1, .identityLost)
      hood.create(1, ["x"], in: list)
      hood.create(1, ["y"], in: list)
      sessions.append(try #require(hood.nodes[1].engine.ownTip?.session))
    }
    hood.advance(milliseconds: 20_000)
    hood.tamper = { _, node, bytes in
      if node == 1, case .hashTold? = try? Frame(decoding: bytes) { bytes = [200] }
    }
    func asked(_ hood: Neighbourhood) -> [SessionID] {
      (hood.sent ?? []).compactMap {
        if $0.from == 0, case .hashAsk(let session, _) = $0.frame { session } else { nil }
      }
    }
    func tips(_ sessions: some Sequence<SessionID>) -> Frame {
      .ack(sessions.map { Tip(session: $0, seq: 2, hash: Self.hash(7)) })
    }
    hood.sent = []
    hood.inject(tips(sessions), from: 1, to: 0)
    #expect(asked(hood) == Array(sessions.prefix(64)))
    hood.sent = []
    hood.inject(tips(sessions.suffix(6)), from: 1, to: 0)
    #expect(asked(hood) == [])
    hood.advance(milliseconds: 3_000)
    hood.sent = []
    hood.inject(tips(sessions.suffix(6)), from: 1, to: 0)
    #expect(asked(hood) == Array(sessions.suffix(6)))
  }
}
