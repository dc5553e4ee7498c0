// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import ListModel
import Workbench

extension Verb {
  /// Prints how many resident bytes an item of a replica takes: one list of N items, then EDITS
  /// further edits, one change each.
  static let footprint = Verb(name: "footprint", usage: "footprint N EDITS") { arguments in
    guard arguments.count == 2, let n = Int(arguments[0]), n >= 1_000, let edits = Int(arguments[1])
    else {
      Main.complain("usage: dev footprint N EDITS   (N from 1000)\n")
      return 2
    }
    var words = BenchWords(seed: 3)
    var desk = BenchDesk(1)
    let before = residentBytes()
    let list = desk.write([.create([BenchWords.list], parent: .root, at: .bottom)])[0]
    for _ in 0..<n / 1_000 {
      desk.write([.create((0..<1_000).map { _ in words.row() }, parent: list, at: .bottom)])
    }
    for _ in 0..<edits {
      let rank = words.random.below(n)
      guard let item = desk.replica.child(of: list, at: rank) else { continue }
      if rank % 10 == 0 {
        desk.write([.move([item], parent: list, at: .rank(words.random.below(n)))])
      } else {
        desk.write([.set(item, BenchWords.quantity, .int(Int64(rank)))])
      }
    }
    print(Double(residentBytes() - before) / Double(n))
    return 0
  }

  private static func residentBytes() -> Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? 0) * 4096
  }
}
