// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec
import Workbench

/// Laws of the parts under the simulated homes, each over a seed: for the canaries and for `dev laws`.
package enum CoreLaws {
  /// A law, and the check of it: `nil`, or what is broken.
  package struct Law: Sendable {
    package let name: String
    package let check: @Sendable (UInt64) -> String?
  }

  /// All of them, in the order of the design.
  package static let all: [Law] = [
    Law(name: "clock", check: clock), Law(name: "keys", check: keys),
    Law(name: "runs of keys", check: runs), Law(name: "ties", check: ties),
    Law(name: "bad changes", check: badChanges), Law(name: "holes", check: holes),
    Law(name: "kept view", check: keptView), Law(name: "other lines", check: otherLines),
    Law(name: "cutoffs", check: cutoffs),
    Law(name: "changes in bytes", check: bytes),
    Law(name: "signatures", check: signatures), Law(name: "roster", check: roster),
  ]

  /// A clock rises, follows what it sees, and is not pulled by what lies far ahead (16, 18).
  private static func clock(_ seed: UInt64) -> String? {
    var random = SplitMix64(seed: seed, stream: "clock")
    var clock = HybridClock()
    var now: Int64 = 1_800_000_000_000
    for _ in 0..<200 {
      now += Int64(random.below(2_000_000)) - 1_000_000
      let wall = WallTime(milliseconds: now)
      let before = clock.value
      let near = UInt64(now + Int64(random.below(500_000))) << 16
      if !clock.observe(near, wall) || clock.value < near { return "does not follow \(near)" }
      let far = UInt64(now + 700_000 + Int64(random.below(1 << 40))) << 16
      let held = clock.value
      if clock.observe(far, wall) || clock.value != held { return "is pulled by \(far)" }
      if clock.tick(wall) <= max(before, held) { return "does not rise" }
    }
    return nil
  }

  /// A key lies between its neighbours and has one encoding (1, 2).
  private static func keys(_ seed: UInt64) -> String? {
    var random = SplitMix64(seed: seed, stream: "keys")
    var list: [PositionKey] = []
    for _ in 0..<400 {
      let tag = WriterTag(UInt32(1 + random.below(4)) &* 0x0101_0101)
      let at = random.chance(50) ? list.count / 2 : random.below(list.count + 1)
      let a = at > 0 ? list[at - 1] : nil
      let b = at < list.count ? list[at] : nil
      let key = PositionGenerator.between(a, b, tag: tag) { key in list.first { $0 > key } }
      if let a, !(a < key) { return "\(key) is not above \(a)" }
      if let b, !(key < b) { return "\(key) is not below \(b)" }
      guard let path = try? PositionCodec.decode(key.bytes),
        PositionCodec.encode(path) == key.bytes
      else { return "\(key) has another encoding" }
      list.insert(key, at: at)
    }
    return nil
  }

  /// Of runs that were written at the same time none splits another (6).
  private static func runs(_ seed: UInt64) -> String? {
    var world = WritersWorld(seed: seed, writers: 2 + Int(seed % 5))
    for _ in 0..<80 { world.step() }
    if world.misplaced > 0 { return "\(world.misplaced) keys are not where they were asked for" }
    return world.splits().first
  }

  /// Two values with one stamp, by a liar: all show the same one (core 4).
  private static func ties(_ seed: UInt64) -> String? {
    let device = DeviceID(seed, 1, 1, 1)
    func change(_ session: UInt64, _ value: Int64) -> Change {
      let item = ItemID(nonce: 9, index: 0)
      return Change(
        session: SessionID(high: session, low: 0), seq: 1,
        head: SessionHead(device: device, salt: 5, predecessor: nil), prev: .zero, h: 1 << 40,
        seen: [], nonce: 7, group: nil,
        ops: [.set(item: item, field: .note, value: .int(value), h: nil)])
    }
    let both = [change(1, 3), change(2, 4)]
    var shown: [Value?] = []
    for order in [both, both.reversed()] {
      var replica = Replica()
      var events: [ReplicaEvent] = []
      for (number, change) in order.enumerated() {
        _ = replica.fold(change, hash: ChangeHash(UInt64(number), 1, 1, 1), events: &events)
      }
      shown.append(replica.value(of: ItemID(nonce: 9, index: 0), .note))
    }
    return shown[0] == shown[1] ? nil : "two replicas show \(shown)"
  }

  /// What breaks a constant rule is refused, and leaves nothing behind (core 5.1).
  private static func badChanges(_ seed: UInt64) -> String? {
    let item = ItemID(nonce: seed | 1, index: 0)
    let head = SessionHead(device: DeviceID(seed, 1, 1, 1), salt: 5, predecessor: nil)
    func change(_ nonce: UInt64, _ h: UInt64, _ ops: [Op]) -> Change {
      Change(
        session: SessionID(high: seed, low: 0), seq: 1, head: head, prev: .zero, h: h, seen: [],
        nonce: nonce, group: nil, ops: ops)
    }
    let set = Op.set(item: item, field: .note, value: .null, h: nil)
    let bad = [
      change(0, 1 << 40, [set]), change(.max, 1 << 40, [set]), change(7, 0, [set]),
      change(7, 1 << 62, [set]), change(7, 1 << 40, [set, set]),
      change(7, 1 << 40, [.life(item: .root, alive: false, h: nil)]),
      change(7, 1 << 40, [.place(item: item, parent: .root, key: PositionKey(bytes: [0]), h: nil)]),
    ]
    for (number, change) in bad.enumerated() {
      var replica = Replica()
      var events: [ReplicaEvent] = []
      guard case .invalid = replica.fold(change, hash: .zero, events: &events),
        replica.vector.tips.isEmpty
      else { return "bad change \(number) is folded" }
    }
    return nil
  }

  /// The changes of a session come one behind the other, on one chain (28).
  private static func holes(_ seed: UInt64) -> String? {
    let head = SessionHead(device: DeviceID(seed, 1, 1, 1), salt: 5, predecessor: nil)
    func fold(_ seq: UInt64, prev: ChangeHash, in replica: inout Replica) -> FoldOutcome {
      let change = Change(
        session: SessionID(high: seed, low: 0), seq: seq, head: seq == 1 ? head : nil, prev: prev,
        h: 1 << 40 + seq, seen: [], nonce: seq, group: nil, ops: [])
      var events: [ReplicaEvent] = []
      return replica.fold(change, hash: ChangeHash(seq, prev.a, 0, 0), events: &events)
    }
    var replica = Replica()
    let first = ChangeHash(1, 0, 0, 0)
    let outcomes = [
      fold(2, prev: first, in: &replica), fold(1, prev: .zero, in: &replica),
      fold(3, prev: first, in: &replica), fold(2, prev: ChangeHash(9, 9, 9, 9), in: &replica),
      fold(2, prev: first, in: &replica), fold(1, prev: .zero, in: &replica),
    ]
    let expected: [FoldOutcome] = [
      .gap(next: 1), .folded, .gap(next: 2), .fork, .folded, .alreadyCovered,
    ]
    return outcomes == expected ? nil : "changes out of order come to \(outcomes)"
  }

  /// What a replica keeps of its view is what its image comes to, also when an item comes after
  /// what was written about it (20).
  private static func keptView(_ seed: UInt64) -> String? {
    let history = RandomHistory(seed: seed, authorCount: 3, steps: 60)
    var random = SplitMix64(seed: seed, stream: "late")
    var left = history.entries
    var replica = Replica(chunkCapacity: 8)
    var events: [ReplicaEvent] = []
    var refusals = 0
    while !left.isEmpty, refusals < 10_000 {
      // Often the youngest change that may come: what it speaks of is not here yet.
      let at = random.chance(70) ? left.count - 1 - refusals % left.count : random.below(left.count)
      guard replica.fold(left[at].change, hash: left[at].hash, events: &events) == .folded else {
        refusals += 1
        continue
      }
      left.remove(at: at)
      refusals = 0
      guard
        var read = try? Replica(
          header: replica.header(), chunks: (0..<replica.chunkCount).map(replica.chunk(at:)),
          chunkCapacity: 8)
      else { return "an image cannot be read" }
      replica.settleRecovered()
      read.settleRecovered()
      if replica.recoveredItems != read.recoveredItems { return "another Recovered is kept" }
      if replica.fingerprint(sha256: digest) != read.fingerprint(sha256: digest) {
        return "another view is kept"
      }
    }
    return left.isEmpty ? nil : "\(left.count) changes cannot be folded"
  }

  private static let digest: @Sendable ([UInt8]) -> (UInt64, UInt64) = { bytes in
    bytes.reduce((1, 7)) { ($0.0 &* 31 &+ UInt64($1), $0.1 ^ $0.0 &* 17 &+ UInt64($1)) }
  }

  /// A change and an image are read back as they were written.
  private static func bytes(_ seed: UInt64) -> String? {
    let history = RandomHistory(seed: seed, authorCount: 3, steps: 40)
    let crypto = ToyCrypto(seed: seed)
    var replica = Replica(chunkCapacity: 4)
    var events: [ReplicaEvent] = []
    for entry in history.entries {
      let body = ChangeCodec.encode(entry.change)
      guard let again = try? ChangeCodec.decode(body), again == entry.change else {
        return "\(entry.change.dot) is read as something else"
      }
      _ = replica.fold(entry.change, hash: entry.hash, events: &events)
    }
    do {
      let header = try ImageCodec.decodeHeader(
        ImageCodec.encode(replica.header(), crypto: crypto, packer: PlainPacker()),
        crypto: crypto, packer: PlainPacker())
      if header != replica.header() { return "a header is read as something else" }
      for number in 0..<replica.chunkCount {
        let block = ImageCodec.encode(
          replica.chunk(at: number), crypto: crypto, packer: PlainPacker())
        let chunk = try ImageCodec.decodeChunk(block, crypto: crypto, packer: PlainPacker())
        if chunk != replica.chunk(at: number) { return "a chunk is read as something else" }
        for at in block.indices {
          var bad = block
          bad[at] ^= 1
          let read = try? ImageCodec.decodeChunk(bad, crypto: crypto, packer: PlainPacker())
          if let read, read != chunk { return "a wrong bit in byte \(at) of a chunk is believed" }
        }
      }
    } catch { return "an image is not read: \(error)" }
    return nil
  }

  /// A signature is good for its change, its author and its space alone.
  private static func signatures(_ seed: UInt64) -> String? {
    let (one, other) = (ToyCrypto(seed: seed), ToyCrypto(seed: seed &+ 1))
    let history = RandomHistory(seed: seed, authorCount: 1, steps: 4)
    guard let change = history.entries.first?.change else { return nil }
    let space = SpaceID(seed, 2, 3, 4)
    let signed = SignedChange(signing: change, space: space, crypto: one)
    if !signed.isSigned(by: one.publicKey, space: space, crypto: one) { return "is not good" }
    if (try? SignedChange(decoding: signed.bytes, crypto: one)) != nil {
      return "a session with a made-up id is read"
    }
    if signed.isSigned(by: other.publicKey, space: space, crypto: one) { return "is of anybody" }
    let elsewhere = SpaceID(seed, 2, 3, 5)
    if signed.isSigned(by: one.publicKey, space: elsewhere, crypto: one) {
      return "is good in any space"
    }
    return nil
  }

  /// Everybody resolves a set of records to the same members, in any order; who was removed, and
  /// whom nobody may have added, is none (I4, T1, T3).
  private static func roster(_ seed: UInt64) -> String? {
    let devices = (0..<4).map { ToyCrypto(seed: seed &* 8 &+ UInt64($0)) }
    func add(_ at: Int, _ role: Role) -> MembershipRecord.Body {
      .add(publicKey: devices[at].publicKey, name: Text("\(at)"), role: role)
    }
    let genesis = MembershipRecord(
      signing: .genesis(
        name: Text("0"), recoveryKey: [UInt8](repeating: 7, count: 32),
        discoveryKey: [UInt8](repeating: 9, count: 32), salt: seed),
      parents: [], crypto: devices[0])
    let first = MembershipRecord(
      signing: add(1, .admin), parents: [genesis.hash], crypto: devices[0])
    // At the same time: one removes the other, who adds a friend.
    let removal = MembershipRecord(
      signing: .remove(
        devices[1].deviceID, cutoffs: [], discoveryKey: [UInt8](repeating: 8, count: 32),
        notice: [UInt8](repeating: 0, count: 64)),
      parents: [first.hash], crypto: devices[0])
    let friend = MembershipRecord(
      signing: add(2, .member), parents: [first.hash], crypto: devices[1])
    let stranger = MembershipRecord(
      signing: add(3, .admin), parents: [first.hash], crypto: devices[3])
    let late = [removal, friend, stranger]
    var views: [MembershipView] = []
    for shift in 0..<3 {
      guard var graph = try? MembershipGraph(genesis: genesis, crypto: devices[0]) else {
        return "the first record is refused"
      }
      for record in [first] + late[shift...] + late[..<shift] {
        _ = try? graph.take(record, crypto: devices[0])
      }
      views.append(graph.view)
    }
    if views.contains(where: { $0 != views[0] }) { return "order decides who is a member" }
    if views[0].isMember(devices[1].deviceID) { return "a removed device is a member" }
    if views[0].isMember(devices[2].deviceID) { return "a removed device has added another" }
    if views[0].isMember(devices[3].deviceID) { return "a stranger has added itself" }
    if views[0].discoveryKey != [UInt8](repeating: 8, count: 32) {
      return "a removal leaves the discovery key"
    }
    return nil
  }
}
