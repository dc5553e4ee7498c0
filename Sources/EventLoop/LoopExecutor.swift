// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSystemShim
import Glibc
import Synchronization

/// One thread in `epoll_wait` that is also the executor of an actor: descriptors, one timer and the
/// actor's jobs take turns on it, so state of that actor needs no lock and no hop.
///
/// The actor enters by `assumeIsolated` once per event. Nothing here may use the global pool: its
/// first job starts threads that wake every second for ever (`docs/decisions` on the loop).
package final class LoopExecutor: SerialExecutor {
  private struct Shared {
    var jobs: [UnownedJob] = []
    var isAsleep = false
    var isStopping = false
  }

  private let epoll: Int32
  private let wake: Int32
  private let shared = Locked(Shared())
  /// `pthread_self()` of the thread inside `run`; 0 outside.
  private let owner = Atomic<UInt>(0)

  private static let wakeToken = UInt64.max
  private static let eventsPerWait = 64

  /// Fails only where the process has no descriptors left.
  package init() throws(SystemError) {
    epoll = try SystemError.check(hs_epoll_create(), "creating the event queue")
    wake = try SystemError.check(hs_eventfd(), "creating the wake-up descriptor")
    _ = try SystemError.check(
      hs_epoll_add(epoll, wake, HS_READABLE, Self.wakeToken), "watching the wake-up descriptor")
  }

  deinit {
    close(wake)
    close(epoll)
  }

  // MARK: Executor

  package var isOnLoop: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }
  package func isIsolatingCurrentContext() -> Bool? { isOnLoop }
  package func checkIsolated() { precondition(isOnLoop, "not on the loop thread") }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mustWake = shared.withLock { state in
      state.jobs.append(job)
      defer { state.isAsleep = false }
      return state.isAsleep
    }
    if mustWake { hs_eventfd_raise(wake) }
  }

  /// Makes `run` return once its queue of jobs is empty. Callable from any thread.
  package func stop() {
    shared.withLock { $0.isStopping = true }
    hs_eventfd_raise(wake)
  }

  // MARK: Descriptors

  /// Watches `fd`, level-triggered. `token` comes back with each event; never use it twice, so that
  /// an event already fetched for a closed descriptor finds nobody.
  package func watch(_ fd: Int32, _ interest: Interest, token: UInt64) throws(SystemError) {
    precondition(token != Self.wakeToken, "reserved token")
    _ = try SystemError.check(
      hs_epoll_add(epoll, fd, interest.rawValue, token), "watching a descriptor")
  }

  /// Changes what a watched `fd` waits for.
  package func change(_ fd: Int32, _ interest: Interest, token: UInt64) {
    let result = hs_epoll_change(epoll, fd, interest.rawValue, token)
    precondition(result == 0, "descriptor \(fd) is not watched: \(result)")
  }

  /// Ends the watch; call it before closing `fd`. Unwatched descriptors are ignored.
  package func unwatch(_ fd: Int32) {
    _ = hs_epoll_remove(epoll, fd)
  }

  // MARK: The loop

  /// Runs until `stop`: jobs, then the timer if due, then events, in this order in each round.
  ///
  /// - Parameters:
  ///   - deadline: Monotonic nanoseconds of the next timer; asked once a round.
  ///   - handle: Called for each event of a watched descriptor.
  ///   - timer: Called when the deadline has passed.
  package func run(deadline: () -> UInt64?, handle: (LoopEvent) -> Void, timer: () -> Void) {
    owner.store(UInt(pthread_self()), ordering: .relaxed)
    defer { owner.store(0, ordering: .relaxed) }
    hs_precise_timers()
    let buffer = UnsafeMutablePointer<hs_event>.allocate(capacity: Self.eventsPerWait)
    defer { unsafe buffer.deallocate() }
    var batch: [UnownedJob] = []
    while true {
      let (mayStop, canSleep) = takeJobs(into: &batch)
      if mayStop && batch.isEmpty { return }
      for job in batch { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
      batch.removeAll(keepingCapacity: true)
      var timeout: Int64 = canSleep ? -1 : 0
      if let due = deadline() {
        let now = hs_monotonic()
        if due <= now {
          timer()
          timeout = 0
        } else if canSleep {
          timeout = Int64(clamping: due - now)
        }
      }
      let count = unsafe hs_epoll_wait(epoll, buffer, Int32(Self.eventsPerWait), timeout)
      if canSleep { shared.withLock { $0.isAsleep = false } }
      guard count >= 0 else {
        precondition(count == -EINTR, "epoll_pwait2 failed: \(count)")
        continue
      }
      for index in 0..<Int(count) {
        let event = unsafe buffer[index]
        if event.token == Self.wakeToken {
          hs_eventfd_drain(wake)
        } else {
          handle(LoopEvent(token: event.token, ready: Interest(rawValue: event.events)))
        }
      }
    }
  }

  private func takeJobs(into batch: inout [UnownedJob]) -> (mayStop: Bool, canSleep: Bool) {
    var taken = batch
    batch = []
    let result = shared.withLock { state in
      swap(&taken, &state.jobs)
      state.isAsleep = taken.isEmpty && !state.isStopping
      return (state.isStopping, state.isAsleep, taken)
    }
    batch = result.2
    return (result.0, result.1)
  }
}

/// What a descriptor is watched for, and what it is ready for.
package struct Interest: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }
  package static let readable = Interest(rawValue: HS_READABLE)
  package static let writable = Interest(rawValue: HS_WRITABLE)
  /// The other side has shut down its writing half or gone: `EPOLLRDHUP`.
  package static let peerClosed = Interest(rawValue: HS_PEER_CLOSED)
  /// Reported always, watched or not.
  package static let hungUp = Interest(rawValue: HS_HANG_UP)
  /// Reported always, watched or not.
  package static let failed = Interest(rawValue: HS_FAILED)
}

/// One readiness report of a watched descriptor.
package struct LoopEvent: Sendable {
  package let token: UInt64
  package let ready: Interest
}
