// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The bytes of a position key (`core.md` 3). Order is memcmp; a prefix sorts before its extensions.
///
/// A key held here is not necessarily well formed: `PositionCodec` decides that.
public struct PositionKey: Hashable, Comparable, Sendable {
  public let bytes: [UInt8]
  public init(bytes: [UInt8]) { self.bytes = bytes }
  public static func < (a: Self, b: Self) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
}

/// The first four bytes of SHA-256("hedgerow tag" ‖ session): the writer's mark in position keys.
public struct WriterTag: Hashable, Comparable, Sendable {
  public let value: UInt32
  public init(_ value: UInt32) { self.value = value }
  public static func < (a: Self, b: Self) -> Bool { a.value < b.value }
}

/// One cell of every item of a create, column-wise: `values[i]` belongs to the i-th item.
public struct FieldColumn: Hashable, Sendable {
  public let field: FieldName
  /// `nil` where the item does not get this cell; as many entries as the create has items.
  public let values: [Value?]
  public init(field: FieldName, values: [Value?]) {
    self.field = field
    self.values = values
  }
}

/// One operation of a change. Kinds 2...5 may carry an own `h`; `nil` means the change's (`core.md` 5.1).
public enum Op: Hashable, Sendable {
  /// Kind 1. Items (nonce, firstIndex), (nonce, firstIndex + 1), … under `parent`, at the key run
  /// that starts at `firstKey`: each further key is the one before, its last integer + S.
  case create(
    firstIndex: UInt32, count: UInt32, parent: ItemID, firstKey: PositionKey, columns: [FieldColumn]
  )
  /// Kind 2.
  case place(item: ItemID, parent: ItemID, key: PositionKey, h: UInt64?)
  /// Kind 3. A moved block: one key run and one stamp for all of `items`, in this order.
  case blockPlace(items: [ItemID], parent: ItemID, firstKey: PositionKey, h: UInt64?)
  /// Kind 4.
  case set(item: ItemID, field: FieldName, value: Value, h: UInt64?)
  /// Kind 5.
  case life(item: ItemID, alive: Bool, h: UInt64?)
  /// Kind 6. Counters: `delta` is added to this session's total.
  case add(item: ItemID, field: FieldName, delta: Int64)
  /// A kind that this version does not know: kept, relayed, folded after an upgrade.
  case unknown(kind: UInt64, payload: [UInt8])
}

/// What opens a session; present exactly at seq 1.
public struct SessionHead: Hashable, Sendable {
  public let device: DeviceID
  public let salt: UInt64
  /// The change that this session continues, of the same device; `nil` for a root session.
  public let predecessor: Tip?
  public init(device: DeviceID, salt: UInt64, predecessor: Tip?) {
    self.device = device
    self.salt = salt
    self.predecessor = predecessor
  }
}

/// A tip the author had seen, with the first four bytes of that change's hash.
public struct SeenEntry: Hashable, Sendable {
  public let dot: Dot
  public let hashPrefix: UInt32
  public init(dot: Dot, hashPrefix: UInt32) {
    self.dot = dot
    self.hashPrefix = hashPrefix
  }
}

/// Part `part` (from 0) of `parts` of one transaction that was too large for one change.
public struct ChangeGroup: Hashable, Sendable {
  public let id: UInt64
  public let part: UInt32
  public let parts: UInt32
  public init(id: UInt64, part: UInt32, parts: UInt32) {
    self.id = id
    self.part = part
    self.parts = parts
  }
}

/// One transaction of one session, as decoded. Its bytes are canonical: see `WireCodec`.
public struct Change: Hashable, Sendable {
  public var session: SessionID
  public var seq: UInt64
  /// Present exactly when `seq` is 1.
  public var head: SessionHead?
  /// Hash of the change before; at seq 1 of the predecessor, or zeros.
  public var prev: ChangeHash
  public var h: UInt64
  /// Tips that moved since this session's last change; at seq 1 all of them. Ascending by session.
  public var seen: [SeenEntry]
  /// Fresh from the kernel; never 0 or all ones.
  public var nonce: UInt64
  public var group: ChangeGroup?
  public var ops: [Op]

  public init(
    session: SessionID, seq: UInt64, head: SessionHead?, prev: ChangeHash, h: UInt64,
    seen: [SeenEntry], nonce: UInt64, group: ChangeGroup?, ops: [Op]
  ) {
    (self.session, self.seq, self.head, self.prev) = (session, seq, head, prev)
    (self.h, self.seen, self.nonce, self.group, self.ops) = (h, seen, nonce, group, ops)
  }

  public var dot: Dot { Dot(session: session, seq: seq) }
}
