// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import LANDiscovery
import Testing

@Suite struct TXTRecordTests {
  @Test func `entries come back in order`() throws {
    let entries = [
      TXTRecord.Entry("v", "1"), TXTRecord.Entry("n", "=a="), TXTRecord.Entry("t", ""),
    ]
    let data = try #require(TXTRecord.data(entries))
    #expect(TXTRecord.entries(in: data) == entries)
  }

  @Test func `what cannot be announced is not built`() {
    #expect(TXTRecord.data([.init("", "x")]) == nil)
    #expect(TXTRecord.data([.init("a=b", "x")]) == nil)
    #expect(TXTRecord.data([.init("kö", "x")]) == nil)
    #expect(TXTRecord.data([.init("k", String(repeating: "x", count: 198))]) == nil)
    #expect(TXTRecord.data([.init("k", String(repeating: "x", count: 197))])?.count == 200)
  }

  @Test func `foreign records are read as far as they make sense`() {
    let data: [UInt8] = [0, 3, 65, 61, 49, 3, 97, 61, 50, 2, 61, 51, 1, 98, 9, 99, 61]
    #expect(TXTRecord.entries(in: data) == [.init("a", "1")])
    #expect(TXTRecord.entries(in: []).isEmpty)
    #expect(TXTRecord.entries(in: [255]).isEmpty)
    let many = (0..<100).flatMap { [4, 107, UInt8($0), 61, 49] as [UInt8] }
    #expect(TXTRecord.entries(in: many).count == 32)
  }
}

@Suite struct InterfaceFactsTests {
  private func carries(_ name: String) -> Bool {
    InterfaceFacts(index: 2, name: Array(name.utf8)).carriesLAN
  }

  @Test func `container and tunnel interfaces carry no LAN`() {
    for name in ["docker0", "veth1a2b", "virbr0", "br-0123456789ab", "wg0", "tun0", "cni0"] {
      #expect(!carries(name), "\(name)")
    }
    for name in ["eth0", "wlan0", "enp3s0", "br0", "br-lan", "bond0", "end0"] {
      #expect(carries(name), "\(name)")
    }
  }

  @Test func `flags outrank names`() {
    let name = Array("eth0".utf8)
    #expect(!InterfaceFacts(index: 2, name: name, isUp: false).carriesLAN)
    #expect(!InterfaceFacts(index: 2, name: name, isLoopback: true).carriesLAN)
    #expect(!InterfaceFacts(index: 2, name: name, isPointToPoint: true).carriesLAN)
    #expect(!InterfaceFacts(index: 2, name: name, canMulticast: false).carriesLAN)
  }

  @Test func `the loopback of this machine is recognised`() {
    let all = InterfaceFacts.ofThisMachine()
    #expect(all.contains { $0.isLoopback && !$0.carriesLAN })
  }
}

@Suite struct SightedAddressTests {
  @Test func `link-local addresses get the interface as scope, others none`() {
    let local: [UInt8] = [0xFE, 0x80] + Array(repeating: 0, count: 13) + [1]
    let global: [UInt8] = [0x20, 0x01] + Array(repeating: 0, count: 13) + [1]
    #expect(SightedAddress(record: local, interface: 3)?.scope == 3)
    #expect(SightedAddress(record: global, interface: 3)?.scope == 0)
    #expect(SightedAddress(record: [198, 18, 0, 1], interface: 3)?.scope == 0)
  }

  @Test func `addresses nobody can dial are dropped`() {
    #expect(SightedAddress(record: [127, 0, 0, 1], interface: 3) == nil)
    #expect(SightedAddress(record: [0, 0, 0, 0], interface: 3) == nil)
    #expect(SightedAddress(record: [224, 0, 0, 251], interface: 3) == nil)
    #expect(SightedAddress(record: Array(repeating: 0, count: 15) + [1], interface: 3) == nil)
    #expect(SightedAddress(record: [1, 2, 3], interface: 3) == nil)
  }
}
