// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import NodeEngine

/// What is to happen, ordered by moment; at one moment by the order of being put in.
///
/// A binary heap: O(log n) for each event put in or taken.
package struct Schedule<Event: Sendable>: Sendable {
  private struct Entry: Sendable {
    let moment: Moment
    let number: UInt64
    let event: Event

    static func < (a: Self, b: Self) -> Bool { (a.moment, a.number) < (b.moment, b.number) }
  }

  private var heap: [Entry] = []
  private var count: UInt64 = 0

  /// Nothing to happen yet.
  package init() {}

  /// When the next event is due.
  package var nextMoment: Moment? { heap.first?.moment }

  /// Puts an event in.
  package mutating func add(_ event: Event, at moment: Moment) {
    count += 1
    heap.append(Entry(moment: moment, number: count, event: event))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child] < heap[parent] else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Takes the next event out; `nil` if nothing is left.
  package mutating func next() -> (moment: Moment, event: Event)? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if !heap.isEmpty {
      heap[0] = last
      var parent = 0
      while true {
        var least = parent
        for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
          if heap[child] < heap[least] { least = child }
        }
        if least == parent { break }
        heap.swapAt(parent, least)
        parent = least
      }
    }
    return (first.moment, first.event)
  }
}
