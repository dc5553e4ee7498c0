// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer
import ListModel
import ListService
import NodeEngine

/// `GET /metrics`.
extension ListAgentService {
  /// Asks the disk for its size; the answer to the request follows it.
  mutating func metrics(_ reply: PendingReply, _ orders: inout [ServiceOrder]) {
    lastToken += 1
    scrapes[lastToken] = reply.id
    orders.append(.measureStore(token: lastToken))
  }

  /// The figures, once the size of the store is known.
  /// - Complexity: O(items).
  func figures(_ storeBytes: Int64, _ desk: ServiceDesk) -> HTTPReply {
    var text = MetricsText()
    text.family("build_info", .gauge, "The version of the agent, as a label.")
    text.sample("build_info", [("version", desk.agent.version)], 1)
    let rows = reader(desk, RequestContext()).lists()
    let (items, done) = rows.reduce((0, 0)) { ($0.0 + $1.itemCount, $0.1 + $1.doneCount) }
    text.family("lists", .gauge, "Lists that are shown.")
    text.sample("lists", [], rows.count)
    text.family("items", .gauge, "Items in lists by state.")
    text.sample("items", [("state", "open")], items - done)
    text.sample("items", [("state", "done")], done)
    text.sample("items", [("state", "recovered")], desk.replica.recoveredItems.count)
    peerFigures(desk.peerRows, &text)
    text.family("changes_total", .counter, "Changes that were folded since the start, by origin.")
    text.sample("changes_total", [("origin", "local")], counters.ownChanges)
    text.sample("changes_total", [("origin", "peer")], counters.otherChanges)
    text.family("merge_decisions_total", .counter, "Values that lost against a write unseen by it.")
    text.sample("merge_decisions_total", [], journal.count)
    text.family("store_bytes", .gauge, "Size of the database.")
    text.sample("store_bytes", [], storeBytes)
    text.family("http_requests_total", .counter, "Requests of the local API by route and status.")
    for request in counters.requests {
      text.sample(
        "http_requests_total", [("route", request.route), ("code", "\(request.code)")],
        request.count)
    }
    text.histogram(
      "sync_apply_seconds", desk.agent.applyTimes,
      "Time to take in one frame with changes of a peer.")
    text.family("hook_failures_total", .counter, "Hooks that failed or took too long.")
    text.sample("hook_failures_total", [], counters.hookFailures)
    return HTTPReply(status: 200, contentType: MetricsText.contentType, body: text.bytes)
  }

  private func peerFigures(_ peers: [ControlAPI.PeerRow], _ text: inout MetricsText) {
    text.family("peers", .gauge, "Peers by state.")
    for state in PeerState.allCases {
      text.sample("peers", [("state", state.rawValue)], peers.count { $0.state == state })
    }
    text.family("peer_lag_changes", .gauge, "Changes that a peer still lacks, where known.")
    for peer in peers {
      if let count = peer.toSend { text.sample("peer_lag_changes", [("peer", peer.name)], count) }
    }
    text.family("peer_last_contact_timestamp_seconds", .gauge, "When a peer was last heard of.")
    for peer in peers {
      guard let at = peer.lastContact else { continue }
      text.sample(
        "peer_last_contact_timestamp_seconds", [("peer", peer.name)],
        MetricsText.seconds(UInt64(max(at, 0)) * 1_000_000))
    }
  }
}
