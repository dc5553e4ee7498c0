// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// The writing side of this device: its running session and what each next change carries.
///
/// A session is opened at the first write after a start, after a copy was noticed and after a fork,
/// so no (session, seq) is ever used twice, whatever happened to the disk.
struct Authoring: Hashable, Sendable {
  /// A session being written.
  struct Session: Hashable, Sendable {
    let id: SessionID
    let head: SessionHead
    let writer: WriterTag
    /// The last change; seq 0 before the first.
    var seq: UInt64 = 0
    var hash: ChangeHash
    /// The vector after the last change.
    var seen: VersionVector?
  }

  let device: DeviceID
  /// The last change of this device that is known here.
  private(set) var last: Tip?
  private(set) var running: Session?

  init(device: DeviceID, own: Tip?) { (self.device, last) = (device, own) }

  /// The session to write in; a fresh one is not running before `wrote`.
  func session(
    _ replica: Replica, entropy: inout Entropy, crypto: some CryptoSuite
  ) -> Session {
    if let running { return running }
    // If peers gave a lost tail back, continue behind it.
    let predecessor = last.flatMap { replica.continuation(of: $0) }
    let head = SessionHead(device: device, salt: entropy.next(), predecessor: predecessor)
    let id = crypto.sessionID(head)
    return Session(
      id: id, head: head, writer: crypto.writerTag(id), hash: predecessor?.hash ?? .zero, seen: nil)
  }

  /// The next change of `session`.
  func change(
    in session: Session, _ part: PlannedPart, group: ChangeGroup?, seen: [SeenEntry]
  ) -> Change {
    Change(
      session: session.id, seq: session.seq + 1, head: session.seq == 0 ? session.head : nil,
      prev: session.hash, h: part.h, seen: Array(seen.prefix(Limits.seenEntriesMax)),
      nonce: part.nonce, group: group, ops: part.ops)
  }

  /// The change is folded: the session runs on behind it.
  /// - Returns: The session as it runs now.
  mutating func wrote(_ tip: Tip, in session: Session, seen: VersionVector) -> Session {
    var session = session
    (session.seq, session.hash, session.seen) = (tip.seq, tip.hash, seen)
    running = session
    last = tip
    return session
  }

  /// Whoever else writes in the running session has it for himself from now on.
  mutating func check(_ replica: Replica) {
    guard let running else { return }
    if replica.isForked(running.id) || replica.tip(of: running.id)?.hash != running.hash {
      abandon()
    }
  }

  /// Never write in the running session again; the next one continues its last change.
  mutating func abandon() { running = nil }

  /// Another space: nothing was ever written in it.
  mutating func forget() { (running, last) = (nil, nil) }
}

/// One change of a transaction before it is signed.
struct PlannedPart: Hashable, Sendable {
  let h: UInt64
  let nonce: UInt64
  let ops: [Op]
  let created: [ItemID]
  /// Whether it only shortens keys; not a thing to undo.
  let makesRoom: Bool
}
