// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine
import Roster
import Workbench

/// A machine that is not a member yet joins with a one-time code, in the middle of everything.
extension World {
  /// The node that has to join; `nil` if there is none or it is a member already.
  var outsider: Int? {
    guard options.has(.lateJoiner), let last = nodes.indices.last else { return nil }
    return nodes[last].engine?.roster == nil ? last : nil
  }

  /// Somebody who is up opens an invite, unless the joiner is in.
  mutating func tryToInvite() {
    if outsider != nil {
      let members = nodes.indices.dropLast().filter { nodes[$0].engine != nil }
      if !members.isEmpty { feed(.openInvite(.admin), to: peopleRandom.pick(members)) }
    }
    schedule.add(.invite, at: now + .seconds(UInt64(5 + peopleRandom.below(20))))
  }

  mutating func paired(_ event: PairingEvent, at node: Int) {
    switch event {
    case .inviteOpened(let code, _):
      guard let outsider else { return }
      feed(.join(code, at: [nodes[node].endpoint]), to: outsider)
    case .joinFailed(.spaceInUse): failures.append("the outsider is said to have a space")
    case .joined: digest.add(UInt64(0x101D))
    case .inviteRefused, .inviteClosed, .memberAdded, .joinFailed: break
    }
  }
}
