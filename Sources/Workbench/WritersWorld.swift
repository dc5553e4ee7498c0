// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// Several writers, each with its own view of one list; views grow by own runs and by deliveries.
package struct WritersWorld {
  /// In which order the places of a run are filled.
  package enum Direction: CaseIterable, Sendable {
    case forward, backward, outward, inward
  }
  private struct Run {
    let keys: [PositionKey]
    /// Runs that the author had seen.
    let seen: Set<Int>
  }

  private var random: SplitMix64
  private var views: [[PositionKey]]
  private var known: [Set<Int>]
  private var tags: [WriterTag]
  private var runs: [Run] = []
  /// Keys that are not strictly between the neighbours they were made for.
  package private(set) var misplaced = 0
  /// Pairs of runs of which neither author had seen the other, as of the last `splits`.
  package private(set) var concurrentPairs = 0

  /// `writers` who have written nothing yet.
  package init(seed: UInt64, writers: Int) {
    random = SplitMix64(seed: seed)
    views = Array(repeating: [], count: writers)
    known = Array(repeating: [], count: writers)
    tags = []
    for _ in 0..<writers { tags.append(freshTag()) }
  }

  private mutating func freshTag() -> WriterTag {
    WriterTag(UInt32(truncatingIfNeeded: random.next()))
  }

  /// A run by somebody, or a delivery of all that one knows to another.
  package mutating func step() {
    let writer = random.below(views.count)
    if random.chance(55) {
      _ = write(by: writer, random.pick(Direction.allCases), count: 1 + random.below(7))
      // A restart between runs: the next session has another tag.
      if random.chance(25) { tags[writer] = freshTag() }
    } else {
      deliver(from: random.below(views.count), to: writer)
    }
  }

  private mutating func deliver(from source: Int, to target: Int) {
    for run in known[source].subtracting(known[target]).sorted() {
      known[target].insert(run)
      views[target] += runs[run].keys
    }
    views[target].sort()
  }

  /// Inserts a contiguous run at a random place of the writer's view, in the order of writing.
  package mutating func write(by writer: Int, _ direction: Direction, count: Int) -> [PositionKey] {
    let view = views[writer]
    // The run takes view[first ..< end] once written; `at` is where the next key goes.
    let first = random.below(view.count + 1)
    var keys: [PositionKey] = []
    for done in 0..<count {
      let at: Int
      switch direction {
      case .forward: at = first + done
      case .backward: at = first
      case .outward: at = random.chance(50) ? first : first + done
      case .inward: at = first + random.below(done + 1)
      }
      keys.append(insert(at: at, by: writer))
    }
    let seen = known[writer]
    known[writer].insert(runs.count)
    runs.append(Run(keys: keys, seen: seen))
    return keys
  }

  private mutating func insert(at: Int, by writer: Int) -> PositionKey {
    let view = views[writer]
    let a = at > 0 ? view[at - 1] : nil
    let b = at < view.count ? view[at] : nil
    let key = PositionGenerator.between(a, b, tag: tags[writer]) { key in view.first { $0 > key } }
    if a.map({ $0 >= key }) ?? false || b.map({ key >= $0 }) ?? false { misplaced += 1 }
    views[writer].insert(key, at: at)
    return key
  }

  /// Sentences about runs that have a key of a mutually concurrent run between two of theirs.
  package mutating func splits() -> [String] {
    let all = runs.indices.flatMap { run in runs[run].keys.map { (key: $0, run: run) } }
      .sorted { $0.key < $1.key }
    var found: [String] = []
    concurrentPairs = 0
    for run in runs.indices {
      let others = runs.indices.filter { other in
        other != run && !runs[run].seen.contains(other) && !runs[other].seen.contains(run)
      }
      concurrentPairs += others.count
      let isConcurrent = Set(others)
      guard let low = all.firstIndex(where: { $0.run == run }),
        let high = all.lastIndex(where: { $0.run == run })
      else { continue }
      for entry in all[low...high] where isConcurrent.contains(entry.run) {
        found.append("run \(run) is split by run \(entry.run)")
      }
    }
    return found
  }
}
