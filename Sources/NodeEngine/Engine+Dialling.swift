// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec

/// Agents that mDNS showed, ours or not.
struct Sighting: Hashable, Sendable {
  let endpoint: Endpoint
  let tag: DiscoveryTag
}

/// Finding members: addresses from everywhere, dials by the policy, pause and resume.
extension Engine {
  static var sightingsMax: Int { 64 }
  /// So many former discovery keys still count.
  static var formerKeysMax: Int { 16 }

  mutating func advanceDials(_ turn: inout Turn) {
    if removedBy != nil { return }
    let started = dialling.advance(to: turn.now, numbers: &lastDial, using: &entropy)
    for link in started.givenUp { turn.effects.append(.close(link, .tooSlow)) }
    for dial in started.dials { turn.effects.append(.dial(dial.link, dial.endpoint, .member)) }
  }

  mutating func dialFailed(_ id: LinkID, _ failure: DialFailure, _ turn: inout Turn) {
    if joinDialFailed(id, failure, &turn) { return }
    dialling.failed(id, at: turn.now, using: &entropy)
  }

  mutating func nudge(_ device: DeviceID?, _ turn: inout Turn) {
    dialling.nudged(device, at: turn.now)
    for at in links.indices where links[at].phase == .streaming {
      guard device == nil || links[at].device == device else { continue }
      links[at].liveness.nextPing = turn.now
    }
  }

  // MARK: Pause

  mutating func pause(_ turn: inout Turn) {
    isPaused = true
    for link in dialling.paused() { turn.effects.append(.close(link, .goingAway)) }
    for link in links { close(link.id, .goingAway, &turn) }
    failJoin(.cancelled, &turn)
    closeInvites(.withdrawn, &turn)
    advertise(&turn)
    turn.effects.append(.peersChanged)
  }

  mutating func resume(_ turn: inout Turn) {
    guard isPaused else { return }
    isPaused = false
    dialling.resumed(at: turn.now)
    if roster != nil { noteFloor(turn.now) }
    advertise(&turn)
    turn.effects.append(.peersChanged)
  }

  // MARK: mDNS

  /// Says on the network that this agent is here, in words that only members understand.
  mutating func advertise(_ turn: inout Turn) {
    guard !isPaused, removedBy == nil, let roster else {
      if ownTag != nil { turn.effects.append(.advertise(nil)) }
      ownTag = nil
      return
    }
    let tag = DiscoveryTag(
      nonce: entropy.bytes(DiscoveryTag.nonceBytes), key: roster.view.discoveryKey,
      isInviting: isInviting, crypto: crypto)
    ownTag = tag
    turn.effects.append(.advertise(tag))
  }

  mutating func discovered(_ endpoint: Endpoint, _ tag: DiscoveryTag, _ turn: inout Turn) {
    guard tag.nonce != ownTag?.nonce else { return }
    sightings.removeAll { $0.endpoint == endpoint }
    if sightings.count == Self.sightingsMax { sightings.removeFirst() }
    let sighting = Sighting(endpoint: endpoint, tag: tag)
    sightings.append(sighting)
    offer(sighting)
    joinSighted(sighting)
  }

  /// A sighting becomes a candidate if a member could have made its tag.
  mutating func offer(_ sighting: Sighting) {
    guard let view = roster?.view else { return }
    // A member that was away during a removal knows the key of then; whoever made the tag must still
    // show a member's key when it is called.
    let keys = [view.discoveryKey] + view.formerDiscoveryKeys.suffix(Self.formerKeysMax)
    guard keys.contains(where: { sighting.tag.isMade(with: $0, crypto: crypto) }) else { return }
    dialling.found(sighting.endpoint, .discovered)
  }

  mutating func discoveryLost(_ endpoint: Endpoint) {
    sightings.removeAll { $0.endpoint == endpoint }
    dialling.lost(endpoint, .discovered)
  }

  // MARK: Addresses told by members

  /// Tells the new peer where the others are, and the others where it is.
  func exchangeAddresses(_ at: Int, _ turn: inout Turn) {
    let new = links[at]
    var others: [(device: DeviceID, endpoint: Endpoint)] = []
    for other in links where other.id != new.id && other.phase == .streaming {
      if let where_ = shareable(other, with: new) { others.append((other.device, where_)) }
      if let where_ = shareable(new, with: other) {
        turn.send(.addresses([(new.device, where_)]), other.id)
      }
    }
    // In a large space most members have no link to this one, and still need to be found.
    if dialling.wanted != nil {
      for member in otherMembers where others.count < FrameLimits.addressesMax {
        let known = dialling.endpoints(of: member.device)
        guard member.device != new.device, !others.contains(where: { $0.device == member.device }),
          let endpoint = known.first(where: { isShareable($0, with: new) })
        else { continue }
        others.append((member.device, endpoint))
      }
    }
    if !others.isEmpty { turn.send(.addresses(others), new.id) }
  }

  /// Where `link`'s peer listens, if that address can mean the same to the peer of `other`.
  private func shareable(_ link: Link, with other: Link) -> Endpoint? {
    guard let endpoint = link.listening, isShareable(endpoint, with: other) else { return nil }
    return endpoint
  }

  private func isShareable(_ endpoint: Endpoint, with other: Link) -> Bool {
    !endpoint.isLinkLocal && (!endpoint.isLoopback || other.endpoint.isLoopback)
  }

  /// What is news here is news for others too; each address goes over each link once.
  mutating func received(
    _ addresses: [(device: DeviceID, endpoint: Endpoint)], from id: LinkID, _ turn: inout Turn
  ) {
    var news: [(device: DeviceID, endpoint: Endpoint)] = []
    for (device, endpoint) in addresses
    where device != self.device && roster?.view.isMember(device) ?? false {
      let isNew = dialling.found(endpoint, .toldByPeer, owner: device)
      if isNew { news.append((device, endpoint)) }
    }
    guard dialling.wanted != nil else { return }
    for other in links where other.id != id && other.phase == .streaming {
      let shared = news.filter {
        isShareable($0.endpoint, with: other) && $0.device != other.device
      }
      if !shared.isEmpty { turn.send(.addresses(shared), other.id) }
    }
  }
}
