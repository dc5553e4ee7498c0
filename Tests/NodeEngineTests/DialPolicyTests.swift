// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Simulator
import Testing
import WireCodec

@testable import NodeEngine

/// Whom to dial, where and when.
@Suite struct DialPolicyTests {
  private let peer = DeviceID(1, 2, 3, 4)
  private var entropy = SeededEntropy(seed: 3)
  private var numbers: UInt64 = 0

  private func at(_ milliseconds: UInt64) -> Moment {
    Moment(nanoseconds: 0) + .milliseconds(milliseconds)
  }

  private mutating func dials(_ policy: inout DialPolicy, _ milliseconds: UInt64) -> [Endpoint] {
    policy.advance(to: at(milliseconds), numbers: &numbers, using: &entropy).dials.map(\.endpoint)
  }

  private func policy(addresses: Int) -> DialPolicy {
    var policy = DialPolicy(settings: EngineSettings(), device: DeviceID(0, 0, 0, 1))
    policy.members([peer])
    for number in 0..<addresses {
      policy.found(Neighbourhood.endpoint(number), .remembered, owner: peer)
    }
    policy.resumed(at: at(0))
    return policy
  }

  @Test mutating func `addresses of one member are raced a quarter of a second apart`() {
    var policy = policy(addresses: 3)
    #expect(dials(&policy, 0) == [Neighbourhood.endpoint(0)])
    #expect(dials(&policy, 249) == [])
    #expect(policy.nextDeadline == at(250))
    #expect(dials(&policy, 250) == [Neighbourhood.endpoint(1)])
    #expect(policy.connected(peer).count == 2)
    #expect(dials(&policy, 10_000) == [])
  }

  @Test mutating func `a failed address lets the next one start at once`() {
    var policy = policy(addresses: 2)
    _ = dials(&policy, 0)
    policy.failed(LinkID(.dialled, 1), at: at(10), using: &entropy)
    #expect(dials(&policy, 10) == [Neighbourhood.endpoint(1)])
  }

  @Test mutating func `pauses grow up to a minute and never beyond`() {
    var policy = policy(addresses: 1)
    var now: UInt64 = 0
    var longest: UInt64 = 0
    for round in 1...20 {
      #expect(dials(&policy, now).count == 1)
      policy.failed(LinkID(.dialled, UInt64(round)), at: at(now), using: &entropy)
      let next = policy.nextDeadline!.since(at(now)).wholeMilliseconds
      longest = max(longest, next)
      #expect(next <= 60_000)
      now += next + 1
    }
    #expect(longest >= 30_000)
  }

  @Test mutating func `a nudge ends every pause`() {
    var policy = policy(addresses: 1)
    _ = dials(&policy, 0)
    policy.failed(LinkID(.dialled, 1), at: at(0), using: &entropy)
    #expect(dials(&policy, 1) == [])
    policy.nudged(nil, at: at(2))
    #expect(dials(&policy, 2).count == 1)
  }

  @Test mutating func `nothing is dialled while paused`() {
    var policy = policy(addresses: 1)
    _ = dials(&policy, 0)
    #expect(policy.paused() == [LinkID(.dialled, 1)])
    policy.nudged(nil, at: at(1))
    #expect(dials(&policy, 60_000) == [])
    #expect(policy.nextDeadline == nil)
  }

  @Test func `strangers on the network cannot push known addresses out`() {
    var settings = EngineSettings.tiny
    settings.unknownCandidatesMax = 4
    var policy = DialPolicy(settings: settings, device: DeviceID(0, 0, 0, 1))
    policy.members([peer])
    policy.found(Neighbourhood.endpoint(0), .remembered, owner: peer)
    policy.found(Neighbourhood.endpoint(1), .fixed)
    for number in 10..<100 { policy.found(Neighbourhood.endpoint(number), .discovered) }
    #expect(policy.targets.indices.count <= 6)
    #expect(policy.endpoints(of: peer) == [Neighbourhood.endpoint(0)])
    #expect(policy.targets.index(of: .unknown(Neighbourhood.endpoint(1))) != nil)
  }

  @Test mutating func `a dial without an answer is given up`() {
    var policy = policy(addresses: 1)
    _ = dials(&policy, 0)
    let late = policy.advance(to: at(5000), numbers: &numbers, using: &entropy)
    #expect(late.givenUp == [LinkID(.dialled, 1)])
  }

  @Test func `an address goes when the last source that names it takes it back`() {
    var policy = policy(addresses: 0)
    let endpoint = Neighbourhood.endpoint(5)
    policy.found(endpoint, .remembered, owner: peer)
    let isNew = policy.found(endpoint, .discovered, owner: peer)
    #expect(!isNew)
    policy.lost(endpoint, .remembered)
    #expect(policy.endpoints(of: peer) == [endpoint])
    policy.lost(Neighbourhood.endpoint(6), .remembered)
    policy.lost(endpoint, .discovered)
    #expect(policy.endpoints(of: peer) == [])
  }

  @Test func `the user's list of addresses replaces the former one`() {
    var policy = policy(addresses: 0)
    policy.fixed([Neighbourhood.endpoint(1), Neighbourhood.endpoint(2)])
    policy.fixed([Neighbourhood.endpoint(2), Neighbourhood.endpoint(3)])
    let targets = policy.targets.indices.map { policy.targets[$0].target }.filter {
      $0 != .member(peer)
    }
    #expect(
      targets == [.unknown(Neighbourhood.endpoint(2)), .unknown(Neighbourhood.endpoint(3))])
  }

  @Test func `an address that leads back here is not taken again, of the last sixteen`() {
    var policy = policy(addresses: 1)
    for number in 0..<17 { policy.provedOwn(Neighbourhood.endpoint(number)) }
    #expect(policy.endpoints(of: peer) == [])
    // The oldest of seventeen is forgotten: it may belong to somebody else by now.
    let taken = [16, 0].map { policy.found(Neighbourhood.endpoint($0), .remembered, owner: peer) }
    #expect(taken == [false, true])
  }

  @Test mutating func `a stranger that never answered makes room for the next one`() {
    var settings = EngineSettings.tiny
    settings.unknownCandidatesMax = 2
    var policy = DialPolicy(settings: settings, device: DeviceID(0, 0, 0, 1))
    policy.resumed(at: at(0))
    for number in [1, 2] { policy.found(Neighbourhood.endpoint(number), .discovered) }
    let early = policy.found(Neighbourhood.endpoint(3), .discovered)
    #expect(!early)
    #expect(dials(&policy, 0).count == 2)
    policy.failed(LinkID(.dialled, 1), at: at(1), using: &entropy)
    let later = policy.found(Neighbourhood.endpoint(3), .discovered)
    #expect(later)
    #expect(policy.targets.indices.count == 2)
  }

  @Test mutating func `what answered wrongly is paused, a nudge wakes one member`() {
    let other = DeviceID(9, 9, 9, 9)
    var policy = policy(addresses: 1)
    policy.members([peer, other])
    policy.found(Neighbourhood.endpoint(7), .remembered, owner: other)
    policy.refused(Neighbourhood.endpoint(0), at: at(0), using: &entropy)
    policy.refused(Neighbourhood.endpoint(7), at: at(0), using: &entropy)
    policy.refused(Neighbourhood.endpoint(8), at: at(0), using: &entropy)
    #expect(dials(&policy, 1) == [])
    policy.nudged(other, at: at(2))
    #expect(dials(&policy, 2) == [Neighbourhood.endpoint(7)])
  }
}
