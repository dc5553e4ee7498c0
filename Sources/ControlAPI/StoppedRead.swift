// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Reads while no agent runs: `hedge` runs `hedged` once, which answers from the store.
public enum StoppedRead {
  /// The hidden verb of `hedged`. Behind it: the request's target, the display header, the name of
  /// the terminal (may be empty), then flags of the agent.
  public static let verb = "answer-stopped"

  /// Its exit code where an agent holds the data; standard output has the pid, if it is known.
  public static let heldExit = 75

  /// Whether a request can be answered by looking at the store alone. `status --check` is none: what
  /// does not run is not in order.
  public static func answers(_ request: Request) -> Bool {
    switch request {
    case .overview, .lists, .items, .show, .peers, .inspect, .export, .trash, .conflicts, .find,
      .columns, .undoSteps, .log, .members:
      true
    case .status(let isCheck): !isCheck
    default: false
    }
  }
}
