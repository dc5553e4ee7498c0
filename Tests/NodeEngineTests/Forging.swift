// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import Simulator
import WireCodec

/// What a member can sign and send whose engine does not keep to the rules.
extension Neighbourhood {
  /// The oldest link of `node` to `other`.
  func link(_ node: Int, to other: Int) -> LinkID? {
    pipes.filter { $0.key.node == node && $0.value.node == other }.map(\.key.link).min()
  }

  /// Sends a frame on the link of `node` to `other`, as if the engine of `node` had.
  mutating func inject(_ frame: Frame, from node: Int, to other: Int) {
    guard let link = link(other, to: node) else { return }
    give(other, .frame(frame.bytes, link))
    settle()
  }

  /// Changes that make a row each, signed by `node`: behind `tip`, or in a session of their own that
  /// continues `predecessor`.
  func forged(
    by node: Int, behind tip: Tip? = nil, continuing predecessor: Tip? = nil, _ texts: [String],
    in parent: ItemID, change: (inout Change) -> Void = { _ in }
  ) -> [SignedChange] {
    let crypto = nodes[node].crypto
    let head = SessionHead(
      device: crypto.deviceID, salt: UInt64(texts.count), predecessor: predecessor)
    let session = tip?.session ?? crypto.sessionID(head)
    let replica = nodes[node].engine.replica
    var (seq, prev) = (tip?.seq ?? 0, tip?.hash ?? predecessor?.hash ?? .zero)
    var out: [SignedChange] = []
    for text in texts {
      seq += 1
      let h = UInt64(wall.milliseconds) << 16 + seq
      let nonce = prev.a ^ UInt64(text.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
      let plan = try? replica.plan(
        [.create([NewRow([(.text, .text(text))])], parent: parent, at: .bottom)],
        writer: crypto.writerTag(session), h: h, nonce: nonce)
      var body = Change(
        session: session, seq: seq, head: seq == 1 ? head : nil, prev: prev, h: h, seen: [],
        nonce: nonce, group: nil, ops: plan?.ops ?? [])
      change(&body)
      let signed = SignedChange(
        signing: body, space: nodes[node].engine.roster?.space ?? .zero, crypto: crypto)
      prev = signed.hash
      out.append(signed)
    }
    return out
  }

  static func run(_ changes: [SignedChange]) -> Frame {
    .run(RunCodec.encode(changes.map(\.bytes)))
  }

  static func branch(_ changes: [SignedChange]) -> Frame {
    .branch(RunCodec.encode(changes.map(\.bytes)))
  }

  /// The change at `seq` of the session that `node` wrote last, as the disk of `at` has it.
  func tip(_ node: Int, _ seq: UInt64, at other: Int) -> Tip? {
    guard let session = nodes[node].disk.own?.session,
      let row = nodes[other].disk.written.first(where: {
        $0.dot == Dot(session: session, seq: seq)
      })
    else { return nil }
    return Tip(session: session, seq: seq, hash: row.hash)
  }

  /// Starts `node` anew from a checkpoint that tells of no single change, as after very many of them:
  /// what a change was is known from the log alone.
  mutating func forgetTrails(_ node: Int) throws {
    give(node, .checkpoint)
    settle()
    let crypto = nodes[node].crypto
    if let bytes = nodes[node].disk.header {
      var header = try ImageCodec.decodeHeader(bytes, crypto: crypto, packer: NoPacking())
      header.sessions = header.sessions.map { session in
        session.changed(trail: .init(base: session.branch == nil ? session.tipSeq : 0))
      }
      nodes[node].disk.header = ImageCodec.encode(header, crypto: crypto, packer: NoPacking())
    }
    try restart(node)
  }

  func isWarnedOfFork(_ node: Int) -> Bool {
    alarms(node).contains { if case .fork = $0 { true } else { false } }
  }

  func isWarnedOfInvalid(_ node: Int) -> Bool {
    alarms(node).contains { if case .invalidChange = $0 { true } else { false } }
  }
}

extension ReplicaHeader.Session {
  func changed(
    tipSeq: UInt64? = nil, tipHash: ChangeHash? = nil, trail: ReplicaHeader.Trail? = nil
  ) -> Self {
    let floor = min(self.floor, tipSeq ?? self.floor)
    return Self(
      id: id, head: head, tipSeq: tipSeq ?? self.tipSeq, tipHash: tipHash ?? self.tipHash,
      tipH: tipH, floor: floor,
      floorHash: floor < self.floor ? tipHash ?? self.tipHash : floorHash, floorH: floorH,
      context: context, branch: branch, trail: trail ?? self.trail)
  }
}
