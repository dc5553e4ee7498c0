// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSystemd
import Glibc

/// What the agent tells systemd, if it runs under it; otherwise every call does nothing.
package enum ServiceManager {
  /// The store is open and the sockets are bound.
  package static func ready() { notify("READY=1") }
  package static func reloading(monotonicMicroseconds: UInt64) {
    notify("RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds)")
  }
  /// Tells that the agent is going down.
  package static func stopping() { notify("STOPPING=1") }
  /// Feeds the watchdog.
  package static func alive() { notify("WATCHDOG=1") }

  /// One line for `systemctl status`; counts, never item text.
  package static func status(_ line: String) {
    notify("STATUS=\(line.filter { $0 != "\n" })")
  }

  /// Microseconds within which `alive` must be called again and again; `nil` without a watchdog.
  package static var watchdogMicroseconds: UInt64? {
    var interval: UInt64 = 0
    return unsafe sd_watchdog_enabled(0, &interval) > 0 ? interval : nil
  }

  /// The listening socket of the local API that the manager opened for us, not blocking; `nil` if it
  /// opened none. Asked once.
  package static var inheritedListener: Int32? {
    guard sd_listen_fds(1) > 0 else { return nil }
    let descriptor = SD_LISTEN_FDS_START
    guard sd_is_socket(descriptor, AF_UNIX, Int32(SOCK_STREAM.rawValue), 1) > 0 else {
      return nil
    }
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    return descriptor
  }

  private static func notify(_ state: String) { unsafe _ = sd_notify(0, state) }
}
