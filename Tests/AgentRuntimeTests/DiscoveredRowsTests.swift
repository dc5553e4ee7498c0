// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import LANDiscovery
import NodeEngine
import Testing
import WireCodec

@testable import AgentRuntime

/// Addresses under rows that come, change and go.
@Suite struct DiscoveredRowsTests {
  private func tag(_ byte: UInt8) -> DiscoveryTag {
    let bytes = [UInt8](repeating: byte, count: 8)
    return DiscoveryTag(nonce: bytes, tag: bytes, isInviting: false)!
  }

  private func sighting(_ name: String, _ addresses: [UInt8], tag byte: UInt8) throws -> Sighting {
    Sighting(
      key: key(name), port: 7644, txt: try #require(tag(byte).txt),
      addresses: addresses.map { SightedAddress(bytes: [198, 18, 0, $0], scope: 0) })
  }

  private func key(_ name: String) -> SightingKey {
    SightingKey(instance: Array(name.utf8), interface: 2)
  }

  private func endpoint(_ number: UInt8) -> Endpoint {
    Endpoint(address: [198, 18, 0, number], port: 7644)!
  }

  @Test func `an address outlives the former name of its agent`() throws {
    var rows = DiscoveredRows()
    var inputs: [Input] = []
    rows.found(try sighting("hedgerow-a", [1], tag: 1), into: &inputs)
    rows.found(try sighting("hedgerow-a #2", [1], tag: 2), into: &inputs)
    inputs = []
    rows.lost(key("hedgerow-a"), into: &inputs)
    #expect(inputs == [.discovered(endpoint(1), tag(2))])
    inputs = []
    rows.lost(key("hedgerow-a #2"), into: &inputs)
    #expect(inputs == [.discoveryLost(endpoint(1))])
  }

  @Test func `a row that changes gives up the addresses that nobody else names`() throws {
    var rows = DiscoveredRows()
    var inputs: [Input] = []
    rows.found(try sighting("a", [1, 2], tag: 1), into: &inputs)
    rows.found(try sighting("b", [2], tag: 2), into: &inputs)
    inputs = []
    rows.found(try sighting("a", [3], tag: 3), into: &inputs)
    #expect(
      inputs == [
        .discoveryLost(endpoint(1)), .discovered(endpoint(2), tag(2)),
        .discovered(endpoint(3), tag(3)),
      ])
  }

  @Test func `a row whose record is none of ours any more is lost`() throws {
    var rows = DiscoveredRows()
    var inputs: [Input] = []
    rows.found(try sighting("a", [1], tag: 1), into: &inputs)
    inputs = []
    let strange = Sighting(
      key: key("a"), port: 7644, txt: [1, 0x78],
      addresses: [SightedAddress(bytes: [198, 18, 0, 1], scope: 0)])
    rows.found(strange, into: &inputs)
    #expect(inputs == [.discoveryLost(endpoint(1))])
  }

  @Test func `rows without number push the oldest out`() throws {
    var rows = DiscoveredRows()
    var inputs: [Input] = []
    for number in 0...DiscoveryLimits.rowsMax {
      rows.found(try sighting("n\(number)", [UInt8(number % 200)], tag: 1), into: &inputs)
    }
    inputs = []
    rows.lost(key("n0"), into: &inputs)
    #expect(inputs.isEmpty)
    rows.lost(key("n1"), into: &inputs)
    #expect(inputs == [.discovered(endpoint(1), tag(1))])
  }
}
