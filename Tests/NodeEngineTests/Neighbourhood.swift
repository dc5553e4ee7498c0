// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Roster
import Simulator
import WireCodec

/// A few engines in one process: frames arrive in order, disks never fail unless told, time passes
/// only when the test says so.
struct Neighbourhood {
  struct Node {
    var engine: Engine
    var disk = Disk()
    let crypto: ToyCrypto
    let endpoint: Endpoint
    var settings: EngineSettings
    /// Effects that are no traffic, in order.
    var seen: [Effect] = []
    var holdsDisk = false
    var heldBatches: [(Batch, BatchToken)] = []
    /// Whether reads of the log wait, and the answers to those that do.
    var holdsReads = false
    var heldReads: [(ReadToken, [LoggedChange])] = []
    var isUp = true
  }

  struct End: Hashable {
    let node: Int
    let link: LinkID
  }

  var nodes: [Node] = []
  var now = Moment(nanoseconds: 1_000_000_000)
  var wall = WallTime(milliseconds: 1_800_000_000_000)
  var queue: [(node: Int, input: Input)] = []
  var pipes: [End: End] = [:]
  var accepted: UInt64 = 0
  /// How often a node was started again; no start draws the numbers of another.
  var restarts: UInt64 = 0
  /// Frames that crossed, for assertions about traffic.
  var framesSent = 0
  /// What nodes sent while it is not `nil`.
  var sent: [(from: Int, frame: Frame)]?
  var snapshotsSent = 0
  /// Parts of snapshots that still cross before all of them are lost.
  var partsUntilCut = Int.max
  /// Who reaches whom; empty: everybody everybody.
  var parts: [[Int]] = []
  var bytesSent = 0
  /// Addresses that swallow every dial.
  var blackHoles: [Endpoint] = []
  /// May change what a node sends.
  var tamper: ((Neighbourhood, Int, inout [UInt8]) -> Void)?

  // MARK: Building

  static func endpoint(_ number: Int) -> Endpoint {
    Endpoint(address: [198, 18, 0, UInt8(number + 1)], port: 7644)!
  }

  /// Adds a node that has founded a space of its own.
  @discardableResult
  mutating func add(_ name: String, _ change: (inout EngineSettings) -> Void = { _ in }) -> Int {
    let number = nodes.count
    var settings = EngineSettings()
    settings.listenPort = 7644
    settings.deviceName = Text(name)
    settings.version = "1.0"
    change(&settings)
    let crypto = ToyCrypto(seed: UInt64(number + 1))
    let engine = Engine(
      settings: settings, crypto: crypto, packer: NoPacking(),
      entropy: Entropy(SeededEntropy(seed: UInt64(number * 1000 + 7))), restored: Restored(),
      wall: wall)
    nodes.append(
      Node(engine: engine, crypto: crypto, endpoint: Self.endpoint(number), settings: settings))
    give(number, .foundSpace(name: Text(name), recoveryKey: [UInt8](repeating: 9, count: 32)))
    give(number, .resume)
    settle()
    return number
  }

  /// Three members, the first of them linked to both others, and a list of the first one.
  static func household() -> (hood: Neighbourhood, list: ItemID) {
    var hood = Neighbourhood()
    for name in ["anna", "bert", "cleo"] { hood.add(name) }
    hood.pair(0, 1)
    hood.pair(0, 2)
    let list = hood.create(0, ["list"])[0]
    return (hood, list)
  }

  /// Joins `guest` to the space of `host` by a code.
  mutating func pair(_ host: Int, _ guest: Int, as role: Role = .admin) {
    let code = invite(host, role)!
    give(guest, .join(code, at: [nodes[host].endpoint]))
    settle()
    advance(milliseconds: 1000)
  }

  /// A fresh code of `host`; `nil` if it was refused.
  mutating func invite(_ host: Int, _ role: Role = .member) -> PairingCode? {
    let before = nodes[host].seen.count
    give(host, .openInvite(role))
    settle()
    for effect in nodes[host].seen[before...] {
      if case .pairing(.inviteOpened(let code, _)) = effect { return code }
    }
    return nil
  }

  // MARK: Running

  mutating func give(_ node: Int, _ input: Input) { queue.append((node, input)) }

  /// Works until nothing is left to do at this moment.
  mutating func settle() {
    var steps = 0
    while step() {
      steps += 1
      precondition(steps < 1_000_000, "the neighbourhood does not come to rest")
    }
  }

  /// Does the next thing that is to be done at this moment; `false` if there is none.
  mutating func step() -> Bool {
    guard !queue.isEmpty else { return false }
    let (node, input) = queue.removeFirst()
    guard nodes[node].isUp else { return true }
    var effects: [Effect] = []
    nodes[node].engine.handle(input, at: now, wall: wall, into: &effects)
    for effect in effects { perform(effect, node) }
    return true
  }

  /// Lets time pass, from deadline to deadline.
  mutating func advance(milliseconds: UInt64) {
    let end = now + .milliseconds(milliseconds)
    var steps = 0
    settle()
    while true {
      let next = nodes.filter(\.isUp).compactMap { $0.engine.nextDeadline }.min()
      guard let next, next <= end else { break }
      steps += 1
      precondition(steps < 100_000, "time stands still")
      pass(to: max(next, now))
      for node in nodes.indices where nodes[node].isUp { give(node, .deadline) }
      settle()
    }
    pass(to: end)
    for node in nodes.indices where nodes[node].isUp { give(node, .deadline) }
    settle()
  }

  private mutating func pass(to moment: Moment) {
    wall = WallTime(
      milliseconds: wall.milliseconds + Int64(moment.since(now).wholeMilliseconds))
    now = moment
  }

  private mutating func perform(_ effect: Effect, _ node: Int) {
    switch effect {
    case .send(let bytes, let link):
      framesSent += 1
      bytesSent += bytes.count
      if sent != nil, let frame = try? Frame(decoding: bytes) { sent?.append((node, frame)) }
      if bytes.first == 8 { snapshotsSent += 1 }
      if bytes.first == 9 || bytes.first == 10 {
        partsUntilCut -= 1
        if partsUntilCut < 0 { return }
      }
      if let other = pipes[End(node: node, link: link)] {
        var bytes = bytes
        tamper?(self, node, &bytes)
        give(other.node, .frame(bytes, other.link))
      }
    case .close(let link, _): cut(End(node: node, link: link))
    case .dial(let link, let endpoint, let purpose): dial(node, link, endpoint, purpose)
    case .persist(let batch, let token):
      if nodes[node].holdsDisk {
        nodes[node].heldBatches.append((batch, token))
      } else {
        nodes[node].disk.write(batch)
        give(node, .persisted(token))
      }
    case .readLog(let request, let token):
      let log = nodes[node].disk.log[request.session] ?? []
      var bytes = 0
      var out: [LoggedChange] = []
      for change in log.sorted(by: { $0.dot < $1.dot })
      where change.dot.seq >= request.first && change.dot.seq <= request.last {
        if bytes >= request.bytesMax { break }
        bytes += change.bytes.count
        out.append(change)
      }
      if nodes[node].holdsReads {
        nodes[node].heldReads.append((token, out))
      } else {
        give(node, .logRead(token, out))
      }
    default: nodes[node].seen.append(effect)
    }
  }

  mutating func cut(_ end: End) {
    guard let other = pipes.removeValue(forKey: end) else { return }
    pipes[other] = nil
    give(other.node, .linkDown(other.link))
  }

  /// Every connection of a node breaks without a word.
  mutating func cutAll(_ node: Int) {
    for end in pipes.keys.filter({ $0.node == node }) {
      cut(end)
      give(node, .linkDown(end.link))
    }
    settle()
  }

  private mutating func dial(
    _ node: Int, _ link: LinkID, _ endpoint: Endpoint, _ purpose: LinkPurpose
  ) {
    if blackHoles.contains(endpoint) { return }
    guard let target = nodes.firstIndex(where: { $0.endpoint == endpoint && $0.isUp }),
      parts.isEmpty || parts.contains(where: { $0.contains(node) && $0.contains(target) })
    else {
      return give(node, .dialFailed(link, .unreachable))
    }
    let mine = nodes[node].crypto.publicKey
    let theirs = nodes[target].crypto.publicKey
    accepted += 1
    let other = LinkID(.accepted, accepted)
    let isOpen =
      switch purpose {
      case .member:
        nodes[node].engine.accepts(publicKey: theirs)
          && nodes[target].engine.accepts(publicKey: mine)
      case .pairing: nodes[target].engine.hearsGuests
      }
    guard isOpen else { return give(node, .dialFailed(link, .refused)) }
    pipes[End(node: node, link: link)] = End(node: target, link: other)
    pipes[End(node: target, link: other)] = End(node: node, link: link)
    let from = nodes[node].endpoint.with(port: 40_000)
    switch purpose {
    case .member:
      give(target, .linkUp(other, peerKey: mine, from: from))
      give(node, .linkUp(link, peerKey: theirs, from: endpoint))
    case .pairing:
      let exporter = [UInt8](repeating: UInt8(truncatingIfNeeded: accepted), count: 32)
      give(target, .pairingLinkUp(other, peerKey: mine, exporter: exporter, from: from))
      give(node, .pairingLinkUp(link, peerKey: theirs, exporter: exporter, from: endpoint))
    }
  }

  /// Stops a node at once and starts it again from its disk.
  mutating func restart(_ node: Int) throws {
    restarts += 1
    let ends = pipes.keys.filter { $0.node == node }
    for end in ends { cut(end) }
    queue.removeAll { $0.node == node }
    nodes[node].heldBatches = []
    nodes[node].holdsDisk = false
    nodes[node].heldReads = []
    nodes[node].holdsReads = false
    let disk = nodes[node].disk
    var restored = Restored()
    for bytes in disk.records {
      let record = try MembershipRecord(decoding: bytes, crypto: nodes[node].crypto)
      if restored.roster == nil {
        restored.roster = try MembershipGraph(genesis: record, crypto: nodes[node].crypto)
      } else {
        _ = try restored.roster?.take(record, crypto: nodes[node].crypto)
      }
    }
    var stored = StoredLists()
    stored.header = disk.header
    stored.chunks = disk.chunks.keys.sorted().compactMap { disk.chunks[$0] }
    stored.tail = disk.arrival
    _ = restored.read(stored, crypto: nodes[node].crypto, packer: NoPacking()) { disk.arrival }
    (restored.clock, restored.own, restored.peers) = (disk.clock, disk.own, disk.peers)
    restored.ages = disk.ages
    restored.notice = disk.kept.last { $0.kind == Engine.noticeKind }?.value.flatMap {
      Engine.notice(from: $0)
    }
    nodes[node].engine = Engine(
      settings: nodes[node].settings, crypto: nodes[node].crypto, packer: NoPacking(),
      entropy: Entropy(SeededEntropy(seed: UInt64(node) &* 77 &+ restarts &* 7_777_777)),
      restored: restored, wall: wall)
    nodes[node].isUp = true
    give(node, .resume)
    settle()
  }

  /// The disk works through what it held up.
  mutating func release(_ node: Int) {
    nodes[node].holdsDisk = false
    let held = nodes[node].heldBatches
    nodes[node].heldBatches = []
    for (batch, token) in held {
      nodes[node].disk.write(batch)
      give(node, .persisted(token))
    }
    settle()
  }

  /// The log answers what it was asked.
  mutating func releaseReads(_ node: Int) {
    nodes[node].holdsReads = false
    for (token, changes) in nodes[node].heldReads { give(node, .logRead(token, changes)) }
    nodes[node].heldReads = []
    settle()
  }
}
