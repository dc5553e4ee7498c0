// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI

struct Demo {
  init(_ options: GlobalOptions) {}
  func run(_ action: Command.DemoAction) throws(Problem) -> Int { 1 }
}
