// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import ListModel
import OpenSSLCrypto
import SQLiteStore

/// Rows about the disk. Times are those of the disk under `TMPDIR`, read them beside `disk.sync`.
enum DiskBench {
  static let rows: [BenchRow] = [
    BenchRow("disk.sync", n: 200, unit: "us") { sync($0) },
    BenchRow("disk.commit-one", n: 2_000, unit: "us") { commits($0, each: 1) },
    BenchRow("disk.commit-ten", n: 500, unit: "us") { commits($0, each: 10) },
    BenchRow("disk.commit-hundred", n: 100, unit: "us") { commits($0, each: 100) },
    BenchRow("disk.log-of-small-changes", n: 100_000) { log($0, bytes: 300, each: 1_000) },
    BenchRow("disk.first-sync", n: 100_000, limit: 500) { firstSync($0) },
    BenchRow("disk.read-tail", n: 100_000) { readTail($0) },
  ]

  /// One append and fdatasync, the floor of every commit.
  private static func sync(_ n: Int) -> Double {
    withDirectory { directory in
      let file = unsafe open(directory + "/file", O_CREAT | O_WRONLY, 0o600)
      defer { close(file) }
      let bytes = [UInt8](repeating: 1, count: 4096)
      return 1_000 / Double(n)
        * milliseconds {
          for _ in 0..<n {
            precondition(unsafe write(file, bytes, bytes.count) == bytes.count)
            precondition(fdatasync(file) == 0)
          }
        }
    }
  }

  /// Microseconds a transaction with `each` changes of 200 bytes.
  private static func commits(_ n: Int, each: Int) -> Double {
    log(n * each, bytes: 200, each: each) * 1_000 / Double(n)
  }

  private static func log(_ n: Int, bytes: Int, each: Int) -> Double {
    withDatabase { database in
      let batches = stride(from: 0, to: n, by: each).map { start in
        batch((start..<min(start + each, n)).map { change($0, bytes) })
      }
      return milliseconds {
        for batch in batches { commit(batch, to: database) }
      }
    }
  }

  /// What a newcomer writes for `n` items of 64 bytes: full changes, ten to a batch, then a
  /// checkpoint.
  private static func firstSync(_ n: Int) -> Double {
    withDatabase { database in
      let changeBytes = 48 * 1024
      let count = (n * 64 + changeBytes - 1) / changeBytes
      let batches = stride(from: 0, to: count, by: 10).map { start in
        batch((start..<min(start + 10, count)).map { change($0, changeBytes) })
      }
      var last = StoreBatch()
      last.checkpoint = CheckpointRows(
        header: [1],
        chunks: (0..<max(n / 1_000, 1)).map { ($0, [UInt8](repeating: 7, count: 40_000)) },
        chunkCount: max(n / 1_000, 1))
      return milliseconds {
        for batch in batches { commit(batch, to: database) }
        commit(last, to: database)
      }
    }
  }

  private static func readTail(_ n: Int) -> Double {
    withDatabase { database in
      commit(batch((0..<n).map { change($0, 300) }), to: database)
      var count = 0
      let spent = milliseconds { count = (try? database.contents().tail.count) ?? 0 }
      precondition(count == n, "read \(count)")
      return spent
    }
  }

  private static func change(_ number: Int, _ bytes: Int) -> ChangeRow {
    let seq = UInt64(number) + 1
    return ChangeRow(
      session: SessionID(high: 1, low: 2), seq: seq, hash: ChangeHash(seq, 0, 0, 0),
      bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes), isVerified: true)
  }

  private static func batch(_ changes: [ChangeRow]) -> StoreBatch {
    var out = StoreBatch()
    out.changes = changes
    out.facts = [("clock", [0, 0, 0, 0, 0, 0, 0, 1])]
    return out
  }

  private static func commit(_ batch: StoreBatch, to database: Database) {
    do { try database.commit([batch]) } catch { preconditionFailure("\(error)") }
  }

  private static func withDatabase(_ body: (Database) -> Double) -> Double {
    withDirectory { directory in
      do { return body(try Database(path: directory + "/space.db")) } catch {
        preconditionFailure("\(error)")
      }
    }
  }

  private static func withDirectory(_ body: (String) -> Double) -> Double {
    let path = NSTemporaryDirectory() + "hedgerow-bench-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { preconditionFailure("\(error)") }
    defer { try? FileManager.default.removeItem(atPath: path) }  // a leftover in TMPDIR
    return body(path)
  }
}

/// Rows about keys, hashes and links, in microseconds each.
enum CryptoBench {
  static let rows: [BenchRow] = [
    BenchRow("crypto.sha256-300B", n: 100_000, unit: "us") { n in
      let bytes = [UInt8](repeating: 1, count: 300)
      return each(n) { _ = one.sha256(bytes) }
    },
    BenchRow("crypto.sign", n: 2_000, unit: "us") { n in each(n) { _ = one.sign([1, 2, 3]) } },
    BenchRow("crypto.verify", n: 2_000, unit: "us") { n in
      let signature = one.sign([1, 2, 3])
      return each(n) {
        precondition(
          one.verify(signature: signature, message: [1, 2, 3], publicKey: one.publicKey))
      }
    },
    BenchRow("tls.handshake", n: 500, unit: "us") { n in each(n) { _ = connect() } },
    BenchRow("tls.record-1KiB", n: 20_000, unit: "us") { n in
      let (client, server) = connect()
      let bytes = [UInt8](repeating: 1, count: 1024)
      return each(n) {
        precondition(client.send(bytes))
        precondition(server.receive(client.takeOutput()) == [.plaintext(bytes)])
      }
    },
  ]

  private static let one = suite(1)
  private static let identities = (identity(suite(1)), identity(suite(2)))

  private static func each(_ n: Int, _ body: () -> Void) -> Double {
    1_000 / Double(n) * milliseconds { for _ in 0..<n { body() } }
  }

  private static func suite(_ seed: UInt8) -> OpenSSLSuite {
    guard let made = OpenSSLSuite(seed: [UInt8](repeating: seed, count: 32)) else {
      preconditionFailure("a key of 32 bytes")
    }
    return made
  }

  private static func identity(_ suite: OpenSSLSuite) -> TLSIdentity {
    guard let made = TLSIdentity(suite) else { preconditionFailure("OpenSSL refuses our rules") }
    return made
  }

  /// Both ends of a connection, open.
  private static func connect() -> (client: TLSSession, server: TLSSession) {
    guard
      let client = TLSSession(
        .client, identity: identities.0, protocols: [.link], accept: { _, _ in true }),
      let server = TLSSession(
        .server, identity: identities.1, protocols: [.link], accept: { _, _ in true })
    else { preconditionFailure("no memory") }
    _ = client.start()
    var isOpen = false
    while true {
      let there = client.takeOutput()
      if !there.isEmpty { isOpen = isOpen || !server.receive(there).isEmpty }
      let back = server.takeOutput()
      if !back.isEmpty { _ = client.receive(back) }
      if there.isEmpty && back.isEmpty { break }
    }
    precondition(isOpen)
    return (client, server)
  }
}
