// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Workbench

/// Puts into an image what an honest writer never does.
struct Liar {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed, stream: "liar") }

  /// Two that know of forks, floors, cold items and ops that wait; the first knows more.
  static func home(seed: UInt64) throws -> (sender: Writer, receiver: Writer) {
    var home = ForkedHome(seed: seed)
    for _ in 0..<60 { try home.step() }
    home.meetUntilEqual()
    var (sender, receiver) = (home.writers[0], home.writers[1])
    var random = SplitMix64(seed: seed, stream: "hostile home")
    for at in 0..<2 {
      var one = at == 0 ? sender : receiver
      let image = (one.replica.header(), (0..<one.replica.chunkCount).map(one.replica.chunk(at:)))
      one.replica = try Replica(header: image.0, chunks: image.1, chunkCapacity: 1000)
      if at == 0 || random.chance(50) {
        var isOpen = true
        for _ in 0..<200 where isOpen {
          let all = one.replica.coverage(of: one.replica.vector)
          guard let next = one.replica.leavable(heldBy: [all]).first, random.chance(98),
            let (change, hash) = one.held.first(where: { change, hash in
              change.seq == next.first
                && one.replica.line(of: Tip(session: change.session, seq: change.seq, hash: hash))
                  == next.session
            })
          else {
            isOpen = false
            continue
          }
          _ = one.replica.passFloor(change, hash: hash)
        }
        one.replica.freeze(atLeast: 1)
      }
      if at == 0 { sender = one } else { receiver = one }
    }
    var later = Writer(9)
    later.meet(sender)
    try later.write([.create([row("later")], parent: .root, at: .bottom)])
    try later.write([.create([row("latest")], parent: .root, at: .bottom)])
    for (change, hash) in later.held.suffix(2) {
      var (change, events) = (change, [] as [ReplicaEvent])
      change.ops.append(.unknown(kind: 60, payload: []))
      _ = sender.replica.fold(change, hash: hash, bytes: [UInt8(change.seq)], events: &events)
    }
    return (sender, receiver)
  }

  // MARK: Lies

  mutating func lie(_ header: inout ReplicaHeader, _ chunks: inout [ItemChunk]) {
    switch random.below(14) {
    case 0...4: lie(aboutSessions: &header)
    case 5: lie(aboutTrails: &header)
    case 6...7: lie(aboutTables: &header)
    case 8: header.chunkCount = number(header.chunkCount)
    case 9: header.coldCount = number(header.coldCount)
    default:
      guard !chunks.isEmpty else { return }
      let at = random.below(chunks.count)
      lie(about: &chunks[at])
    }
  }

  private mutating func number(_ old: UInt64) -> UInt64 {
    random.pick([
      0, 1, 2, old &+ 1, old &- 1, old / 2, old, UInt64(UInt32.max) - 1, UInt64(UInt32.max),
      1 << 33,
      .max,
    ])
  }

  private mutating func number(_ old: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: number(UInt64(old)))
  }

  private mutating func change<T>(_ list: inout [T], _ body: (inout Liar, inout T) -> Void) {
    guard !list.isEmpty else { return }
    let at = random.below(list.count)
    switch random.below(8) {
    case 0: list.remove(at: at)
    case 1: list.append(list[at])
    case 2: list.swapAt(at, random.below(list.count))
    default:
      var one = list[at]
      body(&self, &one)
      list[at] = one
    }
  }

  private mutating func lie(aboutSessions header: inout ReplicaHeader) {
    let others = header.sessions
    change(&header.sessions) { liar, session in
      let other = liar.random.pick(others)
      var made = SessionParts(session)
      switch liar.random.below(12) {
      case 0: made.id = other.id
      case 1: made.head = other.head
      case 2:
        made.head = session.head.map { head in
          let tip = Tip(
            session: liar.random.pick([session.id, other.id]),
            seq: liar.number(head.predecessor?.seq ?? other.tipSeq),
            hash: liar.random.pick([session.tipHash, other.tipHash]))
          return SessionHead(device: head.device, salt: head.salt, predecessor: tip)
        }
      case 3: made.tipSeq = liar.number(session.tipSeq)
      case 4: made.tipHash = other.tipHash
      case 5: made.tipH = liar.number(session.tipH)
      case 6: made.floor = liar.number(session.floor)
      case 7: made.context = liar.number(session.context)
      case 8: made.branch = other.branch
      default:
        let hashes = session.branch?.hashes ?? session.trail.hashes
        made.branch = ReplicaHeader.Branch(
          origin: liar.random.chance(50)
            ? UInt32(liar.random.below(others.count)) : liar.number(session.branch?.origin ?? 0),
          base: liar.number(session.branch?.base ?? 0),
          hashes: liar.random.pick([hashes, hashes.dropLast(), [7] + hashes]))
      }
      session = made.session
    }
  }

  private mutating func lie(aboutTrails header: inout ReplicaHeader) {
    change(&header.sessions) { liar, session in
      var made = SessionParts(session)
      var (hashes, adds, seen) = (session.trail.hashes, session.trail.adds, session.trail.seen)
      var base = session.trail.base
      switch liar.random.below(4) {
      case 0: base = liar.number(base)
      case 1: liar.change(&hashes) { $1 = $0.number($1) }
      case 2:
        liar.change(&adds) {
          $1 = .init(seq: $0.number($1.seq), item: $1.item, field: $1.field, delta: .max)
        }
      default:
        liar.change(&seen) {
          $1 = .init(
            seq: $0.number($1.seq), session: $0.number($1.session), last: $0.number($1.last),
            mark: $1.mark)
        }
      }
      made.trail = ReplicaHeader.Trail(base: base, hashes: hashes, adds: adds, seen: seen)
      session = made.session
    }
  }

  private mutating func lie(aboutTables header: inout ReplicaHeader) {
    func otherwise(_ liar: inout Liar, _ seen: inout ReplicaHeader.SeenBy) {
      seen = .init(
        session: liar.number(seen.session), seq: liar.number(seen.seq),
        context: liar.number(seen.context))
    }
    switch random.below(6) {
    case 0: change(&header.arrival) { $1 = $0.number($1) }
    case 1:
      change(&header.contexts) { liar, context in
        var entries = context.entries
        liar.change(&entries) {
          $1 = .init(session: $0.number($1.session), seen: $0.number($1.seen >> 32) << 32)
        }
        context = .init(base: liar.number(context.base), entries: entries)
      }
    case 2: change(&header.deleteContexts, otherwise)
    case 3: change(&header.early, otherwise)
    default:
      change(&header.waiting) { liar, waiting in
        waiting = .init(
          session: liar.random.chance(50) ? waiting.session : liar.number(waiting.session),
          seq: liar.number(waiting.seq), ops: [0, liar.number(waiting.ops.first ?? 0)],
          context: waiting.context, bytes: liar.random.pick([waiting.bytes, [], [3]]))
      }
    }
  }

  private mutating func lie(about chunk: inout ItemChunk) {
    let items = chunk.ids + [.root, .recovered, ItemID(nonce: 4, index: 4)]
    switch random.below(13) {
    case 0: change(&chunk.sessions) { $1 = SessionID(high: $1.high, low: $0.number($1.low)) }
    case 1...2:
      change(&chunk.stamps) { liar, row in
        row = .init(
          session: liar.number(row.session), seq: liar.number(row.seq), h: liar.number(row.h),
          op: liar.number(row.op))
      }
    case 3: change(&chunk.ids) { $1 = $0.random.pick(items) }
    case 4: change(&chunk.create) { $1 = $0.number($1) }
    case 5: change(&chunk.place) { $1 = $0.number($1) }
    case 6:
      change(&chunk.life) { $1 = $0.number($1) }
      if random.chance(50) { change(&chunk.dead) { $1.toggle() } }
    case 7: change(&chunk.parents) { $1 = $0.random.pick(items) }
    case 8: change(&chunk.keys) { $1 = PositionKey(bytes: $1.bytes.dropLast($0.random.below(3))) }
    case 9:
      change(&chunk.fields) { liar, cells in
        switch liar.random.below(3) {
        case 0: liar.change(&cells.rows) { $1 = $0.number($1) }
        case 1: liar.change(&cells.stamps) { $1 = $0.number($1) }
        default: liar.change(&cells.values) { $1 = .null }
        }
      }
    case 10:
      let isFloor = random.chance(50)
      var cells = isFloor ? chunk.floorCounters : chunk.counters
      change(&cells) { liar, cell in
        cell = .init(
          row: liar.number(cell.row), field: cell.field, session: liar.number(cell.session),
          total: cell.total, seq: liar.number(cell.seq))
      }
      if isFloor { chunk.floorCounters = cells } else { chunk.counters = cells }
    case 11:
      chunk.floorCells.append(
        .init(
          row: number(0), name: random.pick([.create, .place, .life, .field(.text)]),
          stamp: number(UInt32(chunk.stamps.count)),
          value: random.pick([
            .life(alive: false), .value(.null),
            .place(parent: random.pick(items), key: chunk.keys.first ?? PositionKey(bytes: [])),
          ])))
    default:
      change(&chunk.deleteContexts) { liar, delete in
        delete = .init(
          session: liar.number(delete.session), seq: liar.number(delete.seq),
          seen: delete.seen + [liar.number(1) << 32])
      }
      if random.chance(30) { chunk.isContinued.toggle() }
    }
  }
}

/// A session of a header, part by part.
struct SessionParts {
  var id: SessionID
  var head: SessionHead?
  var tipSeq: UInt64
  var tipHash: ChangeHash
  var tipH: UInt64
  var floor: UInt64
  var floorHash: ChangeHash
  var floorH: UInt64
  var context: UInt32
  var branch: ReplicaHeader.Branch?
  var trail: ReplicaHeader.Trail

  init(_ session: ReplicaHeader.Session) {
    (id, head, tipSeq) = (session.id, session.head, session.tipSeq)
    (tipHash, tipH, floor) = (session.tipHash, session.tipH, session.floor)
    (floorHash, floorH, context) = (session.floorHash, session.floorH, session.context)
    (branch, trail) = (session.branch, session.trail)
  }

  var session: ReplicaHeader.Session {
    ReplicaHeader.Session(
      id: id, head: head, tipSeq: tipSeq, tipHash: tipHash, tipH: tipH, floor: floor,
      floorHash: floorHash, floorH: floorH, context: context, branch: branch, trail: trail)
  }
}
