// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import ListModel
import WireCodec
import Workbench
import ZstdPacking

extension Verb {
  /// Prints how many resident bytes an item of a replica takes: one list of N items, then EDITS
  /// further edits, one change each. Or N items that were made and deleted one by one: resident bytes
  /// as the columns have them (`dead`), bytes of chunks and index once they are cold (`cold`); what
  /// was resident before, the allocator keeps.
  static let footprint = Verb(
    name: "footprint", usage: "footprint N EDITS | footprint N dead|cold"
  ) { arguments in
    if arguments.count == 2, let n = Int(arguments[0]), n >= 1_000,
      ["dead", "cold"].contains(arguments[1])
    {
      print(deadFootprint(n, isCold: arguments[1] == "cold"))
      return 0
    }
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

  private static func deadFootprint(_ n: Int, isCold: Bool) -> Double {
    var words = BenchWords(seed: 3)
    var desk = BenchDesk(1, passesFloor: true)
    desk.replica.pack(with: ColdPacking(ZstdPacker()))
    let list = desk.write([.create([BenchWords.list], parent: .root, at: .bottom)])[0]
    let before = residentBytes()
    for _ in 0..<n {
      let item = desk.write([.create([words.row()], parent: list, at: .bottom)])
      desk.write([.setAlive(item[0], false)])
    }
    if isCold {
      let count = desk.replica.freeze(atLeast: n)
      precondition(count == n, "\(count) items became cold")
      return Double(desk.replica.coldByteCount) / Double(n)
    }
    return Double(residentBytes() - before) / Double(n)
  }

  private static func residentBytes() -> Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? 0) * 4096
  }
}
