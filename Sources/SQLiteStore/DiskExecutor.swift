// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc
import Synchronization

/// One thread that runs the jobs of one actor and sleeps in between.
///
/// When `quietMilliseconds` have passed without a job after there were some, it calls what
/// `whenQuiet` was given, and again as long as that returns `true`; then it sleeps until the next job,
/// without waking.
// SAFETY: `jobs`, `quiet` and `isStopping` are touched only under `mutex`; `thread` only by init and
// stop; the pointers live as long as this.
@safe package final class DiskExecutor: SerialExecutor, @unchecked Sendable {
  private static let quietMilliseconds = 100

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [UnownedJob] = []
  private var quiet: (@Sendable () -> Bool)?
  private var isStopping = false
  private var thread = pthread_t()
  private let owner = Atomic<UInt>(0)

  package init() {
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
    let box = unsafe Unmanaged.passRetained(self).toOpaque()
    let code = unsafe pthread_create(&thread, nil, diskThread, box)
    precondition(code == 0, "no thread for the disk: \(code)")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe pthread_cond_destroy(condition)
    unsafe mutex.deallocate()
    unsafe condition.deallocate()
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    locked {
      jobs.append(job)
      unsafe pthread_cond_signal(condition)
    }
  }

  package func isIsolatingCurrentContext() -> Bool? {
    owner.load(ordering: .relaxed) == UInt(pthread_self())
  }

  package func checkIsolated() {
    precondition(isIsolatingCurrentContext() == true, "not on the disk thread")
  }

  /// Sets what is called on the thread in quiet moments.
  func whenQuiet(_ body: @escaping @Sendable () -> Bool) { locked { quiet = body } }

  /// Finishes what is queued and ends the thread; returns when it is gone. To be called once, from
  /// another thread.
  package func stop() {
    locked {
      isStopping = true
      quiet = nil
      unsafe pthread_cond_signal(condition)
    }
    pthread_join(thread, nil)
  }

  fileprivate func run() {
    owner.store(UInt(pthread_self()), ordering: .relaxed)
    var hasWorked = false
    while true {
      switch next(mayTidy: hasWorked) {
      case .jobs(let batch):
        for job in batch { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
        hasWorked = true
      case .quiet(let body):
        hasWorked = body?() ?? false
      case .stopped: return
      }
    }
  }

  private enum Next {
    case jobs([UnownedJob])
    case quiet((@Sendable () -> Bool)?)
    case stopped
  }

  /// Waits for jobs; with `mayTidy` no longer than the quiet time.
  private func next(mayTidy: Bool) -> Next {
    var deadline = timespec()
    if mayTidy {
      unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
      let nanoseconds = deadline.tv_nsec + Self.quietMilliseconds * 1_000_000
      deadline.tv_sec += nanoseconds / 1_000_000_000
      deadline.tv_nsec = nanoseconds % 1_000_000_000
    }
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while jobs.isEmpty && !isStopping {
      if !mayTidy {
        unsafe pthread_cond_wait(condition, mutex)
      } else if unsafe pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT,
        jobs.isEmpty, !isStopping
      {
        return .quiet(quiet)
      }
    }
    if jobs.isEmpty { return .stopped }
    let batch = jobs
    jobs.removeAll(keepingCapacity: true)
    return .jobs(batch)
  }

  private func locked(_ body: () -> Void) {
    unsafe pthread_mutex_lock(mutex)
    body()
    unsafe pthread_mutex_unlock(mutex)
  }
}

private func diskThread(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let box = unsafe box else { return nil }
  let executor = unsafe Unmanaged<DiskExecutor>.fromOpaque(box).takeRetainedValue()
  executor.run()
  return nil
}
