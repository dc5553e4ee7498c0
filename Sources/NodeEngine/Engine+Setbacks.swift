// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// Members whose data went back to an earlier state: a backup put back, a copy, a disk that lost what
/// it had confirmed (reliability R1, R2). Nothing but a warning comes of it: what they lack flows back.
///
/// Acknowledgements speak of what is on disk, so whoever lacks what it once acknowledged has another
/// disk than then, whatever it knows of that itself.
extension Engine {
  /// Tells a member what it had acknowledged before this link, as far as its greeting does not cover
  /// it. Only the member can judge: a greeting may be older than acknowledgements that came another way.
  /// - Complexity: O(sessions), once a link.
  mutating func remindOfConfirmed(_ at: Int, _ turn: inout Turn) {
    let link = links[at]
    links[at].confirmed = nil
    guard let confirmed = link.confirmed, let hello = link.hello, let roster else { return }
    let told = replica.coverage(of: VersionVector(tips: hello.tips.map(\.tip)))
    let open = confirmed.tips.filter { tip in
      // Of what removed devices wrote a member may have taken something back; of a forked session
      // the branches may have other names there.
      guard replica.holds(tip), !replica.isForked(replica.session(ofLine: tip.session)),
        let author = replica.head(of: tip.session)?.device, roster.view.isMember(author)
      else { return false }
      return !replica.contains(tip.dot, told)
    }
    if open.isEmpty { return }
    turn.send(.confirmed(Array(open.prefix(FrameLimits.tipsMax))), link.id)
  }

  /// This device had acknowledged `tips` to whom `links[at]` leads. If it lacks any, both sides say so;
  /// here people hear of it once, and not if the start itself showed what is wrong.
  mutating func reminded(of tips: [Tip], _ at: Int, _ turn: inout Turn) {
    if tips.allSatisfy({ replica.holds($0) }) { return }
    turn.send(.setback, links[at].id)
    if isDataSuspect { return }
    isDataSuspect = true
    turn.effects.append(.alarm(.setback(device)))
  }
}
