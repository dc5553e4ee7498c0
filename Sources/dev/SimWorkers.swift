// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Dispatch
import Foundation
import Simulator

/// Outcomes as lines of text, from a worker to its parent.
enum SimWire {
  static func write(running seed: UInt64) { put("run \(seed)") }

  static func write(_ outcome: Simulation.Outcome) {
    for sentence in outcome.failures.prefix(10) {
      put("bad " + sentence.replacingOccurrences(of: "\n", with: " "))
    }
    put(
      [
        outcome.seed, UInt64(outcome.ops), UInt64(outcome.faults), UInt64(outcome.drawnEdits),
        UInt64(outcome.drawnFaults), outcome.digest, outcome.seconds,
        UInt64(outcome.coldLooks),
      ].reduce("end") { $0 + " \($1)" })
  }

  private static func put(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Reads what a worker wrote. A run without an end is one in which the process was stopped.
  static func read(_ text: String) -> (outcomes: [Simulation.Outcome], unfinished: UInt64?) {
    var outcomes: [Simulation.Outcome] = []
    var running: UInt64?
    var bad: [String] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      switch words[0] {
      case "run": (running, bad) = (UInt64(words[1]), [])
      case "bad": bad.append(String(line.dropFirst(4)))
      case "end":
        let numbers = words.dropFirst().compactMap { UInt64($0) }
        guard numbers.count == 8 else { continue }
        outcomes.append(
          Simulation.Outcome(
            seed: numbers[0], ops: Int(numbers[1]), faults: Int(numbers[2]),
            drawnEdits: Int(numbers[3]), drawnFaults: Int(numbers[4]), digest: numbers[5],
            seconds: numbers[6], coldLooks: Int(numbers[7]), failures: bad))
        running = nil
      default: break
      }
    }
    return (outcomes, running)
  }
}

/// Seeds in processes of their own, one a core: a run that traps ends its worker and is a failure.
struct SimWorkers: Sendable {
  private let jobs: Int
  private let shaping: [String]

  init(_ arguments: SimArguments) { (jobs, shaping) = (arguments.jobs, arguments.shaping) }

  /// Runs one set of words in one worker, for the minimiser.
  init(shaping: [String]) { (jobs, self.shaping) = (1, shaping) }

  /// The outcomes of every `step`th seed, ascending.
  func run(_ first: UInt64, _ last: UInt64, step: UInt64 = 1) -> [Simulation.Outcome] {
    let lanes = UInt64(jobs)
    let queue = DispatchQueue(label: "outcomes")
    let group = DispatchGroup()
    // SAFETY: every access is on `queue`, or after the group is done.
    nonisolated(unsafe) var all: [Simulation.Outcome] = []
    for lane in 0..<lanes where first + lane * step <= last {
      DispatchQueue.global().async(group: group) {
        let outcomes = work(first + lane * step, last, lanes * step)
        queue.sync { unsafe all += outcomes }
      }
    }
    group.wait()
    return unsafe all.sorted { $0.seed < $1.seed }
  }

  private func work(_ first: UInt64, _ last: UInt64, _ step: UInt64) -> [Simulation.Outcome] {
    var out: [Simulation.Outcome] = []
    var next = first
    while next <= last {
      let (text, complaint) = child(["sim", "--worker", "\(next).\(last).\(step)"] + shaping)
      let (outcomes, unfinished) = SimWire.read(text)
      out += outcomes
      guard let unfinished else { break }
      out.append(
        Simulation.Outcome(
          seed: unfinished, ops: 0, faults: 0, drawnEdits: 0, drawnFaults: 0, digest: 0,
          seconds: 0, coldLooks: 0, failures: ["the process was stopped: \(complaint)"]))
      next = unfinished + step
    }
    return out
  }

  /// What a child of this program writes, and the first line of its complaint.
  private func child(_ words: [String]) -> (text: String, complaint: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_BACKTRACE": "enable=no"]
    ) { $1 }
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    do { try process.run() } catch { return ("", "\(error)") }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (text, said.split(separator: "\n").first.map(String.init) ?? "without a word")
  }
}
