// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation

/// The whole path: real agents on loopback with nothing announced, asked by the real command. The
/// programs must lie beside `dev`.
///
/// What a command takes includes starting its process.
enum PathBench {
  static let rows: [BenchRow] = [
    BenchRow("path.add", n: 1_000, limit: 10) { n in with(n) { try add($0) } },
    BenchRow("path.ls", n: 1_000, limit: 10) { n in with(n) { try list($0, n) } },
    BenchRow("path.edit-to-watch", n: 1_000, limit: 5) { n in with(n) { try watch($0) } },
    BenchRow("path.first-sync", n: 100_000, limit: 1_500) { n in with(n) { try firstSync($0, n) } },
    BenchRow("path.idle-memory", n: 1_000, unit: "MiB", limit: 30) { n in
      with(n) { try idle($0).memory }
    },
    BenchRow("path.idle-cpu", n: 1_000, unit: "%", limit: 0.03) { n in
      with(n) { try idle($0).percent }
    },
  ]

  /// Commands a round; their median counts.
  private static let commands = 21
  private static let idleSeconds = 20

  private static func add(_ agents: AgentPair) throws -> Double {
    try median { _ = try agents.one.hedge(["add", "@bench", "row \($0)"]) }
  }

  private static func list(_ agents: AgentPair, _ n: Int) throws -> Double {
    try median { _ in
      let rows = try agents.one.hedge(["ls", "@bench"]).split(separator: "\n")
      guard rows.count == n else { throw BenchTrouble("ls printed \(rows.count) of \(n) rows") }
    }
  }

  /// From the start of `hedge add` on one agent to the line that `hedge watch` prints on the other.
  private static func watch(_ agents: AgentPair) throws -> Double {
    try agents.join()
    let watcher = try agents.other.start(["watch", "@bench", "--json"])
    defer { watcher.stop() }
    // The first line that arrives shows that it listens.
    while !watcher.reads("ready", within: 0.05) {
      _ = try agents.one.hedge(["add", "@bench", "ready"])
    }
    return try median { number in
      _ = try agents.one.hedge(["add", "@bench", "seen\(number)"])
      guard watcher.reads("seen\(number)", within: 5) else { throw BenchTrouble("no line in 5 s") }
    }
  }

  /// From the start of `hedge join` to the end: paired, all items here, folded and on disk.
  private static func firstSync(_ agents: AgentPair, _ n: Int) throws -> Double {
    let code = try agents.code()
    var failure: (any Error)?
    let spent = milliseconds {
      do { try agents.join(code) } catch { failure = error }
    }
    if let failure { throw failure }
    let rows = try agents.other.hedge(["ls", "@bench"]).split(separator: "\n").count
    guard rows == n else { throw BenchTrouble("\(rows) of \(n) rows are here after the join") }
    return spent
  }

  /// What one of two agents in sync uses while nobody does anything.
  private static func idle(_ agents: AgentPair) throws -> (memory: Double, percent: Double) {
    try agents.join()
    Thread.sleep(forTimeInterval: 3)
    let before = try agents.one.usage()
    Thread.sleep(forTimeInterval: Double(idleSeconds))
    let after = try agents.one.usage()
    return (after.mebibytes, (after.seconds - before.seconds) / Double(idleSeconds) * 100)
  }

  private static func median(_ body: (Int) throws -> Void) throws -> Double {
    var failure: (any Error)?
    let runs = (0..<commands).map { number in
      milliseconds { do { try body(number) } catch { failure = error } }
    }
    if let failure { throw failure }
    return runs.sorted()[commands / 2]
  }

  /// Two agents of which the first holds the list `bench` with `n` rows; ended and removed again.
  private static func with(_ n: Int, _ body: (AgentPair) throws -> Double) -> Double {
    var result: Double?
    var failure: (any Error)?
    let agents = AgentPair()
    do {
      try agents.start(rows: n)
      result = try body(agents)
    } catch { failure = error }
    agents.end()
    guard let result else { preconditionFailure("\(failure.map(String.init(describing:)) ?? "")") }
    return result
  }
}

struct BenchTrouble: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
