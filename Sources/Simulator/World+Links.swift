// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine
import Roster
import WireCodec

/// Connections between the nodes of a world.
extension World {
  mutating func dial(
    _ link: LinkID, _ endpoint: Endpoint, _ purpose: LinkPurpose, from node: Int
  ) {
    let life = nodes[node].life
    let end = ConnectionEnd(node: node, life: life, link: link)
    guard let target = nodes.firstIndex(where: { $0.endpoint == endpoint }) else {
      schedule.add(
        .dialFailed(node: node, life: life, link, .unreachable), at: now + network.latency())
      return
    }
    connections.append(Connection(purpose: purpose, dialer: end, target: target))
    let roundTrip = network.latency() + network.latency()
    schedule.add(.established(connection: connections.count - 1), at: now + roundTrip)
  }

  mutating func establish(_ number: Int) {
    let dialer = connections[number].dialer
    let target = connections[number].target
    guard dialer.isOpen, isCurrent(dialer.node, dialer.life) else { return }
    // Nothing comes back from the other side of a partition: the dialer gives up by itself.
    guard network.carries(from: dialer.node, to: target),
      network.carries(from: target, to: dialer.node)
    else { return }
    guard let engine = nodes[target].engine, let dialling = nodes[dialer.node].engine else {
      return refuse(number, .unreachable)
    }
    let purpose = connections[number].purpose
    let (here, there) = (nodes[target].crypto, nodes[dialer.node].crypto)
    // What TLS does: both keys must be pinned, unless this is a pairing.
    guard
      purpose == .pairing
        || (engine.accepts(publicKey: there.publicKey)
          && dialling.accepts(publicKey: here.publicKey))
    else { return refuse(number, .refused) }
    acceptedLinks += 1
    let link = LinkID(.accepted, acceptedLinks)
    connections[number].acceptor = ConnectionEnd(
      node: target, life: nodes[target].life, link: link)
    let from = nodes[dialer.node].endpoint.with(port: 40_000)
    let to = nodes[target].endpoint
    switch purpose {
    case .member:
      feed(.linkUp(link, peerKey: there.publicKey, from: from), to: target)
      feed(.linkUp(dialer.link, peerKey: here.publicKey, from: to), to: dialer.node)
    case .pairing:
      let exporter = here.sha256([UInt8(truncatingIfNeeded: number), UInt8(number >> 8 & 0xFF)])
      feed(
        .pairingLinkUp(link, peerKey: there.publicKey, exporter: exporter, from: from), to: target)
      feed(
        .pairingLinkUp(dialer.link, peerKey: here.publicKey, exporter: exporter, from: to),
        to: dialer.node)
    }
  }

  private mutating func refuse(_ number: Int, _ why: DialFailure) {
    let dialer = connections[number].dialer
    connections[number].dialer.isOpen = false
    feed(.dialFailed(dialer.link, why), to: dialer.node)
  }

  /// The connection that `node` calls `link`, and the direction in which that node sends.
  private func find(_ link: LinkID, at node: Int) -> (connection: Int, sending: Direction)? {
    for number in connections.indices.reversed() {
      let connection = connections[number]
      if connection.dialer.node == node, connection.dialer.link == link {
        return (number, .toAcceptor)
      }
      if let acceptor = connection.acceptor, acceptor.node == node, acceptor.link == link {
        return (number, .toDialer)
      }
    }
    return nil
  }

  mutating func send(_ frame: [UInt8], from node: Int, on link: LinkID) {
    guard let (number, direction) = find(link, at: node),
      connections[number].receiver(direction.opposite)?.isOpen == true
    else { return }
    if network.breaksNow() {
      breakConnection(number)
      return
    }
    post(.frame(frame), on: number, direction)
  }

  mutating func close(_ link: LinkID, at node: Int) {
    guard let (number, direction) = find(link, at: node) else { return }
    connections[number].close(direction.opposite)
    if connections[number].acceptor != nil { post(.end, on: number, direction) }
  }

  /// Both ends learn of it, each in its time; what is under way is lost.
  mutating func breakConnection(_ number: Int) {
    faults += 1
    for direction in Direction.allCases {
      guard let end = connections[number].receiver(direction), end.isOpen else { continue }
      connections[number].close(direction)
      if isCurrent(end.node, end.life) {
        schedule.add(
          .linkDown(node: end.node, life: end.life, end.link), at: now + network.latency())
      }
    }
  }

  private mutating func post(_ parcel: Parcel, on number: Int, _ direction: Direction) {
    var arrival = max(now + network.latency(), connections[number].lastArrival[direction.rawValue])
    if case .frame(let bytes) = parcel, let kind = bytes.first, kind == 3 || kind == 4 {
      // As if it had come as a datagram as well.
      if let later = network.echo() {
        faults += 1
        schedule.add(.arrived(connection: number, direction, parcel), at: arrival + later)
      }
      if kind == 3, let late = network.lateness() {
        faults += 1
        arrival = arrival + late
        schedule.add(.arrived(connection: number, direction, parcel), at: arrival)
        return
      }
    }
    connections[number].lastArrival[direction.rawValue] = arrival
    schedule.add(.arrived(connection: number, direction, parcel), at: arrival)
  }

  mutating func arrived(_ number: Int, _ direction: Direction, _ parcel: Parcel) {
    guard let end = connections[number].receiver(direction), end.isOpen else { return }
    let (dialer, target) = (connections[number].dialer.node, connections[number].target)
    let isStalled = !connections[number].stalled[direction.rawValue].isEmpty
    let isCarried =
      direction == .toDialer
      ? network.carries(from: target, to: dialer) : network.carries(from: dialer, to: target)
    guard isCarried, !isStalled else {
      connections[number].stalled[direction.rawValue].append(parcel)
      return
    }
    guard isCurrent(end.node, end.life) else {
      // The machine was started anew and knows nothing of the connection: it answers with a reset.
      connections[number].close(direction)
      if nodes[end.node].engine != nil { post(.end, on: number, direction.opposite) }
      return
    }
    switch parcel {
    case .frame(let bytes): feed(.frame(bytes, end.link), to: end.node)
    case .end:
      connections[number].close(direction)
      feed(.linkDown(end.link), to: end.node)
    }
  }

  /// `nodes` reach each other again; what waited for that goes on.
  mutating func healNetwork(among nodes: [Int]) {
    network.heal(among: nodes)
    for number in connections.indices {
      let ends = [connections[number].dialer.node, connections[number].target]
      guard ends.allSatisfy({ nodes.contains($0) }) else { continue }
      for direction in Direction.allCases {
        let waiting = connections[number].stalled[direction.rawValue]
        connections[number].stalled[direction.rawValue] = []
        // At once: what was sent since is on its way already and must not overtake it.
        for parcel in waiting { arrived(number, direction, parcel) }
      }
    }
    for node in nodes where options.has(.discovery) { announce(node) }
  }
}
