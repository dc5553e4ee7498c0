// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Gives a chunk that is seldom looked at its bytes in memory.
public protocol ChunkPacking: Sendable {
  func pack(_ chunk: ItemChunk) -> [UInt8]
  /// The chunk again; `nil` for bytes that `pack` has not made.
  func unpack(_ bytes: [UInt8]) -> ItemChunk?
}

/// Dead items that left the columns with what was deleted with them: whole subtrees, packed into
/// chunks, and an index from ids to chunks of 8 bytes an item (`core.md` 6.2).
struct ColdStore: Sendable {
  private enum Content: Sendable {
    case plain(ItemChunk)
    case packed([UInt8])
    /// Its items are back in the columns; its number stays taken.
    case gone
  }

  private struct Entry: Sendable {
    var content: Content
    var itemCount: Int
    let isContinued: Bool
  }

  /// `nil` keeps chunks as they are.
  private(set) var packing: (any ChunkPacking)?
  private var entries: ContiguousArray<Entry> = []
  /// A hash of the id in the upper half, the chunk's number in the lower; ascending. Entries of chunks
  /// that are gone stay until the two are merged.
  private var index: ContiguousArray<UInt64> = []
  /// The same for what was added last.
  private var recent: ContiguousArray<UInt64> = []
  /// Items in chunks that are there.
  private(set) var itemCount = 0

  var chunkCount: Int { entries.count }

  /// Bytes of chunks and index; chunks that are not packed count nothing.
  var byteCount: Int {
    entries.reduce((index.count + recent.count) * 8) { sum, entry in
      if case .packed(let bytes) = entry.content { sum + bytes.count } else { sum }
    }
  }

  // MARK: Commands

  mutating func pack(with packing: any ChunkPacking) {
    self.packing = packing
    for number in entries.indices {
      if case .plain(let chunk) = entries[number].content {
        entries[number].content = .packed(packing.pack(chunk))
      }
    }
  }

  /// Adds a chunk behind those that are there; an empty one is gone from the start.
  /// - Complexity: O(items of the chunk + a part of the index).
  mutating func append(_ chunk: ItemChunk) {
    let number = UInt64(entries.count)
    let content: Content =
      chunk.ids.isEmpty ? .gone : packing.map { .packed($0.pack(chunk)) } ?? .plain(chunk)
    entries.append(
      Entry(content: content, itemCount: chunk.ids.count, isContinued: chunk.isContinued))
    if chunk.ids.isEmpty { return }
    itemCount += chunk.ids.count
    for id in chunk.ids { recent.append(Self.hash(id) | number) }
    recent.sort()
    guard recent.count > max(Self.recentMax, index.count / 8) else { return }
    var merged = ContiguousArray(index.filter { !isGone(Int($0 & 0xFFFF_FFFF)) })
    merged.append(contentsOf: recent)
    merged.sort()
    (index, recent) = (merged, [])
  }

  private static var recentMax: Int { 65_536 }

  /// Takes out the chunk `number` with those that hold the rest of its subtrees.
  /// - Returns: The chunks, and their numbers.
  mutating func take(_ number: Int) -> (numbers: ClosedRange<Int>, chunks: [ItemChunk]) {
    let numbers = together(number)
    let chunks = numbers.map(chunk)
    for number in numbers {
      itemCount -= entries[number].itemCount
      entries[number].itemCount = 0
      entries[number].content = .gone
    }
    return (numbers, chunks)
  }

  // MARK: Queries

  /// The chunk `number` with those that hold the rest of its subtrees.
  func group(_ number: Int) -> [ItemChunk] { together(number).map(chunk) }

  private func together(_ number: Int) -> ClosedRange<Int> {
    var (first, last) = (number, number)
    while first > 0, entries[first - 1].isContinued { first -= 1 }
    while last + 1 < entries.count, entries[last].isContinued { last += 1 }
    return first...last
  }

  /// The chunk `number`; an empty one if it is gone.
  func chunk(_ number: Int) -> ItemChunk {
    switch entries[number].content {
    case .plain(let chunk): return chunk
    case .packed(let bytes):
      guard let chunk = packing?.unpack(bytes) else {
        preconditionFailure("cold chunk \(number) of \(bytes.count) bytes cannot be read")
      }
      return chunk
    case .gone: return ItemChunk()
    }
  }

  /// The number of the chunk that has `id`.
  /// - Complexity: O(log n), and one chunk is unpacked if it is there.
  func number(of id: ItemID) -> Int? {
    number(of: id, in: index) ?? number(of: id, in: recent)
  }

  private func number(of id: ItemID, in index: ContiguousArray<UInt64>) -> Int? {
    let hash = Self.hash(id)
    var low = 0
    var high = index.count
    while low < high {
      let middle = (low + high) / 2
      if index[middle] < hash { low = middle + 1 } else { high = middle }
    }
    while low < index.count, index[low] & ~0xFFFF_FFFF == hash {
      let number = Int(index[low] & 0xFFFF_FFFF)
      if !isGone(number), chunk(number).ids.contains(id) { return number }
      low += 1
    }
    return nil
  }

  private func isGone(_ number: Int) -> Bool {
    if case .gone = entries[number].content { true } else { false }
  }

  private static func hash(_ id: ItemID) -> UInt64 {
    let mixed = (id.nonce ^ UInt64(id.index) &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
    return mixed & ~0xFFFF_FFFF
  }
}
