// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import ListModel
import Workbench

/// Plan and fold at 100,000 items: every edit is planned against the state before it.
enum ReplicaBench {
  static let rows: [BenchRow] = [
    BenchRow("W1-append", n: 100_000, limit: 120, measure: append),
    BenchRow("W1-append-single", n: 100_000, limit: 120) { insert($0, at: { _, _ in .bottom }) },
    BenchRow("W2-random-insert", n: 100_000, limit: 150) {
      insert($0, at: { random, count in .rank(random.below(count + 1)) })
    },
    BenchRow("W3-prepend", n: 100_000, limit: 100) { insert($0, at: { _, _ in .top }) },
    BenchRow("W4-move", n: 100_000, limit: 18, measure: move),
    BenchRow("W5-set", n: 100_000, limit: 18, measure: set),
    BenchRow("W6-delete", n: 100_000, limit: 36, measure: delete),
    BenchRow("W7-fold-concurrent", n: 100_000, limit: 6) { foldConcurrent($0, changeCount: 1) },
    BenchRow("W7-fold-concurrent-single", n: 100_000, limit: 6) {
      foldConcurrent($0, changeCount: 1_000)
    },
    BenchRow("W8-image-export", n: 100_000, limit: 5, measure: export),
    BenchRow("W8-image-join", n: 100_000, limit: 50, measure: join),
    BenchRow("W8-image-load", n: 100_000, limit: 40, measure: load),
    BenchRow("W9-read-all", n: 100_000, limit: 40, measure: readAll),
    BenchRow("W10-memory", n: 100_000, unit: "B", limit: 240) { footprint($0, "0") },
    BenchRow("W10-memory-edited", n: 100_000, unit: "B", limit: 240) { footprint($0, "\($0)") },
    BenchRow("W10-memory-dead", n: 100_000, unit: "B") { footprint($0, "dead") },
    BenchRow("W10-memory-cold", n: 100_000, unit: "B", limit: 64) { footprint($0, "cold") },
    BenchRow("W12-edit-1k", n: 1_000, unit: "us", limit: 10, measure: oneEdit),
    BenchRow("W12-edit-100k", n: 100_000, unit: "us", limit: 10, measure: oneEdit),
  ]

  /// The rows come in one transaction, as from an import.
  private static func append(_ n: Int) -> Double {
    var words = BenchWords(seed: 1)
    var desk = BenchDesk(1)
    let list = desk.write([.create([BenchWords.list], parent: .root, at: .bottom)])[0]
    let rows = (0..<n).map { _ in words.row() }
    return milliseconds { desk.write([.create(rows, parent: list, at: .bottom)]) }
  }

  /// Every row is a change of its own.
  private static func insert(
    _ n: Int, at place: (inout SplitMix64, _ count: Int) -> Placement
  ) -> Double {
    var words = BenchWords(seed: 2)
    var random = SplitMix64(seed: 2, stream: "places")
    var desk = BenchDesk(1)
    let list = desk.write([.create([BenchWords.list], parent: .root, at: .bottom)])[0]
    let edits = (0..<n).map { count in
      Edit.create([words.row()], parent: list, at: place(&random, count))
    }
    return milliseconds { for edit in edits { desk.write([edit]) } }
  }

  /// A desk with `n` items that others can be measured on.
  private static func filled(_ n: Int) -> (BenchDesk, ItemID, [ItemID]) {
    var words = BenchWords(seed: 3)
    var desk = BenchDesk(1)
    let list = desk.fill(n, &words)
    return (desk, list, desk.replica.children(of: list))
  }

  private static func move(_ n: Int) -> Double {
    var (desk, list, items) = filled(n)
    var random = SplitMix64(seed: 4, stream: "moves")
    let edits = (0..<n / 10).map { _ in
      Edit.move([random.pick(items)], parent: list, at: .rank(random.below(n)))
    }
    return milliseconds { desk.write(edits) }
  }

  private static func set(_ n: Int) -> Double {
    var (desk, _, items) = filled(n)
    var random = SplitMix64(seed: 5, stream: "sets")
    let edits = (0..<n / 10).map { _ in
      Edit.set(random.pick(items), BenchWords.quantity, .int(Int64(random.below(1_000))))
    }
    return milliseconds { desk.write(edits) }
  }

  private static func delete(_ n: Int) -> Double {
    var (desk, _, items) = filled(n)
    var random = SplitMix64(seed: 6, stream: "deletes")
    items.shuffle(using: &random)
    let edits = items.prefix(n / 2).map { Edit.setAlive($0, false) }
    return milliseconds { desk.write(edits) }
  }

  /// Two desks with the same items work apart; one takes the other's 1,000 ops.
  private static func foldConcurrent(_ n: Int, changeCount: Int) -> Double {
    var words = BenchWords(seed: 7)
    var one = BenchDesk(1, keepsLog: true)
    let list = one.fill(n, &words)
    var two = BenchDesk(2, keepsLog: true)
    for entry in one.log { two.take(entry.change, entry.hash) }
    let items = one.replica.children(of: list)
    var random = SplitMix64(seed: 7, stream: "mix")
    for _ in 0..<1_000 { one.write([mixed(&random, items, list, &words)]) }
    if changeCount == 1 {
      // Sets and deletes share a change; places need one each.
      let edits = (0..<1_000).map { number in
        Edit.set(items[number * 7 % n], BenchWords.quantity, .int(Int64(number)))
      }
      two.write(edits)
    } else {
      for _ in 0..<1_000 { two.write([mixed(&random, items, list, &words)]) }
    }
    let log = two.log
    return milliseconds { for entry in log { one.take(entry.change, entry.hash) } }
  }

  private static func mixed(
    _ random: inout SplitMix64, _ items: [ItemID], _ list: ItemID, _ words: inout BenchWords
  ) -> Edit {
    let item = random.pick(items)
    switch random.below(4) {
    case 0: return .create([words.row()], parent: list, at: .rank(random.below(items.count)))
    case 1: return .move([item], parent: list, at: .rank(random.below(items.count)))
    case 2: return .set(item, BenchWords.quantity, .int(Int64(random.below(1_000))))
    default: return .setAlive(item, false)
    }
  }

  private static func export(_ n: Int) -> Double {
    let (desk, _, _) = filled(n)
    var cells = 0
    let spent = milliseconds {
      _ = desk.replica.header()
      for number in 0..<desk.replica.chunkCount {
        cells += desk.replica.chunk(at: number).ids.count
      }
    }
    precondition(cells == n + 1, "exported \(cells)")
    return spent
  }

  private static func image(_ n: Int) -> (ReplicaHeader, [ItemChunk]) {
    let (desk, _, _) = filled(n)
    return (desk.replica.header(), (0..<desk.replica.chunkCount).map(desk.replica.chunk(at:)))
  }

  /// A newcomer's first snapshot.
  private static func join(_ n: Int) -> Double {
    let (header, chunks) = image(n)
    var replica = Replica()
    var events: [ReplicaEvent] = []
    return milliseconds {
      do { try replica.join(header, chunks, events: &events) } catch { preconditionFailure() }
    }
  }

  /// A checkpoint at start.
  private static func load(_ n: Int) -> Double {
    let (header, chunks) = image(n)
    var replica: Replica?
    let spent = milliseconds { replica = try? Replica(header: header, chunks: chunks) }
    precondition(replica != nil, "an image that cannot be read back")
    return spent
  }

  private static func readAll(_ n: Int) -> Double {
    let (desk, list, _) = filled(n)
    var bytes = 0
    let spent = milliseconds {
      desk.replica.forEachChild(of: list) { item in
        if case .text(let text)? = desk.replica.value(of: item, .text) { bytes += text.utf8.count }
        if case .bool(true)? = desk.replica.value(of: item, .done) { bytes += 1 }
        if case .int(let count)? = desk.replica.value(of: item, BenchWords.quantity) {
          bytes += Int(count)
        }
        return true
      }
    }
    precondition(bytes > n, "read \(bytes)")
    return spent
  }

  /// Memory is read in a process of its own: what earlier rows left behind would hide it.
  private static func footprint(_ n: Int, _ kind: String) -> Double {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    child.arguments = ["footprint", "\(n)", kind]
    let output = Pipe()
    child.standardOutput = output
    do { try child.run() } catch { preconditionFailure("dev footprint: \(error)") }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    child.waitUntilExit()
    guard let bytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      preconditionFailure("dev footprint printed \(text)")
    }
    return bytes
  }

  /// Plan and fold of one set among `n` items, the median of many.
  private static func oneEdit(_ n: Int) -> Double {
    var (desk, _, items) = filled(n)
    var random = SplitMix64(seed: 8, stream: "edit")
    var runs = (0..<2_001).map { _ in
      let edit = Edit.set(
        random.pick(items), BenchWords.quantity, .int(Int64(random.below(1_000))))
      return milliseconds { desk.write([edit]) } * 1_000
    }
    runs.sort()
    return runs[runs.count / 2]
  }
}
