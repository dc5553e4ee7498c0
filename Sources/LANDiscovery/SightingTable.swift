// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The rows of the discovery child and when each is looked up again: a pure value, fed with times.
///
/// Times are milliseconds of a monotonic clock. Browse callbacks come once for each address
/// family, so a row counts its appearances and is lost when the last of them is gone.
struct SightingTable {
  private struct Row {
    let key: SightingKey
    var appearances = 1
    var sighting: Sighting?
    var failures = 0
    var lookupDue: UInt64
    var isUnderWay = false
  }

  /// A known row is looked up again after this time: ports and addresses change without notice.
  static let refreshMilliseconds: UInt64 = 120_000

  private var rows: [Row] = []

  /// Number of rows, at most `DiscoveryLimits.rowsMax`.
  var count: Int { rows.count }

  /// Whether an instance is seen on any interface.
  func contains(instance: [UInt8]) -> Bool { rows.contains { $0.key.instance == instance } }

  /// Facts of a row, if a look-up succeeded.
  func sighting(of key: SightingKey) -> Sighting? { index(of: key).flatMap { rows[$0].sighting } }

  /// When the next look-up is due; `nil` if none waits.
  var nextDue: UInt64? { rows.lazy.filter { !$0.isUnderWay }.map(\.lookupDue).min() }

  mutating func appeared(_ key: SightingKey, at now: UInt64) {
    if let index = index(of: key) {
      rows[index].appearances += 1
      rows[index].lookupDue = now
    } else if rows.count < DiscoveryLimits.rowsMax {
      rows.append(Row(key: key, lookupDue: now))
    }
  }

  /// Takes one appearance away.
  ///
  /// - Returns: Whether the row is gone; else it is looked up again, because one of its address
  ///   families went away.
  mutating func disappeared(_ key: SightingKey, at now: UInt64) -> Bool {
    guard let index = index(of: key) else { return false }
    rows[index].appearances -= 1
    rows[index].lookupDue = now
    if rows[index].appearances > 0 { return false }
    rows.remove(at: index)
    return true
  }

  /// The row to look up now, marked as under way until `finished` is told.
  mutating func nextLookup(at now: UInt64) -> SightingKey? {
    let waiting = rows.indices.filter { !rows[$0].isUnderWay && rows[$0].lookupDue <= now }
    guard let index = waiting.min(by: { rows[$0].lookupDue < rows[$1].lookupDue }) else {
      return nil
    }
    rows[index].isUnderWay = true
    rows[index].lookupDue = now + Self.refreshMilliseconds
    return rows[index].key
  }

  /// Adds one address to a row as soon as it is known, before the look-up ends.
  ///
  /// - Returns: The row if the address is news.
  mutating func learned(_ partial: Sighting) -> Sighting? {
    guard let index = index(of: partial.key) else { return nil }
    var addresses = partial.addresses
    if let old = rows[index].sighting, old.port == partial.port, old.txt == partial.txt {
      let added = addresses.filter { !old.addresses.contains($0) }
      if added.isEmpty { return nil }
      addresses = Array((old.addresses + added).suffix(DiscoveryLimits.addressesMax))
    }
    let sighting = Sighting(
      key: partial.key, port: partial.port, txt: partial.txt, addresses: addresses)
    rows[index].sighting = sighting
    return sighting
  }

  /// Ends a look-up. A failed one keeps the old facts and is tried again after 5 s, 10 s, … 120 s.
  ///
  /// - Returns: The row if it differs from what was known.
  mutating func finished(
    _ key: SightingKey, with sighting: Sighting?, at now: UInt64
  ) -> Sighting? {
    guard let index = index(of: key) else { return nil }
    rows[index].isUnderWay = false
    guard let sighting else {
      let delay = min(5_000 << UInt64(min(rows[index].failures, 5)), Self.refreshMilliseconds)
      rows[index].failures += 1
      rows[index].lookupDue = min(rows[index].lookupDue, now + delay)
      return nil
    }
    rows[index].failures = 0
    if rows[index].sighting == sighting { return nil }
    rows[index].sighting = sighting
    return sighting
  }

  private func index(of key: SightingKey) -> Int? { rows.firstIndex { $0.key == key } }
}

/// Waiting times of a responder that does not answer: 1, 2, 4 … 60 seconds.
struct RetryDelay {
  private var attempts = 0

  /// Milliseconds until the next attempt; grows with each call.
  mutating func next() -> UInt64 {
    defer { attempts += 1 }
    return min(1_000 << UInt64(min(attempts, 6)), 60_000)
  }

  /// Starts from 1 s again, after the responder answered.
  mutating func reset() { attempts = 0 }
}
