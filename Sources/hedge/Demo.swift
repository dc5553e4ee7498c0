// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import Glibc

/// `hedge demo`: three throw-away agents on loopback, driven by public commands only.
///
/// Everything lies in one directory of its own; nothing is announced and no data of the user is
/// touched. `--once` ends and removes all after the check.
struct Demo {
  private let isJSON: Bool
  private let directory: String
  private static let names = ["kitchen", "den", "loft"]

  init(_ options: GlobalOptions) {
    isJSON = options.json != nil
    let base = Terminal.variable("XDG_RUNTIME_DIR") ?? Terminal.variable("TMPDIR") ?? "/tmp"
    directory = base + "/hedgerow-demo-\(getuid())"
  }

  func run(_ action: Command.DemoAction) throws(Problem) -> Int {
    switch action {
    case .stop:
      guard unsafe access(directory, F_OK) == 0 else {
        say("no demo is running")
        return 0
      }
      stop()
      say("demo stopped, \(directory) removed")
      return 0
    case .environment:
      guard Self.names.contains(where: { agent($0) != nil }) else {
        throw Problem(.unreachable, "no demo is running", detail: "start one: hedge demo")
      }
      for name in Self.names {
        Output.write(Array("hedge-\(name)() { hedge --data \(data(name)) \"$@\"; }\n".utf8), to: 1)
      }
      return 0
    case .start(let isOnce): return try start(isOnce: isOnce)
    }
  }

  private func data(_ name: String) -> String { "\(directory)/\(name)" }

  private func say(_ text: String) {
    if !isJSON { Output.write(Array("\(text)\n".utf8), to: STDOUT_FILENO) }
  }

  // MARK: The play

  private func start(isOnce: Bool) throws(Problem) -> Int {
    stop()
    guard unsafe mkdir(directory, 0o700) == 0 else {
      throw Problem(.failed, "\(directory) cannot be made", detail: "is it somebody else's?")
    }
    do throws(Problem) {
      let isEqual = try play()
      if isOnce {
        stop()
        say("everything that was started is ended and removed; hedge demo leaves it running")
      } else if isEqual {
        try sayWhatNext()
      }
      return isEqual ? 0 : ExitCode.checkFailed
    } catch {
      stop()
      throw error
    }
  }

  private func play() throws(Problem) -> Bool {
    for name in Self.names { try startAgent(name) }
    let port = try waitForPort("kitchen")
    for name in Self.names.dropFirst() {
      let code = try hedge("kitchen", ["invite", "--no-input"]).split(
        whereSeparator: \.isWhitespace
      ).last
      _ = try hedge(name, ["join", String(code ?? ""), "--at", "127.0.0.1:\(port)"])
    }
    say(
      "three agents: kitchen, den, loft (loopback only, in \(directory))   paired with 2 one-time codes"
    )
    _ = try hedge("kitchen", ["new", "groceries", "qty:int"])
    _ = try hedge("kitchen", ["add", "@groceries", "eggs,", "bread,", "milk", "qty=1"])
    _ = try agreement(seconds: 10)
    for name in Self.names { _ = try hedge(name, ["sync", "pause"]) }
    _ = try hedge("kitchen", ["mv", "@groceries", "milk", "1"])
    _ = try hedge("kitchen", ["add", "@groceries", "tea"])
    _ = try hedge("den", ["set", "@groceries", "milk", "qty=2"])
    _ = try hedge("den", ["rm", "@groceries", "bread"])
    _ = try hedge("loft", ["set", "@groceries", "milk", "qty=3"])
    _ = try hedge("loft", ["edit", "@groceries", "milk", "oat milk"])
    say(
      "offline edits   kitchen: milk → top, +tea     den: milk qty → 2, bread removed     loft: milk renamed \"oat milk\", qty → 3"
    )
    let before = milliseconds()
    for name in Self.names { _ = try hedge(name, ["sync", "resume"]) }
    let rows = try agreement(seconds: 30)
    let time = milliseconds() - before
    let isEqual = rows != nil
    if isJSON {
      let text =
        "{\"v\":1,\"kind\":\"demo\",\"equal\":\(isEqual),\"ms\":\(time),\"directory\":\"\(directory)\"}\n"
      Output.write(Array(text.utf8), to: STDOUT_FILENO)
      return isEqual
    }
    guard let rows else {
      Output.note("hedge: the three did not agree within 30 s; look at \(directory)/*.log")
      return false
    }
    say("reconnected … all three equal after \(time) ms:")
    for row in rows.split(separator: "\n") { say("  \(row)") }
    return true
  }

  /// What can be done with the agents that are left running.
  private func sayWhatNext() throws(Problem) {
    if isJSON { return }
    let milk = try hedge("den", ["show", "@groceries", "oat milk", "--json"])
    if milk.contains("\"dropped\"") {
      say("decided for you: see  hedge --data \(data("den")) show @groceries \"oat milk\"")
    }
    say(
      "try:  eval \"$(hedge demo env)\"; hedge-den watch @groceries & hedge-kitchen add @groceries jam"
    )
    say("stop: hedge demo stop")
  }

  /// Polls until all three export the same bytes; `nil` after the time limit. Returns the rows.
  private func agreement(seconds: Int64) throws(Problem) -> String? {
    let end = milliseconds() + seconds * 1000
    while milliseconds() < end {
      var exports: [String] = []
      for name in Self.names {
        exports.append(try hedge(name, ["export", "--all", "--format", "json"]))
      }
      if exports.allSatisfy({ $0 == exports[0] }) && exports[0].utf8.count > 60 {
        return try hedge("loft", ["ls", "@groceries", "--plain"])
      }
      usleep(5_000)
    }
    return nil
  }

  // MARK: Agents

  private func startAgent(_ name: String) throws(Problem) {
    let program = try Programs.path("hedged")
    let arguments = [
      "hedged", "--name", name, "--port", "0", "--web-port", "off", "--bind", "127.0.0.1",
      "--no-discovery", "--data", data(name),
    ]
    let pid = try Child.start(program, arguments, output: "\(directory)/\(name).log")
    try Files.replace("\(directory)/\(name).pid", Array("\(pid)\n".utf8))
    let end = milliseconds() + 10_000
    while unsafe access("\(data(name))/agent.sock", F_OK) != 0 {
      guard milliseconds() < end else {
        throw Problem(
          .failed, "the agent \(name) did not start", detail: "see \(directory)/\(name).log")
      }
      usleep(2_000)
    }
  }

  private func waitForPort(_ name: String) throws(Problem) -> Int {
    let text = try hedge(name, ["agent", "status", "--json"])
    guard let at = text.range(after: "\"peer_port\":"),
      let port = Int(text[at...].prefix { $0.isNumber })
    else { throw Problem(.failed, "the agent \(name) listens on no port") }
    return port
  }

  /// Runs this program against one of the agents; returns what it printed.
  private func hedge(_ name: String, _ arguments: [String]) throws(Problem) -> String {
    let words = ["hedge", "--data", data(name)] + arguments
    let (status, bytes) = try Child.run("/proc/self/exe", words)
    guard status == 0 else {
      throw Problem(
        .failed, "hedge \(arguments.joined(separator: " ")) on \(name) ended with \(status)")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Ends the agents by their pids and removes the directory.
  private func stop() {
    for name in Self.names {
      guard let pid = agent(name) else { continue }
      kill(pid, SIGTERM)
      let end = milliseconds() + 5_000
      while Child.isAgent(pid) && milliseconds() < end { usleep(2_000) }
      if Child.isAgent(pid) { kill(pid, SIGKILL) }
    }
    if unsafe access(directory, F_OK) == 0 { Child.removeTree(directory) }
  }

  /// The pid of an agent of the demo; `nil` where it does not run.
  private func agent(_ name: String) -> pid_t? {
    guard let bytes = try? Files.read("\(directory)/\(name).pid"),
      let pid = pid_t(String(decoding: bytes, as: UTF8.self).filter(\.isNumber)), pid > 1,
      Child.isAgent(pid)
    else { return nil }
    return pid
  }

  private func milliseconds() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}

extension String {
  /// The index behind the first occurrence of `part`.
  func range(after part: String) -> String.Index? {
    let (text, wanted) = (Array(utf8), Array(part.utf8))
    guard wanted.count <= text.count else { return nil }
    for start in 0...(text.count - wanted.count)
    where text[start..<start + wanted.count].elementsEqual(wanted) {
      return utf8.index(startIndex, offsetBy: start + wanted.count)
    }
    return nil
  }
}

/// Child processes of the demo.
enum Child {
  /// `POSIX_SPAWN_SETSID`, which only GNU headers show.
  private static let spawnInNewSession: Int32 = 0x80

  /// Starts a program in a session of its own, its output in a file; returns its pid.
  static func start(_ path: String, _ arguments: [String], output: String) throws(Problem) -> pid_t
  {
    let file = unsafe open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Problem(.failed, "\(output) cannot be written") }
    defer { close(file) }
    return try spawn(path, arguments, out: file, err: file, isDetached: true)
  }

  /// Runs a program to its end; returns its exit code and its standard output.
  static func run(_ path: String, _ arguments: [String]) throws(Problem) -> (Int32, [UInt8]) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw Problem(.failed, "no pipe") }
    let pid = try spawn(path, arguments, out: ends[1], err: STDERR_FILENO, isDetached: false)
    close(ends[1])
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(ends[0], &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    close(ends[0])
    var status: Int32 = 0
    while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
    return (code, bytes)
  }

  private static func spawn(
    _ path: String, _ arguments: [String], out: Int32, err: Int32, isDetached: Bool
  ) throws(Problem) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, out, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, err, 2)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    if isDetached { unsafe posix_spawnattr_setflags(&attributes, Int16(spawnInNewSession)) }
    let words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var pid: pid_t = 0
    let code = unsafe posix_spawn(&pid, path, &actions, &attributes, words, environ)
    guard code == 0 else { throw Problem(.failed, "\(path) cannot be started") }
    return pid
  }

  /// Whether `pid` is alive and one of ours by its name: a pid file may be old.
  static func isAgent(_ pid: pid_t) -> Bool {
    var status: Int32 = 0
    _ = unsafe waitpid(pid, &status, WNOHANG)  // collects it where it is our child
    guard let bytes = try? Files.read("/proc/\(pid)/comm") else { return false }
    return String(decoding: bytes, as: UTF8.self).hasPrefix("hedged")
  }

  /// Removes a directory and all in it; nothing outside is followed.
  static func removeTree(_ path: String) {
    guard let entries = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(entries) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name == "." || name == ".." { continue }
      if unsafe unlink("\(path)/\(name)") != 0 { removeTree("\(path)/\(name)") }
    }
    unsafe closedir(entries)
    unsafe rmdir(path)
  }
}
