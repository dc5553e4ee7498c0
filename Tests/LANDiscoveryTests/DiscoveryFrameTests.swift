// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import LANDiscovery
import Testing

@Suite struct DiscoveryFrameTests {
  private static let sighting = Sighting(
    key: SightingKey(instance: Array("study".utf8), interface: 2), port: 7644,
    txt: [4, 118, 61, 49, 50],
    addresses: [
      SightedAddress(bytes: [198, 18, 0, 1], scope: 0),
      SightedAddress(bytes: [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1], scope: 2),
    ])

  private static let events: [DiscoveryEvent] = [
    .stateChanged(.running), .stateChanged(.waiting(code: -65537)),
    .advertised(instance: Array("study-2".utf8)), .found(sighting), .lost(sighting.key),
  ]

  private static let commands: [DiscoveryCommand] = [
    .advertise(Advertisement(instance: Array("study".utf8), port: 1, txt: [])),
    .advertise(nil), .refresh,
  ]

  @Test func `events come out as they went in, whole or byte by byte`() throws {
    let stream = Self.events.flatMap(\.frame)
    var whole: [DiscoveryEvent] = []
    var reader = DiscoveryFrameReader<DiscoveryEvent>()
    try reader.receive(stream, into: &whole)
    #expect(whole == Self.events)
    var dripped: [DiscoveryEvent] = []
    var slow = DiscoveryFrameReader<DiscoveryEvent>()
    for byte in stream { try slow.receive([byte], into: &dripped) }
    #expect(dripped == Self.events)
  }

  @Test func `commands come out as they went in`() throws {
    var read: [DiscoveryCommand] = []
    var reader = DiscoveryFrameReader<DiscoveryCommand>()
    try reader.receive(Self.commands.flatMap(\.frame), into: &read)
    #expect(read == Self.commands)
  }

  @Test func `the largest sighting fits into one frame`() throws {
    let largest = Sighting(
      key: SightingKey(
        instance: Array(repeating: 120, count: DiscoveryLimits.instanceBytesMax), interface: .max),
      port: .max, txt: Array(repeating: 7, count: DiscoveryLimits.txtBytesMax),
      addresses: (0..<DiscoveryLimits.addressesMax).map {
        SightedAddress(bytes: Array(repeating: UInt8($0), count: 16), scope: .max)
      })
    let frame = DiscoveryEvent.found(largest).frame
    #expect(frame.count <= DiscoveryLimits.frameBytesMax + 2)
    var read: [DiscoveryEvent] = []
    var reader = DiscoveryFrameReader<DiscoveryEvent>()
    try reader.receive(frame, into: &read)
    #expect(read == [.found(largest)])
  }

  @Test func `a cut, stretched or unknown frame is refused with its reason`() {
    func read(_ payload: [UInt8]) -> DiscoveryFrameError? {
      var reader = DiscoveryFrameReader<DiscoveryEvent>()
      var events: [DiscoveryEvent] = []
      let frame = [UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)] + payload
      do { try reader.receive(frame, into: &events) } catch { return error }
      return nil
    }
    let found = Array(Self.events[3].frame.dropFirst(2))
    #expect(read([]) == .truncated)
    #expect(read([1, 1, 0]) == .truncated)
    #expect(read(found + [0]) == .trailing)
    #expect(read([99]) == .unknownKind(99))
    #expect(read([2, 0, 64] + Array(repeating: 65, count: 64)) == .overLimit)
    #expect(read([4, 0, 0, 0, 0, 0, 1, 65]) == .badValue)
    for count in 0..<found.count { #expect(read(Array(found[..<count])) != nil) }
  }

  @Test func `no byte string traps the reader`() {
    var state: UInt64 = 42
    func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    let stream = Self.events.flatMap(\.frame)
    for _ in 0..<20_000 {
      var bytes = stream
      for _ in 0..<(1 + next() % 4) {
        bytes[Int(next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: next())
      }
      var reader = DiscoveryFrameReader<DiscoveryEvent>()
      var events: [DiscoveryEvent] = []
      try? reader.receive(bytes.prefix(Int(next() % UInt64(bytes.count + 1))), into: &events)
      #expect(events.count <= bytes.count)
    }
  }
}
