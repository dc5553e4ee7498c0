// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ControlJSON
import HTTPServer
import NodeEngine

/// A histogram of times, as Prometheus wants it.
package struct Histogram: Hashable, Sendable {
  /// Upper bounds in nanoseconds.
  static let bounds: [UInt64] = [
    100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
    100_000_000, 250_000_000, 1_000_000_000,
  ]
  private(set) var counts = [UInt64](repeating: 0, count: bounds.count + 1)
  private(set) var nanoseconds: UInt64 = 0

  /// Nothing seen yet.
  package init() {}

  /// Notes one time.
  package mutating func take(_ time: UInt64) {
    counts[Self.bounds.firstIndex { time <= $0 } ?? Self.bounds.count] += 1
    nanoseconds &+= time
  }
}

/// What the service counts of itself, from its start.
struct ServiceCounters: Sendable {
  private var labels: [RequestID: String] = [:]
  /// By route and status, in that order.
  private(set) var requests: [(route: String, code: Int, count: UInt64)] = []
  var ownChanges: UInt64 = 0
  var otherChanges: UInt64 = 0
  var hookFailures: UInt64 = 0

  mutating func began(_ request: HTTPRequest) { labels[request.id] = Self.label(request) }
  mutating func left(_ id: RequestID) { labels[id] = nil }

  /// Counts the answers among orders.
  mutating func take(_ orders: ArraySlice<ServiceOrder>) {
    for order in orders {
      switch order {
      case .reply(let id, let reply): answered(id, reply.status)
      case .openStream(let id, _, _): answered(id, 200)
      default: break
      }
    }
  }

  private mutating func answered(_ id: RequestID, _ code: Int) {
    guard let route = labels.removeValue(forKey: id) else { return }
    if let at = requests.firstIndex(where: { $0.code == code && sameBytes($0.route, route) }) {
      requests[at].count += 1
    } else {
      requests.append((route, code, 1))
      requests.sort { ($0.route, $0.code) < ($1.route, $1.code) }
    }
  }

  /// The pattern that a path fits: never the path itself, which holds names of people's lists.
  private static func label(_ request: HTTPRequest) -> String {
    if case .route(let route) = RouteTable.place(request.method.rawValue, request.path) {
      return route.path
    }
    switch (request.path.count, request.path.first ?? "") {
    case (1, ""): return "/"
    case (1, _) where request.method == .get: return "/{file}"
    case (2, "lists"): return "/lists/{list}"
    case (2, "enter"): return "/enter/{link}"
    default: return "other"
    }
  }
}

/// Figures in the text format of Prometheus, version 0.0.4.
struct MetricsText {
  private(set) var bytes: [UInt8] = []

  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  enum Kind: String {
    case counter, gauge, histogram
  }

  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    append("# HELP hedgerow_\(name) \(help)\n# TYPE hedgerow_\(name) \(kind.rawValue)\n")
  }

  mutating func sample(
    _ name: String, _ labels: [(name: String, value: String)] = [], _ value: String
  ) {
    append("hedgerow_\(name)")
    if !labels.isEmpty {
      let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
      append("{\(pairs.joined(separator: ","))}")
    }
    append(" \(value)\n")
  }

  mutating func sample(
    _ name: String, _ labels: [(name: String, value: String)] = [], _ value: some BinaryInteger
  ) {
    sample(name, labels, String(value))
  }

  mutating func histogram(_ name: String, _ histogram: Histogram, _ help: String) {
    family(name, .histogram, help)
    var total: UInt64 = 0
    for (bound, count) in zip(Histogram.bounds, histogram.counts) {
      total += count
      sample("\(name)_bucket", [("le", Self.seconds(bound))], total)
    }
    total += histogram.counts[Histogram.bounds.count]
    sample("\(name)_bucket", [("le", "+Inf")], total)
    sample("\(name)_sum", [], Self.seconds(histogram.nanoseconds))
    sample("\(name)_count", [], total)
  }

  /// Nanoseconds as seconds, exact.
  static func seconds(_ nanoseconds: UInt64) -> String {
    var digits = String(nanoseconds % 1_000_000_000)
    digits = String(repeating: "0", count: 9 - digits.utf8.count) + digits
    while digits.utf8.last == 0x30 { digits.removeLast() }
    return "\(nanoseconds / 1_000_000_000)" + (digits.isEmpty ? "" : ".\(digits)")
  }

  private static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": out += "\\\\"
      case "\"": out += "\\\""
      case "\n": out += "\\n"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
