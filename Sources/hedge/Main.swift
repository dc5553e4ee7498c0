// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import Glibc

/// `hedge`: reads a command line, asks the local agent, copies the answer out.
@main
struct Main {
  static func main() {
    signal(SIGPIPE, SIG_DFL)
    exit(Int32(run(Array(CommandLine.arguments.dropFirst()))))
  }

  /// Runs one command line and returns the exit code.
  static func run(_ arguments: [String]) -> Int {
    do throws(Problem) {
      let invocation = try Invocation.parse(arguments)
      return try Runner(invocation.options).run(invocation.command)
    } catch {
      let isJSON = Invocation.wantsJSON(arguments)
      let display = isJSON ? Display.json : Terminal.display(GlobalOptions(), isError: true)
      let rendered = Renderer(display, now: 0).render(error)
      Output.write(rendered.err, to: STDERR_FILENO)
      return rendered.exit
    }
  }
}

/// Writing to descriptors, whole and without buffers.
enum Output {
  static func write(_ bytes: some Collection<UInt8>, to descriptor: Int32) {
    let bytes = Array(bytes)
    var at = 0
    while at < bytes.count {
      let written = unsafe bytes[at...].withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if written < 0 {
        if errno == EINTR { continue }
        return
      }
      at += written
    }
  }

  static func note(_ text: String) { write(Array("\(text)\n".utf8), to: STDERR_FILENO) }
}
