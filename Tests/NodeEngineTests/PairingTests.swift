// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Testing
import WireCodec

/// Codes, and what becomes of wrong, used and late ones.
@Suite struct PairingTests {
  private func code(_ hood: Neighbourhood, _ node: Int) -> PairingCode {
    hood.pairingEvents(node).compactMap {
      if case .inviteOpened(let code) = $0 { code } else { nil }
    }.last!
  }

  @Test func `a code is read back as people type it`() {
    var entropy = Entropy(SeededEntropy(state: 5))
    let code = PairingCode(using: &entropy)
    let typed = code.text.lowercased().replacing("-", with: " ").replacing("0", with: "o")
    #expect(code.text.utf8.count == 23)
    #expect(PairingCode(typed) == code)
    #expect(PairingCode(code.text.replacing("1", with: "l")) == code)
  }

  @Test func `every wrong letter and every swap of neighbours is noticed`() {
    var entropy = Entropy(SeededEntropy(state: 6))
    for _ in 0..<20 {
      let text = Array(PairingCode(using: &entropy).text.replacing("-", with: "").utf8)
      for place in text.indices {
        for letter in "0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8 where letter != text[place] {
          var wrong = text
          wrong[place] = letter
          #expect(PairingCode(String(decoding: wrong, as: UTF8.self)) == nil)
        }
        guard place > 0, text[place] != text[place - 1] else { continue }
        var swapped = text
        swapped.swapAt(place, place - 1)
        #expect(PairingCode(String(decoding: swapped, as: UTF8.self)) == nil)
      }
    }
    #expect(PairingCode("") == nil)
    #expect(PairingCode("AAAAA-AAAAA-AAAAA-AAAAU") == nil)
  }

  @Test func `a wrong code is refused and burns nothing`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.give(a, .openInvite)
    hood.settle()
    var entropy = Entropy(SeededEntropy(state: 77))
    hood.give(b, .join(PairingCode(using: &entropy), at: [hood.nodes[a].endpoint]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(b) == [.joinFailed(.refused)])
    #expect(hood.nodes[a].engine.isInviting)
    #expect(hood.nodes[a].engine.peerStatuses(at: hood.now) == [])
    hood.advance(milliseconds: 20_000)
    hood.give(b, .join(code(hood, a), at: [hood.nodes[a].endpoint]))
    hood.advance(milliseconds: 2000)
    #expect(hood.state(a, of: b) == .inSync)
  }

  @Test func `a used code lets nobody in again`() {
    var hood = Neighbourhood()
    let (a, b, c) = (hood.add("anna"), hood.add("bert"), hood.add("cleo"))
    hood.pair(a, b)
    hood.give(c, .join(code(hood, a), at: [hood.nodes[a].endpoint]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(c) == [.joinFailed(.refused)])
    #expect(hood.nodes[a].engine.peerStatuses(at: hood.now).count == 1)
    #expect(hood.nodes[a].disk.spentInvites.count == 1)
  }

  @Test func `an invite ends after ten minutes`() {
    var hood = Neighbourhood()
    let a = hood.add("anna")
    hood.give(a, .openInvite)
    hood.advance(milliseconds: 599_000)
    #expect(hood.nodes[a].engine.isInviting)
    hood.advance(milliseconds: 2_000)
    #expect(hood.pairingEvents(a).last == .inviteClosed(.expired))
  }

  @Test func `the code is spent on disk before the record, and the record before the answer`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.give(a, .openInvite)
    hood.settle()
    hood.nodes[a].holdsDisk = true
    hood.give(b, .join(code(hood, a), at: [hood.nodes[a].endpoint]))
    hood.settle()
    let (first, token) = hood.nodes[a].heldBatches.removeFirst()
    #expect(first.spentInvites.count == 1 && first.rosterRecords.isEmpty)
    hood.give(a, .persisted(token))
    hood.settle()
    let (second, next) = hood.nodes[a].heldBatches.removeFirst()
    #expect(second.rosterRecords.count == 1)
    #expect(hood.pairingEvents(b).isEmpty)
    hood.nodes[a].holdsDisk = false
    hood.give(a, .persisted(next))
    hood.settle()
    #expect(hood.pairingEvents(b).count == 1)
  }

  @Test func `nobody at all is told apart from somebody who refuses`() {
    var hood = Neighbourhood()
    let b = hood.add("bert")
    var entropy = Entropy(SeededEntropy(state: 78))
    hood.give(b, .join(PairingCode(using: &entropy), at: [Neighbourhood.endpoint(9)]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(b) == [.joinFailed(.nobodyFound)])
  }

  @Test func `whoever has lists of its own does not give them up for a code`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.create(b, ["mine"])
    hood.give(a, .openInvite)
    hood.settle()
    hood.give(b, .join(code(hood, a), at: [hood.nodes[a].endpoint]))
    hood.settle()
    #expect(hood.pairingEvents(b) == [.joinFailed(.spaceInUse)])
    #expect(hood.texts(b) == ["mine"])
  }

  @Test func `an inviter is found by what mDNS shows`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.give(a, .openInvite)
    hood.settle()
    hood.give(b, .join(code(hood, a), at: []))
    hood.settle()
    let tag = hood.nodes[a].seen.compactMap { effect -> DiscoveryTag? in
      if case .advertise(let tag) = effect { tag } else { nil }
    }.last!
    #expect(tag.isInviting)
    hood.give(b, .discovered(hood.nodes[a].endpoint, tag))
    hood.advance(milliseconds: 1000)
    #expect(hood.state(b, of: a) == .inSync)
  }
}
