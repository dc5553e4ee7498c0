// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import Roster

/// What the disk held at start: the arguments of a new engine.
package struct Restored: Sendable {
  /// The checkpoint with the log behind it folded in.
  package var replica = Replica()
  package var roster: MembershipGraph?
  /// The clock of the last batch.
  package var clock: UInt64 = 0
  /// The last change this device wrote; its next session continues it. `nil` if it never wrote, or
  /// if the database may be a copy of unknown age.
  package var own: Tip?
  package var peers: [PeerRow] = []
  /// What of log or checkpoint could not be read.
  package var unread = Unread()
  package var isIncomplete: Bool { !unread.isEmpty }
  /// The checkpoint could not be read: what it holds from below the log floor is nowhere else here.
  package var hasVoidCheckpoint = false
  /// A void checkpoint must not be written over: no copy of it could be put aside.
  package var keepsCheckpoint = false
  package var ages = AgeBook()
  /// That this device was removed from its space, as an admin signed it.
  package var notice: RemovalNotice?

  /// Nothing: the very first start.
  package init() {}
}
