// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Testing
import WireCodec

/// Two and three whole engines: pairing, syncing, restarts.
@Suite struct TogetherTests {
  @Test func `two paired agents show each other in sync and carry edits both ways`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    #expect(hood.state(a, of: b) == .inSync)
    #expect(hood.state(b, of: a) == .inSync)
    let list = hood.create(a, ["groceries"])[0]
    hood.create(b, ["milk", "bread"], in: list)
    hood.create(a, ["eggs"], in: list)
    #expect(hood.texts(b) == ["groceries"])
    #expect(hood.texts(a, in: list) == ["milk", "bread", "eggs"])
    #expect(hood.texts(b, in: list) == hood.texts(a, in: list))
    #expect(hood.state(a, of: b) == .inSync)
    #expect(hood.alarms(a) == [] && hood.alarms(b) == [])
  }

  @Test func `guests of one host meet each other without any address typed`() {
    var hood = Neighbourhood()
    let (a, b, c) = (hood.add("anna"), hood.add("bert"), hood.add("cleo"))
    hood.pair(a, b)
    hood.pair(a, c)
    hood.advance(milliseconds: 2000)
    for (one, other) in [(a, b), (a, c), (b, a), (b, c), (c, a), (c, b)] {
      #expect(hood.state(one, of: other) == .inSync, "\(one) of \(other)")
    }
    hood.create(b, ["tools"])
    #expect(hood.texts(c) == ["tools"])
  }

  @Test func `what was edited apart is together again after the links come back`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    let list = hood.create(a, ["list"])[0]
    hood.give(b, .pause)
    hood.settle()
    hood.create(a, (0..<20).map { "a\($0)" }, in: list)
    hood.create(b, (0..<20).map { "b\($0)" }, in: list)
    #expect(hood.state(a, of: b) == .offline)
    #expect(hood.texts(a, in: list).count == 20)
    hood.give(b, .resume)
    hood.advance(milliseconds: 1000)
    #expect(hood.texts(a, in: list) == hood.texts(b, in: list))
    #expect(hood.texts(a, in: list).count == 40)
    #expect(hood.state(a, of: b) == .inSync)
  }

  @Test func `an agent that restarts keeps every acknowledged edit and goes on in a new session`()
    throws
  {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    let list = hood.create(a, ["list"])[0]
    try hood.restart(a)
    hood.create(a, ["after"], in: list)
    hood.advance(milliseconds: 1500)
    #expect(hood.texts(b, in: list) == ["after"])
    #expect(hood.state(a, of: b) == .inSync)
    let sessions = hood.nodes[a].disk.log.keys.count
    #expect(sessions == 2)
    #expect(hood.nodes[b].engine.replica.vector == hood.nodes[a].engine.replica.vector)
  }

  @Test func `a restart does not send what the peer already holds again`() throws {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    let list = hood.create(a, ["list"])[0]
    hood.create(a, (0..<500).map { "row number \($0)" }, in: list)
    hood.give(b, .pause)
    hood.settle()
    try hood.restart(a)
    hood.create(a, ["new session"], in: list)
    let before = hood.bytesSent
    hood.give(b, .resume)
    hood.advance(milliseconds: 1000)
    #expect(hood.texts(b, in: list).count == 501)
    #expect(hood.bytesSent - before < 4_000)
  }

  @Test func `a change goes through a member in the middle`() {
    var hood = Neighbourhood()
    let (a, b, c) = (hood.add("anna"), hood.add("bert"), hood.add("cleo"))
    hood.pair(a, b)
    hood.pair(a, c)
    hood.advance(milliseconds: 2000)
    // b and c lose each other for good: only a is left between them.
    for end in hood.pipes.filter({ $0.key.node == b && $0.value.node == c }).keys {
      hood.cut(end)
      hood.give(b, .linkDown(end.link))
    }
    hood.blackHoles = [hood.nodes[b].endpoint, hood.nodes[c].endpoint]
    hood.settle()
    hood.create(b, ["over a"])
    hood.advance(milliseconds: 100)
    #expect(hood.texts(c) == ["over a"])
  }

  @Test func `a large transaction is cut into a group and arrives whole`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    let list = hood.create(a, ["list"])[0]
    let rows = (0..<3000).map { "a row with a text that is not short, number \($0)" }
    let ids = hood.create(a, rows, in: list)
    hood.advance(milliseconds: 100)
    #expect(ids.count == 3000)
    #expect(hood.texts(b, in: list) == rows)
    #expect(hood.state(a, of: b) == .inSync)
  }

  @Test func `an edit is answered after it is on disk and sent before`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    hood.nodes[a].holdsDisk = true
    #expect(hood.create(a, ["early"]) == [])
    #expect(hood.texts(b) == ["early"])
    let (batch, token) = hood.nodes[a].heldBatches[0]
    hood.nodes[a].holdsDisk = false
    hood.nodes[a].disk.write(batch)
    hood.give(a, .persisted(token))
    hood.settle()
    let answers = hood.nodes[a].seen.filter { if case .edited = $0 { true } else { false } }
    #expect(answers.count == 1)
  }

  @Test func `a newcomer to a large history gets columns and then the rest`() {
    var hood = Neighbourhood()
    let few: (inout EngineSettings) -> Void = { $0.snapshotChangesMin = 16 }
    let (a, b) = (hood.add("anna", few), hood.add("bert", few))
    let list = hood.create(a, ["list"])[0]
    for number in 0..<40 { hood.create(a, ["row \(number)"], in: list) }
    hood.pair(a, b)
    #expect(hood.texts(b, in: list).count == 40)
    #expect(hood.nodes[b].disk.header != nil)
    #expect(hood.snapshotsSent == 1)
    #expect(hood.logged(b) == 41)
    hood.create(b, ["by b"], in: list)
    hood.create(a, ["by a"], in: list)
    #expect(hood.texts(a, in: list) == hood.texts(b, in: list))
    #expect(hood.state(a, of: b) == .inSync && hood.state(b, of: a) == .inSync)
  }

  @Test func `a newcomer can pass a snapshot on after a restart`() throws {
    var hood = Neighbourhood()
    let few: (inout EngineSettings) -> Void = { $0.snapshotChangesMin = 16 }
    let (a, b, c) = (hood.add("anna", few), hood.add("bert", few), hood.add("cleo", few))
    let list = hood.create(a, ["list"])[0]
    for number in 0..<40 { hood.create(a, ["row \(number)"], in: list) }
    hood.pair(a, b)
    try hood.restart(b)
    hood.advance(milliseconds: 1500)
    hood.nodes[a].isUp = false
    hood.cutAll(a)
    hood.pair(b, c)
    #expect(hood.texts(c, in: list).count == 40)
  }

  @Test func `a run that was lost on a living link is sent again`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    var lost = 0
    hood.tamper = { hood, node, bytes in
      guard node == a, case .run? = try? Frame(decoding: bytes) else { return }
      bytes = Frame.pong(nonce: 0, wall: hood.wall).bytes
      lost += 1
    }
    hood.create(a, ["once more"])
    #expect(lost == 1 && hood.texts(b) == [])
    hood.tamper = nil
    let before = hood.nodes[a].seen.count
    hood.advance(milliseconds: 45_000)
    #expect(hood.texts(b) == ["once more"])
    let isSameLink = !hood.nodes[a].seen[before...].contains {
      if case .close = $0 { true } else { false }
    }
    #expect(isSameLink)
  }

  @Test func `silence ends a link and both dial again`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    hood.pipes = [:]
    hood.create(a, ["into the void"])
    hood.advance(milliseconds: 50_000)
    #expect(hood.texts(b) == ["into the void"])
    #expect(hood.state(a, of: b) == .inSync)
  }

  @Test func `a clock that goes wrong while a link is up is measured, whatever it says`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    func offset() -> Int64? {
      hood.nodes[a].engine.peerStatuses(at: hood.now).first?.clockOffsetMilliseconds
    }
    #expect(offset() == 0)
    hood.tamper = { _, node, bytes in
      guard node == b, case .pong(let nonce, let wall)? = try? Frame(decoding: bytes)
      else { return }
      let later = WallTime(milliseconds: wall.milliseconds + 3_600_000)
      bytes = Frame.pong(nonce: nonce, wall: later).bytes
    }
    hood.advance(milliseconds: 16_000)
    #expect(offset() == 3_600_000)
    for extreme in [Int64.min, .max] {
      hood.tamper = { _, node, bytes in
        guard node == b, case .pong(let nonce, _)? = try? Frame(decoding: bytes) else { return }
        bytes = Frame.pong(nonce: nonce, wall: WallTime(milliseconds: extreme)).bytes
      }
      hood.advance(milliseconds: 16_000)
      #expect(offset().map { abs($0) } == 1_000_000_000_000_000)
    }
  }

  @Test func `quiet agents only ping`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    hood.create(a, ["something"])
    hood.advance(milliseconds: 20_000)
    let before = hood.framesSent
    hood.advance(milliseconds: 150_000)
    #expect(hood.framesSent - before <= 40)
    #expect(hood.alarms(a) == [] && hood.alarms(b) == [])
  }
}
