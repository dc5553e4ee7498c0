// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import Testing
import WireCodec

/// A reader whose agent does not obey.
@Suite struct ReaderTests {
  /// A well-formed, well-signed change that makes one item under the root.
  private func forged(_ hood: Neighbourhood, by node: Int) -> SignedChange {
    let crypto = hood.nodes[node].crypto
    let head = SessionHead(device: crypto.deviceID, salt: 5, predecessor: nil)
    let key = PositionGenerator.between(nil, nil, tag: WriterTag(7)) { _ in nil }
    let change = Change(
      session: crypto.sessionID(head), seq: 1, head: head, prev: .zero,
      h: UInt64(hood.wall.milliseconds) << 16, seen: [], nonce: 12_345, group: nil,
      ops: [.create(firstIndex: 0, count: 1, parent: .root, firstKey: key, columns: [])])
    let space = hood.nodes[0].engine.roster!.space
    return SignedChange(signing: change, space: space, crypto: crypto)
  }

  /// Puts a frame of `node` on its link to `other`.
  private func inject(_ frame: Frame, from node: Int, to other: Int, _ hood: inout Neighbourhood) {
    let end = hood.pipes.first { $0.key.node == other && $0.value.node == node }!.key
    hood.give(other, .frame(frame.bytes, end.link))
    hood.settle()
  }

  private func send(
    _ change: SignedChange, from node: Int, to other: Int, _ hood: inout Neighbourhood
  ) {
    inject(.run(RunCodec.encode([change.bytes])), from: node, to: other, &hood)
  }

  @Test func `what a reader signs nobody takes, and the link goes on`() {
    var hood = Neighbourhood()
    let (a, b, c) = (hood.add("anna"), hood.add("bert"), hood.add("cleo"))
    hood.pair(a, b, as: .reader)
    hood.pair(a, c, as: .member)
    hood.advance(milliseconds: 2000)
    send(forged(hood, by: b), from: b, to: a, &hood)
    hood.advance(milliseconds: 1000)
    #expect(hood.nodes[a].engine.replica.itemCount == 0)
    #expect(hood.nodes[c].engine.replica.itemCount == 0)
    #expect(hood.alarms(a) == [.readerWrote(hood.nodes[b].crypto.deviceID)])
    hood.create(a, ["still there"])
    #expect(hood.texts(b) == ["still there"] && hood.state(a, of: b) == .inSync)
  }

  @Test func `the same change of a member is taken`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b, as: .member)
    send(forged(hood, by: b), from: b, to: a, &hood)
    #expect(hood.nodes[a].engine.replica.itemCount == 1)
  }

  @Test func `columns of a reader are not taken`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b, as: .reader)
    inject(.snapshot(tips: [], blobs: 1, rosterHeads: []), from: b, to: a, &hood)
    #expect(hood.pipes.isEmpty, "the link is closed")
  }

  @Test func `a reader sends a newcomer the log, however long`() throws {
    var hood = Neighbourhood()
    let few: (inout EngineSettings) -> Void = { $0.snapshotChangesMin = 16 }
    let (a, b, c) = (hood.add("anna", few), hood.add("bert", few), hood.add("cleo", few))
    hood.pair(a, b, as: .reader)
    for number in 0..<40 { hood.create(a, ["row \(number)"]) }
    let code = hood.invite(a)!
    // The newcomer loses the inviter as soon as it is a member, and meets the reader only.
    hood.give(c, .join(code, at: [hood.nodes[a].endpoint]))
    while hood.pairingEvents(c).isEmpty {
      let isBusy = hood.step()
      try #require(isBusy)
    }
    hood.nodes[a].isUp = false
    hood.cutAll(a)
    hood.give(c, .fixedEndpoints([hood.nodes[b].endpoint]))
    hood.advance(milliseconds: 5000)
    #expect(hood.texts(c).count == 40)
    #expect(hood.nodes[c].disk.header == nil, "no columns came")
    #expect(hood.state(c, of: b) == .inSync)
  }
}
