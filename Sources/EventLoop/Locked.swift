// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc

/// A value behind a `pthread_mutex_t`; `Synchronization.Mutex` is invisible to ThreadSanitizer on Linux.
///
/// For the job queue, log sink and counters only: everything else lives in an actor.
@safe package final class Locked<State>: @unchecked Sendable {
  // SAFETY: `state` is touched inside `withLock` only, and the mutex has a fixed heap address.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var state: State

  package init(_ state: sending State) {
    self.state = state
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Runs `body` with exclusive access. `body` must not block and must not come back here.
  package func withLock<R>(_ body: (inout State) -> sending R) -> sending R {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&state)
  }
}
