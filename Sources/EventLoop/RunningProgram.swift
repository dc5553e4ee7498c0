// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSystemShim
import Glibc

/// A program that was given bytes on its standard input and will end.
package final class RunningProgram {
  /// How a program ended.
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case killed(Int32)
  }

  /// What it may write to standard output and be read, in bytes.
  package static let outputBytesMax = 4_096

  private let program: hs_program

  /// Readable when the program has ended.
  package var descriptor: Int32 { program.pidfd }

  /// Starts it in a process group of its own.
  /// - Parameter arguments: With the name of the program as first.
  package init(
    path: String, arguments: [String], input: [UInt8]
  ) throws(SystemError) {
    let words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var started = hs_program()
    let result = unsafe hs_program_start(path, words, input, input.count, &started)
    _ = try SystemError.check(result, "starting \(path)")
    program = started
  }

  deinit {
    close(program.pidfd)
    close(program.output)
  }

  /// How it ended; `nil` while it runs. Ask once more than that never.
  package func end() -> End? {
    var status: Int32 = 0
    guard unsafe hs_child_collect(program.pidfd, &status) == 0 else { return nil }
    return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
  }

  /// What it wrote to standard output so far.
  package var output: [UInt8] {
    var room = [UInt8](repeating: 0, count: Self.outputBytesMax)
    let count = unsafe pread(program.output, &room, room.count, 0)
    return Array(room.prefix(max(count, 0)))
  }

  /// Ends it and what it started; `descriptor` tells when it is over.
  package func kill() { hs_program_kill(program.pid) }
}
