// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import WireCodec

/// What is known of one member, for people.
package struct PeerStatus: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case inSync
    case syncing
    case connecting
    case offline
    case neverMet
  }

  package var name: String
  package var device: DeviceID
  package var state: State
  /// The live link, if there is one.
  package var link: LinkID?
  /// Whether its changes go through other members, because a large space has no link for each pair.
  package var isRelayed = false
  /// Where it is or was last reached.
  package var endpoint: Endpoint?
  /// Smallest of the last pings; `nil` while there was none.
  package var rtt: Delay?
  /// Changes it has not acknowledged, and changes it is known to have that are not here.
  package var toSend: UInt64
  package var toGet: UInt64
  /// When a frame of it last came in.
  package var lastContact: WallTime?
  package var version: String
  /// Its wall clock minus ours as last told, in milliseconds; `nil` without a link.
  package var clockOffsetMilliseconds: Int64?
}

/// What outlasts a restart of what is known of one member.
package struct PeerRow: Hashable, Sendable {
  package let device: DeviceID
  /// Addresses that worked, the latest first.
  package var endpoints: [Endpoint] = []
  /// What it last acknowledged as durable.
  package var acknowledged = VersionVector()
  package var lastContact: WallTime?
  package var version = ""
  /// The local day (`AgeBook`) on which it was last heard, from itself or by its signature.
  package var heardDay: UInt32 = 0
  /// The roster that it had then.
  package var rosterHeads: [RosterHead] = []
  /// Its last signed acknowledgement, to be passed on; empty if there is none.
  package var statement: [UInt8] = []
  package var statementNumber: UInt64 = 0

  /// It has these on disk; what is known only grows.
  package mutating func acknowledge(_ tips: [Tip]) {
    acknowledged = VersionVector(tips: acknowledged.tips + tips)
  }

  package init(device: DeviceID) { self.device = device }
}
