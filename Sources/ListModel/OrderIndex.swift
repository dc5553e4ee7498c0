// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The children of every parent in list order: chunks of at most 512 ordinals with counts of those
/// that show. Dead children keep their place, as neighbours for new positions.
///
/// - Complexity: look-ups O(log n + n/512), where the second term is a scan of counts.
struct OrderIndex: Sendable {
  private struct Chunk: Sendable {
    var list: UInt32
    var members: ContiguousArray<UInt32> = []
  }

  private struct List: Sendable {
    var chunks: ContiguousArray<UInt32> = []
    /// How many members of each chunk show.
    var shown: ContiguousArray<UInt32> = []
    var shownTotal = 0
  }

  private static let chunkMax = 512
  private static let none = UInt32.max

  private var chunks: ContiguousArray<Chunk> = []
  private var freeChunks: [UInt32] = []
  private var lists: ContiguousArray<List> = []
  private var listOf: [UInt32: UInt32] = [:]
  /// The chunk of each item; `none` where it is in no list.
  private var slot: ContiguousArray<UInt32> = []

  func contains(_ item: UInt32) -> Bool {
    Int(item) < slot.count && slot[Int(item)] != Self.none
  }

  func shownCount(_ parent: UInt32) -> Int {
    listOf[parent].map { lists[Int($0)].shownTotal } ?? 0
  }

  // MARK: Commands

  mutating func insert(_ item: UInt32, under parent: UInt32, shown: Bool, _ items: ItemTable) {
    if Int(item) >= slot.count {
      slot.append(
        contentsOf: repeatElement(Self.none, count: max(Int(item) + 1, items.count) - slot.count))
    }
    let list = listMaking(parent)
    var at = chunkIndex(for: item, in: Int(list), items)
    if at < 0 {
      let made = freshChunk(list)
      lists[Int(list)].chunks.insert(made, at: 0)
      lists[Int(list)].shown.insert(0, at: 0)
      at = 0
    }
    var chunk = Int(lists[Int(list)].chunks[at])
    if chunks[chunk].members.count >= Self.chunkMax {
      split(Int(list), at, atEnd: items.precedes(chunks[chunk].members.last!, item), items)
      at = chunkIndex(for: item, in: Int(list), items)
      chunk = Int(lists[Int(list)].chunks[at])
    }
    let place = lowerBound(item, in: chunk, items)
    chunks[chunk].members.insert(item, at: place)
    slot[Int(item)] = UInt32(chunk)
    if shown {
      lists[Int(list)].shown[at] += 1
      lists[Int(list)].shownTotal += 1
    }
  }

  /// Takes `item` out; its key must still be the one it was inserted with.
  mutating func remove(_ item: UInt32, shown: Bool) {
    guard contains(item) else { return }
    let chunk = Int(slot[Int(item)])
    let list = Int(chunks[chunk].list)
    let at = lists[list].chunks.firstIndex(of: UInt32(chunk))!  // a chunk is in its list
    chunks[chunk].members.remove(at: chunks[chunk].members.firstIndex(of: item)!)  // slot says so
    slot[Int(item)] = Self.none
    if shown {
      lists[list].shown[at] -= 1
      lists[list].shownTotal -= 1
    }
    if chunks[chunk].members.isEmpty {
      lists[list].chunks.remove(at: at)
      lists[list].shown.remove(at: at)
      freeChunks.append(UInt32(chunk))
    }
  }

  mutating func setShown(_ item: UInt32, _ shown: Bool) {
    guard contains(item) else { return }
    let chunk = slot[Int(item)]
    let list = Int(chunks[Int(chunk)].list)
    let at = lists[list].chunks.firstIndex(of: chunk)!  // a chunk is in its list
    if shown {
      lists[list].shown[at] += 1
      lists[list].shownTotal += 1
    } else {
      lists[list].shown[at] -= 1
      lists[list].shownTotal -= 1
    }
  }

  // MARK: Queries

  /// The child that shows as number `index` of `parent`, from 0.
  func shownChild(_ parent: UInt32, at index: Int, _ items: ItemTable) -> UInt32? {
    guard index >= 0, let number = listOf[parent], index < lists[Int(number)].shownTotal
    else { return nil }
    let list = lists[Int(number)]
    var (at, left) = (0, index)
    // Ends: the counts add up to the total.
    while left >= list.shown[at] {
      left -= Int(list.shown[at])
      at += 1
    }
    let members = chunks[Int(list.chunks[at])].members
    if list.shown[at] == members.count { return members[left] }
    return members.lazy.filter { !items[$0].isDead }.dropFirst(left).first
  }

  /// How many children that show stand before `item` in its list; `nil` if it is in none.
  func shownIndex(_ item: UInt32, _ items: ItemTable) -> Int? {
    guard contains(item) else { return nil }
    let chunk = slot[Int(item)]
    let list = lists[Int(chunks[Int(chunk)].list)]
    var before = 0
    var own = 0
    for at in list.chunks.indices {
      if list.chunks[at] == chunk {
        own = Int(list.shown[at])
        break
      }
      before += Int(list.shown[at])
    }
    if own == chunks[Int(chunk)].members.count {
      return before + chunks[Int(chunk)].members.firstIndex(of: item)!  // slot says so
    }
    for member in chunks[Int(chunk)].members {
      if member == item { break }
      if !items[member].isDead { before += 1 }
    }
    return before
  }

  /// Calls `body` with every child of `parent` in order, dead ones too, until it returns `false`.
  func forEach(_ parent: UInt32, _ body: (UInt32) -> Bool) {
    guard let number = listOf[parent] else { return }
    for chunk in lists[Int(number)].chunks {
      for member in chunks[Int(chunk)].members where !body(member) { return }
    }
  }

  func first(_ parent: UInt32) -> UInt32? {
    listOf[parent].flatMap { lists[Int($0)].chunks.first }.flatMap { chunks[Int($0)].members.first }
  }

  func last(_ parent: UInt32) -> UInt32? {
    listOf[parent].flatMap { lists[Int($0)].chunks.last }.flatMap { chunks[Int($0)].members.last }
  }

  /// The neighbour behind (`step` 1) or before (`step` -1) `item`, dead ones too.
  func neighbour(of item: UInt32, step: Int) -> UInt32? {
    guard contains(item) else { return nil }
    let chunk = slot[Int(item)]
    let members = chunks[Int(chunk)].members
    let at = members.firstIndex(of: item)! + step  // slot says that it is here
    if members.indices.contains(at) { return members[at] }
    let list = lists[Int(chunks[Int(chunk)].list)]
    let next = list.chunks.firstIndex(of: chunk)! + step  // a chunk is in its list
    guard list.chunks.indices.contains(next) else { return nil }
    let other = chunks[Int(list.chunks[next])].members
    return step > 0 ? other.first : other.last
  }

  /// The first child of `parent` whose key is greater than `key`.
  func firstBeyond(_ key: PositionKey, _ parent: UInt32, _ items: ItemTable) -> UInt32? {
    guard let number = listOf[parent] else { return nil }
    let list = lists[Int(number)]
    var low = 0
    var high = list.chunks.count
    while low < high {
      let middle = (low + high) / 2
      let last = chunks[Int(list.chunks[middle])].members.last!  // chunks in lists are not empty
      if items.keyExceeds(last, key) { high = middle } else { low = middle + 1 }
    }
    guard low < list.chunks.count else { return nil }
    return chunks[Int(list.chunks[low])].members.first { items.keyExceeds($0, key) }
  }

  /// Number of children in order, dead ones too; stops the process if a count or a slot is wrong.
  func check(_ items: ItemTable) {
    for (number, list) in lists.enumerated() {
      var previous: UInt32?
      for (at, chunk) in list.chunks.enumerated() {
        precondition(chunks[Int(chunk)].list == UInt32(number), "chunk \(chunk) in list \(number)")
        var shown = 0
        for member in chunks[Int(chunk)].members {
          if let previous {
            precondition(items.precedes(previous, member), "order of \(previous), \(member)")
          }
          previous = member
          precondition(slot[Int(member)] == chunk, "slot of \(member)")
          if !items[member].isDead { shown += 1 }
        }
        precondition(shown == Int(list.shown[at]), "count of chunk \(chunk)")
      }
      precondition(list.shown.reduce(0, +) == list.shownTotal, "total of list \(number)")
    }
  }

  // MARK: Private

  private mutating func listMaking(_ parent: UInt32) -> UInt32 {
    if let known = listOf[parent] { return known }
    let made = UInt32(lists.count)
    lists.append(List())
    listOf[parent] = made
    return made
  }

  private mutating func freshChunk(_ list: UInt32) -> UInt32 {
    if let free = freeChunks.popLast() {
      chunks[Int(free)] = Chunk(list: list)
      return free
    }
    chunks.append(Chunk(list: list))
    return UInt32(chunks.count - 1)
  }

  /// The last chunk whose first member does not come after `item`, else 0; -1 in an empty list.
  private func chunkIndex(for item: UInt32, in list: Int, _ items: ItemTable) -> Int {
    let count = lists[list].chunks.count
    if count == 0 { return -1 }
    if items.precedes(firstMember(list, count - 1), item) { return count - 1 }
    var low = 0
    var high = count - 1
    while low < high {
      let middle = (low + high) / 2
      if items.precedes(item, firstMember(list, middle)) { high = middle } else { low = middle + 1 }
    }
    return max(low - 1, 0)
  }

  private func firstMember(_ list: Int, _ at: Int) -> UInt32 {
    chunks[Int(lists[list].chunks[at])].members[0]
  }

  private func lowerBound(_ item: UInt32, in chunk: Int, _ items: ItemTable) -> Int {
    var low = 0
    var high = chunks[chunk].members.count
    if high > 0, items.precedes(chunks[chunk].members[high - 1], item) { return high }
    while low < high {
      let middle = (low + high) / 2
      if items.precedes(chunks[chunk].members[middle], item) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Halves a full chunk; a chunk that grows at its end is left full and gets an empty successor's
  /// worth of one member, so that appends fill chunks whole.
  private mutating func split(_ list: Int, _ at: Int, atEnd: Bool, _ items: ItemTable) {
    let chunk = Int(lists[list].chunks[at])
    let made = Int(freshChunk(UInt32(list)))
    let kept = atEnd ? Self.chunkMax - 1 : Self.chunkMax / 2
    chunks[made].members = ContiguousArray(chunks[chunk].members[kept...])
    chunks[chunk].members.removeSubrange(kept...)
    for member in chunks[made].members { slot[Int(member)] = UInt32(made) }
    lists[list].chunks.insert(UInt32(made), at: at + 1)
    let moved = UInt32(chunks[made].members.count { !items[$0].isDead })
    lists[list].shown[at] -= moved
    lists[list].shown.insert(moved, at: at + 1)
  }
}
