// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Glibc

/// Two throw-away agents for `PathBench`.
final class AgentPair {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("hedgerow-bench-\(UUID().uuidString)")
  let one: BenchAgent
  let other: BenchAgent

  init() {
    one = BenchAgent("one", in: folder)
    other = BenchAgent("other", in: folder)
  }

  func start(rows: Int) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for agent in [one, other] { try agent.start() }
    _ = try one.hedge(["new", "bench"])
    let file = folder.appendingPathComponent("rows.txt")
    let lines = (0..<rows).map { "milk bread \($0)" }.joined(separator: "\n")
    try (lines + "\n").write(to: file, atomically: true, encoding: .utf8)
    _ = try one.hedge(["import", "@bench", file.path])
  }

  func code() throws -> String {
    let said = try one.hedge(["invite", "--no-input"])
    guard let code = said.split(whereSeparator: \.isWhitespace).last else {
      throw BenchTrouble("no code")
    }
    return String(code)
  }

  func join(_ code: String? = nil) throws {
    let text = try one.hedge(["agent", "status", "--json"])
    guard let start = text.range(of: "\"peer_port\":")?.upperBound else {
      throw BenchTrouble("no port")
    }
    let port = text[start...].prefix { $0.isNumber }
    _ = try other.hedge(["join", try code ?? self.code(), "--at", "127.0.0.1:\(port)"])
  }

  func end() {
    for agent in [one, other] { agent.end() }
    try? FileManager.default.removeItem(at: folder)
  }
}

/// One of them.
final class BenchAgent {
  private let data: String
  private let name: String
  private var process: RunningProgram?

  init(_ name: String, in folder: URL) {
    self.name = name
    data = folder.appendingPathComponent(name).path
  }

  func start() throws {
    process = try RunningProgram(
      "hedged",
      [
        "--name", name, "--port", "0", "--web-port", "off", "--bind", "127.0.0.1",
        "--no-discovery", "--data", data,
      ])
    for _ in 0..<5_000 {
      if FileManager.default.fileExists(atPath: data + "/agent.sock") { return }
      usleep(2_000)
    }
    throw BenchTrouble("the agent \(name) did not start")
  }

  func end() { process?.stop() }

  /// Runs a command of the user against this agent; returns what it printed.
  func hedge(_ words: [String]) throws -> String {
    let program = try start(words)
    let text = program.rest()
    let status = program.wait()
    guard status == 0 else {
      throw BenchTrouble("hedge \(words.joined(separator: " ")) ended with \(status)")
    }
    return text
  }

  func start(_ words: [String]) throws -> RunningProgram {
    try RunningProgram("hedge", ["--data", data] + words)
  }

  /// Processor time of all its threads since its start, and resident memory.
  func usage() throws -> (seconds: Double, mebibytes: Double) {
    var clock = clockid_t()
    var spent = timespec()
    guard let pid = process?.pid, unsafe clock_getcpuclockid(pid, &clock) == 0,
      unsafe clock_gettime(clock, &spent) == 0,
      let memory = try? String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8),
      let pages = memory.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    else { throw BenchTrouble("the agent \(name) is gone") }
    let seconds = Double(spent.tv_sec) + Double(spent.tv_nsec) / 1e9
    guard seconds > 0 else { throw BenchTrouble("no processor time of \(name) is known") }
    return (seconds, pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576)
  }
}

/// A program that lies beside this one, with its output as text.
final class RunningProgram {
  private let process = Process()
  private let output = Pipe()
  private var seen = ""

  init(_ name: String, _ arguments: [String]) throws {
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.executableURL = own.deletingLastPathComponent().appendingPathComponent(name)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  var pid: Int32 { process.processIdentifier }

  /// All that it prints from here on.
  func rest() -> String {
    String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  /// Whether `text` is printed in that many seconds. What was read is dropped.
  func reads(_ text: String, within seconds: Double) -> Bool {
    let handle = output.fileHandleForReading
    let end = Date().addingTimeInterval(seconds)
    while !seen.contains(text) {
      var waited = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
      let left = Int32(max(end.timeIntervalSinceNow * 1_000, 0))
      guard unsafe poll(&waited, 1, left) > 0 else { return false }
      seen += String(decoding: handle.availableData, as: UTF8.self)
    }
    seen = ""
    return true
  }

  /// Foundation's own wait looks every 50 ms only.
  func wait() -> Int32 {
    while process.isRunning { usleep(50) }
    return process.terminationStatus
  }

  func stop() {
    guard process.isRunning else { return }
    process.terminate()
    process.waitUntilExit()
  }
}
