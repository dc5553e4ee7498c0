// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Simulator

extension Verb {
  /// Writes the golden files of the wire formats anew. What it changes is a change of the format:
  /// review it as one.
  static let golden = Verb(name: "golden", usage: "golden FOLDER") { arguments in
    guard arguments.count == 1 else {
      Main.complain("usage: dev golden Tests/WireCodecTests/Golden\n")
      return 2
    }
    do {
      for sample in WireSamples.all {
        let url = URL(fileURLWithPath: arguments[0]).appendingPathComponent(sample.name + ".hex")
        try Data(sample.goldenText.utf8).write(to: url)
      }
      print("\(WireSamples.all.count) files")
      return 0
    } catch {
      Main.complain("dev golden: \(error.localizedDescription)\n")
      return 1
    }
  }
}
