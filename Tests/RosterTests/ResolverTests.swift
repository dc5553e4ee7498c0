// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Simulator
import Testing
import WireCodec
import Workbench

@testable import Roster

/// Who is what after records that contradict each other.
@Suite struct ResolverTests {
  private static let people = (0..<5).map { ToyCrypto(seed: UInt64($0 + 1)) }
  private static let recovery = ToyCrypto(seed: 99)
  private let anna = people[0]
  private let bert = people[1]
  private let cleo = people[2]

  private func key(_ byte: UInt8) -> [UInt8] { Array(repeating: byte, count: 32) }

  private static func founded() throws -> MembershipGraph {
    let genesis = MembershipRecord(
      signing: .genesis(
        name: Text("anna"), recoveryKey: recovery.publicKey,
        discoveryKey: Array(repeating: 8, count: 32), salt: 7),
      parents: [], crypto: people[0])
    return try MembershipGraph(genesis: genesis, crypto: people[0])
  }

  private func record(
    _ body: MembershipRecord.Body, by signer: ToyCrypto, behind graph: MembershipGraph
  ) -> MembershipRecord {
    MembershipRecord(signing: body, parents: graph.heads, crypto: signer)
  }

  private func add(_ who: ToyCrypto, _ role: Role) -> MembershipRecord.Body {
    .add(publicKey: who.publicKey, name: Text("x"), role: role)
  }

  private func removal(_ who: ToyCrypto, key byte: UInt8 = 1) -> MembershipRecord.Body {
    .remove(
      who.deviceID, cutoffs: [], discoveryKey: key(byte),
      notice: [UInt8](repeating: 0, count: MembershipRecord.signatureBytes))
  }

  /// Takes a record with all that is known now as its parents.
  private func take(
    _ body: MembershipRecord.Body, by signer: ToyCrypto, _ graph: inout MembershipGraph
  ) throws {
    #expect(try graph.take(record(body, by: signer, behind: graph), crypto: signer))
  }

  @Test func `a cutoff is raised by any member that writes, not by the removed device`() throws {
    var graph = try Self.founded()
    try take(add(bert, .member), by: anna, &graph)
    try take(add(cleo, .member), by: anna, &graph)
    let session = SessionID(high: 1, low: 2)
    func tip(_ seq: UInt64) -> Tip { Tip(session: session, seq: seq, hash: .zero) }
    func accepted() -> UInt64? {
      graph.view.removal(of: cleo.deviceID)?.cutoff.last(of: session)
    }
    let notice = [UInt8](repeating: 0, count: MembershipRecord.signatureBytes)
    try take(
      .remove(cleo.deviceID, cutoffs: [tip(4)], discoveryKey: key(1), notice: notice), by: anna,
      &graph)
    #expect(accepted() == 4)
    #expect(graph.view.removal(of: cleo.deviceID)?.by == [anna.deviceID])
    try take(.raise(cleo.deviceID, cutoffs: [tip(9)]), by: cleo, &graph)
    #expect(accepted() == 4)
    try take(.role(bert.deviceID, .reader), by: anna, &graph)
    try take(.raise(cleo.deviceID, cutoffs: [tip(8)]), by: bert, &graph)
    #expect(accepted() == 4)
    try take(.raise(cleo.deviceID, cutoffs: [tip(6), tip(3)]), by: anna, &graph)
    #expect(accepted() == 6)
    #expect(graph.view.author(cleo.deviceID)?.name == Text("x"))
    #expect(!graph.view.isMember(cleo.deviceID))
  }

  @Test func `an admin that was made a member removes nobody`() throws {
    var graph = try Self.founded()
    try take(add(bert, .admin), by: anna, &graph)
    try take(.role(bert.deviceID, .member), by: anna, &graph)
    try take(removal(anna), by: bert, &graph)
    try take(add(cleo, .member), by: bert, &graph)
    #expect(graph.view.member(anna.deviceID)?.role == .admin)
    #expect(graph.view.member(bert.deviceID)?.role == .member)
    #expect(!graph.view.isMember(cleo.deviceID))
  }

  @Test func `a removed admin's friend from the same moment has no rights`() throws {
    var graph = try Self.founded()
    try take(add(bert, .admin), by: anna, &graph)
    let fork = graph
    try take(removal(bert), by: anna, &graph)
    // Meanwhile bert makes cleo an admin, who removes anna.
    var other = fork
    let friend = record(add(cleo, .admin), by: bert, behind: other)
    #expect(try other.take(friend, crypto: bert))
    let strike = record(removal(anna), by: cleo, behind: other)
    for record in [friend, strike] { #expect(try graph.take(record, crypto: anna)) }
    #expect(graph.view.members.map(\.device) == [anna.deviceID])
  }

  @Test func `a removal by somebody without rights gives no cover to what it has seen`() throws {
    var graph = try Self.founded()
    try take(add(bert, .admin), by: anna, &graph)
    try take(add(cleo, .member), by: anna, &graph)
    let fork = graph
    try take(removal(bert), by: anna, &graph)
    var other = fork
    let act = record(add(Self.people[3], .admin), by: bert, behind: other)
    #expect(try other.take(act, crypto: bert))
    let cover = record(removal(bert), by: cleo, behind: other)
    for record in [act, cover] { #expect(try graph.take(record, crypto: anna)) }
    #expect(!graph.view.isMember(Self.people[3].deviceID))
  }

  @Test func `the recovery key makes an admin who can clear up`() throws {
    var graph = try Self.founded()
    try take(add(bert, .admin), by: anna, &graph)
    let fork = graph
    let one = record(removal(bert), by: anna, behind: fork)
    let two = record(removal(anna), by: bert, behind: fork)
    for record in [one, two] { #expect(try graph.take(record, crypto: anna)) }
    #expect(graph.view.members.isEmpty)
    try take(add(cleo, .admin), by: Self.recovery, &graph)
    try take(add(Self.people[3], .member), by: cleo, &graph)
    try take(removal(Self.people[3]), by: cleo, &graph)
    #expect(graph.view.members.map(\.device) == [cleo.deviceID])
  }

  @Test func `what an admin did before its removal stays, and the new discovery key counts`() throws
  {
    var graph = try Self.founded()
    try take(add(bert, .admin), by: anna, &graph)
    try take(add(cleo, .reader), by: bert, &graph)
    try take(removal(bert, key: 5), by: anna, &graph)
    #expect(graph.view.member(cleo.deviceID)?.role == .reader)
    #expect(graph.view.discoveryKey == key(5))
    // Too late: bert has seen its removal.
    try take(removal(anna, key: 6), by: bert, &graph)
    #expect(graph.view.isMember(anna.deviceID))
    #expect(graph.view.discoveryKey == key(5))
  }

  @Test func `a reader may only rename itself`() throws {
    var graph = try Self.founded()
    try take(add(bert, .reader), by: anna, &graph)
    try take(add(cleo, .member), by: bert, &graph)
    try take(.role(bert.deviceID, .admin), by: bert, &graph)
    try take(removal(anna), by: bert, &graph)
    try take(.rename(anna.deviceID, name: Text("y")), by: bert, &graph)
    try take(.rename(bert.deviceID, name: Text("loft")), by: bert, &graph)
    #expect(graph.view.members.count == 2)
    #expect(graph.view.member(anna.deviceID)?.name == Text("anna"))
    #expect(graph.view.member(bert.deviceID)?.name == Text("loft"))
    #expect(graph.view.member(bert.deviceID)?.role == .reader)
  }

  @Test func `only who was more than a reader can have written`() throws {
    var graph = try Self.founded()
    try take(add(bert, .reader), by: anna, &graph)
    #expect(graph.view.member(bert.deviceID)?.mayHaveWritten == false)
    try take(.role(bert.deviceID, .member), by: anna, &graph)
    try take(.role(bert.deviceID, .reader), by: anna, &graph)
    #expect(graph.view.member(bert.deviceID)?.role == .reader)
    #expect(graph.view.member(bert.deviceID)?.mayHaveWritten == true)
  }

  @Test func `a long roster keeps its order and its latest names`() throws {
    var graph = try Self.founded()
    try take(add(bert, .member), by: anna, &graph)
    for number in 0..<300 {
      try take(.rename(bert.deviceID, name: Text("n\(number)")), by: bert, &graph)
    }
    #expect(graph.view.member(bert.deviceID)?.name == Text("n299"))
    try take(removal(bert), by: anna, &graph)
    #expect(graph.view.members.map(\.device) == [anna.deviceID])
    #expect(graph.missing(for: [graph.records[150].hash]).count == 152)
  }

  @Test func `random records give one view in any order, and admins only by admins`() throws {
    for seed in 0..<60 {
      var random = SplitMix64(seed: UInt64(seed), stream: "resolver")
      var whole = try Self.founded()
      var graphs = [whole, whole, whole]
      for _ in 0..<8 {
        let at = random.below(graphs.count)
        let signer = random.chance(5) ? Self.recovery : Self.people[random.below(4)]
        let target = Self.people[random.below(4)]
        let role = Role.allCases[random.below(3)]
        let body: MembershipRecord.Body =
          switch random.below(5) {
          case 0, 1: add(target, role)
          case 2: .role(target.deviceID, role)
          case 3: .rename(target.deviceID, name: Text("n"))
          default: removal(target, key: UInt8(random.below(200)))
          }
        let new = record(body, by: signer, behind: graphs[at])
        _ = try graphs[at].take(new, crypto: signer)
        if random.chance(40) {
          let other = random.below(graphs.count)
          for record in graphs[at].records.dropFirst() {
            _ = try graphs[other].take(record, crypto: signer)
          }
        }
      }
      for graph in graphs {
        for record in graph.records.dropFirst() { _ = try whole.take(record, crypto: anna) }
      }
      let rest = Array(whole.records.dropFirst())
      for turn in 0..<4 {
        var graph = try Self.founded()
        var waiting = rest
        // Any order in which parents come first.
        while !waiting.isEmpty {
          let ready = waiting.indices.filter { at in
            waiting[at].parents.allSatisfy(graph.contains)
          }
          let next = turn == 0 ? ready.count - 1 : random.below(ready.count)
          let record = waiting.remove(at: ready[next])
          #expect(try graph.take(record, crypto: anna))
        }
        #expect(graph.view == whole.view, "seed \(seed)")
      }
      let recovery: DeviceID = anna.hash32(Self.recovery.publicKey)
      let mayAdd = whole.records.compactMap { record -> DeviceID? in
        switch record.body {
        case .add(let key, _, .admin): anna.hash32(key)
        case .role(let device, .admin): device
        default: nil
        }
      }
      for member in whole.view.members {
        let known = mayAdd + [anna.deviceID, recovery]
        #expect(known.contains(member.addedBy), "seed \(seed)")
      }
    }
  }
}
