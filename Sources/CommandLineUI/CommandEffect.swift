// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// What `-n` does with a verb; `Command.effect` is what holds, this is what the help says of it.
package enum DryRun: Hashable, Sendable {
  /// The verb writes nothing.
  case nothingToTry
  /// Every form of it that writes only says what it would do.
  case says
  /// Only the forms with one of these words.
  case saysFor([String])
  /// It acts or it does not: `-n` is refused.
  case refused

  /// What the help says; empty where there is nothing to try out.
  package var sentence: String {
    switch self {
    case .nothingToTry: ""
    case .says: "With -n it only says what it would do."
    case .saysFor(let words): "-n is for \(words.joined(separator: " and ")) only."
    case .refused: "It cannot be tried out with -n."
    }
  }
}

extension Command {
  /// What running a command comes to.
  package enum Effect: Hashable, Sendable {
    case reads
    /// Says what a write would do.
    case tries
    /// Changes lists, members, settings, files or what runs.
    case writes
  }

  /// - Note: There is no default: a new command has to say what it does.
  package var effect: Effect {
    switch self {
    case .request(let request): request.effect
    case .addFromInput(_, let isDryRun), .itemsFromInput(_, let isDryRun),
      .revoke(_, let isDryRun), .installAgent(_, let isDryRun), .uninstallAgent(let isDryRun):
      isDryRun ? .tries : .writes
    case .importFile(let request, _): request.isDryRun ? .tries : .writes
    case .export(_, let output): output.map { !sameBytes($0, "-") } ?? false ? .writes : .reads
    case .showAndWatch, .watch, .completion, .help, .version, .demo(.environment): .reads
    case .confirmed, .counted, .drop, .invite, .web, .join, .runAgent, .liveView,
      .demo(.start), .demo(.stop), .manual:
      .writes
    }
  }

  /// Whether `--json` means something: the command prints a document, or a stream of them.
  var hasJSON: Bool {
    switch self {
    case .web(let isOpened, _): !isOpened
    case .request, .export, .addFromInput, .itemsFromInput, .confirmed, .counted, .revoke, .drop,
      .showAndWatch, .watch, .invite, .join, .importFile, .version, .demo(.start):
      true
    case .runAgent, .installAgent, .uninstallAgent, .liveView, .demo(.stop), .demo(.environment),
      .completion, .help, .manual:
      false
    }
  }
}

extension Request {
  /// - Note: There is no default: a new request has to say what it does.
  fileprivate var effect: Command.Effect {
    switch self {
    case .transact(let transaction): transaction.isDryRun ? .tries : .writes
    case .undo(let undo): undo.isDryRun ? .tries : .writes
    case .takeConflict(_, let isDryRun): isDryRun ? .tries : .writes
    case .importFile(let file): file.isDryRun ? .tries : .writes
    case .changeMember(.remove(_, let isDryRun)): isDryRun ? .tries : .writes
    case .changeMember(.role), .changeMember(.alias): .writes
    case .use(let use): use == .show ? .reads : .writes
    case .notify(let notify): notify == .show ? .reads : .writes
    case .web(.tokens), .web(.guests): .reads
    case .web(.link), .web(.addToken), .web(.removeToken), .web(.lan), .web(.addGuest),
      .web(.removeGuest):
      .writes
    case .addPeer, .removePeer, .sync, .pause, .resume, .invite, .awaitJoiner, .join, .stopAgent,
      .reloadAgent:
      .writes
    case .overview, .lists, .items, .show, .columns, .find, .log, .wait, .members, .undoSteps,
      .trash, .conflicts, .status, .peers, .inspect, .export, .events, .changes, .version,
      .agentStatus, .health, .readiness, .metrics, .openAPI:
      .reads
    }
  }
}
