// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Why a connection ends. The raw value goes to the peer in a `bye` frame.
package enum CloseReason: UInt8, Hashable, Sendable, CaseIterable {
  /// The agent stops, or takes itself off the network.
  case goingAway = 1
  /// Another connection to the same device stays (reliability S3).
  case duplicate = 2
  /// Nothing was heard for `EngineSettings.silenceMax`.
  case silent = 3
  /// The frame breaks the format.
  case malformed = 4
  /// The frame is legal, but not now: a second hello, say.
  case outOfOrder = 5
  /// The peer speaks another major version of the protocol.
  case wireVersion = 6
  /// The peer is in another space.
  case otherSpace = 7
  /// The peer is not a member (any more), or claims to be somebody else than its key.
  case notMember = 8
  /// A change is invalid on every replica, or its signature is.
  case invalidChange = 9
  /// A roster record is invalid, or the rosters cannot agree.
  case invalidRoster = 10
  /// The connection leads to this agent itself.
  case ourselves = 11
  /// A snapshot does not fit what was announced.
  case invalidSnapshot = 12
  /// The greeting or the pairing was not finished in time.
  case tooSlow = 13
  /// The pairing is over, one way or the other.
  case pairingDone = 14
  /// The disk refuses to take what comes.
  case storage = 15
  /// The shell reports that the transport is gone.
  case transport = 16
  /// In a large space: whoever made the link keeps others instead.
  case surplus = 17
  /// This side took changes of a removed member back: what it said to hold no longer holds.
  case recounted = 18

  /// Whether the peer broke the protocol; dialled again only after the longest back-off.
  package var isPeersFault: Bool {
    switch self {
    case .malformed, .outOfOrder, .wireVersion, .otherSpace, .notMember, .invalidChange,
      .invalidRoster, .invalidSnapshot:
      true
    case .goingAway, .duplicate, .silent, .ourselves, .tooSlow, .pairingDone, .storage, .transport,
      .surplus, .recounted:
      false
    }
  }
}
