// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// Local edits: plan, sign, fold, push, and answer when they are on disk.
extension Engine {
  mutating func edit(_ request: EditRequest, _ turn: inout Turn) {
    guard let roster else { return refuse(request, .noSpace, &turn) }
    let space = roster.space
    guard removedBy == nil, let own = roster.view.member(device) else {
      return refuse(request, .notMember, &turn)
    }
    guard own.role != .reader else { return refuse(request, .reader, &turn) }
    guard !commit.hasFailed else { return refuse(request, .storage, &turn) }
    if let nonce = request.nonce, nonce == 0 || nonce == .max {
      return refuse(request, .plan(.limit), &turn)
    }
    authoring.check(replica)
    replica.thaw(request.edits.flatMap(\.named))
    let session = authoring.session(replica, entropy: &entropy, crypto: crypto)
    let parts: [PlannedPart]
    do throws(EditError) {
      parts = try plan(request, in: session)
    } catch {
      return refuse(request, .plan(error), &turn)
    }
    var receipt = EditReceipt(dots: [], created: parts.flatMap(\.created))
    guard !parts.isEmpty else {
      turn.effects.append(.edited(token: request.token, .done(receipt)))
      return
    }
    let group = parts.count > 1 ? entropy.nonce() : nil
    var events: [ReplicaEvent] = []
    var running = session
    let seen = replica.vector
    var cells: [UndoCell] = []
    for (number, part) in parts.enumerated() {
      let change = authoring.change(
        in: running, part,
        group: group.map {
          ChangeGroup(id: $0, part: UInt32(number), parts: UInt32(parts.count))
        },
        seen: replica.seenEntries(since: running.seen))
      guard ChangeCodec.encode(change).count <= Limits.changeBytesMax else {
        precondition(number == 0, "part \(number) of a rehearsed transaction is too large")
        return refuse(request, .tooLarge, &turn)
      }
      let signed = SignedChange(signing: change, space: space, crypto: crypto)
      if !part.makesRoom { cells += replica.undoCells(of: part.ops, nonce: part.nonce) }
      let outcome = replica.fold(change, hash: signed.hash, bytes: signed.bytes, events: &events)
      precondition(outcome == .folded, "an own change came to \(outcome)")
      let tip = Tip(session: change.session, seq: change.seq, hash: signed.hash)
      running = authoring.wrote(tip, in: running, seen: replica.vector)
      book(signed, isVerified: true)
      receipt.dots.append(change.dot)
    }
    let step = UndoStep(dots: receipt.dots, seen: seen, cells: cells)
    receipt.undo = step
    commit.add {
      $0.kept += request.kept
      if let slot = request.undo, !step.cells.isEmpty {
        $0.kept.append(
          KeptRow(
            kind: slot.kind, key: slot.key, value: slot.head + UndoStepCodec.encode(step)))
      }
    }
    tell(events, .local(token: request.token, client: request.client), &turn)
    commit.then(.edited(token: request.token, receipt))
    for at in links.indices where links[at].phase == .streaming {
      links[at].outbound.pumpAt = turn.now
    }
  }

  private func refuse(_ request: EditRequest, _ why: EditRefusal, _ turn: inout Turn) {
    turn.effects.append(.edited(token: request.token, .refused(why)))
  }

  /// Cuts a transaction into changes; the clock moves on only if all of it can be done.
  ///
  /// A transaction that needs several changes is tried out on a copy, so that an edit that cannot
  /// be done leaves nothing behind.
  private mutating func plan(
    _ request: EditRequest, in session: Authoring.Session
  ) throws(EditError) -> [PlannedPart] {
    var clock = clock
    var parts: [PlannedPart] = []
    var scratch: (replica: Replica, session: Authoring.Session, authoring: Authoring)?
    var remaining = request.edits
    var isHeldUp = false
    while !remaining.isEmpty {
      let h = clock.tick(wall)
      // Ids made by the client belong to the first change that does what was asked for.
      let isFirst = !isHeldUp && parts.allSatisfy(\.makesRoom)
      let fresh = isFirst ? request.nonce ?? entropy.nonce() : entropy.nonce()
      let nonce = remaining.first?.ownNonce ?? fresh
      let planned = try (scratch?.replica ?? replica).plan(
        remaining, writer: session.writer, h: h, nonce: nonce)
      remaining = planned.remaining
      // Items that are there already and have the nonce of a change wait for the next one.
      isHeldUp = planned.ops.isEmpty
      if isHeldUp { continue }
      let part = PlannedPart(
        h: h, nonce: planned.makesRoom ? entropy.nonce() : nonce, ops: planned.ops,
        created: planned.created, makesRoom: planned.makesRoom)
      parts.append(part)
      if remaining.isEmpty && scratch == nil { break }
      if scratch == nil { scratch = (replica, session, authoring) }
      try rehearse(part, &scratch!)  // made on the line above
    }
    self.clock = clock
    return parts
  }

  /// Folds a part into a copy, under a made-up hash.
  private func rehearse(
    _ part: PlannedPart,
    _ scratch: inout (replica: Replica, session: Authoring.Session, authoring: Authoring)
  ) throws(EditError) {
    let seen = scratch.replica.seenEntries(since: scratch.session.seen)
    let change = scratch.authoring.change(in: scratch.session, part, group: nil, seen: seen)
    let hash = ChangeHash(change.nonce, change.seq, 0, 0)
    var events: [ReplicaEvent] = []
    let groupBytesMax = 32
    guard ChangeCodec.encode(change).count + groupBytesMax <= Limits.changeBytesMax else {
      throw .limit
    }
    guard scratch.replica.fold(change, hash: hash, events: &events) == .folded else {
      throw .limit
    }
    let tip = Tip(session: change.session, seq: change.seq, hash: hash)
    scratch.session.seq = tip.seq
    scratch.session.hash = tip.hash
    scratch.session.seen = scratch.replica.vector
  }

  /// What a fold changed goes to the viewers, and what lost in it into the journal on disk.
  mutating func tell(_ events: [ReplicaEvent], _ origin: Origin, _ turn: inout Turn) {
    let lost = events.compactMap { event -> JournalEntry? in
      if case .overridden(let entry) = event.kind { entry } else { nil }
    }
    if !lost.isEmpty { commit.add { $0.journal += lost } }
    turn.effects.append(.changed(events, origin))
  }

  /// A folded change goes to the disk and to whoever lacks it.
  mutating func book(_ signed: SignedChange, isVerified: Bool) {
    let line = replica.line(of: signed.tip) ?? signed.change.session
    let logged = LoggedChange(
      dot: Dot(session: line, seq: signed.change.seq), hash: signed.hash, bytes: signed.bytes,
      isVerified: isVerified)
    commit.add(logged)
    recent.append(logged)
  }
}
