// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Simulator
import Testing
import WireCodec

/// Goal: whatever breaks, all agents end equal once it is over. Method: a few engines are edited,
/// paused, cut, held up by their disks and crashed at random, from a seed; then all is healed.
@Suite struct TroubleTests {
  @Test(arguments: [3, 9, 45, 58] as [UInt64])
  func `agents that went through trouble are equal when it is over`(_ seed: UInt64) throws {
    var random = SeededEntropy(seed: seed)
    var hood = Neighbourhood()
    let count = 3
    for number in 0..<count {
      hood.add("n\(number)") {
        $0.snapshotChangesMin = 16
        $0.recentBytesMax = 2000
        $0.windowBytesMax = 4000
      }
    }
    let list = hood.create(0, ["list"])[0]
    for number in 1..<count { hood.pair(0, number) }
    for _ in 0..<100 {
      try trouble(&hood, Int.random(in: 0..<count, using: &random), list, &random)
    }
    for node in 0..<count {
      hood.release(node)
      hood.give(node, .resume)
    }
    hood.advance(milliseconds: 120_000)
    for node in 0..<count {
      #expect(hood.texts(node, in: list) == hood.texts(0, in: list))
      #expect(hood.nodes[node].engine.replica.vector == hood.nodes[0].engine.replica.vector)
      #expect(hood.alarms(node) == [])
      for other in 0..<count where other != node {
        #expect(hood.state(node, of: other) == .inSync)
      }
    }
  }

  private func trouble(
    _ hood: inout Neighbourhood, _ node: Int, _ list: ItemID, _ random: inout SeededEntropy
  ) throws {
    switch Int.random(in: 0..<15, using: &random) {
    case 0: hood.give(node, .pause)
    case 1, 2: hood.give(node, .resume)
    case 3: try hood.restart(node)
    case 4: hood.cutAll(node)
    case 5: hood.give(node, .checkpoint)
    case 6: hood.advance(milliseconds: UInt64.random(in: 1...20_000, using: &random))
    case 7: hood.create(node, (0..<50).map { "bulk \($0) of \(node)" }, in: list)
    case 8: hood.pipes = hood.pipes.filter { $0.key.node != node && $0.value.node != node }
    case 9, 10: hood.nodes[node].holdsDisk = true
    case 11: hood.release(node)
    default: hood.create(node, ["row \(random.next() % 1000)"], in: list)
    }
    hood.settle()
  }
}
