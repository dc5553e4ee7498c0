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

  init(
    _ contents: StoreContents, _ database: Database, isSuspect: Bool, crypto: OpenSSLSuite, log: Log
  ) {
    self.isSuspect = isSuspect
    readReplica(contents, crypto, log)
    readRoster(contents, crypto, log)
    engine.clock = contents.facts[Facts.clock].map(Facts.number) ?? 0
    engine.own = contents.facts[Facts.own].flatMap(Facts.tip)
    for bytes in contents.peers {
      do { engine.peers.append(try PeerRowCodec.decode(bytes)) } catch {
        log(.error, "store.peer-unreadable", ["why": "\(error)"])
      }
    }
    readLocal(database, log)
  }

  private mutating func readReplica(
    _ contents: StoreContents, _ crypto: OpenSSLSuite, _ log: Log
  ) {
    let packer = ZstdPacker()
    if let header = contents.header {
      do {
        let header = try ImageCodec.decodeHeader(header, crypto: crypto, packer: packer)
        var chunks: [ItemChunk] = []
        for chunk in contents.chunks {
          chunks.append(try ImageCodec.decodeChunk(chunk, crypto: crypto, packer: packer))
        }
        engine.replica = try Replica(header: header, chunks: chunks)
      } catch { log(.error, "store.checkpoint-unreadable", ["why": "\(error)"]) }
    }
    var events: [ReplicaEvent] = []
    var refused = 0
    for row in contents.tail {
      guard let signed = try? SignedChange(decoding: row.bytes, crypto: crypto) else {
        refused += 1
        continue
      }
      events.removeAll(keepingCapacity: true)
      switch engine.replica.fold(signed.change, hash: signed.hash, events: &events) {
      case .folded, .alreadyCovered: break
      default: refused += 1
      }
    }
    if refused > 0 { log(.error, "store.changes-unreadable", ["count": "\(refused)"]) }
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
