// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// A made-up history: several authors write at random and hear of each other only now and then.
///
/// Equal seeds give equal histories. Authors restart into new sessions, have clocks that are decades
/// off, write into what others are moving and deleting, and get streams in any order of sessions.
package struct RandomHistory: Sendable {
  /// A change and its (made-up) hash.
  package struct Entry: Sendable {
    package let change: Change
    package let hash: ChangeHash
    package init(change: Change, hash: ChangeHash) { (self.change, self.hash) = (change, hash) }
  }

  /// All changes, in an order in which each could have been written.
  package private(set) var entries: [Entry] = []
  private var authors: [Author] = []
  private var random: SplitMix64
  private var milliseconds: Int64 = 1_800_000_000_000

  /// Writes `steps` changes or deliveries by `authorCount` authors.
  package init(seed: UInt64, authorCount: Int, steps: Int) {
    self.init(
      random: SplitMix64(seed: seed, stream: "history"), authorCount: authorCount, steps: steps)
  }

  /// The same with choices from `random`.
  package init(random: SplitMix64, authorCount: Int, steps: Int) {
    self.random = random
    for _ in 0..<authorCount { authors.append(Author(&self.random)) }
    for _ in 0..<steps { step() }
  }

  private mutating func step() {
    milliseconds += Int64(random.below(2_000))
    let author = random.below(authors.count)
    if random.chance(60) {
      write(by: author)
    } else {
      deliver(from: random.below(authors.count), to: author)
    }
  }

  /// Lets every author hear everything, then one of them write once more, having seen it all.
  package mutating func settle() {
    for author in authors.indices {
      for index in entries.indices { authors[author].receive(index, entries[index]) }
    }
    write(by: random.below(authors.count))
  }

  private mutating func write(by author: Int) {
    let now = WallTime(milliseconds: milliseconds + authors[author].skew)
    guard let entry = authors[author].write(now, &random) else { return }
    authors[author].receive(entries.count, entry)
    entries.append(entry)
  }

  /// Gives `target` what `source` has, whole or one session's part of it only.
  private mutating func deliver(from source: Int, to target: Int) {
    let missing = authors[source].known.subtracting(authors[target].known).sorted()
    let only: SessionID? =
      random.chance(40) ? missing.first.map { entries[$0].change.session } : nil
    for index in missing where only.map({ $0 == entries[index].change.session }) ?? true {
      authors[target].receive(index, entries[index])
    }
  }

  /// An order in which a replica could get all entries: sessions whole, each after what it
  /// continues, otherwise mixed at random.
  package func deliveryOrder(_ random: inout SplitMix64) -> [Int] {
    var waiting = Array(entries.indices)
    var done: [SessionID: UInt64] = [:]
    var order: [Int] = []
    while !waiting.isEmpty {
      let ready = waiting.indices.filter { at in
        let change = entries[waiting[at]].change
        if change.seq > 1 { return done[change.session] == change.seq - 1 }
        guard let predecessor = change.head?.predecessor else { return true }
        return (done[predecessor.session] ?? 0) >= predecessor.seq
      }
      let index = waiting.remove(at: random.pick(ready))
      let change = entries[index].change
      done[change.session] = change.seq
      order.append(index)
    }
    return order
  }
}

/// One device that writes.
private struct Author: Sendable {
  let device: DeviceID
  /// How far the wall clock is off.
  let skew: Int64
  var known: Set<Int> = []
  var view = NaiveReplica()
  private var clock = HybridClock()
  private var session: SessionID
  private var salt: UInt64
  private var last: Tip?
  /// What this session continues.
  private var predecessor: Tip?

  init(_ random: inout SplitMix64) {
    device = DeviceID(random.next(), random.next(), random.next(), random.next())
    let years = Int64(random.pick([0, 0, 0, 1, -60, 70]))
    skew = years * 31_557_600_000
    session = SessionID(high: random.next(), low: random.next())
    salt = random.next()
  }

  mutating func receive(_ index: Int, _ entry: RandomHistory.Entry) {
    let change = entry.change
    guard !known.contains(index) else { return }
    // Streams are contiguous: what has a gap before it is not taken.
    let tip = view.vector
    if change.seq > 1 {
      guard tip[change.session] == change.seq - 1 else { return }
    } else if let before = change.head?.predecessor {
      guard (tip[before.session] ?? 0) >= before.seq else { return }
    }
    known.insert(index)
    view.add(change, hash: entry.hash)
  }

  mutating func write(_ now: WallTime, _ random: inout SplitMix64) -> RandomHistory.Entry? {
    if last != nil && random.chance(12) {
      // A restart: the next session continues what this one wrote.
      predecessor = last
      last = nil
      session = SessionID(high: random.next(), low: random.next())
      salt = random.next()
    }
    for write in view.writes.values.compactMap(\.last).map(\.stamp.h).sorted() {
      _ = clock.observe(write, now)
    }
    let seq = (last?.seq ?? 0) + 1
    let nonce = random.next() | 1
    let h = clock.tick(now)
    var ops = RandomOps(
      view: view, tag: WriterTag(UInt32(truncatingIfNeeded: session.high)), h: h, nonce: nonce)
    for _ in 0..<1 + random.below(3) { ops.add(&random) }
    guard !ops.ops.isEmpty else { return nil }
    let change = Change(
      session: session, seq: seq,
      head: seq == 1 ? SessionHead(device: device, salt: salt, predecessor: predecessor) : nil,
      prev: last?.hash ?? predecessor?.hash ?? .zero, h: h, seen: seen(), nonce: nonce,
      group: nil, ops: ops.ops)
    let hash = ChangeHash(random.next(), random.next(), random.next(), random.next())
    last = Tip(session: session, seq: seq, hash: hash)
    return RandomHistory.Entry(change: change, hash: hash)
  }

  /// The tips that moved since this session's last change, or all of them before its first.
  private func seen() -> [SeenEntry] {
    let told = last.map { view.contexts[$0.dot] ?? [:] } ?? [:]
    return view.leaves.filter { tip in
      tip.session != session && (last == nil || !view.covers(told, tip.dot))
    }.map { SeenEntry(dot: $0.dot, hashPrefix: $0.hash.prefix32) }
  }
}
