// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import Testing

/// Roles and names, and what others are known to hold.
@Suite struct RosterActTests {
  private func answers(_ hood: Neighbourhood, _ node: Int) -> [Bool] {
    hood.nodes[node].seen.compactMap {
      if case .amended(_, let isDone) = $0 { isDone } else { nil }
    }
  }

  private func member(_ hood: Neighbourhood, _ node: Int, _ of: Int) -> Member? {
    hood.nodes[node].engine.roster?.view.member(hood.nodes[of].engine.device)
  }

  @Test func `an admin renames and demotes, and all see it; who may not is told so`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    let bert = hood.nodes[b].engine.device
    hood.give(a, .amend(token: 1, .rename(bert, Text("bert (old)"))))
    hood.give(a, .amend(token: 2, .role(bert, .reader)))
    hood.settle()
    #expect(answers(hood, a) == [true, true])
    #expect(member(hood, b, b)?.name == Text("bert (old)"))
    #expect(member(hood, b, b)?.role == .reader)
    // A reader may still say its own name, and nothing else.
    hood.give(b, .amend(token: 3, .rename(bert, Text("bert"))))
    hood.give(b, .amend(token: 4, .role(bert, .admin)))
    hood.give(b, .amend(token: 5, .rename(hood.nodes[a].engine.device, Text("x"))))
    hood.settle()
    #expect(answers(hood, b).sorted { !$0 && $1 } == [false, false, true])
    #expect(member(hood, a, b)?.name == Text("bert"))
    #expect(member(hood, a, b)?.role == .reader)
    #expect(member(hood, a, a)?.name == Text("anna"))
  }

  @Test func `an edit counts as held by a peer only when the peer has it on disk`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b)
    func isHeld() -> Bool {
      let engine = hood.nodes[a].engine
      guard let tip = engine.ownTip else { return false }
      return engine.acknowledged().contains { engine.replica.contains(tip.dot, $0.coverage) }
    }
    #expect(!isHeld())
    hood.nodes[b].holdsDisk = true
    hood.create(a, ["milk"])
    hood.settle()
    #expect(hood.texts(b) == ["milk"])
    #expect(!isHeld())
    hood.nodes[b].holdsDisk = false
    for (batch, token) in hood.nodes[b].heldBatches {
      hood.nodes[b].disk.write(batch)
      hood.give(b, .persisted(token))
    }
    hood.settle()
    #expect(isHeld())
  }
}
