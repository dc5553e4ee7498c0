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
    guard let arguments else {
      Output.note("hedge: an argument is not valid UTF-8")
      exit(Int32(ExitCode.usage))
    }
    exit(Int32(run(arguments)))
  }

  /// The words behind the program's name; `nil` where one is not valid UTF-8. The standard library's
  /// array of them would have repaired it silently.
  private static var arguments: [String]? {
    var words: [String] = []
    for index in 1..<max(Int(CommandLine.argc), 1) {
      guard let raw = unsafe CommandLine.unsafeArgv[index] else { break }
      guard let word = unsafe String(validatingCString: raw) else { return nil }
      words.append(word)
    }
    return words
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
