// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// What a start could not take from its disk.
package struct Unread: Sendable {
  /// Changes kept for another try in memory; what is beyond comes at the next start.
  static let strandedMax = 65_536

  /// Changes of one session that are whole and continue one that is missing, in order.
  private struct Line {
    var changes: [SignedChange]
    /// How many of them are done.
    var done = 0
    var next: SignedChange? { done < changes.count ? changes[done] : nil }
  }

  /// Ascending by session.
  private var lines: [Line] = []
  private var strandedCount = 0
  /// Changes of which something is on disk, but nothing that can be read or tried.
  private(set) var lost: [Tip] = []
  /// Nobody can say what else there was: the checkpoint told, and not even its header is readable.
  package var isBlind = false

  package init() {}

  package var isEmpty: Bool { lines.isEmpty && lost.isEmpty && !isBlind }
  /// Changes that are damaged, or continue one that is.
  var changeCount: Int { strandedCount + lost.count }

  mutating func lose(_ tip: Tip) { lost.append(tip) }

  /// - Parameter changes: In the order of the log.
  mutating func strand(_ changes: [SignedChange]) {
    var bySession: [SessionID: [SignedChange]] = [:]
    for signed in changes {
      if strandedCount < Self.strandedMax {
        strandedCount += 1
        bySession[signed.change.session, default: []].append(signed)
      } else {
        lost.append(signed.tip)
      }
    }
    lines = bySession.keys.sorted().compactMap { bySession[$0].map { Line(changes: $0) } }
  }

  /// Folds what can be folded by now.
  /// - Returns: Whether anything was.
  /// - Complexity: O(sessions + what is folded).
  mutating func retry(
    in replica: inout Replica, at level: FoldLevel, _ events: inout [ReplicaEvent]
  ) -> Bool {
    var (isFolded, isMoving) = (false, true)
    // A session may continue what comes free in another one.
    while isMoving {
      isMoving = false
      for at in lines.indices {
        line: while let signed = lines[at].next {
          let outcome = replica.fold(
            signed.change.read(at: level), hash: signed.hash, bytes: signed.bytes, events: &events)
          switch outcome {
          case .folded: (isFolded, isMoving) = (true, true)
          case .alreadyCovered: break
          case .gap, .unknownPredecessor: break line
          // Another continuation: the next start, which reads the log in order, splits the session.
          default: lost.append(signed.tip)
          }
          lines[at].done += 1
          strandedCount -= 1
        }
      }
    }
    lines.removeAll { $0.next == nil }
    lost.removeAll { replica.holds($0) }
    return isFolded
  }
}

/// A disk that could not be read whole is mended while the agent runs: what was left out at the start is
/// folded as soon as peers have sent what it continues.
extension Engine {
  /// Something of log or checkpoint is not in the replica. No checkpoint of now may stand for the log.
  /// What is in the replica leaves that as ever: to the others this one is a device that is behind.
  var isIncomplete: Bool { !unread.isEmpty }

  /// To be called when something was folded that came from others. What comes back goes to all links.
  mutating func mend(_ events: inout [ReplicaEvent], _ turn: inout Turn) {
    if unread.isEmpty { return }
    if unread.retry(in: &replica, at: settings.foldLevel, &events) { relay(except: nil, &turn) }
  }
}
