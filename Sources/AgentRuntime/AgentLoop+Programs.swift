// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import Glibc
import SystemServices

/// Programs that are told something: notifications and hooks. What they do, and how they end, changes
/// nothing in the lists.
extension AgentLoop {
  static var ownProgram: String { "/proc/self/exe" }

  func tell(_ who: Told, _ input: [UInt8]) {
    if let lost = programs.append(ProgramQueue.Job(who: who, input: input)) {
      take(.service(.told(lost.who, why: "was not run: too many wait")))
    }
    startPrograms()
  }

  /// Every executable of `hooks.d` gets the document, in the order of their names.
  func runHooks(_ document: [UInt8]) {
    for path in HookFolder(options.hooksDirectory).executables {
      tell(.hook(path: path), document)
    }
  }

  private func startPrograms() {
    while let job = programs.next() {
      let (path, arguments) = command(job.who)
      do {
        let program = try RunningProgram(path: path, arguments: arguments, input: job.input)
        programs.running = ProgramQueue.Running(
          job: job, program: program,
          token: watch(program.descriptor, [.readable], .program),
          deadline: Clocks.monotonic() + ProgramQueue.nanosecondsMax)
      } catch {
        take(.service(.told(job.who, why: "cannot be started: \(error.code.value)")))
      }
    }
  }

  private func command(_ who: Told) -> (path: String, arguments: [String]) {
    switch who {
    case .desktop(let key):
      (
        Self.ownProgram,
        ["hedged", DeliveryChild.desktopVerb, "\(programs.desktopIDs[key] ?? 0)"]
      )
    case .command(let line): ("/bin/sh", ["sh", "-c", line])
    case .post(let address): (Self.ownProgram, ["hedged", DeliveryChild.postVerb, address])
    case .hook(let path): (path, [path])
    }
  }

  func programReady() {
    guard let running = programs.running, let end = running.program.end() else { return }
    if let token = running.token {
      executor.unwatch(running.program.descriptor)
      sources[token] = nil
    }
    programs.running = nil
    var why: String?
    switch end {
    case .exited(0):
      if case .desktop(let key) = running.job.who,
        let id = UInt32(String(decoding: running.program.output, as: UTF8.self))
      {
        if programs.desktopIDs.count >= ProgramQueue.desktopIDsMax { programs.desktopIDs = [:] }
        programs.desktopIDs[key] = id
      }
    case .exited(DeliveryChild.nobodyThere): break
    case .exited(let code): why = "ended with \(code)"
    case .killed(let signal):
      why = running.isLate ? "took longer than 10 s" : "was ended by signal \(signal)"
    }
    if let why {
      log(.warning, "program.failed", ["who": running.job.who.name, "why": why])
    }
    take(.service(.told(running.job.who, why: why)))
    startPrograms()
  }

  func endLatePrograms(_ time: UInt64) {
    guard let running = programs.running, !running.isLate, running.deadline <= time else { return }
    programs.running?.isLate = true
    running.program.kill()
  }
}

/// The executables of a hook folder.
struct HookFolder {
  let path: String
  init(_ path: String) { self.path = path }

  var exists: Bool { unsafe access(path, R_OK | X_OK) == 0 }

  /// Paths of files that we may run and only we or root may change, by name; 64 at most.
  var executables: [String] {
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name.utf8.first != 0x2E { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(64)
      .map { "\(path)/\($0)" }.filter(isFit)
  }

  private func isFit(_ file: String) -> Bool {
    var facts = stat()
    guard unsafe stat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
      unsafe access(file, X_OK) == 0
    else { return false }
    return (facts.st_uid == geteuid() || facts.st_uid == 0) && facts.st_mode & 0o022 == 0
  }
}
