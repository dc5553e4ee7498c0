// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import LANDiscovery
import NodeEngine
import WireCodec

/// What each row of the discovery child names, and what that means for the addresses.
///
/// An agent that announces itself anew appears under its new name before the old one is gone, with
/// the same addresses. So an address is lost only with the last row that names it; until then the
/// newest row speaks for it.
struct DiscoveredRows {
  private struct Row {
    let key: SightingKey
    let tag: DiscoveryTag
    let endpoints: [Endpoint]
  }

  /// Oldest news first; at most `DiscoveryLimits.rowsMax`.
  private var rows: [Row] = []

  /// Takes in what the child says of one row, and appends what follows for the engine.
  /// - Complexity: O(rows · addresses).
  mutating func found(_ sighting: Sighting, into inputs: inout [Input]) {
    guard let tag = DiscoveryTag(sighting.txt) else {
      return lost(sighting.key, into: &inputs)
    }
    let endpoints = sighting.addresses.compactMap {
      Endpoint(address: $0.bytes, port: sighting.port, scope: $0.scope)
    }
    var former = remove(sighting.key)
    if rows.count == DiscoveryLimits.rowsMax { former += rows.removeFirst().endpoints }
    rows.append(Row(key: sighting.key, tag: tag, endpoints: endpoints))
    for endpoint in former where !endpoints.contains(endpoint) { release(endpoint, &inputs) }
    for endpoint in endpoints { inputs.append(.discovered(endpoint, tag)) }
  }

  /// The row is gone; its addresses are too, but for those that another row names.
  mutating func lost(_ key: SightingKey, into inputs: inout [Input]) {
    for endpoint in remove(key) { release(endpoint, &inputs) }
  }

  private mutating func remove(_ key: SightingKey) -> [Endpoint] {
    guard let at = rows.firstIndex(where: { $0.key == key }) else { return [] }
    return rows.remove(at: at).endpoints
  }

  private func release(_ endpoint: Endpoint, _ inputs: inout [Input]) {
    if let row = rows.last(where: { $0.endpoints.contains(endpoint) }) {
      inputs.append(.discovered(endpoint, row.tag))
    } else {
      inputs.append(.discoveryLost(endpoint))
    }
  }
}
