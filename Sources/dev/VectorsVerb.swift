// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import FormatVectors
import Foundation

extension Verb {
  /// Checks a file of position vectors: counts per section, then each difference; exit 1 if any.
  static let vectors = Verb(name: "vectors", usage: "vectors FILE") { arguments in
    guard arguments.count == 1 else {
      Main.complain("usage: dev vectors FILE\n")
      return 2
    }
    do {
      let json = try Data(contentsOf: URL(fileURLWithPath: arguments[0]))
      let sections = try PositionVectors(json: json).check()
      for section in sections {
        print("\(section.name): \(section.cases) cases, \(section.differences.count) differences")
      }
      let differences = sections.flatMap(\.differences)
      for difference in differences { print(difference) }
      return differences.isEmpty ? 0 : 1
    } catch {
      Main.complain("dev vectors: \(arguments[0]): \(error)\n")
      return 2
    }
  }
}
