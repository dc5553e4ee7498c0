// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec

/// One machine of the simulated home: an agent, its disk, its wall clock.
struct SimulatedNode: Sendable {
  let crypto: ToyCrypto
  let endpoint: Endpoint
  /// `nil` while the machine is off.
  var engine: Engine?
  var disk = SimulatedDisk()
  /// How often it was started: what belongs to an earlier life is dropped.
  var life = 0
  /// How far its wall clock is off, in milliseconds.
  var wallOffset: Int64 = 0
  /// The deadline for which a wake-up is scheduled.
  var wakeAt: Moment?
  /// Wake-ups in a row after which the deadline was not later than now.
  var wakesInPlace = 0
  /// The disk does one thing after the other.
  var diskFreeAt = Moment(nanoseconds: 0)
  /// What is being read from it.
  var reads: [(token: ReadToken, request: LogRequest)] = []
  /// Until then the disk takes nothing.
  var diskFullUntil = Moment(nanoseconds: 0)
  /// Effects until the machine stops in the middle of a turn.
  var effectsLeft: Int?
  /// It sleeps until then.
  var asleepUntil = Moment(nanoseconds: 0)
  /// Which ops its version folds.
  var level = FoldLevel.current
  /// What it announces on the network.
  var tag: DiscoveryTag?
  /// The start could not read the checkpoint.
  var hasVoidCheckpoint = false
  /// The start could not read all of the disk: in this life it may lack what it promised.
  var isIncomplete = false
  /// Whether a snapshot was joined since the last batch.
  var hasJoinedSnapshot = false
  /// Whether it ever joined a snapshot: then entries may be missing, or one too many.
  var everJoinedSnapshot = false
  /// Whether it was ever started from a disk that was not read whole.
  var everIncomplete = false
}
