// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc

/// A running discovery child as its parent sees it: a process and one end of a socket pair.
///
/// The agent watches `channel`: bytes go into a `DiscoveryFrameReader<DiscoveryEvent>`, end of file
/// means that the child is gone and that `pid` wants to be waited for. Closing `channel` ends it.
package struct DiscoveryProcess: Sendable {
  /// Process id, for `waitpid`.
  package let pid: Int32
  /// Non-blocking, close-on-exec stream socket; owned by the caller.
  package let channel: Int32

  /// Why no child could be started: the failing call and its errno.
  package struct SpawnError: Error, Equatable, Sendable {
    package let call: String
    package let code: Int32
  }

  /// Starts `executable` with `arguments` (without the program's name) and the far end of a socket
  /// pair as its standard input; standard output goes nowhere, standard error is shared.
  ///
  /// Signal mask and dispositions are reset, because the agent blocks and ignores some (`posix_spawn`
  /// with `POSIX_SPAWN_SETSIGMASK` and `POSIX_SPAWN_SETSIGDEF`).
  ///
  /// - Throws: `SpawnError`; nothing is left open then.
  package static func spawn(
    executable: String, arguments: [String]
  ) throws(SpawnError) -> DiscoveryProcess {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    if unsafe socketpair(AF_UNIX, kind, 0, &ends) != 0 {
      throw SpawnError(call: "socketpair", code: errno)
    }
    defer { close(ends[1]) }
    let (code, pid) = unsafe start(executable, arguments, standardInput: ends[1])
    if code != 0 {
      close(ends[0])
      throw SpawnError(call: "posix_spawn", code: code)
    }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return DiscoveryProcess(pid: pid, channel: ends[0])
  }

  @unsafe
  private static func start(
    _ executable: String, _ arguments: [String], standardInput: Int32
  ) -> (code: Int32, pid: pid_t) {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, standardInput, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var every = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&every)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &every)
    let flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    unsafe posix_spawnattr_setflags(&attributes, flags)
    let argv = unsafe ([executable] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe argv.forEach { unsafe free($0) } }
    var pid: pid_t = 0
    let code = unsafe posix_spawn(&pid, executable, &actions, &attributes, argv, environ)
    return (code, pid)
  }
}
