// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
package import Roster
import WireCodec

/// Removing members (core 7.5, reliability T1 to T6): the record with what stays, the news to the
/// device itself, and what people are told of both.
extension Engine {
  // MARK: Removing

  /// Removes a member: what is held of its changes stays, nothing beyond it is taken by anybody who
  /// knows. Works without any link; the others learn of it when they are met.
  ///
  /// The record follows when all that is held now is on disk: what it accepts must not be lost, since
  /// nobody can ask the device for it again.
  mutating func remove(_ token: UInt64, _ target: DeviceID, _ turn: inout Turn) {
    guard mayRemove(target) else {
      return turn.effects.append(.amended(token: token, isDone: false))
    }
    commit.then(.removal(token: token, target))
  }

  private func mayRemove(_ target: DeviceID) -> Bool {
    guard let roster, removedBy == nil, !commit.hasFailed else { return false }
    return roster.view.member(device)?.role == .admin && roster.view.isMember(target)
      && target != device
  }

  mutating func signRemoval(_ token: UInt64, _ target: DeviceID, _ turn: inout Turn) {
    guard let roster, mayRemove(target) else {
      return turn.effects.append(.amended(token: token, isDone: false))
    }
    let notice = RemovalNotice.sign(target, space: roster.space, crypto: crypto)
    let held = replica.cutoff(for: target, heldBy: durable).tips
    let last = held.suffix(MembershipRecord.cutoffsMax)
    // What one record cannot hold goes before it, so that nobody cuts back too far in between.
    var bodies = raises(target, Array(held.dropLast(last.count)))
    bodies.append(
      .remove(
        target, cutoffs: Array(last), discoveryKey: entropy.bytes(MembershipRecord.keyBytes),
        notice: notice))
    let records = sign(bodies)
    guard records.count == bodies.count else {  // a full roster
      return turn.effects.append(.amended(token: token, isDone: false))
    }
    took(records, except: nil, &turn)
    commit.then(.amended(token: token))
  }

  /// Signs records behind all that is known, and takes them into the roster.
  /// - Returns: Those that were taken: fewer where the roster is full.
  mutating func sign(_ bodies: [MembershipRecord.Body]) -> [MembershipRecord] {
    var out: [MembershipRecord] = []
    for body in bodies {
      let record = roster.map {
        MembershipRecord(
          signing: body, parents: Array($0.heads.suffix(MembershipRecord.parentsMax)),
          crypto: crypto)
      }
      guard let record, (try? roster?.take(record, crypto: crypto)) == true else { break }
      out.append(record)
    }
    return out
  }

  // MARK: The removed device

  /// Tells a device that was removed so, on a link that ends with it.
  func sendFarewell(_ target: DeviceID, _ link: LinkID, _ turn: inout Turn) {
    guard let notice = roster?.view.removal(of: target)?.notice else { return }
    turn.send(.farewell(signer: notice.signer, signature: notice.signature), link)
  }

  /// A member says that this device was removed. What is signed by an admin that is known here is
  /// believed, nothing else: or any member could silence any other.
  mutating func received(farewell notice: RemovalNotice, _ at: Int, _ turn: inout Turn) {
    guard let roster, ownNotice == nil, notice.isGood(for: device, in: roster, crypto: crypto)
    else { return close(links[at].id, .notMember, &turn) }
    ownNotice = notice
    commit.add {
      $0.kept.append(
        KeptRow(kind: Self.noticeKind, key: [], value: notice.signer + notice.signature))
    }
    leave(&turn)
  }

  /// The kind of the row that keeps the notice of the own removal.
  package static var noticeKind: String { "space.removed" }

  /// Reads a row of `noticeKind`; `nil` if it is none.
  package static func notice(from bytes: [UInt8]) -> RemovalNotice? {
    let keyBytes = MembershipRecord.keyBytes
    guard bytes.count == keyBytes + MembershipRecord.signatureBytes else { return nil }
    return RemovalNotice(
      signer: Array(bytes.prefix(keyBytes)), signature: Array(bytes.dropFirst(keyBytes)))
  }

  /// This device is no member any more: it calls nobody and answers nobody.
  mutating func leave(_ turn: inout Turn) {
    dialling.members([])
    for link in dialling.paused() { turn.effects.append(.close(link, .notMember)) }
    for link in links { close(link.id, .notMember, &turn) }
    closeInvites(.withdrawn, &turn)
    advertise(&turn)
    turn.effects.append(.rosterChanged)
    turn.effects.append(.peersChanged)
  }

  /// Who removed this device; `nil` while it is a member, or in no space.
  package var removedBy: DeviceID? {
    if let ownNotice { return crypto.hash32(ownNotice.signer) }
    return roster?.view.removal(of: device)?.by.first
  }

  // MARK: Queries

  /// Members of whom it is not known that they have heard of the removal of `target`, ascending by
  /// device: until they have, they take its changes and give it theirs.
  /// - Complexity: O(members · records).
  package func unconfirmed(_ target: DeviceID) -> [Member] {
    guard let roster, let removal = roster.view.removal(of: target) else { return [] }
    return otherMembers.filter { member in
      let heads = row(of: member.device).rosterHeads.map { RecordHash($0.a, $0.b, $0.c, $0.d) }
      return !removal.records.contains { roster.isKnown($0, to: heads) }
    }
  }
}
