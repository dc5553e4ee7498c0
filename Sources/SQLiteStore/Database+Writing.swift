// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

extension Database {
  /// Writes `batches` as one transaction, synced when this returns.
  ///
  /// - Throws: Nothing of them is written then, or it is in files that are gone; the same call may be
  ///   tried again.
  /// - Complexity: O(bytes of the batches), one sync.
  package func commit(_ batches: [StoreBatch]) throws(StoreError) {
    try connection.transaction { () throws(StoreError) in
      for batch in batches { try write(batch) }
    }
    if try files.check() { try connection.checkpoint() }
  }

  private func write(_ batch: StoreBatch) throws(StoreError) {
    if batch.clearsSpace { try clearSpace() }
    // A checkpoint may have been made before changes that are in the same batch, never before those
    // of an earlier one. What is read twice at a start is folded once.
    let arrival = batch.checkpoint?.standsForLog == true ? try lastArrival() : 0
    try write(changes: batch.changes)
    for split in batch.splits {
      try statement("UPDATE changes SET session=? WHERE session=? AND seq>?").run([
        .blob(split.name.bytes), .blob(split.line.bytes),
        .integer(Int64(bitPattern: split.point)),
      ])
    }
    for cut in batch.cuts { try write(cut.line, from: cut.first) }
    for tip in batch.floor {
      try statement("DELETE FROM changes WHERE session=? AND seq<=?").run([
        .blob(tip.session.bytes), .integer(Int64(bitPattern: tip.seq)),
      ])
    }
    for fact in batch.facts { try set(fact: fact.name, fact.value) }
    for record in batch.rosterRecords {
      try statement("INSERT INTO roster (bytes) VALUES (?)").run([.blob(record)])
    }
    for peer in batch.peers {
      try statement("INSERT OR REPLACE INTO peers (device, row) VALUES (?,?)").run([
        .blob(peer.device), .blob(peer.row),
      ])
    }
    for hash in batch.spent {
      try statement("INSERT OR IGNORE INTO spent (hash) VALUES (?)").run([.blob(hash)])
    }
    try write(journal: batch.journal)
    try write(events: batch.events, floor: batch.eventsFloor)
    for row in batch.local { try write(row) }
    if let checkpoint = batch.checkpoint { try write(checkpoint, standsFor: arrival) }
  }

  /// Moves changes into quarantine.
  private func write(_ line: SessionID, from first: UInt64) throws(StoreError) {
    let stretch: [Statement.Argument] = [
      .blob(line.bytes), .integer(Int64(bitPattern: first)),
    ]
    try statement(
      """
      INSERT OR REPLACE INTO local (kind, key, value)
      SELECT ?3, hash, bytes FROM changes WHERE session=?1 AND seq>=?2
      """
    ).run(stretch + [.text(StoreBatch.quarantineKind)])
    try statement("DELETE FROM changes WHERE session=? AND seq>=?").run(stretch)
  }

  private func clearSpace() throws(StoreError) {
    for table in ["changes", "chunks", "roster", "peers", "spent", "journal", "events"] {
      try statement("DELETE FROM \(table)").run()
    }
    try statement("DELETE FROM facts WHERE name NOT LIKE 'identity.%'").run()
    try statement("DELETE FROM sqlite_sequence WHERE name='journal'").run()
    try statement("DELETE FROM local WHERE kind GLOB ?").run([
      .text(StoreBatch.spaceKindPrefix + "*")
    ])
  }

  private func write(journal: [[UInt8]]) throws(StoreError) {
    if journal.isEmpty { return }
    for entry in journal {
      try statement("INSERT INTO journal (entry) VALUES (?)").run([.blob(entry)])
    }
    try statement(
      """
      DELETE FROM journal WHERE number <=
      (SELECT seq FROM sqlite_sequence WHERE name='journal') - ?
      """
    ).run([.integer(Int64(StoreBatch.journalKeptMax))])
  }

  private func write(changes: [ChangeRow]) throws(StoreError) {
    if changes.isEmpty { return }
    let log = try statement(
      """
      INSERT INTO changes (session, seq, hash, bytes, verified) VALUES (?,?,?,?,?)
      ON CONFLICT (session, seq, hash)
      DO UPDATE SET bytes = excluded.bytes, verified = max(verified, excluded.verified)
      """)
    for change in changes {
      try log.run([
        .blob(change.session.bytes), .integer(Int64(bitPattern: change.seq)),
        .blob(change.hash.bytes), .blob(change.bytes), .integer(change.isVerified ? 1 : 0),
      ])
    }
  }

  private func write(events: [EventRow], floor: UInt64?) throws(StoreError) {
    let put = try statement("INSERT OR REPLACE INTO events (cursor, event) VALUES (?,?)")
    for event in events {
      try put.run([.integer(Int64(bitPattern: event.cursor)), .blob(event.bytes)])
    }
    guard let floor else { return }
    try statement("DELETE FROM events WHERE cursor<=?").run([.integer(Int64(clamping: floor))])
  }

  private func set(fact name: String, _ value: [UInt8]) throws(StoreError) {
    try statement("INSERT OR REPLACE INTO facts (name, value) VALUES (?,?)").run([
      .text(name), .blob(value),
    ])
  }

  private func write(_ row: LocalRow) throws(StoreError) {
    if let value = row.value {
      try statement("INSERT OR REPLACE INTO local (kind, key, value) VALUES (?,?,?)").run([
        .text(row.kind), .blob(row.key), .blob(value),
      ])
    } else {
      try statement("DELETE FROM local WHERE kind=? AND key=?").run([
        .text(row.kind), .blob(row.key),
      ])
    }
  }

  private func write(
    _ checkpoint: CheckpointRows, standsFor arrival: Int64
  ) throws(StoreError) {
    let put = try statement("INSERT OR REPLACE INTO chunks (number, bytes) VALUES (?,?)")
    try put.run([.integer(-1), .blob(checkpoint.header)])
    for chunk in checkpoint.chunks {
      try put.run([.integer(Int64(chunk.number)), .blob(chunk.bytes)])
    }
    try statement("DELETE FROM chunks WHERE number>=?").run([
      .integer(Int64(checkpoint.chunkCount))
    ])
    var value: [UInt8] = []
    appendBigEndian(arrival, to: &value)
    try set(fact: Self.checkpointFact, value)
  }

  /// The number that the newest change got, 0 before the first; removed changes count.
  private func lastArrival() throws(StoreError) -> Int64 {
    var value: Int64 = 0
    try statement("SELECT seq FROM sqlite_sequence WHERE name='changes'").rows {
      value = $0.integer(0)
      return false
    }
    return value
  }

  /// Name of the fact that tells which arrivals the checkpoint certainly holds; 8 bytes, big endian.
  static let checkpointFact = "checkpoint.arrival"
}
