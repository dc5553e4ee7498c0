// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import Glibc
import LiveView
import TerminalView

/// `hedge-tui`: the live view on this terminal. `hedge tui` starts it and names the agent's socket.
@main
struct Main {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    let words = Array(CommandLine.arguments.dropFirst())
    guard let socket = value(of: "--socket", in: words) else {
      fail("hedge-tui: start it with: hedge tui", ExitCode.usage)
    }
    var loop = ViewLoop(
      socket: socket, list: value(of: "--list", in: words),
      hasUnicode: !words.contains("--ascii"))
    do throws(Problem) {
      try loop.check()
      guard let terminal = CursesTerminal(hasColor: !words.contains("--no-color")) else {
        fail("hedge: this needs a terminal; in a pipe use: hedge watch", ExitCode.usage)
      }
      loop.run(terminal)
    } catch {
      fail("hedge: \(error.title)" + (error.detail.map { ": \($0)" } ?? ""), error.kind.exit)
    }
  }

  private static func value(of flag: String, in words: [String]) -> String? {
    guard let at = words.firstIndex(of: flag), at + 1 < words.count else { return nil }
    return words[at + 1]
  }

  private static func fail(_ text: String, _ code: Int) -> Never {
    let line = Array((text + "\n").utf8)
    _ = unsafe write(STDERR_FILENO, line, line.count)
    exit(Int32(code))
  }
}
