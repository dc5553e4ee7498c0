// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Makes keys for new places in a list (`docs/decisions/0003-positions.md`).
///
/// A pure function of the two neighbours and the writing session's tag. A writer's run stays in one
/// bunch, so that two people who write at one place at the same time do not mix their lines, and a
/// key grows by a level only where somebody else's bunch is entered.
public enum PositionGenerator {
  /// Returns the key for one item between the neighbours `a` and `b`, strictly between them.
  ///
  /// Never traps, whatever the neighbours are: equal or reversed ones are legal (an undo makes equal
  /// keys), and then, or if `b` is no valid key or lies at the end of what integers can express, the
  /// item lands behind some later key of the list. A result may be longer than
  /// `Limits.positionBytesMax`; the caller re-keys the region then. Only behind an `a` that is no
  /// valid key is the result none either.
  ///
  /// - Parameters:
  ///   - a: Left neighbour; `nil` is the head of the list.
  ///   - b: Right neighbour; `nil` is the end.
  ///   - tag: Of the session that writes.
  ///   - next: The list's smallest key strictly greater than the given one, dead items included or
  ///     not; `nil` if none.
  /// - Complexity: O(key bytes), plus one `next` for each neighbour that has to be passed over.
  public static func between(
    _ a: PositionKey?, _ b: PositionKey?, tag: WriterTag,
    next: (PositionKey) -> PositionKey?
  ) -> PositionKey {
    run(of: 1, between: a, b, tag: tag, next: next)
  }

  /// Returns the first key of a run of `count`, 1 ..< 2^48, all of it between `a` and `b`.
  ///
  /// The others follow by `PositionRun`. Everything else is as in `between`.
  public static func run(
    of count: Int, between a: PositionKey?, _ b: PositionKey?, tag: WriterTag,
    next: (PositionKey) -> PositionKey?
  ) -> PositionKey {
    precondition(count >= 1 && count < 1 << 48, "a run of \(count) keys")
    var upper = b
    if let a, let b, a >= b { upper = following(a, next) }
    while a != nil || upper != nil {
      let gap = PositionGap(a, upper, tag: tag, count: count)
      if let path = gap?.place() { return PositionKey(bytes: PositionCodec.encode(path)) }
      if let a {
        let key = extended(a, by: tag)
        guard let upper else { return key }
        if key < upper { return key }
      }
      upper = upper.flatMap { following($0, next) }
    }
    let path = PositionPath(root: 0, levels: [PositionLevel(tag: tag, integer: 0)])
    return PositionKey(bytes: PositionCodec.encode(path))
  }

  /// `next`, not trusted to go forward.
  private static func following(
    _ key: PositionKey, _ next: (PositionKey) -> PositionKey?
  ) -> PositionKey? {
    next(key).flatMap { $0 > key ? $0 : nil }
  }

  /// The first node of the writer's own bunch directly under `key`.
  private static func extended(_ key: PositionKey, by tag: WriterTag) -> PositionKey {
    if var path = try? PositionCodec.decode(key.bytes) {
      path.levels.append(PositionLevel(tag: tag, integer: 0))
      return PositionKey(bytes: PositionCodec.encode(path))
    }
    var bytes = key.bytes + [0xFF]
    appendBigEndian(tag.value, to: &bytes)
    return PositionKey(bytes: bytes + [0x80])
  }
}

/// Two neighbours, at least one of them not `nil`, both valid, and who wants to write between them.
private struct PositionGap {
  private let a: PositionPath?
  private let b: PositionPath?
  private let tag: WriterTag
  /// How far the last key of the run is from the first.
  private let reach: Int64

  init?(_ a: PositionKey?, _ b: PositionKey?, tag: WriterTag, count: Int) {
    do {
      self.a = try a.map { key throws(PositionError) in try PositionCodec.decode(key.bytes) }
      self.b = try b.map { key throws(PositionError) in try PositionCodec.decode(key.bytes) }
    } catch { return nil }
    self.tag = tag
    reach = Int64(count - 1) * Limits.stride
  }

  /// The first key of the run; `nil` if every way to write it leaves the range of integers.
  func place() -> PositionPath? {
    if let own = ownExtension() { return own }
    switch (a, b) {
    case (nil, nil): return nil
    case (nil, let b?): return rooted(at: b.root - Limits.stride)
    case (let a?, nil): return rooted(at: a.root + Limits.stride)
    case (let a?, let b?): return inner(a, b)
    }
  }

  // MARK: continuing an own bunch

  private func ownExtension() -> PositionPath? {
    if let a {
      for (k, level) in a.levels.enumerated() where level.tag == tag && !isInside(b, a, k) {
        if let path = run(in: a, k, first: Self.nodeAbove(level.integer)) { return path }
      }
    }
    if let b {
      for (k, level) in b.levels.enumerated() where level.tag == tag && !isInside(a, b, k) {
        let last = Self.nodeBelow(level.integer)
        if let path = run(in: b, k, first: last - reach) { return path }
      }
    }
    return nil
  }

  /// Whether `path` lies in the bunch of level `k` of `owner`.
  private func isInside(_ path: PositionPath?, _ owner: PositionPath, _ k: Int) -> Bool {
    guard let path, path.root == owner.root, path.levels.count > k else { return false }
    return path.levels[..<k] == owner.levels[..<k] && path.levels[k].tag == owner.levels[k].tag
  }

  /// The run in the bunch of level `k` of `path`, if its integers are valid.
  private func run(in path: PositionPath, _ k: Int, first: Int64) -> PositionPath? {
    guard PositionCodec.integers.contains(first), PositionCodec.integers.contains(first + reach)
    else { return nil }
    let level = PositionLevel(tag: tag, integer: first)
    return PositionPath(root: path.root, levels: path.levels[..<k] + [level])
  }

  // MARK: opening a new bunch

  private func inner(_ a: PositionPath, _ b: PositionPath) -> PositionPath? {
    if a.root != b.root {
      guard b.root - a.root <= 1 else { return rooted(at: Self.middle(a.root, b.root)) }
      return beside(a, from: 0)
    }
    let common = zip(a.levels, b.levels).prefix { $0 == $1 }.count
    guard common < a.levels.count else { return before(b, from: common) }
    // memcmp order: b cannot be a prefix of the smaller a.
    guard common < b.levels.count else { return nil }
    let (x, y) = (a.levels[common], b.levels[common])
    guard x.tag == y.tag else { return beside(a, from: common) }
    if let middle = pick(x.integer, y.integer, own: x.tag == tag) {
      return hung(on: a, common, middle)
    }
    return beside(a, from: common + 1)
  }

  /// `a` is a prefix of `b`: an anchor left of one of the levels that `b` has more.
  private func before(_ b: PositionPath, from first: Int) -> PositionPath? {
    for k in first..<b.levels.count {
      let level = b.levels[k]
      let low = Self.nodeBelow(level.integer)
      if let anchor = pick(low, level.integer, own: level.tag == tag),
        let path = hung(on: b, k, anchor)
      {
        return path
      }
    }
    let last = b.levels.count - 1
    return hung(on: b, last, Self.nodeBelow(b.levels[last].integer) - Limits.stride / 2)
  }

  /// An anchor right of one of the levels of `a`, outermost first, or directly under `a`.
  private func beside(_ a: PositionPath, from first: Int) -> PositionPath? {
    for k in first..<a.levels.count {
      let level = a.levels[k]
      let high = Self.nodeAbove(level.integer)
      if let anchor = pick(level.integer, high, own: level.tag == tag),
        let path = hung(on: a, k, anchor)
      {
        return path
      }
    }
    return hung(on: a, a.levels.count, nil)
  }

  /// The writer's new bunch under level `k` of `path` set to `anchor`, or under all of `path`.
  private func hung(on path: PositionPath, _ k: Int, _ anchor: Int64?) -> PositionPath? {
    var levels = Array(path.levels[..<k])
    if let anchor {
      guard PositionCodec.integers.contains(anchor) else { return nil }
      levels.append(PositionLevel(tag: path.levels[k].tag, integer: anchor))
    }
    levels.append(PositionLevel(tag: tag, integer: 0))
    return checked(PositionPath(root: path.root, levels: levels))
  }

  private func rooted(at root: Int64) -> PositionPath? {
    guard PositionCodec.integers.contains(root) else { return nil }
    return checked(PositionPath(root: root, levels: [PositionLevel(tag: tag, integer: 0)]))
  }

  /// A new bunch starts at 0: only a run longer than half the range leaves it.
  private func checked(_ path: PositionPath) -> PositionPath? {
    PositionCodec.integers.contains(reach) ? path : nil
  }

  // MARK: integers

  /// An integer strictly between, or `nil` if there is none.
  ///
  /// Inside one cell between two nodes the bunch's owner gets the half at the newer node and all
  /// others the half at the older one: concurrent runs of both stay apart.
  private func pick(_ low: Int64, _ high: Int64, own: Bool) -> Int64? {
    guard high - low > 1 else { return nil }
    let node = Self.floored(low)
    if high - node <= Limits.stride {
      let half = node + Limits.stride / 2
      let (x, y) = own == (node >= 0) ? (max(low, half), high) : (low, min(high, half + 1))
      if y - x > 1 { return Self.middle(x, y) }
    }
    return Self.middle(low, high)
  }

  private static func middle(_ x: Int64, _ y: Int64) -> Int64 { (x + y) >> 1 }
  /// The greatest multiple of the stride at or below `x`.
  private static func floored(_ x: Int64) -> Int64 { x & -Limits.stride }
  private static func nodeAbove(_ x: Int64) -> Int64 { floored(x) + Limits.stride }
  private static func nodeBelow(_ x: Int64) -> Int64 { floored(x - 1) }
}
