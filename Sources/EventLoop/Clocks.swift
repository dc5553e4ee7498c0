// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSystemShim
import Glibc

/// The three clocks of the shell. Pure code gets their readings as arguments.
package enum Clocks {
  /// Nanoseconds on the clock that drives timers; it stands still while the machine sleeps.
  package static func monotonic() -> UInt64 { hs_monotonic() }

  /// Milliseconds since 1970, UTC, as the machine believes.
  package static func wallMilliseconds() -> Int64 { hs_wall_milliseconds() }

  /// Minute of the day in the local time zone: 0...1,439.
  package static func localMinute() -> Int {
    var moment = time_t(hs_wall_milliseconds() / 1_000)
    var parts = unsafe tm()
    unsafe localtime_r(&moment, &parts)
    return unsafe Int(parts.tm_hour) * 60 + Int(parts.tm_min)
  }

  /// Nanoseconds this machine has slept since it booted; a jump means that it was suspended.
  package static func slept() -> UInt64 {
    let (monotonic, boot) = (hs_monotonic(), hs_boottime())
    return boot > monotonic ? boot - monotonic : 0
  }
}
