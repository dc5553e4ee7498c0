// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import Simulator
import Testing
import WireCodec

@testable import NodeEngine

/// What a joiner is told when it does not get in, and inviters that break the protocol.
@Suite struct JoinVerdictTests {
  private static func code(_ number: UInt64) -> PairingCode {
    var entropy = Entropy(SeededEntropy(seed: number))
    return PairingCode(using: &entropy)
  }

  /// How `node` appears on the network.
  private static func tag(_ hood: Neighbourhood, _ node: Int) throws -> DiscoveryTag {
    try #require(
      hood.nodes[node].seen.compactMap { effect -> DiscoveryTag? in
        if case .advertise(let tag) = effect { tag } else { nil }
      }.last)
  }

  private static func show(_ hood: inout Neighbourhood, _ node: Int, to other: Int) throws {
    hood.give(other, .discovered(hood.nodes[node].endpoint, try tag(hood, node)))
    hood.settle()
  }

  // MARK: Refused, or not found

  @Test func `members without an invite say nothing of a code while its inviter may be found yet`()
    throws
  {
    var hood = Neighbourhood()
    let (host, other, guest) = (hood.add("host"), hood.add("other"), hood.add("guest"))
    hood.pair(host, other)
    let code = hood.invite(host)!
    hood.give(guest, .join(code, at: []))
    try Self.show(&hood, other, to: guest)
    hood.advance(milliseconds: 12_000)
    #expect(hood.pairingEvents(guest) == [])
    // The inviter shows up late.
    try Self.show(&hood, host, to: guest)
    hood.advance(milliseconds: 2_000)
    #expect(hood.state(guest, of: host) == .inSync)
  }

  @Test
  func `a code is called wrong when all who were reached have no such invite in all the time`()
    throws
  {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    hood.give(guest, .join(Self.code(1), at: []))
    try Self.show(&hood, host, to: guest)
    // Another address leads nowhere.
    hood.give(
      guest, .discovered(Neighbourhood.endpoint(9), try Self.tag(hood, host)))
    hood.advance(milliseconds: 14_000)
    #expect(hood.pairingEvents(guest) == [])
    hood.advance(milliseconds: 2_000)
    #expect(hood.pairingEvents(guest) == [.joinFailed(.refused)])
  }

  @Test func `at a named address the code is called wrong at the second try`() throws {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    hood.give(guest, .join(Self.code(3), at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 3_000)
    #expect(hood.pairingEvents(guest) == [.joinFailed(.refused)])
  }

  @Test func `whoever does not answer in time may be the inviter, so the code is not called wrong`()
    throws
  {
    var hood = Neighbourhood()
    let (host, slow, guest) = (hood.add("host"), hood.add("slow"), hood.add("guest"))
    hood.blackHoles = [hood.nodes[slow].endpoint]
    hood.give(guest, .join(Self.code(2), at: []))
    try Self.show(&hood, host, to: guest)
    try Self.show(&hood, slow, to: guest)
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(guest) == [.joinFailed(.nobodyFound)])
  }

  @Test func `the word of an inviter counts when others have had their time, or all time is over`()
    throws
  {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    let slow = hood.add("slow") { $0.joinTimeMax = .seconds(7) }
    _ = hood.invite(host)
    hood.give(guest, .join(Self.code(30), at: []))
    try Self.show(&hood, host, to: guest)
    hood.advance(milliseconds: 4_000)
    #expect(hood.pairingEvents(guest) == [])
    hood.advance(milliseconds: 2_000)
    #expect(hood.pairingEvents(guest) == [.joinFailed(.refused)])
    hood.blackHoles = [Neighbourhood.endpoint(9)]
    hood.give(
      slow, .join(Self.code(31), at: [hood.nodes[host].endpoint, Neighbourhood.endpoint(9)]))
    hood.advance(milliseconds: 6_000)
    #expect(hood.pairingEvents(slow) == [])
    hood.advance(milliseconds: 2_000)
    #expect(hood.pairingEvents(slow) == [.joinFailed(.refused)])
  }

  @Test func `an inviter that was seen before is found at once, one that invites first`() throws {
    var hood = Neighbourhood()
    let (host, other, guest) = (hood.add("host"), hood.add("other"), hood.add("guest"))
    let code = hood.invite(host)!
    try Self.show(&hood, other, to: guest)
    try Self.show(&hood, host, to: guest)
    // Seen once more, as every few minutes.
    try Self.show(&hood, host, to: guest)
    hood.give(guest, .join(code, at: []))
    hood.advance(milliseconds: 1_000)
    #expect(hood.state(guest, of: host) == .inSync)
  }

  @Test func `an inviter that hangs up without a word is told apart`() {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    _ = hood.invite(host)
    for number in 0..<5 {
      hood.give(guest, .join(Self.code(UInt64(10 + number)), at: [hood.nodes[host].endpoint]))
      hood.advance(milliseconds: 500)
    }
    hood.nodes[host].settings.wrongProofsPause = .seconds(60)
    hood.give(guest, .join(Self.code(20), at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 9_000)
    // Whoever waits is refused later: within the pause nothing was said.
    hood.give(host, .pause)
    hood.advance(milliseconds: 9_000)
    #expect(hood.pairingEvents(guest).last == .joinFailed(.unanswered))
  }

  // MARK: Nobody is left behind

  @Test func `who has let somebody in meanwhile does not leave for another space`() {
    var hood = Neighbourhood()
    let (host, middle, guest) = (hood.add("host"), hood.add("middle"), hood.add("guest"))
    let (outer, inner) = (hood.invite(host)!, hood.invite(middle)!)
    hood.nodes[host].holdsDisk = true
    hood.give(middle, .join(outer, at: [hood.nodes[host].endpoint]))
    hood.settle()
    hood.give(guest, .join(inner, at: [hood.nodes[middle].endpoint]))
    hood.advance(milliseconds: 2_000)
    #expect(hood.state(guest, of: middle) == .inSync)
    hood.release(host)
    hood.advance(milliseconds: 5_000)
    #expect(hood.pairingEvents(middle).contains(.joinFailed(.spaceInUse)))
    #expect(hood.state(guest, of: middle) == .inSync)
  }

  // MARK: Inviters that break the protocol

  private static func join(
    _ tamper: @escaping (Frame, ToyCrypto) -> Frame?
  ) -> (Neighbourhood, guest: Int) {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    let code = hood.invite(host)!
    hood.tamper = { hood, node, bytes in
      guard node == host, let frame = try? Frame(decoding: bytes) else { return }
      bytes = tamper(frame, hood.nodes[host].crypto)?.bytes ?? [99]
    }
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 16_000)
    return (hood, guest)
  }

  @Test func `a roster that does not hold together ends the join`() throws {
    var strange = Neighbourhood()
    let third = strange.add("third")
    let foreign = try #require(strange.nodes[third].engine.roster?.records.first?.bytes)
    for number in 0..<5 {
      let (hood, guest) = Self.join { frame, _ in
        guard case .roster(let records, let isLast) = frame else { return frame }
        let bad: [[UInt8]] =
          switch number {
          case 0: [[1, 2, 3]]
          case 1: []
          case 2: Array(records.dropFirst())  // no founding record
          case 3: records + [foreign]
          default: [foreign]  // a space without either of the two
          }
        return .roster(records: bad, isLast: isLast)
      }
      #expect(hood.pairingEvents(guest) == [.joinFailed(.protocolBroken)], "case \(number)")
      #expect(hood.nodes[guest].engine.peerStatuses(at: hood.now) == [], "case \(number)")
    }
  }

  @Test func `an inviter that proves nothing, or sends what is no frame, is not believed`() {
    for number in 0..<3 {
      let (hood, guest) = Self.join { frame, _ in
        switch (number, frame) {
        case (0, .pairAnswer): .pairAnswer(proof: [UInt8](repeating: 7, count: 32))
        case (1, .pairAnswer): nil
        case (2, .pairAnswer): .ask
        default: frame
        }
      }
      #expect(hood.pairingEvents(guest) == [.joinFailed(.nobodyFound)], "case \(number)")
    }
  }

  @Test func `a roster without end is not listened to`() {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    let code = hood.invite(host)!
    hood.nodes[host].holdsDisk = true
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.settle()
    let link = hood.link(guest, to: host)!
    let proof = PairingProof(
      code: code, exporter: [UInt8](repeating: UInt8(hood.accepted), count: 32),
      joinerKey: hood.nodes[guest].crypto.publicKey, inviterKey: hood.nodes[host].crypto.publicKey,
      crypto: hood.nodes[guest].crypto)
    hood.give(guest, .frame(Frame.pairAnswer(proof: proof.inviter).bytes, link))
    hood.settle()
    #expect(hood.link(guest, to: host) == link)
    let filler = [UInt8](repeating: 0, count: 60_000)
    for _ in 0..<150 {
      hood.give(guest, .frame(Frame.roster(records: [filler], isLast: false).bytes, link))
      hood.settle()
    }
    #expect(hood.link(guest, to: host) == nil, "the guest has hung up")
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(guest).contains { if case .joinFailed = $0 { true } else { false } })
  }

  @Test func `a connection for a join that was given up is closed`() {
    let crypto = ToyCrypto(seed: 1)
    var engine = Engine(
      settings: EngineSettings(), crypto: crypto, packer: NoPacking(),
      entropy: Entropy(SeededEntropy(seed: 1)), restored: Restored(),
      wall: WallTime(milliseconds: 1))
    var effects: [Effect] = []
    let now = Moment(nanoseconds: 1)
    engine.handle(.resume, at: now, into: &effects)
    engine.handle(.join(Self.code(3), at: [Neighbourhood.endpoint(3)]), at: now, into: &effects)
    let link = LinkID(.dialled, 1)
    #expect(effects.contains(.dial(link, Neighbourhood.endpoint(3), .pairing)))
    engine.handle(.cancelJoin, at: now, into: &effects)
    effects = []
    engine.handle(
      .pairingLinkUp(
        link, peerKey: ToyCrypto(seed: 2).publicKey, exporter: [UInt8](repeating: 1, count: 32),
        from: Neighbourhood.endpoint(3)), at: now, into: &effects)
    #expect(effects == [.close(link, .pairingDone)])
  }
}
