// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import Foundation
import Simulator

extension Verb {
  /// Writes the golden files anew: the wire formats and the help. What it changes in the first is a
  /// change of the format: review it as one. To be run in the root folder.
  static let golden = Verb(name: "golden", usage: "golden wire|help") { arguments in
    let files: [(name: String, text: String)]
    let folder: String
    switch arguments {
    case ["wire"]:
      folder = "Tests/WireCodecTests/Golden"
      files = WireSamples.all.map { ($0.name + ".hex", $0.goldenText) }
    case ["help"]:
      folder = "Tests/CommandLineUITests/Golden"
      files = Help.all.map { ($0.name + ".txt", $0.text) }
    default:
      Main.complain("usage: dev golden wire|help\n")
      return 2
    }
    return write(files, to: folder)
  }

  /// Writes the manual pages.
  static let manual = Verb(name: "manual", usage: "manual FOLDER 'MONTH DAY, YEAR'") { arguments in
    guard arguments.count == 2 else {
      Main.complain("usage: dev manual FOLDER 'May 4, 2026'\n")
      return 2
    }
    return write(
      ManualPage.all(date: arguments[1]).map { ($0.fileName, $0.source) }, to: arguments[0])
  }

  private static func write(_ files: [(name: String, text: String)], to folder: String) -> Int32 {
    do {
      let url = URL(fileURLWithPath: folder)
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for (name, text) in files {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
      }
      print("\(files.count) files")
      return 0
    } catch {
      Main.complain("dev: \(error.localizedDescription)\n")
      return 1
    }
  }
}
