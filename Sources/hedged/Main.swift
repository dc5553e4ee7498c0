// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import AgentRuntime
import Glibc

@main
struct Main {
  static func main() { exit(Agent.main(Array(CommandLine.arguments.dropFirst()))) }
}
