// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSystemShim
import Glibc

/// SIGTERM, SIGINT and SIGHUP as a descriptor. Make it before any thread starts.
package final class SignalWatch {
  /// What a signal asks for.
  package enum Request: Equatable, Sendable { case stop, reload }

  package let fd: Int32

  /// Blocks the three signals in this thread and all later ones, and ignores SIGPIPE.
  package init() throws(SystemError) {
    fd = try SystemError.check(hs_signalfd(), "watching for signals")
  }

  deinit { close(fd) }

  /// The next pending request; `nil` when there is none.
  package func next() -> Request? {
    switch hs_signalfd_next(fd) {
    case SIGTERM, SIGINT: .stop
    case SIGHUP: .reload
    default: nil
    }
  }
}

/// Tells that an address or a link of this machine came or went (netlink).
package final class AddressWatch {
  package let fd: Int32

  package init() throws(SystemError) {
    fd = try SystemError.check(hs_address_watch(), "watching for address changes")
  }

  deinit { close(fd) }

  /// Takes all waiting reports; `true` if there was a change.
  package func drain() -> Bool { hs_address_watch_drain(fd) == 1 }
}

/// A program run by us with a stream to it: its descriptor 3, our `socket`.
package final class ChildProcess {
  package let pid: Int32
  /// Readable when the child has ended.
  package let endDescriptor: Int32
  package let socket: StreamSocket
  private var isCollected = false

  /// Starts `path`; `arguments` without the program name. Signals are unblocked in the child.
  package init(
    path: String, arguments: [String], pendingBytesMax: Int = 64 * 1024
  ) throws(SystemError) {
    var child = hs_child()
    var words: [UnsafeMutablePointer<CChar>?] = unsafe [strdup(path)]
    for word in arguments { unsafe words.append(strdup(word)) }
    unsafe words.append(nil)
    let result = unsafe hs_spawn(path, words, &child)
    for index in unsafe words.indices { unsafe free(words[index]) }
    _ = try SystemError.check(result, "starting \(path)")
    (pid, endDescriptor) = (child.pid, child.pidfd)
    socket = StreamSocket(fd: child.socket, pendingBytesMax: pendingBytesMax)
  }

  deinit { close(endDescriptor) }

  /// Asks the child to end, or kills it.
  package func signal(_ number: Int32) {
    // A collected pid may belong to somebody else by now.
    if !isCollected { kill(pid, number) }
  }

  /// Collects the ended child: its exit code, or 128 + signal; `nil` while it runs.
  package func collect() -> Int32? {
    var status: Int32 = 0
    guard !isCollected, unsafe hs_child_collect(endDescriptor, &status) == 0 else { return nil }
    isCollected = true
    return status & 0x7f == 0 ? status >> 8 : 128 + (status & 0x7f)
  }
}
