// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Simulator
import Testing
import WireCodec

@testable import NodeEngine

/// A start from a disk with wrong bits: what is damaged is left out, never believed, and no later
/// checkpoint covers it up.
@Suite struct DamagedDiskTests {
  private let crypto = ToyCrypto(seed: 1)

  /// A log of changes of one session, a row each.
  private func log(_ count: UInt64) -> [LoggedChange] {
    let head = SessionHead(device: crypto.deviceID, salt: 1, predecessor: nil)
    let session = crypto.sessionID(head)
    var replica = Replica()
    var prev = ChangeHash.zero
    var out: [LoggedChange] = []
    var events: [ReplicaEvent] = []
    for seq in 1...count {
      let plan = try? replica.plan(
        [.create([NewRow([(.text, .text("row \(seq)"))])], parent: .root, at: .bottom)],
        writer: crypto.writerTag(session), h: seq << 20, nonce: seq)
      let change = Change(
        session: session, seq: seq, head: seq == 1 ? head : nil, prev: prev, h: seq << 20,
        seen: [], nonce: seq, group: nil, ops: plan?.ops ?? [])
      let signed = SignedChange(signing: change, space: .zero, crypto: crypto)
      _ = replica.fold(change, hash: signed.hash, events: &events)
      prev = signed.hash
      out.append(
        LoggedChange(dot: change.dot, hash: signed.hash, bytes: signed.bytes, isVerified: true))
    }
    return out
  }

  private func flipped(_ change: LoggedChange, at byte: Int) -> LoggedChange {
    var bytes = change.bytes
    bytes[byte] ^= 1
    return LoggedChange(dot: change.dot, hash: change.hash, bytes: bytes, isVerified: true)
  }

  private func restored(_ stored: StoredLists, whole: [LoggedChange] = []) -> Restored {
    var restored = Restored()
    _ = restored.read(stored, crypto: crypto, packer: NoPacking()) { whole }
    return restored
  }

  @Test func `no bit of a change in the log is believed`() {
    let log = log(2)
    for byte in log[1].bytes.indices {
      var stored = StoredLists()
      stored.tail = [log[0], flipped(log[1], at: byte)]
      let restored = restored(stored)
      #expect(restored.isIncomplete)
      #expect(restored.replica.tip(of: log[0].dot.session)?.seq == 1)
    }
  }

  @Test func `a change that no replica takes is not believed, though its row is sound`() throws {
    let log = log(1)
    let first = try SignedChange(decoding: log[0].bytes, crypto: crypto)
    let change = Change(
      session: first.change.session, seq: 2, head: nil, prev: first.hash, h: 2 << 20, seen: [],
      nonce: .max, group: nil, ops: [])
    let signed = SignedChange(signing: change, space: .zero, crypto: crypto)
    var stored = StoredLists()
    stored.tail = [
      log[0],
      LoggedChange(dot: change.dot, hash: signed.hash, bytes: signed.bytes, isVerified: true),
    ]
    let restored = restored(stored)
    #expect(restored.unread.lost == [signed.tip])
    #expect(restored.replica.tip(of: change.session) == first.tip)
  }

  @Test func `of changes that wait for one that is missing so many are kept in memory`() throws {
    let log = try log(2).map { try SignedChange(decoding: $0.bytes, crypto: crypto) }
    var (unread, replica, events) = (Unread(), Replica(), [ReplicaEvent]())
    unread.strand(Array(repeating: log[1], count: Unread.strandedMax + 1))
    #expect(unread.lost == [log[1].tip] && unread.changeCount == Unread.strandedMax + 1)
    #expect(!unread.retry(in: &replica, at: .current, &events))
    _ = replica.fold(log[0].change, hash: log[0].hash, events: &events)
    #expect(unread.retry(in: &replica, at: .current, &events))
    #expect(replica.holds(log[1].tip) && unread.isEmpty)
  }

  @Test func `a change that waits and finds another one in its place is named as missing`() throws {
    let log = try log(2).map { try SignedChange(decoding: $0.bytes, crypto: crypto) }
    let change = log[1].change
    let other = Change(
      session: change.session, seq: 2, head: nil, prev: log[0].hash, h: change.h, seen: [],
      nonce: 77, group: nil, ops: change.ops)
    let signed = SignedChange(signing: other, space: .zero, crypto: crypto)
    var (unread, replica, events) = (Unread(), Replica(), [ReplicaEvent]())
    unread.strand([log[1]])
    for taken in [log[0], signed] {
      #expect(replica.fold(taken.change, hash: taken.hash, events: &events) == .folded)
    }
    #expect(!unread.retry(in: &replica, at: .current, &events))
    #expect(unread.lost == [log[1].tip] && unread.changeCount == 1)
  }

  @Test func `a void checkpoint costs the time to read the log, not what is in it`() throws {
    let log = log(5)
    var stored = StoredLists()
    stored.tail = log
    let good = restored(stored).replica
    stored.header = ImageCodec.encode(good.header(), crypto: crypto, packer: NoPacking())
    stored.chunks = [ImageCodec.encode(good.chunk(at: 0), crypto: crypto, packer: NoPacking())]
    stored.tail = []
    #expect(restored(stored).replica.children(of: .root).count == 5)
    stored.chunks[0][stored.chunks[0].count / 2] ^= 4
    // The header tells that nothing else was in it. If that is damaged too, nobody can say so.
    for isHeaderWhole in [true, false] {
      if !isHeaderWhole { stored.header?[60] ^= 4 }
      let mended = restored(stored, whole: log)
      #expect(mended.hasVoidCheckpoint && mended.keepsCheckpoint)
      #expect(mended.isIncomplete == !isHeaderWhole)
      #expect(mended.replica.children(of: .root).count == 5)
      let short = restored(stored, whole: Array(log.prefix(4)))
      #expect(short.isIncomplete && short.replica.children(of: .root).count == 4)
    }
  }

  @Test func `a checkpoint after a bad start does not stand for the log`() {
    let log = log(3)
    var stored = StoredLists()
    stored.tail = [log[0], flipped(log[1], at: 40), log[2]]
    for (lists, isWhole) in [(stored, false), (StoredLists(), true)] {
      var engine = Engine(
        settings: EngineSettings(), crypto: crypto, packer: NoPacking(),
        entropy: Entropy(SeededEntropy(seed: 1)), restored: restored(lists),
        wall: WallTime(milliseconds: 1))
      var effects: [Effect] = []
      engine.handle(.checkpoint, at: Moment(nanoseconds: 1), into: &effects)
      let checkpoints = effects.compactMap { effect -> Checkpoint? in
        if case .persist(let batch, _) = effect { batch.checkpoint } else { nil }
      }
      #expect(checkpoints.map(\.standsForLog) == [isWhole])
    }
  }

  @Test func `a checkpoint that could not be read is not written over`() {
    var stored = StoredLists()
    stored.header = [1, 2, 3]
    var engine = Engine(
      settings: EngineSettings(), crypto: crypto, packer: NoPacking(),
      entropy: Entropy(SeededEntropy(seed: 1)), restored: restored(stored, whole: log(3)),
      wall: WallTime(milliseconds: 1))
    var effects: [Effect] = []
    engine.handle(.checkpoint, at: Moment(nanoseconds: 1), into: &effects)
    let isWritten = effects.contains { effect in
      if case .persist(let batch, _) = effect { batch.checkpoint != nil } else { false }
    }
    #expect(!isWritten)
    #expect(engine.replica.children(of: .root).count == 3)
  }

  @Test(arguments: [0, 12]) func `a join that waits does not spin`(addresses: Int) {
    var settings = EngineSettings()
    settings.dialsMax = 8
    var engine = Engine(
      settings: settings, crypto: crypto, packer: NoPacking(),
      entropy: Entropy(SeededEntropy(seed: 1)), restored: Restored(),
      wall: WallTime(milliseconds: 1))
    var entropy = Entropy(SeededEntropy(seed: 2))
    let endpoints = (0..<addresses).compactMap {
      Endpoint(address: [198, 18, 0, UInt8($0 + 1)], port: 7)
    }
    var effects: [Effect] = []
    var now = Moment(nanoseconds: 1_000)
    engine.handle(.resume, at: now, into: &effects)
    engine.handle(.join(PairingCode(using: &entropy), at: endpoints), at: now, into: &effects)
    var turns = 0
    while let next = engine.nextDeadline, turns < 1_000 {
      turns += 1
      now = max(now, next)
      engine.handle(.deadline, at: now, into: &effects)
    }
    #expect(turns < 200)
    #expect(effects.contains(.pairing(.joinFailed(.nobodyFound))))
  }
}
