// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import Glibc

/// The other programs, and where the agent is.
enum Programs {
  /// The socket: flag, `HEDGE_SOCKET`, `--data`, then the place where the agent puts it by itself.
  static func socket(_ options: GlobalOptions) -> String {
    if let socket = options.socket ?? Terminal.variable("HEDGE_SOCKET") { return socket }
    if let data = options.data { return data + "/agent.sock" }
    if let runtime = Terminal.variable("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
      return runtime + "/hedgerow/agent.sock"
    }
    if let state = Terminal.variable("XDG_STATE_HOME"), state.hasPrefix("/") {
      return state + "/hedgerow/agent.sock"
    }
    return (Terminal.variable("HOME") ?? "") + "/.local/state/hedgerow/agent.sock"
  }

  /// Whether the data lies where flags and environment say; behind a socket that was named alone it
  /// may lie anywhere.
  static func placesData(_ options: GlobalOptions) -> Bool {
    options.data != nil || (options.socket == nil && Terminal.variable("HEDGE_SOCKET") == nil)
  }

  /// The path of `name`, beside this program or in `libexec/hedgerow`.
  static func path(_ name: String) throws(Problem) -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe readlink("/proc/self/exe", $0.baseAddress!, $0.count)  // not empty
    }
    let own = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
    let folder = own.lastIndex(of: "/").map { String(own[..<$0]) } ?? "."
    for place in ["\(folder)/\(name)", "\(folder)/../libexec/hedgerow/\(name)"]
    where unsafe access(place, X_OK) == 0 {
      return place
    }
    throw Problem(.failed, "\(name) is not installed beside hedge", detail: "looked in \(folder)")
  }

  /// The program of that name on `PATH`; `nil` if there is none.
  static func onPath(_ name: String) -> String? {
    for folder in (Terminal.variable("PATH") ?? "/usr/bin:/bin").split(separator: ":") {
      let path = "\(folder)/\(name)"
      if unsafe access(path, X_OK) == 0 { return path }
    }
    return nil
  }

  /// Becomes `name`; returns only what went wrong.
  static func execute(_ name: String, _ arguments: [String]) -> Problem {
    do throws(Problem) {
      let path = try path(name)
      let words = unsafe ([name] + arguments).map { unsafe strdup($0) } + [nil]
      unsafe execv(path, words)
      return Problem(.failed, "\(path) cannot be started")
    } catch { return error }
  }
}

extension Programs {
  /// Opens an address in the browser of the desktop, and waits until that has taken it.
  static func openPage(_ url: String) throws(Problem) {
    var child: pid_t = 0
    let arguments = ["xdg-open", url]
    let words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var status: Int32 = 0
    // What the browser says of itself is not our answer.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    guard unsafe posix_spawnp(&child, "xdg-open", &actions, nil, words, environ) == 0,
      unsafe waitpid(child, &status, 0) == child, status == 0
    else {
      throw Problem(
        .failed, "no browser could be opened", detail: "open the address yourself: hedge web")
    }
  }
}

/// Whole files.
enum Files {
  static let bytesMax = 256 << 20

  static func read(_ path: String) throws(Problem) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Problem(.failed, "\(path) cannot be read", detail: reason())
    }
    defer { close(descriptor) }
    var out: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 { throw Problem(.failed, "\(path) cannot be read", detail: reason()) }
      if count == 0 { return out }
      out += buffer[..<count]
      if out.count > bytesMax { throw Problem(.tooLarge, "\(path) is larger than 256 MiB") }
    }
  }

  /// Writes beside `path` and renames: the old file or the whole new one, never a part. What is no plain
  /// file, as a device or a pipe, is written into and stays what it is; a link keeps leading where it does.
  static func replace(_ path: String, _ bytes: [UInt8]) throws(Problem) {
    var facts = stat()
    let isThere = unsafe stat(path, &facts) == 0
    if isThere, facts.st_mode & S_IFMT != S_IFREG {
      return try write(bytes, to: path, O_WRONLY | O_CLOEXEC, isSynced: false)
    }
    let target = isThere ? resolved(path) : path
    let side = target + ".part"
    do throws(Problem) {
      try write(bytes, to: side, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, isSynced: true)
    } catch {
      throw Problem(.failed, "\(path) cannot be written", detail: error.detail)
    }
    guard unsafe rename(side, target) == 0 else {
      let why = reason()
      _ = unsafe unlink(side)
      throw Problem(.failed, "\(path) cannot be written", detail: why)
    }
  }

  /// Where `path` leads behind all links.
  private static func resolved(_ path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// Writes all of `bytes`; a file that it made is gone again after an error.
  private static func write(
    _ bytes: [UInt8], to path: String, _ flags: Int32, isSynced: Bool
  ) throws(Problem) {
    let descriptor = unsafe open(path, flags, 0o666)
    guard descriptor >= 0 else {
      throw Problem(.failed, "\(path) cannot be written", detail: reason())
    }
    var at = 0
    while at < bytes.count {
      let written = unsafe bytes[at...].withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if written <= 0 { break }
      at += written
    }
    let isDone = at == bytes.count && (!isSynced || fsync(descriptor) == 0)
    let why = reason()
    close(descriptor)
    if isDone { return }
    if flags & O_CREAT != 0 { _ = unsafe unlink(path) }
    throw Problem(.failed, "\(path) cannot be written", detail: why)
  }

  /// Makes a folder and those above it.
  static func makeFolders(_ path: String) throws(Problem) {
    var built = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      built += "/" + part
      guard unsafe mkdir(built, 0o755) == 0 || errno == EEXIST else {
        throw Problem(.failed, "\(built) cannot be made", detail: reason())
      }
    }
  }

  private static func reason() -> String { unsafe String(cString: strerror(errno)) }
}
