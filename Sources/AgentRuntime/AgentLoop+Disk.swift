// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import SystemServices
import EventLoop
import ListModel
import ListService
import NodeEngine
import SQLiteStore
import WireCodec

/// Batches to the disk actor, and its answers back.
extension AgentLoop {
  func persist(_ batch: Batch, _ token: BatchToken) {
    var rows = StoreBatch(batch)
    takeKept(into: &rows)
    takeEvents(into: &rows)
    let changes = batch.changes.count
    let isCheckpoint = batch.checkpoint != nil
    batchesInFlight += 1
    let number = hooks.started()
    let (disk, ready) = (disk, rows)
    Task {
      let result = await disk.commit(ready)
      committed(token, result, ready, number, changes: changes, isCheckpoint: isCheckpoint)
    }
  }

  private func committed(
    _ token: BatchToken, _ result: Result<Void, StoreError>, _ rows: StoreBatch, _ number: UInt64,
    changes: Int, isCheckpoint: Bool
  ) {
    batchesInFlight -= 1
    switch result {
    case .success:
      if storeTrouble != nil {
        storeTrouble = nil
        log(.notice, "store.recovered")
      }
      checkpoints.wrote(changes: changes, isCheckpoint: isCheckpoint, at: Clocks.monotonic())
      take(.engine(.persisted(token)))
      for document in hooks.committed(number) { runHooks(document) }
    case .failure(let error):
      storeTrouble = error.message
      log(.error, "store.failed", ["why": "\(error)"])
      eventsToKeep = rows.events + eventsToKeep
      eventsFloor = eventsFloor ?? rows.eventsFloor
      take(.engine(.persistFailed(token)))
    }
    finishIfQuiet()
  }

  func readLog(_ request: LogRequest, _ token: ReadToken) {
    let disk = disk
    Task {
      let result = await disk.changes(
        of: request.session, from: request.first, through: request.last,
        bytesMax: request.bytesMax)
      switch result {
      case .success(let rows): take(.engine(.logRead(token, rows.map(LoggedChange.init))))
      case .failure(let error):
        log(.error, "store.read-failed", ["why": "\(error)"])
        take(.engine(.logRead(token, [])))
      }
    }
  }

  func measureStore(_ token: UInt64) {
    let disk = disk
    Task {
      let sizes = await disk.sizes()
      take(.service(.storeMeasured(token: token, sizes)))
    }
  }

  func readChanges(_ token: UInt64, _ before: Int64, _ limit: Int) {
    let disk = disk
    Task {
      let result = await disk.newestChanges(before: before, limit: limit)
      if case .failure(let error) = result {
        log(.error, "store.read-failed", ["why": "\(error)"])
      }
      take(.service(.changesRead(token: token, (try? result.get()) ?? [])))  // logged above
    }
  }

  // MARK: Rows of this machine

  /// They wait a moment for a batch that goes to disk anyway.
  func scheduleKeeping() {
    if keepAt == nil { keepAt = Clocks.monotonic() + 300_000_000 }
  }

  private func takeKept(into batch: inout StoreBatch) {
    // Those of an edit are newer than those that waited.
    batch.local = rowsToKeep + batch.local
    (rowsToKeep, keepAt) = ([], nil)
  }

  /// Events go with the batch that holds their changes, never before it.
  private func takeEvents(into batch: inout StoreBatch) {
    // What the limit would take away again at once need not be written.
    batch.events = eventsToKeep.suffix(EventFeed.keptMax)
    batch.eventsFloor = eventsFloor
    (eventsToKeep, eventsFloor) = ([], nil)
  }

  func keepRows() {
    keepAt = nil
    var batch = StoreBatch()
    takeKept(into: &batch)
    // With nothing under way and no trouble, no change waits for the disk.
    if batchesInFlight == 0 && storeTrouble == nil { takeEvents(into: &batch) }
    guard !batch.local.isEmpty || !batch.events.isEmpty else { return }
    batchesInFlight += 1
    let (disk, ready) = (disk, batch)
    Task {
      if case .failure(let error) = await disk.commit(ready) {
        log(.error, "store.failed", ["why": "\(error)"])
      }
      batchesInFlight -= 1
      finishIfQuiet()
    }
  }

  // MARK: Checkpoints

  func advanceCheckpoints(_ time: UInt64) {
    guard batchesInFlight == 0, case .running = phase else { return }
    switch checkpoints.due(at: time) {
    case .image: take(.engine(.checkpoint))
    case .log:
      let disk = disk
      batchesInFlight += 1
      Task {
        await disk.checkpointLog()
        batchesInFlight -= 1
        finishIfQuiet()
      }
    case nil: break
    }
  }
}

/// When the replica's columns and SQLite's log are brought into their places: when nothing goes on.
struct CheckpointPolicy: Hashable, Sendable {
  enum Due: Hashable, Sendable {
    /// Write the dirty chunks.
    case image
    /// Move the write-ahead log into the database.
    case log
  }

  /// Quiet for so long: the write-ahead log is moved.
  static let logQuiet: UInt64 = 2_000_000_000
  /// Quiet for so long: dirty chunks are written, so that the next start reads little.
  static let imageQuiet: UInt64 = 20_000_000_000
  /// Changes behind the checkpoint that call for one even under load.
  static let changesMax = 20_000

  private var changes = 0
  private var logIsDirty = false
  private var lastWrite: UInt64 = 0

  mutating func wrote(changes count: Int, isCheckpoint: Bool, at time: UInt64) {
    changes = isCheckpoint ? 0 : changes + count
    (logIsDirty, lastWrite) = (true, time)
  }

  func deadline(isBusy: Bool) -> UInt64? {
    guard !isBusy else { return nil }
    if changes >= Self.changesMax { return lastWrite }
    if logIsDirty { return lastWrite + Self.logQuiet }
    return changes > 0 ? lastWrite + Self.imageQuiet : nil
  }

  mutating func due(at time: UInt64) -> Due? {
    guard let deadline = deadline(isBusy: false), deadline <= time else { return nil }
    if changes >= Self.changesMax || !logIsDirty {
      changes = 0
      return .image
    }
    logIsDirty = false
    return .log
  }
}

extension StoreBatch {
  /// The rows of an engine's batch.
  init(_ batch: Batch) {
    self.init()
    clearsSpace = batch.replacesSpace
    changes = batch.changes.map {
      ChangeRow(
        session: $0.dot.session, seq: $0.dot.seq, hash: $0.hash, bytes: $0.bytes,
        isVerified: $0.isVerified)
    }
    splits = batch.splits.map { ($0.line, $0.point, $0.name) }
    cuts = batch.cuts.map { ($0.line, $0.first) }
    floor = batch.floor
    facts = [
      (Facts.clock, Facts.bytes(batch.clock)),
      (Facts.level, Facts.bytes(FoldLevel.current.bits)),
    ]
    if let ages = batch.ages { facts.append((Facts.ages, AgeBookCodec.encode(ages))) }
    if let own = batch.own { facts.append((Facts.own, Facts.bytes(own))) }
    rosterRecords = batch.rosterRecords
    peers = batch.peers.map { ($0.device.bytes, PeerRowCodec.encode($0)) }
    spent = batch.spentInvites
    journal = batch.journal.map(JournalCodec.encode)
    local = batch.kept.map { LocalRow(kind: $0.kind, key: $0.key, value: $0.value) }
    checkpoint = batch.checkpoint.map {
      CheckpointRows(
        header: $0.header, chunks: $0.chunks, chunkCount: $0.chunkCount,
        standsForLog: $0.standsForLog)
    }
  }
}

extension LoggedChange {
  init(_ row: ChangeRow) {
    self.init(
      dot: Dot(session: row.session, seq: row.seq), hash: row.hash, bytes: row.bytes,
      isVerified: row.isVerified)
  }
}

/// Names and bytes of the rows in the `facts` table that the engine's state needs.
enum Facts {
  static let clock = "clock"
  /// Which kinds of ops the version folds that wrote last.
  static let level = "fold.level"
  static let own = "own"
  static let ages = "ages"

  static func bytes(_ number: UInt64) -> [UInt8] {
    var out: [UInt8] = []
    appendBigEndian(number, to: &out)
    return out
  }

  static func number(_ bytes: [UInt8]) -> UInt64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  static func bytes(_ tip: Tip) -> [UInt8] {
    var out = ByteWriter()
    out.tip(tip)
    return out.bytes
  }

  static func tip(_ bytes: [UInt8]) -> Tip? {
    var reader = ByteReader(bytes)
    return try? reader.tip()  // a damaged row counts as none: the next session starts afresh
  }
}
