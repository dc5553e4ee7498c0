// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Kinds tell byte strings of one length apart: this one names a device.
public enum DeviceKind {}
/// The kind of a session id.
public enum SessionKind {}
/// The kind of a change's hash.
public enum ChangeHashKind {}
/// The kind of a space id.
public enum SpaceKind {}

/// SHA-256 of a device's Ed25519 public key (`core.md` 1).
public typealias DeviceID = Bytes32<DeviceKind>

/// First 16 bytes of SHA-256("hedgerow session 1" ‖ device ‖ salt ‖ predecessor): one writing run
/// of one agent.
public typealias SessionID = Bytes16<SessionKind>

/// SHA-256 of a change's body and signature.
public typealias ChangeHash = Bytes32<ChangeHashKind>

/// Hash of a space's genesis record.
public typealias SpaceID = Bytes32<SpaceKind>

/// The name of one item: the nonce of its creating change and an index in it. Never reused.
public struct ItemID: Hashable, Comparable, Sendable {
  public let nonce: UInt64
  public let index: UInt32

  public init(nonce: UInt64, index: UInt32) {
    self.nonce = nonce
    self.index = index
  }

  /// The root of the tree: twelve zero bytes. Lists are its children.
  public static let root = ItemID(nonce: 0, index: 0)
  /// The parent of items that lost theirs: twelve bytes 0xFF (`core.md` 4).
  public static let recovered = ItemID(nonce: .max, index: .max)

  public static func < (a: Self, b: Self) -> Bool { (a.nonce, a.index) < (b.nonce, b.index) }

  public var isReserved: Bool { nonce == 0 || nonce == .max }

  /// Appends the 12 bytes, big endian.
  public func append(to out: inout [UInt8]) {
    appendBigEndian(nonce, to: &out)
    appendBigEndian(index, to: &out)
  }
}

/// One change of one session: `seq` counts from 1 without holes.
public struct Dot: Hashable, Comparable, Sendable {
  public let session: SessionID
  public let seq: UInt64

  public init(session: SessionID, seq: UInt64) {
    self.session = session
    self.seq = seq
  }

  public static func < (a: Self, b: Self) -> Bool { (a.session, a.seq) < (b.session, b.seq) }
}

/// A change pinned by its hash: what a session continues, and what a version vector holds.
public struct Tip: Hashable, Sendable {
  public let session: SessionID
  public let seq: UInt64
  public let hash: ChangeHash

  public init(session: SessionID, seq: UInt64, hash: ChangeHash) {
    self.session = session
    self.seq = seq
    self.hash = hash
  }

  public var dot: Dot { Dot(session: session, seq: seq) }
}

/// The order of writes to one cell: greater wins (`core.md` 1 and 2).
///
/// Compared field by field in the order of declaration; `device` and the rest only break ties of `h`.
public struct Stamp: Hashable, Comparable, Sendable {
  /// Hybrid logical clock: wall milliseconds << 16 | counter; valid: 0 < h < 2^62.
  public let h: UInt64
  public let device: DeviceID
  public let salt: UInt64
  public let seq: UInt64
  /// Index of the op inside its change.
  public let op: UInt32

  public init(h: UInt64, device: DeviceID, salt: UInt64, seq: UInt64, op: UInt32) {
    (self.h, self.device, self.salt, self.seq, self.op) = (h, device, salt, seq, op)
  }

  public static func < (x: Self, y: Self) -> Bool {
    if x.h != y.h { return x.h < y.h }
    if x.device != y.device { return x.device < y.device }
    return (x.salt, x.seq, x.op) < (y.salt, y.seq, y.op)
  }
}
