// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// Marks ids of roster records.
package enum RosterHeadKind {}
/// Hash of a roster record that no other one follows.
package typealias RosterHead = Bytes32<RosterHeadKind>

/// The first frame on a link, both ways: who speaks, and what it holds durably.
package struct Hello: Hashable, Sendable {
  /// A tip, and whose session it is: enough to see that it may continue sessions known here.
  package struct HeldTip: Hashable, Sendable {
    package let tip: Tip
    package let device: DeviceID
    package init(tip: Tip, device: DeviceID) { (self.tip, self.device) = (tip, device) }
  }

  /// The version of the frames; equal or the link ends.
  package static let wireMajor: UInt8 = 1

  package var major: UInt8 = Self.wireMajor
  /// Bit set of additive features; unknown bits are ignored. None exists yet.
  package var features: UInt64 = 0
  package var space: SpaceID
  package var device: DeviceID
  /// Random per process start; tells a restarted peer from a second copy.
  package var bootNonce: UInt64
  /// Where the sender listens; 0 = nowhere.
  package var listenPort: UInt16
  /// The sender's wall clock, for showing its offset; no rule reads it.
  package var wall: WallTime
  /// For people; at most `FrameLimits.versionBytesMax` bytes.
  package var version: Text
  package var rosterHeads: [RosterHead]
  /// What is on the sender's disk; at most `FrameLimits.tipsMax`, the receiver takes absent ones as
  /// not held.
  package var tips: [HeldTip]

  package init(
    space: SpaceID, device: DeviceID, bootNonce: UInt64, listenPort: UInt16, wall: WallTime,
    version: Text, rosterHeads: [RosterHead], tips: [HeldTip]
  ) {
    (self.space, self.device, self.bootNonce) = (space, device, bootNonce)
    (self.listenPort, self.wall, self.version) = (listenPort, wall, version)
    (self.rosterHeads, self.tips) = (rosterHeads, tips)
  }

  func write(to out: inout ByteWriter) {
    out.byte(major)
    out.varint(features)
    out.bytes32(space)
    out.bytes32(device)
    out.bigEndian(bootNonce)
    out.bigEndian(listenPort)
    out.bigEndian(wall.milliseconds)
    out.block(version.utf8)
    out.varint(rosterHeads.count)
    for head in rosterHeads { out.bytes32(head) }
    out.varint(tips.count)
    for held in tips {
      out.tip(held.tip)
      out.bytes32(held.device)
    }
  }

  init(_ reader: inout ByteReader) throws(DecodeError) {
    let major = try reader.byte()
    // A later major may look different from here on: read no further, the engine refuses it.
    guard major == Self.wireMajor else { throw .unknownTag(UInt64(major), at: 1) }
    features = try reader.varint()
    space = try reader.bytes32(SpaceID.self)
    device = try reader.bytes32(DeviceID.self)
    bootNonce = try reader.bigEndian(UInt64.self)
    listenPort = try reader.bigEndian(UInt16.self)
    wall = WallTime(milliseconds: Int64(bitPattern: try reader.bigEndian(UInt64.self)))
    version = try reader.text(max: FrameLimits.versionBytesMax)
    rosterHeads = []
    for _ in 0..<(try reader.count(max: FrameLimits.rosterHeadsMax, each: 32)) {
      rosterHeads.append(try reader.bytes32(RosterHead.self))
    }
    tips = []
    for _ in 0..<(try reader.count(max: FrameLimits.tipsMax, each: 88)) {
      tips.append(HeldTip(tip: try reader.tip(), device: try reader.bytes32(DeviceID.self)))
    }
  }
}
