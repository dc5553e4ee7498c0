// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import Testing
import WireCodec
import Workbench

@testable import NodeEngine

/// Who is linked to whom in a large space.
@Suite struct MeshTests {
  private func ids(_ count: Int, _ seed: UInt64) -> [DeviceID] {
    var random = SplitMix64(seed: seed, stream: "mesh")
    return (0..<count).map { _ in DeviceID(random.next(), 0, 0, 0) }.sorted()
  }

  /// Who each of `present` wishes for, when everybody knows by trying who is away.
  private func wishes(_ ids: [DeviceID], present: Set<DeviceID>) -> [DeviceID: Set<DeviceID>] {
    var out: [DeviceID: Set<DeviceID>] = [:]
    for id in ids where present.contains(id) {
      let others = ids.filter { $0 != id }
      out[id] = MeshShape.wanted(by: id, among: others, links: 8) {
        present.contains($0) ? .untried : .away
      }
    }
    return out
  }

  private func reached(from start: DeviceID, _ wishes: [DeviceID: Set<DeviceID>]) -> Int {
    var seen: Set<DeviceID> = [start]
    var open = [start]
    while let id = open.popLast() {
      for (other, wanted) in wishes where !seen.contains(other) {
        guard wanted.contains(id) || wishes[id]?.contains(other) == true else { continue }
        seen.insert(other)
        open.append(other)
      }
    }
    return seen.count
  }

  @Test(arguments: [17, 18, 20, 33, 64, 200])
  func `where all are there each has eight links, and wishes are mutual`(_ count: Int) {
    let ids = ids(count, UInt64(count))
    let wishes = wishes(ids, present: Set(ids))
    #expect(wishes.values.allSatisfy { $0.count == 8 })
    for (id, wanted) in wishes {
      #expect(wanted.allSatisfy { wishes[$0]?.contains(id) == true })
    }
    #expect(reached(from: ids[0], wishes) == count)
  }

  @Test func `whoever is there is connected, whoever is away`() {
    for seed in 0..<60 {
      var random = SplitMix64(seed: UInt64(seed), stream: "away")
      let ids = ids(17 + random.below(40), UInt64(seed))
      let percent = random.below(95)
      let present = Set(ids.filter { _ in !random.chance(percent) })
      guard let first = ids.first(where: present.contains) else { continue }
      let wishes = wishes(ids, present: present)
      #expect(reached(from: first, wishes) == present.count, "seed \(seed)")
      for (_, wanted) in wishes {
        #expect(wanted.intersection(present).count == min(8, present.count - 1), "seed \(seed)")
      }
    }
  }

  @Test func `sixteen members have a link each to each`() {
    var policy = DialPolicy(settings: EngineSettings(), device: DeviceID(5, 0, 0, 0))
    policy.members(ids(15, 1))
    #expect(policy.wanted == nil)
    policy.members(ids(16, 1))
    #expect(policy.wanted != nil)
  }

  private func links(_ hood: Neighbourhood, _ node: Int) -> Int {
    Set(hood.pipes.filter { $0.key.node == node }.map(\.value.node)).count
  }

  @Test func `twenty nodes keep few links, and every edit reaches all, also past dead ones`() throws
  {
    var hood = Neighbourhood()
    let all = Array(0..<20)
    for number in all { hood.add("n\(number)") { $0.visitInterval = .seconds(600) } }
    for number in all.dropFirst() { hood.pair(0, number, as: .member) }
    hood.advance(milliseconds: 40_000)
    for node in all {
      // Eight of the shape and visits, its own and those of others.
      #expect((8...12).contains(links(hood, node)), "node \(node) has \(links(hood, node)) links")
    }
    let before = hood.framesSent
    hood.create(7, ["from seven"])
    hood.advance(milliseconds: 500)
    #expect(hood.framesSent - before < 20 * 20)
    for node in all { #expect(hood.texts(node) == ["from seven"], "node \(node)") }

    let dead = [0, 3, 4, 11, 12, 19]
    for node in dead {
      hood.nodes[node].isUp = false
      hood.cutAll(node)
    }
    hood.advance(milliseconds: 30_000)
    let alive = all.filter { !dead.contains($0) }
    hood.create(8, ["from eight"])
    hood.advance(milliseconds: 500)
    for node in alive { #expect(hood.texts(node).count == 2, "node \(node)") }

    for node in dead { try hood.restart(node) }
    hood.create(0, ["from a node that was dead"])
    hood.advance(milliseconds: 70_000)
    for node in all {
      #expect(hood.texts(node).count == 3, "node \(node)")
      #expect((8...12).contains(links(hood, node)), "node \(node) has \(links(hood, node)) links")
      #expect(hood.alarms(node) == [])
    }
  }

  @Test func `members without a link are visited in turn, while it takes, and count as relayed`() {
    var hood = Neighbourhood()
    let all = Array(0..<18)
    for number in all { hood.add("n\(number)") { $0.visitInterval = .seconds(2) } }
    for number in all.dropFirst() { hood.pair(0, number, as: .member) }
    hood.create(5, ["milk"])
    hood.advance(milliseconds: 60_000)
    let statuses = hood.nodes[5].engine.peerStatuses(at: hood.now)
    #expect(statuses.count == 17)
    #expect(statuses.allSatisfy { $0.state == .inSync && $0.toSend == 0 })
    #expect(statuses.contains { $0.isRelayed && $0.link == nil })
    #expect(hood.nodes[5].engine.changesOnlyHere() == 0)
    hood.create(5, ["bread"])
    let relayed = hood.nodes[5].engine.peerStatuses(at: hood.now).filter(\.isRelayed)
    #expect(!relayed.isEmpty && relayed.allSatisfy { $0.state == .syncing && $0.toSend == 1 })
    // A visit lasts as long as there is something to bring.
    hood.advance(milliseconds: 20_000)
    for node in all where node != 5 { hood.nodes[node].holdsDisk = true }
    hood.create(5, ["eggs"])
    hood.advance(milliseconds: 30_000)
    let busy = links(hood, 5)
    for node in all where node != 5 { hood.release(node) }
    hood.settle()
    hood.advance(milliseconds: 30_000)
    #expect(busy > 12 && links(hood, 5) < busy)
    for node in all { #expect(hood.texts(node) == ["milk", "bread", "eggs"], "node \(node)") }
  }
}
