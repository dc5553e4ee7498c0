// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import NodeEngine

/// A bucket of permissions: so many at once, so many a second in the long run.
struct RateGate: Hashable, Sendable {
  let burst: UInt64
  let perSecond: UInt64
  /// Nanoseconds of refilling that are in hand.
  private var saved: UInt64
  private var last: Moment

  init(burst: UInt64, perSecond: UInt64, now: Moment) {
    (self.burst, self.perSecond, last) = (burst, perSecond, now)
    saved = burst * (1_000_000_000 / perSecond)
  }

  /// Takes one permission; else says after how many seconds there is one again.
  mutating func take(_ now: Moment) -> UInt64? {
    let price = 1_000_000_000 / perSecond
    let since = now.nanoseconds > last.nanoseconds ? now.nanoseconds - last.nanoseconds : 0
    saved = min(saved + min(since, burst * price), burst * price)
    last = now
    guard saved >= price else { return (price - saved) / 1_000_000_000 + 1 }
    saved -= price
    return nil
  }
}
