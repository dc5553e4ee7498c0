// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Glibc

/// One measured figure: what it is called, its size, its unit, the value that must be met.
///
/// The rows of a subject live in a file of their own (`Bench<Subject>.swift`) and are listed in
/// `BenchVerb`.
struct BenchRow: Sendable {
  let name: String
  /// How many items or edits; a quick round takes a tenth.
  let n: Int
  let unit: String
  /// Not to be exceeded, at full size; `nil` where nothing is promised.
  let limit: Double?
  /// Prepares and measures one round of the given size.
  let measure: @Sendable (_ n: Int) -> Double

  init(
    _ name: String, n: Int, unit: String = "ms", limit: Double? = nil,
    measure: @escaping @Sendable (_ n: Int) -> Double
  ) {
    (self.name, self.n, self.unit) = (name, n, unit)
    (self.limit, self.measure) = (limit, measure)
  }
}

/// What the rounds of one row came to.
struct BenchResult {
  let row: BenchRow
  let n: Int
  /// In the order measured; at least one.
  let runs: [Double]

  var sorted: [Double] { runs.sorted() }
  var median: Double { sorted[runs.count / 2] }
  /// A limit holds for the full size only.
  var isMet: Bool? { n == row.n ? row.limit.map { median <= $0 } : nil }

  /// One line of JSON, numbers with three decimals.
  var json: String {
    let runs = runs.map(Self.number).joined(separator: ",")
    let limit = row.limit.map(Self.number) ?? "null"
    return """
      {"row":"\(row.name)","n":\(n),"unit":"\(row.unit)","median":\(Self.number(median)),\
      "min":\(Self.number(sorted[0])),"max":\(Self.number(sorted[sorted.count - 1])),\
      "runs":[\(runs)],"limit":\(limit)}
      """
  }

  /// One line of a table for people.
  var line: String {
    let verdict = isMet.map { $0 ? "met" : "MISSED" } ?? ""
    let columns = [
      row.name.padding(toLength: 28, withPad: " ", startingAt: 0), Self.wide("\(n)", 9),
      Self.wide(Self.number(median), 12), Self.wide(Self.number(sorted[0]), 12),
      Self.wide(Self.number(sorted[sorted.count - 1]), 12),
      row.unit.padding(toLength: 5, withPad: " ", startingAt: 0),
      Self.wide(row.limit.map(Self.number) ?? "", 9), verdict,
    ]
    return columns.joined(separator: " ")
  }

  static let heading =
    "row                                  n       median          min          max unit      limit"

  private static func number(_ value: Double) -> String { String(format: "%.3f", value) }

  private static func wide(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }
}

/// How long `body` takes, in milliseconds: wall time, or with `--cpu` what this thread worked.
func milliseconds(_ body: () -> Void) -> Double {
  if !BenchClock.isCPU {
    let spent = ContinuousClock().measure(body)
    return Double(spent.components.seconds) * 1e3 + Double(spent.components.attoseconds) / 1e15
  }
  let before = BenchClock.threadNanoseconds
  body()
  return Double(BenchClock.threadNanoseconds - before) / 1e6
}

/// Which clock the rows use: on a machine that others work on too, wall time says little.
enum BenchClock {
  static let isCPU = CommandLine.arguments.contains("--cpu")

  static var threadNanoseconds: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
