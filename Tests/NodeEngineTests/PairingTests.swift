// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import Simulator
import Testing
import WireCodec

/// Codes, and what becomes of wrong, used and late ones.
@Suite struct PairingTests {
  @Test func `a code is read back as people type it`() {
    var entropy = Entropy(SeededEntropy(seed: 5))
    let code = PairingCode(using: &entropy)
    let typed = code.text.lowercased().replacing("-", with: " ").replacing("0", with: "o")
    #expect(code.text.utf8.count == 23)
    #expect(PairingCode(typed) == code)
    #expect(PairingCode(code.text.replacing("1", with: "l")) == code)
  }

  @Test func `what is written while a join is under way is kept, and the join says why it ended`() {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    let code = hood.invite(host)!
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    _ = hood.step()
    hood.create(guest, ["begun meanwhile"])
    hood.advance(milliseconds: 20_000)
    #expect(hood.texts(guest) == ["begun meanwhile"])
    #expect(hood.pairingEvents(guest).contains(.joinFailed(.spaceInUse)))
    #expect(hood.nodes[guest].disk.written.count == 1)
  }

  @Test func `every wrong letter and every swap of neighbours is noticed`() {
    var entropy = Entropy(SeededEntropy(seed: 6))
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
    let code = hood.invite(a)!
    var entropy = Entropy(SeededEntropy(seed: 77))
    hood.give(b, .join(PairingCode(using: &entropy), at: [hood.nodes[a].endpoint]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(b) == [.joinFailed(.refused)])
    #expect(hood.nodes[a].engine.isInviting)
    #expect(hood.nodes[a].engine.peerStatuses(at: hood.now) == [])
    hood.advance(milliseconds: 20_000)
    hood.give(b, .join(code, at: [hood.nodes[a].endpoint]))
    hood.advance(milliseconds: 2000)
    #expect(hood.state(a, of: b) == .inSync)
  }

  @Test func `a used code lets nobody in again`() {
    var hood = Neighbourhood()
    let (a, b, c) = (hood.add("anna"), hood.add("bert"), hood.add("cleo"))
    let code = hood.invite(a)!
    hood.give(b, .join(code, at: [hood.nodes[a].endpoint]))
    hood.advance(milliseconds: 1000)
    hood.give(c, .join(code, at: [hood.nodes[a].endpoint]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(c) == [.joinFailed(.refused)])
    #expect(hood.nodes[a].engine.peerStatuses(at: hood.now).count == 1)
    #expect(hood.nodes[a].disk.spentInvites.count == 1)
  }

  @Test func `an invite ends after ten minutes`() {
    var hood = Neighbourhood()
    let a = hood.add("anna")
    let code = hood.invite(a)!
    hood.advance(milliseconds: 599_000)
    #expect(hood.nodes[a].engine.isInviting)
    hood.advance(milliseconds: 2_000)
    #expect(hood.pairingEvents(a).last == .inviteClosed(code, .expired))
  }

  @Test func `the code is spent on disk before the record, and the record before the answer`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    let code = hood.invite(a)!
    hood.nodes[a].holdsDisk = true
    hood.give(b, .join(code, at: [hood.nodes[a].endpoint]))
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
    var entropy = Entropy(SeededEntropy(seed: 78))
    hood.give(b, .join(PairingCode(using: &entropy), at: [Neighbourhood.endpoint(9)]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(b) == [.joinFailed(.nobodyFound)])
  }

  @Test func `whoever has lists of its own does not give them up for a code`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.create(b, ["mine"])
    let code = hood.invite(a)!
    hood.give(b, .join(code, at: [hood.nodes[a].endpoint]))
    hood.settle()
    #expect(hood.pairingEvents(b) == [.joinFailed(.spaceInUse)])
    #expect(hood.texts(b) == ["mine"])
  }

  @Test func `an inviter is found by what mDNS shows`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    let code = hood.invite(a)!
    hood.give(b, .join(code, at: []))
    hood.settle()
    let tag = tag(hood, a)
    #expect(tag.isInviting)
    hood.give(b, .discovered(hood.nodes[a].endpoint, tag))
    hood.advance(milliseconds: 1000)
    #expect(hood.state(b, of: a) == .inSync)
  }

  private func tag(_ hood: Neighbourhood, _ node: Int) -> DiscoveryTag {
    hood.nodes[node].seen.compactMap { effect -> DiscoveryTag? in
      if case .advertise(let tag) = effect { tag } else { nil }
    }.last!
  }

  @Test func `a join that has seen nobody waits without being woken all the time`() {
    var hood = Neighbourhood()
    let b = hood.add("bert")
    var entropy = Entropy(SeededEntropy(seed: 79))
    hood.give(b, .join(PairingCode(using: &entropy), at: []))
    hood.settle()
    let next = hood.nodes[b].engine.nextDeadline!
    #expect(next.since(hood.now) >= .seconds(14))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(b) == [.joinFailed(.nobodyFound)])
  }

  // MARK: A joiner that gives up

  /// The guest gives up while the host writes it down as a member.
  private func giveUp(_ hood: inout Neighbourhood, _ host: Int, _ guest: Int) -> PairingCode {
    let code = hood.invite(host)!
    hood.nodes[host].holdsDisk = true
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.settle()
    hood.give(guest, .cancelJoin)
    hood.settle()
    #expect(hood.pairingEvents(guest) == [.joinFailed(.cancelled)])
    return code
  }

  private func letDiskGo(_ hood: inout Neighbourhood, _ node: Int) {
    hood.nodes[node].holdsDisk = false
    for (batch, token) in hood.nodes[node].heldBatches {
      hood.nodes[node].disk.write(batch)
      hood.give(node, .persisted(token))
    }
    hood.nodes[node].heldBatches = []
    hood.settle()
  }

  @Test func `who gave up after its code was taken gets in with the same code`() {
    var hood = Neighbourhood()
    let (host, guest, other) = (hood.add("host"), hood.add("guest"), hood.add("other"))
    let code = giveUp(&hood, host, guest)
    letDiskGo(&hood, host)
    #expect(hood.nodes[host].engine.peerStatuses(at: hood.now).count == 1)
    hood.give(other, .join(code, at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(other) == [.joinFailed(.refused)], "it is another device's code")
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 2000)
    #expect(hood.state(host, of: guest) == .inSync)
    #expect(hood.nodes[host].disk.spentInvites.count == 1)
    #expect(!hood.nodes[host].engine.hearsGuests, "it was met: nobody else is expected")
  }

  @Test func `who comes back while its membership is being written is answered there`() {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    let code = giveUp(&hood, host, guest)
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.settle()
    letDiskGo(&hood, host)
    hood.advance(milliseconds: 2000)
    #expect(hood.state(host, of: guest) == .inSync)
    #expect(hood.pairingEvents(guest).count == 2, "one attempt was enough")
  }

  @Test func `a code that was given up is over when the invite would be, and a new one works`() {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    let code = giveUp(&hood, host, guest)
    letDiskGo(&hood, host)
    hood.advance(milliseconds: 601_000)
    #expect(!hood.nodes[host].engine.hearsGuests)
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(guest).last == .joinFailed(.refused))
    let fresh = hood.invite(host)!
    hood.give(guest, .join(fresh, at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 2000)
    #expect(hood.state(host, of: guest) == .inSync)
  }

  // MARK: Several invites

  @Test func `each of several codes lets one in, with its role`() {
    var hood = Neighbourhood()
    let host = hood.add("host")
    let roles: [Role] = [.member, .reader, .admin]
    let guests = roles.map { hood.add("\($0)") }
    let codes = roles.map { hood.invite(host, $0)! }
    // The last code first: the others stay good.
    for number in [2, 0, 1] {
      hood.give(guests[number], .join(codes[number], at: [hood.nodes[host].endpoint]))
      hood.advance(milliseconds: 2000)
      let member = hood.nodes[host].engine.roster?.view.member(
        hood.nodes[guests[number]].crypto.deviceID)
      #expect(member?.role == roles[number])
      #expect(hood.state(host, of: guests[number]) == .inSync)
    }
    #expect(!hood.nodes[host].engine.isInviting)
    #expect(hood.nodes[host].disk.spentInvites.count == 3)
    let late = hood.add("late")
    hood.give(late, .join(codes[0], at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(late) == [.joinFailed(.refused)])
  }

  @Test func `two who prove two codes at once both get in`() {
    var hood = Neighbourhood()
    let (host, b, c) = (hood.add("host"), hood.add("bert"), hood.add("cleo"))
    let codes = [hood.invite(host)!, hood.invite(host)!]
    hood.nodes[host].holdsDisk = true
    hood.give(b, .join(codes[0], at: [hood.nodes[host].endpoint]))
    hood.give(c, .join(codes[1], at: [hood.nodes[host].endpoint]))
    hood.settle()
    hood.nodes[host].holdsDisk = false
    for (batch, token) in hood.nodes[host].heldBatches {
      hood.nodes[host].disk.write(batch)
      hood.give(host, .persisted(token))
    }
    hood.advance(milliseconds: 3000)
    #expect(hood.state(host, of: b) == .inSync && hood.state(host, of: c) == .inSync)
    #expect(hood.state(b, of: c) == .inSync)
  }

  @Test func `each invite ends at its own time and the ninth voids the first`() {
    var hood = Neighbourhood()
    let a = hood.add("anna")
    var codes: [PairingCode] = []
    for _ in 0..<8 {
      codes.append(hood.invite(a)!)
      hood.advance(milliseconds: 10_000)
    }
    #expect(hood.pairingEvents(a).allSatisfy { if case .inviteOpened = $0 { true } else { false } })
    codes.append(hood.invite(a)!)
    #expect(hood.pairingEvents(a).contains(.inviteClosed(codes[0], .withdrawn)))
    hood.advance(milliseconds: 535_000)
    #expect(hood.pairingEvents(a).contains(.inviteClosed(codes[1], .expired)))
    #expect(!hood.pairingEvents(a).contains(.inviteClosed(codes[2], .expired)))
    hood.advance(milliseconds: 100_000)
    #expect(!hood.nodes[a].engine.isInviting)
  }

  @Test func `wrong codes of one address make only that address wait`() {
    var hood = Neighbourhood()
    let (host, liar, guest) = (hood.add("host"), hood.add("liar"), hood.add("guest"))
    let code = hood.invite(host)!
    #expect(hood.invite(host) != nil, "one stays open")
    var entropy = Entropy(SeededEntropy(seed: 80))
    for _ in 0..<5 {
      hood.give(liar, .join(PairingCode(using: &entropy), at: [hood.nodes[host].endpoint]))
      hood.advance(milliseconds: 1000)
    }
    #expect(hood.pairingEvents(liar).suffix(5) == Array(repeating: .joinFailed(.refused), count: 5))
    hood.give(liar, .join(PairingCode(using: &entropy), at: [hood.nodes[host].endpoint]))
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 3000)
    #expect(hood.state(host, of: guest) == .inSync, "the other address is let in at once")
    #expect(hood.pairingEvents(liar).count == 5, "no verdict while it has to wait")
  }

  @Test func `whoever mistyped too often gets in with the right code after the pause`() {
    var hood = Neighbourhood()
    let (host, guest) = (hood.add("host"), hood.add("guest"))
    let code = hood.invite(host)!
    var entropy = Entropy(SeededEntropy(seed: 81))
    for _ in 0..<5 {
      hood.give(guest, .join(PairingCode(using: &entropy), at: [hood.nodes[host].endpoint]))
      hood.advance(milliseconds: 500)
    }
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 14_000)
    #expect(hood.state(host, of: guest) == .inSync)
  }

  @Test func `many wrong codes of many addresses make everybody wait, and burn nothing`() {
    var hood = Neighbourhood()
    let host = hood.add("host") { $0.wrongProofsOverallMax = 6 }
    let liars = (0..<6).map { hood.add("liar \($0)") }
    let guest = hood.add("guest")
    let code = hood.invite(host)!
    var entropy = Entropy(SeededEntropy(seed: 82))
    for liar in liars {
      hood.give(liar, .join(PairingCode(using: &entropy), at: [hood.nodes[host].endpoint]))
    }
    hood.advance(milliseconds: 1000)
    hood.give(guest, .join(code, at: [hood.nodes[host].endpoint]))
    hood.advance(milliseconds: 5000)
    #expect(hood.state(host, of: guest) == nil)
    #expect(hood.pairingEvents(guest).isEmpty, "it goes on trying")
    hood.advance(milliseconds: 8000)
    #expect(hood.state(host, of: guest) == .inSync)
  }

  // MARK: Roles

  @Test func `only an admin may invite`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b, as: .member)
    #expect(hood.invite(b) == nil)
    #expect(hood.pairingEvents(b).last == .inviteRefused(.notAdmin))
  }

  @Test func `a reader sees everything and writes nothing`() {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    hood.pair(a, b, as: .reader)
    hood.create(a, ["groceries"])
    #expect(hood.texts(b) == ["groceries"])
    #expect(hood.create(b, ["mine"]) == [])
    let refused = hood.nodes[b].seen.contains {
      if case .edited(_, .refused(.reader)) = $0 { true } else { false }
    }
    #expect(refused)
    #expect(hood.texts(b) == ["groceries"] && hood.texts(a) == ["groceries"])
  }

  @Test func `an inviter that lost its rights in between admits nobody`() {
    var hood = Neighbourhood()
    let (a, b, c) = (hood.add("anna"), hood.add("bert"), hood.add("cleo"))
    hood.pair(a, b, as: .admin)
    let code = hood.invite(b)!
    let demotion = MembershipRecord(
      signing: .role(hood.nodes[b].crypto.deviceID, .member),
      parents: hood.nodes[b].engine.roster!.heads, crypto: hood.nodes[a].crypto)
    let link = hood.pipes.keys.first { $0.node == b }!.link
    hood.give(b, .frame(Frame.roster(records: [demotion.bytes], isLast: true).bytes, link))
    hood.settle()
    #expect(hood.pairingEvents(b).last == .inviteClosed(code, .withdrawn))
    hood.give(c, .join(code, at: [hood.nodes[b].endpoint]))
    hood.advance(milliseconds: 16_000)
    #expect(hood.pairingEvents(c) == [.joinFailed(.refused)])
  }

  // MARK: After a join

  @Test func `a joiner that restarts before its first link still knows the inviter`() throws {
    var hood = Neighbourhood()
    let (a, b) = (hood.add("anna"), hood.add("bert"))
    let code = hood.invite(a)!
    hood.give(b, .join(code, at: [hood.nodes[a].endpoint]))
    while !hood.nodes[b].disk.peers.contains(where: { !$0.endpoints.isEmpty }) {
      let isBusy = hood.step()
      try #require(isBusy)
    }
    #expect(!hood.pairingEvents(b).contains { if case .joined = $0 { true } else { false } })
    try hood.restart(b)
    hood.advance(milliseconds: 1000)
    #expect(hood.state(b, of: a) == .inSync)
  }
}
