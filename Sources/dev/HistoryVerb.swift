// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import ListModel
import NodeEngine
import Simulator
import OpenSSLCrypto
import Roster
import SQLiteStore
import WireCodec
import Workbench
import ZstdPacking

extension Verb {
  /// Writes EDITS single edits to a list of ITEMS items through a whole engine, with real signatures,
  /// into a real store with `history.days = 0`, and prints what the database file has come to.
  ///
  /// With `--sessions N` a new session begins every so many edits, as after a restart. With `--churn`
  /// two in five edits delete an item or make one.
  static let history = Verb(
    name: "history", usage: "history EDITS [ITEMS] [--sessions N] [--churn]"
  ) { arguments in
    var (numbers, sessionEdits, hasChurn, rest): ([Int], Int?, Bool, ArraySlice<String>) = (
      [], nil, false, arguments[...]
    )
    while let word = rest.popFirst() {
      switch word {
      case "--churn": hasChurn = true
      case "--sessions": sessionEdits = rest.popFirst().flatMap(Int.init)
      default: numbers.append(Int(word) ?? 0)
      }
    }
    guard (1...2).contains(numbers.count), numbers.allSatisfy({ $0 > 0 }), sessionEdits != 0 else {
      Main.complain("usage: dev history EDITS [ITEMS] [--sessions N] [--churn]\n")
      return 2
    }
    do {
      var home = try HistoryHome()
      (home.sessionEdits, home.hasChurn) = (sessionEdits, hasChurn)
      try home.run(edits: numbers[0], items: numbers.count > 1 ? numbers[1] : 1_000)
      return 0
    } catch {
      Main.complain("dev history: \(error)\n")
      return 1
    }
  }
}

/// One agent without sockets: an engine, a store, a clock that moves a second with each batch.
private struct HistoryHome {
  private static let editsPerBatch = 500
  private var engine: Engine
  private let database: Database
  private let folder: String
  private var now = Moment(nanoseconds: 1_000_000_000)
  private var wall = WallTime(milliseconds: 1_800_000_000_000)
  private var created: [ItemID] = []
  private var token: UInt64 = 0
  private var pending: [(Batch, BatchToken)] = []
  private var peakBytes: Int64 = 0
  private var batches = 0
  /// How many edits a session has; `nil`: all of them.
  var sessionEdits: Int?
  /// Whether items are deleted and made.
  var hasChurn = false

  init() throws {
    folder = NSTemporaryDirectory() + "hedgerow-history-\(UUID().uuidString)"
    try DataDirectory.prepare(folder)
    database = try Database(path: folder + "/" + Database.fileName)
    var settings = EngineSettings()
    settings.historyDays = 0
    guard let crypto = OpenSSLSuite(seed: OpenSSLSuite.randomBytes(32)) else {
      throw Refused(why: "no key")
    }
    engine = Engine(
      settings: settings, crypto: crypto, packer: ZstdPacker(),
      entropy: Entropy(SeededEntropy(seed: 11)), restored: Restored(), wall: wall)
    let founding = Input.foundSpace(
      name: Text("bench"), recoveryKey: [UInt8](repeating: 1, count: 32))
    try give(founding)
    try settle()
  }

  mutating func run(edits: Int, items: Int) throws {
    let start = Date()
    var random = SplitMix64(seed: 5, stream: "history")
    var words = BenchWords(seed: 5)
    try edit(.create([BenchWords.list], parent: .root, at: .bottom))
    try settle()
    let list = created[0]
    try edit(.create((0..<items).map { _ in words.row() }, parent: list, at: .bottom))
    try settle()
    var rows = Array(created.dropFirst())
    for number in 0..<edits {
      if let sessionEdits, number % sessionEdits == 0 { try give(.identityLost) }
      let at = random.below(rows.count)
      let item = rows[at]
      let kind = random.below(100)
      switch kind {
      case 60..<80 where hasChurn && rows.count > 1:
        rows.swapAt(at, rows.count - 1)
        rows.removeLast()
        try edit(.setAlive(item, false))
      case 80... where hasChurn:
        created = []
        try edit(.create([words.row()], parent: list, at: .bottom))
        try settle()
        rows += created
      case 0: try edit(.move([item], parent: list, at: .rank(random.below(rows.count))))
      case 1..<20: try edit(.set(item, .text, .text("edit \(number)")))
      default: try edit(.set(item, BenchWords.quantity, .int(Int64(number))))
      }
      if number % Self.editsPerBatch == Self.editsPerBatch - 1 {
        now = now + .seconds(1)
        try settle()
      }
      if (number + 1) % 1_000_000 == 0 { report("after \(number + 1) edits", start) }
    }
    try settle()
    report("at the last edit", start)
    now = now + .seconds(60)
    try settle()
    try give(.checkpoint)
    try settle()
    while try database.shrink() {}
    try database.checkpointLog()
    report("once acknowledged, past retention and at rest", start)
    try FileManager.default.removeItem(atPath: folder)
  }

  private mutating func edit(_ edit: Edit) throws {
    token += 1
    try give(.edit(EditRequest(token: token, edits: [edit])))
  }

  private mutating func give(_ input: Input) throws {
    var effects: [Effect] = []
    engine.handle(input, at: now, wall: wall, into: &effects)
    for effect in effects {
      switch effect {
      case .persist(let batch, let token): pending.append((batch, token))
      case .readLog(let request, let token):
        let rows = try database.changes(
          of: request.session, from: request.first, through: request.last,
          bytesMax: request.bytesMax)
        try give(
          .logRead(
            token,
            rows.map {
              LoggedChange(
                dot: Dot(session: $0.session, seq: $0.seq), hash: $0.hash, bytes: $0.bytes,
                isVerified: $0.isVerified)
            }))
      case .edited(_, .done(let receipt)): created += receipt.created
      case .edited(_, .refused(let why)): throw Refused(why: "\(why)")
      default: break
      }
    }
  }

  private struct Refused: Error { let why: String }

  /// Writes what waits, and what comes of that.
  private mutating func settle() throws {
    while !pending.isEmpty {
      let (batch, token) = pending.removeFirst()
      try database.commit([rows(batch)])
      try give(.persisted(token))
    }
    if let due = engine.nextDeadline, due <= now {
      try give(.deadline)
      if !pending.isEmpty { try settle() }
    }
    batches += 1
    if database.logPages >= Database.logPagesWorthMoving { try database.checkpointLog() }
    if batches % 100 == 0 { peakBytes = max(peakBytes, try database.sizes().bytes) }
  }

  private func rows(_ batch: Batch) -> StoreBatch {
    var out = StoreBatch()
    out.changes = batch.changes.map {
      ChangeRow(
        session: $0.dot.session, seq: $0.dot.seq, hash: $0.hash, bytes: $0.bytes,
        isVerified: $0.isVerified)
    }
    out.floor = batch.floor
    out.rosterRecords = batch.rosterRecords
    out.checkpoint = batch.checkpoint.map {
      CheckpointRows(header: $0.header, chunks: $0.chunks, chunkCount: $0.chunkCount)
    }
    return out
  }

  private func report(_ when: String, _ start: Date) {
    guard let sizes = try? database.sizes() else { return }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let onDisk = files.reduce(Int64(0)) { sum, name in
      let attributes = try? FileManager.default.attributesOfItem(atPath: folder + "/" + name)
      return sum + (attributes?[.size] as? Int64 ?? 0)
    }
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ").dropFirst().first.flatMap { Int64($0) }
    let seconds = Int(Date().timeIntervalSince(start))
    let mebibytes = { (bytes: Int64) in Double(bytes * 100 / (1 << 20)) / 100 }
    let replica = engine.replica
    print(
      "\(when): files \(mebibytes(onDisk)) MiB (database \(mebibytes(sizes.bytes)), peak "
        + "\(mebibytes(peakBytes))), log \(sizes.changes) changes, items \(replica.itemCount), cold "
        + "\(replica.coldItemCount) in \(replica.coldByteCount) B, stamps \(replica.stampCount), "
        + "resident \(mebibytes((pages ?? 0) * 4_096)) MiB, \(seconds) s")
    fflush(nil)
  }
}
