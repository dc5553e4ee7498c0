// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import Simulator
import Testing
import WireCodec

/// Two links to one device whose processes differ: one is what a restart left behind, or the device
/// runs twice (reliability S3, R1).
@Suite struct DuplicateLinkTests {
  /// Anna's engine; this test speaks for bert, over links that it makes itself.
  private struct Desk {
    var engine: Engine
    let bert: [UInt8]
    let hello: Hello
    var now: Moment
    var effects: [Effect] = []

    init() throws {
      var hood = Neighbourhood()
      let (a, b) = (hood.add("anna"), hood.add("bert"))
      hood.pair(a, b)
      hood.take(b, offline: true)
      engine = hood.nodes[a].engine
      bert = hood.nodes[b].crypto.publicKey
      now = hood.now
      let roster = try #require(engine.roster)
      hello = Hello(
        space: roster.space, device: hood.nodes[b].crypto.deviceID, bootNonce: 0, listenPort: 0,
        wall: hood.wall, version: Text("1.0"),
        rosterHeads: roster.heads.map { RosterHead($0.a, $0.b, $0.c, $0.d) }, tips: [])
    }

    mutating func give(_ input: Input) { engine.handle(input, at: now, into: &effects) }

    mutating func open(_ number: UInt64) -> LinkID {
      let link = LinkID(.accepted, number)
      give(.linkUp(link, peerKey: bert, from: Neighbourhood.endpoint(1)))
      return link
    }

    mutating func greet(_ link: LinkID, process: UInt64) {
      let hello = Hello(
        space: hello.space, device: hello.device, bootNonce: process, listenPort: 0,
        wall: hello.wall, version: hello.version, rosterHeads: hello.rosterHeads, tips: [])
      give(.frame(Frame.hello(hello).bytes, link))
    }

    /// Answers every ping that was sent on `link` so far.
    mutating func answer(_ link: LinkID) {
      for case .send(let bytes, link) in effects {
        guard case .ping(let nonce, _, _)? = try? Frame(decoding: bytes) else { continue }
        give(.frame(Frame.pong(nonce: nonce, wall: hello.wall).bytes, link))
      }
    }

    mutating func wait(seconds: UInt64) {
      now = now + .seconds(seconds)
      give(.deadline)
    }

    var clones: Int {
      effects.count { if case .alarm(.cloned) = $0 { true } else { false } }
    }
    func isClosed(_ link: LinkID) -> Bool {
      effects.contains { if case .close(link, _) = $0 { true } else { false } }
    }
  }

  @Test func `a greeting that comes late from a dead process is no second copy`() throws {
    var desk = try Desk()
    let (dead, live) = (desk.open(901), desk.open(902))
    desk.greet(live, process: 2)
    desk.answer(live)
    desk.greet(dead, process: 1)
    desk.answer(live)
    desk.wait(seconds: 6)
    #expect(desk.clones == 0)
    #expect(desk.isClosed(dead))
    #expect(!desk.isClosed(live))
  }

  @Test func `a link that a restart left behind is ended, and the new one stays`() throws {
    var desk = try Desk()
    let dead = desk.open(901)
    desk.greet(dead, process: 1)
    desk.answer(dead)
    let live = desk.open(902)
    desk.greet(live, process: 2)
    desk.answer(live)
    desk.wait(seconds: 6)
    #expect(desk.clones == 0)
    #expect(desk.isClosed(dead))
    #expect(!desk.isClosed(live))
  }

  @Test func `two processes that both answer are two copies of a device`() throws {
    var desk = try Desk()
    let (one, two) = (desk.open(901), desk.open(902))
    desk.greet(one, process: 1)
    desk.greet(two, process: 2)
    desk.answer(one)
    #expect(desk.clones == 0)
    desk.answer(two)
    desk.wait(seconds: 6)
    #expect(desk.clones == 1)
    #expect(!desk.isClosed(one) && !desk.isClosed(two))
  }

  @Test func `of two silent links neither is ended before its time`() throws {
    var desk = try Desk()
    let (one, two) = (desk.open(901), desk.open(902))
    desk.greet(one, process: 1)
    desk.greet(two, process: 2)
    desk.wait(seconds: 20)
    #expect(!desk.isClosed(one) && !desk.isClosed(two))
    desk.wait(seconds: 30)
    #expect(desk.isClosed(one) && desk.isClosed(two))
    #expect(desk.clones == 0)
  }
}
