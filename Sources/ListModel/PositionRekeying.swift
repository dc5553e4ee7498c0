// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Shortens the keys of a crowded place by giving its items one fresh run.
///
/// Every dense order whose keys never change has a pattern that grows them without end; the caps
/// in `Limits` and this are the way out. Worth it only for keys past the soft cap, in a region that
/// is idle, or at once where a new key would pass the hard cap. Each item is then written as an
/// ordinary `place` with own h = its old h + 1, so that any real concurrent move wins.
public enum PositionRekeying {
  /// From this length on a key next to a long one is re-keyed with it: the fresh run hangs between
  /// neighbours that are short enough for it not to be long again at once.
  static let crowdedBytes = Limits.positionBytesSoft / 2

  /// The maximal contiguous stretch of crowded keys that `index` touches, as indexes into the list.
  ///
  /// - Parameters:
  ///   - index: Where a key is or would be put in, 0 ... `count`.
  ///   - count: Items of the list, dead ones included as its neighbours are.
  ///   - key: The key of an item, 0 ..< `count`, ascending.
  /// - Returns: Empty if no key of the stretch is past the soft cap.
  /// - Complexity: O(length of the region).
  public static func region(
    at index: Int, count: Int, key: (Int) -> PositionKey
  ) -> Range<Int> {
    precondition(index >= 0 && index <= count, "index \(index) of \(count)")
    var first = index
    while first > 0 && isCrowded(key(first - 1)) { first -= 1 }
    var end = index
    while end < count && isCrowded(key(end)) { end += 1 }
    return (first..<end).contains { key($0).isLong } ? first..<end : index..<index
  }

  private static func isCrowded(_ key: PositionKey) -> Bool { key.bytes.count > crowdedBytes }

  /// Fresh keys for the items of `region`, in their order and between its two neighbours.
  ///
  /// - Returns: `nil` for an empty region, or if even the fresh keys would be long.
  /// - Complexity: O(key bytes).
  public static func run(
    for region: Range<Int>, count: Int, tag: WriterTag, key: (Int) -> PositionKey
  ) -> PositionRun? {
    guard !region.isEmpty else { return nil }
    let lower = region.lowerBound > 0 ? key(region.lowerBound - 1) : nil
    let upper = region.upperBound < count ? key(region.upperBound) : nil
    // The neighbours are shorter than all keys of the region, hence different from them: the gap
    // is not empty, and no further neighbour is ever needed.
    let first = PositionGenerator.run(of: region.count, between: lower, upper, tag: tag) { _ in nil
    }
    guard let run = try? PositionRun(first: first, count: region.count),
      !run.key(at: region.count - 1).isLong, !first.isLong,
      upper.map({ run.key(at: region.count - 1) < $0 }) ?? true
    else { return nil }
    return run
  }
}
