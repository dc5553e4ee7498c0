// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// Every knob of the engine: default, unit, range.
package struct EngineSettings: Hashable, Sendable {
  // MARK: Frames and windows

  /// Changes sent and not yet acknowledged per link: 2 MiB; at least one frame.
  package var windowBytesMax = 2 << 20
  /// Recent changes kept in memory for pushing: 4 MiB, oldest go first.
  package var recentBytesMax = 4 << 20
  /// Changes that arrived before what they need, per link: 64.
  package var parkedChangesMax = 64
  /// A newcomer is sent a snapshot when the log it lacks is larger: 4,096 changes.
  package var snapshotChangesMin: UInt64 = 4096
  /// The largest snapshot taken in, packed: 1 GiB.
  package var snapshotBytesMax: UInt64 = 1 << 30
  /// Bytes of a snapshot sent ahead of its acknowledgement: 4 MiB.
  package var snapshotWindowBytes = 4 << 20
  /// A change that came from one member waits so long before it goes on to others, who mostly get it
  /// from its author: 20 ms.
  package var relayDelay = Delay.milliseconds(20)

  // MARK: Links

  /// Between two pings on a quiet link: 15 s.
  package var pingInterval = Delay.seconds(15)
  /// A link that brought nothing for so long is dead: 45 s, more than twice `pingInterval`.
  package var silenceMax = Delay.seconds(45)
  /// From connection to finished greeting: 5 s.
  package var greetingTimeMax = Delay.seconds(5)
  /// Two links to one device may live side by side for so long: 5 s (reliability S3).
  package var duplicateTimeMax = Delay.seconds(5)
  /// Links at the same time: 64.
  package var linksMax = 64
  /// A request for missing changes is repeated after: 2 s.
  package var askAgainAfter = Delay.seconds(2)

  // MARK: Dialling

  /// Between two starts of a race for one device: 250 ms.
  package var raceStagger = Delay.milliseconds(250)
  /// A dial that neither fails nor succeeds is dropped after: 5 s.
  package var dialTimeMax = Delay.seconds(5)
  /// First wait after a failed round: 500 ms; doubles up to `backoffMax`.
  package var backoffFirst = Delay.milliseconds(500)
  /// The longest wait between two rounds: 60 s.
  package var backoffMax = Delay.seconds(60)
  /// Up to so many members each has a link to each: 16.
  package var fullMeshMembersMax = 16
  /// Links that a node wishes for in a larger space: 8; a multiple of four.
  package var meshLinks = 8
  /// In a larger space, so often the next of the members without a link is visited: 60 s.
  package var visitInterval = Delay.seconds(60)
  /// A link that this side made and wishes for no more is kept for so long: 10 s.
  package var surplusTime = Delay.seconds(10)
  /// Dials under way at the same time: 8.
  package var dialsMax = 8
  /// Candidates of which no device is known: 64; the oldest failed one goes first.
  package var unknownCandidatesMax = 64
  /// Addresses kept per member: 8; fixed ones do not count.
  package var addressesPerMemberMax = 8

  // MARK: Pairing

  /// An invite is good for: 10 minutes.
  package var inviteTime = Delay.seconds(600)
  /// A pairing connection is given: 20 s.
  package var pairingTimeMax = Delay.seconds(20)
  /// Invites open at the same time: 8; one more voids the oldest.
  package var invitesMax = 8
  /// Wrong proofs of one address within `wrongProofsWindow` before it is paused: 5.
  package var wrongProofsMax = 5
  /// Wrong proofs of all addresses within `wrongProofsWindow` before all are paused: 40.
  package var wrongProofsOverallMax = 40
  /// Wrong proofs are counted anew after: 60 s.
  package var wrongProofsWindow = Delay.seconds(60)
  /// The pause after too many wrong proofs: 10 s, less than `joinTimeMax`.
  package var wrongProofsPause = Delay.seconds(10)
  /// Nobody answers a join for so long: 15 s.
  package var joinTimeMax = Delay.seconds(15)

  // MARK: History

  /// A change may leave the log when it is older: 30 days; 0 is allowed.
  package var historyDays: UInt32 = 30
  /// A member that was silent for so long no longer holds the log: 60 days.
  package var silentDays: UInt32 = 60
  /// After something that may let changes leave the log, the log is looked at: 30 s.
  package var floorInterval = Delay.seconds(30)
  /// Between two signed acknowledgements of this device, while something moves: 10 minutes.
  package var statementInterval = Delay.seconds(600)
  /// The log of a snapshot that makes no progress is done without after: 5 minutes.
  package var logTimeMax = Delay.seconds(300)

  /// Fewer dead items do not become cold: 1,000.
  package var coldItemsMin = 1_000
  /// Nor do fewer than one in so many that are not cold: 16.
  package var warmItemsPerColdMax = 16

  /// Which ops this version folds; others wait for an upgrade.
  package var foldLevel = FoldLevel.current

  /// The port this agent listens on, told in the greeting; 0 = it does not listen.
  package var listenPort: UInt16 = 0
  /// This agent's version, told in the greeting: at most 32 bytes of UTF-8.
  package var version = "0"
  /// What this device is called, told when it joins; at most `FrameLimits.nameBytesMax` bytes.
  package var deviceName = Text("")

  package init() {}

  /// Limits so low that small tests reach them.
  package static var tiny: Self {
    var settings = Self()
    settings.windowBytesMax = 64 << 10
    settings.recentBytesMax = 8 << 10
    settings.parkedChangesMax = 4
    settings.snapshotChangesMin = 16
    settings.snapshotWindowBytes = 64 << 10
    settings.unknownCandidatesMax = 4
    settings.addressesPerMemberMax = 2
    settings.dialsMax = 2
    settings.floorInterval = .seconds(1)
    settings.statementInterval = .seconds(2)
    settings.logTimeMax = .seconds(60)
    return settings
  }
}
