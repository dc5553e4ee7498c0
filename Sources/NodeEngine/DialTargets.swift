// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// Whom `DialPolicy` may dial, and where: members and addresses of which nobody has proven whose they
/// are, ascending, each with its addresses and how far its round of dials has come.
///
/// An address stands in one place. It stays while a source names it, and what the user typed never
/// makes room for others.
struct DialTargets: Sendable {
  enum Target: Hashable, Comparable, Sendable {
    case member(DeviceID)
    case unknown(Endpoint)
  }

  struct Address: Hashable, Sendable {
    var endpoint: Endpoint
    var sources: [CandidateSource]
  }

  struct Entry: Hashable, Sendable {
    let target: Target
    /// In the order of dialling: what worked last comes first.
    var addresses: [Address] = []
    /// Addresses of the present round that were started.
    var started = 0
    var failures = 0
    /// When the next address of this round, or the next round, starts.
    var nextStart = Moment(nanoseconds: 0)
    var underWay: [LinkID] = []
  }

  private var entries: [Entry] = []
  /// Addresses of one member that are kept: the user's come on top.
  private let addressesMax: Int
  /// Addresses of unknown owners that are kept: the user's come on top.
  private let unknownMax: Int

  init(addressesMax: Int, unknownMax: Int) {
    (self.addressesMax, self.unknownMax) = (addressesMax, unknownMax)
  }

  var indices: Range<Int> { entries.indices }

  subscript(at: Int) -> Entry {
    get { entries[at] }
    set { entries[at] = newValue }
  }

  // MARK: Queries

  /// The other members, ascending.
  var members: [DeviceID] {
    entries.compactMap { if case .member(let device) = $0.target { device } else { nil } }
  }

  func index(of target: Target) -> Int? { entries.firstIndex { $0.target == target } }

  /// The addresses of a member, best first.
  func endpoints(of device: DeviceID) -> [Endpoint] {
    index(of: .member(device)).map { entries[$0].addresses.map(\.endpoint) } ?? []
  }

  func place(of endpoint: Endpoint) -> (entry: Int, address: Int)? {
    for (entry, value) in entries.enumerated() {
      if let address = value.addresses.firstIndex(where: { $0.endpoint == endpoint }) {
        return (entry, address)
      }
    }
    return nil
  }

  private var unknownCount: Int {
    entries.count { if case .unknown = $0.target { true } else { false } }
  }

  // MARK: Changes

  /// Members are targets that exist even without any address; other devices are none any more.
  mutating func members(_ devices: [DeviceID]) {
    for device in devices { _ = index(adding: .member(device)) }
    entries.removeAll {
      if case .member(let device) = $0.target { !devices.contains(device) } else { false }
    }
  }

  /// Somebody names an address that is not here, or is already.
  /// - Parameter owner: `nil` unless an authenticated source says whose it is.
  /// - Returns: Whether it is new and was kept.
  mutating func add(_ endpoint: Endpoint, _ source: CandidateSource, owner: DeviceID?) -> Bool {
    if let at = place(of: endpoint) {
      if !entries[at.entry].addresses[at.address].sources.contains(source) {
        entries[at.entry].addresses[at.address].sources.append(source)
      }
      return false
    }
    if let owner {
      add(endpoint, source, to: .member(owner))
    } else {
      makeRoomForUnknown(unless: source)
      if unknownCount < unknownMax || source == .fixed {
        add(endpoint, source, to: .unknown(endpoint))
      }
    }
    return place(of: endpoint) != nil
  }

  /// A source takes an address back; it goes when no other source is left.
  mutating func remove(_ endpoint: Endpoint, _ source: CandidateSource) {
    guard let at = place(of: endpoint) else { return }
    entries[at.entry].addresses[at.address].sources.removeAll { $0 == source }
    if entries[at.entry].addresses[at.address].sources.isEmpty { remove(at) }
  }

  /// Whatever the sources say.
  mutating func remove(_ endpoint: Endpoint) {
    if let at = place(of: endpoint) { remove(at) }
  }

  /// What only the user named, and names no more, goes; the rest is there.
  mutating func keepFixed(_ endpoints: [Endpoint]) {
    let former = entries.flatMap(\.addresses).filter { $0.sources.contains(.fixed) }
    for address in former where !endpoints.contains(address.endpoint) {
      remove(address.endpoint, .fixed)
    }
  }

  /// The address is this member's: it moves there, to the front.
  mutating func prove(_ endpoint: Endpoint, owner: DeviceID) {
    var sources: [CandidateSource] = []
    if let at = place(of: endpoint) {
      sources = entries[at.entry].addresses[at.address].sources
      remove(at)
    }
    if !sources.contains(.remembered) { sources.append(.remembered) }
    let entry = index(adding: .member(owner))
    entries[entry].addresses.insert(Address(endpoint: endpoint, sources: sources), at: 0)
    trim(entry)
  }

  // MARK: Private

  private mutating func index(adding target: Target) -> Int {
    if let at = entries.firstIndex(where: { $0.target == target }) { return at }
    let at = entries.firstIndex { target < $0.target } ?? entries.count
    entries.insert(Entry(target: target), at: at)
    return at
  }

  private mutating func add(_ endpoint: Endpoint, _ source: CandidateSource, to target: Target) {
    let entry = index(adding: target)
    entries[entry].addresses.append(Address(endpoint: endpoint, sources: [source]))
    trim(entry)
  }

  private mutating func trim(_ entry: Int) {
    while entries[entry].addresses.count > addressesMax,
      let last = entries[entry].addresses.lastIndex(where: { !$0.sources.contains(.fixed) }),
      last >= entries[entry].started
    {
      entries[entry].addresses.remove(at: last)
    }
  }

  private mutating func remove(_ at: (entry: Int, address: Int)) {
    entries[at.entry].addresses.remove(at: at.address)
    if at.address < entries[at.entry].started { entries[at.entry].started -= 1 }
    if case .unknown = entries[at.entry].target, entries[at.entry].addresses.isEmpty {
      entries.remove(at: at.entry)
    }
  }

  private mutating func makeRoomForUnknown(unless source: CandidateSource) {
    guard source != .fixed, unknownCount >= unknownMax else { return }
    let worst = entries.indices.filter {
      if case .unknown = entries[$0].target {
        entries[$0].failures > 0 && entries[$0].underWay.isEmpty
          && !entries[$0].addresses.contains { $0.sources.contains(.fixed) }
      } else {
        false
      }
    }.max { entries[$0].failures < entries[$1].failures }
    if let worst { entries.remove(at: worst) }
  }
}
