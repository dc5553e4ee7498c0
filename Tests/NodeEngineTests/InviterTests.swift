// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import Simulator
import Testing
import WireCodec

@testable import NodeEngine

/// Inviters that may not, or cannot, make anybody a member, and strangers that knock in vain.
@Suite struct InviterTests {
  private let settings = EngineSettings()

  private func at(_ seconds: UInt64) -> Moment { Moment(nanoseconds: 0) + .seconds(seconds) }

  // MARK: Wrong proofs

  @Test func `wrong proofs are counted anew after a minute`() {
    var proofs = WrongProofs()
    for number in 0..<4 { proofs.add(from: [1], at: at(UInt64(number)), settings) }
    #expect(!proofs.mustWait([1], at: at(4)))
    proofs.add(from: [1], at: at(61), settings)
    #expect(!proofs.mustWait([1], at: at(61)))
    for _ in 0..<4 { proofs.add(from: [1], at: at(62), settings) }
    #expect(proofs.mustWait([1], at: at(62)) && !proofs.mustWait([2], at: at(62)))
    #expect(!proofs.mustWait([1], at: at(73)))
  }

  @Test func `of so many addresses the one that was heard longest ago is forgotten`() {
    var settings = settings
    settings.wrongProofsOverallMax = 1_000
    var proofs = WrongProofs()
    for _ in 0..<4 { proofs.add(from: [0], at: at(0), settings) }
    for number in 1...WrongProofs.addressesMax {
      proofs.add(from: [UInt8(number)], at: at(1), settings)
    }
    proofs.add(from: [0], at: at(2), settings)
    #expect(!proofs.mustWait([0], at: at(2)), "its four wrong proofs are forgotten")
  }

  @Test func `whoever has too many wrong proofs is not heard on connections that stood before`() {
    var hood = Neighbourhood()
    let (host, liar) = (hood.add("host"), hood.add("liar"))
    _ = hood.invite(host)
    var effects: [Effect] = []
    func wrong() -> Frame {
      .pairProof(name: Text("liar"), proof: [UInt8](repeating: 1, count: 32))
    }
    let links = (0..<6).map { LinkID(.accepted, 500 + UInt64($0)) }
    for link in links {
      hood.nodes[host].engine.handle(
        .pairingLinkUp(
          link, peerKey: hood.nodes[liar].crypto.publicKey,
          exporter: [UInt8](repeating: 1, count: 32), from: Neighbourhood.endpoint(liar)),
        at: hood.now, into: &effects)
    }
    effects = []
    for link in links {
      hood.nodes[host].engine.handle(.frame(wrong().bytes, link), at: hood.now, into: &effects)
    }
    let closed = effects.compactMap { if case .close(_, let why) = $0 { why } else { nil } }
    #expect(closed == Array(repeating: .pairingDone, count: 5) + [.tooSlow])
  }

  // MARK: In vain

  @Test func `a paused agent invites nobody, and says so`() {
    var hood = Neighbourhood()
    hood.add("host")
    hood.give(0, .pause)
    #expect(hood.invite(0) == nil)
    #expect(hood.pairingEvents(0) == [.inviteRefused(.paused)])
  }

  @Test func `who knocks where nobody is expected, or waits when the invite ends, is told so`() {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    let key = hood.nodes[guest].crypto.publicKey
    func knock(_ number: UInt64) -> [Effect] {
      var effects: [Effect] = []
      hood.nodes[host].engine.handle(
        .pairingLinkUp(
          LinkID(.accepted, number), peerKey: key, exporter: [UInt8](repeating: 1, count: 32),
          from: Neighbourhood.endpoint(guest)), at: hood.now, into: &effects)
      return effects
    }
    func refusal(_ number: UInt64) -> [Effect] {
      [
        .send(Frame.pairRefused.bytes, LinkID(.accepted, number)),
        .close(LinkID(.accepted, number), .pairingDone),
      ]
    }
    #expect(knock(500) == refusal(500))
    _ = hood.invite(host)
    #expect(knock(501) == [])
    var effects: [Effect] = []
    hood.nodes[host].engine.handle(.pause, at: hood.now, into: &effects)
    #expect(effects.filter { refusal(501).contains($0) } == refusal(501))
  }

  @Test func `what is no proof ends the connection of a stranger`() {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    let code = hood.invite(host)!
    hood.tamper = { _, node, bytes in if node == guest { bytes = Frame.ask.bytes } }
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(guest) == [.joinFailed(.unanswered)])
    #expect(hood.nodes[host].engine.isInviting)
  }

  @Test func `an inviter that lost its rights after the proof admits nobody`() {
    var hood = Neighbourhood()
    let (admin, host, guest) = (hood.add("admin"), hood.add("host"), hood.add("guest"))
    hood.pair(admin, host)
    hood.advance(milliseconds: 5_000)
    let code = hood.invite(host)!
    hood.nodes[host].holdsDisk = true
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.settle()
    hood.give(admin, .amend(token: 1, .role(hood.nodes[host].engine.device, .member)))
    hood.settle()
    hood.release(host)
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(guest) == [.joinFailed(.refused)])
    #expect(!hood.nodes[host].engine.hearsGuests)
    #expect(hood.nodes[admin].engine.otherMembers.map(\.name) == [Text("host")])
  }

  @Test func `the ninth that was answered and not met makes room for the first`() {
    var hood = Neighbourhood()
    let host = hood.add("host")
    for number in 0...hood.nodes[host].settings.invitesMax {
      let guest = hood.add("guest \(number)")
      let code = hood.invite(host)!
      hood.nodes[host].holdsDisk = true
      hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
      hood.settle()
      hood.give(guest, .cancelJoin)
      hood.settle()
      hood.release(host)
    }
    let waiting = hood.nodes[host].engine.inviter.admissions.map(\.name)
    #expect(waiting.count == 8)
    #expect(waiting.first == Text("guest 1"))
  }

  // MARK: A full roster

  /// A roster with as many records as it may have.
  private func fill(_ hood: inout Neighbourhood, _ node: Int) throws {
    var roster = try #require(hood.nodes[node].engine.roster)
    let crypto = hood.nodes[node].crypto
    var number = roster.records.count
    while number < MembershipGraph.recordsMax {
      let record = MembershipRecord(
        signing: .rename(crypto.deviceID, name: Text("n\(number)")), parents: roster.heads,
        crypto: crypto)
      _ = try roster.take(record, crypto: crypto)
      number += 1
    }
    hood.nodes[node].engine.roster = roster
  }

  @Test func `a full roster takes no newcomer, no name and no removal, and nothing of it is kept`()
    throws
  {
    var hood = Neighbourhood()
    let (host, other, guest) = (hood.add("host"), hood.add("other"), hood.add("guest"))
    hood.pair(host, other)
    hood.give(other, .pause)
    hood.advance(milliseconds: 1_000)
    try fill(&hood, host)
    let code = hood.invite(host)!
    let records = hood.nodes[host].disk.records.count
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(guest) == [.joinFailed(.refused)])
    let device = hood.nodes[other].engine.device
    hood.give(host, .amend(token: 1, .rename(device, Text("new"))))
    hood.give(host, .amend(token: 2, .remove(device)))
    hood.settle()
    #expect(hood.nodes[host].seen.contains(.amended(token: 1, isDone: false)))
    #expect(hood.nodes[host].seen.contains(.amended(token: 2, isDone: false)))
    #expect(hood.nodes[host].disk.records.count == records)
    #expect(hood.nodes[host].engine.roster?.records.count == MembershipGraph.recordsMax)
    // It crosses a link in several frames.
    hood.sent = []
    var turn = Turn(now: hood.now)
    hood.nodes[host].engine.sendRoster(
      hood.nodes[host].engine.roster?.records ?? [], to: LinkID(.dialled, 1), &turn)
    let frames = turn.effects.compactMap { effect -> (Int, Bool)? in
      guard case .send(let bytes, _) = effect,
        case .roster(let records, let isLast)? = try? Frame(decoding: bytes)
      else { return nil }
      return (records.count, isLast)
    }
    #expect(frames.count > 1 && frames.dropLast().allSatisfy { !$0.1 } && frames.last?.1 == true)
    #expect(frames.reduce(0) { $0 + $1.0 } == MembershipGraph.recordsMax)
  }
}
