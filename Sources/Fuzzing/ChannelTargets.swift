// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import LANDiscovery
import OpenSSLCrypto
import Simulator

/// What the network says: TXT records, the discovery child, TLS bytes before anybody is known.
extension FuzzTargets {
  static let channels: [WireFuzz.Target] = [
    WireFuzz.Target(
      name: "txt",
      seeds: [TXTRecord.data([.init("v", "1"), .init("n", "00ff")]) ?? [], [0, 3, 97, 61, 98]],
      body: txt),
    WireFuzz.Target(
      name: "discovery-events", seeds: [framed(eventSeeds)],
      body: { frames($0, of: DiscoveryEvent.self) }),
    WireFuzz.Target(
      name: "discovery-commands", seeds: [framed(commandSeeds)],
      body: { frames($0, of: DiscoveryCommand.self) }),
    WireFuzz.Target(name: "tls-server", seeds: [firstFlight], body: { tls(.server, $0) }),
    WireFuzz.Target(
      name: "tls-client", seeds: [[22, 3, 3, 0, 4, 2, 0, 0, 0]], body: { tls(.client, $0) }),
  ]

  /// What an entry says survives being written again.
  @Sendable private static func txt(_ bytes: [UInt8]) -> String? {
    let entries = TXTRecord.entries(in: bytes)
    guard let data = TXTRecord.data(entries) else { return nil }
    return TXTRecord.entries(in: data) == entries ? nil : "entries do not come back"
  }

  private static let eventSeeds: [DiscoveryEvent] = [
    .found(
      Sighting(
        key: SightingKey(instance: Array("den".utf8), interface: 2), port: 7644, txt: [1, 65],
        addresses: [SightedAddress(bytes: [198, 18, 0, 1], scope: 0)]))
  ]

  private static let commandSeeds: [DiscoveryCommand] = [
    .advertise(Advertisement(instance: Array("den".utf8), port: 7644, txt: [1, 65]))
  ]

  private static func framed<Content: DiscoveryFrameContent>(_ contents: [Content]) -> [UInt8] {
    var out: [UInt8] = []
    for content in contents {
      var frame: [UInt8] = []
      content.append(to: &frame)
      out += [UInt8(frame.count >> 8), UInt8(frame.count & 255)] + frame
    }
    return out
  }

  /// The same frames come out whether the bytes come at once or one by one, and they read back.
  private static func frames<Content: DiscoveryFrameContent & Equatable>(
    _ bytes: [UInt8], of type: Content.Type
  ) -> String? {
    var (whole, pieces): ([Content], [Content]) = ([], [])
    var (first, second) = (DiscoveryFrameReader<Content>(), DiscoveryFrameReader<Content>())
    let isRefused = (try? first.receive(bytes, into: &whole)) == nil
    var isRefusedToo = false
    for byte in bytes where !isRefusedToo {
      isRefusedToo = (try? second.receive([byte], into: &pieces)) == nil
    }
    if isRefused != isRefusedToo || whole != pieces { return "pieces read otherwise" }
    var third = DiscoveryFrameReader<Content>()
    var again: [Content] = []
    guard (try? third.receive(framed(whole), into: &again)) != nil, again == whole else {
      return "frames do not come back"
    }
    return nil
  }

  // MARK: TLS

  private static let identity = OpenSSLSuite(seed: [UInt8](repeating: 7, count: 32)).flatMap {
    TLSIdentity($0)
  }

  private static var firstFlight: [UInt8] {
    guard let client = session(.client) else { return [] }
    _ = client.start()
    return client.takeOutput()
  }

  private static func session(_ role: TLSRole) -> TLSSession? {
    identity.flatMap {
      TLSSession(role, identity: $0, protocols: [.link, .pairing]) { _, _ in true }
    }
  }

  /// Nobody gets past the handshake by saying bytes that were not made for this session.
  private static func tls(_ role: TLSRole, _ bytes: [UInt8]) -> String? {
    guard let session = session(role) else { return "no session could be made" }
    if role == .client { _ = session.start() }
    let half = bytes.count / 2
    for event in session.receive(Array(bytes[..<half])) + session.receive(Array(bytes[half...])) {
      switch event {
      case .established, .plaintext: return "somebody got through"
      case .closed, .failed: continue
      }
    }
    _ = session.takeOutput()
    return nil
  }
}
