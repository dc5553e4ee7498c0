// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

/// Cells that come before the creation of their item: sessions arrive in any order.
@Suite struct LateCreateTests {
  private func print(_ replica: inout Replica) -> Fingerprint {
    replica.fingerprint { bytes in
      bytes.reduce((1, 7)) { ($0.0 &* 31 &+ UInt64($1), $0.1 ^ $0.0 &* 17 &+ UInt64($1)) }
    }
  }

  /// A list and a row in it by one, a row below that row by another.
  private func threeLevels() throws -> (one: Writer, other: Writer) {
    var one = Writer(1)
    let list = try one.write([.create([row("list")], parent: .root, at: .bottom)])[0]
    one.restart()
    let item = try one.write([.create([row("item")], parent: list, at: .bottom)])[0]
    var other = Writer(2)
    other.pull(one)
    try other.write([.create([row("child")], parent: item, at: .bottom)])
    return (one, other)
  }

  @Test func `a child that came before its parent leaves Recovered when the parent comes`() throws {
    let (one, other) = try threeLevels()
    var late = Replica()
    var events: [ReplicaEvent] = []
    let order = [one.held[0], other.held.last!, one.held[1]]
    for (change, hash) in order {
      _ = late.fold(change, hash: hash, events: &events)
      // Both views keep parts of what they found.
      late.settleRecovered()
      _ = print(&late)
    }
    #expect(late.recoveredItems == [])
    var whole = other.replica
    #expect(print(&late) == print(&whole))
  }

  @Test func `a row that was moved before it came stands where it was moved to`() throws {
    var one = Writer(1)
    let lists = try one.write([
      .create([row("here"), row("there")], parent: .root, at: .bottom)
    ])
    one.restart()
    let item = try one.write([.create([row("item")], parent: lists[0], at: .bottom)])[0]
    var other = Writer(2)
    other.pull(one)
    try other.write([.move([item], parent: lists[1], at: .bottom)])
    var late = Replica()
    var events: [ReplicaEvent] = []
    for (change, hash) in [one.held[0], other.held.last!, one.held[1]] {
      _ = late.fold(change, hash: hash, events: &events)
      _ = print(&late)
    }
    #expect(late.children(of: lists[1]) == [item])
    var whole = other.replica
    #expect(print(&late) == print(&whole))
  }
}
