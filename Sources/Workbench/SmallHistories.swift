// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// Every history of a few ops by up to three authors, in every state of having heard of each other.
///
/// All start from one change that everybody has: a list with the rows `a` and `b`, and `c` below `a`.
package struct SmallHistories: Sendable {
  /// What one op does.
  package enum Act: CaseIterable, Sendable {
    case putAUnderB, putBUnderA, putCBesideA, putCUnderB
    case deleteA, undeleteA, deleteB, setA, addUnderA, countA
  }

  /// One history: the common change, then one change for each act.
  package struct History: Sendable {
    package let entries: [RandomHistory.Entry]
    /// Which author wrote which change, the common one left out.
    package let authors: [Int]
    package let acts: [Act]

    /// All orders of the changes behind the common one that keep each author's in order.
    package func deliveryOrders() -> [[Int]] {
      var orders: [[Int]] = []
      func extend(_ order: [Int]) {
        if order.count == authors.count { orders.append(order) }
        for author in 0..<3 {
          let next = authors.indices.first { authors[$0] == author && !order.contains($0) }
          if let next { extend(order + [next]) }
        }
      }
      extend([])
      return orders.map { [0] + $0.map { $0 + 1 } }
    }
  }

  private static let listID = ItemID(nonce: 1, index: 0)
  private static let a = ItemID(nonce: 1, index: 1)
  private static let b = ItemID(nonce: 1, index: 2)
  private static let c = ItemID(nonce: 1, index: 3)

  /// Calls `body` for every history of `count` ops out of `acts`; authors are numbered in order of
  /// their first op, so that no two histories differ by names only.
  package static func forEach(
    count: Int, acts: [Act] = Act.allCases, _ body: (History) throws -> Void
  ) rethrows {
    var maker = Maker(count: count, acts: acts)
    while let history = maker.next() { try body(history) }
  }

  /// The choices, as one number each, counted up like an odometer.
  private struct Maker {
    let count: Int
    let acts: [Act]
    private var digits: [Int] = []
    private var isDone = false

    init(count: Int, acts: [Act]) {
      self.count = count
      self.acts = acts
    }

    mutating func next() -> History? {
      guard !isDone else { return nil }
      var used: [(value: Int, end: Int)] = []
      let history = build { end in
        let value = used.count < digits.count ? digits[used.count] : 0
        used.append((value, end))
        return value
      }
      while let last = used.last, last.value + 1 == last.end { used.removeLast() }
      digits = used.map(\.value)
      if digits.isEmpty { isDone = true } else { digits[digits.count - 1] += 1 }
      return history
    }

    /// Builds one history; `choose(n)` gives a number below `n`.
    private func build(_ choose: (Int) -> Int) -> History {
      var views = [NaiveReplica](repeating: NaiveReplica(), count: 3)
      let common = SmallHistories.common()
      for author in 0..<3 { views[author].add(common.change, hash: common.hash) }
      var entries = [common]
      var authors: [Int] = []
      var chosen: [Act] = []
      for index in 0..<count {
        let author = choose(min(3, (authors.max() ?? -1) + 2))
        // How much of each other's chain has been heard by now; never less than before.
        for other in 0..<3 where other != author {
          let chain = authors.indices.filter { authors[$0] == other }
          let unheard = chain.filter { !Self.covers(views[author], entries[$0 + 1].change.dot) }
          guard !unheard.isEmpty else { continue }
          for at in unheard.prefix(choose(unheard.count + 1)) {
            views[author].add(entries[at + 1].change, hash: entries[at + 1].hash)
          }
        }
        let act = acts[choose(acts.count)]
        let entry = SmallHistories.entry(act, index, author, views[author])
        views[author].add(entry.change, hash: entry.hash)
        entries.append(entry)
        authors.append(author)
        chosen.append(act)
      }
      return History(entries: entries, authors: authors, acts: chosen)
    }

    private static func covers(_ view: NaiveReplica, _ dot: Dot) -> Bool {
      (view.vector[dot.session] ?? 0) >= dot.seq
    }
  }

  private static func session(_ author: Int) -> SessionID {
    SessionID(high: UInt64(author + 1) << 40, low: UInt64(author))
  }

  private static func head(_ author: Int) -> SessionHead {
    let number = UInt64(author + 1)
    return SessionHead(
      device: DeviceID(number, number, number, number), salt: number, predecessor: nil)
  }

  private static func common() -> RandomHistory.Entry {
    let tag = WriterTag(9)
    func key(_ integer: Int64) -> PositionKey {
      let level = PositionLevel(tag: tag, integer: integer)
      return PositionKey(bytes: PositionCodec.encode(PositionPath(root: 0, levels: [level])))
    }
    func create(_ index: UInt32, _ count: UInt32, _ parent: ItemID, _ key: PositionKey) -> Op {
      .create(firstIndex: index, count: count, parent: parent, firstKey: key, columns: [])
    }
    let change = Change(
      session: session(3), seq: 1, head: head(3), prev: .zero, h: 1 << 40, seen: [], nonce: 1,
      group: nil,
      ops: [create(0, 1, .root, key(0)), create(1, 2, listID, key(0)), create(3, 1, a, key(0))])
    return RandomHistory.Entry(change: change, hash: ChangeHash(1, 1, 1, 1))
  }

  private static func entry(
    _ act: Act, _ index: Int, _ author: Int, _ view: NaiveReplica
  ) -> RandomHistory.Entry {
    let seq = (view.vector[session(author)] ?? 0) + 1
    let told = view.contexts[Dot(session: session(author), seq: seq - 1)] ?? [:]
    let seen = view.leaves.filter {
      $0.session != session(author) && (seq == 1 || !view.covers(told, $0.dot))
    }.map { SeenEntry(dot: $0.dot, hashPrefix: $0.hash.prefix32) }
    let number = UInt64(index + 2)
    let tag = WriterTag(UInt32(author + 20))
    let change = Change(
      session: session(author), seq: seq, head: seq == 1 ? head(author) : nil,
      prev: previousHash(author, view), h: 1 << 40 + UInt64(index + 1), seen: seen, nonce: number,
      group: nil, ops: [op(act, author, tag, view)])
    return RandomHistory.Entry(change: change, hash: ChangeHash(number, 7, 7, 7))
  }

  private static func previousHash(_ author: Int, _ view: NaiveReplica) -> ChangeHash {
    view.tip(of: session(author))?.hash ?? .zero
  }

  private static func op(
    _ act: Act, _ author: Int, _ tag: WriterTag, _ view: NaiveReplica
  ) -> Op {
    func place(_ item: ItemID, _ parent: ItemID) -> Op {
      let last = view.placed(under: parent).last.flatMap { view.position($0) }
      let key = PositionGenerator.between(last, nil, tag: tag) { _ in nil }
      return .place(item: item, parent: parent, key: key, h: nil)
    }
    switch act {
    case .putAUnderB: return place(a, b)
    case .putBUnderA: return place(b, a)
    case .putCBesideA: return place(c, listID)
    case .putCUnderB: return place(c, b)
    case .deleteA: return .life(item: a, alive: false, h: nil)
    case .undeleteA: return .life(item: a, alive: true, h: nil)
    case .deleteB: return .life(item: b, alive: false, h: nil)
    case .setA: return .set(item: a, field: .text, value: .int(Int64(author)), h: nil)
    case .countA: return .add(item: a, field: .named("stock"), delta: Int64(author + 1))
    case .addUnderA:
      let last = view.placed(under: a).last.flatMap { view.position($0) }
      let key = PositionGenerator.between(last, nil, tag: tag) { _ in nil }
      return .create(firstIndex: 0, count: 1, parent: a, firstKey: key, columns: [])
    }
  }
}
