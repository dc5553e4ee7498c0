// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop

/// Who is told of something: a program, which gets JSON on its standard input.
package enum Told: Hashable, Sendable {
  /// The user's desktop; a notice replaces the one before with the same key.
  case desktop(key: String)
  /// A command line for the shell.
  case command(String)
  /// An address of HTTP.
  case post(String)
  /// An executable of `hooks.d`, by its path.
  case hook(path: String)

  /// For people; never the command itself, which may hold a secret.
  var name: String {
    switch self {
    case .desktop: "the desktop"
    case .command: "the command of hedge notify"
    case .post: "the address of hedge notify"
    case .hook(let path): "the hook \(path.split(separator: "/").last.map(String.init) ?? path)"
    }
  }
}

/// Programs that wait for their turn: one runs at a time, and not for long.
struct ProgramQueue {
  struct Job: Hashable, Sendable {
    let who: Told
    let input: [UInt8]
  }

  struct Running {
    let job: Job
    let program: RunningProgram
    let token: UInt64?
    let deadline: UInt64
    var isLate = false
  }

  /// Jobs that wait; of more the oldest goes and counts as a failure.
  static let jobsMax = 256
  /// From start to end of one program.
  static let nanosecondsMax: UInt64 = 10_000_000_000

  private(set) var waiting: [Job] = []
  var running: Running?
  /// What the desktop calls the notices it shows, by key.
  var desktopIDs: [String: UInt32] = [:]
  static let desktopIDsMax = 256

  /// Appends a job; returns the one that had to go for it.
  mutating func append(_ job: Job) -> Job? {
    waiting.append(job)
    return waiting.count > Self.jobsMax ? waiting.removeFirst() : nil
  }

  /// The next job, if nothing runs.
  mutating func next() -> Job? {
    guard running == nil, !waiting.isEmpty else { return nil }
    return waiting.removeFirst()
  }
}

/// Documents for hooks that wait until what they tell of is on disk.
struct HookWaiting: Hashable, Sendable {
  private var documents: [(batch: UInt64, bytes: [UInt8])] = []
  /// Batches that were handed to the disk so far.
  private(set) var batches: UInt64 = 0
  /// Documents that wait; a disk that fails for long keeps the latest.
  static let documentsMax = 256

  /// A batch goes to the disk: returns its number.
  mutating func started() -> UInt64 {
    batches += 1
    return batches
  }

  /// - Parameter batch: How many batches there were before what the document tells of was folded: the
  ///   next one holds it.
  mutating func append(_ bytes: [UInt8], after batch: UInt64) {
    documents.append((batch, bytes))
    if documents.count > Self.documentsMax { documents.removeFirst() }
  }

  /// A batch is on disk: what was folded before it was made up can be told.
  mutating func committed(_ batch: UInt64) -> [[UInt8]] {
    let ready = documents.filter { $0.batch < batch }.map(\.bytes)
    documents.removeAll { $0.batch < batch }
    return ready
  }

  static func == (a: Self, b: Self) -> Bool {
    a.batches == b.batches && a.documents.elementsEqual(b.documents) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) { hasher.combine(batches) }
}
