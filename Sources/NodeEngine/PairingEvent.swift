// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// How a pairing goes, for the people on both sides.
package enum PairingEvent: Hashable, Sendable {
  /// The code is good for `EngineSettings.inviteTime` from now.
  case inviteOpened(PairingCode)
  case inviteClosed(InviteEnd)
  /// The joiner is a member now; durable.
  case memberAdded(DeviceID, name: String)
  /// This agent is a member of that space now; durable.
  case joined(SpaceID, inviter: DeviceID, inviterName: String)
  case joinFailed(JoinFailure)
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
  /// This agent has lists or members of its own already.
  case spaceInUse
  /// The inviter speaks another version or breaks the protocol.
  case protocolBroken
  case cancelled
  case storage
}
