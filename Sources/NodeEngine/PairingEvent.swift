// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import Roster

/// How a pairing goes, for the people on both sides.
package enum PairingEvent: Hashable, Sendable {
  /// The code is good for `EngineSettings.inviteTime` from now.
  case inviteOpened(PairingCode, Role)
  /// The answer to an `openInvite` that was not carried out.
  case inviteRefused(InviteRefusal)
  case inviteClosed(PairingCode, InviteEnd)
  /// The joiner is a member now, because of that code; durable.
  case memberAdded(PairingCode, DeviceID, name: String)
  /// This agent is a member of that space now; durable.
  case joined(SpaceID, inviter: DeviceID, inviterName: String)
  case joinFailed(JoinFailure)
}

/// Why no invite was opened.
package enum InviteRefusal: Hashable, Sendable {
  /// Only admins may let others in.
  case notAdmin
  /// The agent is off the network.
  case paused
}

/// Why an invite is open no more.
package enum InviteEnd: Hashable, Sendable {
  case used
  case expired
  case withdrawn
}

/// Why a join came to nothing; nothing was changed.
package enum JoinFailure: Hashable, Sendable {
  /// No inviter was found in time.
  case nobodyFound
  /// Somebody answered, but this code is wrong, used or expired there.
  case refused
  /// An inviter hung up on us: after too many wrong codes it lets nobody try for a while.
  case unanswered
  /// This agent has lists or members of its own already.
  case spaceInUse
  /// The inviter speaks another version or breaks the protocol.
  case protocolBroken
  case cancelled
  case storage
}
