// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Simulator
import Testing
import WireCodec

@testable import Roster

@Suite struct MembershipTests {
  private let admin = ToyCrypto(seed: 1)
  private let bob = ToyCrypto(seed: 2)
  private let eve = ToyCrypto(seed: 3)

  private func key(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 32) }

  private func founded() throws -> MembershipGraph {
    let body = MembershipRecord.Body.genesis(
      name: Text("study"), recoveryKey: key(9), discoveryKey: key(8), salt: 7)
    return try MembershipGraph(
      genesis: MembershipRecord(signing: body, parents: [], crypto: admin), crypto: admin)
  }

  private func add(
    _ who: ToyCrypto, by signer: ToyCrypto, _ graph: MembershipGraph, _ role: Role = .member
  )
    -> MembershipRecord
  {
    MembershipRecord(
      signing: .add(publicKey: who.publicKey, name: Text("den"), role: role), parents: graph.heads,
      crypto: signer)
  }

  @Test func `a record comes back and a changed one does not`() throws {
    let graph = try founded()
    let record = add(bob, by: admin, graph)
    #expect(try MembershipRecord(decoding: record.bytes, crypto: bob) == record)
    for at in record.bytes.indices {
      var other = record.bytes
      other[at] ^= 1
      #expect(throws: DecodeError.self) { try MembershipRecord(decoding: other, crypto: bob) }
    }
    for length in record.bytes.indices {
      #expect(throws: DecodeError.self) {
        try MembershipRecord(decoding: Array(record.bytes[..<length]), crypto: bob)
      }
    }
  }

  @Test func `only admins add`() throws {
    var graph = try founded()
    #expect(try graph.take(add(bob, by: admin, graph), crypto: admin))
    #expect(try graph.take(add(eve, by: bob, graph), crypto: admin))
    #expect(graph.view.isMember(bob.deviceID))
    #expect(!graph.view.isMember(eve.deviceID))
    #expect(graph.view.members.map(\.device) == graph.view.members.map(\.device).sorted())
  }

  @Test func `a child waits for its parents`() throws {
    var one = try founded()
    var two = one
    _ = try one.take(add(bob, by: admin, one, .admin), crypto: admin)
    let late = add(eve, by: bob, one)
    #expect(try two.take(late, crypto: admin) == false)
    for record in one.missing(for: two.heads) { #expect(try two.take(record, crypto: admin)) }
    #expect(try two.take(late, crypto: admin))
    #expect(two.view.isMember(eve.deviceID))
  }

  @Test func `any order of arrival gives one view`() throws {
    let base = try founded()
    var full = base
    _ = try full.take(add(bob, by: admin, full, .admin), crypto: admin)
    let fork = full
    let one = add(eve, by: bob, fork)
    let two = MembershipRecord(
      signing: .remove(
        bob.deviceID, cutoffs: [], discoveryKey: key(5), notice: key(0) + key(0)),
      parents: fork.heads,
      crypto: admin)
    let three = MembershipRecord(
      signing: .rename(bob.deviceID, name: Text("loft")), parents: fork.heads, crypto: bob)
    var views: Set<MembershipView> = []
    for order in [[one, two, three], [three, two, one], [two, one, three], [two, three, one]] {
      var graph = fork
      for record in order { #expect(try graph.take(record, crypto: admin)) }
      views.insert(graph.view)
    }
    #expect(views.count == 1)
    let view = try #require(views.first)
    #expect(!view.isMember(bob.deviceID))
    #expect(!view.isMember(eve.deviceID), "added by a removed device at the same time")
    #expect(view.discoveryKey == key(5))
  }

  @Test func `mutual removal removes both`() throws {
    var graph = try founded()
    _ = try graph.take(add(bob, by: admin, graph, .admin), crypto: admin)
    let heads = graph.heads
    let one = MembershipRecord(
      signing: .remove(
        bob.deviceID, cutoffs: [], discoveryKey: key(1), notice: key(0) + key(0)),
      parents: heads,
      crypto: admin)
    let two = MembershipRecord(
      signing: .remove(
        admin.deviceID, cutoffs: [], discoveryKey: key(2), notice: key(0) + key(0)),
      parents: heads,
      crypto: bob)
    for record in [one, two] { _ = try graph.take(record, crypto: admin) }
    #expect(graph.view.members.isEmpty)
  }
}
