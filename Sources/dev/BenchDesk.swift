// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Workbench

/// A writer that plans and folds like an agent, without bytes, signatures and disk.
struct BenchDesk {
  var replica = Replica()
  var events: [ReplicaEvent] = []
  /// Everything written, if `keepsLog`.
  private(set) var log: [(change: Change, hash: ChangeHash)] = []
  let keepsLog: Bool
  /// Whether each change is below the log floor at once.
  let passesFloor: Bool
  private let device: DeviceID
  private let session: SessionID
  private let tag: WriterTag
  private var seq: UInt64 = 0
  private var last = ChangeHash.zero
  private var seen: VersionVector?
  private var h: UInt64
  private var nonces: SplitMix64

  /// `name` is 1...255 and differs between desks that meet.
  init(_ name: UInt8, keepsLog: Bool = false, passesFloor: Bool = false) {
    device = DeviceID(UInt64(name) << 56, 0, 0, 0)
    session = SessionID(high: UInt64(name) << 56, low: 1)
    tag = WriterTag(UInt32(name) << 24 | 0x00A5_5A17)
    h = 1_800_000_000_000 << 16 | UInt64(name)
    nonces = SplitMix64(seed: UInt64(name), stream: "nonces")
    (self.keepsLog, self.passesFloor) = (keepsLog, passesFloor)
  }

  /// One transaction, in as many changes as it takes; returns the ids of what it created.
  @discardableResult
  mutating func write(_ edits: [Edit]) -> [ItemID] {
    var rest = edits[...]
    var created: [ItemID] = []
    while !rest.isEmpty {
      h += 1
      let nonce = nonces.next() >> 1 | 1
      guard
        let plan = try? replica.plan(rest, writer: tag, h: h, nonce: nonce)
      else { preconditionFailure("a bench edit that cannot be done") }
      rest = plan.rest
      created += plan.created
      fold(plan.ops, nonce)
    }
    return created
  }

  private mutating func fold(_ ops: [Op], _ nonce: UInt64) {
    let entries = replica.seenEntries(since: seen).filter { $0.dot.session != session }
    seq += 1
    let head = SessionHead(device: device, salt: 1, predecessor: nil)
    let change = Change(
      session: session, seq: seq, head: seq == 1 ? head : nil, prev: last, h: h, seen: entries,
      nonce: nonce, group: nil, ops: ops)
    last = ChangeHash(nonce, seq, 0, 0)
    take(change, last)
    seen = replica.vector
    if keepsLog { log.append((change, last)) }
    if passesFloor { _ = replica.passFloor(change, hash: last) }
  }

  /// Folds a change, ours or another's; a screen would read the events, here they are dropped.
  mutating func take(_ change: Change, _ hash: ChangeHash) {
    events.removeAll(keepingCapacity: true)
    let outcome = replica.fold(change, hash: hash, events: &events)
    precondition(outcome == .folded, "a bench change came to \(outcome)")
  }

  /// A list with `n` items like those that the peers were measured with.
  @discardableResult
  mutating func fill(_ n: Int, _ words: inout BenchWords) -> ItemID {
    let list = write([.create([BenchWords.list], parent: .root, at: .bottom)])[0]
    let rows = (0..<n).map { _ in words.row() }
    write([.create(rows, parent: list, at: .bottom)])
    return list
  }
}

/// Rows of about 20 bytes of text from 17 words, a tick and a number.
struct BenchWords {
  private static let words = [
    "milk", "apples", "call", "dentist", "report", "garden", "invoice", "paint", "bread", "window",
    "holiday", "tickets", "battery", "letter", "cheese", "school", "tyres",
  ]
  static let list = NewRow([(.text, .text("bench"))])
  static let quantity = FieldName.named("qty")
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed, stream: "words") }

  mutating func row() -> NewRow {
    let text = (0..<3).map { _ in random.pick(Self.words) }.joined(separator: " ")
    return NewRow([
      (.text, .text(text)), (.done, .bool(random.chance(50))),
      (Self.quantity, .int(Int64(random.below(100)))),
    ])
  }
}
