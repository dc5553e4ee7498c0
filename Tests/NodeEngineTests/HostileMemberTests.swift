// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import Simulator
import Testing
import WireCodec
import Workbench

/// A member whose frames are damaged, or who signs changes that no honest agent would write.
@Suite struct HostileMemberTests {
  /// Goal: no bytes of a member trap the engine, and whatever of it was folded can be written to a
  /// checkpoint and read again. Method: whole engines talk; of every few frames one is mutated.
  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `damaged frames never trap and leave a readable state`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed, stream: "frames")
    try converse { _, bytes in
      if random.chance(20) { bytes = WireFuzz.mutated(bytes, &random) }
    }
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `well signed nonsense never traps and leaves a readable state`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed, stream: "changes")
    try converse { hood, bytes in
      guard random.chance(30), case .run(let run)? = try? Frame(decoding: bytes),
        let space = hood.nodes[0].engine.roster?.space
      else { return }
      let crypto = hood.nodes[1].crypto
      guard var changes = try? RunCodec.decode(run, crypto: crypto), let last = changes.popLast()
      else { return }
      // Most mutations break the encoding; the first that does not is signed by the member.
      for _ in 0..<40 {
        let body = WireFuzz.mutated(Array(last.body), &random)
        guard let change = try? ChangeCodec.decode(body), ChangeCodec.encode(change) == body,
          change.session == last.change.session, change.seq == last.change.seq
        else { continue }
        let signed = SignedChange(signing: change, space: space, crypto: crypto)
        bytes = Frame.run(RunCodec.encode((changes + [signed]).map(\.bytes))).bytes
        return
      }
    }
  }

  @Test func `items of a reserved parent are refused, for no checkpoint could hold them`() {
    let parents = [ItemID(nonce: 0, index: 5), ItemID(nonce: .max, index: 5)]
    for parent in parents {
      var change = WireSamples.everyOp
      let key = PositionGenerator.between(nil, nil, tag: WriterTag(7)) { _ in nil }
      change.ops = [.create(firstIndex: 0, count: 1, parent: parent, firstKey: key, columns: [])]
      #expect(change.defect == .reservedItem)
    }
  }

  /// Two nodes edit, lose each other and meet again, while `tamper` sees all that the second sends.
  private func converse(
    _ tamper: @escaping (Neighbourhood, inout [UInt8]) -> Void
  ) throws {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    let list = hood.create(a, ["list"])[0]
    hood.tamper = { hood, node, bytes in
      if node == b { tamper(hood, &bytes) }
    }
    for round in 0..<15 {
      let items = hood.create(b, ["b\(round)", "c\(round)"], in: list)
      hood.create(a, ["a\(round)"], in: list)
      var edits: [Edit] = []
      if let item = items.first {
        edits = [
          .set(item, .named("qty"), .int(Int64(round))), .move([item], parent: list, at: .top),
          .increment(item, .named("n"), by: 1),
        ]
        if round % 5 == 4 { edits = [.setAlive(item, false)] }
      }
      hood.give(b, .edit(EditRequest(token: UInt64(1000 + round), edits: edits)))
      hood.settle()
      if round % 7 == 6 { hood.cutAll(a) }
      hood.advance(milliseconds: 5000)
    }
    try checkImage(hood.nodes[a].engine.replica)
    try checkImage(hood.nodes[b].engine.replica)
    hood.tamper = nil
    try hood.restart(a)
    #expect(hood.texts(a).contains("list"))
  }

  private func checkImage(_ replica: Replica) throws {
    let chunks = (0..<replica.chunkCount).map { replica.chunk(at: $0) }
    _ = try Replica(header: replica.header(), chunks: chunks)
  }
}
