// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

/// Every start of an agent that writes opens a session, so a space has thousands after some years.
@Suite struct ManySessionsTests {
  /// Two devices that write one change a start, in turns and each knowing all of the other; what
  /// the authors of some changes held is kept.
  private func space(
    starts: Int
  ) throws -> (Replica, held: [SessionID: [SessionID: UInt64]], list: ItemID) {
    var writers = [Writer(1), Writer(2)]
    var held: [SessionID: [SessionID: UInt64]] = [:]
    var all: [SessionID: UInt64] = [:]
    var list = ItemID.root
    for start in 0..<starts {
      let at = start % 2
      writers[at].restart()
      let made = try writers[at].write([.create([row("\(start)")], parent: list, at: .bottom)])
      if start == 0 { list = made[0] }
      let (change, hash) = writers[at].held[writers[at].held.count - 1]
      all[change.session] = change.seq
      if start % 97 == 0 { held[change.session] = all }
      if start % 5 == 4 {
        try writers[at].write([.setAlive(made[0], false)])
        all[change.session] = 2
        if held[change.session] != nil { held[change.session] = all }
        let (delete, deleteHash) = writers[at].held[writers[at].held.count - 1]
        writers[1 - at].take(change, hash)
        writers[1 - at].take(delete, deleteHash)
      } else {
        writers[1 - at].take(change, hash)
      }
    }
    return (writers[0].replica, held, list)
  }

  @Test func `a header grows with the sessions, not with their square`() throws {
    for starts in [200, 1_500] {
      let (replica, held, _) = try space(starts: starts)
      let header = replica.header()
      #expect(header.sessions.count == starts)
      // Its own tip, and the tip that the other device had meanwhile; a delete has one more.
      #expect(header.contexts.reduce(0) { $0 + $1.entries.count } <= starts * 3)
      #expect(header.contexts.count <= starts * 6 / 5 + 1)
      #expect(header.deleteContexts.count == starts / 5)
      var checked = 0
      for session in header.sessions {
        guard let known = held[session.id] else { continue }
        #expect(Dictionary(uniqueKeysWithValues: header.seen(session.context)) == known)
        checked += 1
      }
      #expect(checked == (starts + 96) / 97)
    }
  }

  @Test func `what authors had seen comes back from an image, and from one of that`() throws {
    let (replica, _, list) = try space(starts: 700)
    let header = replica.header()
    let chunks = (0..<replica.chunkCount).map(replica.chunk(at:))
    let loaded = try Replica(header: header, chunks: chunks)
    #expect(loaded.header() == header)
    var joined = Replica()
    var events: [ReplicaEvent] = []
    try joined.join(header, chunks, events: &events)
    #expect(joined.children(of: list) == replica.children(of: list))
    let again = joined.header()
    for (mine, theirs) in zip(again.sessions, header.sessions) {
      #expect(mine.id == theirs.id)
      #expect(again.seen(mine.context).elementsEqual(header.seen(theirs.context)) { $0 == $1 })
    }
  }

  @Test(arguments: [
    (base: 9, session: 0), (base: 0, session: 4), (base: -1, session: 0),
  ])
  func `contexts that nothing stands behind are refused`(base: Int, session: Int) throws {
    var writer = Writer(1)
    try writer.write([.create([row("a")], parent: .root, at: .bottom)])
    var header = writer.replica.header()
    let chunks = (0..<writer.replica.chunkCount).map(writer.replica.chunk(at:))
    let entry = ReplicaHeader.Context.Entry(session: UInt32(session), seen: 1 << 32)
    // -1: as many as have no place in memory, each of them small.
    let added = [ReplicaHeader.Context](
      repeating: .init(base: UInt32(max(base, 0)), entries: [entry]),
      count: base < 0 ? ReplicaHeader.contextEntriesMax : 1)
    header.contexts += added
    #expect(throws: ImageDefect.shape) { try Replica(header: header, chunks: chunks) }
  }
}

extension ReplicaHeader {
  /// What the context of that number names, by session.
  func seen(_ number: UInt32) -> [(SessionID, UInt64)] {
    var entries: [UInt32: UInt64] = [:]
    var line: [Context] = []
    var at = number
    while at > 0 {
      line.append(contexts[Int(at) - 1])
      at = contexts[Int(at) - 1].base
    }
    for context in line.reversed() {
      for entry in context.entries { entries[entry.session] = entry.seen >> 32 }
    }
    return entries.filter { $0.value > 0 }.sorted { $0.key < $1.key }
      .map { (sessions[Int($0.key)].id, $0.value) }
  }
}
