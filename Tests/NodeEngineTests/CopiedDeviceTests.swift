// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Simulator
import Testing
import WireCodec

/// Two images of one running machine (reliability R1): what both wrote is everywhere.
@Suite struct CopiedDeviceTests {
  /// Three members; the image of the first one runs twice, and each copy has met another member.
  private static func forked() -> (home: Neighbourhood, twin: Int, list: ItemID) {
    var home = Neighbourhood()
    for name in ["anna", "bert", "carl"] { home.add(name) }
    home.pair(0, 1)
    home.pair(0, 2)
    let list = home.create(0, ["shared"])[0]
    home.count(0, list, 5)
    home.advance(milliseconds: 1_000)
    home.take(2, offline: true)
    let twin = home.runTwice(0)
    home.create(0, ["x1", "x2"], in: list)
    home.count(0, list, 10)
    home.advance(milliseconds: 5_000)
    home.take(0, offline: true)
    home.take(1, offline: true)
    home.take(2, offline: false)
    home.take(twin, offline: false)
    home.advance(milliseconds: 5_000)
    home.create(twin, ["y1"], in: list)
    home.count(twin, list, 100)
    home.advance(milliseconds: 5_000)
    return (home, twin, list)
  }

  private static func meet(_ home: inout Neighbourhood) {
    for node in home.nodes.indices { home.take(node, offline: false) }
    for _ in 0..<20 { home.advance(milliseconds: 15_000) }
  }

  @Test func `every edit of both images is on every replica, and every add counts once`() throws {
    var (home, twin, list) = Self.forked()
    #expect(home.texts(0, in: list) == ["x1", "x2"])
    #expect(home.texts(twin, in: list) == ["y1"])
    Self.meet(&home)
    for node in home.nodes.indices {
      #expect(home.texts(node, in: list).sorted() == ["x1", "x2", "y1"], "node \(node)")
      #expect(home.total(node, list) == 115, "node \(node)")
      #expect(home.vector(node) == home.vector(0), "node \(node)")
      #expect(home.texts(node, in: list) == home.texts(0, in: list), "node \(node)")
    }
    let isWarned = home.alarms(0).contains { if case .fork = $0 { true } else { false } }
    #expect(isWarned)
    // From the disk all is as before, on every machine, and from the log alone as well.
    let before = home.vector(0)
    for node in home.nodes.indices {
      for hasCheckpoint in [true, false] {
        if !hasCheckpoint { home.nodes[node].disk.header = nil }
        try home.restart(node)
        #expect(home.vector(node) == before, "node \(node), \(hasCheckpoint)")
        #expect(home.total(node, list) == 115, "node \(node), \(hasCheckpoint)")
      }
    }
  }

  @Test func `both images go on in sessions of their own`() {
    var (home, twin, list) = Self.forked()
    Self.meet(&home)
    home.create(0, ["later"], in: list)
    home.create(twin, ["later too"], in: list)
    Self.meet(&home)
    for node in home.nodes.indices {
      #expect(home.texts(node, in: list).count == 5, "node \(node)")
      #expect(home.vector(node) == home.vector(0), "node \(node)")
    }
  }

  @Test(arguments: [0, 1])
  func `the image of a running machine is heard beside the machine itself, and no storm comes`(
    copied: Int
  ) {
    var home = Neighbourhood()
    for name in ["anna", "bert"] { home.add(name) }
    home.pair(0, 1)
    let list = home.create(0, ["shared"])[0]
    home.advance(milliseconds: 1_000)
    let twin = home.runTwice(copied)
    home.take(twin, offline: false)
    home.advance(milliseconds: 5_000)
    home.create(copied, ["of the machine"], in: list)
    home.create(twin, ["of its image"], in: list)
    let sent = home.framesSent
    home.advance(milliseconds: 60_000)
    for node in home.nodes.indices {
      #expect(home.texts(node, in: list).count == 2, "node \(node)")
    }
    #expect(home.framesSent - sent < 200)
    // Told apart by their boots, or by what they wrote: a person is warned.
    let isWarned = home.nodes.indices.contains { node in
      home.alarms(node).contains { alarm in
        switch alarm {
        case .cloned, .fork: true
        default: false
        }
      }
    }
    #expect(isWarned)
  }
}

extension Neighbourhood {
  /// Another machine with the same key, that runs on from where `node` is now. It is offline.
  mutating func runTwice(_ node: Int) -> Int {
    let number = nodes.count
    var engine = nodes[node].engine
    engine.becameCopy(Entropy(SeededEntropy(seed: UInt64(number) &* 0x1234_5678_9ABC)))
    var copy = Node(
      engine: engine, disk: nodes[node].disk, crypto: nodes[node].crypto,
      endpoint: Self.endpoint(number), settings: nodes[node].settings)
    var effects: [Effect] = []
    for end in pipes.keys.filter({ $0.node == node }).sorted(by: { $0.link < $1.link }) {
      copy.engine.handle(.linkDown(end.link), at: now, wall: wall, into: &effects)
    }
    copy.engine.handle(.networkChanged, at: now, wall: wall, into: &effects)
    // Its disk is its own: what the lost links leave there is written.
    while let effect = effects.popLast() {
      guard case .persist(let batch, let token) = effect else { continue }
      copy.disk.write(batch)
      copy.engine.handle(.persisted(token), at: now, wall: wall, into: &effects)
    }
    copy.isUp = false
    nodes.append(copy)
    return number
  }

  /// Takes a machine off the network and stops its clock, or lets it go on.
  mutating func take(_ node: Int, offline: Bool) {
    if offline { cutAll(node) }
    let isBack = !offline && !nodes[node].isUp
    nodes[node].isUp = !offline
    if isBack {
      give(node, .networkChanged)
      settle()
    }
  }

  mutating func count(_ node: Int, _ item: ItemID, _ delta: Int64) {
    let edit = Edit.increment(item, .named(Text("stock")), by: delta)
    give(node, .edit(EditRequest(token: UInt64(nodes[node].seen.count + 1), edits: [edit])))
    settle()
  }

  func total(_ node: Int, _ item: ItemID) -> Int64? {
    nodes[node].engine.replica.counterTotal(of: item, .named(Text("stock")))
  }

  func vector(_ node: Int) -> VersionVector { nodes[node].engine.replica.vector }
}
