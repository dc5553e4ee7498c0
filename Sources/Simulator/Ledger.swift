// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec
import Workbench

/// Everything that anybody ever wrote, as it first went to a disk: what no node knows and all must
/// agree with.
struct Ledger: Sendable {
  private struct Page: Sendable {
    let hash: ChangeHash
    let bytes: [UInt8]
  }

  private var pages: [Dot: Page] = [:]
  /// All changes; each session ascending, after what it continues.
  private(set) var entries: [RandomHistory.Entry] = []
  /// Items that were ever deleted, and every parent that an item ever had.
  private var deleted: Set<ItemID> = []
  private var parents: [ItemID: Set<ItemID>] = [:]
  private var makers: [ItemID: Dot] = [:]

  /// Notes what `node` is about to store.
  /// - Returns: Sentences about what must not be.
  mutating func take(
    _ changes: [LoggedChange], by node: Int, crypto: ToyCrypto
  ) -> [String] {
    var complaints: [String] = []
    for logged in changes {
      if let page = pages[logged.dot] {
        if page.hash != logged.hash || page.bytes != logged.bytes {
          complaints.append("node \(node) stores another change \(logged.dot) than its author")
        }
        continue
      }
      guard let signed = try? SignedChange(decoding: logged.bytes, crypto: crypto),
        signed.hash == logged.hash, signed.change.dot == logged.dot
      else {
        complaints.append("node \(node) stores a change that cannot be read")
        continue
      }
      pages[logged.dot] = Page(hash: logged.hash, bytes: logged.bytes)
      entries.append(RandomHistory.Entry(change: signed.change, hash: signed.hash))
      complaints += note(signed.change)
    }
    return complaints
  }

  private mutating func note(_ change: Change) -> [String] {
    var complaints: [String] = []
    for op in change.ops {
      switch op {
      case .create(let first, let count, let parent, _, _):
        for index in first..<first + count {
          let item = ItemID(nonce: change.nonce, index: index)
          if makers[item] != nil { complaints.append("two items are called \(item)") }
          makers[item] = change.dot
          parents[item, default: []].insert(parent)
        }
      case .place(let item, let parent, _, _): parents[item, default: []].insert(parent)
      case .blockPlace(let items, let parent, _, _):
        for item in items { parents[item, default: []].insert(parent) }
      case .life(let item, alive: false, _): deleted.insert(item)
      case .life, .set, .add, .unknown: break
      }
    }
    return complaints
  }

  /// The items that nobody ever deleted, nor anything they ever were under: they must be shown
  /// wherever they exist.
  func untouched() -> [ItemID] {
    var known: [ItemID: Bool] = [:]
    func isTouched(_ item: ItemID) -> Bool {
      if let known = known[item] { return known }
      known[item] = deleted.contains(item)  // a cycle adds nothing to what its members say
      let found = deleted.contains(item) || (parents[item] ?? []).contains(where: isTouched)
      known[item] = found
      return found
    }
    return makers.keys.sorted().filter { !isTouched($0) }
  }

  /// Whether all that `replica` holds is on its way to a disk, or there.
  func knows(_ replica: Replica) -> Bool {
    replica.vector.tips.allSatisfy { pages[$0.dot] != nil }
  }

  /// The oracle's fold of what `replica` holds; `nil` while it holds what is on no way to a disk yet.
  func oracle(of replica: Replica) -> NaiveReplica? {
    guard knows(replica) else { return nil }
    var oracle = NaiveReplica()
    for entry in entries where replica.covers(entry.change.dot) {
      oracle.add(entry.change, hash: entry.hash)
    }
    return oracle
  }
}
