// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import Simulator
import Testing
import WireCodec

@testable import NodeEngine

/// Links from connection to greeting: who is turned away, and how.
@Suite struct GreetingTests {
  private static func pair(_ change: (inout EngineSettings) -> Void = { _ in }) -> Neighbourhood {
    var hood = Neighbourhood()
    hood.add("anna", change)
    hood.add("bert")
    hood.pair(0, 1)
    hood.advance(milliseconds: 20_000)
    return hood
  }

  /// Changes what bert says when it greets.
  private static func greet(
    _ change: @escaping (inout Hello) -> Void
  ) -> (Neighbourhood, byes: [CloseReason]) {
    var hood = Self.pair()
    hood.tamper = { _, node, bytes in
      guard node == 1, case .hello(var hello)? = try? Frame(decoding: bytes) else { return }
      change(&hello)
      bytes = Frame.hello(hello).bytes
    }
    hood.cutAll(0)
    hood.sent = []
    hood.advance(milliseconds: 3_000)
    let byes = (hood.sent ?? []).compactMap {
      if $0.from == 0, case .bye(let code) = $0.frame { CloseReason(rawValue: code) } else { nil }
    }
    return (hood, byes)
  }

  @Test func `who greets for another space, or as somebody else, is turned away`() {
    let space = Self.greet { $0.space = SpaceID(1, 2, 3, 4) }
    #expect(space.byes.first == .otherSpace)
    #expect(space.0.state(0, of: 1) != .inSync)
    let name = Self.greet { $0.device = DeviceID(1, 2, 3, 4) }
    #expect(name.byes.first == .notMember)
    #expect(name.0.state(0, of: 1) != .inSync)
  }

  @Test func `changes before the rosters have met end the link`() {
    var hood = Self.pair()
    hood.tamper = { _, node, bytes in
      guard node == 1 else { return }
      switch try? Frame(decoding: bytes) {
      case .hello(var hello):
        hello.rosterHeads = [RosterHead(1, 2, 3, 4)]
        bytes = Frame.hello(hello).bytes
      case .ping: bytes = Frame.ask.bytes
      default: break
      }
    }
    hood.cutAll(0)
    hood.sent = []
    hood.advance(milliseconds: 3_000)
    let isTold = hood.sent?.contains {
      $0.from == 0 && $0.frame == .bye(code: CloseReason.outOfOrder.rawValue)
    }
    #expect(isTold == true)
  }

  @Test func `who is no member and never was gets no word`() {
    var hood = Self.pair()
    let key = ToyCrypto(seed: 99).publicKey
    let link = LinkID(.accepted, 900)
    #expect(!hood.nodes[0].engine.accepts(publicKey: key))
    var effects: [Effect] = []
    hood.nodes[0].engine.handle(
      .linkUp(link, peerKey: key, from: Neighbourhood.endpoint(8)), at: hood.now, into: &effects)
    #expect(effects == [.close(link, .notMember)])
  }

  @Test func `a paused agent takes no link`() {
    var hood = Self.pair()
    hood.give(0, .pause)
    hood.settle()
    let link = LinkID(.accepted, 900)
    var effects: [Effect] = []
    hood.nodes[0].engine.handle(
      .linkUp(link, peerKey: hood.nodes[1].crypto.publicKey, from: Neighbourhood.endpoint(1)),
      at: hood.now, into: &effects)
    #expect(effects == [.close(link, .goingAway)])
    #expect(!hood.nodes[0].engine.accepts(publicKey: hood.nodes[1].crypto.publicKey))
  }

  @Test func `who found no room is called again when there is some`() {
    var hood = Neighbourhood()
    hood.add("anna") { $0.linksMax = 1 }
    for name in ["bert", "cleo"] { hood.add(name) }
    hood.pair(0, 1)
    hood.give(1, .pause)
    hood.pair(0, 2)
    // Nobody reaches anna: she must call both herself, and has room for one.
    hood.blackHoles = [Neighbourhood.endpoint(0)]
    hood.cutAll(0)
    hood.give(1, .resume)
    hood.advance(milliseconds: 60_000)
    let linked = (1...2).filter { hood.state(0, of: $0) == .inSync }
    #expect(linked.count == 1)
    let other = linked == [1] ? 2 : 1
    hood.give(linked[0], .pause)
    hood.advance(milliseconds: 90_000)
    #expect(hood.state(0, of: other) == .inSync)
  }

  @Test func `what is no frame ends a pairing connection on either side`() {
    for node in 0..<2 {
      var hood = Neighbourhood()
      let (host, guest) = (hood.add("host"), hood.add("guest"))
      let code = hood.invite(host)!
      hood.nodes[host].holdsDisk = true
      hood.tamper = { _, from, bytes in
        if node == 0, from == guest { bytes = [99] }
      }
      hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
      hood.settle()
      if node == 1, let link = hood.link(guest, to: host) {
        hood.give(guest, .frame([99], link))
        hood.settle()
      }
      #expect(hood.link(guest, to: host) == nil)
      #expect(hood.nodes[host].engine.peerStatuses(at: hood.now) == [])
    }
  }

  @Test func `a clock that a peer names is cut to what can be reckoned with`() {
    let max: Int64 = 1_000_000_000_000_000
    func offset(_ theirs: Int64, _ ours: Int64) -> Int64 {
      Link.offset(WallTime(milliseconds: theirs), from: WallTime(milliseconds: ours))
    }
    #expect(offset(.min, 1) == -max && offset(.max, -1) == max)
    #expect(offset(.min, -1) == -max && offset(.max, 1) == max)
    #expect(offset(5, 3) == 2 && offset(3, 5) == -2)
  }

  @Test func `a nudge asks one member, or all, for a sign of life at once`() {
    var hood = Neighbourhood()
    for name in ["anna", "bert", "cleo"] { hood.add(name) }
    hood.pair(0, 1)
    hood.pair(0, 2)
    hood.advance(milliseconds: 20_000)
    func pings(_ device: DeviceID?) -> Int {
      hood.sent = []
      hood.give(0, .nudge(device))
      hood.settle()
      return (hood.sent ?? []).count {
        if $0.from == 0, case .ping = $0.frame { true } else { false }
      }
    }
    #expect(pings(hood.nodes[1].engine.device) == 1)
    #expect(pings(nil) == 2)
    #expect(pings(DeviceID(1, 2, 3, 4)) == 0)
  }

  @Test func `a pause gives up the calls under way`() {
    var hood = Self.pair()
    hood.blackHoles = [Neighbourhood.endpoint(0), Neighbourhood.endpoint(1)]
    hood.cutAll(0)
    hood.advance(milliseconds: 1_000)
    #expect(hood.state(0, of: 1) == .connecting)
    var effects: [Effect] = []
    hood.nodes[0].engine.handle(.pause, at: hood.now, into: &effects)
    let closed = effects.count { if case .close(_, .goingAway) = $0 { true } else { false } }
    #expect(closed == 1)
    #expect(hood.nodes[0].engine.peerStatuses(at: hood.now)[0].state == .offline)
  }

  // MARK: Addresses

  @Test
  func `an address that means something on one machine or one link only is not told to others`() {
    var hood = Neighbourhood()
    for name in ["anna", "bert", "cleo"] { hood.add(name) }
    hood.pair(0, 1)
    hood.advance(milliseconds: 5_000)
    let local = Endpoint(address: [127, 0, 0, 1], port: 7644)!
    let linkLocal = Endpoint(
      address: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1], port: 7644)!
    for (endpoint, isTold) in [
      (local, false), (linkLocal, false), (Endpoint(address: [198, 18, 0, 77], port: 7644)!, true),
    ] {
      var link = Link(
        id: LinkID(.dialled, 50), device: hood.nodes[1].engine.device, endpoint: endpoint,
        openedAt: hood.now)
      link.phase = .streaming
      hood.nodes[0].engine.links = [link]
      var turn = Turn(now: hood.now)
      var other = Link(
        id: LinkID(.dialled, 51), device: hood.nodes[2].engine.device,
        endpoint: Neighbourhood.endpoint(2), openedAt: hood.now)
      other.phase = .streaming
      hood.nodes[0].engine.links.append(other)
      hood.nodes[0].engine.exchangeAddresses(1, &turn)
      let told = turn.effects.contains { effect in
        guard case .send(let bytes, other.id) = effect,
          case .addresses(let addresses)? = try? Frame(decoding: bytes)
        else { return false }
        return addresses.contains { $0.endpoint == endpoint }
      }
      #expect(told == isTold)
    }
  }

  @Test func `the oldest sighting makes room`() throws {
    var hood = Neighbourhood()
    hood.add("anna")
    let tag = try #require(
      DiscoveryTag(
        nonce: [1, 2, 3, 4, 5, 6, 7, 8], tag: [0, 0, 0, 0, 0, 0, 0, 0], isInviting: true))
    for number in 0..<(Engine.sightingsMax + 1) {
      let endpoint = Endpoint(address: [198, 18, 1, UInt8(number)], port: 7)!
      hood.give(0, .discovered(endpoint, tag))
    }
    hood.settle()
    let seen = hood.nodes[0].engine.sightings
    #expect(seen.count == Engine.sightingsMax)
    #expect(seen[0].endpoint == Endpoint(address: [198, 18, 1, 1], port: 7))
  }
}
