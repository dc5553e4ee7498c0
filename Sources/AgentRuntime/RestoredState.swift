// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import OpenSSLCrypto
import Roster
import SQLiteStore
import SystemServices
import WireCodec
import ZstdPacking

/// What the disk holds, read into what engine and service start from.
///
/// Rows that cannot be read are left out and named in the log: what is missing comes back from peers.
struct RestoredState {
  var engine = Restored()
  var fixedPeers: [Endpoint] = []
  var serviceInput = ServiceInput.restored([], journal: [])
  /// The data may be a copy: nothing may be written in an old session.
  var isSuspect = false
  /// Whether lists or changes were left out.
  var isDamaged: Bool { engine.hasVoidCheckpoint || engine.isIncomplete }

  init(
    _ contents: StoreContents, _ database: Database, isSuspect: Bool, crypto: OpenSSLSuite, log: Log
  ) {
    self.isSuspect = isSuspect
    readReplica(contents, database, crypto, log)
    readRoster(contents, crypto, log)
    engine.clock = contents.facts[Facts.clock].map(Facts.number) ?? 0
    engine.own = contents.facts[Facts.own].flatMap(Facts.tip)
    if let bytes = contents.facts[Facts.ages] {
      do { engine.ages = try AgeBookCodec.decode(bytes) } catch {
        log(.error, "store.ages-unreadable", ["why": "\(error)"])
      }
    }
    for bytes in contents.peers {
      do { engine.peers.append(try PeerRowCodec.decode(bytes)) } catch {
        log(.error, "store.peer-unreadable", ["why": "\(error)"])
      }
    }
    readLocal(database, log)
  }

  private mutating func readReplica(
    _ contents: StoreContents, _ database: Database, _ crypto: OpenSSLSuite, _ log: Log
  ) {
    var stored = StoredLists()
    stored.header = contents.header
    stored.chunks = contents.chunks
    stored.tail = contents.tail.map(LoggedChange.init)
    if let bits = contents.facts[Facts.level].map(Facts.number) {
      stored.level = FoldLevel(bits: bits)
    }
    let unreadable = engine.read(stored, crypto: crypto, packer: ZstdPacker()) {
      do { return try database.wholeLog().map(LoggedChange.init) } catch {
        log(.error, "store.log-unreadable", ["why": "\(error)"])
        return []
      }
    }
    if let why = unreadable.checkpoint { log(.error, "store.checkpoint-unreadable", ["why": why]) }
    if unreadable.changes > 0 {
      log(.error, "store.changes-unreadable", ["count": "\(unreadable.changes)"])
    }
  }

  private mutating func readRoster(
    _ contents: StoreContents, _ crypto: OpenSSLSuite, _ log: Log
  ) {
    do {
      for bytes in contents.rosterRecords {
        let record = try MembershipRecord(decoding: bytes, crypto: crypto)
        if engine.roster == nil {
          engine.roster = try MembershipGraph(genesis: record, crypto: crypto)
        } else {
          _ = try engine.roster?.take(record, crypto: crypto)
        }
      }
    } catch { log(.error, "store.roster-unreadable", ["why": "\(error)"]) }
  }

  private mutating func readLocal(_ database: Database, _ log: Log) {
    do {
      if let row = try database.local(AgentLoop.fixedPeersKind).first {
        fixedPeers = try PeerRowCodec.decodeEndpoints(row.value)
      }
      engine.notice = try database.local(Engine.noticeKind).first.flatMap {
        Engine.notice(from: $0.value)
      }
      var rows: [LocalRow] = []
      for kind in AgentLoop.serviceKinds {
        for row in try database.local(kind) {
          rows.append(LocalRow(kind: kind, key: row.key, value: row.value))
        }
      }
      let journal = try database.journal(limit: StoreBatch.journalKeptMax).compactMap { row in
        (try? JournalCodec.decode(row.entry)).map {  // a damaged row is left out of what is shown
          NumberedEntry(number: row.number, entry: $0)
        }
      }
      serviceInput = .restored(rows, journal: journal)
    } catch { log(.error, "store.local-unreadable", ["why": "\(error)"]) }
  }

  /// What viewers were told before; nothing where the data may be a copy.
  func events(_ database: Database, _ log: Log) -> [EventRow] {
    if isSuspect { return [] }
    do { return try database.events() } catch {
      log(.error, "store.events-unreadable", ["why": "\(error)"])
      return []
    }
  }
}
