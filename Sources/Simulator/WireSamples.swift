// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import Roster
package import WireCodec

/// One of everything that has bytes: what the golden files hold and what mutations start from.
///
/// Made with `ToyCrypto`, so hashes and signatures in it are toys; all other bytes are the format.
package enum WireSamples {
  package static let crypto = ToyCrypto(seed: 1)
  package static let space = SpaceID(1, 2, 3, 4)

  /// A sample by the name of its golden file.
  package struct Sample: Sendable {
    package let name: String
    package let bytes: [UInt8]
  }

  /// All samples, in a fixed order.
  package static var all: [Sample] {
    let change = everyOp
    var samples = [
      Sample(name: "change-every-op", bytes: ChangeCodec.encode(change)),
      Sample(name: "run-of-three", bytes: RunCodec.encode(run.map(\.bytes))),
      Sample(name: "image-header", bytes: headerColumns),
      Sample(name: "image-chunk", bytes: chunkColumns),
      Sample(name: "image-cold-chunk", bytes: coldColumns),
    ]
    samples += records.map { Sample(name: "record-\($0.name)", bytes: $0.record.bytes) }
    samples += frames.map { Sample(name: "frame-\($0.name)", bytes: $0.frame.bytes) }
    return samples
  }

  // MARK: Changes

  private static func key(_ integers: Int64...) -> PositionKey {
    let levels = integers.dropFirst().map { PositionLevel(tag: WriterTag(7), integer: $0) }
    return PositionKey(
      bytes: PositionCodec.encode(PositionPath(root: integers[0], levels: Array(levels))))
  }

  private static let predecessor = Tip(
    session: SessionID(high: 1, low: 2), seq: 3, hash: ChangeHash(4, 5, 6, 7))

  /// The first change of a session, with every kind of op and value.
  package static var everyOp: Change {
    let head = SessionHead(device: crypto.deviceID, salt: 9, predecessor: predecessor)
    return Change(
      session: crypto.sessionID(head), seq: 1, head: head, prev: predecessor.hash, h: 99 << 16,
      seen: [
        SeenEntry(dot: predecessor.dot, hashPrefix: 8),
        SeenEntry(dot: Dot(session: SessionID(high: 2, low: 2), seq: 300), hashPrefix: 9),
      ], nonce: 42, group: ChangeGroup(id: 5, part: 1, parts: 2), ops: ops)
  }

  private static var ops: [Op] {
    let item = ItemID(nonce: 77, index: 3)
    let other = ItemID(nonce: 78, index: 0)
    let mixed = FieldName.named("mixed")
    return [
      .create(
        firstIndex: 0, count: 3, parent: .root, firstKey: key(0, 32),
        columns: [
          FieldColumn(field: .text, values: [.text("milk"), nil, .text("Käse")]),
          FieldColumn(field: mixed, values: [.int(-5), .decimal(mantissa: 15, scale: 1), .null]),
          FieldColumn(field: .done, values: [.bool(true), .bool(false), .bool(true)]),
        ]),
      .place(item: item, parent: ItemID(nonce: 42, index: 0), key: key(1, 0, -32), h: 5),
      .blockPlace(items: [other], parent: .recovered, firstKey: key(2, 64), h: nil),
      .set(item: item, field: mixed, value: .ref(ItemID(nonce: 78, index: 1)), h: 1 << 60),
      .set(item: item, field: .note, value: .opaque(tag: 60, [1, 2]), h: nil),
      .set(item: item, field: .named("d"), value: .date(-700_000), h: nil),
      .set(item: item, field: .named("t"), value: .time(1_800_000_000_123), h: nil),
      .set(item: item, field: .named("b"), value: .bytes([0, 255]), h: nil),
      .life(item: item, alive: false, h: nil),
      .add(item: item, field: .named("n"), delta: -3),
    ]
  }

  /// Three changes of one session, from its first one on.
  package static var run: [SignedChange] {
    var changes = [SignedChange(signing: everyOp, space: space, crypto: crypto)]
    for seq in UInt64(2)...3 {
      let change = Change(
        session: changes[0].change.session, seq: seq, head: nil,
        prev: changes[changes.count - 1].hash, h: (99 + seq) << 16, seen: [], nonce: seq,
        group: nil,
        ops: [.life(item: ItemID(nonce: 42, index: 0), alive: seq % 2 == 0, h: nil)])
      changes.append(SignedChange(signing: change, space: space, crypto: crypto))
    }
    return changes
  }

  // MARK: Images

  /// A replica that has folded `everyOp` of a session that continues nothing, and the run behind it;
  /// all but the last change have left its log.
  package static var replica: Replica {
    var replica = Replica()
    var events: [ReplicaEvent] = []
    let head = SessionHead(device: crypto.deviceID, salt: 9, predecessor: nil)
    var first = everyOp
    (first.session, first.head, first.prev) = (crypto.sessionID(head), head, .zero)
    let firstHash = crypto.hash32(ChangeCodec.encode(first)) as ChangeHash
    var folded = [(change: first, hash: firstHash)]
    var outcome = replica.fold(first, hash: firstHash, events: &events)
    for signed in run.dropFirst() {
      var change = signed.change
      (change.session, change.prev) = (first.session, folded[folded.count - 1].hash)
      folded.append((change, crypto.hash32(ChangeCodec.encode(change))))
      if outcome == .folded {
        outcome = replica.fold(change, hash: folded[folded.count - 1].hash, events: &events)
      }
    }
    precondition(outcome == .folded, "a sample came to \(outcome)")
    for (change, hash) in folded.dropLast() {
      let hasMoved = replica.passFloor(change, hash: hash)
      precondition(hasMoved, "the floor does not pass a sample")
    }
    return replica
  }

  /// The columns of the sample's header, without the block around them.
  package static var headerColumns: [UInt8] {
    ImageCodec.columns(of: replica.header())
  }

  /// The columns of the sample's one chunk, without the block around them.
  package static var chunkColumns: [UInt8] { ImageCodec.columns(of: replica.chunk(at: 0)) }

  /// A replica in which a list was deleted with two rows in it, all below the floor: it is cold.
  package static var coldReplica: Replica {
    var replica = Replica()
    var events: [ReplicaEvent] = []
    let head = SessionHead(device: crypto.deviceID, salt: 9, predecessor: nil)
    let list = ItemID(nonce: 50, index: 0)
    let texts = FieldColumn(field: .text, values: [.text("oats"), .text("rye")])
    let ops: [Op] = [
      .create(firstIndex: 0, count: 1, parent: .root, firstKey: key(0, 32), columns: []),
      .create(firstIndex: 0, count: 2, parent: list, firstKey: key(0, 32), columns: [texts]),
      .life(item: list, alive: false, h: nil),
    ]
    var last = ChangeHash.zero
    for (index, op) in ops.enumerated() {
      let number = UInt64(index)
      let change = Change(
        session: crypto.sessionID(head), seq: number + 1, head: index == 0 ? head : nil,
        prev: last, h: (99 + number) << 16, seen: [], nonce: 50 + number, group: nil, ops: [op])
      last = crypto.hash32(ChangeCodec.encode(change))
      let outcome = replica.fold(change, hash: last, events: &events)
      precondition(outcome == .folded, "a sample came to \(outcome)")
      let hasMoved = replica.passFloor(change, hash: last)
      precondition(hasMoved, "the floor does not pass a sample")
    }
    let count = replica.freeze(atLeast: 1)
    precondition(count == ops.count, "\(count) items are cold")
    return replica
  }

  /// The columns of its one cold chunk, without the block around them.
  package static var coldColumns: [UInt8] { ImageCodec.columns(of: coldReplica.chunk(at: 0)) }

  // MARK: Records

  /// One record of each kind, each a child of the one before.
  package static var records: [(name: String, record: MembershipRecord)] {
    let guest = ToyCrypto(seed: 2)
    let key = [UInt8](repeating: 9, count: MembershipRecord.keyBytes)
    let bodies: [(String, MembershipRecord.Body)] = [
      ("genesis", .genesis(name: Text("study"), recoveryKey: key, discoveryKey: key, salt: 7)),
      ("add", .add(publicKey: guest.publicKey, name: Text("den"), role: .member)),
      ("rename", .rename(guest.deviceID, name: Text("loft"))),
      ("role", .role(guest.deviceID, .admin)),
      (
        "remove",
        .remove(
          guest.deviceID, cutoffs: [predecessor], discoveryKey: key,
          notice: RemovalNotice.sign(guest.deviceID, space: space, crypto: crypto))
      ), ("raise", .raise(guest.deviceID, cutoffs: [predecessor])),
    ]
    var out: [(name: String, record: MembershipRecord)] = []
    for (name, body) in bodies {
      let parents = out.last.map { [$0.record.hash] } ?? []
      out.append((name, MembershipRecord(signing: body, parents: parents, crypto: crypto)))
    }
    return out
  }

  // MARK: Frames

  /// One frame of each kind.
  package static var frames: [(name: String, frame: Frame)] {
    let device = crypto.deviceID
    let hello = Hello(
      space: space, device: device, bootNonce: 77, listenPort: 7644,
      wall: WallTime(milliseconds: 1_800_000_000_000), version: Text("1.0"),
      rosterHeads: [RosterHead(4, 3, 2, 1)],
      tips: [Hello.HeldTip(tip: predecessor, device: device)])
    var frames: [(name: String, frame: Frame)] = [
      ("hello", .hello(hello)), ("roster", .roster(records: [[1, 2, 3], []], isLast: true)),
      ("run", .run(RunCodec.encode(run.map(\.bytes)))), ("ack", .ack([predecessor])),
      (
        "ping",
        .ping(nonce: 1, tips: [predecessor], fingerprint: Fingerprint(high: 1, low: 2))
      ), ("pong", .pong(nonce: .max, wall: WallTime(milliseconds: 1_700_000_000_123))),
      ("ask", .ask),
      ("hash-ask", .hashAsk(session: predecessor.session, seq: 300)),
      ("hash-told", .hashTold(session: predecessor.session, seq: 300, hash: predecessor.hash)),
      ("branch-ask", .branchAsk(session: predecessor.session, seq: 7)),
      ("branch", .branch([1, 2, 3])),
      (
        "snapshot",
        .snapshot(tips: [predecessor], blobs: 3, rosterHeads: [RosterHead(4, 3, 2, 1)])
      ), ("snapshot-log", .snapshotLog(RunCodec.encode(run.map(\.bytes)))),
      (
        "held",
        .held(
          Acknowledgement(
            number: 5, rosterHeads: [RosterHead(4, 3, 2, 1)], tips: [predecessor], space: space,
            crypto: crypto
          ).bytes)
      ),
      ("snapshot-part", .snapshotPart([7, 7], isLast: false)), ("bye", .bye(code: 3)),
      (
        "farewell",
        .farewell(
          signer: crypto.publicKey,
          signature: RemovalNotice.sign(device, space: space, crypto: crypto))
      ),
      ("pair-proof", .pairProof(name: Text("anna"), proof: [UInt8](repeating: 1, count: 32))),
      ("pair-answer", .pairAnswer(proof: [UInt8](repeating: 2, count: 32))),
      ("pair-refused", .pairRefused), ("confirmed", .confirmed([predecessor])),
      ("setback", .setback),
    ]
    if let endpoint = Endpoint(address: [198, 18, 0, 1], port: 7644) {
      frames.append(("addresses", .addresses([(device, endpoint)])))
    }
    return frames
  }
}
