// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

@testable import LANDiscovery
import Testing

@Suite struct SightingTableTests {
  private let eth = SightingKey(instance: [65], interface: 2)
  private let wlan = SightingKey(instance: [65], interface: 3)

  private func sighting(_ key: SightingKey, _ last: UInt8...) -> Sighting {
    Sighting(
      key: key, port: 7644, txt: [],
      addresses: last.map { SightedAddress(bytes: [198, 18, 0, $0], scope: 0) })
  }

  @Test func `a row seen once for each family is lost with the second goodbye`() {
    var table = SightingTable()
    table.appeared(eth, at: 0)
    table.appeared(eth, at: 0)
    #expect(table.count == 1)
    #expect(table.disappeared(eth, at: 5) == false)
    #expect(table.nextDue == 5)
    #expect(table.disappeared(eth, at: 6) == true)
    #expect(table.count == 0)
  }

  @Test func `losing one interface leaves the other`() {
    var table = SightingTable()
    table.appeared(eth, at: 0)
    table.appeared(wlan, at: 0)
    #expect(table.disappeared(eth, at: 1) == true)
    #expect(table.contains(instance: [65]))
  }

  @Test func `an address is told at once, the same one only once`() {
    var table = SightingTable()
    table.appeared(eth, at: 0)
    #expect(table.nextLookup(at: 0) == eth)
    #expect(table.nextLookup(at: 0) == nil)
    #expect(table.learned(sighting(eth, 1)) == sighting(eth, 1))
    #expect(table.learned(sighting(eth, 1)) == nil)
    #expect(table.learned(sighting(eth, 1, 2)) == sighting(eth, 1, 2))
    #expect(table.finished(eth, with: sighting(eth, 1, 2), at: 9) == nil)
    #expect(table.nextDue == SightingTable.refreshMilliseconds)
  }

  @Test func `an address that no longer answers goes when the next look-up ends`() {
    var table = SightingTable()
    table.appeared(eth, at: 0)
    _ = table.nextLookup(at: 0)
    _ = table.finished(eth, with: sighting(eth, 1, 2), at: 9)
    _ = table.nextLookup(at: SightingTable.refreshMilliseconds)
    #expect(table.finished(eth, with: sighting(eth, 2), at: 9) == sighting(eth, 2))
  }

  @Test func `a failed look-up keeps what is known and is tried again with growing delay`() {
    var table = SightingTable()
    table.appeared(eth, at: 0)
    _ = table.nextLookup(at: 0)
    _ = table.learned(sighting(eth, 1))
    #expect(table.finished(eth, with: nil, at: 10) == nil)
    #expect(table.sighting(of: eth) == sighting(eth, 1))
    #expect(table.nextDue == 5_010)
    _ = table.nextLookup(at: 5_010)
    _ = table.finished(eth, with: nil, at: 5_020)
    #expect(table.nextDue == 15_020)
  }

  @Test func `a flood of instances stops at the limit`() {
    var table = SightingTable()
    for index in 0..<1_000 {
      table.appeared(SightingKey(instance: Array("\(index)".utf8), interface: 2), at: 0)
    }
    #expect(table.count == DiscoveryLimits.rowsMax)
  }

  @Test func `an absent responder is tried again after one second up to sixty`() {
    var delay = RetryDelay()
    #expect((0..<8).map { _ in delay.next() / 1_000 } == [1, 2, 4, 8, 16, 32, 60, 60])
    delay.reset()
    #expect(delay.next() == 1_000)
  }

  @Test func `a later name keeps within a label and cuts no character`() {
    func renamed(_ name: String, _ attempt: Int) -> String {
      let made = Advertisement(instance: Array(name.utf8), port: 1, txt: []).renamed(
        attempt: attempt)
      #expect(made.instance.count <= DiscoveryLimits.instanceBytesMax)
      return String(decoding: made.instance, as: UTF8.self)
    }
    #expect(renamed("study", 0) == "study")
    #expect(renamed("study", 1) == "study #2")
    #expect(
      renamed(String(repeating: "ö", count: 31), 9) == String(repeating: "ö", count: 29) + " #10")
  }
}
