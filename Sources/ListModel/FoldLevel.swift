// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Which kinds of ops a version of the program can fold (`core.md` 9).
///
/// Every program folds `current`; the simulator runs older and newer ones side by side.
public struct FoldLevel: Hashable, Sendable {
  private let kinds: UInt64

  /// - Parameter kinds: Numbers of op kinds, 1...63.
  public init(kinds: [UInt64]) { self.kinds = kinds.reduce(0) { $0 | 1 << ($1 & 63) } }

  /// The level of these bits, as `bits` gave them.
  public init(bits: UInt64) { kinds = bits }

  /// One bit a kind, for keeping.
  public var bits: UInt64 { kinds }

  /// The kinds that both fold.
  public func common(with other: FoldLevel) -> FoldLevel {
    FoldLevel(bits: kinds & other.kinds)
  }

  /// What this version folds.
  public static let current = FoldLevel(kinds: [1, 2, 3, 4, 5, 6])

  /// Whether ops of the kind with this number are folded.
  public func folds(kind: UInt64) -> Bool { kind < 64 && kinds >> kind & 1 == 1 }
}

extension Op {
  /// The number of the op's kind in the format (`core.md` 5.1).
  public var kind: UInt64 {
    switch self {
    case .create: 1
    case .place: 2
    case .blockPlace: 3
    case .set: 4
    case .life: 5
    case .add: 6
    case .unknown(let kind, _): kind
    }
  }
}

extension Change {
  /// The change as a version of that level reads it: ops of other kinds are unknown to it.
  public func read(at level: FoldLevel) -> Change {
    guard ops.contains(where: { !level.folds(kind: $0.kind) }) else { return self }
    var change = self
    change.ops = ops.map { level.folds(kind: $0.kind) ? $0 : .unknown(kind: $0.kind, payload: []) }
    return change
  }
}
