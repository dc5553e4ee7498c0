// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import Roster
package import WireCodec

/// Everything that can happen to the engine. A run is a replayable list of (moment, wall, input).
package enum Input: Hashable, Sendable {
  // MARK: Links

  /// A connection with ALPN `hedgerow/1` is authenticated. `peerKey` is the peer's public key of
  /// 32 bytes, `from` the address on the other end.
  case linkUp(LinkID, peerKey: [UInt8], from: Endpoint)
  /// A connection with ALPN `hedgerow-pair/1` is up: any key may come here. `exporter` is the
  /// keying material of the TLS session under the label of `PairingProof.exporterLabel`.
  case pairingLinkUp(LinkID, peerKey: [UInt8], exporter: [UInt8], from: Endpoint)
  /// A connection is gone; also the answer to a dial that was refused late.
  case linkDown(LinkID)
  /// A dial came to nothing.
  case dialFailed(LinkID, DialFailure)
  /// One whole frame, its length prefix removed. At most `FrameLimits.frameBytesMax`.
  case frame([UInt8], LinkID)

  // MARK: Edits and disk

  case edit(EditRequest)
  /// The batch is on disk, synced.
  case persisted(BatchToken)
  /// The batch could not be written, nothing of it is on disk; the shell stops sending edits.
  case persistFailed(BatchToken)
  /// The changes asked for, ascending, from the first one on; empty if they are gone.
  case logRead(ReadToken, [LoggedChange])
  /// Write a checkpoint of what changed since the last one.
  case checkpoint
  /// The database was copied or put back: never write in the old session again.
  case identityLost

  /// Opens a space with this device as its only member, named so. The holder of the secret half of
  /// `recoveryKey` (32 bytes) can always mend the roster. Ignored when there is a space.
  case foundSpace(name: Text, recoveryKey: [UInt8])

  // MARK: Network

  /// The addresses that the user gave; replaces the former set.
  case fixedEndpoints([Endpoint])
  /// mDNS found an agent; whether it is one of ours is for the engine to see.
  case discovered(Endpoint, DiscoveryTag)
  /// mDNS lost that address. Links are not touched by it.
  case discoveryLost(Endpoint)
  /// Addresses of this machine changed, or it woke up: redial at once.
  case networkChanged
  /// Redial now, one member or all.
  case nudge(DeviceID?)
  /// Off the network until `resume`. The engine starts paused: the first `resume` opens it.
  case pause
  case resume

  // MARK: Pairing

  /// Makes a fresh code, good for one device, which gets that role. Answered at once by
  /// `PairingEvent.inviteOpened` or `.inviteRefused`.
  case openInvite(Role)
  /// Look for the inviter at `endpoints`, and at all addresses mDNS names, with this code.
  case join(PairingCode, at: [Endpoint])
  case cancelJoin

  /// Signs one act on the roster; answered by `amended` with the same token.
  case amend(token: UInt64, RosterAct)

  /// `nextDeadline` is reached.
  case deadline
}

/// What an admin may do to the roster; everybody may rename the own device.
package enum RosterAct: Hashable, Sendable {
  case rename(DeviceID, Text)
  case role(DeviceID, Role)
  case remove(DeviceID)
}

/// Names a batch until the store has answered for it; ascending from 1.
package struct BatchToken: Hashable, Sendable {
  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
}

/// Names a read of the log until its answer; ascending from 1.
package struct ReadToken: Hashable, Sendable {
  package let number: UInt64
  package init(_ number: UInt64) { self.number = number }
}

/// One transaction that a client of this agent wants.
package struct EditRequest: Hashable, Sendable {
  /// Chosen by the shell, comes back in `Effect.edited`.
  package let token: UInt64
  package let edits: [Edit]
  /// Name of the client, so that it can skip its own echo; empty if it has none.
  package let client: String
  /// The nonce of the (first) change, if the client chose the ids of its items.
  package let nonce: UInt64?
  /// Where the way back is kept, if the edit changes anything; `nil`: nowhere.
  package let undo: UndoSlot?
  /// Rows that reach the disk together with the edit, or not at all.
  package let kept: [KeptRow]

  package init(
    token: UInt64, edits: [Edit], client: String = "", nonce: UInt64? = nil,
    undo: UndoSlot? = nil, kept: [KeptRow] = []
  ) {
    (self.token, self.edits, self.client, self.nonce) = (token, edits, client, nonce)
    (self.undo, self.kept) = (undo, kept)
  }
}

/// The row that takes the way back of an edit: `head`, then the bytes of an `UndoStep`.
package struct UndoSlot: Hashable, Sendable {
  package let kind: String
  package let key: [UInt8]
  package let head: [UInt8]
  package init(kind: String, key: [UInt8], head: [UInt8]) {
    (self.kind, self.key, self.head) = (kind, key, head)
  }
}

/// How a dial ended.
package enum DialFailure: Hashable, Sendable {
  /// Nobody listens there, or no answer came.
  case unreachable
  /// Somebody answered and refused the handshake.
  case refused
}
