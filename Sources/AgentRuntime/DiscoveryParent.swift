// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import WireCodec
import SystemServices
import EventLoop
import Glibc
import LANDiscovery
import NodeEngine

/// The agent's half of discovery: starts the child, speaks frames with it, starts it again.
///
/// Addresses found stay candidates when the child dies; the engine decides what becomes of them.
struct DiscoveryParent {
  /// The child says nothing for so long after its start that it counts as healthy: then the next
  /// restart waits the shortest time again. 60 s.
  private static let healthyNanoseconds: UInt64 = 60_000_000_000
  private static let restartFirst: UInt64 = 1_000_000_000
  private static let restartMax: UInt64 = 60_000_000_000

  let isOn: Bool
  private(set) var health: DiscoveryHealth
  var restartAt: UInt64?
  private(set) var channel: StreamSocket?
  private(set) var token: UInt64?
  private var pid: Int32 = 0
  private var startedAt: UInt64 = 0
  private var restartDelay = Self.restartFirst
  private var reader = DiscoveryFrameReader<DiscoveryEvent>()
  private var advertisement: Advertisement?
  private var rows = DiscoveredRows()

  init(isOn: Bool) {
    self.isOn = isOn
    health = isOn ? .starting : .off
  }

  /// The argument that makes `hedged` a discovery child.
  package static var hiddenVerb: String { "discovery-child" }

  /// Takes over a child that was just started.
  mutating func started(pid: Int32, channel: StreamSocket, token: UInt64, at time: UInt64) {
    (self.pid, self.channel, self.token, startedAt) = (pid, channel, token, time)
    restartAt = nil
    reader = DiscoveryFrameReader()
    if advertisement != nil { send(.advertise(advertisement)) }
  }

  /// The child is gone or was never there; it is tried again later.
  mutating func ended(at time: UInt64, why: String) {
    reap(kill: true)
    health = .unavailable(why)
    if time - startedAt > Self.healthyNanoseconds { restartDelay = Self.restartFirst }
    restartAt = time + restartDelay
    restartDelay = min(restartDelay * 2, Self.restartMax)
  }

  /// Ends the child for good.
  mutating func stop() {
    reap(kill: true)
    restartAt = nil
    health = .off
  }

  private mutating func reap(kill mustKill: Bool) {
    channel?.close()
    (channel, token) = (nil, nil)
    guard pid > 0 else { return }
    // It holds nothing that needs an orderly end, and waiting for one would stop the loop.
    if mustKill { kill(pid, SIGKILL) }
    var status: Int32 = 0
    unsafe _ = waitpid(pid, &status, 0)
    pid = 0
  }

  func send(_ command: DiscoveryCommand) {
    // A child that does not read is noticed by its channel's end.
    _ = channel?.send(command.frame)
  }

  mutating func advertise(_ advertisement: Advertisement?) {
    self.advertisement = advertisement
    send(.advertise(advertisement))
  }

  /// Reads what the child says; `false` when it has ended or talks nonsense.
  mutating func receive(into inputs: inout [Input]) -> Bool {
    var bytes: [UInt8] = []
    switch channel?.receive(into: &bytes, room: 64 * 1024) {
    case .bytes: break
    case .nothingYet: return true
    case .ended, nil: return false
    }
    var events: [DiscoveryEvent] = []
    do { try reader.receive(bytes, into: &events) } catch { return false }
    for event in events { take(event, into: &inputs) }
    return true
  }

  private mutating func take(_ event: DiscoveryEvent, into inputs: inout [Input]) {
    switch event {
    case .stateChanged(.running): health = .running
    case .stateChanged(.waiting(let code)):
      health = .unavailable("the mDNS daemon does not answer (\(code))")
    case .advertised: break
    case .found(let sighting): rows.found(sighting, into: &inputs)
    case .lost(let key): rows.lost(key, into: &inputs)
    }
  }
}

extension AgentLoop {
  func startDiscovery() {
    discovery.restartAt = nil
    do {
      let child = try DiscoveryProcess.spawn(
        executable: "/proc/self/exe", arguments: [DiscoveryParent.hiddenVerb])
      let channel = StreamSocket(fd: child.channel, pendingBytesMax: 64 * 1024)
      guard let token = watch(channel.fd, [.readable], .discovery) else { return }
      discovery.started(
        pid: child.pid, channel: channel, token: token, at: Clocks.monotonic())
    } catch {
      discovery.ended(at: Clocks.monotonic(), why: "the discovery child cannot be started")
    }
  }

  func discoveryReady() {
    var inputs: [Input] = []
    let before = discovery.health
    let isAlive = discovery.receive(into: &inputs)
    for input in inputs { take(.engine(input)) }
    if !isAlive {
      forgetDiscoveryChannel()
      discovery.ended(at: Clocks.monotonic(), why: "the discovery child ended")
    }
    if discovery.health != before {
      log(.notice, "discovery.changed", ["state": discovery.health.word])
      take(.service(.discovery(discovery.health)))
    }
  }

  func stopDiscovery() {
    forgetDiscoveryChannel()
    discovery.stop()
  }

  private func forgetDiscoveryChannel() {
    if let channel = discovery.channel { executor.unwatch(channel.fd) }
    if let token = discovery.token { sources[token] = nil }
  }

  /// The instance name is noise, so that the LAN learns no name of a person or machine (A1).
  func advertise(_ tag: DiscoveryTag?) {
    guard let tag, peerPort != 0, let txt = tag.txt else { return discovery.advertise(nil) }
    let name = "hedgerow-" + String(started & 0xFFFF_FFFF ^ UInt64(getpid()), radix: 36)
    discovery.advertise(Advertisement(instance: Array(name.utf8), port: peerPort, txt: txt))
  }
}

extension DiscoveryHealth {
  var word: String {
    switch self {
    case .off: "off"
    case .starting: "starting"
    case .running: "running"
    case .unavailable(let why): why
    }
  }
}

extension DiscoveryTag {
  /// Reads the TXT record of an announcement: `v=1`, `n` and `t` as raw bytes, `i=1` with an invite.
  init?(_ txt: [UInt8]) {
    let entries = TXTRecord.entries(in: txt)
    func value(_ key: String) -> [UInt8]? { entries.first { $0.key == Array(key.utf8) }?.value }
    guard value("v") == Array("1".utf8), let nonce = value("n"), let tag = value("t") else {
      return nil
    }
    self.init(nonce: nonce, tag: tag, isInviting: value("i") == Array("1".utf8))
  }

  /// The TXT record of this announcement.
  var txt: [UInt8]? {
    var entries = [
      TXTRecord.Entry("v", "1"), .init(key: Array("n".utf8), value: nonce),
      .init(key: Array("t".utf8), value: tag),
    ]
    if isInviting { entries.append(.init("i", "1")) }
    return TXTRecord.data(entries)
  }
}
