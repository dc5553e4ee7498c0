// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import HTTPServer
import NodeEngine

/// The least service: it says that the process lives, and knows nothing else.
struct HealthService: AgentService {
  static let keptKinds: [String] = []

  func bodyLimit(_ method: HTTPMethod, _ path: [String]) -> Int { 0 }

  mutating func handle(
    _ input: ServiceInput, engine: borrowing Engine, agent: AgentFacts,
    into orders: inout [ServiceOrder]
  ) {
    guard case .request(let request) = input else { return }
    let isKnown = request.path == ["healthz"] || request.path == ["readyz"]
    orders.append(.reply(request.id, isKnown ? .text(200, "ok") : .text(404, "no such route")))
  }
}
