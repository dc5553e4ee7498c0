// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CLooseTLS
import Testing

@testable import OpenSSLCrypto

/// Two ends in one process, every byte in the open.
private struct Wire {
  var client: TLSSession
  var server: TLSSession
  var clientEvents: [TLSSession.Event] = []
  var serverEvents: [TLSSession.Event] = []

  init(
    client: OpenSSLSuite, server: OpenSSLSuite, offer: LinkProtocol = .link,
    takes: [LinkProtocol] = [.link],
    clientAccepts: @escaping ([UInt8], LinkProtocol) -> Bool = { _, _ in true },
    serverAccepts: @escaping ([UInt8], LinkProtocol) -> Bool = { _, _ in true }
  ) throws {
    let one = try #require(TLSIdentity(client))
    let two = try #require(TLSIdentity(server))
    self.client = try #require(
      TLSSession(.client, identity: one, protocols: [offer], accept: clientAccepts))
    self.server = try #require(
      TLSSession(.server, identity: two, protocols: takes, accept: serverAccepts))
    clientEvents += self.client.start()
  }

  /// Carries bytes until both are silent, `step` at a time.
  mutating func run(step: Int = .max) {
    var isBusy = true
    while isBusy {
      isBusy = false
      for part in client.takeOutput().cut(step) {
        serverEvents += server.receive(part)
        isBusy = true
      }
      for part in server.takeOutput().cut(step) {
        clientEvents += client.receive(part)
        isBusy = true
      }
    }
  }
}

extension [UInt8] {
  fileprivate func cut(_ step: Int) -> [[UInt8]] {
    Swift.stride(from: 0, to: count, by: Swift.min(step, Swift.max(count, 1))).map {
      Array(self[$0..<Swift.min(count, $0 + Swift.min(step, count))])
    }
  }
}

@Suite struct TLSSessionTests {
  private let one = OpenSSLSuite(seed: [UInt8](repeating: 1, count: 32))!
  private let two = OpenSSLSuite(seed: [UInt8](repeating: 2, count: 32))!

  @Test(arguments: [Int.max, 1, 7]) func `both ends agree, whatever the pieces`(
    _ step: Int
  ) throws {
    var wire = try Wire(client: one, server: two)
    wire.run(step: step)
    #expect(wire.serverEvents == [.established(peerKey: one.publicKey, .link)])
    #expect(wire.clientEvents == [], "the dialler waits for the first plaintext")
    #expect(wire.server.send([1, 2, 3]))
    wire.run(step: step)
    #expect(
      wire.clientEvents == [.established(peerKey: two.publicKey, .link), .plaintext([1, 2, 3])])
    #expect(wire.client.version == "TLSv1.3")
    #expect(!wire.client.isResumed)
    let label = "EXPORTER-hedgerow-test"
    let exported = try #require(wire.client.exporter(label: label, count: 32))
    #expect(wire.server.exporter(label: label, count: 32) == exported)
  }

  @Test func `a large message arrives whole and in order`() throws {
    var wire = try Wire(client: one, server: two)
    wire.run()
    let message = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
    #expect(wire.client.send(message))
    wire.run(step: 1000)
    let got = wire.serverEvents.flatMap { event -> [UInt8] in
      if case .plaintext(let bytes) = event { bytes } else { [] }
    }
    #expect(got == message)
  }

  @Test func `a client that the server does not know is refused`() throws {
    var wire = try Wire(client: one, server: two, serverAccepts: { _, _ in false })
    wire.run()
    #expect(wire.serverEvents == [.failed])
    #expect(wire.clientEvents == [.failed])
  }

  @Test func `a server that the client does not know is refused`() throws {
    var wire = try Wire(client: one, server: two, clientAccepts: { _, _ in false })
    wire.run()
    #expect(wire.clientEvents == [.failed])
    #expect(wire.serverEvents == [.failed])
  }

  @Test func `another protocol is refused`() throws {
    var wire = try Wire(client: one, server: two, offer: .pairing)
    wire.run()
    #expect(wire.serverEvents == [.failed])
    #expect(wire.clientEvents == [.failed])
  }

  @Test func `a server takes each protocol that it names`() throws {
    var wire = try Wire(client: one, server: two, offer: .pairing, takes: [.link, .pairing])
    wire.run()
    #expect(wire.serverEvents == [.established(peerKey: one.publicKey, .pairing)])
  }

  @Test func `plain HTTP is refused`() throws {
    let wire = try Wire(client: one, server: two)
    _ = wire.client.takeOutput()
    #expect(wire.server.receive(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)) == [.failed])
  }

  @Test func `a goodbye is told from a cut`() throws {
    var wire = try Wire(client: one, server: two)
    wire.run()
    wire.client.close()
    wire.run()
    #expect(wire.serverEvents.last == .closed)
    #expect(!wire.client.send([1]))
  }

  @Test func `no flipped byte in the handshake gets through`() throws {
    for at in stride(from: 0, to: 200, by: 3) {
      var wire = try Wire(client: one, server: two)
      var flight = wire.client.takeOutput()
      guard at < flight.count else { break }
      flight[at] ^= 0x20
      wire.serverEvents += wire.server.receive(flight)
      wire.run()
      let isOpen = wire.serverEvents.contains { if case .established = $0 { true } else { false } }
      #expect(!isOpen, "byte \(at)")
    }
  }

  @Test func `who may connect depends on the protocol`() throws {
    let policy: ([UInt8], LinkProtocol) -> Bool = { _, by in by == .pairing }
    var stranger = try Wire(
      client: one, server: two, offer: .pairing, takes: [.link, .pairing], serverAccepts: policy)
    stranger.run()
    #expect(stranger.serverEvents == [.established(peerKey: one.publicKey, .pairing)])
    var intruder = try Wire(
      client: one, server: two, offer: .link, takes: [.link, .pairing], serverAccepts: policy)
    intruder.run()
    #expect(intruder.serverEvents == [.failed])
    #expect(intruder.clientEvents == [.failed])
  }

  @Test func `a client is judged on the protocol it offered`() throws {
    var asked: [LinkProtocol] = []
    var wire = try Wire(
      client: one, server: two, offer: .pairing, takes: [.link, .pairing],
      clientAccepts: { _, by in
        asked.append(by)
        return true
      })
    wire.run()
    #expect(asked == [.pairing])
  }

  @Test func `the refused side is told by one alert`() throws {
    var wire = try Wire(client: one, server: two, serverAccepts: { _, _ in false })
    wire.serverEvents += wire.server.receive(wire.client.takeOutput())
    wire.clientEvents += wire.client.receive(wire.server.takeOutput())
    wire.serverEvents += wire.server.receive(wire.client.takeOutput())
    #expect(wire.serverEvents == [.failed])
    #expect(!wire.server.takeOutput().isEmpty, "the alert")
    #expect(wire.server.takeOutput().isEmpty, "once")
    #expect(wire.server.receive([1, 2, 3]).isEmpty)
  }

  @Test func `a handshake that does not end is cut off`() throws {
    let wire = try Wire(client: one, server: two)
    // A handshake record that announces a hello of 64 KiB and goes on for ever.
    var flood: [UInt8] = [22, 3, 1, 0x3F, 0xFF, 1, 0, 0xFF, 0xFF]
    var fed = 0
    var events: [TLSSession.Event] = []
    while events.isEmpty && fed < 100_000 {
      events = wire.server.receive(flood)
      fed += flood.count
      flood = [UInt8](repeating: 0, count: 100)
    }
    #expect(events == [.failed])
    #expect(fed <= TLSSession.handshakeBytesMax + 200)
  }

  @Test func `a conversation cut anywhere opens nothing`() throws {
    let whole = try Wire(client: one, server: two)
    let hello = whole.client.takeOutput()
    _ = whole.server.receive(hello)
    _ = whole.client.receive(whole.server.takeOutput())
    let last = whole.client.takeOutput()
    for kept in stride(from: 0, to: last.count, by: 17) {
      let wire = try Wire(client: one, server: two)
      _ = wire.server.receive(wire.client.takeOutput())
      _ = wire.client.receive(wire.server.takeOutput())
      #expect(wire.server.receive(Array(wire.client.takeOutput().prefix(kept))).isEmpty)
      #expect(!wire.server.send([1]))
    }
  }

  @Test func `a flipped byte in a record ends the connection`() throws {
    for at in 0..<30 {
      var wire = try Wire(client: one, server: two)
      wire.run()
      #expect(wire.client.send([1, 2, 3, 4, 5, 6, 7, 8]))
      var record = wire.client.takeOutput()
      record[at % record.count] ^= 1
      let events = wire.server.receive(record)
      #expect(events.isEmpty || events == [.failed], "byte \(at): \(events)")
    }
  }

  @Test func `two connections share no keying material`() throws {
    let label = "EXPORTER-hedgerow-test"
    let exported = try (0..<2).map { _ in
      var wire = try Wire(client: one, server: two)
      #expect(wire.server.exporter(label: label, count: 32) == nil, "before the handshake")
      wire.run()
      return try #require(wire.server.exporter(label: label, count: 32))
    }
    #expect(exported[0] != exported[1])
  }

  @Test func `memory does not grow with connections`() async {
    // In a process of its own: other tests allocate at the same time.
    await #expect(processExitsWith: .success) {
      try connections(50)
      let before = loose_heap_bytes()
      try connections(150)
      let growth = loose_heap_bytes() - before
      precondition(growth < 128 * 1024, "grown by \(growth) bytes")
    }
  }
}

/// Makes and drops `count` connections, every third of them refused.
private func connections(_ count: Int) throws {
  let one = try #require(OpenSSLSuite(seed: [UInt8](repeating: 1, count: 32)))
  let two = try #require(OpenSSLSuite(seed: [UInt8](repeating: 2, count: 32)))
  for number in 0..<count {
    var wire = try Wire(
      client: one, server: two, serverAccepts: { _, _ in !number.isMultiple(of: 3) })
    wire.run()
    _ = wire.server.send([1, 2, 3])
    wire.run()
  }
}
