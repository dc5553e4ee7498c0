// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import Simulator
import Testing
import WireCodec

/// Removed members: what they wrote before stays, what the remover had not got is nowhere, and they
/// are told.
@Suite struct RemovalTests {
  /// anna, bert and cleo, all admins, with one list.
  private static func home() -> (Neighbourhood, list: ItemID) {
    var (hood, list) = Neighbourhood.household()
    hood.create(2, ["early"], in: list)
    hood.advance(milliseconds: 40_000)
    return (hood, list)
  }

  private static func remove(_ hood: inout Neighbourhood, _ target: Int, by node: Int) {
    hood.give(node, .amend(token: 900, .remove(hood.nodes[target].engine.device)))
    hood.settle()
  }

  private static func isDone(_ hood: Neighbourhood, _ node: Int) -> Bool {
    hood.nodes[node].seen.contains(.amended(token: 900, isDone: true))
  }

  private static func meet(_ hood: inout Neighbourhood, _ parts: [[Int]]) {
    hood.parts = parts
    for node in hood.nodes.indices { hood.cutAll(node) }
    for _ in 0..<30 { hood.advance(milliseconds: 20_000) }
  }

  private static func vector(_ hood: Neighbourhood, _ node: Int) -> VersionVector {
    hood.nodes[node].engine.replica.vector
  }

  private func name(_ hood: Neighbourhood, _ device: DeviceID?) -> String? {
    device.flatMap { hood.nodes[0].engine.roster?.view.author($0)?.name.string }
  }

  @Test func `a device that was off comes back, is told, and what it wrote is nowhere`() throws {
    var (hood, list) = Self.home()
    Self.meet(&hood, [[0, 1], [2]])
    hood.create(2, ["late"], in: list)
    Self.remove(&hood, 2, by: 0)
    hood.advance(milliseconds: 10_000)
    #expect(Self.isDone(hood, 0))
    let cleo = hood.nodes[2].engine.device
    #expect(hood.nodes[0].engine.unconfirmed(cleo).isEmpty)
    #expect(hood.nodes[2].engine.removedBy == nil)
    Self.meet(&hood, [])
    #expect(hood.texts(0, in: list) == ["early"])
    #expect(hood.texts(1, in: list) == ["early"])
    #expect(hood.texts(2, in: list) == ["early", "late"])
    #expect(Self.vector(hood, 0) == Self.vector(hood, 1))
    #expect(hood.state(0, of: 1) == .inSync)
    #expect(name(hood, hood.nodes[2].engine.removedBy) == "anna")
    // It stays so after a start, and what is written there is refused.
    try hood.restart(2)
    #expect(name(hood, hood.nodes[2].engine.removedBy) == "anna")
    let before = hood.nodes[2].seen.count
    hood.create(2, ["more"], in: list)
    let isRefused = hood.nodes[2].seen[before...].contains { effect in
      if case .edited(_, .refused(.notMember)) = effect { true } else { false }
    }
    #expect(isRefused)
    #expect(
      hood.nodes[2].engine.nextDeadline == nil
        || !hood.nodes[2].engine.accepts(
          publicKey: hood.nodes[0].crypto.publicKey)
    )
  }

  @Test func `a device that is connected is told at once, and gets no record of it`() {
    var (hood, _) = Self.home()
    let key = hood.nodes[0].engine.roster?.view.discoveryKey
    Self.remove(&hood, 2, by: 1)
    #expect(name(hood, hood.nodes[2].engine.removedBy) == "bert")
    #expect(hood.nodes[2].engine.roster?.view.removals.isEmpty == true)
    #expect(hood.nodes[2].engine.roster?.view.discoveryKey == key)
    #expect(hood.nodes[0].engine.roster?.view.discoveryKey != key)
    #expect(hood.pipes.keys.allSatisfy { $0.node != 2 })
  }

  @Test func `what somebody took from it behind the remover's back is taken back`() throws {
    var (hood, list) = Self.home()
    Self.meet(&hood, [[0], [1, 2]])
    let late = hood.create(2, ["late"], in: list)
    hood.give(2, .edit(EditRequest(token: 50, edits: [.set(list, .text, .text("mine"))])))
    hood.settle()
    hood.create(1, ["below"], in: late[0])
    #expect(hood.texts(1) == ["mine"])
    Self.remove(&hood, 2, by: 0)
    let cleo = hood.nodes[2].engine.device
    #expect(hood.nodes[0].engine.unconfirmed(cleo).map(\.name) == [Text("bert")])
    Self.meet(&hood, [])
    #expect(hood.nodes[0].engine.unconfirmed(cleo).isEmpty)
    for node in 0...1 {
      #expect(hood.texts(node) == ["list"], "node \(node)")
      #expect(hood.texts(node, in: list) == ["early"], "node \(node)")
      #expect(hood.nodes[node].engine.replica.recoveredItems.count == 1, "node \(node)")
    }
    #expect(Self.vector(hood, 0) == Self.vector(hood, 1))
    #expect(hood.state(0, of: 1) == .inSync)
    #expect(hood.state(1, of: 0) == .inSync)
    #expect(hood.nodes[1].disk.quarantine.count == 2)
    #expect(hood.alarms(1) == [.setAside(cleo, changes: 2)])
    let told = hood.nodes[1].seen.contains { effect in
      if case .changed(let events, .removal) = effect {
        events.contains { $0.item == late[0] && $0.kind == .removed }
      } else {
        false
      }
    }
    #expect(told)
    let before = Self.vector(hood, 1)
    for hasCheckpoint in [true, false] {
      if !hasCheckpoint { hood.nodes[1].disk.header = nil }
      try hood.restart(1)
      #expect(Self.vector(hood, 1) == before)
      #expect(hood.texts(1, in: list) == ["early"])
    }
  }

  @Test func `a stop before what was taken back is on disk only delays it`() throws {
    var (hood, list) = Self.home()
    Self.meet(&hood, [[0], [1, 2]])
    hood.create(2, ["late"], in: list)
    Self.remove(&hood, 2, by: 0)
    hood.parts = []
    hood.cutAll(0)
    hood.cutAll(1)
    // Only the record reaches the disk of bert.
    var isHeld = false
    for _ in 0..<400 where !isHeld {
      hood.advance(milliseconds: 250)
      if hood.nodes[1].engine.roster?.view.removals.isEmpty == false { isHeld = true }
    }
    try hood.restart(1)
    Self.meet(&hood, [])
    #expect(hood.texts(1, in: list) == ["early"])
    #expect(Self.vector(hood, 0) == Self.vector(hood, 1))
    #expect(hood.nodes[1].disk.quarantine.count == 1)
  }

  @Test func `a member whose floor has passed a cutoff has it raised, and nothing is lost`() throws
  {
    var hood = Neighbourhood.keeping(days: 0, nodes: 4, silentDays: 3)
    let list = hood.create(0, ["list"])[0]
    hood.advance(milliseconds: 60_000)
    // The remover is away for long; what the others have leaves their logs.
    hood.give(0, .pause)
    hood.create(2, ["late"], in: list)
    hood.pass(days: 5)
    #expect(hood.logged(1) == 0)
    hood.give(2, .pause)
    Self.remove(&hood, 2, by: 0)
    hood.give(0, .resume)
    hood.advance(milliseconds: 600_000)
    let cleo = hood.nodes[2].engine.device
    for node in [0, 1, 3] {
      #expect(hood.texts(node, in: list) == ["late"], "node \(node)")
      #expect(Self.vector(hood, node) == Self.vector(hood, 0), "node \(node)")
      #expect(hood.alarms(node) == [], "node \(node)")
      let cutoff = hood.nodes[node].engine.roster?.view.removal(of: cleo)?.cutoff
      #expect(cutoff?.tips.map(\.seq) == [1], "node \(node)")
    }
    // What it writes later is as unwanted as ever.
    hood.give(2, .resume)
    hood.advance(milliseconds: 600_000)
    #expect(hood.nodes[2].engine.removedBy == hood.nodes[0].engine.device)
  }

  @Test func `only an admin removes, nobody itself, and nobody twice`() {
    var (hood, _) = Self.home()
    hood.give(0, .amend(token: 1, .role(hood.nodes[1].engine.device, .member)))
    hood.settle()
    Self.remove(&hood, 2, by: 1)
    Self.remove(&hood, 0, by: 0)
    #expect(!Self.isDone(hood, 1) && !Self.isDone(hood, 0))
    #expect(hood.nodes[0].engine.roster?.view.removals.isEmpty == true)
    Self.remove(&hood, 2, by: 0)
    Self.remove(&hood, 2, by: 0)
    let answers = hood.nodes[0].seen.filter { $0 == .amended(token: 900, isDone: true) }
    #expect(answers.count == 1)
  }

  @Test func `a notice that no admin signed is not believed`() {
    let (hood, _) = Self.home()
    let cleo = hood.nodes[2].engine.device
    guard let roster = hood.nodes[2].engine.roster else { return #expect(Bool(false)) }
    let stranger = hood.nodes[0].crypto
    for (signer, device, isGood) in [
      (hood.nodes[1].crypto, cleo, true), (stranger, hood.nodes[1].engine.device, false),
    ] {
      let notice = RemovalNotice(
        signer: signer.publicKey,
        signature: RemovalNotice.sign(device, space: roster.space, crypto: signer))
      #expect(notice.isGood(for: cleo, in: roster, crypto: signer) == isGood)
    }
  }
}
