// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation

/// One verb of the workshop's tool: what it is called, what it does, and the doing.
struct Verb: Sendable {
  let name: String
  let usage: String
  /// Gets the arguments behind the verb; returns the exit status.
  let run: @Sendable ([String]) -> Int32
}

/// `dev`: the workshop's one tool. Each verb lives in a file of its own and is listed here.
@main
struct Main {
  static let verbs: [Verb] = [
    .vectors, .golden, .manual, .assets, .histories, .laws, .sim, .fuzz, .bench, .footprint,
    .history,
  ]

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let name = arguments.first, let verb = verbs.first(where: { $0.name == name }) else {
      complain("usage:\n" + verbs.map { "  dev \($0.usage)\n" }.joined())
      exit(2)
    }
    exit(verb.run(Array(arguments.dropFirst())))
  }

  /// Writes to standard error.
  static func complain(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
