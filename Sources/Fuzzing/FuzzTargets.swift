// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import Simulator

/// Every place where bytes from outside are read, as a function that says what is wrong, if anything.
///
/// Three drivers use them: the tests replay the kept corpora, `dev fuzz` mutates blindly, and the
/// coverage-guided fuzzer (`docs/TESTING.md`) looks for inputs that reach new code.
package enum FuzzTargets {
  /// In a fixed order; names are those of the folders of the corpora.
  package static var all: [WireFuzz.Target] {
    WireFuzz.targets + [history] + formats + surfaces + channels
  }

  /// The target of that name.
  package static func named(_ name: String) -> WireFuzz.Target? {
    all.first { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
