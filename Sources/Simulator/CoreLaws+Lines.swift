// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Workbench

/// What is told from a session's newest change alone: how much of a line somebody else holds, and
/// whether a snapshot goes beyond a cutoff.
extension CoreLaws {
  private static let author = DeviceID(1, 1, 1, 1)

  /// A replica with one session of which the changes behind `common` bear hashes of that `line`.
  private static func replica(
    _ session: SessionID, tip: UInt64, common: UInt64, line: UInt64
  ) -> Replica? {
    var replica = Replica()
    var events: [ReplicaEvent] = []
    var prev = ChangeHash.zero
    let head = SessionHead(device: author, salt: 5, predecessor: nil)
    for seq in 1...tip {
      let change = Change(
        session: session, seq: seq, head: seq == 1 ? head : nil, prev: prev, h: 1 << 40 + seq,
        seen: [], nonce: seq << 8 | line, group: nil, ops: [])
      prev = ChangeHash(seq << 8 | (seq > common ? line : 0), 3, 3, 3)
      guard replica.fold(change, hash: prev, events: &events) == .folded else { return nil }
    }
    return replica
  }

  /// Who holds another continuation of a session is sent all of it: from where on the two differ
  /// nobody knows (decision 29). Who holds a part of the same one is sent the rest.
  static func otherLines(_ seed: UInt64) -> String? {
    var random = SplitMix64(seed: seed, stream: "lines")
    let session = SessionID(high: seed, low: 1)
    let common = UInt64(1 + random.below(6))
    let theirTip = common + UInt64(1 + random.below(4))
    let tip = theirTip + UInt64(random.below(4))
    guard let mine = replica(session, tip: tip, common: common, line: 1),
      let theirs = replica(session, tip: theirTip, common: common, line: 2),
      let behind = replica(session, tip: theirTip, common: common, line: 1)
    else { return "a change is not folded" }
    for (other, first) in [(theirs, 1), (behind, theirTip + 1)] {
      let missing = mine.missing(from: mine.coverage(of: other.vector))
      let all = SessionRange(session: session, first: first, last: tip)
      let expected = first > tip ? [] : [all]
      if missing != expected { return "\(missing) is sent, not \(expected)" }
    }
    return nil
  }

  /// A snapshot that holds what a cutoff forbids is known by its header (core 7.5).
  static func cutoffs(_ seed: UInt64) -> String? {
    var random = SplitMix64(seed: seed, stream: "cutoffs")
    let session = SessionID(high: seed, low: 1)
    let tip = UInt64(2 + random.below(6))
    guard let header = replica(session, tip: tip, common: tip, line: 1)?.header() else {
      return "a change is not folded"
    }
    func cutoff(_ device: DeviceID, _ seq: UInt64) -> Cutoff {
      Cutoff(device: device, tips: [Tip(session: session, seq: seq, hash: .zero)])
    }
    let stranger = DeviceID(2, 2, 2, 2)
    if !header.isBeyond([cutoff(stranger, 1), cutoff(author, tip - 1)]) {
      return "change \(tip) is let in by a cutoff at \(tip - 1)"
    }
    if !header.isBeyond([Cutoff(device: author, tips: [])]) { return "no cutoff lets all in" }
    if header.isBeyond([]) || header.isBeyond([cutoff(stranger, 1), cutoff(author, tip)]) {
      return "what was accepted is kept out"
    }
    return nil
  }
}
