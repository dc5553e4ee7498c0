// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Testing

/// A device whose whole data went back to an earlier state (reliability R1, R2): nothing on the device
/// itself shows that, but what it had acknowledged does.
@Suite struct SetbackTests {
  /// Three members; the disk of the first is as it was before the second row.
  private static func putBack() throws -> (home: Neighbourhood, list: ItemID) {
    var (home, list) = Neighbourhood.household()
    home.create(0, ["before"], in: list)
    home.advance(milliseconds: 20_000)
    let kept = home.nodes[0].disk
    home.create(0, ["after"], in: list)
    home.create(1, ["of another"], in: list)
    // Long enough for a ping: what is on the disk of the first is known to the others.
    home.advance(milliseconds: 20_000)
    home.take(0, offline: true)
    home.nodes[0].disk = kept
    return (home, list)
  }

  private static func setbacks(_ home: Neighbourhood, _ node: Int) -> [DeviceID] {
    home.alarms(node).compactMap { if case .setback(let device) = $0 { device } else { nil } }
  }

  private func checkAllIsBack(_ home: Neighbourhood, _ list: ItemID, _ texts: Set<String>) {
    for node in home.nodes.indices {
      #expect(Set(home.texts(node, in: list)) == texts, "node \(node)")
      #expect(home.texts(node, in: list).count == texts.count, "node \(node)")
    }
  }

  @Test func `a backup that was put back with its key is noticed there and where it is met first`()
    throws
  {
    var (home, list) = try Self.putBack()
    let device = home.nodes[0].engine.device
    try home.restart(0)
    home.advance(milliseconds: 20_000)
    // Who meets it later finds all of it back.
    let warnings = home.nodes.indices.map { Self.setbacks(home, $0) }
    #expect(warnings[0] == [device] && warnings[1] + warnings[2] == [device])
    checkAllIsBack(home, list, ["before", "after", "of another"])
    // It has all again: the next link is no reason to speak of it.
    try home.restart(0)
    home.advance(milliseconds: 20_000)
    #expect(home.nodes.indices.map { Self.setbacks(home, $0) } == warnings)
  }

  @Test func `it is noticed although the device wrote before it met anybody`() throws {
    var (home, list) = try Self.putBack()
    let device = home.nodes[0].engine.device
    home.take(1, offline: true)
    home.take(2, offline: true)
    try home.restart(0)
    home.create(0, ["after the restore"], in: list)
    home.advance(milliseconds: 1_000)
    for node in [1, 2] { home.take(node, offline: false) }
    home.advance(milliseconds: 60_000)
    // The third one meets it when it has all back already.
    #expect([0, 1, 2].map { Self.setbacks(home, $0) } == [[device], [device], []])
    checkAllIsBack(home, list, ["before", "after", "of another", "after the restore"])
  }

  @Test func `a stop before the disk had what peers have already is no setback`() throws {
    var home = Neighbourhood()
    for name in ["anna", "bert"] { home.add(name) }
    home.pair(0, 1)
    let list = home.create(0, ["shared"])[0]
    home.advance(milliseconds: 20_000)
    home.nodes[0].holdsDisk = true
    home.create(0, ["under way"], in: list)
    home.advance(milliseconds: 5_000)
    #expect(home.texts(1, in: list) == ["under way"])
    #expect(!home.nodes[0].heldBatches.isEmpty)
    try home.restart(0)
    home.advance(milliseconds: 60_000)
    #expect(home.texts(0, in: list) == ["under way"])
    for node in home.nodes.indices { #expect(Self.setbacks(home, node).isEmpty, "node \(node)") }
  }
}
