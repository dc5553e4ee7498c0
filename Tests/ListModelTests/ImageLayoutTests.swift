// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

/// Which item stands in which chunk: a checkpoint rewrites only the chunks that changed, so a replica
/// that was read back must have the same layout as the disk.
@Suite struct ImageLayoutTests {
  private func chunks(_ replica: Replica) -> [ItemChunk] {
    (0..<replica.chunkCount).map { replica.chunk(at: $0) }
  }

  @Test func `an item keeps its chunk although its parent stands in a later one`() throws {
    var writer = Writer(1)
    writer.replica = Replica(chunkCapacity: 4)
    let list = try writer.write([.create([row("first")], parent: .root, at: .bottom)])[0]
    let rows = try writer.write([.create((0..<9).map { row("\($0)") }, parent: list, at: .bottom)])
    let later = try writer.write([.create([row("later")], parent: .root, at: .bottom)])[0]
    try writer.write([.move([rows[0]], parent: later, at: .bottom)])
    var disk = chunks(writer.replica)
    var again = try Replica(header: writer.replica.header(), chunks: disk, chunkCapacity: 4)
    #expect(chunks(again).map(\.ids) == disk.map(\.ids))

    // One more edit after the start, a checkpoint of what changed, and one more start.
    writer.replica = again
    try writer.write([.set(rows[3], .note, .text("kept"))])
    for number in writer.replica.dirtyChunks { disk[number] = writer.replica.chunk(at: number) }
    writer.replica.markClean()
    again = try Replica(header: writer.replica.header(), chunks: disk, chunkCapacity: 4)
    #expect(again.children(of: list) == writer.replica.children(of: list))
    #expect(again.children(of: later) == [rows[0]])
    #expect(again.value(of: rows[3], .note) == .text("kept"))
  }

  @Test func `a chunk that holds only a name is written too`() throws {
    var writer = Writer(1)
    writer.replica = Replica(chunkCapacity: 1)
    try writer.write([.create([row("list")], parent: .root, at: .bottom)])
    writer.replica.markClean()
    var other = Writer(2)
    other.pull(writer)
    let list = other.replica.children(of: .root)[0]
    // A session whose author had the item, seen before the item itself is here.
    let child = try other.write([.create([row("child")], parent: list, at: .bottom)])[0]
    other.restart()
    try other.write([.create([row("grandchild")], parent: child, at: .bottom)])
    var third = Replica(chunkCapacity: 1)
    var events: [ReplicaEvent] = []
    for (change, hash) in other.held { _ = third.fold(change, hash: hash, events: &events) }
    #expect(third.dirtyChunks == Array(0..<third.chunkCount))
  }

  @Test func `an image without one of its chunks is void`() throws {
    var writer = Writer(1)
    writer.replica = Replica(chunkCapacity: 2)
    try writer.write([.create((0..<5).map { row("\($0)") }, parent: .root, at: .bottom)])
    let all = chunks(writer.replica)
    #expect(all.count == 3)
    #expect(throws: ImageDefect.shape) {
      try Replica(
        header: writer.replica.header(), chunks: Array(all.dropLast()), chunkCapacity: 2)
    }
  }
}
