// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CFakeDesktop
import EventLoop
import Glibc
import SystemServices
import Testing

/// One bus at a time: its address is in the environment.
@Suite(.serialized) struct DesktopTests {
  /// A bus of its own, with its address in the environment until `stop`.
  private final class Bus {
    let daemon: RunningProgram
    let address: String

    init() async throws {
      daemon = try RunningProgram(
        path: "/usr/bin/dbus-daemon",
        arguments: ["dbus-daemon", "--session", "--nofork", "--print-address=1"], input: [])
      let daemon = daemon
      #expect(await eventually { daemon.output.contains(10) })
      address = String(decoding: daemon.output.prefix { $0 != 10 }, as: UTF8.self)
      unsafe setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
    }

    func stop() async {
      daemon.kill()
      #expect(await eventually { daemon.end() == .killed(SIGKILL) })
      unsafe unsetenv("DBUS_SESSION_BUS_ADDRESS")
    }
  }

  @Test(arguments: [false, true])
  func `a notice is shown, its number replaces it, and text is no markup`(
    readsMarkup: Bool
  ) async throws {
    let bus = try await Bus()
    #expect(unsafe fd_start(bus.address, readsMarkup ? 1 : 0) == 0)
    let first = Desktop.show(title: "stocks", body: "a <b> & c", replaces: 0)
    #expect(first == .shown(41))
    #expect(Desktop.show(title: "stocks", body: "a <b> & c", replaces: 41) == .shown(41))
    let shown = fd_stop()
    let body = unsafe withUnsafeBytes(of: shown.body) { raw in
      unsafe String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
    }
    #expect(body == (readsMarkup ? "a &lt;b&gt; &amp; c" : "a <b> & c"))
    #expect(shown.replaces == 41 && shown.count == 2)
    await bus.stop()
  }

  @Test func `a bus without a desktop is nobody there`() async throws {
    let bus = try await Bus()
    #expect(Desktop.show(title: "a", body: "b", replaces: 0) == .nobody)
    await bus.stop()
  }
}

@Suite struct RunningProgramTests {
  @Test func `a program gets its input, and its output can be read`() async throws {
    let program = try RunningProgram(
      path: "/bin/sh", arguments: ["sh", "-c", "cat; exit 5"], input: Array("milk\n".utf8))
    var end: RunningProgram.End?
    #expect(
      await eventually {
        end = program.end()
        return end != nil
      })
    #expect(end == .exited(5) && program.output == Array("milk\n".utf8))
  }

  @Test func `one that is killed goes with all that it started`() async throws {
    let program = try RunningProgram(
      path: "/bin/sh", arguments: ["sh", "-c", "sleep 60 & echo $!; wait"], input: [])
    #expect(await eventually { program.output.contains(10) })
    let child = try #require(
      pid_t(String(decoding: program.output.prefix { $0 != 10 }, as: UTF8.self)))
    program.kill()
    #expect(await eventually { program.end() == .killed(SIGKILL) })
    // Ours no more: whoever adopts it may take a moment to collect it.
    #expect(await eventually { isGone(child) })
  }

  private func isGone(_ pid: pid_t) -> Bool {
    if kill(pid, 0) != 0 { return true }
    guard let file = unsafe fopen("/proc/\(pid)/stat", "r") else { return true }
    defer { unsafe fclose(file) }
    var room = [CChar](repeating: 0, count: 256)
    guard unsafe fgets(&room, 256, file) != nil else { return true }
    return String(decoding: room.map { UInt8(bitPattern: $0) }, as: UTF8.self).contains(") Z ")
  }

  @Test func `a program that is not there is refused`() {
    #expect(throws: SystemError.self) {
      try RunningProgram(path: "/nonexistent/hook", arguments: ["hook"], input: [])
    }
  }
}
