// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import ListModel

@testable import SQLiteStore

/// A directory of its own for one test, gone with it.
final class Scratch {
  let path: String
  var database: String { path + "/" + Database.fileName }
  var data: String { path + "/data" }
  var state: String { path + "/state" }

  init() throws {
    path = NSTemporaryDirectory() + "hedgerow-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)  // a leftover in the temporary directory
  }

  /// Every file in the directory and what is in it.
  func bytes() throws -> [String: Data] {
    var out: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      out[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
    }
    return out
  }
}

/// A change row of 100 bytes that tells its seq.
func row(_ seq: UInt64, session: UInt64 = 1, branch: UInt64 = 0, isVerified: Bool = true)
  -> ChangeRow
{
  ChangeRow(
    session: SessionID(high: session, low: 0), seq: seq, hash: ChangeHash(seq, branch, 0, session),
    bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: seq), count: 100), isVerified: isVerified)
}

func batch(_ change: (inout StoreBatch) -> Void) -> StoreBatch {
  var out = StoreBatch()
  change(&out)
  return out
}

func checkpoint(_ header: UInt8, _ chunks: [(number: Int, bytes: [UInt8])], count: Int)
  -> CheckpointRows
{
  CheckpointRows(header: [header], chunks: chunks, chunkCount: count)
}
