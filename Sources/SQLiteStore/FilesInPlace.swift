// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Whether the files that a connection writes to are still those that lie under their names.
///
/// Somebody may remove them or put others in their place, a backup say, while an agent runs: the system
/// lets it write on, into files that are gone when it ends. Two calls of `stat` a commit tell.
struct FilesInPlace {
  private let path: String
  private let file: [UInt8]
  private var log: [UInt8]

  init(_ path: String) {
    self.path = path
    file = DataDirectory.fileIdentity(path)
    log = DataDirectory.fileIdentity(path + "-wal")
  }

  /// - Returns: Whether the write-ahead log is another one by now: what was committed is safe only once
  ///   it is in the database file.
  /// - Throws: `.removed` if the database file is another one.
  mutating func check() throws(StoreError) -> Bool {
    guard DataDirectory.fileIdentity(path) == file else {
      throw StoreError(
        .removed,
        "\(path) was removed or replaced while the agent runs: nothing can be kept any more. "
          + "Export what is needed, then start the agent anew")
    }
    let now = DataDirectory.fileIdentity(path + "-wal")
    // The first commit makes the log.
    if log.isEmpty { log = now }
    return now != log
  }
}
