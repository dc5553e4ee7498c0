// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Testing
import WireCodec

/// Dead items that became cold, between engines: restarts, undeletes, newcomers.
@Suite struct ColdItemTests {
  /// Two members, of which the first has deleted a row with three rows under it; all that is cold with
  /// both.
  private func settled() -> (hood: Neighbourhood, list: ItemID, top: ItemID) {
    var hood = Neighbourhood()
    for name in ["a", "b"] {
      hood.add(name) {
        ($0.historyDays, $0.coldItemsMin, $0.warmItemsPerColdMax) = (0, 1, .max)
        ($0.floorInterval, $0.statementInterval) = (.seconds(2), .seconds(20))
        $0.snapshotChangesMin = 16
      }
    }
    hood.pair(0, 1)
    let list = hood.create(0, ["list"])[0]
    let top = hood.create(0, ["top", "other"], in: list)[0]
    hood.create(1, ["x", "y", "z"], in: top)
    hood.advance(milliseconds: 60_000)
    edit(&hood, 0, .setAlive(top, false))
    hood.advance(milliseconds: 120_000)
    return (hood, list, top)
  }

  private func edit(_ hood: inout Neighbourhood, _ node: Int, _ edit: Edit) {
    hood.give(node, .edit(EditRequest(token: 9_000, edits: [edit])))
    hood.settle()
  }

  private func cold(_ hood: Neighbourhood) -> [Int] {
    hood.nodes.map(\.engine.replica.coldItemCount)
  }

  @Test func `an undelete on one machine brings back on all what was buried and cold`() throws {
    var (hood, list, top) = settled()
    #expect(cold(hood) == [4, 4])
    for node in 0..<2 {
      #expect(hood.logged(node) == 0)
      try hood.restart(node)
    }
    hood.advance(milliseconds: 30_000)
    #expect(cold(hood) == [4, 4])
    edit(&hood, 1, .setAlive(top, true))
    hood.advance(milliseconds: 30_000)
    for node in 0..<2 {
      #expect(hood.texts(node, in: list) == ["top", "other"])
      #expect(hood.texts(node, in: top) == ["x", "y", "z"])
    }
    #expect(cold(hood) == [0, 0])
    // What was brought back is read again at the next start, and so is what is cold again.
    edit(&hood, 0, .setAlive(top, false))
    hood.advance(milliseconds: 120_000)
    #expect(cold(hood) == [4, 4])
    for node in 0..<2 { try hood.restart(node) }
    hood.advance(milliseconds: 30_000)
    #expect(cold(hood) == [4, 4])
    for node in 0..<2 { #expect(hood.texts(node, in: list) == ["other"]) }
  }

  @Test func `a damaged chunk of cold items comes back from the others`() throws {
    var (hood, list, top) = settled()
    hood.give(1, .checkpoint)
    hood.settle()
    let bytes = try #require(hood.nodes[1].disk.header)
    let header = try ImageCodec.decodeHeader(
      bytes, crypto: hood.nodes[1].crypto, packer: NoPacking())
    #expect(header.coldCount == 1)
    let first = try #require(hood.nodes[1].disk.chunks.keys.min())
    hood.nodes[1].disk.chunks[first]?[40] ^= 1
    try hood.restart(1)
    hood.advance(milliseconds: 120_000)
    #expect(hood.texts(1, in: list) == ["other"])
    #expect(cold(hood) == [4, 4])
    edit(&hood, 1, .setAlive(top, true))
    hood.advance(milliseconds: 30_000)
    for node in 0..<2 { #expect(hood.texts(node, in: top) == ["x", "y", "z"]) }
  }

  @Test func `a newcomer gets cold items as they are, and can undelete them`() throws {
    var (hood, list, top) = settled()
    for number in 0..<40 { hood.create(0, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 120_000)
    let third = hood.add("c") { $0.floorInterval = .seconds(2) }
    hood.pair(0, third)
    hood.advance(milliseconds: 60_000)
    #expect(hood.snapshotsSent > 0)
    #expect(cold(hood) == [4, 4, 4], "\(hood.snapshotsSent)")
    try hood.restart(third)
    hood.advance(milliseconds: 30_000)
    edit(&hood, third, .setAlive(top, true))
    hood.advance(milliseconds: 30_000)
    for node in 0..<3 { #expect(hood.texts(node, in: top) == ["x", "y", "z"]) }
  }

  @Test func `few dead items stay in the columns`() {
    var hood = Neighbourhood.keeping(days: 0, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    let item = hood.create(0, ["item"], in: list)[0]
    edit(&hood, 0, .setAlive(item, false))
    hood.advance(milliseconds: 120_000)
    #expect(hood.logged(0) == 0)
    #expect(cold(hood) == [0, 0])
  }
}
