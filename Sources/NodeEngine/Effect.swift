// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import WireCodec

/// Everything the engine asks of its shell, to be done in the order given.
package enum Effect: Hashable, Sendable {
  /// One frame; the shell puts its length before it. Order within a link is kept.
  case send([UInt8], LinkID)
  /// End a connection after what was sent on it, or give a dial up. No `linkDown` is expected.
  case close(LinkID, CloseReason)
  /// Connect; answered by `linkUp`, `pairingLinkUp`, `linkDown` or `dialFailed` of this id.
  case dial(LinkID, Endpoint, LinkPurpose)
  /// Write all of the batch or nothing, synced. At most one is under way.
  case persist(Batch, BatchToken)
  /// Read a stretch of the change log; answered by `logRead`.
  case readLog(LogRequest, ReadToken)
  /// The answer to `edit`: comes after the changes are on disk.
  case edited(token: UInt64, EditResult)
  /// What a fold changed for viewers, in order. Comes before the batch that holds its changes.
  case changed([ReplicaEvent], Origin)
  /// What `peerStatuses` says may be different now.
  case peersChanged
  /// Members came or were renamed: who may connect, and the discovery key, may be different now.
  case rosterChanged
  /// What mDNS is to say of this agent; `nil`: nothing.
  case advertise(DiscoveryTag?)
  case pairing(PairingEvent)
  /// The answer to `amend`: the record is on disk, or was not made because this device may not.
  case amended(token: UInt64, isDone: Bool)
  case alarm(Alarm)
}

/// Where a change came from.
package enum Origin: Hashable, Sendable {
  /// An edit of a client of this agent.
  case local(token: UInt64, client: String)
  case peer(DeviceID)
  /// A snapshot of that member.
  case snapshot(DeviceID)
  /// Ops that waited for this version.
  case upgrade
  /// Changes of a removed member were taken back.
  case removal
}

/// What became of an `EditRequest`.
package enum EditResult: Hashable, Sendable {
  case done(EditReceipt)
  /// Nothing was written.
  case refused(EditRefusal)
}

/// Names what an edit wrote.
package struct EditReceipt: Hashable, Sendable {
  /// The changes, in order; empty if nothing had to be written.
  package var dots: [Dot]
  /// Items that were made, in the order of the edits.
  package var created: [ItemID]
  /// The way back; `nil` if nothing was written.
  package var undo: UndoStep?
  package init(dots: [Dot], created: [ItemID], undo: UndoStep? = nil) {
    (self.dots, self.created, self.undo) = (dots, created, undo)
  }
}

/// Why an edit was not made.
package enum EditRefusal: Hashable, Sendable {
  case plan(EditError)
  /// One op alone is larger than a change may be.
  case tooLarge
  /// This agent is in no space yet.
  case noSpace
  /// This device is a reader: its changes would be ignored by everyone.
  case reader
  /// This device was removed from the space.
  case notMember
  /// The disk takes nothing at present. Nothing was done.
  case storage
  /// The disk did not take it. It shows and may be at peers already, and goes to disk as soon as that
  /// takes something; until then an end of the agent may lose it.
  case notOnDisk
}

/// Something is wrong that people should know of.
package enum Alarm: Hashable, Sendable {
  /// Somebody else writes as this device, or this device was copied (reliability R1).
  case fork(session: SessionID, author: DeviceID, seen: DeviceID)
  /// The data was copied or put back from a backup: a new session goes on from it.
  case copied
  /// That device, which may be this one, has less than it had acknowledged: a backup put back, a copy,
  /// or a disk that lost something.
  case setback(DeviceID)
  /// Two agents with one device key are alive at once.
  case cloned(DeviceID)
  /// Equal vectors, different views (R14).
  case fingerprint(DeviceID)
  /// A change by that device is invalid.
  case invalidChange(author: DeviceID?, from: DeviceID)
  /// That device is a reader and wrote nevertheless; the change was not taken.
  case readerWrote(DeviceID)
  /// A stamp lies so far ahead that it did not pull the clock; minutes ahead (K2).
  case clockAhead(DeviceID, minutes: UInt64)
  /// So many changes of a removed member, from after its removal, were taken back.
  case setAside(DeviceID, changes: UInt64)
  /// The disk refused a batch.
  case storage
}
