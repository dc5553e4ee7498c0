// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Testing
import WireCodec

/// What people are told of the other members.
@Suite struct StatusTests {
  private static func home() -> (Neighbourhood, list: ItemID) {
    var (hood, list) = Neighbourhood.household()
    hood.advance(milliseconds: 40_000)
    return (hood, list)
  }

  private static func status(_ hood: Neighbourhood, _ node: Int, of other: Int) -> PeerStatus? {
    hood.nodes[node].engine.peerStatuses(at: hood.now).first {
      $0.device == hood.nodes[other].engine.device
    }
  }

  @Test func `changes are only here until one other member has them, linked or not`() {
    var (hood, list) = Self.home()
    #expect(hood.nodes[0].engine.changesOnlyHere() == 0)
    hood.split([0], [1], [2])
    hood.advance(milliseconds: 20_000)
    for number in 0..<3 { hood.create(0, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 1_000)
    #expect(hood.nodes[0].engine.changesOnlyHere() == 3)
    #expect(Self.status(hood, 0, of: 1)?.toSend == 3)
    hood.split([0, 1], [2])
    hood.advance(milliseconds: 60_000)
    #expect(hood.nodes[0].engine.changesOnlyHere() == 0)
    #expect(Self.status(hood, 0, of: 1)?.toSend == 0)
    #expect(Self.status(hood, 0, of: 2)?.toSend == 3)
  }

  @Test func `nobody else has what an agent without other members wrote, and nobody lacks it`() {
    var hood = Neighbourhood()
    hood.add("anna")
    hood.create(0, ["list"])
    #expect(hood.nodes[0].engine.changesOnlyHere() == 0)
  }

  @Test func `a member is offline after its last link, and the time of that stays known`() throws {
    var (hood, _) = Self.home()
    let bert = hood.nodes[1].engine.device
    hood.give(1, .pause)
    hood.settle()
    let wall = hood.wall
    hood.blackHoles = [Neighbourhood.endpoint(1)]
    hood.advance(milliseconds: 1)
    #expect(hood.state(0, of: 1) == .connecting || hood.state(0, of: 1) == .offline)
    #expect(hood.nodes[0].engine.lastContacts.contains { $0.device == bert && $0.at == wall })
    try hood.restart(0)
    hood.advance(milliseconds: 1)
    #expect(Self.status(hood, 0, of: 1)?.lastContact == wall)
    #expect(Self.status(hood, 0, of: 1)?.version == "1.0")
  }

  @Test func `what a member acknowledged is known by its last word, also when it is away`() throws {
    var (hood, list) = Self.home()
    hood.give(1, .pause)
    hood.settle()
    hood.create(0, ["row"], in: list)
    hood.advance(milliseconds: 20_000)
    let tip = try #require(hood.nodes[0].engine.ownTip)
    let replica = hood.nodes[0].engine.replica
    let held = hood.nodes[0].engine.acknowledged()
    for node in 1...2 {
      let coverage = try #require(
        held.first { $0.device == hood.nodes[node].engine.device }?.coverage)
      #expect(replica.contains(tip.dot, coverage) == (node == 2))
      #expect(replica.contains(Dot(session: tip.session, seq: 1), coverage))
    }
  }

  @Test
  func `a member that does not listen is shown where it called from, and syncs while it lacks`() {
    var hood = Neighbourhood()
    hood.add("anna")
    hood.add("bert") { $0.listenPort = 0 }
    hood.pair(0, 1)
    let list = hood.create(0, ["list"])[0]
    hood.blackHoles = [Neighbourhood.endpoint(1)]
    hood.cutAll(1)
    hood.advance(milliseconds: 20_000)
    #expect(Self.status(hood, 0, of: 1)?.state == .inSync)
    #expect(Self.status(hood, 0, of: 1)?.endpoint == Neighbourhood.endpoint(1).with(port: 40_000))
    hood.nodes[1].holdsDisk = true
    hood.create(0, ["row"], in: list)
    #expect(Self.status(hood, 0, of: 1)?.state == .syncing)
    #expect(Self.status(hood, 0, of: 1)?.toSend == 1)
  }

  @Test func `nobody is in sync with a device whose disk takes nothing, by its own word`() throws {
    var (hood, list) = Self.home()
    hood.nodes[0].holdsDisk = true
    hood.create(1, ["row"], in: list)
    hood.advance(milliseconds: 1_000)
    #expect(hood.texts(0, in: list) == ["row"])
    let (_, token) = try #require(hood.nodes[0].heldBatches.first)
    hood.nodes[0].heldBatches = []
    hood.give(0, .persistFailed(token))
    hood.settle()
    #expect(hood.state(0, of: 1) == .syncing && hood.state(1, of: 0) == .syncing)
    hood.release(0)
    hood.advance(milliseconds: 60_000)
    #expect(hood.state(0, of: 1) == .inSync && hood.state(1, of: 0) == .inSync)
  }

  @Test func `a device that nobody removed has nobody to hear of that`() {
    let (hood, _) = Self.home()
    #expect(hood.nodes[0].engine.unconfirmed(hood.nodes[1].engine.device) == [])
    #expect(Engine.notice(from: [1, 2, 3]) == nil)
  }
}
