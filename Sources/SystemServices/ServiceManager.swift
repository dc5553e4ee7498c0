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

  /// Listening sockets that the manager opened for us: descriptors 3 and up.
  package static func inheritedListeners() -> [Int32] {
    let count = sd_listen_fds(1)
    return count > 0 ? (0..<count).map { SD_LISTEN_FDS_START + $0 } : []
  }

  private static func notify(_ state: String) { unsafe _ = sd_notify(0, state) }
}
