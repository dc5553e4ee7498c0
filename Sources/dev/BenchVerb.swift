// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation

extension Verb {
  /// Measures rows: JSON lines on standard output, a table on standard error. Exit 1 if a limit is
  /// missed.
  ///
  /// Only a release build says anything. Limits are those of the first release, for one machine
  /// class: compare ratios, not numbers, between machines.
  static let bench = Verb(
    name: "bench", usage: "bench [--rows GLOB] [--runs COUNT] [--quick] [--cpu] [--list]"
  ) { arguments in
    guard let request = BenchRequest(arguments) else {
      Main.complain("usage: dev bench [--rows GLOB] [--runs COUNT] [--quick] [--cpu] [--list]\n")
      return 2
    }
    let rows = BenchRequest.rows.filter { request.wants($0.name) }
    if request.isList {
      for row in rows { print(row.name) }
      return 0
    }
    #if DEBUG
      Main.complain("a debug build: the figures mean nothing\n")
    #endif
    Main.complain(BenchResult.heading + "\n")
    var isMissed = false
    for row in rows {
      let n = request.isQuick ? max(row.n / 10, 1) : row.n
      let result = BenchResult(
        row: row, n: n, runs: (0..<request.runs).map { _ in row.measure(n) })
      print(result.json)
      Main.complain(result.line + "\n")
      if result.isMet == false { isMissed = true }
    }
    return isMissed ? 1 : 0
  }
}

/// What the command line asked for.
private struct BenchRequest {
  static let rows: [BenchRow] =
    ReplicaBench.rows + DiskBench.rows + CryptoBench.rows + PathBench.rows

  private(set) var pattern = "*"
  private(set) var runs = 5
  private(set) var isQuick = false
  private(set) var isList = false

  /// `nil` for arguments that mean nothing.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    var isCounted = false
    while let argument = rest.popFirst() {
      switch argument {
      case "--rows":
        guard let value = rest.popFirst() else { return nil }
        pattern = value
      case "--runs":
        guard let value = rest.popFirst().flatMap(Int.init), value > 0 else { return nil }
        (runs, isCounted) = (value, true)
      case "--quick": isQuick = true
      case "--list": isList = true
      // Read where time is taken.
      case "--cpu": break
      default: return nil
      }
    }
    if isQuick && !isCounted { runs = 1 }
  }

  /// `*` in the pattern stands for any characters.
  func wants(_ name: String) -> Bool {
    let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
    guard let first = parts.first, name.hasPrefix(first) else { return false }
    if parts.count == 1 { return name == first }
    var rest = name.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = rest.range(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(parts[parts.count - 1])
  }
}
